"""A function made for given types of its arguments, and what a call names."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.core import Function, Op
from ir.heap import HEAP
from ir.memory.place_state import Effect, Returned
from ir.record import made, node
from ir.types import BOTTOM, TOP, Known, Tuple, Type, class_of, widen
from zyg.array_type import Array
from zyg.compiler.activity import NOTHING, Flow, Flows
from zyg.compiler.assigned import Shared
from zyg.compiler.guards import AnyGuard
from zyg.compiler.inference.objects import is_object_type
from zyg.compiler.origins import is_of_zyg

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Answers

NO_OPS: frozenset[Op] = frozenset()


class RunAgain(Function):
    """A function that is run again for its reversal
    (`zyg.compiler.checkpoints.checkpoint_loops`).
    """


@node
class Specialisation:
    """The typed IR of a function for the types of its captured variables and parameters."""

    source: Function
    inputs: tuple[Type, ...]
    function: Function
    # The globals whose classes may be those of operands of which nothing is known: what stands for
    # a built-in function, as `functools.reduce`, is given objects of its caller's.
    home: dict[str, Any]
    result: Type = BOTTOM
    flow: Flow = NOTHING
    flows: Flows | None = None
    guards: dict[object, AnyGuard] = made(dict)
    callees: dict[Specialisation, None] = made(dict)
    # Inputs that it changes in place: it returns their last versions behind its value.
    updates: tuple[int, ...] = ()
    effects: list[Effect] = made(list)
    # Inputs that may be changed without that.
    spoiled: tuple[int, ...] = ()
    # Inputs whose memory objects may hold behind it, and those that are given to no more than calls
    # of which nothing is known.
    held_inputs: tuple[int, ...] = ()
    lent_inputs: tuple[int, ...] = ()
    returned: Returned = None
    # Whether it reads or changes what objects hold, or would, had it the heap.
    works_on_objects: bool = False
    # Whether it gives objects to what isn't written in Python: where these may have derivatives,
    # that is refused.
    takes_apart: bool = False
    # Whether it calls a solver by its rule, which is for first derivatives.
    calls_solver: bool = False
    reads_objects: bool = False
    # The user's classes of which it makes objects, without the heap, and exceptions.
    classes_made: frozenset[type] = frozenset()
    # Inputs that may get into objects, as far as the heap is not taken.
    stored: Flow = NOTHING
    # Inputs that get into globals, where their derivatives end.
    lost: Flow = NOTHING
    # The operations of the source that change inputs, and whether one may fail behind that.
    changes: frozenset[Op] = frozenset()
    may_fail_midway: bool = False
    is_done: bool = False
    # While it is part of a recursion (`zyg.compiler.recursions`): whether it was asked for while it
    # was open, the open ones that it rests on, whether it has to be made again, whether what rests
    # on it has changed, and how often it was made.
    is_recursive: bool = False
    rests_on: set[Specialisation] = made(set)
    is_stale: bool = False
    has_unsettled: bool = False
    rounds: int = 0
    # The compilation in which its guards were looked at.
    checked_in: int = 0
    # The globals and attributes of classes that it reads as they are.
    names: Shared = made(dict)
    # Those whose contents it changes in place, or what it calls and runs as it is.
    changed_names: Shared = made(dict)
    # Those whose contents it changes, and that nobody may read.
    aside: Shared = made(dict)
    # Whether it calls Python code that isn't looked at.
    calls_unseen: bool = False
    # What it rests on of what objects hold.
    asked: Answers = made(dict)

    @property
    def changes_arguments(self) -> bool:
        """Whether inputs other than the heap are changed in place, by whatever name."""
        return any(i != self.heap for i in (*self.updates, *self.spoiled))

    def summary(self) -> object:
        """What callers rest on."""
        return (
            self.result, self.flow, self.updates, tuple(self.effects), self.spoiled,
            self.returned, self.works_on_objects, self.stored, self.lost, self.changes,
            self.may_fail_midway, self.held_inputs, self.lent_inputs,
        )

    @property
    def value_type(self) -> Type:
        """The type of what the function returns to its caller."""
        if not self.updates or not isinstance(self.result, Tuple):
            return self.result
        return self.result.items[0]

    @property
    def heap(self) -> int | None:
        """The number of the input that is the heap."""
        return next((i for i, type_ in enumerate(self.inputs) if type_ == HEAP), None)

    def with_bars(self, active: Flow) -> list[int]:
        """The active inputs that have cotangents of their own: those of objects are in the table
        of the heap."""
        if self.heap is None:
            return sorted(active)
        return [
            i for i in sorted(active - {self.heap}) if not is_object_type(self.inputs[i])
        ]

    @property
    def handed_out(self) -> tuple[int, ...]:
        """The inputs whose last versions generated code returns behind the value.

        The heap is a token, whose versions are the same when the program runs.
        """
        return tuple(i for i in self.updates if self.inputs[i] != HEAP)

    @property
    def returned_type(self) -> Type:
        """The type of what generated code returns: the value, or a tuple with the versions."""
        if not self.handed_out or not isinstance(self.result, Tuple):
            return self.value_type
        types_ = self.result.items[1:]
        kept = [t for i, t in zip(self.updates, types_, strict=True) if i in self.handed_out]
        return Tuple((self.result.items[0], *kept))

    def calls_itself(self) -> bool:
        """Whether it is part of a recursion."""
        return any(self in one.callees for one in self.with_callees())

    def with_callees(self) -> list[Specialisation]:
        """This function and all that it calls."""
        seen: dict[Specialisation, None] = {}
        pending = [self]
        while pending:
            current = pending.pop()
            if current not in seen:
                seen[current] = None
                pending += current.callees
        return list(seen)

    def all_guards(self) -> list[AnyGuard]:
        """The guards of this function and of all that it calls."""
        found: dict[object, AnyGuard] = {}
        for one in self.with_callees():
            found.update(one.guards)
        return list(found.values())


    def all_names(self) -> Shared:
        """The names that this function and all that it calls read as they are."""
        found: Shared = {}
        for one in self.with_callees():
            if one.is_done:  # others run as they are, or not at all
                found.update(one.names)
        return found

    def all_changed_names(self) -> Shared:
        """The names whose contents this function, or what it calls, changes in place."""
        found: Shared = {}
        for one in self.with_callees():
            found.update(one.changed_names)
        return found


@node
class Target:
    """A Python function that a call can be resolved to, with its captured variables' types."""

    source: Function
    captures: tuple[Type, ...]
    defaults: tuple[Type, ...]
    kwdefaults: dict[str, Type]
    function: types.FunctionType | None


