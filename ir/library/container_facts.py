"""What inference knows about tuples, lists, ranges, dicts and strings.

    operator.getitem  ((int, float), =1)       -> float
    operator.getitem  (list[float], int)       -> float
    operator.add      ((int,), (float, str))   -> (int, float, str)
    sum               (list[float])            -> int | float        0 for an empty list

Iterables may be iterators, which a call consumes: `list`, `sum` and their kin are not pure.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from ir import facts
from ir.core import Call, Const, Operand, type_of
from ir.derived import base_of, callable_of, container_class, found_in
from ir.library.fact_rules import (
    BOOL,
    INT,
    NONE,
    STR,
    always,
    by_class,
    call_type,
    declare,
    expand,
    is_int,
)
from ir.types import (
    BOTTOM,
    LITERALS,
    TOP,
    Closure,
    Dict,
    Instance,
    Iterator,
    Known,
    Mapping,
    Method,
    NamedTuple,
    Scalar,
    Sequence,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
    join,
    join_all,
    widen,
)

MAX_REPEATED_ITEMS = 64
_EMPTY: dict[str, Any] = {}
DICT_KEYS: type = type(_EMPTY.keys())
DICT_VALUES: type = type(_EMPTY.values())
DICT_ITEMS: type = type(_EMPTY.items())


@facts.abstraction(int, float, complex, bool, str, bytes)
def abstract_literal(value: object) -> Type:
    return Scalar(type(value))


@facts.abstraction(type(None), type(Ellipsis))
def abstract_singleton(value: object) -> Type:
    return Known(value)


@facts.abstraction(tuple)
def abstract_tuple(value: tuple[Any, ...]) -> Type:
    return Tuple(tuple(map(facts.abstract, value)))


@facts.abstraction(list)
def abstract_list(value: list[Any]) -> Type:
    return Sequence(list, join_all(map(facts.abstract, value)))


@facts.abstraction(range)
def abstract_range(value: range) -> Type:
    return Sequence(range, INT)


@facts.abstraction(slice)
def abstract_slice(value: slice) -> Type:
    return Slice(*map(facts.abstract, (value.start, value.stop, value.step)))


@facts.abstraction(dict)
def abstract_dict(value: dict[Any, Any]) -> Type:
    if not all(type(key) is str for key in value):
        keys = join_all(widen(facts.abstract(key)) for key in value)
        return Mapping(dict, keys, join_all(map(facts.abstract, value.values())))
    return Dict(tuple((key, facts.abstract(item)) for key, item in value.items()))


@facts.items(Tuple)
def tuple_item(type_: Tuple) -> Type:
    return join_all(type_.items)


@facts.items(Sequence)
@facts.items(NamedTuple)
@facts.items(Iterator)
def common_item(type_: Sequence | Iterator) -> Type:
    return type_.item


@facts.items(Dict)
def dict_key(type_: Dict) -> Type:
    return STR if type_.items else BOTTOM


@facts.items(Mapping)
def mapping_key(type_: Mapping) -> Type:
    return type_.key


@facts.items(Scalar)
def character(type_: Scalar) -> Type:
    if type_.cls is str:
        return STR
    return INT if type_.cls is bytes else TOP


@facts.items(Known)
def known_item(type_: Known) -> Type:
    parts = widen(expand(type_))
    return TOP if isinstance(parts, Known) else facts.item_of(parts)


@facts.items(Union)
def member_item(type_: Union) -> Type:
    return join_all(map(facts.item_of, type_.members))


def values_of(type_: Dict | Mapping) -> Type:
    if isinstance(type_, Mapping):
        return type_.item
    return join_all(value for _, value in type_.items)


# Classes whose instances have no attributes but those of the class.
PLAIN = (
    tuple, list, range, dict, set, frozenset, slice, deque, OrderedDict, defaultdict, Counter,
)


@facts.attributes(Scalar)
@facts.attributes(Tuple)
@facts.attributes(Sequence)
@facts.attributes(NamedTuple)
@facts.attributes(Dict)
@facts.attributes(Mapping)
@facts.attributes(Known)
@facts.attributes(Instance)
def class_attribute(type_: Type, name: str) -> Type:
    """An attribute that the class of a built-in value provides: a bound method, or its value."""
    cls = class_of(type_)
    if cls is not None and base_of(cls) is not None:
        method = callable_of(found_in(cls, name))
        return TOP if method is None else Method(Known(method), type_)
    if cls is None or (cls not in (*LITERALS, *PLAIN) and not facts.is_immutable(cls)):
        return TOP
    owner = next((base for base in cls.__mro__ if name in vars(base)), None)
    sequences = (tuple, list, range, deque)
    if owner is None or (isinstance(type_, Sequence | Tuple) and owner not in sequences):
        return TOP
    member = vars(owner)[name]
    if isinstance(member, GetSetDescriptorType | MemberDescriptorType):
        return call_type(member, type_)
    if hasattr(type(member), "__get__") and not isinstance(
        member, staticmethod | classmethod | property | type(dict.__dict__["fromkeys"])
    ):
        return Method(Known(member), type_)
    return TOP


@facts.attributes(Slice)
def bound_of_slice(type_: Type, name: str) -> Type:
    return getattr(type_, name) if name in ("start", "stop", "step") else TOP


@facts.attributes(Closure)
def attribute_of_function(type_: Type, name: str) -> Type:
    return join(STR, NONE) if name == "__doc__" else TOP


@declare(slice)
def slice_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (stop,):
            return Slice(NONE, stop, NONE)
        case (start, stop):
            return Slice(start, stop, NONE)
        case (start, stop, step):
            return Slice(start, stop, step)
        case _:
            return TOP


def known_slice(index: Slice) -> slice | None:
    """The slice object, where all its parts are known."""
    parts = (index.start, index.stop, index.step)
    values = [part.value for part in parts if isinstance(part, Known)]
    return slice(*values) if len(values) == 3 else None


@declare(operator.getitem)
def getitem(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 2:
        return TOP
    match args:
        case (Tuple(items) | NamedTuple(items=items), Known(int(position))):
            return items[position] if -len(items) <= position < len(items) else TOP
        case (Tuple(items), Slice() as index):
            found = known_slice(index)
            if found is None:
                return Sequence(tuple, join_all(items))
            try:
                return Tuple(items[found])
            except (TypeError, ValueError):
                return TOP
        case (Tuple(items), index) if is_int(index):
            return join_all(items) if items else TOP
        case (Sequence(_, item), index) if is_int(index):
            return item
        case (Sequence(cls, item), Slice()):
            # A slice of a subclass is a plain list or tuple.
            plain = base_of(cls) or cls
            return Sequence(plain if plain in (list, range) else tuple, item)
        case (Dict(items), Known(str(key))):
            return dict(items).get(key, BOTTOM)  # KeyError, as long as a loop hasn't put it there
        case (Dict() as mapping, _):
            return values_of(mapping)
        case (Mapping(cls, _, item), _):
            return join(item, INT) if issubclass(cls, Counter) else item
        case (Scalar() | Known() as text, index):
            kind = widen(text)
            if isinstance(index, Slice) and class_of(text) in (str, bytes):
                return kind
            return facts.item_of(kind) if is_int(index) else TOP
        case _:
            return TOP


def concatenated(left: Type, right: Type) -> Type:
    """`left + right` of two tuples or two lists."""
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        return Tuple(left.items + right.items)
    cls = container_class(left)
    if cls in (tuple, list) and container_class(right) is cls:
        return Sequence(cls, join(facts.item_of(left), facts.item_of(right)))
    return TOP


def repeated(items: Type, count: Type) -> Type:
    """`items * count` of a tuple or a list and an int."""
    if isinstance(items, Tuple):
        if isinstance(count, Known):
            length = len(items.items) * max(count.value, 0)
            if length <= MAX_REPEATED_ITEMS:
                return Tuple(items.items * count.value)
        return Sequence(tuple, join_all(items.items))
    cls = container_class(items)
    if isinstance(items, Sequence) and cls in (tuple, list):
        return Sequence(cls, items.item)
    return TOP


@declare(operator.add, operator.concat)
def add(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    scalar = by_class(operator.add, args, kwargs)
    return scalar if scalar != TOP or len(args) != 2 else concatenated(*args)


@declare(operator.mul)
def mul(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    scalar = by_class(operator.mul, args, kwargs)
    if scalar != TOP or len(args) != 2:
        return scalar
    left, right = args
    if class_of(right) in (int, bool):
        return repeated(left, right)
    if class_of(left) in (int, bool):
        return repeated(right, left)
    return TOP


@declare(tuple)
def tuple_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args:
        return Tuple(())
    return args[0] if isinstance(args[0], Tuple) else Sequence(tuple, facts.item_of(args[0]))


@declare(list)
def list_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(list, facts.item_of(args[0]) if args else BOTTOM)


always(Sequence(range, INT), range)
always(join_all([INT, NONE]), deque.maxlen)


@facts.result(min, max)
def extreme(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """One of the arguments, or one of the items of the only argument, or the default."""
    candidates = [facts.item_of(args[0])] if len(args) == 1 else list(args)
    if "default" in kwargs:
        candidates.append(kwargs["default"])
    return join_all(map(widen, candidates))


@declare(sum)
def sum_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args:
        return TOP
    total = args[1] if len(args) > 1 else kwargs.get("start", Known(0))
    if isinstance(args[0], Tuple):
        for item in args[0].items:
            total = call_type(operator.add, total, item)
        return total
    item = facts.item_of(args[0])
    for _ in range(4):
        longer = join(total, call_type(operator.add, total, item))
        if longer == total:
            return total
        total = longer
    return TOP


always(INT, hash, id, operator.length_hint, operator.indexOf, operator.countOf)
always(BOOL, any, all, operator.contains)


@declare(len)
def len_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Tuple(items) | Dict(items),):
            return Known(len(items))
        case _:
            return INT


@facts.fold(len)
def fold_len(call: Call) -> Operand | None:
    if len(call.args) == 1 and isinstance(type_ := type_of(call.args[0]), Tuple):
        return Const(len(type_.items))
    return None


@facts.fold(tuple)
def fold_tuple(call: Call) -> Operand | None:
    """A tuple of a tuple is that tuple."""
    is_tuple = len(call.args) == 1 and isinstance(type_of(call.args[0]), Tuple)
    return call.args[0] if is_tuple else None


always(INT, list.index, list.count, tuple.index, tuple.count, range.index, range.count)
always(INT, deque.index, deque.count)

facts.metadata(len)
facts.pure(range, slice, operator.getitem, operator.concat, dict.get, dict.copy, list.copy)
facts.pure(deque.index, deque.count, deque.copy)
facts.pure(list.index, list.count, tuple.index, tuple.count, range.index, range.count)
