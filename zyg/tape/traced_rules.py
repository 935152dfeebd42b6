"""Rules that were traced once: what they append for operands of one kind is appended again.

    the rule of x * y, for two floats           $3 = multiply($2, $1)
    operands $0, $1, gradient $2                $4 = multiply($2, $0)           gives $3, $4

To run a rule on wrappers takes several times as long as the operations that it appends. Which ones
these are follows from the types and shapes of the operands, from the constants among them, and from
the conditions that the rule asks for: those are checked, and where one is another, the rule runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.tape.assumptions import holds
from zyg.tape.forms import Slot, mapped
from zyg.tape.nodes import CONSTANT
from zyg.tape.recording import NO_OPTIONS, REBINDING, applied
from zyg.tape.wengert import NO_CALL_CONSTANT, NO_CALL_INPUT, Recorded, Tape
from zyg.tape.wrappers import WRAPPERS

MOST_RULES = 4096


@dataclass(frozen=True)
class TracedRule:
    """What a rule appends. Positions count operands, the gradient, the result, then steps."""

    steps: tuple[Recorded, ...]
    constants: dict[int, Any]  # by position
    assumed: dict[int, list[Any]]
    bars: tuple[Any, ...]  # with slots for positions

    def appended(self, tape: Tape, positions: list[int]) -> tuple[Any, ...] | None:
        """Appends the steps; the gradients of the operands. None where the rule must run."""
        values, known, assumed = tape.values, tape.known, self.assumed
        assert known is not None
        if assumed and not all(
            self._agrees(tape, position, idx) for position, idx in enumerate(positions)
        ):
            return None
        for position, (function, locals_, form) in enumerate(self.steps, len(positions)):
            if function is CONSTANT:
                positions.append(tape.constant(self.constants[position]))
                continue
            parents = tuple([positions[local] for local in locals_])
            if form is None:
                idx = known.get((function, parents))
                if idx is None:
                    operands = [values[parent] for parent in parents]
                    value = applied(function, operands, NO_OPTIONS)
                    idx = known[function, parents] = tape.append(value, function, parents)
            else:
                args, kwargs = form.filled([values[parent] for parent in parents])
                idx = tape.append(applied(function, args, kwargs), function, parents, form)
            positions.append(idx)
            if assumed and not self._agrees(tape, position, idx):
                return None
        return tuple([
            bar if bar is None
            else tape.wrapper(positions[bar.position]) if type(bar) is Slot
            else mapped(bar, lambda slot: tape.wrapper(positions[slot.position]))
            for bar in self.bars
        ])  # fmt: skip

    def _agrees(self, tape: Tape, position: int, idx: int) -> bool:
        """Whether a value is what the rule has taken for granted; then the tape does so too."""
        for expected in self.assumed.get(position, ()):
            if not holds(tape.values[idx], expected):
                return False
            tape.assume(idx, expected)
        return True


# None for a rule that was asked for once: most programs repeat a kind of operation, or have it
# only once.
_traced: dict[Any, TracedRule | None] = {}


def bars_by_trace(
    tape: Tape, idx: int, rule: Callable[..., Any], bar: Any
) -> tuple[Any, ...] | None:
    """The gradients of the operands of a call, if its rule was traced for operands of this kind."""
    key = key_of(tape, idx, rule, bar)
    if key is None:
        return None
    try:
        found = _traced[key]
    except KeyError:
        if len(_traced) >= MOST_RULES:
            _traced.clear()
        _traced[key] = None
        return None
    if found is None:
        try:
            found = _traced[key] = traced(tape, idx, rule, bar)
        except NotDifferentiable:
            return None  # as `Adjoint` finds out, who knows what to do
    parents = tape.calls[idx][1]
    return found.appended(tape, [*dict.fromkeys(parents), bar.idx, idx])


def key_of(tape: Tape, idx: int, rule: Callable[..., Any], bar: Any) -> Any:
    """All that a trace of the rule depends on; None where that isn't known."""
    if type(bar) not in WRAPPERS or not rule.__module__.startswith("zyg."):
        return None
    function, parents, form = tape.calls[idx]
    values, calls = tape.values, tape.calls
    kinds: list[Any] = [function, rule, kind(bar.val)]
    for parent in parents:
        value = values[parent]
        if calls[parent] is not NO_CALL_CONSTANT:
            kinds.append(kind(value))
        elif type(value) is np.ndarray:
            return None
        else:
            kinds.append((type(value), value or repr(value)))
    if len(parents) > len(set(parents)):
        kinds.append(tuple([parents.index(parent) for parent in parents]))
    if isinstance(tape.values[idx], (list, tuple)):
        return None
    if form is not None:
        try:
            key = literal_key((form.args, form.kwargs))
        except TypeError:
            return None
        kinds.append(key)
    return tuple(kinds)


