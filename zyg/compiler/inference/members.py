"""What classes say of an attribute of their objects: by what it is read, stored and deleted.

    member(Instance(Circle), 'area')     ->  Member('computed', Circle.area.fget)
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ir.generators import Generator
from ir.heap import Cell, Contents, made_once
from ir.inference.surroundings import Member
from ir.shared_names import Names
from ir.types import Top, Type, Union, class_of
from zyg.compiler.inference.constructors import with_source
from zyg.compiler.inference.objects import (
    ALL_NAMES,
    ANY_NAME,
    COMPUTED,
    is_error,
    is_place,
    lookup,
    overloads,
)
from zyg.held.nested_shadows import Bars, BarTable
from zyg.signature import is_users

_METHODS = (
    types.FunctionType, classmethod, staticmethod, functools.partialmethod,
    functools.singledispatchmethod,
)


def member(type_: Type, name: str) -> Member:
    """What is known of an attribute of objects of a type."""
    cls = class_of(type_)
    if cls is None:
        unknown = isinstance(type_, Top | Union)
        return Member("unknown") if unknown else Member("other")
    if cls is np.ndarray and name in ("real", "imag", "flat"):
        from zyg.rules import array_stores  # few programs need it

        return Member("other", setter=array_stores.SETTERS[name])
    if not is_place(cls):
        return Member("unknown" if cls is super else "other")
    if issubclass(cls, Cell | Contents | Names | Bars | BarTable):
        return Member("stored", store="plain", is_plainly_deleted=True)
    if issubclass(cls, Generator):
        method = getattr(cls, name, None)
        if isinstance(method, types.FunctionType):
            return Member("method", method)
        return Member("stored", store="plain", is_plainly_deleted=True)
    if is_error(cls) and name in vars(BaseException):
        is_held = name == "args"
        return Member("stored", store="plain") if is_held else Member("other")
    found = lookup(cls, name)
    if found is vars(StopIteration)["value"]:
        return Member("stored", store="plain")
    kind, getter = _as_read(cls, name, found)
    store, setter = _as_stored(name, found)
    descriptor = found if is_descriptor(found) and not _is_by_own_name(found, name) else None
    hook = None if _is_frozen(cls) else lookup(cls, "__setattr__")
    if is_of_python(hook, "__setattr__"):
        hook = None
    elif hook is not None and not isinstance(hook, types.FunctionType):
        store, hook = "unknown", None
    deletes = is_of_python(lookup(cls, "__delattr__"), "__delattr__") or _is_frozen(cls)
    return Member(kind, getter, store, setter, hook, deletes and store == "plain", descriptor)


def is_of_python(found: Any, name: str) -> bool:
    """Whether a hook for attributes is that of classes which have none of their own."""
    plain = object, types.SimpleNamespace, BaseException
    return any(found is lookup(cls, name) for cls in plain)


def _as_read(cls: type, name: str, found: Any) -> tuple[str, Any]:
    """The kind of an attribute that is found as this in its class, and what computes it."""
    if overloads(cls, ALL_NAMES):
        return "unknown", None
    if type(found) is property:
        return "computed", found.fget
    any_name = lookup(cls, ANY_NAME)
    if type(found) is functools.cached_property and _has_dict(cls) and found.attrname == name:
        return "computed once", found.func
    if is_descriptor(found) and any_name is None and not _is_by_own_name(found, name):
        return "computed", lookup(type(found), "__get__")
    if isinstance(found, COMPUTED) or _has_code(type(found), "__get__", "__set__", "__delete__"):
        return "unknown", None
    if found is None and any_name is not None:
        return ("missing" if isinstance(any_name, types.FunctionType) else "unknown"), any_name
    if isinstance(found, types.FunctionType):
        return "method", with_source(found, cls)
    if isinstance(found, classmethod | staticmethod):
        is_plain = isinstance(found.__func__, types.FunctionType)
        kind = "static" if isinstance(found, staticmethod) else "of class"
        return kind if is_plain else "unknown", found.__func__
    return "stored", None


def _as_stored(name: str, found: Any) -> tuple[str, Any]:
    """How an attribute is stored that is found as this in its class, and what stores it."""
    if type(found) is property:
        return ("unknown", None) if found.fset is None else ("computed", found.fset)
    if found is None or isinstance(found, types.MemberDescriptorType):
        return "plain", None
    if is_descriptor(found) and not _is_by_own_name(found, name):
        return "computed", lookup(type(found), "__set__")
    if isinstance(found, _METHODS) or hasattr(type(found), "__set__"):
        return "unknown", None
    return ("unknown" if hasattr(type(found), "__delete__") else "plain"), None


def is_class_store(cls: type, name: str) -> bool:
    """Whether `cls.name = value` does no more than to replace a plain value of the user's class."""
    if not is_users(cls) or type(cls).__setattr__ is not type.__setattr__ or cls in made_once:
        return False
    if lookup(type(cls), name) is not None or (name.startswith("__") and name.endswith("__")):
        return False
    found = lookup(cls, name)
    return not callable(found) and not hasattr(type(found), "__get__")


def is_descriptor(found: Any) -> bool:
    """Whether an attribute is read and stored by methods of what stands for it in the class."""
    cls = type(found)
    return is_place(cls) and _has_code(cls, "__get__") and _has_code(cls, "__set__")


def _is_by_own_name(descriptor: Any, name: str) -> bool:
    """Whether a descriptor may keep its values in the dicts of objects under the name that hides
    them."""
    held = getattr(descriptor, "__dict__", {}).values()
    return any(isinstance(value, str) and value == name for value in held)


def _has_dict(cls: type) -> bool:
    return bool(cls.__dictoffset__)


def _has_code(cls: type, *names: str) -> bool:
    return any(isinstance(lookup(cls, name), types.FunctionType) for name in names)


def _is_frozen(cls: type) -> bool:
    """Whether a class is a dataclass whose `__setattr__` does nothing but raise."""
    parameters = getattr(cls, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and "__setattr__" in vars(cls)
