"""One set of rules: every row of the table through the compiler, the tracker and the tape.

Same value, same gradient, same second derivative; the latter also against differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zyg
from tests import rule_rows_composites
from tests.rule_check import noise, structural
from tests.rule_row import Row
from tests.rule_table import ROWS
from tests.second_derivatives import (
    Refusal,
    check_refusals,
    check_second_derivatives,
    inputs,
    leaves_of,
    tracked_arguments,
)
from zyg import tape, tracker
from zyg.cotangents import cotangent
from zyg.errors import NotDifferentiable
from zyg.tape.plain_walk import ConsumingWalk
from zyg.tape.wrappers import Wrapper
from zyg.tape.wrappers import plain as unwrapped
from zyg.tracker.graph import TrackedValue, plain, tracked_in

pytestmark = pytest.mark.thorough

ALL = (*ROWS, *rule_rows_composites.ROWS)
# Rows without an argument of floats, and what else a system refuses; a system that stops to refuse
# one has its line removed.
CONSTANT = [row for row in ALL if not any(True for _ in leaves_of(row.args))]
VARIED = [row for row in ALL if any(True for _ in leaves_of(row.args))]


AGAIN = "would give a plain number|undifferentiable primitive"
REFUSED_TWICE = (
    # Methods of plain arrays, lists of tracked numbers in ufuncs, conversions by classes of NumPy:
    # `track` and `record` have the rule, but it can't be run on wrapped values.
    Refusal("numpy.float32(", "tracker tape", AGAIN, 3),
    Refusal("numpy.float64(", "tracker tape", AGAIN, 3),
    Refusal("numpy.complex64(", "tracker tape", AGAIN, 3),
    Refusal("numpy.complex128(", "tracker tape", AGAIN, 3),
    Refusal("numpy.ndarray.dot(int64[2, 3], float64[3])", "tracker tape", AGAIN),
)


# Beside these arguments the function is not defined, so that there are no differences.
AT_EDGE = (
    "_operator.pow(float:0.0, float:3.0)", "builtins.pow(float:0.0, float:3.0)",
    "math.pow(float:0.0, float:2.0)", "math.pow(float:0.0, float:1.0)",
)


def seeded(y: Any, seed: Any) -> list[tuple[Any, Any]]:
    """The values of a tape in a result, each with its sensitivity."""
    if isinstance(y, (list, tuple)):
        return [pair for item, part in zip(y, seed, strict=True) for pair in seeded(item, part)]
    return [(y, seed)] if isinstance(y, Wrapper) and seed is not None else []


def appended(t: tape.Tape, pairs: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """The gradients of these results, appended to the tape."""
    t.outputs = [y.idx for y, _ in pairs]
    return tape.append_adjoint(t, [seed for _, seed in pairs])


def back_through(y: Any, seed: Any) -> None:
    """One sensitivity for each of several results."""
    if isinstance(y, (list, tuple)):
        for item, part in zip(y, seed, strict=True):
            back_through(item, part)
    elif seed is not None:
        tracker.back(y, seed)


def check_same(args: Any, expected: Any) -> None:
    """The gradients that parameters have collected, against those of the compiler."""
    if isinstance(args, (list, tuple)):
        if expected is not None:
            for x, bar in zip(args, expected, strict=True):
                check_same(x, bar)
    elif isinstance(args, TrackedValue):
        check_close(args.grad, expected)


def check_close(found: Any, expected: Any) -> None:
    assert np.shape(found) == np.shape(expected)
    assert np.result_type(found) == np.result_type(expected)
    is_single = np.result_type(expected) in (np.float32, np.complex64)
    tolerance = 2e-5 if is_single else 1e-9
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def check_tape(row: Row, seed: Any, args: Any) -> None:
    """The value on a tape, and the gradients, against those that parameters have collected.

    Once by the rule, and once by what a trace of it for other values has left.
    """
    check_plain_walk(row, seed, args)
    check_close_on_tape(row, row.args, seed, args)
    moved = structural(row.args, moved_leaf)
    for _ in range(2):  # rules are traced when they are asked for again
        gradients_on_tape(row, moved, seed)
    check_close_on_tape(row, row.args, seed, args)


def check_plain_walk(row: Row, seed: Any, args: Any) -> None:
    """The way of `tape.gradient`: the back functions that rules gave when calls were recorded."""
    t = tape.Tape()
    t.backs = {}
    y = tape.record(row.callee, *inputs(t, row.args), **row.kwargs)
    assert_close(unwrapped(y), row.call(*row.args))
    pairs = seeded(y, seed)
    values = [t.values[idx] for idx in t.inputs]
    bars = ConsumingWalk(t, t.inputs).run({item.idx: part for item, part in pairs})
    for x, idx, value in zip(tracked_in(args), t.inputs, values, strict=True):
        if pairs:
            check_close(cotangent.project(bars.get(idx), value), x.grad)


def check_close_on_tape(row: Row, values: Any, seed: Any, args: Any) -> None:
    bars = gradients_on_tape(row, values, seed)
    for x, bar in zip(tracked_in(args), bars, strict=True):
        check_close(bar.val, x.grad)


def moved_leaf(x: Any) -> Any:
    is_inexact = isinstance(x, (float, complex, np.ndarray, np.inexact)) and (
        np.result_type(x).kind in "fc"
    )
    if not is_inexact:
        return x
    return np.asarray(x * 0.99) if isinstance(x, np.ndarray) else type(x)(x * 0.99)


def gradients_on_tape(row: Row, values: Any, seed: Any) -> list[Any]:
    """The gradients for all inputs; sensitivities stand on the tape as well."""
    t = tape.Tape()
    y = tape.record(row.callee, *inputs(t, values), **row.kwargs)
    if values is row.args:
        assert_close(unwrapped(y), row.call(*row.args))
    count, pairs = len(t.inputs), seeded(y, seed)
    if not pairs:
        return [t.input(cotangent.zeros_like(t.values[idx])) for idx in list(t.inputs)]
    return list(appended(t, [(y, t.input(part)) for y, part in pairs])[:count])


@pytest.mark.parametrize("row", ALL, ids=str)
def test_value_and_gradient(row: Row) -> None:
    callee, kwargs = row.callee, row.kwargs
    function = (lambda *xs: callee(*xs, **kwargs)) if callable(callee) else row.call
    args = tracked_arguments(row.args)
    y = tracker.track(callee, *args, **kwargs)
    assert_close(plain(y), row.call(*row.args))
    seed = noise(plain(y), np.random.default_rng(1))
    back_through(y, seed)
    if not callable(callee):
        _, back = zyg.rules.registry.rule_of(callee)(*row.args)
    else:
        compiled, back = zyg.pullback(function, *row.args)
        assert_close(compiled, row.call(*row.args))
    bars = back(seed)
    if not callable(callee):
        bars = bars if isinstance(bars, tuple) else (bars,)
        bars = tuple(map(cotangent.project, bars, row.args))
    check_same(args, bars)
    check_tape(row, seed, args)


def assert_close(a: Any, b: Any) -> None:
    """Results of substitutes may differ in the last digit."""
    if isinstance(a, (list, tuple)):
        for p, q in zip(a, b, strict=True):
            assert_close(p, q)
    elif isinstance(a, (float, complex, np.number, np.ndarray)):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-5 if np.result_type(b).itemsize < 8 else 1e-12)
    else:
        assert a == b


@pytest.mark.parametrize("row", ALL, ids=str)
def test_rules_run_on_tracked_values(row: Row) -> None:
    """`forward` runs each rule on tracked values: same gradients, which are tracked again."""
    args = tracked_arguments(row.args)
    leaves = list(dict.fromkeys(tracked_in(args)))
    y = tracker.track(row.callee, *args, **row.kwargs)
    results = list(tracked_in(y))
    for item in results:
        seed = noise(item.data, np.random.default_rng(2))
        _, back = tracker.forward(lambda item=item: item, tracker.Params(leaves))
        if any(refusal.holds_for(row) for refusal in REFUSED_TWICE):
            with pytest.raises(NotDifferentiable, match=AGAIN):
                back(seed)
            continue
        grads = back(seed)
        for x in leaves:
            x.grad = cotangent.zeros_like(x.data)
        tracker.back(item, seed)
        for x in leaves:
            is_single = np.result_type(x.data) in (np.float32, np.complex64)
            tolerance = 1e-4 if is_single else 1e-9
            found = plain(grads[x])
            np.testing.assert_allclose(found, x.grad, rtol=tolerance, atol=tolerance)


# A list without items has no adjoint program; a power of Python's numbers that becomes complex, and
# one that is no number, depend on what the exponent is.
WITHOUT_ADJOINT = ("_operator.mul([float:0.5], int:0)",)
NOT_REPLAYED = (
    "_operator.pow(float:1.5, complex:(1-1j))", "builtins.pow(float:1.5, complex:(1-1j))",
    "math.pow(float:0.0, float:1.0)",
)


@pytest.mark.parametrize("row", VARIED, ids=str)
def test_replay(row: Row) -> None:
    """A tape with its adjoint, printed and run with other numbers, as one that is recorded anew."""
    t, bars = on_new_tape(row, row.args, None)
    assert bool(bars) == (str(row) not in WITHOUT_ADJOINT)
    if not bars:
        return
    xs = [t.values[idx] for idx in t.inputs]
    for found, expected in zip(several(tape.replay(t, *xs)), bars, strict=True):
        assert type(found) is type(expected)
        check_close(found, expected)
    moved = structural(row.args, moved_leaf)
    _, anew = on_new_tape(row, moved, t)
    numbers = list(leaves_of(moved))
    if str(row) in NOT_REPLAYED:
        with pytest.raises(tape.TapeMismatch):
            tape.replay(t, *numbers, *xs[len(numbers) :])
        return
    again = several(tape.replay(t, *numbers, *xs[len(numbers) :]))
    for found, expected in zip(again, anew, strict=True):
        check_close(found, expected)


def several(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def on_new_tape(row: Row, values: Any, seeds: Any) -> tuple[tape.Tape, list[Any]]:
    """A tape with the gradients of a call, and these; sensitivities are those of another tape."""
    t = tape.Tape()
    y = tape.record(row.callee, *inputs(t, values), **row.kwargs)
    count = len(t.inputs)
    pairs = seeded(y, noise(unwrapped(y), np.random.default_rng(5)))
    if not pairs:
        return t, []
    if seeds is not None:
        given = [seeds.values[idx] for idx in seeds.inputs[count:]]
        pairs = [(item, seed) for (item, _), seed in zip(pairs, given, strict=True)]
    bars = appended(t, [(item, t.input(seed)) for item, seed in pairs])
    return t, [bar.val for bar in bars]


def test_rows_refused_twice() -> None:
    check_refusals(VARIED, REFUSED_TWICE)
    assert set(AT_EDGE) <= set(map(str, VARIED))
    assert len(CONSTANT) == 113


@pytest.mark.parametrize("row", VARIED, ids=str)
def test_second_derivatives(row: Row) -> None:
    """The same by all three, and by differences of first derivatives."""
    check_second_derivatives(row, REFUSED_TWICE, is_at_edge=str(row) in AT_EDGE)


MIXED = [row for row in ALL if sum(isinstance(x, np.ndarray) for x in row.args) > 1]


@pytest.mark.parametrize("row", MIXED, ids=str)
def test_plain_arrays_beside_tracked_ones(row: Row) -> None:
    """The gradient of one argument is the same, whether the others are tracked or not."""
    together = tracked_arguments(row.args)
    y = tracker.track(row.callee, *together, **row.kwargs)
    seed = noise(plain(y), np.random.default_rng(4))
    back_through(y, seed)
    for i, x in enumerate(together):
        if isinstance(x, TrackedValue):
            alone = tracker.param(row.args[i])
            args = (*row.args[:i], alone, *row.args[i + 1 :])
            back_through(tracker.track(row.callee, *args, **row.kwargs), seed)
            check_same(alone, x.grad)
