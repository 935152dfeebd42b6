"""The callables that stand for Python syntax: displays, unpacking, names, formatting, changes.

They run as they are, so that IR can be executed and printed before it is compiled; `ir.emit` prints
them as the syntax that they stand for.
"""

from __future__ import annotations

import builtins
import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

Operation: TypeAlias = Callable[[Any, Any], Any]


class Unbound:
    """The type of `UNBOUND`: what a variable holds that may not have been assigned."""

    def __repr__(self) -> str:
        return "UNBOUND"

    def __reduce__(self) -> str:
        return "UNBOUND"


UNBOUND = Unbound()


def build_tuple(*items: Any) -> tuple[Any, ...]:
    return items


def build_list(*items: Any) -> list[Any]:
    return list(items)


def build_set(*items: Any) -> set[Any]:
    return set(items)


def build_dict(*keys_and_values: Any) -> dict[Any, Any]:
    """A dict of alternating keys and values."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


def merge_dicts(*parts: Any) -> dict[Any, Any]:
    """The display `{**a, **b}`; later parts win."""
    merged: dict[Any, Any] = {}
    for part in parts:
        for key in part.keys():  # noqa: SIM118 - what `**` asks of any mapping, iterable or not
            merged[key] = part[key]
    return merged


def build_string(*parts: str) -> str:
    return "".join(parts)


def format_value(value: Any, conversion: str | None, spec: str) -> str:
    """A replacement field of an f-string: `{value!conversion:spec}`."""
    convert: dict[str | None, Callable[[Any], Any]] = {"s": str, "r": repr, "a": ascii}
    return format(convert[conversion](value) if conversion else value, spec)


def unpack(items: Iterable[Any], count: int) -> tuple[Any, ...]:
    """`a, b = items`, with the errors of Python."""
    return _UNPACKERS[count](items) if count < len(_UNPACKERS) else _unpack_many(items, count)


def _unpack_many(items: Iterable[Any], count: int) -> tuple[Any, ...]:
    found = []
    iterator = iter(items)
    for item in iterator:
        found.append(item)
        if len(found) > count:
            raise ValueError(f"too many values to unpack (expected {count})")
    if len(found) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(found)})")
    return tuple(found)


def _unpack_none(items: Any) -> tuple[Any, ...]:
    () = items
    return ()


def _unpack_one(items: Any) -> tuple[Any, ...]:
    (a,) = items
    return (a,)


def _unpack_two(items: Any) -> tuple[Any, ...]:
    a, b = items
    return a, b


def _unpack_three(items: Any) -> tuple[Any, ...]:
    a, b, c = items
    return a, b, c


_UNPACKERS = (_unpack_none, _unpack_one, _unpack_two, _unpack_three)


def unpack_starred(items: Iterable[Any], before: int, after: int) -> tuple[Any, ...]:
    """`a, *b, c = items` with `before` names before the starred one and `after` behind it."""
    found = list(items)
    if len(found) < before + after:
        raise ValueError(
            f"not enough values to unpack (expected at least {before + after}, got {len(found)})"
        )
    stop = len(found) - after
    return (*found[:before], found[before:stop], *found[stop:])


def apply(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """`function(*args, **kwargs)`."""
    return function(*args, **kwargs)


def load_global(name: str) -> Any:
    """Reads a global or a builtin of the function that it stands in; emitted as the bare name."""
    module_globals = sys._getframe(1).f_globals
    if name in module_globals:
        return module_globals[name]
    return getattr(builtins, name)


class Namespace:
    """The globals of a module, or the attributes of a function, under a name that can be shown."""

    __slots__ = ("contents", "owner")

    def __init__(self, contents: Any, owner: Any = None) -> None:
        self.contents = contents
        self.owner = owner  # whose attribute a name is, where it is stored so

    @property
    def is_module(self) -> bool:
        return "__name__" in self.contents or "__builtins__" in self.contents

    def __repr__(self) -> str:
        if not self.is_module:
            is_function = isinstance(self.contents, dict)
            return "the attributes of a function" if is_function else "a captured variable"
        return f"the globals of {self.contents.get('__name__', 'a module')}"


def read_global(namespace: Namespace, name: str) -> Any:
    """Reads a global of a function that stores into it, too."""
    if name in namespace.contents:
        return namespace.contents[name]
    if not isinstance(namespace.contents, dict):
        return namespace.contents[name]  # of a cell, which raises
    if not namespace.is_module:
        raise AttributeError(f"'function' object has no attribute {name!r}", name=name)
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name '{name}' is not defined", name=name)


def store_global(namespace: Namespace, name: str, value: Any) -> None:
    """Assigns a global, in a function that declares it so."""
    namespace.contents[name] = value


def is_global(namespace: Namespace, name: str) -> bool:
    """Whether a function has an attribute, in turns with the stores of a program."""
    return name in namespace.contents


def delete_global(namespace: Namespace, name: str) -> None:
    """`del` of a global."""
    read_global(namespace, name)
    del namespace.contents[name]


def check_lengths(first: Any, *others: Any) -> None:
    """Raises, as `zip(..., strict=True)` does at its end, for sequences of different lengths."""
    for i, other in enumerate(others, 2):
        if len(other) != len(first):
            kind = "shorter" if len(other) < len(first) else "longer"
            before = "argument 1" if i == 2 else f"arguments 1-{i - 1}"
            raise ValueError(f"zip() argument {i} is {kind} than {before}")


def check_bound(value: Any, name: str) -> Any:
    """The value of a local variable that may not have been assigned."""
    if value is UNBOUND:
        raise UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value",
            name=name,
        )
    return value


# Classes whose instances hold no attributes.
VALUES = (type(None), bool, int, float, complex, str)


def having(value: Any, name: str) -> Any:
    """A value of one of several classes of which one alone has the attribute that is read."""
    getattr(value, name)
    return value


def present(value: Any, name: str, is_stored: bool = False) -> Any:
    """An object, or one of `VALUES`, where an attribute is read or stored that these don't have."""
    if type(value) in VALUES:
        # Python's own errors: since 3.13 that of a store says more.
        if is_stored:
            setattr(value, name, None)
        getattr(value, name)
    return value


