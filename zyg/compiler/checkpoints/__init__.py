"""Loops and calls that run again for their reversal, programs that begin again."""
