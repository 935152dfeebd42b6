"""What `len`, `in` and truth ask of values of which no class is known: methods that change nothing.

    n = len(p)         unless_changing(len, p); n = len(p)

where a class that the module knows has a `__len__` which may change objects: what it does would
have no derivative, since nobody sees the call. Where the class is known, it is a call like others.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from ir import facts
from ir.core import Const, Location, Operand, type_of
from ir.place_state import check_call
from ir.typed_calls import TypedCalls
from ir.types import class_of
from zyg.compiler.texts import may_change_by
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant
from zyg.signature import is_users

_TRUTH = ("__bool__", "__len__")
_METHODS = {
    id(len): ("__len__",), id(operator.contains): ("__contains__",), id(bool): _TRUTH,
    id(operator.truth): _TRUTH, id(operator.not_): _TRUTH, id(int): ("__int__", "__index__"),
    id(round): ("__round__",), id(hash): ("__hash__",),
}


def check_asked(
    inference: TypedCalls, callee: Const, args: list[Operand], module_globals: dict[str, Any],
    loc: Location | None,
) -> None:
    """Appends what is looked at in front of a call that may ask an object of an unknown class."""
    methods = _METHODS.get(id(callee.value))
    if methods is None or not args or class_of(type_of(args[0])) is not None:
        return
    classes: list[Any] = [cls for cls in list(module_globals.values()) if isinstance(cls, type)]
    if any(_changes(cls, methods) for cls in classes):
        inference.ops.append(check_call(unless_changing, [callee, args[0]], loc))


def unless_changing(function: Any, value: Any) -> None:
    """Raises where a call asks an object by a method that changes objects."""
    cls: Any = type(value)
    if _changes(cls, _METHODS[id(function)]):
        raise NotDifferentiable(
            f"`{function.__name__}` calls a method of {cls.__name__} that changes objects, where "
            "zyg can't tell the class before: call the method itself, and use what it returns"
        )


@functools.lru_cache(maxsize=1024)
def _changes(cls: type, methods: tuple[str, ...]) -> bool:
    return is_users(cls) and may_change_by(cls, methods)


constant(unless_changing)
facts.effect(unless_changing)
