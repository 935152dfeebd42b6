"""Memory through one name of which no derivative flows, in programs that change memory in place.

    t = zyg.dropgrad(self.x)        t = dropped(self.x)         raises: `self.x` has a derivative
    t = zyg.dropgrad(a)             t = dropped(a)
    self.x = a                      ...                         raises here

What objects hold is known by its identity there, and has one cotangent or tangent, whatever its
names are. So memory can't have a derivative under one name, and none under another: that is refused
by whichever of the two comes second. Objects and iterators are known by their identity in each
program: their derivative can't be dropped at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir import facts
from ir.late import late
from zyg.errors import NotDifferentiable
from zyg.held.held_views import VIEWS, dict_of, is_read_later
from zyg.held.memory_kinds import PLAIN, held_by, is_memory, memory_in
from zyg.held.reaching import reached
from zyg.held.shadow_calls import state

if TYPE_CHECKING:
    from zyg.held import held_memory
else:  # it is for programs on objects
    held_memory = late("zyg.held.held_memory")


def dropped(x: Any) -> Any:
    """`x` itself, through which no derivative flows; raises if it is known by its identity."""
    for one in reached(x, _parts):
        kind = type(one)
        if facts.is_object(kind) or (is_read_later(one) and not isinstance(one, VIEWS)):
            raise NotDifferentiable(
                f"the derivative of a {kind.__name__} can't be dropped, only that of numbers, "
                "arrays and containers; drop that of what is read from it"
            )
        if is_memory(one):
            _drop(one)
    return x


def _parts(value: Any) -> list[Any]:
    parts = [dict_of(value)] if isinstance(value, VIEWS) else held_by(value)
    return [part for part in parts if type(part) not in PLAIN]


def _drop(memory: Any) -> None:
    held = state.held
    if held is None:
        return
    if held_memory.is_known(memory) or held_memory.is_captured(memory):
        raise NotDifferentiable(
            f"the derivative of a {type(memory).__name__} is dropped (by zyg.dropgrad, or a "
            "function that is declared to have none) that objects may hold, and memory of its kind "
            "may be changed in place in this program; drop that of a copy"
        )
    held.dropped[held_memory.identity_of(memory)] = memory


def dropped_given(result: Any, *given: Any) -> Any:
    """What code without derivative gives away: that of memory that objects hold, or that the code
    was given, is dropped; it has no other one."""
    identity_of = held_memory.identity_of
    found = {identity_of(one): one for one in memory_in(result)}
    known = {
        key for key, one in found.items()
        if held_memory.is_known(one) or held_memory.is_captured(one)
    }
    if len(known) < len(found):
        known |= {identity_of(one) for one in reached(given, _parts) if is_memory(one)}
    for key, one in found.items():
        if key in known:
            _drop(one)
    return result


facts.effect(dropped, dropped_given)
facts.result(dropped, dropped_given)(lambda args, kwargs: args[0])
