"""Forward pass to adjoint: steps run backwards, what they save, what goes in place."""
