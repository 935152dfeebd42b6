"""Cotangents of objects as attributes of objects, where they are differentiated in turn.

    heap_bar = new_table()                     one for each call of an inner gradient
    b_bar = bars_of(heap_bar, Body_bars, b)    an object that holds the cotangents of `b`
    b_bar.x = b_bar.x + y_bar * t

A program differentiates what it does with such a table as it does all that it does with objects.
Tangents stand in such objects too: one table for each call of `jvp` inside of differentiated code.
"""

from __future__ import annotations

from typing import Any

from ir import facts
from ir.forgettable import forgettable
from ir.heap import Identity
from ir.types import TOP, Instance, Known, Type
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import UNTOUCHED


class Bars:
    """The cotangents, or the tangents, of what one object holds; None is a structural zero."""

    # The class of that object.
    of: type = object


@forgettable(maxsize=4096)
def bars_class(cls: type) -> type[Bars]:
    """The class of the cotangents of the objects of a class."""
    return type(f"{cls.__name__}_bars", (Bars,), {"of": cls})


@forgettable(maxsize=4096)
def dots_class(cls: type) -> type[Bars]:
    """The class of the tangents of the objects of a class."""
    return type(f"{cls.__name__}_dots", (Bars,), {"of": cls})


class BarTable:
    """The cotangents, or the tangents, of objects, which are known by their identity."""

    __slots__ = ("_by_id",)

    def __init__(self) -> None:
        # The object is kept, so that its `id` stays its own.
        self._by_id: dict[int, tuple[Any, Bars]] = {}

    def bars_of(self, cls: type[Bars], obj: Any, names: tuple[str, ...], zero: Any) -> Bars:
        """The cotangents of an object, which have some attributes from here on."""
        found = self._by_id.get(id(obj))
        if found is None:
            found = self._by_id[id(obj)] = obj, cls()
        held = found[1].__dict__
        for name in names:
            if held.get(name) is None:  # or a structural zero that became a number
                held[name] = zero
        return found[1]

    def found(self, obj: Any) -> Bars | None:
        """The cotangents of an object, if it has any."""
        known = self._by_id.get(id(obj))
        return None if known is None else known[1]


TABLE = Instance(BarTable)


def new_table() -> BarTable:
    return BarTable()


def bars_of(table: BarTable, cls: type[Bars], obj: Any, *names: str) -> Bars:
    """The cotangents of an object, those of some attributes among them."""
    return table.bars_of(cls, obj, names, None)


def number_bars_of(table: BarTable, cls: type[Bars], obj: Any, *names: str) -> Bars:
    """The same for attributes whose cotangents are numbers."""
    return table.bars_of(cls, obj, names, UNTOUCHED)


def unless_moved(obj: Any, bar: Any) -> None:
    """Raises for a cotangent of an object that isn't in the table, by names of attributes."""
    obj = obj.value if isinstance(obj, Identity) else obj
    if bar is not None and not (isinstance(bar, dict) and all(b is None for b in bar.values())):
        raise NotDifferentiable(
            f"a {type(obj).__name__} is read by a call that zyg differentiates apart from the code "
            "around it, which changes objects, and is differentiated more than once"
        )


facts.effect(unless_moved)
facts.fresh(new_table)
# What they hold is made where it is asked for, and is the same from then on.
facts.pure(bars_of, number_bars_of)


@facts.result(new_table)
def _table_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return TABLE


@facts.result(bars_of, number_bars_of)
def _bars_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = args[1]
    return Instance(cls.value) if isinstance(cls, Known) else TOP
