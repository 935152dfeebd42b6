"""Calls with an operand of one of several classes, as branches on which of these it is.

    t = advanced(items)          c = isinstance(items, Evens)
                                 t = if c:
                                     yield advanced(items)
                                 else:
                                     yield advanced(items)

The condition narrows the type in each branch (`ir.narrowing`), where what the call does is known.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.rewrite import Mapping
from ir.special_calls import Folded
from ir.types import Union, class_of

if TYPE_CHECKING:
    from ir.typed_calls import TypedCalls

MAX_CASES = 6


def by_cases(
    self: TypedCalls, callee: object, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """The results of a call whose first operand is of one of some classes; None for others."""
    first, type_ = args[0], type_of(args[0])
    if not isinstance(type_, Union) or not self.surroundings.asks_by_cases():
        return None
    if any(first is asked for asked in self.asked_here):
        return None  # memory is read again, and what was found of it is no more
    classes = {class_of(member) for member in type_.members}
    known = [cls for cls in classes if cls is not None]
    if len(known) < len(classes) or not 1 < len(known) <= MAX_CASES:
        return None
    # A subclass comes before its bases.
    ordered = sorted(known, key=lambda cls: (-len(cls.__mro__), cls.__module__, cls.__qualname__))
    ops, inputs, results = _branches(callee, tuple(ordered), len(args), tuple(names), loc)
    mapping: Mapping = dict(zip(inputs, args, strict=True))
    self.asked_here.append(first)
    try:
        for op in ops:
            self.op(op, mapping)
    finally:
        self.asked_here.pop()
    return [mapping[result] for result in results]


@functools.lru_cache(maxsize=1024)
def _branches(
    callee: object, classes: tuple[type, ...], count: int, names: tuple[str, ...],
    loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches, with their inputs and results; made once, as those of a loop by steps are."""
    inputs = [Value("t") for _ in range(count)]
    results = [Value(name) for name in names]
    return _case(Const(callee), list(classes), inputs, results, loc), inputs, results


def _case(
    callee: Const, classes: list[type], inputs: list[Value], results: list[Value],
    loc: Location | None,
) -> list[Op]:
    if len(classes) == 1:
        return [Call(callee, [*inputs], {}, results, loc)]
    cls, *others = classes
    is_one = Value("t")
    arms = []
    for left in ([cls], others):
        given = [Value(result.name) for result in results]
        arms.append(Block([], _case(callee, left, inputs, given, loc), Yield([*given])))
    test = Call(Const(isinstance), [inputs[0], Const(cls)], {}, [is_one], loc)
    return [test, If(is_one, arms[0], arms[1], results, loc)]
