"""What inference knows of the items that `itertools` gives.

    pairwise      (list[float])             -> iterator over (float, float)
    chain         (list[float], tuple[int]) -> iterator over float | int
    combinations  (list[float], =2)         -> iterator over (float, float)
"""

from __future__ import annotations

import itertools
from typing import Any

from ir import facts
from ir.library.fact_rules import INT, NONE, declare
from ir.types import (
    BOTTOM,
    TOP,
    Iterator,
    Known,
    Scalar,
    Sequence,
    Tuple,
    Type,
    class_of,
    join,
    join_all,
    widen,
)

MAX_LENGTH = 8  # of tuples whose items have a type each


def _declare_items(at: int, *callees: Any) -> None:
    """Declares iterators over items of the argument at a position."""
    for callee in callees:

        def result(
            args: tuple[Type, ...], kwargs: dict[str, Type], callee: Any = callee
        ) -> Type:
            return Iterator(callee, facts.item_of(args[at])) if len(args) > at else TOP

        declare(callee)(result)


_declare_items(0, itertools.islice, itertools.cycle, itertools.compress)
_declare_items(1, itertools.takewhile, itertools.dropwhile, itertools.filterfalse)


@declare(itertools.chain)
def chain(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(itertools.chain, join_all(map(facts.item_of, args)))


@declare(itertools.pairwise)
def pairwise(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(itertools.pairwise, _row(facts.item_of(args[0]), 2)) if args else TOP


def _row(item: Type, length: Any) -> Type:
    if type(length) is int and 0 <= length <= MAX_LENGTH:
        return Tuple((widen(item),) * length)
    return Sequence(tuple, widen(item))


def _declare_rows(*callees: Any) -> None:
    """Declares iterators over tuples of several items of one iterable."""
    for callee in callees:

        def result(
            args: tuple[Type, ...], kwargs: dict[str, Type], callee: Any = callee
        ) -> Type:
            length = kwargs.get("r") if len(args) < 2 else args[1]
            if not args:
                return TOP
            known = length.value if isinstance(length, Known) else None
            return Iterator(callee, _row(facts.item_of(args[0]), known))

        declare(callee)(result)


_declare_rows(
    itertools.combinations, itertools.permutations, itertools.combinations_with_replacement,
)


@declare(itertools.product)
def product(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    repeat = kwargs.get("repeat", Known(1))
    items = [widen(facts.item_of(arg)) for arg in args]
    if isinstance(repeat, Known) and type(repeat.value) is int:
        if 0 <= repeat.value * len(items) <= MAX_LENGTH:
            return Iterator(itertools.product, Tuple(tuple(items * repeat.value)))
    return Iterator(itertools.product, Sequence(tuple, join_all(items)))


@declare(itertools.zip_longest)
def zip_longest(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    filling = widen(kwargs.get("fillvalue", NONE))
    items = [join(widen(facts.item_of(arg)), filling) for arg in args]
    return Iterator(itertools.zip_longest, Tuple(tuple(items)) if items else BOTTOM)


@declare(itertools.count)
def count(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    numbers = [*args, *kwargs.values()]
    is_whole = all(class_of(x) is int and isinstance(x, Scalar | Known) for x in numbers)
    return Iterator(itertools.count, INT if is_whole else TOP)


@declare(itertools.repeat)
def repeat(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(itertools.repeat, widen(args[0])) if args else TOP
