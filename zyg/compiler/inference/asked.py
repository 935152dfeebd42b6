"""What calls ask of objects: methods that must change nothing, where no class is known.

    n = len(p)         unless_changing(len, p); n = len(p)

where a class that the module knows has a `__len__` which may change objects: what it does would
have no derivative, since nobody sees the call. Where the class is known, it is a call like others.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Const, Location, Operand, type_of
from ir.forgettable import forgettable
from ir.inference.typed_calls import TypedCalls
from ir.late import late
from ir.memory.place_state import check_call
from ir.types import class_of
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant
from zyg.signature import is_users

if TYPE_CHECKING:
    from zyg.compiler.inference import texts
else:
    texts = late("zyg.compiler.inference.texts")

TEXTS = (str, repr, ascii, format, print, str.format, primitives.format_value)
# Built-in functions that call one of these for each of several items.
EACH = (map, filter, sorted, min, max)
_MAKING_TEXTS = frozenset(map(id, (*TEXTS, *EACH, operator.mod)))
_TRUTH = ("__bool__", "__len__")
_METHODS = {
    id(len): ("__len__",), id(operator.contains): ("__contains__",), id(bool): _TRUTH,
    id(operator.truth): _TRUTH, id(operator.not_): _TRUTH, id(int): ("__int__", "__index__"),
    id(round): ("__round__",), id(hash): ("__hash__",),
}


def makes_text(callee: object, args: list[Operand], kwargs: dict[str, Operand]) -> bool:
    """Whether a call makes texts of what it is given (`zyg.compiler.inference.texts`)."""
    if id(callee) not in _MAKING_TEXTS:
        return False
    if callee is operator.mod:
        return len(args) == 2 and class_of(type_of(args[0])) is str
    return not any(callee is function for function in EACH) or any(
        isinstance(arg, Const) and any(arg.value is function for function in TEXTS)
        for arg in (*args, *kwargs.values())
    )


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


@forgettable(maxsize=1024)
def _changes(cls: type, methods: tuple[str, ...]) -> bool:
    return is_users(cls) and texts.may_change_by(cls, methods)


constant(unless_changing)
facts.effect(unless_changing)