def kind(value: Any) -> Any:
    """What rules ask of a value before they look at numbers."""
    return (value.dtype, value.shape) if type(value) is np.ndarray else type(value)


SIMPLE = (int, float, str, bool, type(None), np.dtype, type, Slot)


def literal_key(part: Any) -> Any:
    """A part of a form as a key; TypeError where it holds an object of another class."""
    if isinstance(part, (list, tuple)):
        return type(part), *map(literal_key, part)
    if isinstance(part, dict):
        return tuple([(name, literal_key(item)) for name, item in part.items()])
    if isinstance(part, slice):
        return slice, *map(literal_key, (part.start, part.stop, part.step))
    if part is Ellipsis or isinstance(part, SIMPLE):
        return type(part), part
    raise TypeError(type(part))


def traced(tape: Tape, idx: int, rule: Callable[..., Any], bar: Any) -> TracedRule:
    """Runs a rule on a tape of its own, which holds its operands, the gradient and the result."""
    function, parents, form = tape.calls[idx]
    own = Tape()
    places: dict[int, int] = {}
    for parent in [*dict.fromkeys(parents), -1]:
        places[parent] = len(own)
        if parent >= 0 and tape.is_constant(parent):
            own.constant(tape.values[parent])
        else:
            own.values.append(bar.val if parent < 0 else tape.values[parent])
            own.calls.append(NO_CALL_INPUT)
    local_parents = tuple([places[parent] for parent in parents])
    result = own.append(tape.values[idx], function, local_parents, form)
    own.known, own.own = own.find_again(), (function, local_parents, form, result)
    operands = [
        own.values[place] if own.is_constant(place) else own.wrapper(place)
        for place in local_parents
    ]
    args, kwargs = (operands, {}) if form is None else form.filled(operands)
    _, back = REBINDING.rebound(rule)(*args, **kwargs)
    bars = back(own.wrapper(places[-1]))
    return traced_rule(own, result, bars if isinstance(bars, tuple) else (bars,))


def traced_rule(own: Tape, result: int, bars: tuple[Any, ...]) -> TracedRule:
    """What stands on a tape behind the result of a call."""
    first = result + 1
    assumed: dict[int, list[Any]] = {}
    for assumption in own.assumptions:
        assumed.setdefault(assumption.idx, []).append(assumption.expected)
    return TracedRule(
        steps=tuple(own.calls[first:]),
        constants={i: own.values[i] for i in range(first, len(own)) if own.is_constant(i)},
        assumed=assumed,
        bars=tuple([with_slots(bar) for bar in bars]),
    )


def with_slots(bar: Any) -> Any:
    """A gradient with slots in the place of wrappers."""
    if type(bar) in WRAPPERS:
        return Slot(bar.idx)
    if isinstance(bar, list):
        return [with_slots(item) for item in bar]
    if isinstance(bar, tuple):
        items = [with_slots(item) for item in bar]
        return bar._make(items) if hasattr(bar, "_make") else tuple(items)
    if isinstance(bar, dict):
        return {key: with_slots(item) for key, item in bar.items()}
    return bar
