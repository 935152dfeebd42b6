"""Attributes of an object of which nothing is known, as branches on the classes that are known.

    v = e.value           own = type(e)
                          v = if own is Converged:
                                  unless_made(e, (Converged,))
                                  yield one_of(e, (Converged,)).value
                              else:
                                  yield other_attribute(e, 'value')

    e.value = v           unless_known_owner(e, 'value', (Converged,))
                          one_of(e, (Converged,)).value = v

That is so where all that the program does with objects has to be known, since its derivative is
differentiated in turn: a class that has such an attribute nowhere isn't asked for.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.forgettable import forgettable
from ir.heap import attribute_read, other_attribute, set_attribute
from ir.inference.caught_errors import caught_as
from ir.inference.special_calls import Folded, special, typed
from ir.inference.standing_in import standing_in
from ir.memory.place_state import check_call
from ir.rewrite import Mapping
from ir.types import BOTTOM, TOP, Instance, Union

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_CLASSES = 6


def is_asked(self: TypedCalls, owner: Operand) -> bool:
    """Whether types don't tell which class an object is of, and code asks."""
    type_ = type_of(owner)
    if self.heap is None:
        return False
    is_unknown = type_ == TOP or isinstance(type_, Union)
    return type_ == BOTTOM or (is_unknown and self.surroundings.is_apart())


def read_by_classes(
    self: TypedCalls, owner: Operand, name: str, names: list[str], loc: Location | None
) -> Folded:
    """What a read gives; None where no class is known."""
    classes = () if type_of(owner) == BOTTOM else self.surroundings.classes_with(name)
    if not 0 < len(classes) <= MAX_CLASSES or not isinstance(owner, Value):
        return None
    checks = tuple(
        self.surroundings.unless_made if self.surroundings.is_error(cls) else None
        for cls in classes
    )
    ops, own, result = _read(classes, checks, name, names[0], loc)
    mapping: Mapping = {own: owner}
    return standing_in(self, ops, mapping, [result])


def store_by_classes(
    self: TypedCalls, owner: Operand, name: str, value: Operand, loc: Location | None
) -> list[Operand]:
    """A store, which is refused when the program runs if the object is of another class."""
    if caught_as(self, owner) is not None:
        self.surroundings.follow_errors(loc)
    # Of what holds nothing as yet nothing is known.
    found = () if type_of(owner) == BOTTOM else self.surroundings.classes_with(name)
    classes = tuple([
        cls for cls in found
        if self.surroundings.member(Instance(cls), name).store != "unknown"
    ][:MAX_CLASSES])
    check = self.surroundings.unless_known_owner
    self.ops.append(check_call(check, [owner, Const(name), Const(classes)], loc))
    if classes and isinstance(owner, Value):  # a later look may find more
        ops, own, stored = _stored(classes, name, loc)
        mapping: Mapping = {own: owner, stored: value}
        standing_in(self, ops, mapping, [])
    return [Const(None)]


@special(other_attribute)
def _other_attribute(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    assert self.places is not None
    read = [self.current_heap(loc), *args]
    (made,) = typed(self, attribute_read, read, names, loc, TOP)
    assert isinstance(made, Value)
    return [self.places.held.was_read(made, loc)]


@forgettable(maxsize=1024)
def _read(
    classes: tuple[type, ...], checks: tuple[Any, ...], name: str, result_name: str,
    loc: Location | None,
) -> tuple[list[Op], Value, Value]:
    """The branches of a read, with their input and their result. They are made once, so that they
    keep their identity when loops are typed again."""
    owner, result = Value("t"), Value(result_name)

    def read_of(cls: type, check: Any, found: Value) -> list[Op]:
        known = Value("t")
        ops: list[Op] = [] if check is None else [check_call(check, [owner, Const((cls,))], loc)]
        return [
            *ops,
            Call(Const(primitives.one_of), [owner, Const((cls,))], {}, [known], loc),
            Call(Const(getattr), [known, Const(name)], {}, [found], loc),
        ]

    def case(left: list[tuple[type, Any]], found: Value) -> list[Op]:
        if not left:
            return [Call(Const(other_attribute), [owner, Const(name)], {}, [found], loc)]
        (cls, check), *others = left
        here, there = Value(result_name), Value(result_name)
        first = Block([], read_of(cls, check, here), Yield([here]))
        rest = Block([], case(others, there), Yield([there]))
        return _asked(owner, cls, first, rest, [found], loc)

    return case(list(zip(classes, checks, strict=True)), result), owner, result


@forgettable(maxsize=1024)
def _stored(
    classes: tuple[type, ...], name: str, loc: Location | None
) -> tuple[list[Op], Value, Value]:
    """The branches of a store, with the object and the value that they are given."""
    owner, value = Value("t"), Value("t")

    def case(left: tuple[type, ...]) -> list[Op]:
        cls, *others = left
        known = Value("t")
        store: list[Op] = [
            Call(Const(primitives.one_of), [owner, Const((cls,))], {}, [known], loc),
            Call(Const(set_attribute), [known, Const(name), value], {}, [Value("_")], loc),
        ]
        if not others:
            return store
        first, rest = Block([], store, Yield([])), Block([], case(tuple(others)), Yield([]))
        return _asked(owner, cls, first, rest, [], loc)

    return case(classes), owner, value


def _asked(
    owner: Value, cls: type, first: Block, rest: Block, results: list[Value],
    loc: Location | None,
) -> list[Op]:
    own, is_one = Value("t"), Value("t")
    ask = Call(Const(type), [owner], {}, [own], loc)
    test = Call(Const(operator.is_), [own, Const(cls)], {}, [is_one], loc)
    return [ask, test, If(is_one, first, rest, results, loc)]
