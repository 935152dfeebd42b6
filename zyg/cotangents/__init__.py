"""Cotangents while a program runs: sums, zeros and parts, and the tables of those of objects."""
