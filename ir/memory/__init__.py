"""Memory behind values: changes in place as new versions, and what names and objects mean it."""
