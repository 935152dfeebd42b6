"""The adjoint program: appended to the tape by a walk over the primal in reverse index order.

    #2 = sin(#0)                    #4 = cos(#0)            from the rule of sin
    #3 = multiply(#2, #1)           #5 = multiply(#1, #4)

The rule of each operation runs on wrappers of its operands: its own call is found again, which is
the node itself, and what its back function computes is appended. Where a call that is to be
appended stands on the tape already, that node is taken. So the adjoint program is a part of the
program like any other, and can be differentiated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.cotangents.cotangent import inexact_dtype, project, realness_of
from zyg.errors import NotDifferentiable
from zyg.pruning import without
from zyg.rules import registry
from zyg.tape.opaque import call_back
from zyg.tape.primitives import Known, UndifferentiablePrimitive
from zyg.tape.recording import REBINDING, call
from zyg.tape.traced_rules import bars_by_trace
from zyg.tape.walk import Walk, checked, vjp_of
from zyg.tape.wrappers import WRAPPERS, has_wrappers, plain


class Adjoint(Walk):
    """The walk that records what the rules compute."""

    def run(self, seeds: dict[int, Any]) -> dict[int, Any]:
        """Appends the adjoint program; the gradients of the targets, as values of the tape."""
        tape = self.tape
        outer = tape.known, tape.own
        tape.known = tape.find_again()
        try:
            return super().run(seeds)
        finally:
            tape.known, tape.own = outer

    def operand(self, idx: int) -> Any:
        tape = self.tape
        return tape.values[idx] if tape.is_constant(idx) else tape.wrapper(idx)

    def realness(self, like: Any, bar: Any) -> Any:
        return REBINDING.rebound(realness_of)(like, bar)

    def passed(self, idx: int) -> None:
        """A tape keeps what stands on it."""

    def gradients(self, idx: int, entry: Known, bar: Any) -> tuple[Any, ...]:
        rule = entry.rule
        if rule is None or registry.takes_pullback(rule):
            return self._run(idx, entry, bar)
        idle = self.idle(idx)
        pruned = without(rule, idle) if idle else rule
        found = bars_by_trace(self.tape, idx, pruned, bar)
        return self._run(idx, entry, bar, pruned) if found is None else found

    def _run(self, idx: int, entry: Known, bar: Any, pruned: Any = None) -> tuple[Any, ...]:
        """Runs the rule of a call on wrappers."""
        tape = self.tape
        function, parents, form = tape.calls[idx]
        args, kwargs = self.arguments(idx)
        if entry.is_primitive:
            bars = vjp_of(entry, function, idx)(bar, tape.wrapper(idx), *args)
            return checked(bars, function, entry, len(args))
        if pruned is None:
            return call_back(function, args, kwargs, bar)
        tape.own = function, parents, form, idx
        try:
            _, back = REBINDING.rebound(pruned)(*args, **kwargs)
            return checked(back(bar), function, entry, len(args))
        except UndifferentiablePrimitive:
            raise
        except NotDifferentiable:
            # A rule that needs plain values: its back function becomes one operation.
            return call_back(function, args, kwargs, bar)
        finally:
            tape.own = None


def fitted(bar: Any, x: Any, wrapper: Any) -> Any:
    """A gradient as one of the shape and kind of the value `x` that it belongs to."""
    if bar is None or not has_wrappers(bar):
        return project(plain(bar), x)
    if type(bar) in WRAPPERS and is_fitting(bar.val, x):
        return bar
    if type(x) in (float, int) and np.shape(bar) == () and not np.iscomplexobj(bar):
        return call(float, (bar,))
    return call(project, (bar, wrapper))


def is_fitting(bar: Any, x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return (
            isinstance(bar, np.ndarray) and bar.shape == x.shape and bar.dtype == inexact_dtype(x)
        )
    return type(bar) is type(x) or (type(x) is int and type(bar) is float)
