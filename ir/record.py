"""Classes that consist of their fields, as `dataclasses` makes them, but fifty times as fast.

    @record                                  class Tuple(Type):
    class Tuple(Type):                           __match_args__ = ("items",)
        items: tuple[Type, ...]      ->          def __init__(self, items): self.items = items
                                                 ...and equality, hash and repr by the fields

A compiler has many small classes, and `dataclasses` compiles text for each method of each one: that
was half of the time of `import zyg`. Here `__init__` is a function below with its names replaced.
That records are not changed is left to the type checker.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C", bound=type)


class _Made:
    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def made(factory: Callable[[], Any]) -> Any:
    """The default of a field that each instance gets anew: `items: list[int] = made(list)`."""
    return _Made(factory)


@dataclass_transform(frozen_default=True)
def record(cls: C) -> C:
    """A value: two records of one class are equal if their fields are."""
    fields = _with_fields(cls)
    if "__eq__" not in vars(cls):
        key: Callable[[Any], Any] = attrgetter(*fields) if fields else type

        def equal(self: Any, other: Any) -> bool:
            return self is other or (type(self) is type(other) and key(self) == key(other))

        def hashed(self: Any) -> int:
            return hash((cls, key(self)))

        cls.__eq__, cls.__hash__ = equal, hashed  # type: ignore[method-assign,assignment]
    return cls


@dataclass_transform(eq_default=False)
def node(cls: C) -> C:
    """Something with an identity: two nodes are never equal."""
    _with_fields(cls)
    return cls


def _with_fields(cls: Any) -> tuple[str, ...]:
    own: dict[str, Any] = vars(cls).get("__annotations__", {})
    fields = *(name for name in getattr(cls, "__match_args__", ()) if name not in own), *own
    cls.__match_args__ = fields  # type: ignore[misc]
    cls.__init__ = _init(cls, fields)
    if cls.__repr__ is object.__repr__:
        cls.__repr__ = _repr
    return fields


def _repr(self: Any) -> str:
    fields = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__name__}({', '.join(fields)})"


def _init(cls: type, fields: tuple[str, ...]) -> Callable[..., None]:
    defaults = tuple(getattr(cls, name) for name in fields if hasattr(cls, name))
    if len(fields) >= len(_TEMPLATES) or any(isinstance(default, _Made) for default in defaults):
        return _init_of_many(fields, defaults)
    code = _TEMPLATES[len(fields)].__code__
    code = code.replace(co_varnames=("self", *fields), co_names=fields)
    return FunctionType(code, {}, "__init__", defaults)


def _init_of_many(fields: tuple[str, ...], defaults: tuple[Any, ...]) -> Callable[..., None]:
    optional = dict(zip(fields[len(fields) - len(defaults) :], defaults, strict=True))

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) == len(fields) and not kwargs:
            self.__dict__.update(zip(fields, args, strict=True))
            return
        if len(args) > len(fields):
            raise TypeError(f"{type(self).__name__} takes {len(fields)} fields, not {len(args)}")
        given = dict(zip(fields, args, strict=False), **kwargs)
        for name in fields:
            if name in given:
                value = given.pop(name)
            elif name in optional:
                value = optional[name]
                value = value.factory() if isinstance(value, _Made) else value
            else:
                raise TypeError(f"{type(self).__name__} needs the field `{name}`")
            setattr(self, name, value)
        if given:
            raise TypeError(f"{type(self).__name__} has no field `{next(iter(given))}`")

    return init


# What is replaced are the names: assignments are in the order of the parameters.


def _fields_0(self: Any) -> None:
    pass


def _fields_1(self: Any, a: Any) -> None:
    self.a = a


def _fields_2(self: Any, a: Any, b: Any) -> None:
    self.a = a
    self.b = b


def _fields_3(self: Any, a: Any, b: Any, c: Any) -> None:
    self.a = a
    self.b = b
    self.c = c


def _fields_4(self: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d


def _fields_5(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e


def _fields_6(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f


def _fields_7(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g


def _fields_8(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g
    self.h = h


_TEMPLATES = (
    _fields_0, _fields_1, _fields_2, _fields_3, _fields_4, _fields_5, _fields_6, _fields_7,
    _fields_8,
)
