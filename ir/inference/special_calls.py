"""Calls that inference resolves by itself: their registry, and those of names and of functions.

    load_global('math')                 ->  the module
    read_captured(f, 'x')               ->  what the function captured, where it is made here

More are in `special_attributes`, `special_displays`, `changes` and others. A handler gives the
operands of the results, or None where the call stays a call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from importlib import import_module
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import (
    Call,
    Const,
    Function,
    Lambda,
    Location,
    Operand,
    Value,
    type_of,
)
from ir.heap import new_object
from ir.types import (
    LITERALS,
    Closure,
    Instance,
    Known,
    Type,
)

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

Folded = list[Operand] | None
Special = Callable[
    ["TypedCalls", list[Operand], dict[str, Operand], list[str], "Location | None"], Folded
]
SPECIAL: dict[int, Special] = {}


# Where is registered what is special about functions that few programs call: by their modules, and
# by themselves.
LATE = {
    "dataclasses": "ir.inference.special_dataclasses",
    "ir.imports": "ir.inference.special_imports",
    "ir.patterns": "ir.library.matching_calls",
}


def special_of(callee: object) -> Special | None:
    """What inference does with a call of this function in the place of what it does elsewhere."""
    found = SPECIAL.get(id(callee))
    if found is None:
        late = _late_for(callee)
        if late is not None:
            import_module(late)
            found = SPECIAL.get(id(callee))
    return found


def late(module: str, *callees: object) -> None:
    """Has a module imported when one of these is first called, about which it says what is special.
    """
    _late_callees.update((id(callee), module) for callee in callees)
    _alive.extend(callees)


_late_callees: dict[int, str] = {}
_alive: list[object] = []


def _late_for(callee: Any) -> str | None:
    module = _late_callees.get(id(callee))
    if module is not None:
        return module
    kind = type(callee)
    if kind is FunctionType:
        return LATE.get(callee.__module__)
    is_method = kind is WrapperDescriptorType or kind is MethodDescriptorType
    # The methods behind statements: `dict.__setitem__`.
    return "ir.inference.special_slots" if is_method and callee.__name__.startswith("__") else None


def special(*callees: object) -> Callable[[Special], Special]:
    def register(function: Special) -> Special:
        for callee in callees:
            assert id(callee) not in SPECIAL, f"{callee!r} is special in two ways"
            SPECIAL[id(callee)] = function
        return function

    return register


def typed(
    inference: TypedCalls, callee: object, args: list[Operand], names: list[str],
    loc: Location | None, *types_: Type,
) -> list[Operand]:
    results = [Value(name, type_) for name, type_ in zip(names, types_, strict=True)]
    inference._define(Call(Const(callee), args, {}, results, loc))
    return list(results)


@special(new_object, object.__new__)
def _new_object(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """An object of a known class, without contents."""
    cls = args[0] if len(args) == 1 and not kwargs else None
    if not isinstance(cls, Const) or getattr(cls.value, "__new__", None) is not object.__new__:
        return None
    return typed(self, new_object, args, names, loc, Instance(cls.value))


@special(primitives.load_global)
def _load_global(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[0], Const):
        return None
    if self.globals.get(args[0].value) is primitives.UNBOUND:
        return [Const(primitives.UNBOUND)]
    if self.surroundings.is_shared(self.globals, args[0].value):
        from ir.inference.special_names import read_shared  # few programs share one

        return read_shared(self, self.globals, args[0], names, loc)
    type_ = self.surroundings.global_type(self.globals, args[0].value)
    if isinstance(type_, Known):
        return [Const(type_.value)]
    if self.globals is not self.home and args[0].value in self.globals:
        foreign: list[Operand] = [Const(self.globals), args[0]]
        return typed(self, operator.getitem, foreign, names, loc, type_)
    return typed(self, primitives.load_global, args, names, loc, type_)


@special(primitives.read_captured)
def _read_captured(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[1], Const):
        return None
    function, name = args[0], args[1].value
    made = self.definitions.get(function) if isinstance(function, Value) else None
    if isinstance(made, Lambda):
        for value, operand in zip(made.function.captured, made.captures, strict=True):
            if value.name == name:
                if self.places is not None and self.places.is_watching:
                    return [self.places.held.read_captured(operand, loc)]
                return [operand]
    type_ = type_of(function)
    if isinstance(type_, Closure):
        found = type_.captures[captured_names(type_.code).index(name)]
    else:
        known = self.surroundings.known_function(type_)
        if known is None:
            return None
        found = known[1][[variable.name for variable in known[0].captured].index(name)]
    if isinstance(found, Known):
        return [Const(found.value)]
    return typed(self, primitives.read_captured, args, names, loc, found)


@special(primitives.read_default)
def _read_default(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    function, name, *rest = [*args, Const(None)][:3]
    if not isinstance(name, Const) or not isinstance(place := rest[0], Const):
        return None
    made = self.definitions.get(function) if isinstance(function, Value) else None
    if isinstance(made, Lambda):
        keyword_only = place.value is None
        return [made.kwdefaults[name.value] if keyword_only else made.defaults[place.value]]
    type_ = type_of(function)
    if isinstance(type_, Known) and place.value is None:
        default = (getattr(type_.value, "__kwdefaults__", None) or {}).get(name.value)
        return [Const(default)] if is_literal(default) else None
    if not isinstance(type_, Closure):
        return None
    by_name = dict(type_.kwdefaults)
    found = by_name[name.value] if place.value is None else type_.defaults[place.value]
    if isinstance(found, Known):
        return [Const(found.value)]
    return typed(self, primitives.read_default, args, names, loc, found)


def is_unbound(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is primitives.UNBOUND


def captured_names(code: Any) -> list[str]:
    if isinstance(code, Function):
        return [value.name for value in code.captured]
    return list(code.co_freevars)


def default_names(code: Any, count: int) -> list[str]:
    """The positional parameters that have defaults, which are the last ones."""
    if not isinstance(code, Function):
        return list(code.co_varnames[code.co_argcount - count : code.co_argcount])
    end = code.signature.positional_only + code.signature.positional
    return [value.name for value in code.params[end - count : end]]


def is_literal(value: object) -> bool:
    if type(value) is tuple:
        return all(map(is_literal, value))
    if type(value) is slice:
        return all(map(is_literal, (value.start, value.stop, value.step)))
    return type(value) in LITERALS


def literal_keys(operands: list[Operand]) -> list[str] | None:
    keys = [o.value for o in operands if isinstance(o, Const) and type(o.value) is str]
    return keys if len(keys) == len(operands) else None
