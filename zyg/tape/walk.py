"""The walk over a tape in reverse index order, from outputs to targets.

    #2 = sin(#0)                    bars: {#3: 1.0}
    #3 = multiply(#2, #1)           bars: {#2: 1.0 * #1, #1: 1.0 * #2}
                                    bars: {#0: cos(#0) * .., #1: ..}

Every use of a node has a larger index than the node, so its gradient is complete when the walk
comes to it. How the gradients of one call are found is what `Adjoint` and `PlainWalk` differ in.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import inexact_dtype, zeros_like
from zyg.rules import registry
from zyg.tape.forms import Slot, filled
from zyg.tape.items import scatter_items
from zyg.tape.primitives import Known, UndifferentiablePrimitive, known, name_of
from zyg.tape.recording import call
from zyg.tape.wengert import Tape, identity
from zyg.tape.wrappers import WRAPPERS, has_wrappers


class Walk(ABC):
    """One walk: what has come for each node so far."""

    def __init__(self, tape: Tape, targets: Iterable[int]) -> None:
        self.tape = tape
        self.targets = frozenset(targets)
        self.lowest = min(self.targets, default=0)
        self.bars: dict[int, Any] = {}
        # What was read from arrays: the indices, and the gradients of what stood there.
        self._read: dict[int, list[tuple[Any, Any]]] = {}
        self._depends = bytearray()

    def run(self, seeds: dict[int, Any]) -> dict[int, Any]:
        """The gradients of the targets, without those that nothing came for."""
        if not seeds:
            return {}
        top = max(seeds)
        self._find_dependent(top)
        for idx, bar in seeds.items():
            self._add(idx, bar)
        bars, read, targets = self.bars, self._read, self.targets
        for idx in range(top, self.lowest - 1, -1):
            if idx in bars or idx in read:
                if idx in read:
                    self._collect(idx)
                if idx not in targets:
                    self._pass(idx, bars.pop(idx))
            self.passed(idx)
        return bars

    @abstractmethod
    def operand(self, idx: int) -> Any:
        """The value of a node, as rules are given it."""

    @abstractmethod
    def gradients(self, idx: int, entry: Known, bar: Any) -> tuple[Any, ...]:
        """What the rule of a call gives for its arguments."""

    @abstractmethod
    def realness(self, like: Any, bar: Any) -> Any:
        """`bar`, or its real part where `like` is real."""

    @abstractmethod
    def passed(self, idx: int) -> None:
        """Called when the walk is through with a node."""

    def _find_dependent(self, top: int) -> None:
        """Which nodes depend on targets, from the lowest target on."""
        low, depends, targets = self.lowest, self._depends, self.targets
        for idx, (_, parents, _) in enumerate(self.tape.calls[low : top + 1], low):
            is_dependent = idx in targets
            for parent in parents:
                if parent >= low and depends[parent - low]:
                    is_dependent = True
            depends.append(is_dependent)

    def depends(self, idx: int) -> bool:
        return idx >= self.lowest and bool(self._depends[idx - self.lowest])

    def idle(self, idx: int) -> tuple[int, ...]:
        """The positions of arguments of a call that no gradient is wanted for."""
        _, parents, form = self.tape.calls[idx]
        if form is None:
            low, depends = self.lowest, self._depends
            return tuple([
                i for i, parent in enumerate(parents) if parent < low or not depends[parent - low]
            ])  # fmt: skip
        return tuple([
            i for i, part in enumerate(form.args)
            if type(part) is Slot and not self.depends(parents[part.position])
        ])  # fmt: skip

    # Sums

    def _add(self, idx: int, bar: Any) -> None:
        """One more contribution to the gradient of a node."""
        if bar is None or not self.depends(idx):
            return
        before = self.bars.get(idx)
        self.bars[idx] = bar if before is None else added(before, bar)

    def _collect(self, idx: int) -> None:
        """Adds to the gradient of an array those of its parts."""
        read = self._read.pop(idx)
        array = self.tape.values[idx]
        indices = [index for index, _ in read]
        parts = [self.realness(array, bar) for _, bar in read]
        args = (array.shape, inexact_dtype(array), indices, *parts)
        self._add(idx, call(scatter_items, args) if has_wrappers(args) else scatter_items(*args))

    # One operation

    def _pass(self, idx: int, bar: Any) -> None:
        """Finds the gradients of the operands of one call, and hands them on."""
        tape = self.tape
        function, parents, form = tape.calls[idx]
        if function is identity:
            self._add(parents[0], bar)
            return
        if function is operator.getitem and self._pass_item(parents, form, bar):
            return
        entry = known(function)
        if entry.is_constant:
            return
        if type(bar) is list:
            bar = completed(bar, tape.values[idx])
        bars = self.gradients(idx, entry, bar)
        if form is None:
            for parent, part in zip(parents, bars, strict=False):
                if part is not None:
                    self._add(parent, part)
        else:
            for template, part in zip(form.args, bars, strict=False):
                self._distribute(template, part, parents)

    def _pass_item(self, parents: tuple[int, ...], form: Any, bar: Any) -> bool:
        """Collects what comes for a part of an array, or for one of several results."""
        whole, container = parents[0], self.tape.values[parents[0]]
        if isinstance(container, (list, tuple)):
            position = self.tape.values[parents[1]]
            before = self.bars.setdefault(whole, [None] * len(container))
            before[position] = added(before[position], bar)
            return True
        if not isinstance(container, np.ndarray):
            return False
        if self.depends(whole):  # an index has no gradient
            operands = [self.operand(parent) for parent in parents[1:]]
            index = operands[0] if form is None else filled(form.args[1], [None, *operands])
            self._read.setdefault(whole, []).append((index, bar))
        return True

    def _distribute(self, template: Any, bar: Any, parents: tuple[int, ...]) -> None:
        """Hands the gradient of an argument to the nodes that it was made of."""
        if bar is None:
            return
        if type(template) is Slot:
            self._add(parents[template.position], bar)
        elif isinstance(template, (list, tuple)):
            if any(map(has_slots, template)):
                for part, part_bar in zip(template, bar, strict=True):
                    self._distribute(part, part_bar, parents)
        elif isinstance(template, dict):
            for key, part in template.items():
                self._distribute(part, bar.get(key), parents)

    def arguments(self, idx: int) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call, as rules are given them."""
        _, parents, form = self.tape.calls[idx]
        operands = [self.operand(parent) for parent in parents]
        return (operands, {}) if form is None else form.filled(operands)