def narrowed(value: Any, classes: Any, is_instance: bool) -> Any:
    """A value where a condition has told what it is, or is not, an instance of."""
    return value


def one_of(value: Any, classes: tuple[type, ...]) -> Any:
    """An object that was found to be of one of several classes."""
    return value


# Calls whose value is their first operand, as it is.
PASSING_ON = (check_bound, having, present, narrowed, one_of)


def alias(value: Any) -> Any:
    """The value itself, under a name of its own."""
    return value


def owner_of(method: Any) -> Any:
    """The object that a method is bound to."""
    return method.__self__


def read_captured(function: Any, name: str) -> Any:
    """The value of the variable `name` that a function object has captured."""
    names = function.__code__.co_freevars
    if name not in names:
        return function.captured[name]  # a function made by `ir.closures`
    return function.__closure__[names.index(name)].cell_contents


def read_default(function: Any, name: str, place: int | None = None) -> Any:
    """The default of a parameter, by its place among them unless it is keyword-only."""
    return function.__kwdefaults__[name] if place is None else function.__defaults__[place]


def flatten(lists: Iterable[list[Any]]) -> list[Any]:
    """The items of lists, in one list: how nested and filtered comprehensions collect."""
    return [item for items in lists for item in items]


def augmented(operation: Operation, items: Any, before: Any, value: Any) -> Any:
    """What `items[index] op= value` computes from what stood there before."""
    return operation(before, value)


def augmented_item(operation: Operation, is_array: bool, before: Any, value: Any) -> Any:
    """The same where only the run time knows whether that was an item or a part of an array."""
    return operation(before, value)


def augmented_part(
    operation: Operation, plain: Operation, is_array: bool, before: Any, value: Any
) -> Any:
    """The same in a program without objects: `plain` is the operation that changes nothing."""
    return plain(before, value) if is_array else operation(before, value)


def store_back(items: Any, index: Any, value: Any) -> None:
    """The last step of `items[index] op= v`."""
    items[index] = value


# Changes in place, as functions of the object before to the same object behind the change.
# Inference puts them in the place of the effects in the source: every pass sees values only.


def stored(items: Any, index: Any, value: Any) -> Any:
    """`items[index] = value`: gives `items`, which nobody reads under its old name any more."""
    items[index] = value
    return items


def spliced(items: list[Any], index: slice, values: list[Any]) -> list[Any]:
    """`items[index] = values` for a slice of a list: gives `items`."""
    items[index] = values
    return items


def overwritten(items: Any, value: Any) -> Any:
    """What `items += v` leaves in an array, whose new contents are `value`: gives `items`."""
    items[...] = _of_same_kind(items, value)
    return items


