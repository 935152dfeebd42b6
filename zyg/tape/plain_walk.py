"""Gradients as plain values: the rules run on plain operands, and nothing is appended.

The numbers are those that the adjoint program would give, for a fraction of the time. Where the
tape has kept the back functions that rules gave when calls were recorded, those are called.
"""

from __future__ import annotations

from typing import Any

from zyg.cotangents.cotangent import realness_of
from zyg.pruning import without
from zyg.rules import registry
from zyg.tape.nodes import CONSTANT
from zyg.tape.primitives import Known
from zyg.tape.recording import pullback_for_rules
from zyg.tape.walk import Walk, checked, vjp_of
from zyg.tape.wengert import SPENT


class PlainWalk(Walk):
    """The walk that leaves no trace."""

    def operand(self, idx: int) -> Any:
        return self.tape.values[idx]

    def realness(self, like: Any, bar: Any) -> Any:
        return realness_of(like, bar)

    def passed(self, idx: int) -> None:
        """Values are kept: the walk may be repeated."""

    def gradients(self, idx: int, entry: Known, bar: Any) -> tuple[Any, ...]:
        tape = self.tape
        function, parents, form = tape.calls[idx]
        if tape.backs is not None and idx in tape.backs:
            count = len(parents) if form is None else len(form.args)
            return checked(tape.backs[idx](bar), function, entry, count)
        args, kwargs = self.arguments(idx)
        if entry.is_primitive:
            bars = vjp_of(entry, function, idx)(bar, tape.values[idx], *args)
            return checked(bars, function, entry, len(args))
        rule = entry.rule
        assert rule is not None
        if registry.takes_pullback(rule):
            kwargs = {**kwargs, "pullback": pullback_for_rules}
        else:
            idle = self.idle(idx)
            rule = without(rule, idle) if idle else rule
        _, back = rule(*args, **kwargs)
        return checked(back(bar), function, entry, len(args))


class ConsumingWalk(PlainWalk):
    """The walk over a tape that nobody will see: values are dropped as soon as they are passed."""

    def passed(self, idx: int) -> None:
        tape = self.tape
        if tape.backs is not None:
            tape.backs.pop(idx, None)
        if idx not in self.targets and tape.calls[idx][0] is not CONSTANT:
            tape.values[idx] = SPENT
