"""Attributes that the user's classes compute: properties, descriptors, hooks; at run time.

    o.area        ->  Circle.area.fget(o)
    o.area = v    ->  Circle.area.fset(o, v)
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ir import primitives
from ir.inference.metaclasses import asked_of_metaclass
from ir.shared_names import Names, has_names, names_of
from ir.types import Instance
from zyg.compiler.assigned import is_of_users
from zyg.compiler.inference.members import member
from zyg.compiler.inference.objects import (
    ALL_NAMES,
    ANY_NAME,
    COMPUTED,
    IN_PLACE,
    Back,
    Differentiate,
    is_error,
    is_place,
    lookup,
    overloads,
)
from zyg.compiler.run_time.object_backs import (
    Refusing,
    Through,
    alone,
    differentiated,
    of_descriptor,
    of_hook,
    of_object,
    of_self,
    of_setter,
    picked,
)
from zyg.cotangents.cotangent import accumulate
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import Newly, Seen, hold_value, running_names
from zyg.held.made_errors import is_made
from zyg.held.shadow_calls import add_held, current_run, current_shadows, is_running
from zyg.signature import is_users


class Stored:
    """The back function of a store into an object, or of a deletion from it."""

    __slots__ = ("_newly", "count", "name", "obj", "value")

    def __init__(
        self, obj: Any, name: str, count: int, value: Any = None, newly: Newly | None = None
    ) -> None:
        self.obj = obj
        self.name = name
        self.count = count
        self.value = value
        self._newly = newly

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        taken = current_shadows().release(self.obj, self.name, self.value, self._newly)
        return (None, None, None, taken)[: self.count]

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Stored:
        return self

    def __reduce__(self) -> Any:
        return Stored, (self.obj, self.name, self.count, self.value, self._newly)


class Read:
    """The back function of a read of what an object holds."""

    __slots__ = ("_seen", "count", "name", "obj")

    def __init__(self, obj: Any, name: str, count: int, value: Any) -> None:
        self.obj = obj
        self.name = name
        self.count = count
        self._seen = value if isinstance(value, Seen) else Seen(value)

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        add_held(current_shadows(), self.obj, self.name, y_bar, self._seen)
        return (None,) * self.count

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Read:
        return self

    def __reduce__(self) -> Any:
        return Read, (self.obj, self.name, self.count, self._seen)


class Made:
    """The back function of making an object: that of its `__init__`, which returns nothing."""

    __slots__ = ("_back", "_obj")

    def __init__(self, back: Back, obj: Any) -> None:
        self._back = back
        self._obj = obj

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        for name, bar in (y_bar or {}).items():
            add_held(shadows, self._obj, name, bar, Seen(getattr(self._obj, name, None)))
        return self._back(None)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Made:
        return self

    def __reduce__(self) -> Any:
        return Made, (self._back, self._obj)


_CHANGING_METHODS: dict[Any, str] = {
    primitives.stored: "__setitem__", primitives.spliced: "__setitem__",
    primitives.stored_back: "__setitem__", primitives.deleted: "__delitem__",
    **{function: names[0] for function, names in IN_PLACE.items()},
}


def changing_method(function: Any, obj: Any) -> Any:
    """The method of a user's class by which an object is changed in place; None if it has none."""
    cls = type(obj)
    if not is_place(cls) or function not in _CHANGING_METHODS:
        return None
    method = lookup(cls, _CHANGING_METHODS[function])
    return method if isinstance(method, types.FunctionType) else None


