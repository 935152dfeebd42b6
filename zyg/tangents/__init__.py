"""Tangents while a program runs, and the tables of those of objects."""
