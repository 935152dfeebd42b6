"""What inference knows of the standard library: result types of calls, and where they fold."""
