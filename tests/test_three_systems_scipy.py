"""The rules of SciPy through the compiler, the tracker and the tape; what two of them refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zyg
from zyg import tape, tracker
from zyg.errors import NotDifferentiable
from zyg.rules import registry

pytest.importorskip("scipy")

from tests import (
    rule_rows_scipy_linalg,
    rule_rows_scipy_signal,
    rule_rows_special,
    rule_rows_stats,
)
from tests.rule_check import noise
from tests.rule_row import Row
from tests.second_derivatives import (
    Refusal,
    check_refusals,
    check_second_derivatives,
    inputs,
    leaves_of,
    tracked_arguments,
)
from tests.test_three_systems import (
    appended,
    back_through,
    check_close,
    check_same,
    check_tape,
    seeded,
)
from zyg.tape import recording as of_tape
from zyg.tracker import recording as of_tracker
from zyg.tracker.graph import has_tracked, plain, tracked_in

pytestmark = pytest.mark.thorough

registry.register_imported()
ROWS = [
    *rule_rows_scipy_linalg.solutions(), *rule_rows_scipy_linalg.banded(),
    *rule_rows_scipy_linalg.equations(), *rule_rows_scipy_linalg.matrices(),
    *rule_rows_scipy_linalg.factorisations(), *rule_rows_scipy_linalg.composites(),
    *rule_rows_scipy_signal.transforms(), *rule_rows_scipy_signal.convolutions(),
    *rule_rows_scipy_signal.filters(),
    *rule_rows_special.of_one(), *rule_rows_special.of_several(),
    *rule_rows_special.of_one_more(),
]  # fmt: skip


def is_function_of_scipy(row: Row) -> bool:
    callee = row.callee
    return registry.rule_of(callee) is not None or registry.substitute_of(callee) is not None


KNOWN = [row for row in ROWS if is_function_of_scipy(row)]


def expected_bars(row: Row, seed: Any) -> Any:
    """The gradients by the rule itself; by the compiler, where there is a substitute only."""
    rule = registry.rule_of(row.callee)
    if rule is None or registry.substitute_of(row.callee) is not None:
        return zyg.pullback(lambda *xs: row.callee(*xs, **row.kwargs), *row.args)[1](seed)
    bars = rule(*row.args, **row.kwargs)[1](seed)
    bars = bars if isinstance(bars, tuple) else (bars,)
    bars = (*bars, *(None,) * (len(row.args) - len(bars)))
    return tuple(map(zyg.cotangents.cotangent.project, bars, row.args))


@pytest.mark.parametrize("row", KNOWN, ids=str)
def test_value_and_gradient(row: Row) -> None:
    args = tracked_arguments(row.args)
    y = tracker.track(row.callee, *args, **row.kwargs)
    seed = noise(plain(y), np.random.default_rng(1))
    back_through(y, seed)
    check_same(args, expected_bars(row, seed))
    check_tape(row, seed, args)


PAIRS = [*rule_rows_stats.as_methods()]
SECOND = [*ROWS, *[method for _, method in PAIRS]]
REFUSED_TWICE = (
    # The tracker runs the factorisation once more: the phases of both matter, if not of their sum.
    Refusal("tests.rule_rows_scipy_linalg.eigenvectors(complex", "tracker", "depends on the phase",
            2),
)


@pytest.mark.parametrize("row", SECOND, ids=str)
def test_second_derivatives(row: Row) -> None:
    """The same by all three, and by differences of first derivatives."""
    check_second_derivatives(row, REFUSED_TWICE)


def test_rows_refused_twice() -> None:
    check_refusals(SECOND, REFUSED_TWICE)
    assert all(next(leaves_of(row.args), None) is not None for row in SECOND)


# Functions around those of SciPy, whose calls the wrappers can't see


AROUND = [row for row in ROWS if not is_function_of_scipy(row)]


@pytest.mark.parametrize("row", AROUND, ids=str)
def test_functions_around_those_of_scipy(row: Row) -> None:
    """Called as they are they raise; with their calls recorded they are as the compiler's code."""
    for args in (tracked_arguments(row.args), recorded_arguments(row)):
        with pytest.raises(NotDifferentiable, match=r"call it by (tracker.track|tape.record)"):
            row.callee(*args, **row.kwargs)
    args = tracked_arguments(row.args)
    y = of_tracker.REBINDING.rebound(row.callee)(*args, **row.kwargs)
    seed = noise(plain(y), np.random.default_rng(1))
    back_through(y, seed)
    expected = expected_bars(row, seed)
    check_same(args, expected)
    t = tape.Tape()
    given = inputs(t, row.args)
    y = of_tape.REBINDING.rebound(row.callee)(*given, **row.kwargs)
    bars = appended(t, [(one, t.input(part)) for one, part in seeded(y, seed)])
    inexact = [bar for x, bar in zip(args, expected, strict=True) if tracker.istracked(x)]
    for found, bar in zip(bars, inexact, strict=False):
        check_close(found.val, bar)


def recorded_arguments(row: Row) -> Any:
    t = tape.Tape()
    return [t.input(x) if np.result_type(x).kind in "fc" else x for x in row.args]


@pytest.mark.parametrize("row", [*rule_rows_special.with_parameters()], ids=str)
def test_parameters_without_derivative(row: Row) -> None:
    """The last argument has one; of the others, both ask when it is wanted."""
    *parameters, x = row.args
    # Of complex values, both parts count.
    weight = 0.3 - 0.7j if np.iscomplexobj(row.call(*row.args)) else 1.0

    def value(call: Any, *args: Any) -> Any:
        return np.sum(np.real(weight * call(row.callee, *args, **row.kwargs)))

    (found,) = tape.gradient(lambda x: value(tape.record, *parameters, x), x)
    slope = np.real(weight * (row.call(*parameters, x + 1e-5) - row.call(*parameters, x - 1e-5)))
    np.testing.assert_allclose(found, slope / 2e-5, rtol=1e-6)
    leaf = tracker.param(x)
    tracker.back(value(tracker.track, *parameters, leaf), 1)
    check_close(found, leaf.grad)
    first, *others = row.args
    if isinstance(first, float):
        with pytest.raises(NotDifferentiable, match="has no derivative in"):
            tracker.back(value(tracker.track, tracker.param(first), *others), 1)
        with pytest.raises(NotDifferentiable, match="has no derivative in"):
            tape.gradient(lambda v: value(tape.record, v, *others), first)


@pytest.mark.parametrize(("row", "method"), PAIRS, ids=[str(row) for row, _ in PAIRS])
def test_methods_of_distributions(row: Row, method: Row) -> None:
    """A method through all three; the compiler has a gradient of each number in `row` alone."""
    args = tracked_arguments(method.args)
    y = tracker.track(method.callee, *args, **method.kwargs)
    seed = noise(plain(y), np.random.default_rng(1))
    back_through(y, seed)
    expected = [
        bar for x, bar in zip(row.args, expected_bars(row, seed), strict=True)
        if has_tracked(tracked_arguments(x))
    ]
    for x, bar in zip(tracked_in(args), expected, strict=True):
        check_close(x.grad, bar)
    check_tape(method, seed, args)
