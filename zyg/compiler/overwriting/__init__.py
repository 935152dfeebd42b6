"""Memory that a program overwrites: what adjoints read of it is kept, or restored."""
