"""What lets no derivative flow: `zyg.dropgrad`, and what stands in code without derivative.

    t = dropgrad(self.x)        t = dropped(self.x), which looks whether objects hold it
    t = dropgrad(x * 2)         as it is: nobody has another name for what is made for this call
    t = dropgrad(self)          t = dropped(self), which raises

Code of functions that are declared to have no derivative (`declared_constant`) gets calls of
`read_as_constant` and the like before its types are known. They are nothing where a value has no
derivative of its own, and for memory that is read: what is stored there isn't to be told from it.
What the code gives away is looked at when the program runs, unless it is new.
"""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special
from ir.library.builtin_facts import IN_PLACE
from ir.memory.contents import has_parts, holds_memory
from ir.memory.memory_facts import is_array_like
from ir.memory.place_state import NEW
from ir.rewrite import count_uses
from ir.types import Closure, Known, Method, Type, class_of
from zyg.compiler.inference.objects import holds_no_objects, is_place
from zyg.held.dropped_memory import dropped, dropped_given
from zyg.held.held_views import VIEWS
from zyg.held.memory_kinds import MEMORY
from zyg.rules.registry import constant

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

_READS = (
    getattr, operator.getitem, primitives.unpack, primitives.unpack_starred, primitives.augmented,
    primitives.load_global,
)
CHANGING_OR_READING = (*_READS, *IN_PLACE, operator.setitem, operator.delitem)
_BUILDING = (
    primitives.build_tuple, primitives.build_list, primitives.build_dict, primitives.build_set,
)
_PLAIN = (int, np.integer, np.bool_, str, bytes, types.NoneType, range, *VIEWS)


def call_of_dropgrad(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What `special` asks of a call of `zyg.dropgrad`."""
    operands = [*args, *kwargs.values()]
    if self.places is None or len(operands) != 1:
        return None  # this was decided when the code was typed first
    (operand,) = operands
    if holds_no_objects(type_of(operand)) and (
        not may_have_other_names(self, operand) or _is_made_for_this(self, operand)
    ):
        return None
    return self.typed_call(Const(dropped), operands, {}, names, loc)


def _is_made_for_this(self: TypedCalls, operand: Operand) -> bool:
    """Whether the operand of the call that is typed is a new array that has no other name."""
    assert self.places is not None and self.copied is not None and self._source is not None
    (call, mapping), block = self.copied, self._source
    (source,) = [*call.args, *call.kwargs.values()]
    if not isinstance(operand, Value) or not is_array_like(operand.type) or (
        not isinstance(source, Value) or self.places.storage(operand) is not operand
    ):
        return False
    return self.places.returned(operand, []) == NEW and count_uses(block)[source] == 1 and (
        [name for name, value in mapping.items() if value is operand] == [source]
    )


def as_constant(x: object) -> object:
    """`x` itself, through which no derivative flows."""
    return x


def read_as_constant(x: object) -> object:
    """The same for what a function reads; what is memory stays the memory that it is, since what
    the function stores there isn't to be told from it."""
    return x


def given_as_constant(x: object, *known: object) -> object:
    """The same for what a function gives away: returns, or stores where others find it; beside it
    what the function was given."""
    return x


def stored_back_as_constant(x: object, *known: object) -> object:
    """The same for what `self.x += y` stores: memory that the object holds already, perhaps."""
    return x


_MARKERS = (as_constant, read_as_constant, given_as_constant, stored_back_as_constant)
constant(*_MARKERS, dropped, dropped_given)
facts.view(as_constant)(lambda call: is_array_like(type_of(call.args[0])))
facts.result(*_MARKERS)(lambda args, kwargs: args[0])


def is_operator(callee: Operand) -> bool:
    """Whether a callee is an operator that gives something new."""
    if not isinstance(callee, Const) or callee.value in CHANGING_OR_READING:
        return False
    return getattr(callee.value, "__module__", None) == "_operator"


@special(as_constant)
def _as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What has no derivative of its own stays as it is."""
    (operand,) = args
    made = self.definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Call) and isinstance(made.callee, Const):
        if made.callee.value is as_constant or (
            is_operator(made.callee) and all(_is_number(type_of(arg)) for arg in made.args)
        ):
            return [operand]  # its operands have none
    return [operand] if _is_plain(type_of(operand)) else None


@special(read_as_constant)
def _read_as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = type_of(args[0])
    if _is_plain(type_) or class_of(type_) in MEMORY:
        return args
    return self.typed_call(Const(as_constant), args, {}, names, loc)


@special(given_as_constant)
def _given_as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What is made here is none of what others know."""
    operand, *known = args
    if _is_plain(type_of(operand)) or not _may_be_known(self, operand):
        return [operand]
    if not may_have_other_names(self, operand):
        return self.typed_call(Const(as_constant), [operand], {}, names, loc)
    given = [one for one in known if not _is_plain(type_of(one))]
    return self.typed_call(Const(dropped_given), [operand, *given], {}, names, loc)


@special(stored_back_as_constant)
def _stored_back_as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    if class_of(type_of(args[0])) in MEMORY:
        return args[:1]
    return self.typed_call(Const(given_as_constant), args, {}, names, loc)


def may_have_other_names(self: TypedCalls, operand: Operand) -> bool:
    """Whether objects may come to hold memory of a value, where such memory is known by its
    identity."""
    type_ = type_of(operand)
    return holds_memory(type_) and self.surroundings.may_change_held() and (
        not self.surroundings.leaves_alone(type_) and self.surroundings.may_hold(type_)
    )


def _may_be_known(self: TypedCalls, operand: Operand) -> bool:
    """Whether others may know a value, or a part of it: the function hasn't made it for itself."""
    if not isinstance(operand, Value):
        return False
    if self.places is None:
        return True
    made = self.definitions.get(self.places.storage(operand))
    if not isinstance(made, Call) or any(map(_has_parts, [operand, *made.results])):
        return True
    callee = made.callee.value if isinstance(made.callee, Const) else None
    return not facts.is_fresh(made) and callee not in _BUILDING


def _has_parts(value: Value) -> bool:
    return not is_array_like(value.type) and has_parts(value.type)


def _is_number(type_: Type) -> bool:
    return class_of(type_) in (bool, int, float, complex)


def _is_plain(type_: Type) -> bool:
    """Whether a value has no derivative of its own: what an object, a function or an iterator leads
    to is read of it."""
    cls = class_of(type_)
    return isinstance(type_, Known | Closure | Method) or (
        cls is not None and (is_place(cls) or hasattr(cls, "__next__") or issubclass(cls, _PLAIN))
    )
