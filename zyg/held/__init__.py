"""What objects and iterators hold while a program runs: memory, and its cotangents."""
