"""Second derivatives of a row of the tables by the compiler, the tracker and the tape.

Each differentiates the same number: the sum of all first derivatives of sum(seed * callee(*args))
with fixed weights. What comes out is compared argument by argument, and along one direction with
differences of first derivatives. Products of complex numbers count by their real parts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import zyg
from tests.compiled_row import leaves_of, slopes_of
from tests.rule_check import is_single, moved, noise, rebuilt
from tests.rule_row import Row
from zyg import tape, tracker
from zyg.errors import NotDifferentiable
from zyg.tape import recording as of_tape
from zyg.tape.wrappers import Wrapper
from zyg.tracker import recording as of_tracker
from zyg.tracker.graph import TrackedValue, tracked_in

STEP = 1e-6


class Derivatives(NamedTuple):
    """By each number or array that has one; the tracker's first ones have a test of their own."""

    first: list[Any] | None
    second: list[Any]


@dataclass(frozen=True)
class Refusal:
    """Rows whose second derivative some of the systems refuse, with the error's message."""

    start: str
    systems: str
    message: str
    count: int = 1

    def holds_for(self, row: Row) -> bool:
        return str(row).startswith(self.start)


def tracked_arguments(args: Any) -> Any:
    """Arguments with a parameter for each array or number of floats that they hold."""
    return structural(args, lambda x: tracker.param(x) if is_leaf(x) else x)


def inputs(t: tape.Tape, args: Any) -> Any:
    """Arguments with an input of the tape for each array or number of floats that they hold."""
    return structural(args, lambda x: t.input(x) if is_leaf(x) else x)


