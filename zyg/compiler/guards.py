"""What a compilation rests on outside of the code, compared before its code runs again."""

from __future__ import annotations

import types
from typing import Any, TypeAlias

from ir.record import record
from ir.types import TOP, Known, Type, widen
from zyg.signature import abstract

MAX_GLOBAL_ITEMS = 8


@record
class Guard:
    """`container[name]` is still the object, or still has the type, that code was made for."""

    container: Any
    name: str
    expected: Any
    by_type: bool = False

    def holds(self) -> bool:
        try:
            value = self.container[self.name]
        except KeyError:
            return False
        return abstract(value) == self.expected if self.by_type else value is self.expected


@record
class CellGuard:
    """A captured variable still holds a value of the type that code was made for."""

    cell: types.CellType
    expected: Type

    def holds(self) -> bool:
        try:
            return abstract(self.cell.cell_contents) == self.expected
        except ValueError:
            return False


@record
class Absent:
    """A global that would hide a builtin has not appeared."""

    container: Any
    name: str

    def holds(self) -> bool:
        return self.name not in self.container


AnyGuard: TypeAlias = Guard | CellGuard | Absent


def observed(container: Any, name: str) -> tuple[Type, Guard | None]:
    """The type of a global as it is now, and the guard that keeps it."""
    value = container[name]
    if callable(value) or isinstance(value, types.ModuleType) or name == "__match_args__":
        return Known(value), Guard(container, name, value)
    if type(value) in (list, dict, set) and (
        type(value) is set or len(value) > MAX_GLOBAL_ITEMS
    ):
        return TOP, None  # too long to look at on each call
    type_ = widen(abstract(value))
    return type_, Guard(container, name, type_, by_type=True)
