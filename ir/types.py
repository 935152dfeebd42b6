"""The abstract values of inference: a lattice of types, from `BOTTOM` to `TOP`.

`join(a, b)` is the smallest type here that covers both. Kinds of value that the standard library
doesn't have (arrays) are added by subclassing `Type` and overriding `join_with`.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any, TypeGuard

from ir.record import record


class Type:
    """An abstract value: what is known about a value before the program runs."""

    __slots__ = ()

    def join_with(self, other: Type) -> Type | None:
        """The join with another type, or None where this kind knows of none but a union."""
        return None

    def of_one_shape(self, other: Type) -> Type:
        """What is known of a value, if it has the shape of one of another type."""
        return self


@record
class Top(Type):
    """Nothing is known."""

    def __reduce__(self) -> str:
        return "TOP"  # there is one: passes ask by identity

    def __repr__(self) -> str:
        return "?"


@record
class Bottom(Type):
    """No value can arrive here: the neutral element of `join`."""

    def __reduce__(self) -> str:
        return "BOTTOM"

    def __repr__(self) -> str:
        return "never"


TOP = Top()
BOTTOM = Bottom()

LITERALS = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))


@record
class Known(Type):
    """One known object. Literals compare by type and value, other objects by identity."""

    value: Any

    def _key(self) -> object:
        if type(self.value) in LITERALS:
            return type(self.value), repr(self.value)
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"={getattr(self.value, '__name__', None) or repr(self.value)}"


@record
class Scalar(Type):
    """An instance of exactly this class: int, float, complex, bool, str, np.float64, ..."""

    cls: type

    def __repr__(self) -> str:
        return self.cls.__name__


@record
class Tuple(Type):
    """A plain tuple of known length."""

    items: tuple[Type, ...]

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Tuple) and len(self.items) == len(other.items):
            return Tuple(tuple(map(join, self.items, other.items)))
        return None

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.items))})"


@record
class Sequence(Type):
    """A list, tuple or range of unknown length, all of whose items have one type."""

    cls: type
    item: Type

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Sequence) and other.cls is self.cls:
            return Sequence(self.cls, join(self.item, other.item))
        if isinstance(other, Tuple) and self.cls is tuple:
            return self if all(join(self.item, item) == self.item for item in other.items) else None
        return None

    def __repr__(self) -> str:
        return f"{self.cls.__name__}[{self.item!r}]"


@record
class NamedTuple(Sequence):
    """An instance of a subclass of tuple: `item` is the type of all, `items` are those of each."""

    items: tuple[Type, ...]

    def join_with(self, other: Type) -> Type | None:
        joined = super().join_with(other)
        if not isinstance(other, NamedTuple) or len(self.items) != len(other.items):
            return joined
        items = tuple(map(join, self.items, other.items))
        return joined and NamedTuple(self.cls, join_all(items), items)

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(map(repr, self.items))})"


@record
class Dict(Type):
    """A plain dict with exactly these string keys, in this order."""

    items: tuple[tuple[str, Type], ...]

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Dict) and [k for k, _ in self.items] == [k for k, _ in other.items]:
            values = (join(a, b) for (_, a), (_, b) in zip(self.items, other.items, strict=True))
            return Dict(tuple((k, v) for (k, _), v in zip(self.items, values, strict=True)))
        if isinstance(other, Dict):
            return any_keys(self).join_with(other)
        if isinstance(other, Instance) and other.cls is dict:
            return Instance(dict)
        return None

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{k}: {v!r}" for k, v in self.items) + "}"


@record
class Mapping(Type):
    """A dict, or an instance of another class of mappings, whose keys aren't known."""

    cls: type
    key: Type
    item: Type
    factory: Type = Known(None)  # what makes items for keys that are missing

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Dict) and self.cls is dict:
            other = any_keys(other)
        if isinstance(other, Mapping) and other.cls is self.cls:
            return Mapping(
                self.cls, join(self.key, other.key), join(self.item, other.item),
                self.factory if self.factory == other.factory else TOP,
            )
        if isinstance(other, Instance) and other.cls is self.cls:
            return other
        return None

    def __repr__(self) -> str:
        return f"{self.cls.__name__}[{self.key!r}: {self.item!r}]"


def any_keys(type_: Dict) -> Mapping:
    """The type of a dict with known keys when these are forgotten."""
    key: Type = Scalar(str) if type_.items else BOTTOM
    return Mapping(dict, key, join_all(value for _, value in type_.items))


def has_item(whole: Type, index: Type) -> bool:
    """Whether a tuple of known length, or a dict with known keys, has an item at a known place."""
    match whole, index:
        case (Tuple(items) | NamedTuple(items=items), Known(int(place))):
            return -len(items) <= place < len(items)
        case (Dict(items), Known(str(key))):
            return any(name == key for name, _ in items)
        case _:
            return False


@record
class Iterator(Type):
    """Something that can only be iterated over: zip, enumerate, dict views, generators."""

    cls: type
    item: Type

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Iterator) and other.cls is self.cls:
            return Iterator(self.cls, join(self.item, other.item))
        return None


@record
class Raised(Type):
    """An exception of any class, or None."""

    def join_with(self, other: Type) -> Type | None:
        return self if other == Known(None) else TOP

    def __repr__(self) -> str:
        return "raised"


@record
class Slice(Type):
    """A slice object; bounds and step are abstract values."""

    start: Type
    stop: Type
    step: Type

    def join_with(self, other: Type) -> Type | None:
        if isinstance(other, Slice):
            return Slice(
                join(self.start, other.start),
                join(self.stop, other.stop),
                join(self.step, other.step),
            )
        return None

    def __repr__(self) -> str:
        return f"slice[{self.start!r}:{self.stop!r}:{self.step!r}]"


