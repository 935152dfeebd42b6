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

from ir import facts, primitives
from ir.core import Call, Const, Operand, type_of
from ir.derived import base_of, callable_of, container_class, found_in
from ir.fact_rules import BOOL, INT, NONE, STR, always, by_class, call_type, declare, expand, is_int
from ir.types import (
    BOTTOM,
    LITERALS,
    TOP,
    Bottom,
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
    any_keys,
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


@declare(sorted)
def sorted_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(list, facts.item_of(args[0]) if args else TOP)


@declare(dict)
def dict_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args:
        return Dict(tuple(kwargs.items()))
    if len(args) == 1 and isinstance(args[0], Dict):
        return Dict(tuple({**dict(args[0].items), **kwargs}.items()))
    if len(args) == 1:
        return made_mapping(dict, args[0], kwargs)
    return Instance(dict)


def made_mapping(cls: type, source: Type, kwargs: dict[str, Type]) -> Type:
    """The type of a mapping made of another one, or of pairs of keys and items, and of names."""
    if isinstance(source, Dict):
        source = any_keys(source)
    if isinstance(source, Mapping):
        key, item = source.key, source.item
    elif isinstance(pair := facts.item_of(source), Tuple) and len(pair.items) == 2:
        key, item = map(widen, pair.items)
    elif isinstance(pair, Bottom):
        key, item = BOTTOM, BOTTOM
    else:
        return Instance(cls)
    if kwargs:
        key, item = join(key, STR), join_all([item, *map(widen, kwargs.values())])
    return Mapping(cls, key, item)


always(Sequence(range, INT), range)
always(join_all([INT, NONE]), deque.maxlen)


@declare(primitives.merge_dicts)
def merged_dicts(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    parts = [any_keys(part) if isinstance(part, Dict) else part for part in args]
    if not all(isinstance(part, Mapping) for part in parts):
        return Instance(dict)
    keys = (part.key for part in parts if isinstance(part, Mapping))
    items = (part.item for part in parts if isinstance(part, Mapping))
    return Mapping(dict, join_all(keys), join_all(items))


@declare(deque)
def deque_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    given = args[0] if args else kwargs.get("iterable")
    return Sequence(deque, BOTTOM if given is None else widen(facts.item_of(given)))


@declare(primitives.flatten)
def flattened(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(list, facts.item_of(facts.item_of(args[0])))


@declare(set, primitives.build_set)
def set_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Instance(set)


@declare(OrderedDict)
def ordered_dict(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return made_mapping(OrderedDict, args[0] if args else Dict(()), kwargs)


@declare(defaultdict)
def defaultdict_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    factory = args[0] if args else NONE
    made = made_mapping(defaultdict, args[1] if len(args) > 1 else Dict(()), kwargs)
    if not isinstance(made, Mapping):
        return made
    return Mapping(defaultdict, made.key, made.item, factory)


@declare(Counter)
def counter(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of a mapping that mapping, of anything else the numbers of its items."""
    if args and isinstance(args[0], Dict | Mapping):
        return made_mapping(Counter, args[0], kwargs)
    key = widen(facts.item_of(args[0])) if args else BOTTOM
    if kwargs:
        key = join(key, STR)
    return Mapping(Counter, key, join_all([INT, *map(widen, kwargs.values())]))


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


@declare(dict.get)
def dict_get(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Dict() as mapping, Known(str(key)), *default):
            found = dict(mapping.items).get(key)
            return found if found is not None else (default[0] if default else NONE)
        case (Dict() | Mapping() as mapping, _, *default):
            return join(values_of(mapping), default[0] if default else NONE)
        case _:
            return TOP


def _declare_view(method: object, cls: type, item: Any) -> None:
    @declare(method)
    def view(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        known = len(args) == 1 and isinstance(args[0], Dict | Mapping)
        return Iterator(cls, item(args[0]) if known else TOP)


def _pair(type_: Dict | Mapping) -> Type:
    return Tuple((facts.item_of(type_), values_of(type_)))


_ORDERED: OrderedDict[str, Any] = OrderedDict()
_declare_view(dict.keys, DICT_KEYS, facts.item_of)
_declare_view(dict.values, DICT_VALUES, values_of)
_declare_view(dict.items, DICT_ITEMS, _pair)
_declare_view(OrderedDict.keys, type(_ORDERED.keys()), facts.item_of)
_declare_view(OrderedDict.values, type(_ORDERED.values()), values_of)
_declare_view(OrderedDict.items, type(_ORDERED.items()), _pair)


@declare(dict.copy, list.copy, deque.copy, OrderedDict.copy, defaultdict.copy)
def copied(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args or not isinstance(args[0], Dict | Mapping | Sequence):
        return TOP
    items = args[0]
    base = container_class(items)
    if base is class_of(items) or base not in (list, dict):
        return items  # others copy themselves by their class
    return Sequence(list, items.item) if isinstance(items, Sequence) else (
        Mapping(dict, items.key, items.item) if isinstance(items, Mapping) else items
    )


always(INT, list.index, list.count, tuple.index, tuple.count, range.index, range.count)
always(INT, deque.index, deque.count)

facts.metadata(len)
facts.pure(range, slice, operator.getitem, operator.concat, dict.get, dict.copy, list.copy)
facts.pure(deque.index, deque.count, deque.copy)
facts.pure(list.index, list.count, tuple.index, tuple.count, range.index, range.count)
