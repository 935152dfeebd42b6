"""Cotangents of objects as attributes of objects, where they are differentiated in turn.

    heap_bar = new_table()                     one for each call of an inner gradient
    b_bar = bars_of(heap_bar, Body_bars, b)    an object that holds the cotangents of `b`
    b_bar.x = b_bar.x + y_bar * t

A program differentiates what it does with such a table as it does all that it does with objects.
"""

from __future__ import annotations

import functools
from typing import Any

from ir import facts
from ir.types import TOP, Instance, Known, Type


class Bars:
    """The cotangents of what one object holds. None, a structural zero, where there is none."""

    # The class of that object.
    of: type = object

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


@functools.lru_cache(maxsize=4096)
def bars_class(cls: type) -> type[Bars]:
    """The class of the cotangents of the objects of a class."""
    return type(f"{cls.__name__}_bars", (Bars,), {"of": cls})


class BarTable:
    """The cotangents of objects, which are known by their identity."""

    __slots__ = ("_by_id",)

    def __init__(self) -> None:
        # The object is kept, so that its `id` stays its own.
        self._by_id: dict[int, tuple[Any, Bars]] = {}

    def bars_of(self, cls: type[Bars], obj: Any, numbers: tuple[str, ...]) -> Bars:
        """The cotangents of an object; those of some attributes are numbers."""
        found = self._by_id.get(id(obj))
        if found is None:
            made = cls()
            for name in numbers:
                setattr(made, name, 0.0)
            found = self._by_id[id(obj)] = obj, made
        return found[1]


TABLE = Instance(BarTable)


def new_table() -> BarTable:
    return BarTable()


def bars_of(table: BarTable, cls: type[Bars], obj: Any, *numbers: str) -> Bars:
    return table.bars_of(cls, obj, numbers)


facts.fresh(new_table)
# What they hold is made where it is asked for, and is the same from then on.
facts.pure(bars_of)


@facts.result(new_table)
def _table_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return TABLE


@facts.result(bars_of)
def _bars_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = args[1]
    return Instance(cls.value) if isinstance(cls, Known) else TOP
