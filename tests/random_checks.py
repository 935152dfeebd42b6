"""What is asked of random functions of a number: right derivatives, or that they are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import zyg

POINT, STEP = 1.3, 1e-6


def is_tame(f: Callable[[float], float]) -> bool:
    """Whether a function has a value at a point, which changes little close to it."""
    try:
        near = [f(POINT + k * STEP) for k in (-1, 0, 1)]
    except Exception:
        return False
    return max(map(abs, near)) < 1e4 and max(near) - min(near) < 0.1


def is_followed(f: Callable[[float], float]) -> bool:
    """Whether there are derivatives; these are right, also where `back` is called again."""
    name = f.__code__.co_filename
    try:
        value, back = zyg.pullback(f, POINT)
    except zyg.ZygError:
        return False
    assert value == f(POINT), name
    slope = (f(POINT + STEP) - f(POINT - STEP)) / (2 * STEP)
    (first,), (again,), (joint,) = back(1.0), back(1.0), zyg.gradient(f, POINT)
    assert first == again, name
    for found in (first, joint, zyg.jvp(f, (POINT,), (1.0,))[1]):
        assert (found or 0.0) == pytest.approx(slope, rel=1e-5, abs=1e-5), name
    return True


def check_batch(random_function: Callable[[int], Callable[[float], float]], seeds: range) -> None:
    """Asserts that most functions are tame, and of these most have derivatives: right ones."""
    tame = [f for f in map(random_function, seeds) if is_tame(f)]
    assert len(tame) > len(seeds) // 2
    followed = [f for f in tame if is_followed(f)]
    assert len(followed) >= 0.7 * len(tame)
