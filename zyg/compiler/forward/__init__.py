"""Primal to forward pass: rules are inlined, and steps are noted for the adjoint."""