def parameter_type(type_: Type) -> Type:
    """The type under which an argument is passed on: literals other than flags are widened."""
    match type_:
        case Known(value) if value is None or isinstance(value, bool | str):
            return type_
        case Tuple(items):
            return Tuple(tuple(map(parameter_type, items)))
        case _:
            return canonical(widen(type_))


def setting_type(type_: Type) -> Type:
    """The same for an argument of a library's function, where whole numbers stay, too."""
    match type_:
        case Known(value) if type(value) is int:
            return type_
        case Known(value) if type(value) is tuple:
            return Tuple(tuple([setting_type(Known(item)) for item in value]))
        case Tuple(items):
            return Tuple(tuple(map(setting_type, items)))
        case _:
            return parameter_type(type_)


def widening(source: Function, opened: Iterable[Specialisation]) -> Callable[[Type], Type]:
    """How the types of a call's arguments become its signature. An axis, or how many, is part of it
    for what stands for a function of a library, where that doesn't call itself."""
    is_open = any(one.source is source for one in opened)
    return setting_type if is_of_zyg(source.globals) and not is_open else parameter_type


def canonical(type_: Type) -> Type:
    """A type as the signature of a callee has it (symbols of sizes are renumbered there)."""
    return type_


def is_unknown(type_: Type) -> bool:
    """Whether nothing is known of a value, or not how many dimensions it has."""
    return type_ == TOP or (isinstance(type_, Array) and type_.dims is None)


def is_exact(type_: Type) -> bool:
    """Whether values of a type are whole numbers: counts, of which nobody takes a derivative."""
    cls = class_of(type_)
    return cls is not None and issubclass(cls, int | np.integer)
