"""Calls found at run time that are taken to leave objects alone, and refused where they don't.

    y = f(x)           unless_on_objects(f, x)
                       y = f(x)
                       unless_giving_objects(y)

A gradient inside of differentiated code is made of what is known of objects
(`zyg.compiler.inference.fields`), and a call of which nothing is known might store anything into
them. Most don't. So such a program is looked at once more, with what isn't known set apart: what
attributes hold stays known.
"""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Operand, Value, type_of
from ir.derived import is_named_tuple
from ir.inference.callees import Choice
from ir.late import late
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import CHANGING
from ir.types import Closure, Known, Type, Union
from zyg.compiler.inference.objects import (
    OPERATORS,
    is_error,
    is_place,
    may_overload,
    overloads,
)
from zyg.compiler.overwriting.mutation import MUTATING_FUNCTIONS, MUTATING_METHODS
from zyg.compiler.run_time.refusals import full_name, refuse_output
from zyg.errors import NotDifferentiable
from zyg.held.made_errors import is_made
from zyg.held.reaching import items_held, reached
from zyg.rules.registry import constant
from zyg.signature import BACK, BackFunction, is_users

if TYPE_CHECKING:
    from zyg.compiler.nested import found_calls
else:  # it stands above, and few programs need it
    found_calls = late("zyg.compiler.nested.found_calls")

_CHANGING = {id(function) for function in (object.__setattr__, *IN_PLACE)} | CHANGING | (
    MUTATING_FUNCTIONS
)
_METHODS = {name for names in OPERATORS.values() for name in names if name is not None} | {
    "__missing__", "__len__", "__bool__", "__contains__",
}


def is_found(callee: Type) -> bool:
    """Whether the run time finds what a call does, and can tell that it leaves objects alone."""
    if isinstance(callee, Union):
        return any(map(is_found, callee.members))
    if not isinstance(callee, Known | Closure):
        return callee != BACK
    return isinstance(callee, Known) and callee.value is primitives.apply


def unknown_operands(
    callee: object, operands: list[Operand], module_globals: dict[str, Any]
) -> list[Operand]:
    """The operands of an operator of which a method may be asked, and nothing is known."""
    types_ = list(map(type_of, operands))
    if not may_overload(callee, types_, module_globals) or may_overload(callee, types_, {}):
        return []
    return [operand for operand in operands if isinstance(operand, Value)]


def unless_on_objects(function: Any, *args: Any, **kwargs: Any) -> None:
    """Raises for a call that may store into objects, or change what they hold."""
    if function is primitives.apply:
        function, given, keywords = args
        unless_on_objects(function, *given, **keywords)
        return
    is_method = isinstance(function, types.BuiltinMethodType)
    if id(function) in _CHANGING or (is_method and function.__name__ in MUTATING_METHODS):
        raise _refused(function)
    is_made = isinstance(function, type) and (
        issubclass(function, BaseException) or function is functools.partial
    )
    if is_made or isinstance(function, BackFunction) or is_named_tuple(function):
        return
    refuse_output(function, args, kwargs)
    if type(function) is functools.partial:
        unless_on_objects(function.func, *function.args, *args, **{**function.keywords, **kwargs})
        return
    unless_operators_of_objects(*args)
    found_calls.unless_on_objects(function, args, kwargs)


def _refused(function: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"{full_name(function)} may change objects, in code whose gradient is differentiated "
        "in turn, and is found at run time; call it by its name"
    )


def unless_operators_of_objects(*operands: Any) -> None:
    """Raises for objects whose class answers operators."""
    for operand in operands:
        cls = type(operand)
        if is_users(cls) and any(overloads(cls, name) for name in _METHODS):
            raise NotDifferentiable(
                f"an operator of class {cls.__name__} is found at run time, in code whose gradient "
                "is differentiated in turn; call a method by its name"
            )


def unless_giving_objects(value: Any) -> None:
    """Raises for what holds objects: of these nothing would be known."""
    found = class_of_held(value)
    if found is not None:
        raise NotDifferentiable(
            f"a call that is found at run time gives a {found.__name__}, in code whose "
            "gradient is differentiated in turn; call it by its name"
        )


def unless_choice(value: Any, choice: Choice) -> None:
    """Raises for a callable that is none of those that a variable may hold, as far as is known."""
    if not choice.holds_for(value):
        name = full_name(value)
        raise NotDifferentiable(
            f"{name} is called where others were known to be, in code whose gradient is "
            "differentiated in turn; call it by its name"
        )


def unless_made(error: BaseException, classes: tuple[type, ...]) -> None:
    """Raises for an exception of which nobody knows what it holds."""
    if type(error) not in classes or not is_made(error):
        raise NotDifferentiable(
            f"what a caught {type(error).__name__} holds is used, which the program didn't make, "
            "in code whose gradient is differentiated in turn"
        )


def unless_known_name(obj: Any, name: Any, known: tuple[str, ...]) -> None:
    """Raises for an attribute that the program nowhere else stores or reads."""
    if name not in known:
        raise NotDifferentiable(
            f"the attribute `{name}` of a {type(obj).__name__} is read or stored by a name that is "
            "computed, and by none that code has, and the derivative is differentiated in turn; "
            "name it in the program"
        )


def unless_known_owner(obj: Any, name: str, classes: tuple[type, ...]) -> None:
    """Raises for a store into an object of which nothing is known, if it is of none of the classes
    of whose objects the program knows such an attribute."""
    if is_error(type(obj)):
        unless_made(obj, classes)
    elif type(obj) not in classes:
        raise NotDifferentiable(
            f"the attribute `{name}` is stored into a {type(obj).__name__}, which is found at run "
            "time, in code whose derivative is differentiated in turn"
        )


def unless_place(value: Any, name: str) -> None:
    """Raises for an object of which an attribute is read, and nothing was known before."""
    is_plain = isinstance(value, BaseException) and name != "args" and hasattr(BaseException, name)
    if is_place(type(value)) and not is_plain:
        raise NotDifferentiable(
            f"the attribute `{name}` is read of a {type(value).__name__}, which is found at run "
            "time, in code whose derivative is differentiated in turn"
        )


def class_of_held(value: Any) -> type | None:
    """The class of an object that a value is, or holds; None if there is none."""
    classes = map(type, reached(value, items_held))
    return next((cls for cls in classes if is_place(cls) and not is_error(cls)), None)


constant(
    unless_on_objects, unless_operators_of_objects, unless_giving_objects, unless_place,
    unless_choice, unless_known_name, unless_known_owner, unless_made,
)
facts.effect(
    unless_on_objects, unless_operators_of_objects, unless_giving_objects, unless_place,
    unless_choice, unless_known_name, unless_known_owner, unless_made,
)