def stored_back(items: Any, index: Any, value: Any) -> Any:
    """`items[index] op= v`, whose new contents are `value`: gives `items`."""
    # What `+=` makes of a single item is a new number, which assignment may round.
    is_part = hasattr(items, "dtype") and getattr(value, "ndim", 0) > 0
    items[index] = _of_same_kind(items, value) if is_part else value
    return items


def _of_same_kind(items: Any, value: Any) -> Any:
    """A value that `+=` may write into an array: it refuses what assignment would round."""
    if items.dtype == getattr(value, "dtype", None) or not hasattr(value, "astype"):
        return value
    return value.astype(items.dtype, casting="same_kind")


def added_at(items: Any, index: Any, value: Any) -> Any:
    """`items[index] += value` for an array: gives `items`."""
    items[index] += value
    return items


def subtracted_at(items: Any, index: Any, value: Any) -> Any:
    """`items[index] -= value` for an array: gives `items`."""
    items[index] -= value
    return items


def updating(
    function: Callable[..., Any], changed: tuple[int | str, ...], *args: Any, **kwargs: Any
) -> tuple[Any, ...]:
    """A call of a function that changes some of its arguments in place: its value, and these."""
    value = function(*args, **kwargs)
    return (value, *(kwargs[i] if isinstance(i, str) else args[i] for i in changed))


def written(items: Any, index: Any, part: Any) -> Any:
    """`items` when its part at `index` has been changed under a name of its own."""
    return items


def written_view(items: Any, view: Callable[..., Any], part: Any, *args: Any) -> Any:
    """`items` when its view `part`, which is `view(items, *args)`, has been changed."""
    return items


def deleted(items: Any, index: Any) -> Any:
    """`del items[index]`: gives `items`."""
    del items[index]
    return items


def appended(items: list[Any], item: Any) -> list[Any]:
    """`items.append(item)`: gives `items`."""
    items.append(item)
    return items


def extended(items: list[Any], more: Any) -> list[Any]:
    """`items.extend(more)`: gives `items`."""
    items.extend(more)
    return items


def inserted(items: list[Any], index: int, item: Any) -> list[Any]:
    """`items.insert(index, item)`: gives `items`."""
    items.insert(index, item)
    return items


def defaulted(mapping: Any, key: Any, value: Any) -> Any:
    """`mapping.setdefault(key, value)`: gives `mapping`."""
    mapping.setdefault(key, value)
    return mapping


def touched(mapping: Any, key: Any) -> Any:
    """What reading `mapping[key]` leaves in a mapping that makes what is missing."""
    mapping[key]
    return mapping


def pushed(items: Any, item: Any) -> Any:
    """`items.append(item)` for a deque, which may drop its first item: gives `items`."""
    items.append(item)
    return items


def pushed_left(items: Any, item: Any) -> Any:
    """`items.appendleft(item)` for a deque, which may drop its last item: gives `items`."""
    items.appendleft(item)
    return items


def rotated(items: Any, count: int) -> Any:
    """`items.rotate(count)` for a deque: gives `items`."""
    items.rotate(count)
    return items


def numbers_from(start: int) -> Iterator[int]:
    """What `enumerate` counts."""
    return itertools.count(start)


def cycled(items: Any, path: tuple[int, ...]) -> Any:
    """Moves items of a list along a path of positions, and the first to its end: gives `items`."""
    first = items[path[0]]
    for i in range(len(path) - 1):
        items[path[i]] = items[path[i + 1]]
    items[path[-1]] = first
    return items


def emptied(items: Any) -> Any:
    """`items.clear()`: gives `items`."""
    items.clear()
    return items


def moved_to_end(mapping: Any, key: Any, last: bool) -> Any:
    """`mapping.move_to_end(key, last)`: gives `mapping`."""
    mapping.move_to_end(key, last)
    return mapping


def regrouped(members: set[Any], method: str, *args: Any) -> set[Any]:
    """`members.add(x)` and the other methods that change a set: gives `members`."""
    getattr(members, method)(*args)
    return members


def item_to_pop(items: Any, index: int) -> Any:
    """What `items.pop(index)` is about to give, with the errors of Python."""
    base: Any = list if isinstance(items, list) else deque  # its class isn't asked
    count = base.__len__(items)
    if count == 0:
        raise IndexError(f"pop from {'empty list' if base is list else 'an empty deque'}")
    if not -count <= index < count:
        raise IndexError("pop index out of range")
    return base.__getitem__(items, index)
