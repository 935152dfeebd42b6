"""Back propagation: sensitivities walk from a result to the leaves, each call being passed once.

`scan` counts the uses of every value between a result and the leaves. Then a sensitivity comes in
for each use; at the last one their sum goes to the back function of the call. Both walks are loops
with lists of their own: a chain of a million calls is as good as one of ten.

What leaves get is collected aside and added to their gradients at the end, so that an exception in
a back function leaves all gradients and counts as they were.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Set
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import accumulate, project, realness_of, zeros_like
from zyg.cotangents.cotangent_items import accumulate_at
from zyg.errors import ZygError
from zyg.tracker.graph import (
    TRACKED,
    USED,
    Call,
    Tracked,
    TrackedArray,
    TrackedReal,
    TrackedValue,
    data,
    has_tracked,
    tracked_in,
)
from zyg.tracker.recording import check_gradients, rule_on_tracked


class LossError(ZygError):
    """A loss that has no gradient: it is infinite, not a number, or no real scalar."""


def back(y: Any, delta: Any = None, once: bool = False) -> None:
    """Adds the gradients of `y` to those of all leaves that it was computed from.

    `delta` is the sensitivity of `y`: of its shape, or a number for all its items; 1 without it,
    unless `y` is complex. What isn't tracked is left alone. With `once`, calls are forgotten as
    they are passed, which frees what they hold; a second `back` through them raises.

    >>> from zyg.tracker import param
    >>> W, x = param([[1, 2], [3, 4]]), param([5, 6])
    >>> back(W @ x, [1, -1])
    >>> W.grad
    array([[ 5.,  6.],
           [-5., -6.]])
    """
    if not isinstance(y, TrackedValue):
        if has_tracked(y):
            raise TypeError(f"back takes one tracked value, not a {type(y).__name__} of them")
        return
    if isinstance(y, TrackedReal):
        check_finite(y.data)
    if delta is None:
        check_real(y.data)
        delta = 1
    root, sensitivity = y.tracker, seed(delta, y.data)
    del y
    for leaf, bar in propagated([root], sensitivity, frozenset(), False, once).items():
        leaf.grad = zeros_like(leaf.data) if leaf.grad is None else leaf.grad
        _add_to_leaf(leaf, bar)


def _add_to_leaf(leaf: Tracked, bar: Any) -> None:
    if bar is None:
        return
    bar = project(data(bar), leaf.data)
    if isinstance(leaf.grad, np.ndarray) and leaf.grad.flags.writeable:
        np.add(leaf.grad, bar, out=leaf.grad)
    else:
        leaf.grad = leaf.grad + bar


def check_finite(loss: Any) -> None:
    if cmath.isinf(loss):
        raise LossError("Loss is Inf")
    if cmath.isnan(loss):
        raise LossError("Loss is NaN")


def check_loss(y: Any) -> None:
    """Raises unless `y` is a finite real number, or an array of no dimensions that holds one."""
    value = data(y)
    if np.shape(value) != () or isinstance(value, (list, tuple, str)) or value is None:
        raise LossError("Function output is not scalar: use tracker.forward, or sum it")
    check_real(value)
    check_finite(float(value))


def check_real(value: Any) -> None:
    if np.iscomplexobj(value):
        raise LossError("Function output is not real: take its real part or its absolute value")


def seed(delta: Any, value: Any) -> Any:
    """The sensitivity of `value`, of its shape; a number is spread over an array."""
    if isinstance(delta, TrackedValue):
        if np.shape(delta.data) == np.shape(value):
            return delta
        if np.shape(delta.data) == ():
            return delta * np.ones(np.shape(value))
    given = data(delta)
    if not isinstance(value, np.ndarray):
        if np.shape(given) != ():
            raise ValueError(f"a sensitivity of shape {np.shape(given)} for a number")
        return given.item() if isinstance(given, np.ndarray) else given
    array = np.asarray(given)
    kind = value.dtype if array.dtype.kind in "biuf" else np.result_type(array, value)
    if array.ndim == 0:
        return np.full(value.shape, array, kind)
    if array.shape != value.shape:
        raise ValueError(
            f"a sensitivity of shape {array.shape} for a value of shape {value.shape}"
        )
    return array.astype(kind)


def scan(x: Any, stops: Set[Tracked] = frozenset()) -> None:
    """Counts the uses of all values that `x` was computed from, and zeroes their old gradients."""
    waiting = [x.tracker if isinstance(x, TrackedValue) else x]
    while waiting:
        node = waiting.pop()
        if node.isleaf or (stops and node in stops):
            continue
        node.ref += 1
        if node.ref == 1:
            if node.grad is not None:
                node.grad = zeros_like(node.grad)
            if node.f is USED:
                raise RuntimeError("back was already used: pass once=False to keep what it needs")
            for arg in node.f.args:
                cls = type(arg)
                if cls in TRACKED:
                    waiting.append(arg.tracker)
                elif cls is list or cls is tuple or cls is dict:
                    waiting.extend([inner.tracker for inner in tracked_in(arg)])


def settled(roots: list[Tracked]) -> None:
    """Sets the counts of all values behind `roots` to 0, after a walk that was not finished."""
    waiting, seen = list(roots), set(roots)
    while waiting:
        node = waiting.pop()
        node.ref = 0
        for arg in node.f.args:
            for inner in tracked_in(arg):
                tracker = inner.tracker
                if tracker not in seen and not tracker.isleaf:
                    seen.add(tracker)
                    waiting.append(tracker)


def propagated(
    roots: list[Tracked], sensitivity: Any, stops: Set[Tracked], nested: bool, once: bool = False
) -> dict[Tracked, Any]:
    """The sensitivities of the leaves, and of `stops`, which are treated as leaves.

    `roots` is emptied, so that values which nobody else holds are freed as they are passed. With
    `nested`, back functions run on tracked values, and what they compute is recorded.
    """
    root = roots.pop()
    if root.isleaf or root in stops:
        return {root: sensitivity}
    try:
        scan(root, stops)
    except BaseException:
        settled([root])
        raise
    walk = _Walk(stops, nested, once)
    walk.bars[root] = sensitivity
    root.ref -= 1
    walk.ready.append(root)
    del root
    return walk.finished()


class _Walk:
    """The sensitivities that are on their way from one result to the leaves."""

    def __init__(self, stops: Set[Tracked], nested: bool, once: bool) -> None:
        self.stops = stops
        self.nested = nested
        self.once = once
        self.bars: dict[Tracked, Any] = {}
        self.owned: set[Tracked] = set()  # whose sum is an array that only this walk knows
        self.ready: list[Tracked] = []

    def finished(self) -> dict[Tracked, Any]:
        self.node: Tracked | None = None
        try:
            self._pass_all()
        except BaseException:
            unfinished = [tracker for tracker in self.bars if not tracker.isleaf]
            settled(unfinished if self.node is None else [*unfinished, self.node])
            raise
        return self.bars

    def _pass_all(self) -> None:
        """Passes one value after the other, each when its last use has come."""
        known, owned, stops, ready = self.bars, self.owned, self.stops, self.ready
        while ready:
            node = self.node = ready.pop()
            bar = known.pop(node)
            if node in owned:
                owned.discard(node)
                node.grad = None if self.nested else bar
            call = node.f
            args = call.args
            if bar is None:
                bars: tuple[Any, ...] = (None,) * len(args)
            elif self.nested or type(bar) is list:
                bars = self._gradients(call, bar, node.data)
            elif call.func is operator.getitem and self._into_part(call, bar):
                bars = ()
            else:
                bars = call.back(bar)  # type: ignore[misc]
                if type(bars) is not tuple or len(bars) != len(args):
                    bars = check_gradients(bars, call)
            if self.once:
                node.f = USED
            for arg, part in zip(args, bars, strict=False):
                cls = type(arg)
                if cls is float or cls is int:
                    continue
                if cls in TRACKED:
                    tracker = arg.tracker
                    if tracker in known:
                        before = known[tracker]
                        if type(before) is float and type(part) is float:
                            known[tracker] = before + part
                            owned.add(tracker)
                        else:
                            self._add(tracker, part)
                    else:
                        known[tracker] = part
                    if tracker.isleaf or (stops and tracker in stops):
                        continue
                    tracker.ref -= 1
                    if tracker.ref == 0:
                        ready.append(tracker)
                elif cls is list or cls is tuple or cls is dict:
                    self._distribute(arg, part)

    def _gradients(self, call: Call, bar: Any, value: Any) -> tuple[Any, ...]:
        if type(bar) is list:
            bar = _completed(bar, value)
        function = rule_on_tracked(call, value) if self.nested else call.back
        assert function is not None
        bars = function(bar)
        if type(bars) is tuple and len(bars) == len(call.args):
            return bars
        return check_gradients(bars, call)

    def _into_part(self, call: Call, bar: Any) -> bool:
        """Adds to a part of the sum for an array, which costs as much as the part is large."""
        array, index = call.args
        if type(array) is not TrackedArray or array.data.dtype.kind not in "fc":
            return False
        tracker = array.tracker
        if tracker not in self.owned:
            total = zeros_like(array.data)
            before = self.bars.get(tracker)
            self.bars[tracker] = total if before is None else total + before
            self.owned.add(tracker)
        accumulate_at(self.bars[tracker], index, realness_of(array.data, bar))
        self._used(tracker)
        return True

    def _add(self, tracker: Tracked, part: Any) -> None:
        """One more contribution to the sensitivity of a value that has some already."""
        if part is None:
            return
        before = self.bars[tracker]
        if before is None:
            self.bars[tracker] = part
        elif type(before) is list:
            self.bars[tracker] = [
                part[i] if bar is None else bar if part[i] is None else bar + part[i]
                for i, bar in enumerate(before)
            ]
        elif tracker in self.owned and _fits(before, part) and not self.nested:
            np.add(before, part, out=before)
        else:
            is_tracked = type(before) in TRACKED or type(part) in TRACKED
            self.bars[tracker] = before + part if is_tracked else accumulate(before, part)
            self.owned.add(tracker)

    def _distribute(self, arg: Any, part: Any) -> None:
        """The sensitivities of the tracked values in a list, tuple or dict of arguments."""
        if type(arg) in TRACKED:
            if arg.tracker in self.bars:
                self._add(arg.tracker, part)
            else:
                self.bars[arg.tracker] = part
            self._used(arg.tracker)
        elif isinstance(arg, (list, tuple)):
            if part is None:
                part = [None] * len(arg)
            for item, bar in zip(arg, part, strict=True):
                self._distribute(item, bar)
        elif isinstance(arg, dict):
            for key, item in arg.items():
                self._distribute(item, None if part is None else part.get(key))

    def _used(self, tracker: Tracked) -> None:
        if tracker.isleaf or tracker in self.stops:
            return
        tracker.ref -= 1
        if tracker.ref == 0:
            self.ready.append(tracker)


def _fits(total: Any, part: Any) -> bool:
    return (
        type(total) is np.ndarray
        and type(part) is np.ndarray
        and total.shape == part.shape
        and np.can_cast(part.dtype, total.dtype)
    )


def _completed(bars: list[Any], values: Any) -> Any:
    """The sensitivities of several results, with zeros for those that nothing came for."""
    items = [
        zeros_like(value) if bar is None else bar for bar, value in zip(bars, values, strict=True)
    ]
    items = [
        _completed(bar, value) if type(bar) is list and isinstance(value, (list, tuple)) else bar
        for bar, value in zip(items, values, strict=True)
    ]
    if hasattr(values, "_make"):
        return values._make(items)
    return items if isinstance(values, list) else tuple(items)
