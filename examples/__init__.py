"""Programs on real data, in ordinary Python and NumPy, differentiated by zyg."""
