"""Memory that objects and iterators hold while a program runs: what it is, was and became."""
