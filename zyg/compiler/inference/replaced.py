"""Classes that derive from containers and have code of their own for what these do.

    class Doubled(dict):
        def __getitem__(self, key):
            return 2 * super().__getitem__(key)

What such a class reads is differentiated as the functions that it has. Rules of the container's own
methods, which read and store by statements, would come to that code again.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.derived import found_in, is_of_users, replaces
from ir.late import late
from zyg.compiler.overwriting.mutation import MUTATING_METHODS
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant

if TYPE_CHECKING:
    from zyg.compiler.run_time import refusals
else:  # it is for calls that are found at run time
    refusals = late("zyg.compiler.run_time.refusals")

_OF_C = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
)
ADVICE = "let the class hold the container in an attribute"
# Whose rules call the method itself.
_EXACT = ("__getitem__", "__len__", "__contains__")


def unless_replaced(items: Any, method: str) -> None:
    """Raises for a container whose class has code of its own for one of its methods, and for an
    object in the place of one."""
    cls = type(items)
    if replaces(cls, method):
        raise NotDifferentiable(
            f"{cls.__name__} derives from a container and replaces its `{method}`; {ADVICE}"
        )
    from zyg.held.held_checks import unless_storing_itself  # few programs need it

    unless_storing_itself(items, method)


def unless_missing(items: Any, key: Any, otherwise: Any) -> None:
    """Calls the `__getattr__` of a class, which raises, for an item that a dict doesn't have."""
    if key not in items:
        otherwise(items, key)


def hold_in_itself(items: Any) -> None:
    """`items.__dict__ = items`: from here on, attributes are items."""
    items.__dict__ = items


def unless_own(items: Any, name: str) -> None:
    """Raises for an attribute that a container has itself, where its class has one, too."""
    if name in getattr(items, "__dict__", ()):
        raise NotDifferentiable(
            f"the attribute `{name}` of a {type(items).__name__} stands both in it and in its "
            "class; give it another name"
        )


def unless_item_of_dict(items: Any, name: str, is_of_class: bool | None) -> None:
    """Raises unless the attributes of a dict are its items: for a name that its class has, one that
    it hasn't, or (None) one that is stored."""
    if is_of_class and name not in items and vars(items) is not items:
        return
    if vars(items) is not items or (is_of_class and name in items):
        raise NotDifferentiable(
            f"`{name}` is read or stored as an attribute of a {type(items).__name__}, of which zyg "
            "can't tell whether its attributes are its items; ask for the item"
        )
    if is_of_class is False and name not in items:
        getattr(items, name)  # raises


def method_of_base(function: Any) -> Any:
    """What a class written in C has under the name of a bound method, where `super` may have
    passed over code of the user's."""
    cls, name = type(function.__self__), function.__name__
    for base in cls.__mro__:
        found = vars(base).get(name)
        if isinstance(found, _OF_C):
            unless_passed_over(found, (function.__self__,))
            return found
    return getattr(cls, name, None)


def owner_with_derivative(method: Any) -> Any:
    """What a method brings along that may carry a derivative; None for other methods.

    That is a container of a class of the user's, and what has numbers: these methods compute, but
    for those that change a container, whose result is what they are given.
    """
    owner = getattr(method, "__self__", None)
    cls: type = type(owner)
    if is_of_users(cls):
        return owner
    is_of_c = isinstance(method, types.BuiltinMethodType | types.MethodWrapperType)
    if not is_of_c or method.__name__ in MUTATING_METHODS:
        return None
    return owner if refusals.has_reals(owner) else None


def unless_passed_over(function: Any, args: tuple[Any, ...]) -> None:
    """Raises for a method of a container that the class of the object has replaced."""
    if args and is_passed_over(function, type(args[0])) and not refusals.carries_nothing(args):
        raise NotDifferentiable(f"{what_is_passed_over(function, type(args[0]))}; {ADVICE}")


def is_passed_over(function: Any, cls: type) -> bool:
    """Whether a class has replaced a method of the container that it derives from."""
    if not isinstance(function, _OF_C) or function.__name__ in _EXACT:
        return False
    return replaces(cls, function.__name__)


def what_is_passed_over(function: Any, cls: type) -> str:
    return (
        f"{cls.__name__} derives from a container and replaces its `{function.__name__}`: the "
        "method that it replaces can't be differentiated"
    )


def unless_asked_first(more: Any) -> None:
    """Raises for what is asked by `items += more` before the list grows, where nothing told the
    compiler that."""
    cls: type = type(more)
    if cls not in _NUMBERS and found_in(cls, "__radd__") is not None:
        raise NotDifferentiable(
            f"`+=` of a list and a {cls.__name__} gives what the {cls.__name__} makes of both, and "
            "nothing told the compiler that one could stand here; write `x = x + y`, or `x.extend`"
        )


_NUMBERS = (int, float, complex, bool)
_CHECKS = (
    unless_asked_first, unless_own, unless_replaced, unless_missing, hold_in_itself,
    unless_item_of_dict,
)
constant(*_CHECKS)
facts.effect(*_CHECKS)
