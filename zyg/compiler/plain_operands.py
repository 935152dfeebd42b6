"""What generated code asks of operands about whose class nothing was known: nothing but values.

    y = a * b      ->  unless_overloaded(a, b); y = a * b
    x = items[i]   ->  unless_own_items(items); x = items[i]

Each raises where the class has code of its own, which would run undifferentiated.
"""

from __future__ import annotations

from typing import Any

from ir.derived import is_of_users, replaces
from zyg.compiler.objects import ARITHMETIC, is_place, is_sparse_matrix, overloads
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, outdate
from zyg.signature import is_users


def unless_overloaded(*operands: Any) -> None:
    """Raises for operands whose class answers operators by code that wasn't looked for."""
    for operand in operands:
        cls = type(operand)
        if is_sparse_matrix(cls):
            raise NotDifferentiable(
                f"of the operators of a scipy.sparse.{cls.__name__}, whose `*` is a product of "
                f"matrices, only `@` is supported: make it a "
                f"{cls.__name__.replace('matrix', 'array')}"
            )
    unless_overloaded_by_users(*operands)


def unless_overloaded_by_users(*operands: Any) -> None:
    """The same for `@`, which means the same for all classes of SciPy."""
    for operand in operands:
        cls = type(operand)
        if is_users(cls) and any(overloads(cls, name) for name in ARITHMETIC):
            outdate()  # the next call looks again at what the module knows
            raise NotDifferentiable(
                f"an object of class {cls.__name__} overloads operators, and nothing told the "
                f"compiler that one could stand here; import {cls.__name__} into the module of "
                "this function"
            )


def unless_iterating(items: Any) -> None:
    """Raises for an object of a class whose `__iter__` wasn't looked for."""
    if overloads(type(items), "__iter__"):
        raise NotDifferentiable(
            f"an object of class {type(items).__name__} is iterated over by a gradient inside of "
            "differentiated code; make a list of its items"
        )


def unless_own_items(container: Any) -> None:
    """Raises for a container whose class says itself what its items are, by code that wasn't
    looked for."""
    cls: type = type(container)
    if is_of_users(cls) and any(replaces(cls, name) for name in ("__getitem__", "__iter__")):
        outdate()
        raise NotDifferentiable(
            f"a {cls.__name__} says itself what its items are, and nothing told the compiler that "
            f"one could stand here; import {cls.__name__} into the module of this function"
        )


def unless_items_overloaded(items: Any) -> None:
    """`unless_overloaded` for what is summed; the items of iterators can't be looked at before."""
    if isinstance(items, list | tuple | dict | set):
        unless_overloaded(*items)


def unless_holding_objects(value: Any) -> None:
    """Raises for what holds objects, given to code whose cotangents of them nobody would take."""
    from zyg.compiler.reaching import items_held, reached

    if any(is_place(type(found)) or callable(found) for found in reached(value, items_held)):
        raise NotDifferentiable(
            "an object in a container, or one that a function holds, is given to `gradient` inside "
            "of differentiated code that works on objects; give it as an argument of its own"
        )


constant(
    unless_overloaded, unless_overloaded_by_users, unless_items_overloaded, unless_iterating,
    unless_own_items, unless_holding_objects,
)
