"""Declared tangents: what forward mode does in the place of transposing a rule.

Most rules need none: where a back function multiplies by a derivative, the tangent does so too, and
other back functions are transposed. What is declared is cheaper, or can't be found that way:

    linear(np.sum, 0)          np.sum(x_dot, axis)                     linear in its first argument
    linear(np.where, (1, 2))   np.where(c, x_dot, y_dot)               in these two together
    linear(np.matmul, 0, 1)    x_dot @ y + x @ y_dot                   in each of these two

    @tangent(sorted)
    def sorted_(y, iterable, iterable_dot, *, key=None, reverse=False): ...

A declared tangent takes the value, the arguments and the tangents of all of them. It stands beside
a rule of zyg's own only: where a user gives another rule, that says what the tangent is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Groups: TypeAlias = tuple[tuple[int, ...], ...]

# Keyword arguments that leave a function linear.
HARMLESS = {
    *("axis", "axes", "keepdims", "offset", "axis1", "axis2", "shape", "order", "k", "shift"),
    *("optimize", "mode", "source", "destination", "start", "repeats", "reps", "n", "indexing"),
    *("subscripts", "num", "rowvar", "obj", "casting", "copy", "newshape", "endpoint", "kind"),
    *("norm", "s", "discont", "full_matrices", "dx", "where", "ord"),
}

_linear: dict[int, Groups] = {}
_tangents: dict[int, Callable[..., Any]] = {}
_reads_twice: set[int] = set()
_when_run: set[int] = set()
_alive: list[object] = []


def linear(callee: object, *groups: int | tuple[int, ...]) -> None:
    """Declares in which arguments a function is linear: in each, or in some of them together."""
    _linear[id(callee)] = tuple(g if isinstance(g, tuple) else (g,) for g in groups)
    _alive.append(callee)


def linear_in(callee: object, keywords: object) -> Groups | None:
    """The groups of arguments in which a call with these keyword arguments is linear."""
    groups = _linear.get(id(callee))
    return groups if groups is not None and set(keywords) <= HARMLESS else None  # type: ignore[call-overload]


def tangent(*callees: object) -> Callable[[F], F]:
    """Declares the tangent of a call: `function(y, *args, *dots, **kwargs)`."""

    def register(function: F) -> F:
        for callee in callees:
            _tangents[id(callee)] = function
            _alive.append(callee)
        return function

    return register


def reads_twice(*callees: object) -> None:
    """Declares that the tangent reads the first argument again: an iterator is made a list."""
    _reads_twice.update(map(id, callees))
    _alive.extend(callees)


def when_run(*callees: object) -> None:
    """Declares that the tangent is that of a call at run time only."""
    _when_run.update(map(id, callees))
    _alive.extend(callees)


def is_only_when_run(callee: object) -> bool:
    return id(callee) in _when_run


def is_read_twice(callee: object) -> bool:
    return id(callee) in _reads_twice


def tangent_of(callee: object) -> Callable[..., Any] | None:
    return _tangents.get(id(callee))
