"""What conditions tell of the types of values: in both arms, and behind an arm that raises.

    if x is None: ...               x: None               else   x: float
    if isinstance(x, tuple): ...    x: (float, float)     else   x: float
    if x is None or x < y: ...                            else   x: float
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from types import MethodDescriptorType, NoneType
from typing import TYPE_CHECKING

from ir import facts, primitives
from ir.core import Call, Const, If, Location, Op, Operand, Value, Yield
from ir.inference.callees import Choice, is_choice
from ir.inference.special_calls import Folded, special
from ir.memory.contents import holds_memory
from ir.record import record
from ir.rewrite import Mapping
from ir.types import BOTTOM, TOP, Known, Type, Union, class_of, join_all, members_of

if TYPE_CHECKING:
    from ir.inference.typed_builder import TypedBuilder
    from ir.inference.typed_calls import TypedCalls

# A value, classes or a choice of callables, and whether it is an instance of one of these.
Told = tuple[Value, Const, bool]

_NONE = Const(NoneType)
_SAME = (operator.is_, operator.is_not)


@record
class Exactly:
    """The instances of one class, without those of its subclasses."""

    cls: type

    def covers(self, type_: Type) -> bool | None:
        """Whether all values of a type are of the class; None where that isn't known."""
        cls = class_of(type_)
        return None if cls is None else cls is self.cls


def told_by(cond: Operand | None, holds: bool, definitions: dict[Value, Op]) -> Iterator[Told]:
    """What is known where the truth of a condition is `holds`."""
    if not isinstance(cond, Value):
        return
    if holds:
        yield cond, _NONE, False
    match definitions.get(cond):
        case Call(Const(callee), [operand]) if callee is operator.not_:
            yield from told_by(operand, not holds, definitions)
        case Call(Const(callee), [operand]) if callee is operator.truth:
            yield from told_by(operand, holds, definitions)
        case Call(Const(callee), [Value() as value, Const(None)]) if callee is operator.is_:
            yield value, _NONE, holds
        case Call(Const(callee), [Value() as value, Const(None)]) if callee is operator.is_not:
            yield value, _NONE, not holds
        case Call(Const(callee), [Value() as value, Const() as classes]) if (
            callee is isinstance or callee is is_choice
        ):
            yield value, classes, holds
        case Call(Const(callee), [Value() as kind, Const(type() as cls)]) if callee in _SAME:
            match definitions.get(kind):
                case Call(Const(asked), [Value() as value]) if asked is type:
                    yield value, Const(Exactly(cls)), holds is (callee is not operator.is_not)
        case If() as branch:
            yield from _told_by_branch(branch, cond, holds, definitions)


def _told_by_branch(
    branch: If, result: Value, holds: bool, definitions: dict[Value, Op]
) -> Iterator[Told]:
    """The same for `a and b`, `a or b`, `b if a else c`, where one arm alone can have come here."""
    position = branch.results.index(result)
    possible: list[tuple[bool, Operand]] = []
    for block, way in zip(branch.blocks, (True, False), strict=True):
        if not isinstance(block.exit, Yield):
            continue
        operand = block.exit.values[position]
        if isinstance(operand, Const):
            if operand.value is (not holds) or (holds and operand.value is None):
                continue
        elif operand is branch.cond and way is not holds:
            continue
        possible.append((way, operand))
    if len(possible) == 1:
        ((way, operand),) = possible
        yield from told_by(branch.cond, way, definitions)
        yield from told_by(operand, holds, definitions)


def narrow(
    inference: TypedBuilder, told: Iterable[Told], mapping: Mapping, loc: Location | None
) -> None:
    """Appends, for each value of a wider type than what is known leaves it, one of that type,
    which `mapping` learns."""
    for value, classes, is_instance in told:
        root = _root(value, inference.definitions)
        wide = [
            (name, operand) for name, operand in mapping.items()
            if isinstance(operand, Value) and isinstance(operand.type, Union)
            and _root(operand, inference.definitions) is root
        ]
        for operand in dict.fromkeys(operand for _, operand in wide):
            narrower = _narrowed(inference, operand, classes, is_instance, loc)
            if narrower is not None:
                mapping.update((name, narrower) for name, other in wide if other is operand)


def _root(value: Value, definitions: dict[Value, Op]) -> Value:
    """The value that this one was narrowed from."""
    match definitions.get(value):
        case Call(Const(callee), [Value() as wider, *_]) if callee is primitives.narrowed:
            return _root(wider, definitions)
        case _:
            return value


def _narrowed(
    inference: TypedBuilder, value: Value, classes: Const, is_instance: bool,
    loc: Location | None,
) -> Operand | None:
    """A value of the type that is left; None where that is the same, or nothing."""
    places = inference.places
    is_memory = places is not None and holds_memory(value.type)
    if places is not None and is_memory:
        value = places.latest(value)
    type_ = narrowed_type(value.type, Known(classes.value), is_instance)
    if type_ in (value.type, BOTTOM):
        return None
    if isinstance(type_, Known):
        return Const(type_.value)
    made = Value(value.name, type_)
    if places is not None and is_memory:
        places.name_latest(value, made)
        inference.narrowed.append((value, made))
    operands: list[Operand] = [value, classes, Const(is_instance)]
    inference._define(Call(Const(primitives.narrowed), operands, {}, [made], loc))
    return made


@special(primitives.narrowed)
def narrowed_again(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """Typed code that is looked at again, where more or less may be known."""
    value, classes, is_instance = args
    assert isinstance(classes, Const) and isinstance(is_instance, Const)
    if not isinstance(value, Value):
        return [value]
    if value.type == TOP:
        return None
    narrower = _narrowed(self, value, classes, is_instance.value, loc)
    return [value if narrower is None else narrower]


def unless_none(
    inference: TypedCalls, callee: object, args: list[Operand], loc: Location | None
) -> list[Operand]:
    """The operands of a read of an item or a method's call, whose first may be None, for which
    that fails: as what it is else. Code for first derivatives leaves that to the run time."""
    operand = args[0] if args else None
    if not isinstance(operand, Value) or not isinstance(operand.type, Union) or (
        callee is not operator.getitem and type(callee) is not MethodDescriptorType
    ):
        return args
    if Known(None) not in operand.type.members or not inference.surroundings.follows_contents():
        return args
    type_ = join_all(operand.type.members - {Known(None)})
    made = Value(operand.name, type_)
    operands: list[Operand] = [operand, _NONE, Const(False)]
    inference._define(Call(Const(primitives.narrowed), operands, {}, [made], loc))
    if inference.places is not None:
        inference.places.name_again(operand, made)
    return [made, *args[1:]]


def narrowed_type(type_: Type, classes: Type, is_instance: bool) -> Type:
    """The part of a type whose values are instances of some classes, or of none of them."""
    if isinstance(classes, Known) and isinstance(classes.value, Choice | Exactly):
        covers = classes.value.covers
        return join_all(
            member for member in members_of(type_) if covers(member) in (None, is_instance)
        )
    is_one_of = facts.result_of(isinstance)
    assert is_one_of is not None
    excluded = Known(not is_instance)
    return join_all(
        member for member in members_of(type_) if is_one_of((member, classes), {}) != excluded
    )
