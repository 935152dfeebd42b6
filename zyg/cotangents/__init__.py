"""Cotangents while a program runs: their sums, zeros and parts."""
