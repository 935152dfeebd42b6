"""What stands for calls of the API and of SciPy's solvers inside of differentiated code."""
