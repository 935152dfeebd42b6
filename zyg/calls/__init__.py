"""From a call of the API to its generated code, and from cotangents back to gradients."""