def changed_attribute(
    pullback: Differentiate, function: Any, obj: Any, name: str, *value: Any
) -> tuple[Any, Back]:
    """A store into an attribute, or its deletion, of what is found at run time."""
    cls = type(obj)
    running = running_names()
    if isinstance(obj, type) and running is not None and (id(obj), name) in running.shared:
        obj = names_of(obj)
        cls = type(obj)
    if not is_place(cls):
        kind = "a class" if isinstance(obj, type) else f"an object of class {cls.__name__}"
        raise NotDifferentiable(f"the attribute `{name}` of {kind} is changed")
    found = member(Instance(cls), name)
    if function is setattr and found.hook is not None:
        _, back = pullback(found.hook, obj, name, *value)
        return None, Through(back, of_hook)
    descriptor = lookup(cls, name)
    if function is not delattr and overloads(type(descriptor), "__set__"):
        _, back = pullback(lookup(type(descriptor), "__set__"), descriptor, obj, *value)
        return None, Through(back, of_descriptor)
    if function is not delattr and found.store == "computed":
        _, back = pullback(found.setter, obj, *value)
        return None, Through(back, of_setter)
    is_plain = found.is_plainly_deleted if function is delattr else found.store == "plain"
    if not is_plain:
        raise NotDifferentiable(
            f"the attribute `{name}` of {cls.__name__} is changed, which is no plain attribute"
        )
    function(obj, name, *value)
    if not value:
        return None, Stored(obj, name, 3)
    return None, Stored(obj, name, 4, value[0], hold_value(value[0]))


def attribute(
    pullback: Differentiate, obj: Any, name: str, *default: Any
) -> tuple[Any, Back] | None:
    """Reading an attribute that is computed; None for one that is stored."""
    count = 3 + len(default)
    try:
        found = _computed(pullback, obj, name, count)
    except AttributeError:
        if not default:
            raise
        return default[0], Through(alone, functools.partial(picked, 0, 3, 4))
    return found


def _computed(
    pullback: Differentiate, obj: Any, name: str, count: int
) -> tuple[Any, Back] | None:
    cls, owner = type(obj), obj
    if overloads(cls, ALL_NAMES):
        error = NotDifferentiable(
            f"the attribute `{name}` of {cls.__name__} is what its `__getattribute__` makes of it"
        )
        return getattr(obj, name), Refusing(count, error)
    stored: Any = getattr(obj, "__dict__", {})
    answer = asked_of_metaclass(obj, name) if isinstance(obj, type) else None
    if answer is not None and answer[0] != "method":
        given = (obj, name) if answer[0] == "any" else (obj,)
        y, back = differentiated(pullback, answer[1], *given)
        return y, Through(back, functools.partial(picked, 1, 1, count))
    if is_running() and isinstance(obj, type) and is_users(obj):
        holder = _class_with(obj.__mro__, name)
        if holder is not None:
            y = getattr(obj, name)
            return y, Read(holder, name, count, y)
    if is_running() and has_names(obj, name) and is_of_users(vars(obj)):
        y = getattr(obj, name)
        is_plain = name in vars(obj) and not callable(y)
        return (y, Read(names_of(vars(obj)), name, count, y)) if is_plain else None
    if is_running() and is_place(cls) and (not is_error(cls) or is_made(obj)):
        plain = member(Instance(cls), name).kind == "stored" or name in stored
        if plain and not isinstance(lookup(cls, name), COMPUTED):
            y = getattr(obj, name)
            is_own = name in stored or is_error(cls)
            holder = obj if is_own else (_class_with(cls.__mro__, name) or obj)
            return y, Read(holder, name, count, y)
    if cls is super:
        owner, stored = obj.__self__, {}
        found = _found_above(obj, name)
        holder = _class_with(_bases_above(obj), name) if is_running() else None
        if holder is not None:
            return found, Read(holder, name, count, found)
    elif not is_users(cls) or isinstance(obj, type):
        return None
    else:
        found = lookup(cls, name)

    def through(back: Back, position: int) -> Back:
        return Through(back, functools.partial(picked, position, 1, count))

    if isinstance(found, property) and found.fget is not None:
        try:
            y, back = differentiated(pullback, found.fget, owner)
        except AttributeError:
            if lookup(cls, ANY_NAME) is None:
                raise
            found = None
        else:
            return y, through(back, 1)
    if isinstance(found, functools.cached_property):
        y, back = _cached(pullback, found, owner, name)
        return y, through(back, 1)
    if not isinstance(found, COMPUTED) and overloads(type(found), "__get__"):
        is_data = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
        if is_data or name not in stored:
            getter = lookup(type(found), "__get__")
            y, back = differentiated(pullback, getter, found, owner, type(owner))
            return y, through(back, 2)
    if isinstance(found, functools.singledispatchmethod):
        return getattr(obj, name), Through(alone, functools.partial(of_object, count))
    if cls is super or isinstance(found, functools.partialmethod):
        y = getattr(obj, name)
        depth, method = 0, y
        while isinstance(method, functools.partial):
            depth, method = depth + 1, method.func
        bound = getattr(method, "__self__", None)
        if bound is not owner and not isinstance(bound, type | None):
            raise NotDifferentiable(f"the attribute `{name}` can't be differentiated")
        return y, Through(alone, functools.partial(of_self, bound is owner, depth, count))
    if found is None and name not in stored and (method := lookup(cls, ANY_NAME)) is not None:
        y, back = differentiated(pullback, method, obj, name)
        return y, through(back, 1)
    return None


