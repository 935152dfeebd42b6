"""Arithmetic modulo a prime: the primitives of the random programs.

The prime is small, so that sums of many products stay below 2**53 and a stray float in an adjoint
is still exact.
"""

from __future__ import annotations

P = 10007


def add(a: int, b: int) -> int:
    return (a + b) % P


def sub(a: int, b: int) -> int:
    return (a - b) % P


def mul(a: int, b: int) -> int:
    return a * b % P


def neg(a: int) -> int:
    return -a % P


def residue(a: int, k: int) -> int:
    """A small number to steer the program by: no derivative."""
    return a % k
