"""Random compositions of NumPy's functions, differentiated in all orders of the two modes."""
