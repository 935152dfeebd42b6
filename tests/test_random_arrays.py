"""Random programs through compiler, tracker and tape: one value, one gradient, one second one.

The tracker and the tape share the rules with the compiler, but neither inference nor reversal;
differences share nothing with any of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zyg
from tests.random_arrays import inputs, random_program
from zyg import tape, tracker

COUNT = 80
STEP = 1e-6


def slope_by_differences(f: Any, args: tuple[Any, ...], direction: tuple[Any, ...]) -> list[float]:
    """The slope from both sides, which are equal where there is no kink close by."""
    at = [
        f(*[x + k * STEP * d for x, d in zip(args, direction, strict=True)]) for k in (-1, 0, 1)
    ]
    return [(at[1] - at[0]) / STEP, (at[2] - at[1]) / STEP]


def along(gradients: Any, direction: tuple[Any, ...]) -> float:
    parts = zip(gradients, direction, strict=True)
    return float(sum(np.sum(tracker.data(g) * d) for g, d in parts))


def assert_equal(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(tracker.data(a), b, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(COUNT))
def test_gradients(seed: int) -> None:
    f, args, direction = random_program(seed), inputs(seed), inputs(seed + 1000)
    expected = zyg.gradient(f, *args)
    left, right = slope_by_differences(f, args, direction)
    if abs(left - right) < 1e-3 * (1 + abs(left)):
        assert along(expected, direction) == pytest.approx((left + right) / 2, rel=1e-4, abs=1e-4)
    assert_equal(tracker.gradient(f, *args), expected)
    assert_equal(tape.gradient(f, *args), expected)

    parameters = [tracker.param(x) for x in args]
    loss = f(*parameters)
    assert tracker.data(loss) == pytest.approx(f(*args), rel=1e-12, abs=1e-12)
    for times in (1, 2):  # leaves accumulate
        tracker.back(loss)
        assert_equal([x.grad for x in parameters], [times * g for g in expected])

    t = tape.trace(f, *args)
    tape.append_adjoint(t)
    assert_equal(tape.replay(t, *args), expected)
    assert_equal(tape.replay(tape.without_dead_nodes(t), *args), expected)
    others = tuple(x + 1e-3 * d for x, d in zip(args, direction, strict=True))
    try:
        again = tape.replay(t, *others)
    except tape.TapeMismatch:
        return
    assert_equal(again, zyg.gradient(f, *others))


@pytest.mark.parametrize("seed", range(COUNT))
def test_second_derivatives(seed: int) -> None:
    """The product of the Hessian with a vector, by all three."""
    f, args, direction = random_program(seed), inputs(seed), inputs(seed + 1000)

    def slope(gradient: Any) -> Any:
        def along_direction(*xs: Any) -> Any:
            bars = gradient(*xs)
            return sum(np.sum(g * d) for g, d in zip(bars, direction, strict=True))

        return along_direction

    by_tracker = tracker.gradient(
        slope(lambda *xs: tracker.gradient(f, *xs, nest=True)), *args, nest=True
    )
    t = tape.trace(f, *args)
    tape.append_adjoint(t)
    by_tape = [x.val for x in tape.append_adjoint(t, list(direction))]
    assert_equal(by_tracker, by_tape)
    assert_equal(tape.gradient(slope(lambda *xs: tape.gradient(f, *xs)), *args), by_tape)
    if seed % 8 == 0:  # the compiler takes a second for each
        assert_equal(zyg.gradient(lambda n, v, a: slope(lambda *xs: zyg.gradient(f, *xs))(n, v, a),
                                  *args), by_tape)  # fmt: skip