def structural(x: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same lists and tuples of other leaves; a dict is one leaf, which has no derivative."""
    if isinstance(x, (list, tuple)):
        return rebuilt(x, [structural(item, leaf) for item in x])
    return leaf(x)


def is_leaf(x: Any) -> bool:
    return next(leaves_of(x), None) is not None


def seeds_for(y: Any) -> Any:
    """Fixed random weights of the numbers in a result, None for what has no derivative."""
    random = np.random.default_rng(3)
    return structural(y, lambda x: noise(x, random) if is_leaf(x) else None)


def seeded(y: Any, seed: Any, cls: type) -> Iterator[tuple[Any, Any]]:
    """The tracked or recorded values in a result, each with its weights."""
    if isinstance(y, (list, tuple)):
        for item, part in zip(y, seed, strict=True):
            yield from seeded(item, part, cls)
    elif isinstance(y, cls) and seed is not None:
        yield y, seed


def weights_of(leaves: list[Any]) -> list[Any]:
    """The weights of first derivatives, for each number or array that has one."""
    return [
        type_kept(x, np.cos(np.arange(np.size(x)) + i).reshape(np.shape(x)))
        for i, x in enumerate(leaves)
    ]


def type_kept(x: Any, weights: np.ndarray) -> Any:
    weights = weights.astype(np.result_type(x))
    return weights if isinstance(x, np.ndarray) else type(x)(weights[()])


def weighted_sum(grads: list[Any], weights: list[Any]) -> Any:
    terms = [
        np.sum(np.real(np.conj(w) * g)) if np.iscomplexobj(w) else np.sum(np.real(w * g))
        for g, w in zip(grads, weights, strict=True)
    ]
    return sum(terms[1:], terms[0])


def by_compiler(row: Row, seed: Any) -> Derivatives:
    """Reverse mode over reverse mode of a program that makes the row's call."""
    slopes = slopes_of(row, seed)
    if slopes is None:
        zeros = [zyg.cotangents.cotangent.zeros_like(x) for x in leaves_of(row.args)]
        return Derivatives(zeros, zeros)
    args = tuple(x for x in row.args if is_leaf(x))
    slopes_here, back = zyg.pullback(slopes, *args)
    weights = iter(weights_of(list(leaves_of(args))))
    bars = back(structural(args, lambda x: next(weights) if is_leaf(x) else None))
    return Derivatives(of_leaves(slopes_here, args), of_leaves(bars, args))


def of_leaves(bars: Any, args: Any) -> list[Any]:
    return [bar for x, bar in zip(flat(args), flat(bars), strict=True) if is_leaf(x)]


def flat(x: Any) -> Iterator[Any]:
    if isinstance(x, (list, tuple)):
        for item in x:
            yield from flat(item)
    else:
        yield x


def recorded_by(system: Any, row: Row) -> Any:
    """The row's call, recorded; of a test's function around those of SciPy, the calls in it."""
    if str(row).startswith("tests."):
        return system.REBINDING.rebound(row.callee)
    record = tracker.track if system is of_tracker else tape.record
    return functools.partial(record, row.callee)


def first_by_tracker(row: Row, args: Any, seed: Any) -> tuple[Any, list[Any]]:
    """The tracked sum of the first derivatives, and the parameters."""
    leaves = list(tracked_in(args))
    y = recorded_by(of_tracker, row)(*args, **row.kwargs)
    weights = weights_of([x.data for x in leaves])
    total: Any = 0.0
    for item, part in seeded(y, seed, TrackedValue):
        _, back = tracker.forward(lambda item=item: item, tracker.Params(leaves))
        grads = back(part)
        total = total + weighted_sum([grads[x] for x in leaves], weights)
    return total, leaves


def by_tracker(row: Row, seed: Any) -> Derivatives:
    total, leaves = first_by_tracker(row, tracked_arguments(row.args), seed)
    for x in leaves:
        x.grad = zyg.cotangents.cotangent.zeros_like(x.data)
    if isinstance(total, TrackedValue):
        tracker.back(total, 1)
    return Derivatives(None, [x.grad for x in leaves])


def by_tape(row: Row, seed: Any) -> Derivatives:
    """The adjoint program of the adjoint program."""
    t = tape.Tape()
    y = recorded_by(of_tape, row)(*inputs(t, row.args), **row.kwargs)
    values = [t.values[idx] for idx in t.inputs]
    pairs = list(seeded(y, seed, Wrapper))
    if not pairs:
        zeros = [zyg.cotangents.cotangent.zeros_like(x) for x in values]
        return Derivatives(zeros, zeros)
    t.outputs = [item.idx for item, _ in pairs]
    grads = tape.append_adjoint(t, [part for _, part in pairs])
    total = weighted_sum(list(grads), weights_of(values))
    t.outputs = [total.idx]
    bars = tape.append_adjoint(t, [np.ones(np.shape(total))[()]])
    return Derivatives([bar.val for bar in grads], [bar.val for bar in bars])


def assert_close(row: Row, found: list[Any], expected: list[Any]) -> None:
    """Raises AssertionError where two systems give different second derivatives."""
    tolerance = 1e-3 if is_single_anywhere(row) else 1e-8
    for bar, other in zip(found, expected, strict=True):
        assert np.shape(bar) == np.shape(other)
        size = np.max(np.abs(np.where(np.isfinite(other), other, 0.0)), initial=1.0)
        np.testing.assert_allclose(bar, other, rtol=tolerance, atol=tolerance * size)


def is_single_anywhere(row: Row) -> bool:
    """Whether single precision is among the arguments, or the results."""
    return any(is_single(x) for x in leaves_of((*row.args, row.call(*row.args))))


def check_differences(row: Row, seed: Any, found: list[Any]) -> None:
    """Differences of the first derivatives, along one direction, in double precision."""
    sums = []
    directions = [
        type_kept(x, np.cos(np.arange(np.size(x)) * 3.0 + i).reshape(np.shape(x)))
        for i, x in enumerate(leaves_of(row.args))
    ]
    for sign in (1.0, -1.0):
        along = iter(directions)
        direction = structural(row.args, lambda x, a=along: next(a) if is_leaf(x) else None)
        args = tracked_arguments(moved(row.args, direction, sign * STEP))
        total = first_by_tracker(row, args, seed)[0]
        sums.append(float(tracker.data(total)))
    expected = (sums[0] - sums[1]) / (2 * STEP)
    pairs = zip(found, directions, strict=True)
    along = sum(float(np.sum(np.real(np.conj(d) * bar))) for bar, d in pairs)
    size = sum(float(np.sum(np.abs(bar))) for bar in found)
    assert abs(along - expected) <= 1e-4 * (1 + size + abs(expected)), (along, expected)


SYSTEMS = {"compiler": by_compiler, "tracker": by_tracker, "tape": by_tape}


def check_second_derivatives(
    row: Row, refusals: tuple[Refusal, ...], is_at_edge: bool = False
) -> None:
    """All systems give the same and what differences give, or refuse what they are said to."""
    seed, found = seeds_for(row.call(*row.args)), {}
    refused = [refusal for refusal in refusals if refusal.holds_for(row)]
    for name, system in SYSTEMS.items():
        messages = [refusal.message for refusal in refused if name in refusal.systems.split()]
        if messages:
            with pytest.raises(NotDifferentiable, match=messages[0]):
                system(row, seed)
        else:
            found[name] = system(row, seed)
    results = list(found.values())
    for result in results[1:]:
        assert_close(row, result.second, results[0].second)
        if result.first is not None and results[0].first is not None:
            assert_close(row, result.first, results[0].first)
    if "tracker" in found and not is_single_anywhere(row) and not is_at_edge:
        check_differences(row, seed, results[0].second)


def check_refusals(rows: list[Row], refusals: tuple[Refusal, ...]) -> None:
    """As many rows are refused as is said: one that a rule has learnt is taken off the list."""
    for refusal in refusals:
        assert sum(map(refusal.holds_for, rows)) == refusal.count, refusal
