"""`copy.deepcopy`, `dataclasses.asdict` and `astuple` of objects, at run time.

Python itself makes the copy; the way back moves what the copies' attributes were given:

    c = copy.deepcopy(o)      o.x += c.x's cotangent; c.x's cotangent is gone
                              and so for all objects that hang on `o`
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import types
from collections import deque
from collections.abc import Callable
from typing import Any

from ir import facts
from zyg.compiler.inference.objects import Back, Differentiate, is_error, is_place, lookup
from zyg.compiler.run_time.object_backs import Through, differentiated, picked
from zyg.errors import NotDifferentiable
from zyg.held.copying import CHANGEABLE
from zyg.held.held_memory import Seen, hold_value
from zyg.held.reaching import attributes_of
from zyg.held.shadow_calls import add_held, current_shadows, is_running
from zyg.rules.registry import constant
from zyg.signature import is_record

# Methods by which a class says how its instances are copied.
OWN_WAYS = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__")


def says_how_it_is_copied(cls: type) -> bool:
    """Whether objects of a class are copied otherwise than attribute by attribute."""
    plain = types.SimpleNamespace if issubclass(cls, types.SimpleNamespace) else object
    return any(getattr(cls, name, None) is not getattr(plain, name, None) for name in OWN_WAYS)


def copied(
    pullback: Differentiate, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back] | None:
    """The value and back function of a call of `copy` or `dataclasses`; None for other calls."""
    if function is copy.deepcopy and len(args) == 1 and not kwargs:
        return deep_copy(pullback, args[0])
    if function is copy.copy and len(args) == 1 and not kwargs and _is_copied(args[0]):
        return _shallow_copy(pullback, args[0])
    return record_of(function, *args, **kwargs) if is_record(function) else None


def _is_copied(value: Any) -> bool:
    """Whether this is an object whose copy has a derivative, which that of an exception hasn't."""
    return is_place(type(value)) and not is_error(type(value))


def _shallow_copy(pullback: Differentiate, x: Any) -> tuple[Any, Back]:
    from zyg.compiler.run_time.copies import object_copier  # which imports this

    copier = object_copier(type(x))
    assert copier is not None
    return pullback(copier, x)


def deep_copy(pullback: Differentiate, x: Any) -> tuple[Any, Back] | None:
    """A deep copy of what holds objects, in code that works on them; None for other values."""
    own = getattr(type(x), "__deepcopy__", None)
    if is_place(type(x)) and isinstance(own, types.FunctionType):
        y, back = differentiated(pullback, own, x, {})
        return y, Through(back, functools.partial(picked, 1, 1, 2))
    if not is_running():
        return None
    memo: dict[int, Any] = {}
    y = copy.deepcopy(x, memo)
    originals = [one for one in memo.get(id(memo), ()) if _is_copied(one)]
    if not originals:
        return None
    fields = [
        field for original in originals
        for field in _copied_fields(original, memo[id(original)], memo)
    ]
    return y, DeepCopied(fields)


def unless_reached_twice(x: Any) -> None:
    """Raises for what leads to an object, or to what can be changed in place, in two ways: its deep
    copy has that once, too."""
    seen: set[int] = set()
    pending = [x]
    while pending:
        value = pending.pop()
        is_object = is_place(type(value))
        if is_object or isinstance(value, CHANGEABLE):
            if id(value) in seen:
                raise NotDifferentiable(
                    f"copy.deepcopy of what leads to the same {type(value).__name__} twice, in "
                    "code whose gradient is differentiated in turn; copy its parts one by one"
                )
            seen.add(id(value))
        if is_object:
            pending += [*attributes_of(value).values()]
        elif isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list | tuple | set | deque):
            pending += value


class _Field:
    """An attribute of an object that was copied, and what its copy holds there."""

    __slots__ = ("before", "copied", "copied_value", "name", "newly", "original")

    def __init__(self, original: Any, before: Any, copied: Any, name: str, value: Any) -> None:
        self.original = original
        self.before = Seen(before)
        self.copied = copied
        self.name = name
        self.copied_value = value
        self.newly = hold_value(value)


