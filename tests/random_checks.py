"""What is asked of functions of a number that are made at random, or by tables: right derivatives,
or that they are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


def outcomes(f: Callable[[float], float]) -> Iterator[bool | None]:
    """Whether the value and the first derivative are right, by each way to these; None: refused."""

    def pulled() -> tuple[float, float]:
        y, back = zyg.pullback(f, POINT)
        return y, back(1.0)[0]

    def of_gradient() -> tuple[float, float]:
        y, (x_bar,) = zyg.withgradient(f, POINT)
        return y, x_bar

    slope = pytest.approx((f(POINT + STEP) - f(POINT - STEP)) / (2.0 * STEP), rel=1e-5)
    ways = of_gradient, pulled, lambda: zyg.jvp(f, (POINT,), (1.0,))
    return _compared(ways, (pytest.approx(f(POINT)), slope))


def second_outcomes(f: Callable[[float], float]) -> Iterator[bool | None]:
    """The same for the second derivative."""
    step = 1e-4
    before, value, after = (f(POINT + k * step) for k in (-1, 0, 1))
    curvature = pytest.approx((before - 2.0 * value + after) / step**2, rel=1e-4, abs=1e-5)
    return _compared((
        lambda: zyg.gradient(lambda x: zyg.gradient(f, x)[0], POINT)[0],
        lambda: zyg.jvp(lambda x: zyg.gradient(f, x)[0], (POINT,), (1.0,))[1],
        lambda: zyg.gradient(lambda x: zyg.jvp(f, (x,), (1.0,))[1], POINT)[0],
    ), curvature)


def _compared(ways: tuple[Callable[[], object], ...], expected: object) -> Iterator[bool | None]:
    for way in ways:
        try:
            found = way()
        except (zyg.NotDifferentiable, zyg.UnsupportedSyntax):
            yield None
        else:
            yield found == expected
