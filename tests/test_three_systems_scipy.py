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

from scipy import stats

from tests import rule_rows_scipy_linalg, rule_rows_scipy_signal, rule_rows_special
from tests.rule_check import noise
from tests.rule_row import Row
from tests.test_three_systems import (
    back_through,
    check_close,
    check_same,
    check_tape,
    first_order,
    is_regular,
    second_on_tape,
    tracked_arguments,
)
from zyg.tracker.graph import TrackedValue, plain, tracked_in

pytestmark = pytest.mark.thorough

registry.register_imported()
ROWS = [
    *rule_rows_scipy_linalg.solutions(), *rule_rows_scipy_linalg.banded(),
    *rule_rows_scipy_linalg.equations(), *rule_rows_scipy_linalg.matrices(),
    *rule_rows_scipy_linalg.factorisations(), *rule_rows_scipy_linalg.composites(),
    *rule_rows_scipy_signal.transforms(), *rule_rows_scipy_signal.convolutions(),
    *rule_rows_scipy_signal.filters(),
    *rule_rows_special.of_one(), *rule_rows_special.of_several(),
    *rule_rows_special.composites(),
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
    return tuple(map(zyg.cotangent.project, bars, row.args))


@pytest.mark.parametrize("row", KNOWN, ids=str)
def test_value_and_gradient(row: Row) -> None:
    args = tracked_arguments(row.args)
    y = tracker.track(row.callee, *args, **row.kwargs)
    seed = noise(plain(y), np.random.default_rng(1))
    back_through(y, seed)
    check_same(args, expected_bars(row, seed))
    check_tape(row, seed, args)


@pytest.mark.parametrize(
    "row", [row for row in KNOWN if is_regular(row, tracked_arguments(row.args))], ids=str
)
def test_second_derivatives(row: Row) -> None:
    args = tracked_arguments(row.args)
    values = list(tracked_in(tracker.track(row.callee, *args, **row.kwargs)))
    if any(np.iscomplexobj(y.data) for y in values):
        return  # their first derivatives are real parts
    seeds = [noise(y.data, np.random.default_rng(3)) for y in values]
    try:
        total, leaves = first_order(row, args, seeds)
        for x in leaves:
            x.grad = zyg.cotangent.zeros_like(x.data)
        if isinstance(total, TrackedValue):
            tracker.back(total)
    except NotDifferentiable:
        with pytest.raises(NotDifferentiable):
            second_on_tape(row, seeds)
        return
    found = sum([float(np.sum(x.grad * (1.0 + 0.1 * i))) for i, x in enumerate(leaves)])
    assert second_on_tape(row, seeds) == pytest.approx(found, rel=1e-8, abs=1e-8)


# Why the other rows are refused by tracker and tape.


@pytest.mark.parametrize("row", [row for row in ROWS if not is_function_of_scipy(row)], ids=str)
def test_functions_around_those_of_scipy(row: Row) -> None:
    """SciPy converts its arguments, which no wrapper can see: `track` and `record` are for that."""
    for args in (tracked_arguments(row.args), recorded_arguments(row)):
        with pytest.raises(NotDifferentiable, match=r"np.asarray\(x\)"):
            row.callee(*args, **row.kwargs)


def recorded_arguments(row: Row) -> Any:
    t = tape.Tape()
    return [t.input(x) if np.result_type(x).kind in "fc" else x for x in row.args]


@pytest.mark.parametrize("row", [*rule_rows_special.with_parameters()], ids=str)
def test_parameters_without_derivative(row: Row) -> None:
    """The last argument has one; of the others, the tape asks when it is wanted,
    the tracker whenever one is a float."""
    *parameters, x = row.args
    first, callee = row.args[0], row.callee
    (found,) = tape.gradient(lambda x: np.sum(tape.record(callee, *parameters, x)), x)
    above, below = callee(*parameters, x + 1e-5), callee(*parameters, x - 1e-5)
    np.testing.assert_allclose(found, (above - below) / 2e-5, rtol=1e-6)
    leaf = tracker.param(x)
    y = tracker.track(callee, *parameters, leaf)
    if not isinstance(parameters[0], float):
        tracker.back(y, 1)
        check_close(found, leaf.grad)
        return
    with pytest.raises(NotDifferentiable, match="has no derivative in"):
        tracker.back(y, 1)
    with pytest.raises(NotDifferentiable, match="has no derivative in"):
        tape.gradient(lambda v: np.sum(tape.record(callee, v, *row.args[1:])), first)


def test_methods_of_distributions() -> None:
    """Bound methods have no rule; the compiler writes their formulas out."""
    for refusing in (
        lambda: tracker.track(stats.norm.logpdf, tracker.param(0.5)),
        lambda: tape.trace(lambda x: tape.record(stats.norm.logpdf, x), 0.5),
        lambda: tape.trace(stats.norm.logpdf, 0.5),
    ):
        with pytest.raises(NotDifferentiable):
            refusing()
