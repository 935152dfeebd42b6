"""How objects of the user's classes are made: by which `__init__`, with which source."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ir.derived import BASES, base_of, callable_of
from ir.inference.surroundings import Constructor
from ir.types import Type
from zyg.compiler.inference.objects import (
    INIT_OF_ERRORS,
    holds_no_objects,
    is_error,
    is_place,
    lookup,
    shows_objects,
)
from zyg.rules.registry import rule_of, substitute_of

_PLAIN_NEW: Any = lookup(object, "__new__"), lookup(types.SimpleNamespace, "__new__")
_PLAIN_INIT: Any = lookup(object, "__init__")
_INIT_OF_NAMESPACE: Any = lookup(types.SimpleNamespace, "__init__")


def constructor(cls: type, names: Iterable[str] = ()) -> Constructor | None:
    """How an object is made that is given these keyword arguments, if its class leaves `__new__`
    and the metaclass's call to Python."""
    if is_derived_class(cls):
        init = lookup(cls, "__init__")
        is_own = isinstance(init, types.FunctionType) and base_of(cls) is not Counter
        return Constructor(init if is_own else None, base_of(cls))
    if not is_place(cls) or type(cls).__call__ is not type.__call__ or rule_of(cls) is not None:
        return None
    is_plain = is_error(cls) or lookup(cls, "__new__") in _PLAIN_NEW
    if not is_plain or getattr(cls, "__abstractmethods__", None):
        return None
    init = lookup(cls, "__init__")
    if is_error(cls):
        is_python = isinstance(init, types.FunctionType)
        if not is_python and any(names):
            return None  # which fails
        # Few programs need it.
        from zyg.compiler.inference.exception_init import constructor_of_error

        is_more = init is vars(StopIteration)["__init__"]  # it stores beside `args`
        return constructor_of_error(
            with_source(init, cls) if is_python else init if is_more else None
        )
    if init is _PLAIN_INIT:
        return Constructor(None)
    if init is _INIT_OF_NAMESPACE:
        from zyg.compiler.inference.namespace_init import init_of_namespace  # few programs need it

        return Constructor(init_of_namespace(tuple(names)))
    return Constructor(with_source(init, cls)) if isinstance(init, types.FunctionType) else None


def has_rule_of_user(callee: object) -> bool:
    """Whether the user has given a function, or a class, a rule."""
    rule = rule_of(callee)
    return rule is not None and not str(rule.__module__).startswith("zyg.")


def reads_by_rule_of_user(callee: object, types_: tuple[Type, ...], asks_later: bool) -> bool:
    """Whether a rule of the user's may read attributes of objects that it is given; `asks_later`:
    operands of which types tell nothing are looked at when the program runs."""
    if not has_rule_of_user(callee):
        return False
    return any(map(shows_objects, types_)) if asks_later else not all(map(holds_no_objects, types_))


def is_derived_class(cls: type) -> bool:
    """Whether instances of a class are made as containers that are known by their contents."""
    return base_of(cls) is not None and rule_of(cls) is None and substitute_of(cls) is None


def method_above(cls: type, found: Any, base: type) -> Any:
    """The function that `super().name(...)` calls, found in a base; None where it isn't known."""
    if found is _INIT_OF_NAMESPACE:
        from zyg.rules.attribute_dicts import init_by_computed_names  # few programs need it

        return init_by_computed_names
    if found is tuple.__new__ or id(found) in INIT_OF_ERRORS:
        return found
    if base in BASES:
        return callable_of(found) if base_of(cls) is not None else None
    return with_source(found, base) if isinstance(found, types.FunctionType) else None


def with_source(init: types.FunctionType, cls: type) -> Callable[..., Any]:
    """An `__init__` that a class or a base of it has; of one that was generated, its like."""
    if init.__name__ != "__init__" or init.__code__.co_filename != "<string>":
        return init
    base = next((base for base in cls.__mro__ if vars(base).get("__init__") is init), None)
    if base is None or "__dataclass_fields__" not in vars(base):
        return init
    from zyg.compiler.inference.dataclass_init import init_of_dataclass  # `dataclasses` is large

    return init_of_dataclass(base)
