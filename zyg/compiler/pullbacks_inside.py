"""Calls of `zyg.pullback` inside of differentiated code, where objects may have derivatives.

    y, back = zyg.pullback(lambda t: a.x * t, x)

What `back` does is found when the program runs, apart from the code around it, which would notice
nothing of what is read of `a`. So that is refused, unless objects hold constants alone.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ir import facts
from ir.core import Location, Operand, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.types import Closure, Known, Method, Type, Union, class_of
from zyg.compiler.apart import class_of_held
from zyg.compiler.objects import holds_no_objects, is_place
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant


def check_pullback(
    specialiser: Any, inference: Any, args: list[Operand], loc: Location | None
) -> None:
    """Refuses a pullback that reads or is given objects in which derivatives may be."""
    types_ = list(map(type_of, args))
    works = any(_is_object(type_) for type_ in types_[1:]) or _works_on_objects(
        specialiser, types_
    )
    # Those that globals hold are constants where nothing is stored.
    is_of_globals = not any(map(_reaches_objects, types_))
    if specialiser.fields is None:
        if works and not is_of_globals:
            raise NeedsHeap("a pullback inside of differentiated code works on objects", loc)
        return
    if not specialiser.fields.ask("is_storing" if is_of_globals else "may_vary_somewhere"):
        return
    if works:
        raise Unsupported(
            "a pullback of a function that reads objects, or is given some, inside of "
            "differentiated code", loc, advice="call zyg.gradient or zyg.withgradient there, or "
            "give the function numbers and arrays",
        )
    for arg in args[1:]:
        if not holds_no_objects(type_of(arg)):
            inference.call(unless_given_objects, arg, loc=loc)


def _works_on_objects(specialiser: Any, types_: list[Type]) -> bool:
    function, *given = types_
    match function:
        case Method(method, owner):
            function, given = method, [owner, *given]
    if isinstance(function, Union) or not isinstance(function, Known | Closure):
        # What is found at run time may be anything, where objects are.
        return specialiser.fields is not None
    try:
        return bool(specialiser.works_on_objects(function, tuple(given), {}))
    except (Unsupported, SourceNotFound):
        return specialiser.fields is not None


def _reaches_objects(type_: Type) -> bool:
    """Whether a function or an argument has objects that no global tells."""
    match type_:
        case Closure(captures=captures, defaults=defaults, kwdefaults=kwdefaults):
            held = [*captures, *defaults, *(item for _, item in kwdefaults)]
            return any(map(_reaches_objects, held))
        case Known(FunctionType() as function):
            return function.__closure__ is not None
        case Known():
            return False
    return not holds_no_objects(type_)


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
