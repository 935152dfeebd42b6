"""The user's classes as ones whose methods run on traced values.

    class Model:                            model.value(x) runs a twin of the method, in which
        def value(self, x):                 math.sin takes a traced number
            return math.sin(x[0])

The twin of a class is a subclass without attributes of its own: what the program stores in it is
stored in the class, where other classes look for it, and is taken back behind the run (`Stores`).
The twin of an object is a second object with the same `__dict__`, so that what is stored in one is
seen in the other.
"""

from __future__ import annotations

import functools
import types
from abc import ABCMeta
from collections.abc import Callable
from typing import Any

_Convert = Callable[[Any], Any]
_METHODS = (types.FunctionType, staticmethod, classmethod, property, functools.cached_property)


class Stores:
    """What a run has stored in classes, and what they had before."""

    def __init__(self) -> None:
        self._before: list[tuple[type, str, Any]] = []

    def store(self, cls: type, name: str, value: Any) -> None:
        self._note(cls, name)
        setattr(cls, name, value)

    def delete(self, cls: type, name: str) -> None:
        self._note(cls, name)
        delattr(cls, name)

    def _note(self, cls: type, name: str) -> None:
        self._before.append((cls, name, vars(cls).get(name, _ABSENT)))

    def take_back(self) -> None:
        while self._before:
            cls, name, value = self._before.pop()
            if value is not _ABSENT:
                setattr(cls, name, value)
            elif name in vars(cls):
                delattr(cls, name)


_ABSENT = object()


def may_have_twin(cls: type) -> bool:
    """Whether a class may get a subclass without that anything takes note of it."""
    return (
        type(cls) in (type, ABCMeta)
        and not issubclass(cls, (BaseException, types.ModuleType))
        and not any("__init_subclass__" in vars(base) for base in cls.__mro__[:-1])
    )


def twin_of_class(
    cls: Any, is_followed: Callable[[type], bool], converted: _Convert, stores: Stores
) -> Any:
    """A subclass whose methods are converted: those that classes which are followed define."""
    defined = {
        name: (value, base) for base in reversed(cls.__mro__) for name, value in vars(base).items()
    }
    content = {
        name: _converted_method(value, converted)
        for name, (value, base) in defined.items()
        if isinstance(value, _METHODS) and is_followed(base)
    }
    if "__eq__" in content:
        content.setdefault("__hash__", cls.__hash__)
    if "__getattribute__" not in content:
        content["__getattribute__"] = lambda x, name: converted(cls.__getattribute__(x, name))
    content.update(__slots__=(), __module__=cls.__module__, __qualname__=cls.__qualname__)
    kind = type(cls)


    def store(twin: Any, name: str, value: Any) -> None:
        if name in vars(twin) or name.startswith("__"):
            type.__setattr__(twin, name, value)  # a method; what `ABCMeta` notes of a new class
        else:
            stores.store(cls, name, value)

    def delete(twin: Any, name: str) -> None:
        if name in vars(twin):
            type.__delattr__(twin, name)
        stores.delete(cls, name)

    asked = {
        "__instancecheck__": lambda _, x: isinstance(x, cls),
        "__setattr__": store, "__delattr__": delete,
    }
    return type(kind.__name__, (kind,), asked)(cls.__name__, (cls,), content)


def twin_of_object(x: Any, twin: Any) -> Any:
    """An object of the twin of its class, with the same attributes."""
    found = object.__new__(twin)
    found.__dict__ = x.__dict__
    return found


def has_only_a_dict(x: Any) -> bool:
    """Whether all that an object holds is in its `__dict__`."""
    return hasattr(x, "__dict__") and type(x).__basicsize__ == _WithDict.__basicsize__


class _WithDict:
    pass


def _converted_method(method: Any, converted: _Convert) -> Any:
    if isinstance(method, (staticmethod, classmethod)):
        return type(method)(converted(method.__func__))
    if isinstance(method, property):
        read, write, delete = (f and converted(f) for f in (method.fget, method.fset, method.fdel))
        return property(read, write, delete, method.__doc__)
    if isinstance(method, functools.cached_property):
        return functools.cached_property(converted(method.func))
    return converted(method)
