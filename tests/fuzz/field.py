"""Arithmetic modulo a prime: the primitives of the random programs.

The prime is small, so that sums of many products stay below 2**53 and a stray float in an adjoint
is still exact. Arrays hold floats that are whole numbers: exact for the same reason, as long as
what is stored has been reduced. Numbers of arrays become ints again in the scalar primitives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

P = 10007


def add(a: int, b: int) -> int:
    return int(a + b) % P


def sub(a: int, b: int) -> int:
    return int(a - b) % P


def mul(a: int, b: int) -> int:
    return int(a) * int(b) % P


def neg(a: int) -> int:
    return int(-a) % P


def residue(a: int, k: int) -> int:
    """A small number to steer the program by: no derivative."""
    return int(a) % k


# Of an array, and an array of its shape or a number.


def plus(x: Any, y: Any) -> Any:
    return (x + y) % P


def minus(x: Any, y: Any) -> Any:
    return (x - y) % P


def times(x: Any, y: Any) -> Any:
    return x % P * (y % P) % P


def reduced(x: Any) -> Any:
    return x % P


def chosen(x: Any, k: int) -> Any:
    """A mask of the items that `k` divides: no derivative."""
    return np.array([residue(item, k) == 0 for item in x])


PRIMITIVES = {f.__name__: f for f in (
    add, sub, mul, neg, residue, plus, minus, times, reduced, chosen,
)}
