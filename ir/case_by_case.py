"""Calls with an operand of one of several classes, as branches on which of these it is.

    t = advanced(items)          c = isinstance(items, Evens)
                                 t = if c:
                                     yield advanced(items)
                                 else:
                                     yield advanced(items)

The condition narrows the type in each branch (`ir.narrowing`), where what the call does is known.
Calls of a variable that holds one of several functions are branches in the same way.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ir import primitives
from ir.callees import Choice, choices, is_choice
from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.derived import is_asked
from ir.heap import holds_attribute
from ir.rewrite import Mapping
from ir.special_calls import Folded
from ir.types import Instance, Union, class_of

if TYPE_CHECKING:
    from ir.typed_calls import TypedCalls

MAX_CASES = 6


def by_cases(
    self: TypedCalls, callee: object, args: list[Operand], names: list[str], loc: Location | None,
    position: int = 0,
) -> Folded:
    """The results of a call of which one operand, the first one, is of one of some classes; None
    for others."""
    first, type_ = args[position], type_of(args[position])
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
    ops, inputs, results = _branches(
        callee, tuple(ordered), len(args), position, tuple(names), loc
    )
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
    callee: object, classes: tuple[type, ...], count: int, position: int, names: tuple[str, ...],
    loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches, with their inputs and results; made once, as those of a loop by steps are."""
    inputs = [Value("t") for _ in range(count)]
    results = [Value(name) for name in names]
    return _case(Const(callee), list(classes), inputs, position, results, loc), inputs, results


def _case(
    callee: Const, classes: list[type], inputs: list[Value], position: int, results: list[Value],
    loc: Location | None,
) -> list[Op]:
    if len(classes) == 1:
        return [Call(callee, [*inputs], {}, results, loc)]
    cls, *others = classes
    is_one = Value("t")
    arms = []
    for left in ([cls], others):
        given = _renamed(results)
        arms.append(Block([], _case(callee, left, inputs, position, given, loc), Yield([*given])))
    test = Call(Const(isinstance), [inputs[position], Const(cls)], {}, [is_one], loc)
    return [test, If(is_one, arms[0], arms[1], results, loc)]


def _renamed(results: list[Value]) -> list[Value]:
    return [Value(result.name) for result in results]


def asked_by_cases(
    self: TypedCalls, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The same for an operator, which may ask any of its operands, and for an object in a global
    that is called; None for others."""
    method = self.surroundings.called_method(Instance(type(callee.value)))
    if method is not None:
        return self.typed_call(Const(method), [callee, *args], kwargs, names, loc)
    if kwargs or not self.surroundings.is_operator(callee.value):
        return None
    for position, arg in enumerate(args[:2]):
        type_ = type_of(arg)
        if isinstance(type_, Union) and any(map(is_asked, type_.members)):
            found = by_cases(self, callee.value, args, names, loc, position)
            if found is not None:
                return found
    return None


def read_or_default(
    self: TypedCalls, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """The result of `getattr(o, 'x', default)`, for what is stored in an object of a known class;
    None where that isn't asked in code."""
    owner, name, default = args
    assert isinstance(name, Const)
    if not self.surroundings.asks_by_cases() or self.surroundings.member(
        type_of(owner), name.value
    ).kind != "stored":
        return None
    ops, inputs, result = _if_held(name.value, names[0], loc)
    mapping: Mapping = dict(zip(inputs, [owner, default], strict=True))
    for op in ops:
        self.op(op, mapping)
    return [mapping[result]]


@functools.lru_cache(maxsize=1024)
def _if_held(
    name: str, result_name: str, loc: Location | None
) -> tuple[list[Op], tuple[Value, Value], Value]:
    """The branch, with its inputs and its result."""
    owner, default, is_held = Value("t"), Value("t"), Value("t")
    result, read = Value(result_name), Value(result_name)
    test = Call(Const(holds_attribute), [owner, Const(name)], {}, [is_held], loc)
    stored = Block([], [Call(Const(getattr), [owner, Const(name)], {}, [read], loc)], Yield([read]))
    branch = If(is_held, stored, Block([], [], Yield([default])), [result], loc)
    return [test, branch], (owner, default), result


def called_by_cases(
    self: TypedCalls, callee: Value, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results of a call of an object, or one of some known functions or objects; None for
    others."""
    method = self.surroundings.called_method(callee.type)
    if method is not None:
        return self.typed_call(Const(method), [callee, *args], kwargs, names, loc)
    if not isinstance(callee.type, Union) or not self.surroundings.asks_by_cases():
        return None
    found = choices(callee.type)
    if found is None or not 0 < len(found) <= MAX_CASES or any(
        one.kind is Instance and self.surroundings.called_method(Instance(one.of)) is None
        for one in found
    ):
        return None
    ops, inputs, results = _chosen(
        tuple(found), self.surroundings.unless_choice, len(args), tuple(kwargs), tuple(names), loc
    )
    mapping: Mapping = dict(zip(inputs, [callee, *args, *kwargs.values()], strict=True))
    for op in ops:
        self.op(op, mapping)
    return [mapping[result] for result in results]


@functools.lru_cache(maxsize=1024)
def _chosen(
    found: tuple[Choice, ...], unless_choice: object, count: int, keywords: tuple[str, ...],
    names: tuple[str, ...], loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches of a call, with their inputs (the function first) and results."""
    inputs = [Value("t") for _ in range(1 + count + len(keywords))]
    results = [Value(name) for name in names]
    function, args = inputs[0], inputs[1 : 1 + count]
    kwargs: dict[str, Operand] = dict(zip(keywords, inputs[1 + count :], strict=True))

    def case(left: tuple[Choice, ...], given: list[Value]) -> list[Op]:
        choice, *others = left
        if not others:
            check = Call(Const(unless_choice), [function, Const(choice)], {}, [Value("_")], loc)
            known = Value("t")
            operands: list[Operand] = [function, Const(choice), Const(True)]
            narrowed = Call(Const(primitives.narrowed), operands, {}, [known], loc)
            return [check, narrowed, Call(known, [*args], {**kwargs}, given, loc)]
        is_one, first, rest = Value("t"), _renamed(given), _renamed(given)
        test = Call(Const(is_choice), [function, Const(choice)], {}, [is_one], loc)
        arms = (
            Block([], [Call(function, [*args], {**kwargs}, [*first], loc)], Yield([*first])),
            Block([], case(tuple(others), rest), Yield([*rest])),
        )
        return [test, If(is_one, *arms, given, loc)]

    return case(found, results), inputs, results