def _class_with(bases: Iterable[type], name: str) -> Names | None:
    """What stands for the names of the class or base where a plain attribute is found."""
    base = next((base for base in bases if name in vars(base)), None)
    if base is None:
        return None
    found = vars(base)[name]
    return None if callable(found) or hasattr(type(found), "__get__") else names_of(base)


def _bases_above(obj: Any) -> Sequence[type]:
    """The classes in which `super()` looks for names."""
    bases: Sequence[type] = obj.__self_class__.__mro__
    return bases[bases.index(obj.__thisclass__) + 1 :]


def _found_above(obj: Any, name: str) -> Any:
    """What a name is found as through `super()`."""
    return next((vars(base)[name] for base in _bases_above(obj) if name in vars(base)), None)


class CachedBack:
    """The back function of a cached property that is computed, stored, and read from there on."""

    __slots__ = ("_back", "_newly", "_value", "name", "obj")

    def __init__(
        self, back: Back, obj: Any, name: str, value: Any, newly: Newly | None
    ) -> None:
        self._back = back
        self.obj = obj
        self.name = name
        self._value = value
        self._newly = newly

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        taken = current_shadows().release(self.obj, self.name, self._value, self._newly)
        return self._back(accumulate(y_bar, taken))

    def with_own_memory(self, copy: Callable[[Any], Any]) -> CachedBack:
        return self

    def __reduce__(self) -> Any:
        held = self._back, self.obj, self.name, self._value, self._newly
        return CachedBack, held


# In which forward pass a cached property was computed, and the `id` of what it was.
_cached_in: dict[tuple[int, str], tuple[int, object]] = {}
# What cached properties were computed as in differentiated code, by which back functions, and what
# else the objects held then.
_cached_backs: dict[tuple[int, str], tuple[Any, Back, dict[str, Any]]] = {}
MAX_CACHED = 1024  # a back function may keep its object alive


def _cached(
    pullback: Differentiate, found: functools.cached_property[Any], obj: Any, name: str
) -> tuple[Any, Back]:
    """A cached property: computed when it is read first, and stored in the object."""
    stored = obj.__dict__
    key, run = (id(obj), name), current_run()
    if run is not None and name in stored and _cached_in.get(key) == (id(stored[name]), run):
        return stored[name], Read(obj, name, 2, stored[name])
    if name in stored:
        before = _cached_backs.get(key)
        if before is None or before[0] is not stored[name] or not _holds(obj, before[2]):
            raise NotDifferentiable(
                f"the cached property `{name}` of this {type(obj).__name__} was computed before, "
                "so that nothing is known of what it was computed from; delete it first, with "
                f"`del x.{name}`"
            )
        return stored[name], before[1]
    held = dict(stored)
    y, back = differentiated(pullback, found.func, obj)
    stored[name] = y
    if key not in _cached_backs:
        weakref.finalize(obj, _forget_cached, key)
    if len(_cached_backs) >= MAX_CACHED:
        _cached_backs.pop(next(iter(_cached_backs)))
    _cached_backs[key] = y, back, held
    if run is None:
        return y, back
    _cached_in[key] = id(y), run
    return y, CachedBack(back, obj, name, y, hold_value(y))


def _forget_cached(key: tuple[int, str]) -> None:
    _cached_backs.pop(key, None)
    _cached_in.pop(key, None)


def _holds(obj: Any, held: dict[str, Any]) -> bool:
    """Whether an object holds what it held before, beside what was cached since."""
    stored = obj.__dict__
    return all(name in stored and stored[name] is value for name, value in held.items())
