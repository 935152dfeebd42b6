"""Names of classes that a program shares, read by what may have them itself or find them above.

    Above.total        t = if is_stored_in(Above, 'total'):
                               yield name_of_class(Above, 'total')
                           else:
                               yield name_of_class(Base, 'total')

So does an object ask, in front of its class, and what is asked for a default ends there. An
attribute of one of some classes is a branch on which class it is.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.heap import attribute_read, class_read, found_attribute, is_stored_in, stored_attribute
from ir.inference import special_names
from ir.inference.metaclasses import asked_of_metaclass
from ir.inference.special_calls import Folded, special, typed
from ir.inference.standing_in import standing_in
from ir.rewrite import Mapping
from ir.shared_names import owner_of_names
from ir.types import TOP, Known, Union, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_CLASSES = 6


def name_of_class(cls: Any, name: str) -> Any:
    """`cls.name`, for a name that the class has itself."""
    return getattr(cls, name)


@special(name_of_class)
def _name_of_class(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    cls, name = args
    assert isinstance(cls, Const) and isinstance(name, Const)
    if self.surroundings.is_shared(cls.value, name.value):
        return special_names.read_shared(self, cls.value, name, names, loc)
    if self.surroundings.is_assigned(cls.value, name.value):
        return read_of_class(self, cls, name, names, loc)
    type_ = self.surroundings.attribute_type(cls.value, name.value)
    return [Const(type_.value)] if isinstance(type_, Known) else (
        typed(self, getattr, args, names, loc, type_)
    )


def read_of_class(
    self: TypedCalls, cls: Const, name: Const, names: list[str], loc: Location | None
) -> list[Operand]:
    """Reads an attribute of a class that the program stores: in turns with these stores."""
    type_ = self.surroundings.attribute_type(cls.value, name.value)
    self.works_on_objects = True
    if self.heap is None:
        return typed(self, getattr, [cls, name], names, loc, type_)
    return typed(self, class_read, [self.current_heap(loc), cls, name], names, loc, type_)


def read_of_names(
    self: TypedCalls, owner: Any, name: str, args: list[Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """`getattr(o, name, default)` of a class, module or function, through which derivatives may
    go."""
    if isinstance(owner, type):
        is_shared = self.surroundings.sharing_in_class(owner, name) is not None
        is_shared |= asked_of_metaclass(owner, name) is not None
    else:
        is_shared = self.surroundings.is_shared(owner_of_names(owner), name)
    if not is_shared:
        self.surroundings.attribute_type(owner, name)  # which notes that it is read as it is
        return None
    self.works_on_objects = True
    if self.heap is None:
        return None
    if isinstance(owner, type) and asked_of_metaclass(owner, name) is None:
        found = chained(self, Const(owner), Const(name), args[2], names, loc)
        if found is not None:
            return found
    return typed(self, attribute_read, [self.current_heap(loc), *args], names, loc, TOP)


def read_found(
    self: TypedCalls, owner: Operand, name: Const, names: list[str], loc: Location | None
) -> Folded:
    """Reads a shared name of a class by an object, or by a class that derives from it."""
    found = chained(self, owner, name, None, names, loc)
    if found is not None:
        return found
    operands: list[Operand] = [special_names.heap_of_names(self, loc), owner, name]
    made = typed(self, found_attribute, operands, names, loc, TOP)
    return special_names.exposed(self, made, loc)


def read_above(
    self: TypedCalls, cls: type, below: type, name: str, names: list[str], loc: Location | None
) -> Folded:
    """Reads what stands in a class by `super()`; None for what the run time has to ask for."""
    if not self.surroundings.asks_by_cases():
        return None
    bases = self.surroundings.bases_with(cls, name, False, below)
    return None if bases is None else _read_of(self, _reads(bases, Const(name), loc), None, names)


def chained(
    self: TypedCalls, owner: Operand, name: Const, default: Operand | None, names: list[str],
    loc: Location | None,
) -> Folded:
    """What an object, its class or a base has under a name, or a default; None where only the run
    time can tell."""
    is_class = isinstance(owner, Const) and isinstance(owner.value, type)
    cls = owner.value if is_class and isinstance(owner, Const) else class_of(type_of(owner))
    if not self.surroundings.asks_by_cases():
        return None
    bases = self.surroundings.bases_with(cls, name.value, default is not None)
    if bases is None:
        return None
    reads = _reads(bases, name, loc)
    if not is_class and not self.surroundings.is_of_class(cls, name.value):
        self.surroundings.note_lookup(cls, "__getattr__")
        reads.insert(0, _Read(owner, name, loc, stored_attribute))
    return _read_of(self, reads, default, names)


def _reads(bases: list[type], name: Const, loc: Location | None) -> list[_Read]:
    return [_Read(Const(base), name, loc, name_of_class) for base in bases]


def _read_of(
    self: TypedCalls, reads: list[_Read], default: Operand | None, names: list[str]
) -> list[Operand]:
    """What the first of some has that has the name, or a default."""
    result = Value(names[0])
    operands = [*(read.owner for read in reads), default]
    mapping: Mapping = {operand: operand for operand in operands if isinstance(operand, Value)}
    return standing_in(self, _asked(reads, default, result), mapping, [result])


class _Read:
    """The read of a name by one of those that may have it."""

    def __init__(self, owner: Operand, name: Const, loc: Location | None, reading: Any) -> None:
        self.owner, self.name, self.loc, self.reading = owner, name, loc, reading

    def into(self, result: Value) -> list[Op]:
        return [Call(Const(self.reading), [self.owner, self.name], {}, [result], self.loc)]


def _asked(reads: list[_Read], default: Operand | None, result: Value) -> list[Op]:
    """One read after the other, until one has the name."""
    first, *others = reads
    if not others and default is None:
        return first.into(result)
    is_here, found, rest = Value("t"), Value(result.name), Value(result.name)
    ask = Call(Const(is_stored_in), [first.owner, first.name], {}, [is_here], first.loc)
    otherwise = Block([], _asked(others, default, rest), Yield([rest])) if others else (
        Block([], [], Yield([default] if default is not None else []))
    )
    here = Block([], first.into(found), Yield([found]))
    return [ask, If(is_here, here, otherwise, [result], first.loc)]


def read_of_classes(
    self: TypedCalls, owner: Operand, name: str, names: list[str], loc: Location | None
) -> Folded:
    """An attribute of one of some classes; None where it isn't known which ones these are."""
    type_ = type_of(owner)
    if not isinstance(type_, Union) or not isinstance(owner, Value):
        return None
    classes = [member.value for member in type_.members if isinstance(member, Known)]
    is_known = len(classes) == len(type_.members) <= MAX_CLASSES
    if not is_known or not all(isinstance(cls, type) for cls in classes):
        return None
    if not self.surroundings.asks_by_cases():
        return None
    classes.sort(key=lambda cls: (cls.__module__, cls.__qualname__))
    result = Value(names[0])
    mapping: Mapping = {owner: owner}
    return standing_in(self, _of_cases(owner, classes, Const(name), result, loc), mapping, [result])


def _of_cases(
    owner: Value, classes: list[type], name: Const, result: Value, loc: Location | None
) -> list[Op]:
    cls, *others = classes
    if not others:
        return [Call(Const(getattr), [Const(cls), name], {}, [result], loc)]
    is_one, found, rest = Value("t"), Value(result.name), Value(result.name)
    test = Call(Const(operator.is_), [owner, Const(cls)], {}, [is_one], loc)
    here = Block([], _of_cases(owner, [cls], name, found, loc), Yield([found]))
    otherwise = Block([], _of_cases(owner, others, name, rest, loc), Yield([rest]))
    return [test, If(is_one, here, otherwise, [result], loc)]
