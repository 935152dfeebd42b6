"""What generated code asks about memory while it runs."""

from __future__ import annotations

import ast
import types
from collections import deque
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from ir import facts
from ir.emit import statement_form
from ir.emit.render import name_node
from ir.memory.memory_facts import CHANGING
from ir.types import Type
from zyg.cotangents.cotangent_views import cleared_view, taken_view
from zyg.errors import NotDifferentiable, SharedMemory
from zyg.held.held_views import is_read_later, sources_of
from zyg.held.keeping import kept
from zyg.held.memory_kinds import FUNCTIONS, captured_by
from zyg.held.reaching import attributes_of
from zyg.rules.registry import adjoint, constant
from zyg.signature import METHODS, is_users


def check_distinct(value: Any, changed: Any) -> None:
    """Raises where two names mean memory that was changed in place under one of them."""
    if isinstance(value, np.ndarray) and isinstance(changed, np.ndarray):
        is_shared = _overlap(value, changed)
    else:
        is_shared = value is changed
    if is_shared:
        raise _shared(changed)


def check_outside(value: Any, changed: Any) -> None:
    """Raises where a container holds memory that was changed in place under another name."""
    arrays, objects = _memory(value)
    if id(changed) in objects or (
        isinstance(changed, np.ndarray) and any(_overlap(changed, array) for array in arrays)
    ):
        raise _shared(changed)


def check_separate(value: Any, changed: Any) -> None:
    """Raises where two names mean memory that was changed in place in a container."""
    arrays, objects = _memory(value)
    others, more = _memory(changed, into_objects=False)
    if objects.keys() & more.keys() or _overlapping([(arrays, 0), (others, 1)]):
        raise _shared(changed)


def shares_memory(changed: list[Any], apart: list[Any]) -> bool:
    """Whether some memory in what is changed in place is met twice there, or elsewhere as well."""
    others, elsewhere = _memory(apart)
    arrays, counts = _memory(changed)
    del counts[id(changed)]
    return (
        len(counts) < sum(counts.values()) or bool(counts.keys() & elsewhere.keys())
        or _overlapping([(others, -1), *(([array], i) for i, array in enumerate(arrays))])
    )


def check_apart(container: Any) -> None:
    """Raises where a container whose elements are changed in place holds one of them twice."""
    arrays, objects = _memory(container, into_objects=False)
    if len(objects) < sum(objects.values()) or _overlapping(
        [([array], i) for i, array in enumerate(arrays)]
    ):
        raise SharedMemory(
            f"an element of a {type(container).__name__} is changed in place that stands there "
            "twice, or overlaps another element; zyg can't follow that: put a copy there"
        )


def check_rows_apart(table: Any) -> None:
    """The same for a container of containers that hold no memory themselves."""
    rows = table.values() if isinstance(table, Mapping) else table
    if len({*map(id, rows)}) < len(table):
        check_apart(table)


def _shared(changed: Any) -> SharedMemory:
    return SharedMemory(
        f"two names mean the same {type(changed).__name__} or overlapping parts of it, and it is "
        "changed in place under one of them; zyg can't follow that: change a copy, or use one name"
    )


def _overlap(a: Any, b: Any) -> bool:
    return bool(np.may_share_memory(a, b) and np.shares_memory(a, b))


_ATOMS = (
    int, float, complex, str, bytes, range, slice, type(None), np.generic, type, np.dtype, np.ufunc,
    types.ModuleType,
)


def _memory(value: Any, into_objects: bool = True) -> tuple[list[Any], dict[int, int]]:
    """The arrays in what a value refers to, and how often each container is met there.

    What the attributes of objects hold is followed where it is changed by these, or refused.
    """
    arrays: list[Any] = []
    counts: dict[int, int] = {}
    passed: set[int] = set()
    pending = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, np.ndarray):
            arrays.append(found)
        elif isinstance(found, _ATOMS):
            continue
        elif callable(found) or _is_object(found):
            if id(found) in passed or not (into_objects or callable(found)):
                continue
            passed.add(id(found))
        elif not isinstance(found, tuple):
            counts[id(found)] = counts.get(id(found), 0) + 1
            if counts[id(found)] > 1:
                continue
        pending.extend(_parts(found))
    return arrays, counts


