"""Calls of `zyg.pullback` inside of differentiated code, with respect to objects.

    y, back = zyg.pullback(lambda body: body.x**2, body)

What `back` does is found when the program runs, apart from the code around it, which would notice
nothing of what is read of `body`. So that is refused, unless objects hold constants alone.
"""

from __future__ import annotations

from typing import Any

from ir import facts
from ir.core import Const, Location, Operand, type_of
from ir.errors import NeedsHeap, Unsupported
from ir.types import Type, class_of
from zyg.compiler.inference.objects import holds_no_objects, is_place
from zyg.compiler.run_time.apart import class_of_held
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant


def check_pullback(
    specialiser: Any, inference: Any, args: list[Operand], loc: Location | None
) -> None:
    """Refuses a pullback with respect to objects in which derivatives may be."""
    is_given_some = any(
        not isinstance(arg, Const) and _is_object(type_of(arg)) for arg in args
    )
    if specialiser.fields is None:
        if is_given_some:
            raise NeedsHeap("a pullback inside of differentiated code is given objects", loc)
        return
    if not specialiser.fields.ask("may_vary_somewhere"):
        return
    if is_given_some:
        raise Unsupported(
            "a pullback with respect to objects, inside of differentiated code", loc,
            advice="call zyg.gradient or zyg.withgradient there, or give the function numbers and "
            "arrays",
        )
    for arg in args:
        if not isinstance(arg, Const) and not holds_no_objects(type_of(arg)):
            inference.call(unless_given_objects, arg, loc=loc)


def _is_object(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and is_place(cls)


def unless_given_objects(value: Any) -> None:
    """Raises for an argument of a pullback that holds objects, of which nothing was known."""
    found = class_of_held(value)
    if found is not None:
        raise NotDifferentiable(
            f"a pullback inside of differentiated code is given a {found.__name__}; call "
            "zyg.gradient or zyg.withgradient there"
        )


constant(unless_given_objects)
facts.effect(unless_given_objects)
