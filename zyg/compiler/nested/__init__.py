"""Derivatives inside of differentiated code, as IR that is differentiated in turn."""
