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

from ir import facts, primitives
from ir.binding import CannotBind, bind
from ir.core import Const, Location, Operand, type_of
from ir.errors import NeedsHeap, Unsupported
from ir.heap import TOKEN
from ir.inference.typed_calls import TypedCalls
from ir.types import Tuple, Union
from zyg.compiler.calling import calling
from zyg.compiler.forward_mode import inner_tangents
from zyg.compiler.forward_mode.tangent_code import tangents_of
from zyg.compiler.inference.object_needs import note_lost
from zyg.compiler.inference.objects import holds_no_objects, shows_objects
from zyg.compiler.nested.inner_gradients import expansions
from zyg.compiler.nested.nesting import (
    held_inputs,
    keywords_of,
    passed,
    read_captured,
    read_own_defaults,
    refuse_contents,
    refuse_unsettled,
    specialised,
    takes,
    with_contents,
)
from zyg.compiler.reverse.cotangent_types import is_none, is_numeric
from zyg.compiler.run_time.apart import class_of_held
from zyg.compiler.specialise import Specialiser
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant
from zyg.tangents.tangent import tangent_like, zero_tangent

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
            return _found_at_run_time(inference, function, xs, dots, loc)
        source = calling(function.value, len(xs), ())
        inputs, places, starred = list(xs), list(range(len(xs))), None
    else:
        source = target.source
        try:
            bound: list[Any] = bind(
                source, list(range(len(xs))), {}, *read_own_defaults(inference, function, target),
                list, lambda items: keywords_of(inference, dict(items)),
            )
        except CannotBind:
            raise Unsupported(
                "jvp of a function with other parameters", loc, advice=ADVICE
            ) from None
        captured = [
            read_captured(inference, function, value.name, type_)
            for value, type_ in zip(source.captured, target.captures, strict=True)
        ]
        inputs = [*captured, *(passed(inference, item, xs) for item in bound)]
        at = [
            next(j for j, item in enumerate(bound) if item == i or takes(item, i))
            for i in range(len(xs))
        ]
        places = [len(captured) + j for j in at]
        starred = next((len(captured) + j for j in at if isinstance(bound[j], list)), None)
    active_places = [k for k, dot in zip(places, dots, strict=True) if not is_none(dot)]
    made, heap = specialised(specialiser, inference, source, inputs, active_places, loc)
    inference.works_on_objects |= made.works_on_objects
    if heap is not None:
        refuse_unsettled(specialiser, made, [], loc)
        held = held_inputs(specialiser, made, [k + (k >= heap) for k in active_places])
        inputs.insert(heap, Const(TOKEN))
        refuse_contents(inference, [inputs[i] for i in held], loc)
        places = [place + (place >= heap) for place in places]
        starred = None if starred is None else starred + (starred >= heap)
    elif inference.heap is not None and made.works_on_objects:
        inputs = [with_contents(inference, operand, loc) for operand in inputs]
    active = frozenset(
        place for place, dot in zip(places, dots, strict=True) if not is_none(dot)
    )
    if heap is None and made.stored & active:
        raise NeedsHeap("jvp of a function that stores into objects", loc)
    if made.lost & active:
        note_lost(specialiser.assigned, made)  # the program is made again with these names shared
        raise Unsupported(
            "jvp of a function that stores into globals, inside of differentiated code", loc,
            advice="let it return what it computes",
        )
    for i in sorted(active):
        if shows_objects(made.inputs[i]):
            raise Unsupported(
                "jvp with respect to objects, inside of differentiated code", loc,
                advice="give it numbers, and let it return what it computes",
            )
        if not holds_no_objects(made.inputs[i]):
            inference.call(unless_objects, inputs[i], Const("is given"), loc=loc)
    compiler = specialiser.derived.__self__
    whole = active if heap is None else active | {heap}
    derived = tangents_of(compiler).derived(made, made.flow & whole)
    given = []
    for i in derived.active:
        if i == starred:
            pairs = [
                (dots[k], xs[k]) for k, place in enumerate(places) if place == starred
            ]
            given.append(_tuple_of_tangents(inference, pairs, loc))
        else:
            k = places.index(i)
            given.append(_checked(inference, dots[k], xs[k], loc))
    pair = inference.call(
        Const(derived), *(inputs[i] for i in derived.passed), *given, loc=loc
    )
    if heap is not None and not holds_no_objects(made.value_type):
        value = inference.call(operator.getitem, pair, Const(0), loc=loc)
        inference.call(unless_objects, value, Const("gives"), loc=loc)
    return pair


def unless_objects(value: Any, part: str) -> None:
    """Raises for objects that a function is given, or `gives`: their tangents would be dicts of
    those of their attributes."""
    found = class_of_held(value)
    if found is not None:
        raise NotDifferentiable(
            f"jvp of a function that {part} a {found.__name__}, inside of differentiated code; "
            "give it numbers, and let it return what it computes"
        )


constant(unless_objects)
facts.effect(unless_objects)


def _found_at_run_time(
    inference: TypedCalls, function: Operand, xs: list[Operand], dots: list[Operand],
    loc: Location | None,
) -> Operand:
    """The same for a function that isn't known when code is made."""
    given = [_checked(inference, dot, x, loc) for dot, x in zip(dots, xs, strict=True)]
    primals = inference.call(primitives.build_tuple, function, *xs, loc=loc)
    tangents = inference.call(primitives.build_tuple, Const(None), *given, loc=loc)
    return inference.call(Const(inner_tangents.tangent_call), primals, tangents, loc=loc)


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


def _tuple_of_tangents(
    inference: TypedCalls, pairs: list[tuple[Operand, Operand]], loc: Location | None
) -> Operand:
    """The tangent of the tuple that a starred parameter takes, from pairs of tangent and value."""
    parts = [
        inference.call(zero_tangent, x, loc=loc) if is_none(dot)
        else _checked(inference, dot, x, loc)
        for dot, x in pairs
    ]
    return inference.call(primitives.build_tuple, *parts, loc=loc)


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
