"""Calls with an operand of one of several classes, as branches on which of these it is.

    area = getattr(shape, 'area')    c = type(shape) is Circle
    t = area(scale)                  t = if c:
                                         area = getattr(shape, 'area')
                                         yield area(scale)
                                     else:
                                         area = getattr(shape, 'area')
                                         yield area(scale)

The condition narrows the type in each branch (`ir.inference.narrowing`), where what the call does
is known. Calls of a variable that holds one of several functions are branches in the same way.
"""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.derived import found_in, is_asked, is_of_users
from ir.forgettable import forgettable
from ir.heap import holds_attribute, is_stored_in, store_attribute, stored_attribute
from ir.inference.callees import Choice, choices, is_choice
from ir.inference.special_calls import Folded
from ir.inference.standing_in import standing_in
from ir.memory.held_functions import captures_memory
from ir.record import record
from ir.rewrite import Mapping
from ir.types import Closure, Instance, Known, Type, Union, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_CASES = 6


def by_cases(
    self: TypedCalls, callee: object, args: list[Operand], names: list[str], loc: Location | None,
    position: int = 0,
) -> Folded:
    """The results of a call of which one operand, the first one, is of one of some classes; None
    for others."""
    if not self.surroundings.asks_by_cases():
        return None
    return _branched(self, _Called(callee, position=position), args, {}, names, loc)


