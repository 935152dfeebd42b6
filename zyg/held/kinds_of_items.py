"""Calls that code is not made for: whether they leave what they are given as that was.

    contents_kept(function, w)      raises if `w` holds something else then
    kinds_kept(function, items)     raises if `items` holds items of other kinds

What inference knows of a list or dict that such a call is given, it knows behind the call, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts
from ir.heap import IDENTITY, Identity
from ir.types import Type
from zyg.errors import NotDifferentiable
from zyg.held.memory_kinds import held_by, is_memory
from zyg.held.reaching import attributes_of, reached
from zyg.signature import is_users

_CONTAINERS = (list, dict, set, deque)
_ADVICE = "call the function by its name, or let it return what it computes"


def kinds_kept(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function, and raises if containers that it is given hold items of other kinds then.

    Their values may change: no derivative flows through the call.
    """
    memory = _reached(function, *args, *kwargs.values())
    given = [(one, _kinds(one)) for one in memory if isinstance(one, _CONTAINERS)]
    try:
        return function(*args, **kwargs)
    finally:
        for container, before in given:
            if not _are_kept(before, _kinds(container)):
                raise NotDifferentiable(
                    f"a call that is known only while the program runs has put items of other "
                    f"kinds into a {type(container).__name__}, or under other keys; {_ADVICE}"
                )


def contents_kept(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function, and raises if it changes memory to which it, or what it is given, leads."""
    noted = contents_noted(function, *args, *kwargs.values())
    try:
        return function(*args, **kwargs)
    finally:
        unless_contents_changed(noted)


def contents_noted(*values: Any) -> Identity:
    """What the memory holds to which values lead, as `unless_contents_changed` compares it."""
    return Identity([(one, _contents(one)) for one in _reached(*values)])


def unless_contents_changed(noted: Identity) -> None:
    """Raises where memory holds something else than was noted."""
    for one, contents in noted.value:
        if not _are_same(contents, _contents(one)):
            raise NotDifferentiable(
                f"a call that zyg doesn't look into has changed a {type(one).__name__} in "
                f"place which the gradient depends on; give it a copy"
            )


def varied_kept(function: Callable[..., Any], places: tuple[int, ...], *args: Any) -> Any:
    """Calls a function that is declared to have no derivative, and raises if it changes memory to
    which some of its arguments lead."""
    memory = _reached(*[args[place] for place in places])
    before = list(map(_contents, memory))
    try:
        return function(*args)
    finally:
        for one, contents in zip(memory, before, strict=True):
            if not _are_same(contents, _contents(one)):
                raise NotDifferentiable(
                    f"{function.__name__}, which is declared to have no derivative, has changed a "
                    f"{type(one).__name__} in place which the gradient depends on; give it a copy"
                )


def all_kept(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function that is declared to have no derivative, and raises if it changes memory or
    objects to which what it is given leads."""
    found = [
        one for one in reached((args, kwargs.values()), held_by)
        if is_memory(one) or is_users(type(one))
    ]
    before = list(map(_contents, found))
    try:
        return function(*args, **kwargs)
    finally:
        for one, contents in zip(found, before, strict=True):
            if not _are_same(contents, _contents(one)):
                raise NotDifferentiable(
                    f"{function.__name__}, which is declared to have no derivative and can't be "
                    f"looked into, has changed a {type(one).__name__} which the gradient may "
                    "depend on; let it return what it computes"
                )


def _reached(*values: Any) -> list[Any]:
    """The memory to which values lead."""
    return [one for one in reached(values, held_by) if is_memory(one)]


facts.changes_unseen(kinds_kept, contents_kept, varied_kept)
facts.effect(contents_noted, unless_contents_changed)


@facts.result(contents_noted)
def _noted_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return IDENTITY


def _kinds(container: Any) -> Any:
    """The classes of the items, of a dict with texts as its keys for each of these."""
    if isinstance(container, dict):
        if all(type(key) is str for key in container):
            return {key: type(item) for key, item in container.items()}
        return {type(item) for pair in container.items() for item in pair}
    return set(map(type, container))


def _are_kept(before: Any, behind: Any) -> bool:
    if isinstance(before, dict) or isinstance(behind, dict):
        return bool(before == behind)
    return bool(behind <= before)


def _contents(memory: Any) -> list[Any]:
    """What memory or an object holds."""
    if isinstance(memory, np.ndarray):
        return [memory.shape, memory.tobytes()]
    if isinstance(memory, dict):
        return [part for pair in memory.items() for part in pair]
    if not is_memory(memory):
        return [part for pair in sorted(attributes_of(memory).items()) for part in pair]
    return list(memory)


def _are_same(before: list[Any], behind: list[Any]) -> bool:
    return len(before) == len(behind) and all(
        a is b or (type(a) in (bytes, tuple, int, float) and a == b)
        for a, b in zip(before, behind, strict=True)
    )
