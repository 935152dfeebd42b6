"""Typed copies of functions: calls resolved and inlined, branches decided, loops settled."""
