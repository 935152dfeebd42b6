"""Texts of objects, which methods of the user's classes make: these must change nothing.

    print(p)          ->  unchanged_by(print, p)            where `type(p).__str__` may change p
    f"{value}"        ->  unchanged_by(format_value, value, None, "")

where nothing is known of the class of `value`. What such a method changes would have no derivative,
since its caller is written in C. `str(p)` and `repr(p)` of an object whose class is known are calls
of its method, and differentiated.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Operand, type_of
from ir.forgettable import forgettable
from ir.types import TOP, Known, Scalar, Top, Type, Union, class_of
from zyg.compiler.inference.asked import EACH
from zyg.compiler.inference.objects import is_place, lookup
from zyg.errors import NotDifferentiable
from zyg.held.reaching import attributes_of
from zyg.rules.registry import constant
from zyg.signature import is_users

METHODS = ("__format__", "__str__", "__repr__")
CHANGES = frozenset([
    "STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL",
    "DELETE_GLOBAL",
])  # fmt: skip
# What is called under other names, and is no Python code, is taken to change nothing.
CHANGING = frozenset(
    "append appendleft extend extendleft insert pop popleft popitem remove discard add clear sort "
    "reverse rotate update setdefault subtract fill put resize partition itemset setflags "
    "__setattr__ __setitem__ __delattr__ __delitem__ __next__ send throw __dict__ setattr delattr "
    "next vars exec eval".split()
)


def may_change_by_text(args: list[Operand], kwargs: dict[str, Operand]) -> bool:
    """Whether a call that makes texts may run a method that changes objects."""
    return any(_may_change(type_of(arg)) for arg in (*args, *kwargs.values()))


def _may_change(type_: Type) -> bool:
    match type_:
        case Top():
            return True
        case Union(members):
            return any(map(_may_change, members))
        case Known(value):
            return not isinstance(value, type | types.FunctionType) and changing_in(value)
    item = facts.item_of(type_)
    cls: Any = class_of(type_)
    if cls is None:
        return True
    if cls is np.ndarray or issubclass(cls, str | int | float | complex | np.generic | None):
        return False
    return changes_by_text(cls) or (cls in (list, tuple, dict, set) and _may_change(item))


@forgettable(maxsize=1024)
def changes_by_text(cls: type) -> bool:
    """Whether a method of a user's class that makes a text may change objects."""
    return may_change_by(cls, METHODS)


def may_change_by(cls: type, methods: tuple[str, ...]) -> bool:
    """Whether some methods of a user's class may change objects."""
    return any(_changes(function) for function in _functions(cls, methods))


@forgettable(maxsize=1024)
def text_functions(cls: type) -> list[types.FunctionType]:
    """The methods of a user's class that make texts, and what they call, as far as names tell."""
    return _functions(cls, METHODS)


def _functions(cls: type, methods: tuple[str, ...]) -> list[types.FunctionType]:
    found: dict[types.CodeType, types.FunctionType] = {}
    pending = [lookup(cls, name) for name in methods] if is_users(cls) else []
    while pending:
        function = pending.pop()
        function = function.fget if isinstance(function, property) else function
        function = getattr(function, "__func__", function)
        if isinstance(function, types.FunctionType) and function.__code__ not in found:
            found[function.__code__] = function
            for name in _names(function):
                pending += [lookup(cls, name), function.__globals__.get(name)]
    return list(found.values())


def _names(function: types.FunctionType) -> set[str]:
    """The globals and attributes that Python code refers to."""
    return {name for code in _codes(function.__code__) for name in code.co_names}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _codes(part)


def _changes(function: types.FunctionType) -> bool:
    if not CHANGING.isdisjoint(_names(function)):
        return True
    return any(
        instruction.opname in CHANGES
        or (instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars)
        or (instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("="))
        for code in _codes(function.__code__)
        for instruction in dis.get_instructions(code)
    )


def changing_in(value: Any) -> bool:
    """Whether a value is, or a container of Python's holds, an object that its text may change."""
    pending, seen = [value], set()
    while pending:
        current = pending.pop()
        cls: Any = type(current)
        if cls in (list, tuple, set, frozenset, dict):
            if id(current) not in seen:
                seen.add(id(current))
                pending.extend([*current, *current.values()] if cls is dict else current)
        elif changes_by_text(cls):
            return True
    return False


def unchanged_by(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A call that makes texts; raises where this has changed what its arguments hold."""
    given = [*args, *kwargs.values()]
    if not changing_in(given):
        return function(*args, **kwargs)
    before = list(_held(given))
    result = function(*args, **kwargs)
    if function is map or function is filter:
        result = iter([*result])
    after = list(_held(given))
    if len(before) != len(after) or not all(map(_is_same, before, after)):
        classes = {type(item).__name__ for item in before if is_place(type(item))}
        name = "an f-string" if function is primitives.format_value else function.__name__
        raise NotDifferentiable(
            f"{name} called a method of {' or '.join(sorted(classes))} that changes objects, which "
            "has no derivative: call the method itself before, and use its text"
        )
    return result


constant(unchanged_by)


@facts.result(unchanged_by)
def _text_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args[0]:
        case Known(function) if function is print:
            return Known(None)
        case Known(function) if not any(function is each for each in EACH):
            return Scalar(str)
        case _:
            return TOP


def _is_same(before: Any, after: Any) -> bool:
    return before is after or (type(before) is bytes and before == after)


def _held(value: Any) -> Iterator[Any]:
    """All that can be reached from a value, in order, and the contents of arrays as bytes."""
    pending, seen = [value], set()
    while pending:
        current = pending.pop()
        yield current
        if id(current) in seen:
            continue
        seen.add(id(current))
        cls: Any = type(current)
        if isinstance(current, dict):
            pending += [*current, *current.values()]
        elif isinstance(current, list | tuple | set | frozenset):
            pending.extend(current)
        elif isinstance(current, np.ndarray):
            yield current.tobytes()
        elif is_place(cls):
            pending.extend(attributes_of(current).values())
            for function in text_functions(cls):
                named = _names(function).intersection(function.__globals__)
                pending += [function.__globals__[name] for name in sorted(named)]
                pending += [cell.cell_contents for cell in function.__closure__ or ()]
