"""Forward mode inside differentiated code: `jvp(f, xs, x_dots)` becomes a tangent function.

    def slope(x):                                  def slope(x):
        return zyg.jvp(f, (x,), (1.0,))[1]             y, y_dot = f_tangent(x, 1.0)
                                                       return y_dot

That is IR like any other, so that it is differentiated in turn, in either mode.
"""

from __future__ import annotations

import operator
import types
from typing import Any

from ir import primitives
from ir.binding import CannotBind, bind
from ir.core import Const, Location, Operand, type_of
from ir.errors import Unsupported
from ir.typed_calls import TypedCalls
from ir.types import Tuple, Union
from zyg.compiler.calling import calling
from zyg.compiler.nesting import expansions, read_captured, read_own_defaults
from zyg.compiler.specialisation import parameter_type
from zyg.compiler.specialise import Specialiser
from zyg.compiler.tangent_code import tangents_of
from zyg.compiler.tangents import is_none, is_numeric
from zyg.tangent import tangent_like

ADVICE = "call it with a function and with tuples of numbers and arrays, written where it is called"


def expanded_jvp(
    specialiser: Specialiser, inference: TypedCalls, args: list[Operand],
    kwargs: dict[str, Operand], loc: Location | None,
) -> Operand:
    """The value and tangent of a call that differentiates along tangents."""
    if len(args) != 3 or kwargs:
        raise Unsupported("this call of jvp inside of differentiated code", loc, advice=ADVICE)
    function = args[0]
    xs, dots = (_items(inference, operand, loc) for operand in args[1:])
    if xs is None or dots is None or len(xs) != len(dots):
        raise Unsupported(
            "jvp of arguments that aren't known one by one, inside of differentiated code", loc,
            advice=ADVICE,
        )
    target = specialiser.target(type_of(function))
    if target is None:
        if not isinstance(function, Const) or isinstance(function.value, types.FunctionType):
            raise Unsupported(
                "jvp of a function that isn't known, inside of differentiated code", loc,
                advice=ADVICE,
            )
        source = calling(function.value, len(xs), ())
        inputs, places = list(xs), list(range(len(xs)))
    else:
        source = target.source
        try:
            bound: list[Any] = bind(
                source, list(range(len(xs))), {}, *read_own_defaults(inference, function, target),
                lambda items: None, lambda items: None,
            )
        except CannotBind:
            bound = [None]
        if any(item is None for item in bound):
            raise Unsupported("jvp of a function with starred parameters", loc, advice=ADVICE)
        captured = [
            read_captured(inference, function, value.name, type_)
            for value, type_ in zip(source.captured, target.captures, strict=True)
        ]
        inputs = [*captured, *(xs[item] if isinstance(item, int) else item for item in bound)]
        places = [len(captured) + bound.index(i) for i in range(len(xs))]
    made = specialiser.specialise(source, [parameter_type(type_of(o)) for o in inputs])
    active = frozenset(
        place for place, dot in zip(places, dots, strict=True) if not is_none(dot)
    )
    if made.updates or made.works_on_objects or (made.stored | made.lost) & active:
        raise Unsupported(
            "jvp of a function that changes its arguments or works on objects, inside of "
            "differentiated code", loc, advice="let it return what it computes",
        )
    compiler = specialiser.derived.__self__
    derived = tangents_of(compiler).derived(made, made.flow & active)
    given = []
    for i in derived.active:
        k = places.index(i)
        given.append(_checked(inference, dots[k], xs[k], loc))
    return inference.call(
        Const(derived), *(inputs[i] for i in derived.passed), *given, loc=loc
    )


def _items(
    inference: TypedCalls, operand: Operand, loc: Location | None
) -> list[Operand] | None:
    """The items of a tuple whose length is known."""
    parts, type_ = inference.parts(operand), type_of(operand)
    if parts is not None or not isinstance(type_, Tuple):
        return parts
    return [
        inference.call(Const(operator.getitem), operand, Const(i), loc=loc)
        for i in range(len(type_.items))
    ]


def _checked(
    inference: TypedCalls, dot: Operand, x: Operand, loc: Location | None
) -> Operand:
    """A tangent that was given, which has to have the kind and shape of its argument."""
    if type_of(dot) == type_of(x) and is_numeric(type_of(x)) and not isinstance(type_of(x), Union):
        return dot
    if isinstance(dot, Const) and type(dot.value) in (int, float):
        return inference.call(float, dot, loc=loc)
    return inference.call(tangent_like, dot, x, loc=loc)


def install(jvp: Any) -> None:
    expansions[id(jvp)] = expanded_jvp


__all__ = ["primitives"]