def _is_object(value: Any) -> bool:
    return is_users(type(value)) and not isinstance(
        value, list | tuple | Set | deque | Mapping | bytearray
    )


def _parts(value: Any) -> Iterable[Any]:
    if is_read_later(value):
        return list(sources_of(value))
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, list | tuple | Set | deque):
        return value
    if isinstance(value, METHODS):
        return [value.__self__]
    if isinstance(value, FUNCTIONS):
        return captured_by(value).values()
    if type(value).__module__.startswith("ir."):
        return []  # code has captured what it is made of
    return attributes_of(value).values() if type(value).__module__ != "builtins" else ()


def _byte_bounds(array: Any) -> tuple[int, int]:
    steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    start = array.__array_interface__["data"][0]
    return (
        start + sum(step for step in steps if step < 0),
        start + sum(step for step in steps if step > 0) + array.itemsize,
    )


def _overlapping(groups: list[tuple[list[Any], int]]) -> bool:
    """Whether arrays of different groups overlap."""
    spans = sorted(
        ((*_byte_bounds(array), group, array)
         for arrays, group in groups for array in arrays if array.size),
        key=lambda span: span[:3],
    )
    open_: list[Any] = []
    for span in spans:
        start, _, group, array = span
        open_ = [other for other in open_ if other[1] > start]
        if any(other[2] != group and _overlap(other[3], array) for other in open_):
            return True
        open_.append(span)
    return False


def check_view(items: Any, view: Any) -> None:
    """Raises where what may be a view of an array that was changed in place is a copy."""
    if view.size and not np.may_share_memory(items, view):
        raise SharedMemory(
            "an array is changed in place that `reshape` or `ravel` was called for; the result is "
            "a copy here, no view: copy it yourself"
        )


def refuse_lost_changes(error: BaseException) -> None:
    """Raises where a handler goes on behind something that may have changed memory and failed."""
    raise NotDifferentiable(
        f"what raised {type(error).__name__} may have changed something in place before, and the "
        "handler goes on with that; zyg can't tell how far it came: let the function check its "
        "arguments before it changes them, or catch the exception in the function that changes"
    ) from error


constant(
    check_distinct, check_outside, check_separate, check_apart, check_rows_apart, check_view,
    refuse_lost_changes,
)


def kept_apart(value: Any, *changed: Any) -> Any:
    """What an adjoint reads of an input while others are changed: a copy if it shares memory."""
    for other in changed:
        if isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
            is_shared = _overlap(value, other)
        else:
            arrays, objects = _memory(value)
            others, more = _memory(other)
            is_shared = bool(objects.keys() & more.keys()) or _overlapping(
                [(arrays, 0), (others, 1)]
            )
        if is_shared:
            return kept(value)
    return value


facts.pure(kept_apart)


@adjoint(kept_apart)
def _kept_apart_rule(value: Any, *changed: Any) -> Any:
    return kept_apart(value, *changed), lambda bar: (bar, *(None,) * len(changed))


@facts.result(kept_apart)
def _kept_apart_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


def written_view(items: Any, view: Any, part: Any, *args: Any) -> Any:
    """`items` when its view `part`, which is `view(items, *args)`, has been changed in place."""
    memory = part.base if isinstance(part, np.flatiter) else part
    if memory.size and not np.may_share_memory(items, memory):
        raise SharedMemory(
            f"the result of `{view.__name__}` is changed in place, and is a copy here, no view: "
            "copy it yourself"
        )
    return items


@adjoint(written_view)
def _written_view_rule(items: Any, view: Any, part: Any, *args: Any) -> Any:
    def back(bar: Any) -> Any:
        part_bar = taken_view(bar, view, args)
        return cleared_view(bar, view, args), None, part_bar, *(None,) * len(args)

    return written_view(items, view, part, *args), back


@facts.result(written_view)
def _written_view_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


CHANGING.add(id(written_view))


@statement_form(written_view)
def _print_written_view(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(written_view, "written_view"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))
