"""Benchmarks of gradients against hand-written adjoints and other systems.

`python -m tests.benchmarks` prints them all; see `__main__`.
"""
