"""Tangents by back functions alone, one coordinate of the value at a time.

    y, back = rule(x)            y_dot[i] = the inner product of back(e_i) and x_dot

That is right for whatever reverse mode can differentiate, and costs as many calls of the back
function as the value has numbers.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from zyg.compiler.forward_mode.tangent_transposed import transposed
from zyg.compiler.inference.objects import is_place
from zyg.compiler.run_time import from_api
from zyg.compiler.run_time.rule_backs import RuleBack
from zyg.compiler.run_time.seen_objects import parts_of
from zyg.cotangents.cotangent import is_zero_bar, like_mapping, rebuilt
from zyg.cotangents.cotangent_returned import NO_SLOT, keyword_bar
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.held.reaching import attributes_of
from zyg.held.shadows import asked_again
from zyg.signature import is_by_rules
from zyg.tangents.no_tangent import NoTangent
from zyg.tangents.tangent import inner_product, zero_tangent
from zyg.tangents.tangent_objects import current_tangents, has_table
from zyg.unusual_arrays import refuse_to_hold

Values = tuple[Any, ...]
# What has coordinates, or certainly none.
_COORDINATES = (
    int, float, complex, np.generic, np.ndarray, str, bytes, range, slice, type, BaseException,
    types.TracebackType, types.ModuleType,
)
_STRUCTURES = dict, list, tuple, deque


class _Replayed:
    """The items of an iterator, which can be walked over again."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._read: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        yield from self._read
        for item in self._items:
            self._read.append(item)
            yield item


def by_rows(
    differentiate: Callable[[], tuple[Any, Any]], function: Any, dots: Values, values: Values
) -> tuple[Any, Any]:
    """A value and its tangent, which has the inner product of a cotangent and the tangents of the
    arguments, which are `values`, for each coordinate. Of many coordinates those of a rule are
    found at once, if they can be."""
    # What is stored meanwhile has no tangent.
    token = from_api.is_forward.set(True)
    try:
        y, back = differentiate()
    finally:
        from_api.is_forward.reset(token)
    if all(dot is None for dot in dots) and not (has_table() and any(map(_may_hold, values))):
        return y, zero_tangent(y)
    refuse_unknown(y, function)
    zero = zero_tangent(y)
    if type(back) is RuleBack and not (has_table() and any(map(_may_hold, values))):
        found = transposed(back, zero, dots)
        if found is not None:
            return y, found
    dots = tuple(_Replayed(dot) if hasattr(dot, "__next__") else dot for dot in dots)

    def derivative(seed: Any) -> Any:
        if not has_table():
            return sum(map(_product, back(seed), dots, values))
        tangents = current_tangents()
        with asked_again() as shadows:
            bars = back(seed)
        of_objects = [
            _product(bar, tangents.get(obj, name, held), held)
            for obj, name, bar in shadows.of_objects()
            for held in (attributes_of(obj).get(name),)
        ]
        return sum(of_objects) + sum(map(_product, bars, dots, values))

    return y, _with_coordinates(zero, lambda seed: derivative(seed))


def _may_hold(value: Any) -> bool:
    """Whether a value may hold objects, or be one: a function may have captured them."""
    return value is not None and not isinstance(value, _COORDINATES)


def _product(bar: Any, dot: Any, value: Any) -> Any:
    """The inner product of the cotangent and the tangent of a value.

    Functions and methods may have captured objects, whose tangents a table holds.
    """
    if bar is NO_SLOT:
        bar = keyword_bar(bar, "of an unknown call", None if is_zero_bar(dot) else value)
    parts = parts_of(value) if has_table() and isinstance(bar, _STRUCTURES) else None
    if parts is None:
        return inner_product(bar, dot)
    if is_place(type(value)):
        tangents = current_tangents()
        dot = {name: tangents.get(value, name, part) for name, part in parts.items()}
    dots = _by_place(dot)
    return sum([
        _product(part, dots.get(place), parts[place]) for place, part in _by_place(bar).items()
    ])


def _by_place(items: Any) -> dict[Any, Any]:
    """What a structure holds by name, key or position; nothing for the structural zero."""
    return items if isinstance(items, dict) else dict(enumerate(items or ()))


def _with_coordinates(zero: Any, derivative: Callable[[Any], Any]) -> Any:
    """A tangent in the structure of a zero tangent; `derivative` is asked for unit cotangents."""
    if zero is None:
        return None
    if isinstance(zero, np.ndarray):
        found = np.zeros_like(zero)
        for index in np.ndindex(zero.shape):
            unit = np.zeros_like(zero)
            unit[index] = 1
            found[index] = derivative(unit)
            if zero.dtype.kind == "c":
                unit[index] = 1j
                found[index] += 1j * derivative(unit)
        return found
    if isinstance(zero, list | tuple | deque):
        parts = []
        for i in range(len(zero)):
            def inner(unit: Any, i: int = i) -> Any:
                return derivative(rebuilt(zero, [
                    unit if k == i else part for k, part in enumerate(zero)
                ]))

            parts.append(_part(zero[i], inner))
        return deque(parts, zero.maxlen) if isinstance(zero, deque) else rebuilt(zero, parts)
    if isinstance(zero, dict):

        def at(key: Any) -> Callable[[Any], Any]:
            return lambda unit: derivative({**zero, key: unit})

        return like_mapping(zero, {
            key: _part(part, at(key)) for key, part in zero.items()
        })
    if is_sparse(zero):
        return NoTangent(NotDifferentiable(
            "the tangent of a sparse matrix that a rule gives isn't known to forward mode; use "
            "zyg.pullback"
        ))
    if isinstance(zero, complex | np.complexfloating):
        return derivative(type(zero)(1)) + 1j * derivative(type(zero)(1j))
    found = derivative(type(zero)(1))
    return type(zero)(found) if isinstance(zero, np.floating) else found


def _part(zero: Any, derivative: Callable[[Any], Any]) -> Any:
    """The tangent of one of several results, or what refuses to be read."""
    try:
        return _with_coordinates(zero, derivative)
    except NotDifferentiable as error:
        return NoTangent(error)


def refuse_unknown(y: Any, function: Any) -> None:
    """Raises for a value that holds what has no coordinates: objects, functions, iterators."""
    if isinstance(y, list | tuple | deque | set | frozenset):
        for item in y:
            refuse_unknown(item, function)
    elif isinstance(y, dict):
        # Of what SciPy's solvers return, numbers are read.
        for item in () if is_by_rules(type(y)) else y.values():
            refuse_unknown(item, function)
    elif isinstance(y, np.ndarray):
        refuse_to_hold(y.dtype)
    elif not isinstance(y, _COORDINATES) and y is not None:
        raise NotDifferentiable(
            f"the tangent of what {name_of(function)} returns ({type(y).__name__}) isn't known to "
            "forward mode; use zyg.pullback"
        )


def name_of(function: Any) -> str:
    return str(getattr(function, "__name__", function))
