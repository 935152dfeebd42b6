"""What generated code asks while it runs, where types told nothing before."""