def vjp_of(entry: Known, function: Any, idx: int) -> Callable[..., Any]:
    """What was registered for the gradient of a primitive."""
    if entry.vjp is None:
        raise UndifferentiablePrimitive(
            f"undifferentiable primitive error: `{name_of(function)}` (node #{idx}) has no vjp"
        )
    return entry.vjp


def has_slots(template: Any) -> bool:
    if isinstance(template, (list, tuple)):
        return any(map(has_slots, template))
    return type(template) is Slot


def added(a: Any, b: Any) -> Any:
    """The sum of two gradients of one value."""
    if type(a) is float and type(b) is float:
        return a + b
    if a is None or b is None:
        return b if a is None else a
    if type(a) in WRAPPERS and type(b) in WRAPPERS:
        return a + b
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return [added(p, q) for p, q in zip(a, b, strict=True)]
    if type(a) in WRAPPERS or type(b) in WRAPPERS:
        return call(operator.add, (a, b))
    return a + b


def completed(bars: Any, values: Any) -> Any:
    """The gradients of several results, with zeros for those that nothing came for."""
    items = []
    for bar, value in zip(bars, values, strict=True):
        if isinstance(value, (list, tuple)) and bar is not None:
            items.append(completed(bar, value))
        else:
            items.append(zeros_like(value) if bar is None else bar)
    if hasattr(values, "_make"):
        return values._make(items)
    return items if isinstance(values, list) else tuple(items)


def checked(bars: Any, function: Any, entry: Known, count: int) -> tuple[Any, ...]:
    """What a back function returned, as one gradient for each argument of the call."""
    if type(bars) is tuple and len(bars) >= count:
        return bars
    given = bars if type(bars) is tuple else (bars,)
    required = count if entry.rule is None else registry.count_of_required(entry.rule)
    if len(given) < min(required, count):
        raise TypeError(
            f"the back function of `{name_of(function)}` returned {len(given)} gradients for "
            f"{count} arguments"
        )
    return given + (None,) * (count - len(given))
