"""From source to IR: the source is found, lowered to smaller syntax, and parsed."""
