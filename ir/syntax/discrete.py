"""Values that have no derivative, and by which something may be looked up.

    is_discrete((i, 'left'))     -> True
    is_discrete((i, x))          -> False: another number that is equal has another derivative
"""

from __future__ import annotations

from enum import Enum
from numbers import Integral
from typing import Any

from ir import facts
from ir.library.builtin_facts import fold_decided
from ir.library.fact_rules import BOOL, declare
from ir.types import Known, Tuple, Type, Union, class_of

CLASSES = (bool, int, str, bytes, type(None))


def is_discrete(value: Any) -> bool:
    """Whether a value has no derivative, nor anything that it holds."""
    if type(value) in (tuple, frozenset):
        return all(map(is_discrete, value))
    return type(value) in CLASSES or isinstance(value, Enum | Integral | type)


facts.pure(is_discrete)
facts.fold(is_discrete)(fold_decided)


@declare(is_discrete)
def _answer(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    found = _of_type(args[0])
    return BOOL if found is None else Known(found)


def _of_type(type_: Type) -> bool | None:
    """The answer for values of a type; None if it depends on the value."""
    match type_:
        case Known(value):
            return is_discrete(value)
        case Tuple(items):
            return _common([_of_type(item) for item in items])
        case Union(members):
            answers = {_of_type(member) for member in members}
            return answers.pop() if len(answers) == 1 else None
        case _:
            cls = class_of(type_)
            if cls is None or cls in (tuple, frozenset):
                return None
            return cls in CLASSES or issubclass(cls, Enum | Integral | type)


def _common(answers: list[bool | None]) -> bool | None:
    """Whether all are true, if that is known."""
    if False in answers:
        return False
    return None if None in answers else True
