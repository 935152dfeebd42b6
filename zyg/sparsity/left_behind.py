"""What a run leaves in the program's objects and containers: plain values, as a plain run does.

    model.last = x        model.last is a traced value while the run lasts, a number behind it
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from zyg.sparsity.traced import Traced, holds_traced, plain


def settle(
    roots: Iterable[Any], is_followed: Callable[[type], bool],
    class_of: Callable[[type], type],
) -> None:
    """Takes traced values off whatever is reached from `roots`; objects of a twin of a class become
    ones of the class that `class_of` gives."""
    pending = list(roots)
    seen: dict[int, Any] = {}
    while pending:
        owner = pending.pop()
        if id(owner) in seen:
            continue
        seen[id(owner)] = owner
        cls = type(owner)
        if issubclass(cls, types.FunctionType):
            pending += _captured(owner)
        elif issubclass(cls, (tuple, set, frozenset)):
            pending += owner
        elif issubclass(cls, (list, deque)):
            pending += _settled(owner, enumerate(list(owner)))
        elif issubclass(cls, dict):
            pending += _settled(owner, list(owner.items()))
        if isinstance(owner, type) and is_followed(owner):  # one that has no twin
            for name, item in list(vars(owner).items()):
                if type(item) is Traced:
                    setattr(owner, name, plain(item))
        if isinstance(owner, type) or not is_followed(cls):
            continue
        if class_of(cls) is not cls:
            owner.__class__ = class_of(cls)
        names = getattr(owner, "__dict__", None)
        if names is not None:
            pending += _settled(names, list(names.items()))


def _settled(container: Any, items: Iterable[tuple[Any, Any]]) -> list[Any]:
    """What the items of a container are, where these may hold something in turn."""
    found = []
    for key, item in items:
        if type(item) is Traced or (type(item) is tuple and holds_traced(item)):
            container[key] = item = plain(item)
        found.append(item)
    return found


def _captured(function: types.FunctionType) -> list[Any]:
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # empty as yet
            continue
    return found
