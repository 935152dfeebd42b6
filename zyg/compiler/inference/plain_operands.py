"""What generated code asks of operands about whose class nothing was known: nothing but values.

    y = a * b      ->  unless_overloaded(a, b); y = a * b
    x = items[i]   ->  unless_own_items(items); x = items[i]

Each raises where the class has code of its own, which would run undifferentiated.
"""

from __future__ import annotations

import collections
import operator
import types
from collections import defaultdict
from typing import Any

import numpy as np

from ir.derived import is_of_users, replaces
from zyg.compiler.inference.objects import ARITHMETIC, is_place, is_sparse_matrix, overloads
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, outdate
from zyg.signature import is_users


def knows_sparse(module_globals: dict[str, Any]) -> bool:
    """Whether a module knows `scipy.sparse`, or something of it."""
    return any(
        str(getattr(value, "__name__" if isinstance(value, types.ModuleType) else "__module__", ""))
        .startswith("scipy.sparse") for value in list(module_globals.values())
    )


def knows_defaults(module_globals: dict[str, Any]) -> bool:
    """Whether a module knows `collections.defaultdict`."""
    return any(
        value is defaultdict or value is collections for value in list(module_globals.values())
    )


OF_MATRICES = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos,
)


def unless_product_of_matrices(callee: Any, *operands: Any) -> None:
    """Raises for operators that mean something else for SciPy's matrices than for arrays."""
    matrices = [x for x in operands if is_sparse_matrix(type(x))]
    others = [x for x in operands if not is_sparse_matrix(type(x))]
    # Sums with an array are a numpy.matrix.
    may_be = is_sparse if callee in (operator.add, operator.sub) else is_number
    if matrices and (
        not all(map(may_be, others)) or (len(matrices) == 2 and may_be is is_number)
    ):
        unless_overloaded(*matrices)
    unless_overloaded(*others)


def is_number(x: Any) -> bool:
    return np.ndim(x) == 0


def unless_overloaded(*operands: Any) -> None:
    """Raises for operands whose class answers operators by code that wasn't looked for."""
    for operand in operands:
        cls = type(operand)
        if is_sparse_matrix(cls):
            raise NotDifferentiable(
                f"of the operators of a scipy.sparse.{cls.__name__}, whose `*` is a product of "
                "matrices, only `@`, sums and multiples are supported, where the module knows "
                f"scipy.sparse: make it a {cls.__name__.replace('matrix', 'array')}"
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
    from zyg.held.reaching import items_held, reached

    if any(is_place(type(found)) or callable(found) for found in reached(value, items_held)):
        raise NotDifferentiable(
            "an object in a container, or one that a function holds, is given to `gradient` inside "
            "of differentiated code that works on objects; give it as an argument of its own"
        )


constant(
    unless_product_of_matrices, unless_overloaded, unless_overloaded_by_users,
    unless_items_overloaded, unless_iterating, unless_own_items, unless_holding_objects,
)
