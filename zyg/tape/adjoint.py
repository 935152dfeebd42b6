"""The adjoint program: appended to the tape by a walk over the primal in reverse index order.

    #2 = sin(#0)                    #4 = cos(#0)            from the rule of sin
    #3 = multiply(#2, #1)           #5 = multiply(#1, #4)

The rule of each operation runs on wrappers of its operands: its own call is found again, which is
the node itself, and what its back function computes is appended. Where a call that is to be
appended stands on the tape already, that node is taken. So the adjoint program is a part of the
program like any other, and can be differentiated again.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from zyg.cotangent import inexact_dtype, project, realness_of, zeros_like
from zyg.errors import NotDifferentiable
from zyg.pruning import without
from zyg.rules import registry
from zyg.tape.forms import Slot, filled
from zyg.tape.items import scatter_items
from zyg.tape.nodes import CONSTANT
from zyg.tape.opaque import call_back
from zyg.tape.primitives import Known, UndifferentiablePrimitive, known, name_of
from zyg.tape.recording import REBINDING, call, signature_of
from zyg.tape.wengert import SPENT, Tape, identity
from zyg.tape.wrappers import WRAPPERS, has_wrappers, plain


class Adjoint:
    """The walk from outputs to targets, which records what the rules compute."""

    def __init__(self, tape: Tape, targets: Iterable[int]) -> None:
        self.tape = tape
        self.targets = frozenset(targets)
        self.lowest = min(self.targets, default=0)
        self.bars: dict[int, Any] = {}
        # What was read from arrays: the indices, and the gradients of what stood there.
        self._read: dict[int, list[tuple[Any, Any]]] = {}
        self._depends = bytearray()

    def run(self, seeds: dict[int, Any]) -> dict[int, Any]:
        """Appends the adjoint program; the gradients of the targets, None where there is none."""
        tape = self.tape
        if not seeds:
            return {}
        top = max(seeds)
        self._find_dependent(top)
        for idx, bar in seeds.items():
            self._add(idx, bar)
        outer = tape.known, tape.own
        tape.known = tape.find_again()
        try:
            for idx in range(top, self.lowest - 1, -1):
                if idx in self.bars or idx in self._read:
                    self._collect(idx)
                    if idx not in self.targets:
                        self._pass(idx, self.bars.pop(idx))
                self.passed(idx)
        finally:
            tape.known, tape.own = outer
        return self.bars

    def passed(self, idx: int) -> None:
        """All uses of a node have been gone through."""

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

    # Sums

    def _add(self, idx: int, bar: Any) -> None:
        """One more contribution to the gradient of a node."""
        if bar is None or not self.depends(idx):
            return
        before = self.bars.get(idx)
        self.bars[idx] = bar if before is None else added(before, bar)

    def _collect(self, idx: int) -> None:
        """Adds to the gradient of an array those of its parts."""
        read = self._read.pop(idx, None)
        if read is None:
            return
        array = self.tape.values[idx]
        indices = [index for index, _ in read]
        parts = [REBINDING.rebound(realness_of)(array, bar) for _, bar in read]
        dtype = inexact_dtype(array)
        args = (array.shape, dtype, indices, *parts)
        total = call(scatter_items, args) if has_wrappers(args) else scatter_items(*args)
        self._add(idx, total)

    # One operation

    def _pass(self, idx: int, bar: Any) -> None:
        """Appends the gradients of the operands of one call, and hands them on."""
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
        value = tape.values[idx]
        if isinstance(value, (list, tuple)):
            bar = completed(bar, value)
        operands = [
            tape.values[parent] if tape.is_constant(parent) else tape.wrapper(parent)
            for parent in parents
        ]
        args, kwargs = (operands, {}) if form is None else form.filled(operands)
        tape.own = function, parents, form, idx
        bars = self._gradients(function, entry, idx, args, kwargs, bar)
        tape.own = None
        if form is None:
            for parent, part in zip(parents, bars, strict=False):
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
            before[position] = bar if before[position] is None else added(before[position], bar)
            return True
        if not isinstance(container, np.ndarray):
            return False
        if not self.depends(whole):
            return True  # an index has no gradient
        operands = [
            self.tape.values[parent] if self.tape.is_constant(parent) else self.tape.wrapper(parent)
            for parent in parents[1:]
        ]
        index = operands[0] if form is None else filled(form.args[1], [None, *operands])
        self._read.setdefault(whole, []).append((index, bar))
        return True

    def _gradients(
        self, function: Any, entry: Known, idx: int, args: Any, kwargs: Any, bar: Any
    ) -> tuple[Any, ...]:
        """What the rule of a call gives for its arguments."""
        if entry.is_primitive:
            if entry.vjp is None:
                raise UndifferentiablePrimitive(
                    f"undifferentiable primitive error: `{name_of(function)}` (node #{idx}) has "
                    "no vjp"
                )
            bars = entry.vjp(bar, self.tape.wrapper(idx), *args)
            return bars if isinstance(bars, tuple) else (bars,)
        rule = entry.rule
        assert rule is not None
        if registry.takes_pullback(rule):
            return call_back(function, args, kwargs, bar)
        idle = self._idle(idx, len(args))
        rule_run = without(rule, idle) if idle else rule
        try:
            _, back = REBINDING.rebound(rule_run)(*args, **kwargs)
            return check_gradients(back(bar), function, rule, len(args))
        except UndifferentiablePrimitive:
            raise
        except NotDifferentiable:
            # A rule that needs plain values: its back function becomes one operation.
            return call_back(function, args, kwargs, bar)

    def _idle(self, idx: int, count: int) -> tuple[int, ...]:
        """The positions of arguments that no gradient is wanted for."""
        _, parents, form = self.tape.calls[idx]
        if form is None:
            return tuple([i for i, parent in enumerate(parents) if not self.depends(parent)])
        return tuple([
            i for i, part in enumerate(form.args)
            if type(part) is Slot and not self.depends(parents[part.position])
        ])  # fmt: skip

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


class Consuming(Adjoint):
    """The walk for a tape that nobody will see: values are given up as soon as they are passed."""

    def __init__(self, tape: Tape, targets: Iterable[int]) -> None:
        super().__init__(tape, targets)
        self._spent_from = len(tape)

    def passed(self, idx: int) -> None:
        values, calls = self.tape.values, self.tape.calls
        if idx not in self.targets and calls[idx][0] is not CONSTANT:
            values[idx] = SPENT
        # Gradients that are still to be passed hold their values themselves.
        for new in range(self._spent_from, len(values)):
            if calls[new][0] is not CONSTANT:
                values[new] = SPENT
        self._spent_from = len(values)


def has_slots(template: Any) -> bool:
    if isinstance(template, (list, tuple)):
        return any(map(has_slots, template))
    return type(template) is Slot


def added(a: Any, b: Any) -> Any:
    """The sum of two gradients of one value."""
    if a is None or b is None:
        return b if a is None else a
    if type(a) in WRAPPERS or type(b) in WRAPPERS:
        if not isinstance(a, (list, tuple)) and not isinstance(b, (list, tuple)):
            return call(operator.add, (a, b))
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return [added(p, q) for p, q in zip(a, b, strict=True)]
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


def check_gradients(bars: Any, function: Any, rule: Any, count: int) -> tuple[Any, ...]:
    """What a back function returned, as one gradient for each argument of the call."""
    if type(bars) is tuple and len(bars) >= count:
        return bars
    given = bars if type(bars) is tuple else (bars,)
    required = [
        parameter for parameter in signature_of(rule).parameters.values()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    if len(given) < len(required):
        raise TypeError(
            f"the back function of `{name_of(function)}` returned {len(given)} gradients for "
            f"{count} arguments"
        )
    return given + (None,) * (count - len(given))


def fitted(bar: Any, x: Any, wrapper: Any) -> Any:
    """A gradient as one of the shape and kind of the value `x` that it belongs to."""
    if bar is None or not has_wrappers(bar):
        return project(plain(bar), x)
    if type(bar) in WRAPPERS and is_fitting(bar.val, x):
        return bar
    return call(project, (bar, wrapper))


def is_fitting(bar: Any, x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return (
            isinstance(bar, np.ndarray) and bar.shape == x.shape and bar.dtype == inexact_dtype(x)
        )
    return type(bar) is type(x) or (type(x) is int and type(bar) is float)
