"""The rule of reading attributes.

The cotangent of an object is a dict of those of its attributes, of a NamedTuple a tuple, of a bound
method `{"__self__": ...}`. Fields of classes written in C, as `np.ndarray.T`, have their own rules.
"""

from __future__ import annotations

import enum
import functools
import types
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.derived import has_attributes_beside, place_of_field
from ir.heap import class_attribute
from ir.shared_names import ASIDE
from ir.types import TOP, Scalar
from zyg.cotangents.cotangent_items import one_hot
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.held.memory_kinds import CACHED
from zyg.rules.registry import adjoint, constant, is_constant, rule_of
from zyg.signature import METHODS, is_by_rules

constant(has_attributes_beside, hasattr, vars, class_attribute, *ASIDE.values())
# What reads the registry is not looked into each time that an attribute is read.
constant(is_constant, rule_of)
facts.result(is_constant)(lambda args, kwargs: Scalar(bool))
facts.result(rule_of)(lambda args, kwargs: TOP)


@adjoint(primitives.owner_of)
def owner_of(method):
    def back(owner_bar):
        return None if owner_bar is None else {"__self__": owner_bar}

    return primitives.owner_of(method), back


@adjoint(getattr)
def getattr_(obj, name, /, *default):
    y = getattr(obj, name, *default)

    def back(y_bar):
        return (
            attribute_bar(y_bar, y, obj, name),
            None,
            *[None if hasattr(obj, name) else y_bar for _ in default],
        )

    return y, back


constant(
    primitives.read_global, primitives.store_global, primitives.delete_global, primitives.is_global
)


@adjoint(super)
def super_(cls, obj):
    return super(cls, obj), lambda y_bar: (None, None if isinstance(obj, type) else y_bar)


def attribute_bar(y_bar, y, obj, name):
    """The cotangent of an object of which one attribute was read."""
    if y_bar is None or isinstance(obj, (type, types.ModuleType)):
        return None
    # By type, not identity: a pullback keeps a copy of a container, its methods the original. The
    # copy may be one of the class that the user's derives from.
    if isinstance(y, METHODS) and isinstance(y.__self__, type(obj)):
        return y_bar.get("__self__")
    if not hasattr(obj, name) or isinstance(obj, enum.Enum):
        return None
    if type(obj) is CACHED and name == "__wrapped__":
        return y_bar  # by what that has captured, as the function's that remembers
    if isinstance(obj, BaseException):
        raise NotDifferentiable(
            f"`{name}` of a caught {type(obj).__name__} is used, and a number that was to be "
            "differentiated may be in it; hand the number on in another way than in an exception"
        )
    if name == "__dict__":
        return y_bar  # by names, as the object's own
    if is_sparse(obj):
        from zyg.rules import scipy_sparse  # few programs need it: the rule of `T`

        if name in scipy_sparse.STRUCTURE:
            return None
        if name == "data":
            return scipy_sparse.data_bar(y_bar, obj)
    descriptor = getattr(type(obj), name, None)
    if is_constant(descriptor) or is_of_class(y, descriptor):
        return None
    rule = rule_of(descriptor)
    if rule is not None:
        bars = rule(obj)[1](y_bar)
        return bars[0] if isinstance(bars, tuple) else bars
    place = place_of_field(type(obj), name)
    if place is not None:
        return one_hot(y_bar, obj, place)
    if is_field(obj, name, descriptor):
        return None if has_attributes_beside(obj) else {name: y_bar}
    raise NotDifferentiable(
        f"the attribute `{name}` of {type(obj).__name__} can't be differentiated: it is computed "
        f"when it is read; call a plain function instead"
    )


def is_of_class(y: Any, descriptor: Any) -> bool:
    """Whether what was read is a class method or static method, which know no object."""
    if isinstance(y, METHODS):
        return isinstance(y.__self__, type)
    return y is descriptor and isinstance(y, types.FunctionType)


def is_field(obj: Any, name: Any, descriptor: Any) -> bool:
    """Whether an attribute is stored in the object, or in its class for all objects."""
    if isinstance(obj, dict) and is_by_rules(type(obj)):
        return name in obj  # what SciPy's solvers return
    if isinstance(obj, (np.ndarray, np.generic)):
        return False
    if name in getattr(obj, "__dict__", ()):
        return True
    if isinstance(descriptor, types.MemberDescriptorType):
        return True
    if isinstance(obj, functools.partial) and name in ("func", "args", "keywords"):
        return True
    return descriptor is not None and not hasattr(type(descriptor), "__get__")
