"""Tangents of what forward passes call that no rule covers: attributes, decorators, views."""

from __future__ import annotations

import functools
import types
from typing import Any

from ir import primitives, try_primitives
from ir.derived import place_of_field
from zyg.compiler.forward_mode.tangent_dispatch import rule_call
from zyg.compiler.inference.objects import is_error, is_place
from zyg.compiler.run_time import memory
from zyg.cotangents.cotangent_views import placed_view
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.held.made_errors import is_made
from zyg.held.memory_kinds import CACHED
from zyg.rules.attributes import is_field, is_of_class
from zyg.rules.functional import remembering
from zyg.rules.registry import is_constant, rule_of
from zyg.rules.tangent_registry import linear, tangent
from zyg.signature import METHODS
from zyg.tangents.tangent import (
    holds_numbers,
    picked,
    tangent_items,
    with_wrapped,
    zero_tangent,
)
from zyg.tangents.tangent_objects import has_table, read_dot

linear(memory.kept_apart, 0)


@tangent(memory.written_view)
def _written_view(y: Any, items: Any, view: Any, part: Any, *rest: Any) -> Any:
    count = (len(rest) - 3) // 2
    return placed_view(rest[count], view, rest[count + 2], rest[:count])


@tangent(remembering)
def _remembering(y: Any, function: Any, maxsize: Any, typed: Any, *dots: Any) -> Any:
    return dots[0]


@tangent(functools.update_wrapper)
def _update_wrapper(y: Any, *both: Any, **kwargs: Any) -> Any:
    dots = both[len(both) // 2 :]
    return with_wrapped(dots[0], dots[1] if len(dots) > 1 else None)


@tangent(try_primitives.catching, try_primitives.catching_found)
def _catching(y: Any, function: Any, function_dot: Any) -> Any:
    return function_dot


@tangent(try_primitives.attempted)
def _attempted(y: Any, items: Any, items_dot: Any) -> Any:
    return tangent_items(items_dot, items)


@tangent(primitives.read_captured, primitives.read_default)
def _captured(y: Any, function: Any, name: str, *rest: Any) -> Any:
    return picked(rest[len(rest) // 2 - 1], name, y)


@tangent(try_primitives.special_method)
def _special_method(y: Any, owner: Any, name: str, owner_dot: Any, name_dot: Any) -> Any:
    return {"__self__": owner_dot}


@tangent(primitives.owner_of)
def _owner(y: Any, method: Any, method_dot: Any) -> Any:
    return None if has_table() else picked(method_dot, "__self__", y)


@tangent(super)
def _super(y: Any, cls: Any, obj: Any, cls_dot: Any, obj_dot: Any) -> Any:
    return None if isinstance(obj, type) else obj_dot


@tangent(getattr)
def attribute_tangent(value: Any, obj: Any, name: str, *rest: Any) -> Any:
    """The tangent of `getattr(obj, name)`, or with a default, which is `value`."""
    obj_dot = rest[(len(rest) - 2) // 2]
    if len(rest) > 2 and not hasattr(obj, name):
        return rest[-1]
    if has_table() and is_place(type(obj)) and (not is_error(type(obj)) or is_made(obj)):
        if not is_field(
            obj, name, getattr(type(obj), name, None)
        ) and holds_numbers(value):
            raise NotDifferentiable(
                f"forward mode has no tangent for the attribute `{name}` of {type(obj).__name__}"
            )
        return read_dot(obj, name, value)
    if isinstance(obj, BaseException) and holds_numbers(value):
        raise NotDifferentiable(
            f"`{name}` of a caught {type(obj).__name__} is used, and a number that was to be "
            "differentiated may be in it; hand the number on in another way than in an exception"
        )
    if obj_dot is None or isinstance(obj, type | types.ModuleType):
        return zero_tangent(value)
    is_super = type(obj) is super
    owner = obj.__self__ if is_super else obj
    if isinstance(value, METHODS) and type(value.__self__) is type(owner):
        return {"__self__": obj_dot}
    if is_sparse(obj):
        from zyg.rules import scipy_sparse_tangents  # few programs need it

        attribute_dot: Any = scipy_sparse_tangents.attribute_dot
        return attribute_dot(value, obj, obj_dot, name)
    if type(obj) is CACHED and name == "__wrapped__":
        return obj_dot
    descriptor = getattr(type(obj), name, None)
    if is_constant(descriptor) or is_of_class(value, descriptor):
        return zero_tangent(value)
    if rule_of(descriptor) is not None:
        return rule_call((descriptor, obj), (None, obj_dot))[1]
    place = place_of_field(type(obj), name)
    if place is not None:
        return tuple.__getitem__(obj_dot, place)
    is_own = is_field(obj, name, descriptor)
    if isinstance(obj_dot, dict) and is_own:
        return picked(obj_dot, name, value)
    if _is_text(value):
        return None
    raise NotDifferentiable(
        f"forward mode has no tangent for the attribute `{name}` of {type(obj).__name__}"
    )


def _is_text(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_text, value))
    return isinstance(value, str | bytes | bool) or value is None
