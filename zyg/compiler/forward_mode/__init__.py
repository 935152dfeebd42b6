"""Primal to tangent function: tangents of rules, and those found at run time."""
