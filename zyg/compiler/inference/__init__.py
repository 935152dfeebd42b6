"""What inference asks when it types a differentiated function, and what objects answer."""
