"""Functions that have captured memory which objects may hold, and change before they are called.

    rows = [o.x]               rows = build_list(x)
    f = lambda: rows[0][0]     f = closure[rows]
    o.x[0] = v                 _, heap_1 = updating(stored, ('heap@',), x, 0, v, heap@=heap)
    y = f()                    rows_1 = contents_read(heap_1, rows)
                               f_1 = closure[rows_1]
                               y = f_1()

A function that was made elsewhere is looked at as a whole (`contents_read`): its cotangent is that
of what it has captured. So is one that is given to another function, which may ask which it is.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from typing import TYPE_CHECKING

from ir import facts
from ir.core import Call, Const, Lambda, Location, Operand, Value, type_of
from ir.heap import Heap, Identity, contents_read
from ir.library.container_facts import DICT_ITEMS, DICT_VALUES
from ir.memory.contents import holds_memory
from ir.memory.place_state import check_call
from ir.types import TOP, Closure, Iterator, Method, Tuple, Type, Union, class_of

if TYPE_CHECKING:
    from ir.memory.places import Places


def may_be_memory(type_: Type) -> bool:
    """Whether a value of this type may be an array or container, which an object can hold."""
    if isinstance(type_, Union):
        return any(map(may_be_memory, type_.members))
    if isinstance(type_, Tuple) and all(map(_is_of_objects, type_.items)):
        return False
    cls = class_of(type_)
    if cls is not None and (facts.is_object(cls) or cls in (Heap, Identity)):
        return False
    return holds_memory(type_) and not isinstance(type_, Iterator | Method | Closure)


def _is_of_objects(type_: Type) -> bool:
    """Whether a value is an object, or a tuple of objects."""
    if isinstance(type_, Tuple):
        return all(map(_is_of_objects, type_.items))
    return facts.is_object(class_of(type_) or int)


def is_view(type_: Type) -> bool:
    """Whether a value is a view of the items of a dict, or of its values."""
    return isinstance(type_, Iterator) and type_.cls in (DICT_VALUES, DICT_ITEMS)


def captures_memory(type_: Type) -> bool:
    """Whether a value may be a function that has captured memory, or has it as a default, or one
    that is bound to it."""
    match type_:
        case Union(members):
            return any(map(captures_memory, members))
        case Closure(captures=captures, defaults=defaults, kwdefaults=keywords):
            parts = [*captures, *defaults, *(part for _, part in keywords)]
            return any(
                may_be_memory(part) or captures_memory(part) or isinstance(part, Iterator)
                for part in parts
            )
        case Method(self=owner):
            return may_be_memory(owner)
    return class_of(type_) is functools.partial


def may_be_numbers(type_: Type) -> bool:
    """Whether an item may be, or hold, a number with a derivative that isn't memory by itself."""
    if isinstance(type_, Tuple):
        return any(map(may_be_numbers, type_.items))
    if isinstance(type_, Union):
        return any(map(may_be_numbers, type_.members))
    cls = class_of(type_)
    if cls is None or cls is tuple:
        return True
    return not (
        issubclass(cls, int | str | bytes | list | dict | deque | types.NoneType)
        or facts.is_object(cls) or facts.copies_items(cls)
    )


class HeldFunctions:
    """Follows, in one function, the functions that have captured what objects may hold."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def read(self, value: Operand, loc: Location | None) -> Operand:
        raise AssertionError("given by HeldMemory")

    def read_callee(self, callee: Operand, loc: Location | None) -> Operand:
        """The function to call, with what it has captured as that is now."""
        inference = self._places.inference
        made = inference.definitions.get(callee) if isinstance(callee, Value) else None
        if not isinstance(made, Lambda):
            return self.read_function(callee, loc, is_called=True)
        captures = [self.read_captured(o, loc) for o in made.captures]
        defaults = [self.read_captured(o, loc) for o in made.defaults]
        keywords = {name: self.read_captured(o, loc) for name, o in made.kwdefaults.items()}
        now = [*captures, *defaults, *keywords.values()]
        before = [*made.captures, *made.defaults, *made.kwdefaults.values()]
        if all(new is old for new, old in zip(now, before, strict=True)):
            return callee
        again = Value(made.result.name, made.result.type)
        inference._define(Lambda(made.function, captures, defaults, keywords, again, made.loc))
        return again

    def read_captured(self, operand: Operand, loc: Location | None) -> Operand:
        """What a function has captured, as it is now."""
        if isinstance(operand, Value) and isinstance(operand.type, Method):
            return self._places.read(operand, loc)
        is_function = captures_memory(type_of(operand))
        return self.read_callee(operand, loc) if is_function else self.read(operand, loc)

    def read_function(
        self, function: Operand, loc: Location | None, is_called: bool = False
    ) -> Operand:
        """The same function, whose cotangent is that of what it has captured as that is now."""
        places, state = self._places, self._places.state
        heap = places.inference.heap
        if heap is None or not isinstance(function, Value):
            self._check_constant(function, loc)
            return function
        if not captures_memory(function.type) and not (is_called and function.type == TOP):
            return function
        if places.owner_of_method(function) is not None:
            return function  # it was bound to what its memory is now
        version = state.current.get(heap, heap)
        seen = state.seen.get(places.origin(function))
        if seen is None or seen[0] is not version or seen[2] is not function:
            seen = state.seen.get(function)
        if seen is None or seen[0] is not version:
            state.seen[function] = version, function, function  # while it is looked at
            again = self._function_again(function, version, loc)
            seen = state.seen[function] = version, function, again
            state.seen[again] = seen
        return seen[2]

    def _check_constant(self, function: Operand, loc: Location | None) -> None:
        """Has the program look whether a function that was made before has captured what an object
        holds: code for it takes that as a constant."""
        inference = self._places.inference
        if isinstance(function, Const) and isinstance(function.value, types.FunctionType):
            if inference.surroundings.captures_memory_now(function.value):
                check = inference.surroundings.unless_capturing_held
                inference.ops.append(check_call(check, [function], loc))

    def _function_again(
        self, function: Value, version: Value, loc: Location | None
    ) -> Value:
        return self._read_again(function, function.type, version, loc)

    def _read_again(
        self, before: Value, type_: Type, version: Value, loc: Location | None
    ) -> Value:
        places, inference = self._places, self._places.inference
        again = Value(before.name, type_)
        places.name_again(before, again)
        call = Call(Const(contents_read), [version, before], {}, [again], loc)
        inference.ops.append(call)
        inference.definitions[again] = call
        return again
