"""Cotangents of the inputs of generated code to gradients of the arguments of a call.

    def f(x, *rest): ...         f(a, b, c)
    (x_bar, (b_bar, c_bar))  ->  (x_bar, b_bar, c_bar), each of the kind and shape of its argument

Each array of a gradient is in memory of its own: no other gradient, no argument and nothing that
the user can reach shares it. Where the number of references tells that this is so already, nothing
is copied.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from ir.record import record
from zyg.calls.binding import Source
from zyg.cotangents import cotangent, cotangent_items

_NUMBERS = (float, np.float64)


@record
class Captured:
    """A target: what a function object holds for this name, a captured variable or a default."""

    name: str


@record
class Keyword:
    """A target: the keyword argument of this name."""

    name: str


@record
class Assignment:
    """Which argument each cotangent belongs to.

    A target is the position of an argument, a tuple of targets for `*args` or a dict of them for
    `**kwargs`, a `Keyword`, a `Captured`, or None. With `is_direct`, the cotangents are those of
    all positional arguments in their order.
    """

    targets: tuple[Any, ...]
    is_direct: bool

    def by_target(self, bars: tuple[Any, ...]) -> dict[Any, Any]:
        """The cotangents by target; one for each of `targets` is given."""
        found: dict[Any, Any] = {}
        for target, bar in zip(self.targets, bars, strict=True):
            if type(target) is tuple:
                for i, part in enumerate(target):
                    found[part] = None if bar is None else bar[i]
            elif type(target) is dict:
                for name, part in target.items():
                    found[part] = cotangent_items.item(bar, name)
            else:
                found[target] = bar
        return found

    def unpacked(self, bars: Any) -> tuple[Any, ...]:
        """One cotangent for each target: a back function returns a single one bare."""
        if bars is None:
            return (None,) * len(self.targets)
        return (bars,) if len(self.targets) == 1 else tuple(bars)


def assignment_of(
    inputs: Sequence[Source], active: Sequence[int], names: Sequence[str], count: int
) -> Assignment:
    """The assignment for the active ones among the inputs of a call of `count` arguments."""
    targets = tuple(_target_of(inputs[i], names[i]) for i in active)
    return Assignment(targets, targets == tuple(range(count)))


def _target_of(source: Source, name: str) -> Any:
    match source.kind:
        case "arg":
            return source.key
        case "keyword":
            return Keyword(source.key)
        case "cell" | "default" | "kwdefault":
            return Captured(name)
        case "tuple":
            return tuple(_target_of(part, "") for part in source.key)
        case "dict":
            return {key: _target_of(part, "") for key, part in source.key.items()}
        case _:
            return None


def gradients_of(
    assignment: Assignment, bars: tuple[Any, ...], args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """One gradient per positional argument; `bars` has one cotangent for each target."""
    if assignment.is_direct and are_own(bars, args):
        return bars
    found = assignment.by_target(bars)
    del bars
    result = []
    for i, arg in enumerate(args):
        single = [found.pop(i, None)]
        if not are_own(single, (arg,)):
            single = [gradient_of(single[0], arg)]
        result += single
    return tuple(result)


def gradient_of(bar: Any, arg: Any) -> Any:
    """The gradient of one argument, in memory of its own."""
    if callable(arg):
        return detached(bar) if isinstance(bar, dict) else None
    projected = cotangent.project(bar, arg)
    if isinstance(projected, np.ndarray) and projected is not bar:
        return projected  # a copy already
    return detached(projected)


def detached(bar: Any) -> Any:
    """A copy of every array of a gradient."""
    if isinstance(bar, np.ndarray):
        return bar.copy()
    if isinstance(bar, list | tuple):
        return cotangent.rebuilt(bar, [detached(item) for item in bar])
    if isinstance(bar, dict):
        return cotangent.like_mapping(bar, {key: detached(item) for key, item in bar.items()})
    if isinstance(bar, deque):
        return deque(map(detached, bar), bar.maxlen)
    return bar


def are_own(bars: Sequence[Any], args: Sequence[Any]) -> bool:
    """Whether the items of `bars` can be handed out as gradients of `args` as they are.

    They are referred to by `bars` alone, which must be nobody else's, too.
    """
    for bar, arg in zip(bars, args):  # noqa: B905  (as long as each other; `strict` costs time)
        cls = type(arg)
        if cls is not type(bar):
            return False
        if cls is ndarray:
            if (
                getrefcount(bar) > _UNSHARED
                or bar.dtype is not arg.dtype
                or bar.shape != arg.shape
                or not (bar.base is None or is_sole_view(bar))
            ):
                return False
        elif cls is tuple or cls is list:
            if getrefcount(bar) > _UNSHARED or len(bar) != len(arg) or not are_own(bar, arg):
                return False
        elif cls is not float:
            return False
    return True


def value_and_tangent(result: tuple[Any, Any]) -> tuple[Any, Any]:
    """What a tangent function returned, the tangent of the kind of the value and in memory of its
    own; nobody else has the tuple."""
    y, y_dot = result
    if type(y) is type(y_dot) and type(y) in _NUMBERS:
        return result
    del result
    single = [y_dot]
    del y_dot
    if are_own(single, (y,)):
        return y, single[0]
    return y, detached(cotangent.project(single[0], y))


def is_sole_view(bar: np.ndarray[Any, Any]) -> bool:
    """Whether an array is the only one to know the memory that it looks at, all of it.

    Such is what `np.flip`, a transposition or `np.reshape` made of a new array.
    """
    base = bar.base
    return (
        type(base) is ndarray
        and getrefcount(base) <= _IN_VIEW
        and base.base is None
        and base.nbytes == bar.nbytes
        and bar.flags.writeable
        and 0 not in bar.strides
    )


def _count_in_view() -> int:
    """What `getrefcount` says in `is_sole_view` of an array that only a view of it refers to."""
    bar = np.flip(np.zeros(2))
    base = bar.base
    return getrefcount(base)


def _count_unshared() -> int:
    """What `getrefcount` says in `are_own` of an object that only a list or tuple refers to."""
    bars, args = [np.zeros(1)], [None]
    for bar, _ in zip(bars, args):  # noqa: B905
        return getrefcount(bar)
    raise AssertionError


_UNSHARED = _count_unshared()
_IN_VIEW = _count_in_view()
