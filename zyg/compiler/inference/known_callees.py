"""Callables that do no more than to call something else: that is called in their place.

    area(shape)    of `singledispatch`     ->  area_of_circle(shape), by the class of `shape`
    square(x)      of `partial(power, 2)`  ->  power(2, x)
    key(point)     of `attrgetter('x')`    ->  point.x
    a - b          of sets                 ->  difference_of_sets(a, b)

What the run time finds (`zyg.compiler.run_time.decorated`) is found when code is made, under
guards.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, type_of
from ir.errors import Unsupported
from ir.inference.special_calls import typed
from ir.inference.written_out import fields_of_dataclass
from ir.types import Closure, Instance, Known, NamedTuple, Type, class_of
from zyg.compiler.guards import AnyGuard, Dispatching, Partial
from zyg.compiler.inference.objects import lookup
from zyg.rules.registry import is_constant, rule_of, substitute_of
from zyg.signature import is_by_rules, is_dispatching, is_of_dataclasses

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

Called: TypeAlias = tuple[Any, list[Operand], dict[str, Operand]]
Guards: TypeAlias = dict[object, AnyGuard]
_GETATTR, _GETITEM = Const(getattr), Const(operator.getitem)
# What a partial function may hold: nobody changes it, and no derivative goes through it.
_FIXED = (
    int, float, complex, bool, str, bytes, type(None), type, types.FunctionType,
    types.BuiltinFunctionType,
)


def known_call(
    inference: TypedCalls, guards: Guards, callee: Any, args: list[Operand],
    kwargs: dict[str, Operand], loc: Location | None,
) -> Operand | None:
    """The result of a call of a known callable, if that is code that is known better."""
    result = _known_result(inference, callee, args, kwargs, loc)
    if result is not None:
        return result
    known = _known_callee(guards, callee, args, kwargs)
    if known is None:
        return None
    function, args, kwargs = known
    return inference.typed_call(Const(function), args, kwargs, ["t"], loc)[0]


def maker_of(
    call_type: Callable[..., Type], callee: Const, args: list[Operand], kwargs: dict[str, Operand]
) -> Any:
    """What makes a function in the place of an object, as `operator.methodcaller` gives one.

    It is a function wherever the call stands, also where nothing depends on its arguments; and so
    is a NamedTuple of ours in the place of an object of SciPy's. `call_type` tells what a call
    gives.
    """
    plain = substitute_of(callee.value)
    if plain is None or (
        isinstance(callee.value, types.FunctionType) and not is_by_rules(callee.value)
    ):
        return None
    types_ = tuple(map(type_of, args)), {name: type_of(arg) for name, arg in kwargs.items()}
    made = call_type(Known(callee.value), *types_)
    is_ours = isinstance(made, NamedTuple) and made.cls.__module__.startswith("zyg.rules.")
    return plain if isinstance(made, Closure) or is_ours else None


def _known_callee(
    guards: Guards, callee: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    """The call that a call of a known callable comes to; None for other callables."""
    cls = type(callee)
    if cls is types.FunctionType and is_dispatching(callee):
        return None if _has_rule(callee) else _dispatched(guards, callee, args, kwargs)
    if cls is functools.singledispatchmethod:
        return _dispatched_method(guards, callee, args, kwargs)
    if cls is functools.partial:
        return None if _has_rule(callee) else _of_partial(guards, callee, args, kwargs)
    is_binary = callee is operator.sub and len(args) == 2
    if is_binary and class_of(type_of(args[0])) in (set, frozenset):
        from zyg.rules.containers import difference_of_sets  # few programs need it

        return difference_of_sets, args, kwargs
    return None


def _known_result(
    inference: TypedCalls, callee: Any, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> Operand | None:
    """What a call of the standard library gives, as far as more is known of it than its name."""
    if type(callee) in (operator.attrgetter, operator.itemgetter) and len(args) == 1:
        return None if kwargs else _read(inference, callee, args[0], loc)
    if is_of_dataclasses(callee, "fields") and len(args) == 1 and not kwargs:
        return fields_of_dataclass(inference, args)
    if callee is np.einsum and args and class_of(type_of(args[0])) is not str and not kwargs:
        return _einsum_by_text(inference, args, loc)
    logging = sys.modules.get("logging")
    # Without a name, the root is of a class of its own.
    if logging is not None and callee is logging.getLogger and args and not kwargs:
        cls = logging.getLoggerClass()
        return typed(inference, callee, args, ["log"], loc, Instance(cls))[0]
    return None


def _einsum_by_text(
    inference: TypedCalls, args: list[Operand], loc: Location | None
) -> Operand | None:
    """`einsum(x, [0, 1], [1, 0])` as `einsum("ab->ba", x)`, where the labels are known."""
    from zyg.rules import einsum  # few programs need it

    subscripts_of: Any = einsum.subscripts_of
    given = args[1::2] + args[-1:] * (len(args) % 2)
    labels: list[list[Any]] = []
    for operand in given:
        parts = inference.parts(operand)
        known = [part.value for part in parts or () if isinstance(part, Const)]
        if parts is None or len(known) < len(parts) or not all(map(_is_label, known)):
            return None
        labels.append(known)
    count = len(args) // 2
    text = subscripts_of(labels[:count], *labels[count:])
    operands = [Const(text), *args[: 2 * count : 2]]
    return inference.typed_call(Const(np.einsum), operands, {}, ["t"], loc)[0]


def _is_label(value: object) -> bool:
    return value is ... or (type(value) is int and 0 <= value < 52)


def _has_rule(callee: Any) -> bool:
    return is_constant(callee) or rule_of(callee) is not None


def _dispatched(
    guards: Guards, function: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    cls = class_of(type_of(args[0])) if args else None
    if cls is None or lookup(cls, "__class__") is not lookup(object, "__class__"):
        return None
    chosen = function.dispatch(cls)
    guards[id(function), cls] = Dispatching(function, cls, chosen)
    return chosen, args, kwargs


def _dispatched_method(
    guards: Guards, method: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called:
    found = _dispatched(guards, method.dispatcher, args[1:], kwargs)
    if found is None or not isinstance(found[0], types.FunctionType):
        raise Unsupported(
            "a method that is chosen by the class of its argument, which isn't known when code is "
            "made, in code whose gradient is differentiated in turn", advice="call it by its name",
        )
    return found[0], args, kwargs


def _of_partial(
    guards: Guards, function: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> Called | None:
    func, given, keywords = function.func, function.args, function.keywords
    if not all(map(_is_fixed, (func, *given, *keywords.values()))):
        return None
    guards[id(function), "partial"] = Partial(function, func, given, tuple(keywords.items()))
    named: dict[str, Operand] = {name: Const(value) for name, value in keywords.items()}
    return func, [*map(Const, given), *args], {**named, **kwargs}


def _is_fixed(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    return isinstance(value, _FIXED)


def _read(
    inference: TypedCalls, getter: Any, of: Operand, loc: Location | None
) -> Operand:
    """What a getter reads: an attribute (or one of that), an item, or a tuple of several."""
    _, names = getter.__reduce__()

    def read(name: Any) -> Operand:
        if type(getter) is operator.itemgetter:
            return inference.typed_call(_GETITEM, [of, Const(name)], {}, ["t"], loc)[0]
        found = of
        for part in name.split("."):
            found = inference.typed_call(_GETATTR, [found, Const(part)], {}, ["t"], loc)[0]
        return found

    parts = [read(name) for name in names]
    if len(parts) == 1:
        return parts[0]
    return inference.typed_call(Const(primitives.build_tuple), parts, {}, ["t"], loc)[0]


@facts.fold(operator.attrgetter, operator.itemgetter)
def _getter(call: Call) -> Operand | None:
    """A getter of what is known when code is made, which nobody can change."""
    keys = [arg.value for arg in call.args if isinstance(arg, Const)]
    if call.kwargs or len(keys) < len(call.args) or not all(type(k) in (str, int) for k in keys):
        return None
    assert isinstance(call.callee, Const)
    try:
        return Const(call.callee.value(*keys))
    except TypeError:  # it will be raised when the program runs
        return None