@record
class Instance(Type):
    """An instance of exactly this class, about whose attributes nothing is known."""

    cls: type


@record
class Closure(Type):
    """A Python function, known by its code; cells and defaults are abstract values."""

    code: Any
    globals: dict[str, Any]
    captures: tuple[Type, ...]
    defaults: tuple[Type, ...] = ()
    kwdefaults: tuple[tuple[str, Type], ...] = ()

    def _key(self) -> object:
        # By identity: code objects of different files can compare equal.
        return id(self.code), id(self.globals), self.captures, self.defaults, self.kwdefaults

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def join_with(self, other: Type) -> Type | None:
        if not isinstance(other, Closure):
            return None
        same_code = self.code is other.code and self.globals is other.globals
        if not same_code or len(self.defaults) != len(other.defaults):
            return None
        return Closure(
            self.code,
            self.globals,
            tuple(map(join, self.captures, other.captures)),
            tuple(map(join, self.defaults, other.defaults)),
            tuple(
                (name, join(a, b))
                for (name, a), (_, b) in zip(self.kwdefaults, other.kwdefaults, strict=True)
            ),
        )

    def __repr__(self) -> str:
        name = getattr(self.code, "co_qualname", None) or self.code.name
        return f"function {name}"


@record
class Around(Type):
    """A function that has captured the one which has captured it: so many functions further out."""

    levels: int

    def __repr__(self) -> str:
        return f"function {self.levels} out"


@record
class Method(Type):
    """A method bound to an object: calling it is calling `function(self, ...)`.

    The function isn't known where the object is of one of several classes.
    """

    function: Type
    self: Type


@record
class Union(Type):
    """One of two or three types that have no closer join."""

    members: frozenset[Type]

    def __repr__(self) -> str:
        return " | ".join(sorted(map(repr, self.members)))


def levels_out(type_: Type) -> int:
    """How far out the functions are that a function is captured by and has captured in turn.

    0: none but itself; -1: none.
    """
    match type_:
        case Around(levels):
            return levels
        case Closure(captures=captures):
            return max([levels_out(part) - isinstance(part, Closure) for part in captures] or [-1])
    return -1


def captures_itself(type_: Type) -> TypeGuard[Closure]:
    return isinstance(type_, Closure) and levels_out(type_) == 0


# Types of what holds other values.
PARTED = (Tuple, Sequence, Dict, Mapping, Iterator, Slice, Closure, Method)

MAX_UNION = 3
NUMBERS = frozenset([bool, int, float, complex])


def class_of(type_: Type) -> type | None:
    """The exact Python class of every value of this type, where there is one."""
    if type(type_) is Scalar:
        return type_.cls
    if type(type_) is Known:
        return type(type_.value)
    if type(type_) is Union:
        classes = {class_of(member) for member in type_.members}
        return classes.pop() if len(classes) == 1 else None
    cls: type | None = getattr(type_, "cls", None)
    return _CLASSES.get(type(type_)) if cls is None else cls


_CLASSES: dict[type, type] = {
    Tuple: tuple, Dict: dict, Slice: slice, Closure: FunctionType, Around: FunctionType,
}


def widen(type_: Type) -> Type:
    """The type of a literal in place of the literal; a tuple is widened item by item."""
    match type_:
        case Known(value) if type(value) in (int, float, complex, bool, str, bytes):
            return Scalar(type(value))
        case Known(value) if type(value) is tuple:
            return Tuple(tuple([widen(Known(item)) for item in value]))
        case Tuple(items):
            return Tuple(tuple(map(widen, items)))
        case _:
            return type_


def join(a: Type, b: Type) -> Type:
    """The smallest type that covers both."""
    if a == b or isinstance(b, Bottom):
        return a
    if isinstance(a, Bottom):
        return b
    if isinstance(a, Top) or isinstance(b, Top):
        return TOP
    if isinstance(a, Union) or isinstance(b, Union):
        return _union([*members_of(a), *members_of(b)])
    a, b = widen(a), widen(b)
    if a == b:
        return a
    joined = a.join_with(b) or b.join_with(a)
    return joined if joined is not None else _union([a, b])


def join_all(types: Iterable[Type]) -> Type:
    result: Type = BOTTOM
    for type_ in types:
        result = join(result, type_)
    return result


def members_of(type_: Type) -> Iterable[Type]:
    return type_.members if isinstance(type_, Union) else (type_,)


def _union(types: list[Type]) -> Type:
    members: list[Type] = []
    for type_ in types:
        i = 0
        while i < len(members):
            member = members[i]
            a, b = (member, type_) if member == type_ else (widen(member), widen(type_))
            joined = a if a == b else (a.join_with(b) or b.join_with(a))
            if joined is None:
                i += 1
            else:  # which may cover others
                type_ = joined
                del members[i]
                i = 0
        members.append(type_)
    if len(members) > MAX_UNION:
        members = _of_any_length(members)
    if len(members) == 1:
        return members[0]
    return Union(frozenset(members)) if len(members) <= MAX_UNION else TOP


def _of_any_length(members: list[Type]) -> list[Type]:
    """The same with tuples of any length in the place of those of several."""
    others: list[Type] = []
    items: list[Type] = []
    for member in members:
        if isinstance(member, Tuple):
            items += member.items
        elif type(member) is Sequence and member.cls is tuple:
            items.append(member.item)
        else:
            others.append(member)
    if len(members) - len(others) < 2:
        return members
    return [Sequence(tuple, join_all(items)), *others]