def _copied_fields(original: Any, copied: Any, memo: dict[int, Any]) -> list[_Field]:
    """What an object and its copy hold, which have to correspond."""
    cls = type(original)
    before = attributes_of(original)
    is_plain = (
        type(copied) is cls and not says_how_it_is_copied(cls)
        and lookup(cls, "__deepcopy__") is None
    )
    after = attributes_of(copied)
    if not is_plain or before.keys() != after.keys() or not all(
        value is before[name] or memo.get(id(before[name])) is value
        for name, value in after.items()
    ):
        raise NotDifferentiable(
            f"the class {cls.__name__} says itself how its objects are copied, which has no "
            "derivative where `copy.deepcopy` comes to them; copy the parts"
        )
    return [
        _Field(original, before[name], copied, name, value) for name, value in after.items()
    ]


class DeepCopied:
    """The back function of a deep copy: what the copies were given goes to the originals."""

    __slots__ = ("fields",)

    def __init__(self, fields: list[_Field]) -> None:
        self.fields = fields

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        moved = [
            (field, shadows.release(
                field.copied, field.name, field.copied_value, field.newly
            ))
            for field in reversed(self.fields)
        ]
        for field, bar in moved:
            add_held(shadows, field.original, field.name, bar, field.before)
        return None, y_bar

    def with_own_memory(self, copy: Callable[[Any], Any]) -> DeepCopied:
        return self


def record_of(
    function: Any, obj: Any, *rest: Any, **kwargs: Any
) -> tuple[Any, Back]:
    """`dataclasses.asdict` or `astuple` of an object, whose fields it takes apart."""
    y = function(obj, *rest, **kwargs)
    if type(y) is not (dict if function is dataclasses.asdict else tuple):
        raise NotDifferentiable(
            f"`{function.__name__}` with a factory of its own has no derivative"
        )
    return y, RecordBack(Part(obj), is_running(), 1 + len(rest) + len(kwargs))


class Part:
    """What `asdict` has found in a place: the parts of an object or container by their keys."""

    __slots__ = ("obj", "parts", "rebuild", "values")

    def __init__(self, value: Any) -> None:
        self.obj: Any = None
        self.parts: dict[Any, Part] = {}
        self.values: dict[str, Seen] = {}
        self.rebuild: type | None = None
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            self.obj = value
            self.values = {
                field.name: Seen(getattr(value, field.name))
                for field in dataclasses.fields(value)
            }
            self.parts = {name: Part(seen.value) for name, seen in self.values.items()}
        elif isinstance(value, list | tuple):
            self.rebuild = list if isinstance(value, list) else tuple
            self.parts = {i: Part(item) for i, item in enumerate(value)}
        elif isinstance(value, dict):
            self.rebuild = dict
            self.parts = {key: Part(item) for key, item in value.items()}
        elif is_place(type(value)):
            raise NotDifferentiable(
                f"a copy of a {type(value).__name__} object has no derivative here; it is no "
                "dataclass"
            )

    def bar(self, y_bar: Any, is_on_heap: bool) -> Any:
        """The cotangent of what was found, from that of what was made of it."""
        if y_bar is None or not (self.parts or self.rebuild):
            return y_bar
        found = {}
        for position, (key, part) in enumerate(self.parts.items()):
            given = y_bar.get(key) if isinstance(y_bar, dict) else y_bar[position]
            found[key] = part.bar(given, is_on_heap)
        if self.obj is None:
            assert self.rebuild is not None
            return found if self.rebuild is dict else self.rebuild(found.values())
        if not is_on_heap:
            return found
        shadows = current_shadows()
        for name, bar in found.items():
            add_held(shadows, self.obj, name, bar, self.values[name])
        return None


class RecordBack:
    """The back function of `dataclasses.asdict` and `astuple`."""

    __slots__ = ("_count", "is_on_heap", "part")

    def __init__(self, part: Part, is_on_heap: bool, count: int) -> None:
        self.part = part
        self.is_on_heap = is_on_heap
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return None, self.part.bar(y_bar, self.is_on_heap), *(None,) * (self._count - 1)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RecordBack:
        return self


constant(unless_reached_twice)
facts.effect(unless_reached_twice)
