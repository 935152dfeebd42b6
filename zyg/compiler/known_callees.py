"""Callables that do no more than to call something else: that is called in their place.

    area(shape)    of `singledispatch`     ->  area_of_circle(shape), by the class of `shape`
    square(x)      of `partial(power, 2)`  ->  power(2, x)
    key(point)     of `attrgetter('x')`    ->  point.x
    a - b          of sets                 ->  difference_of_sets(a, b)

What the run time finds (`zyg.compiler.decorated`) is found when code is made, under guards.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts
from ir.core import Call, Const, Location, Operand, type_of
from ir.special_calls import typed
from ir.types import Instance, class_of
from ir.written_out import fields_of_dataclass
from zyg.compiler.guards import AnyGuard, Dispatching, Guard
from zyg.rules.registry import is_constant, rule_of
from zyg.signature import is_dispatching, is_of_fields

if TYPE_CHECKING:
    from ir.typed_calls import TypedCalls

Called: TypeAlias = tuple[Any, list[Operand], dict[str, Operand]]
Guards: TypeAlias = dict[object, AnyGuard]
# What a partial function may hold: nobody changes it, and no derivative goes through it.
_FIXED = (
    int, float, complex, bool, str, bytes, type(None), type, types.FunctionType,
    types.BuiltinFunctionType,
)


def known_callee(
    guards: Guards, callee: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    """The call that a call of a known callable comes to; None for other callables."""
    cls = type(callee)
    if cls is types.FunctionType and is_dispatching(callee):
        return None if _has_rule(callee) else _dispatched(guards, callee, args, kwargs)
    if cls is functools.partial:
        return None if _has_rule(callee) else _of_partial(guards, callee, args, kwargs)
    if cls in (operator.attrgetter, operator.itemgetter) and len(args) == 1 and not kwargs:
        return _read(callee, args[0])
    if callee is operator.sub and class_of(type_of(args[0])) in (set, frozenset):
        from zyg.rules.containers import difference_of_sets  # few programs need it

        return difference_of_sets, args, kwargs
    return None


def known_result(
    inference: TypedCalls, callee: Any, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> Operand | None:
    """What a call of the standard library gives, as far as more is known of it than its name."""
    if is_of_fields(callee) and len(args) == 1 and not kwargs:
        return fields_of_dataclass(inference, args)
    logging = sys.modules.get("logging")
    if logging is not None and callee is logging.getLogger and not kwargs:
        cls = logging.getLoggerClass()
        return typed(inference, callee, args, ["log"], loc, Instance(cls))[0]
    return None


def _has_rule(callee: Any) -> bool:
    return is_constant(callee) or rule_of(callee) is not None


def _dispatched(
    guards: Guards, function: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    cls = class_of(type_of(args[0])) if args else None
    if cls is None:
        return None
    chosen = function.dispatch(cls)
    guards[id(function), cls] = Dispatching(function, cls, chosen)
    return chosen, args, kwargs


def _of_partial(
    guards: Guards, function: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    held = function.args, function.keywords
    if not all(map(_is_fixed, (*held[0], *held[1].values()))):
        return None
    for name, value in held[1].items():
        guards[id(held[1]), name] = Guard(held[1], name, value)
    named: dict[str, Operand] = {name: Const(value) for name, value in held[1].items()}
    return function.func, [*map(Const, held[0]), *args], {**named, **kwargs}


def _is_fixed(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    return isinstance(value, _FIXED)


def _read(getter: Any, of: Operand) -> Called | None:
    """What a getter of one attribute or item reads."""
    _, names = getter.__reduce__()
    if len(names) != 1 or (type(getter) is operator.attrgetter and "." in names[0]):
        return None
    read = getattr if type(getter) is operator.attrgetter else operator.getitem
    return read, [of, Const(names[0])], {}


@facts.fold(operator.attrgetter, operator.itemgetter)
def _getter(call: Call) -> Operand | None:
    """A getter of what is known when code is made, which nobody can change."""
    keys = [arg.value for arg in call.args if isinstance(arg, Const)]
    if call.kwargs or len(keys) < len(call.args) or not all(type(k) in (str, int) for k in keys):
        return None
    assert isinstance(call.callee, Const)
    return Const(call.callee.value(*keys)) if keys else None
