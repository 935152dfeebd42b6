"""One set of rules: every row of the table through the compiler, the tracker and the tape.

Same value, same gradient, same second derivative; the latter also against differences.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import zyg
from tests import rule_rows_composites
from tests.rule_check import noise, structural
from tests.rule_row import Row
from tests.rule_table import ROWS
from zyg import tape, tracker
from zyg.errors import NotDifferentiable
from zyg.tape.plain_walk import ConsumingWalk
from zyg.tape.wrappers import Wrapper
from zyg.tape.wrappers import plain as unwrapped
from zyg.tape.wrappers import wrappers_in as on_tape
from zyg.tracker.graph import TrackedValue, plain, tracked_in

ALL = (*ROWS, *rule_rows_composites.ROWS)
# Methods of plain arrays, lists of tracked numbers in ufuncs, conversions by classes of NumPy:
# `track` has the rule, but the rule can't do it again with tracked values, which raises.
# On the tape their back functions are single operations.
ONCE = ("ndarray.dot(int64", "numpy.float", "numpy.complex", "arctan2(float64[2, 3], [float")


def tracked_arguments(args: Any) -> Any:
    """Arguments with a parameter for each array or number of floats that they hold."""
    if isinstance(args, (list, tuple)):
        items = [tracked_arguments(arg) for arg in args]
        return args._make(items) if hasattr(args, "_make") else type(args)(items)
    if isinstance(args, np.ndarray):
        return tracker.param(args) if args.dtype.kind in "fc" else args
    return tracker.param(args) if isinstance(args, (float, complex, np.inexact)) else args


def inputs(t: tape.Tape, args: Any) -> Any:
    """Arguments with an input of the tape for each array or number of floats that they hold."""
    if isinstance(args, (list, tuple)):
        items = [inputs(t, arg) for arg in args]
        return args._make(items) if hasattr(args, "_make") else type(args)(items)
    if isinstance(args, np.ndarray):
        return t.input(args) if args.dtype.kind in "fc" else args
    return t.input(args) if isinstance(args, (float, complex, np.inexact)) else args


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
    with contextlib.suppress(Exception):  # where the function is not defined there
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
            check_close(zyg.cotangent.project(bars.get(idx), value), x.grad)


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
        return [t.input(zyg.cotangent.zeros_like(t.values[idx])) for idx in list(t.inputs)]
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
        _, back = zyg.pullback(function, *row.args)
    bars = back(seed)
    if not callable(callee):
        bars = bars if isinstance(bars, tuple) else (bars,)
        bars = tuple(map(zyg.cotangent.project, bars, row.args))
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
        try:
            _, back = tracker.forward(lambda item=item: item, tracker.Params(leaves))
            grads = back(seed)
        except NotDifferentiable:
            assert any(name in str(row) for name in ONCE)
            continue
        for x in leaves:
            x.grad = zyg.cotangent.zeros_like(x.data)
        tracker.back(item, seed)
        for x in leaves:
            is_single = np.result_type(x.data) in (np.float32, np.complex64)
            tolerance = 1e-4 if is_single else 1e-9
            found = plain(grads[x])
            np.testing.assert_allclose(found, x.grad, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("row", ALL, ids=str)
def test_replay(row: Row) -> None:
    """A tape with its adjoint, printed and run with other numbers, as one that is recorded anew."""
    t, bars = on_new_tape(row, row.args, None)
    if not bars:
        return
    xs = [t.values[idx] for idx in t.inputs]
    for found, expected in zip(several(tape.replay(t, *xs)), bars, strict=True):
        assert type(found) is type(expected)
        check_close(found, expected)
    moved = structural(row.args, moved_leaf)
    try:
        _, anew = on_new_tape(row, moved, t)
    except Exception:
        return  # the function is not defined there
    numbers = list(leaves_of(moved))
    try:
        again = several(tape.replay(t, *numbers, *xs[len(numbers) :]))
    except tape.TapeMismatch:
        return
    for found, expected in zip(again, anew, strict=True):
        check_close(found, expected)


def several(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def leaves_of(args: Any) -> Iterator[Any]:
    """The arrays and numbers that `inputs` makes inputs."""
    if isinstance(args, (list, tuple)):
        for arg in args:
            yield from leaves_of(arg)
    elif isinstance(args, (float, complex, np.inexact, np.ndarray)):
        if np.result_type(args).kind in "fc":
            yield args


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


def first_order(row: Row, args: Any, seeds: Any) -> tuple[Any, list[Any]]:
    """The tracked gradients of a call, summed with fixed weights, and the parameters."""
    leaves = list(dict.fromkeys(tracked_in(args)))
    y = list(tracked_in(tracker.track(row.callee, *args, **row.kwargs)))
    total = 0.0
    for item, seed in zip(y, seeds, strict=True):
        _, back = tracker.forward(lambda item=item: item, tracker.Params(leaves))
        grads = back(seed)
        for i, x in enumerate(leaves):
            weights = np.reshape(np.cos(np.arange(np.size(x.data)) + i), np.shape(x))
            total = total + np.sum(grads[x] * weights)
    return total, leaves


def is_regular(row: Row, args: Any) -> bool:
    """Whether differences of first derivatives are good: real, double, not at a singular point."""
    if row.callee is np.linalg.det and row.args[0].ndim == 2 and abs(row.call(*row.args)) < 1e-9:
        return False
    if "pow(float:0.0" in str(row):
        return False
    kinds = {np.result_type(x.data) for x in tracked_in(args)}
    return kinds == {np.dtype(float)} and not any(name in str(row) for name in ONCE)


SECOND = [row for row in ALL if is_regular(row, tracked_arguments(row.args))]


def second_on_tape(row: Row, seeds: Any) -> float:
    """What `first_order` sums, differentiated along the direction of the test below."""
    t = tape.Tape()
    results = on_tape(tape.record(row.callee, *inputs(t, row.args), **row.kwargs))
    inexact = [y for y in results if np.result_type(y.val).kind in "fc"]
    if not inexact:
        return 0.0
    grads = appended(t, list(zip(inexact, seeds, strict=True)))
    total: Any = 0.0
    for i, g in enumerate(grads):
        total = total + np.sum(g * np.reshape(np.cos(np.arange(np.size(g)) + i), np.shape(g)))
    bars = appended(t, [(total, np.ones(np.shape(total))[()])])
    return sum([float(np.sum(bar.val * (1.0 + 0.1 * i))) for i, bar in enumerate(bars)])


@pytest.mark.parametrize("row", SECOND, ids=str)
def test_second_derivatives(row: Row) -> None:
    """Tape and tracker, and differences of first derivatives, along one direction."""
    args = tracked_arguments(row.args)
    values = list(tracked_in(tracker.track(row.callee, *args, **row.kwargs)))
    seeds = [noise(y.data, np.random.default_rng(3)) for y in values]
    if any(np.iscomplexobj(y.data) for y in values):
        return  # their first derivatives are real parts
    total, leaves = first_order(row, args, seeds)
    for x in leaves:
        x.grad = zyg.cotangent.zeros_like(x.data)
    if isinstance(total, TrackedValue):
        tracker.back(total)
    found = sum([float(np.sum(x.grad * (1.0 + 0.1 * i))) for i, x in enumerate(leaves)])
    assert second_on_tape(row, seeds) == pytest.approx(found, rel=1e-8, abs=1e-8)
    step, sums = 1e-6, []
    for sign in (1.0, -1.0):
        moved = tracked_arguments(row.args)
        for i, x in enumerate(dict.fromkeys(tracked_in(moved))):
            tracker.update(x, np.full(np.shape(x.data), sign * step * (1.0 + 0.1 * i)))
        sums.append(float(plain(first_order(row, moved, seeds)[0])))
    expected = (sums[0] - sums[1]) / (2 * step)
    assert abs(found - expected) <= 1e-4 * (1 + abs(found) + abs(expected))


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