def by_kinds(
    self: TypedCalls, callee: object, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """The same where numbers and arrays are told apart, whether the program works on objects or
    not."""
    return _branched(self, _Called(callee), args, {}, names, loc)


def by_methods(
    self: TypedCalls, method: Operand, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results of a call of a method that was read of an object of one of some classes."""
    read = self.definitions.get(method) if isinstance(method, Value) else None
    match read:
        case Call(Const(callee), [owner, Const(name)]) if callee is getattr:
            if self.surroundings.asks_by_cases() and is_method_of_cases(self, type_of(owner), name):
                return _branched(self, _Called(name, True), [owner, *args], kwargs, names, loc)
    return None


def is_method_of_cases(self: TypedCalls, type_: Type, name: str) -> bool:
    """Whether an attribute of objects of one of several classes is a method of each; some may be
    containers, with methods of Python's own, or have no such attribute: a read of theirs raises."""
    if not isinstance(type_, Union):
        return False
    others = [
        member for member in type_.members
        if self.surroundings.member(member, name).kind != "method"
    ]
    return len(others) < len(type_.members) and all(
        (isinstance(member, Instance) and self.surroundings.has_nothing(class_of(member), name))
        or (not is_asked(member) and _is_of_container(class_of(member), name))
        for member in others
    )


def _is_of_container(cls: type | None, name: str) -> bool:
    return cls is not None and not is_of_users(cls) and isinstance(
        found_in(cls, name), types.MethodDescriptorType
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
    if any(self.surroundings.has_rule_of_user(function) for function in functions):
        return None  # the run time calls rules of every form, also where they are differentiated
    # Ufuncs of NumPy 1 have no `__module__`.
    functions.sort(key=lambda f: (str(getattr(f, "__module__", None)), f.__name__))
    ops, inputs, results = _one_of(tuple(functions), len(args), tuple(kwargs), tuple(names), loc)
    mapping: Mapping = dict(zip(inputs, [callee, *args, *kwargs.values()], strict=True))
    return standing_in(self, ops, mapping, results)


@forgettable(maxsize=1024)
def _one_of(
    functions: tuple[Any, ...], count: int, keywords: tuple[str, ...], names: tuple[str, ...],
    loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches of a call of one of some functions, with their inputs (the function first) and
    results. They are made once, so that they keep their identity when loops are typed again."""
    inputs = [Value("t") for _ in range(1 + count + len(keywords))]
    results = [Value(name) for name in names]
    function, args = inputs[0], inputs[1 : 1 + count]
    kwargs: dict[str, Operand] = dict(zip(keywords, inputs[1 + count :], strict=True))

    def case(left: tuple[Any, ...], given: list[Value]) -> list[Op]:
        one, *others = left
        if not others:
            return [Call(Const(one), [*args], {**kwargs}, given, loc)]
        is_one, first, rest = Value("t"), _renamed(given), _renamed(given)
        test = Call(Const(operator.is_), [function, Const(one)], {}, [is_one], loc)
        arms = (
            Block([], case((one,), first), Yield([*first])),
            Block([], case(tuple(others), rest), Yield([*rest])),
        )
        return [test, If(is_one, *arms, given, loc)]

    return case(functions, results), inputs, results


@record
class _Called:
    """A function, or the name of a method of the first operand."""

    function: object
    is_method: bool = False
    # Of the operand whose class is asked for.
    position: int = 0


def _branched(
    self: TypedCalls, called: _Called, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    first = args[called.position]
    type_ = type_of(first)
    if not isinstance(type_, Union):
        return None
    if any(first is asked for asked in self.asked_here):
        return None  # memory is read again, and what was found of it is no more
    classes = {class_of(member) for member in type_.members}
    known = [cls for cls in classes if cls is not None]
    if len(known) < len(classes) or not 1 < len(known) <= MAX_CASES:
        return None
    ordered = sorted(known, key=lambda cls: (cls.__module__, cls.__qualname__))
    ops, inputs, results = _branches(
        called, tuple(ordered), len(args), tuple(kwargs), tuple(names), loc
    )
    mapping: Mapping = dict(zip(inputs, [*args, *kwargs.values()], strict=True))
    self.asked_here.append(first)
    try:
        return standing_in(self, ops, mapping, results)
    finally:
        self.asked_here.pop()


@forgettable(maxsize=1024)
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
        own, is_one = Value("t"), Value("t")
        arms = []
        for left in ([cls], others):
            given = [Value(result.name) for result in results]
            arms.append(Block([], self.branches(left, given), Yield([*given])))
        asked = self.args[self.called.position]
        # Not by `isinstance`, which a class may answer as it likes.
        ask = Call(Const(type), [asked], {}, [own], self.loc)
        test = Call(Const(operator.is_), [own, Const(cls)], {}, [is_one], self.loc)
        return [ask, test, If(is_one, arms[0], arms[1], results, self.loc)]

    def _made(self, results: list[Value]) -> list[Op]:
        function = self.called.function
        if not self.called.is_method:
            return [Call(Const(function), [*self.args], {**self.kwargs}, results, self.loc)]
        owner, *args = self.args
        method = Value(str(function))
        read = Call(Const(getattr), [owner, Const(function)], {}, [method], self.loc)
        return [read, Call(method, [*args], {**self.kwargs}, results, self.loc)]


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
    self.surroundings.note_lookup(class_of(type_of(owner)), "__getattr__")
    if self.surroundings.has_nothing(class_of(type_of(owner)), name.value):
        return [default]
    ops, inputs, result = _if_held(name.value, names[0], loc)
    mapping: Mapping = dict(zip(inputs, [owner, default], strict=True))
    return standing_in(self, ops, mapping, [result])


@forgettable(maxsize=1024)
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


def read_or_computed(
    self: TypedCalls, getter: Any, owner: Operand, name: str, by_name: bool, names: list[str],
    loc: Location | None,
) -> list[Operand]:
    """What an object holds, or else what a function computes: of any name, or of one, for which it
    is stored then."""
    ops, own, result = _if_stored(getter, name, by_name, names[0], loc)
    mapping: Mapping = {own: owner}
    return standing_in(self, ops, mapping, [result])


@forgettable(maxsize=1024)
def _if_stored(
    getter: Any, name: str, by_name: bool, result_name: str, loc: Location | None
) -> tuple[list[Op], Value, Value]:
    """The branch, with its input and its result."""
    owner, is_stored = Value("t"), Value("t")
    result, read, computed = Value(result_name), Value(result_name), Value(result_name)
    test = Call(Const(is_stored_in), [owner, Const(name)], {}, [is_stored], loc)
    given: list[Operand] = [owner, Const(name)] if by_name else [owner]
    otherwise: list[Op] = [Call(Const(getter), given, {}, [computed], loc)]
    if not by_name:
        store: list[Operand] = [owner, Const(name), computed]
        otherwise.append(Call(Const(store_attribute), store, {}, [Value("_")], loc))
    found = Call(Const(stored_attribute), [owner, Const(name)], {}, [read], loc)
    arms = Block([], [found], Yield([read])), Block([], otherwise, Yield([computed]))
    return [test, If(is_stored, *arms, [result], loc)], owner, result


def called_by_cases(
    self: TypedCalls, callee: Value, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None, by: Any = None,
) -> Folded:
    """The results of a call of one of some functions and objects of which the code is known; None
    for others. `by` is what calls it, if that isn't called itself: `primitives.apply`."""
    if not isinstance(callee.type, Union):
        return None
    found = choices(callee.type)
    if found is None or not 0 < len(found) <= MAX_CASES or any(
        one.kind is Instance and self.surroundings.called_method(Instance(one.of)) is None
        for one in found
    ):
        return None
    is_apart = self.surroundings.is_apart()
    if not is_apart and (
        captures_memory(callee.type) or not all(_is_plain(self, choice) for choice in found)
    ):
        return None
    unless = self.surroundings.unless_choice if is_apart else None
    ops, inputs, results = _chosen(
        tuple(found), unless, by, len(args), tuple(kwargs), tuple(names), loc
    )
    mapping: Mapping = dict(zip(inputs, [callee, *args, *kwargs.values()], strict=True))
    return standing_in(self, ops, mapping, results)


def _is_plain(self: TypedCalls, choice: Choice) -> bool:
    """Whether this is a function that has no rule of the user's, which may be of every form."""
    if choice.kind is not Known:
        return choice.kind is Closure
    return not isinstance(choice.of, type) and not self.surroundings.has_rule_of_user(choice.of)


@forgettable(maxsize=1024)
def _chosen(
    found: tuple[Choice, ...], unless_choice: object, by: object, count: int,
    keywords: tuple[str, ...], names: tuple[str, ...], loc: Location | None,
) -> tuple[list[Op], list[Value], list[Value]]:
    """The branches of a call, with their inputs (the function first) and results."""
    inputs = [Value("t") for _ in range(1 + count + len(keywords))]
    results = [Value(name) for name in names]
    function, args = inputs[0], inputs[1 : 1 + count]
    kwargs: dict[str, Operand] = dict(zip(keywords, inputs[1 + count :], strict=True))

    def call(one: Value, given: list[Value]) -> Op:
        if by is None:
            return Call(one, [*args], {**kwargs}, given, loc)
        return Call(Const(by), [one, *args], {**kwargs}, given, loc)

    def case(left: tuple[Choice, ...], given: list[Value]) -> list[Op]:
        choice, *others = left
        if not others:
            known = Value("t")
            operands: list[Operand] = [function, Const(choice), Const(True)]
            narrowed = Call(Const(primitives.narrowed), operands, {}, [known], loc)
            last = [narrowed, call(known, given)]
            if unless_choice is None:  # types are right for all values
                return [*last]
            check = Call(Const(unless_choice), [function, Const(choice)], {}, [Value("_")], loc)
            return [check, *last]
        is_one, first, rest = Value("t"), _renamed(given), _renamed(given)
        test = Call(Const(is_choice), [function, Const(choice)], {}, [is_one], loc)
        arms = (
            Block([], [call(function, [*first])], Yield([*first])),
            Block([], case(tuple(others), rest), Yield([*rest])),
        )
        return [test, If(is_one, *arms, given, loc)]

    return case(found, results), inputs, results
