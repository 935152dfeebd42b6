"""What `ir` is told of NumPy, SciPy and zyg's own calls: result types, views, what is pure."""
