"""Declared tangents: what forward mode does in the place of transposing a rule.

Most rules need none: where a back function multiplies by a derivative, the tangent does so too, and
other back functions are transposed. What is declared is cheaper, or can't be found that way:

    linear(np.sum, 0)          np.sum(x_dot, axis)                     linear in its first argument
    linear(np.where, (1, 2))   np.where(c, x_dot, y_dot)               in these two together
    linear(np.matmul, 0, 1)    x_dot @ y + x @ y_dot                   in each of these two

    @tangent(sorted)
    def sorted_(y, iterable, iterable_dot): ...

A declared tangent takes the value, the arguments and the tangents of all of them. It stands beside
a rule of zyg's own only: where a user gives another rule, that says what the tangent is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Groups: TypeAlias = tuple[tuple[int, ...], ...]

# Keyword arguments that leave a function linear.
HARMLESS = {
    *("axis", "axes", "keepdims", "offset", "axis1", "axis2", "shape", "order", "k", "shift"),
    *("optimize", "mode", "source", "destination", "start", "repeats", "reps", "n", "indexing"),
    *("subscripts", "num", "rowvar", "obj", "casting", "copy", "newshape", "endpoint", "kind"),
    *("norm", "s", "discont", "full_matrices", "dx", "where", "ord", "offsets", "format"),
}

_linear: dict[int, Groups] = {}
_linear_modes: dict[int, tuple[int, frozenset[str]]] = {}
_of_operands: set[int] = set()
_tangents: dict[int, Callable[..., Any]] = {}
_by_jvp: dict[int, Callable[..., Any]] = {}
_reads_twice: set[int] = set()
_reads_late: set[int] = set()
_when_run: set[int] = set()
_alive: list[object] = []


def linear(callee: object, *groups: int | tuple[int, ...]) -> None:
    """Declares in which arguments a function is linear: in each, or in some of them together."""
    _linear[id(callee)] = tuple(g if isinstance(g, tuple) else (g,) for g in groups)
    _alive.append(callee)


def linear_in(
    callee: object, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Groups | None:
    """The groups of arguments in which a call with these arguments is linear."""
    groups = _linear.get(id(callee))
    if groups is None or not keywords.keys() <= HARMLESS:
        return None
    if id(callee) in _of_operands:
        is_text = bool(args) and isinstance(_known(args[0]), str)
        return tuple([(i,) for i in range(1, len(args))]) if is_text else None
    if id(callee) in _linear_modes:
        place, modes = _linear_modes[id(callee)]
        mode = args[place] if len(args) > place else keywords.get("mode")
        mode = _known(mode)
        is_known = mode is None or (isinstance(mode, str) and mode in modes)
        if not is_known or len(args) > place + 1:
            return None
    return groups


def _known(arg: Any) -> Any:
    """An argument: while code is made, the value of a constant."""
    return getattr(arg, "value", arg)


def linear_in_operands(callee: object) -> None:
    """Declares that a function is linear in each argument behind the first, which is text."""
    _of_operands.add(id(callee))
    linear(callee)


def is_of_numpy(callee: object) -> bool:
    """Whether all arguments that vary have to be among those in which a function is linear."""
    return str(getattr(callee, "__module__", "")).startswith("numpy")


def only_in_modes(callee: object, place: int, modes: Collection[str]) -> None:
    """Restricts what was declared linear to these modes, the argument `mode` or that at a place."""
    _linear_modes[id(callee)] = place, frozenset(modes)


def tangent(*callees: object) -> Callable[[F], F]:
    """Declares the tangent of a call: `function(y, *args, *dots, **kwargs)`."""

    def register(function: F) -> F:
        for callee in callees:
            _tangents[id(callee)] = function
            _alive.append(callee)
        return function

    return register


def by_jvp(*callees: object) -> Callable[[F], F]:
    """Declares how a call is made that gives its value and its tangent, and calls functions.

    `function(jvp, dots, *args, **kwargs)`: `dots` are the tangents by the names of parameters, and
    `jvp((f, *args), (f_dot, *dots))` gives a value and its tangent.
    """

    def register(function: F) -> F:
        for callee in callees:
            _by_jvp[id(callee)] = function
            _alive.append(callee)
        return function

    return register


def way_by_jvp(callee: object) -> Callable[..., Any] | None:
    return _by_jvp.get(id(callee))


def reads_twice(*callees: object) -> None:
    """Declares that the tangent reads the first argument again: an iterator is made a list."""
    _reads_twice.update(map(id, callees))
    _alive.extend(callees)


def reads_late(*callees: object) -> None:
    """Declares that the items of the arguments are read when they are asked for."""
    _reads_late.update(map(id, callees))
    _alive.extend(callees)


def when_run(*callees: object) -> None:
    """Declares that the tangent is that of a call at run time only."""
    _when_run.update(map(id, callees))
    _alive.extend(callees)


def is_only_when_run(callee: object) -> bool:
    return id(callee) in _when_run


def is_read_twice(callee: object) -> bool:
    return id(callee) in _reads_twice


def is_read_late(callee: object) -> bool:
    return id(callee) in _reads_late


def tangent_of(callee: object, keywords: Collection[str] = ()) -> Callable[..., Any] | None:
    """The declared tangent of a call with these keyword arguments."""
    found = _tangents.get(id(callee))
    if found is None or not keywords:
        return found
    code = found.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    has_rest = code.co_flags & inspect.CO_VARKEYWORDS
    return found if has_rest or set(keywords) <= set(code.co_varnames[:count]) else None
