"""Calls with an operand of one of several classes, as branches on which of these it is.

    area = getattr(shape, 'area')    c = isinstance(shape, Circle)
    t = area(scale)                  t = if c:
                                         area = getattr(shape, 'area')
                                         yield area(scale)
                                     else:
                                         area = getattr(shape, 'area')
                                         yield area(scale)

The condition narrows the type in each branch (`ir.narrowing`), where what the call does is known.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.record import record
from ir.rewrite import Mapping
from ir.special_calls import Folded
from ir.types import Known, Type, Union, class_of

if TYPE_CHECKING:
    from ir.typed_calls import TypedCalls

MAX_CASES = 6


def by_cases(
    self: TypedCalls, callee: object, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """The results of a call whose first operand is of one of some classes; None for others."""
    return _branched(self, _Called(callee), args, {}, names, loc)


def by_methods(
    self: TypedCalls, method: Operand, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results of a call of a method that was read of an object of one of some classes."""
    read = self.definitions.get(method) if isinstance(method, Value) else None
    match read:
        case Call(Const(callee), [owner, Const(name)]) if callee is getattr:
            if is_method_of_cases(self, type_of(owner), name):
                return _branched(self, _Called(name, True), [owner, *args], kwargs, names, loc)
    return None


def is_method_of_cases(self: TypedCalls, type_: Type, name: str) -> bool:
    """Whether an attribute of objects of one of several classes is a method of each."""
    return isinstance(type_, Union) and all(
        self.surroundings.member(member, name).kind == "method" for member in type_.members
    )


def by_functions(
    self: TypedCalls, callee: Value, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results of a call of one of some known functions."""
    if not isinstance(callee.type, Union):
        return None
    functions = [member.value for member in callee.type.members if isinstance(member, Known)]
    is_known = len(functions) == len(callee.type.members)
    if not is_known or not all(hasattr(function, "__name__") for function in functions):
        return None
    # Ufuncs of NumPy 1 have no `__module__`.
    functions.sort(key=lambda f: (str(getattr(f, "__module__", None)), f.__name__))
    call = _CallOfOne(
        callee, [Value("t") for _ in args], {name: Value("t") for name in kwargs}, loc
    )
    results = [Value(name) for name in names]
    mapping: Mapping = dict(zip(call.args, args, strict=True))
    mapping.update((value, kwargs[name]) for name, value in call.kwargs.items())
    for op in call.branches(functions, results):
        self.op(op, mapping)
    return [mapping[result] for result in results]


@record
class _CallOfOne:
    """The call of a function that is one of some."""

    function: Value
    args: list[Value]
    kwargs: dict[str, Value]
    loc: Location | None

    def branches(self, functions: list[Any], results: list[Value]) -> list[Op]:
        function, *others = functions
        if not others:
            return [Call(Const(function), [*self.args], {**self.kwargs}, results, self.loc)]
        is_one = Value("t")
        arms = []
        for left in ([function], others):
            given = [Value(result.name) for result in results]
            arms.append(Block([], self.branches(left, given), Yield([*given])))
        test = Call(Const(operator.is_), [self.function, Const(function)], {}, [is_one], self.loc)
        return [test, If(is_one, arms[0], arms[1], results, self.loc)]


@record
class _Called:
    """A function, or the name of a method of the first operand."""

    function: object
    is_method: bool = False


def _branched(
    self: TypedCalls, called: _Called, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
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
    ops, inputs, results = _branches(
        called, tuple(ordered), len(args), tuple(kwargs), tuple(names), loc
    )
    mapping: Mapping = dict(zip(inputs, [*args, *kwargs.values()], strict=True))
    self.asked_here.append(first)
    try:
        for op in ops:
            self.op(op, mapping)
    finally:
        self.asked_here.pop()
    return [mapping[result] for result in results]


@functools.lru_cache(maxsize=1024)
def _branches(
    called: _Called, classes: tuple[type, ...], count: int, keywords: tuple[str, ...],
    names: tuple[str, ...], loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches, with their inputs and results; made once, as those of a loop by steps are."""
    inputs = [Value("t") for _ in range(count + len(keywords))]
    results = [Value(name) for name in names]
    kwargs = dict(zip(keywords, inputs[count:], strict=True))
    call = _CallOfCase(called, inputs[:count], kwargs, loc)
    return call.branches(list(classes), results), inputs, results


@record
class _CallOfCase:
    """The call that each branch makes."""

    called: _Called
    args: list[Value]
    kwargs: dict[str, Value]
    loc: Location | None

    def branches(self, classes: list[type], results: list[Value]) -> list[Op]:
        if len(classes) == 1:
            return self._made(results)
        cls, *others = classes
        is_one = Value("t")
        arms = []
        for left in ([cls], others):
            given = [Value(result.name) for result in results]
            arms.append(Block([], self.branches(left, given), Yield([*given])))
        test = Call(Const(isinstance), [self.args[0], Const(cls)], {}, [is_one], self.loc)
        return [test, If(is_one, arms[0], arms[1], results, self.loc)]

    def _made(self, results: list[Value]) -> list[Op]:
        function = self.called.function
        if not self.called.is_method:
            return [Call(Const(function), [*self.args], {**self.kwargs}, results, self.loc)]
        owner, *args = self.args
        method = Value(str(function))
        read = Call(Const(getattr), [owner, Const(function)], {}, [method], self.loc)
        return [read, Call(method, [*args], {**self.kwargs}, results, self.loc)]
