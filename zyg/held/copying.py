"""What `copy.copy` does, as functions that are differentiated like the user's."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from ir import facts
from zyg.errors import NotDifferentiable

CHANGEABLE = (list, dict, set, deque, np.ndarray)


def copy_of_list(x: Any) -> Any:
    return list(x)


def copy_of_dict(x: Any) -> Any:
    return dict(x)


def copy_by_method(x: Any) -> Any:
    return x.copy()


def unless_different(x: Any, y: Any) -> None:
    """Refuses a copy that lacks attributes: those that no method of the class stores."""
    missing = vars(x).keys() - vars(y).keys() if hasattr(x, "__dict__") else ()
    if missing:
        raise NotDifferentiable(
            f"a copy of a {type(x).__name__} object has no derivative here, as no method of the "
            f"class stores its attribute `{min(missing)}`"
        )


def no_object(x: Any) -> Any:
    """What is copied, unless it is an object, for which code would have to be made."""
    if facts.is_object(type(x)) and not isinstance(x, BaseException):
        raise NotDifferentiable(
            f"a copy of a {type(x).__name__} object has no derivative here; write a function that "
            "copies its attributes"
        )
    return x


def unless_object(x: Any) -> None:
    """Refuses a copy of an object, where nothing is known of what is copied."""
    no_object(x)


def unless_holding_objects(x: Any) -> None:
    """Refuses a deep copy of objects, for which code would have to be made."""
    for part in _parts(x):
        no_object(part)


def unless_shared(x: Any) -> None:
    """Raises for what has parts that a deep copy would share: a list, say, that is there twice."""
    unless_holding_objects(x)
    seen: set[int] = set()
    for part in _parts(x):
        if isinstance(part, CHANGEABLE):
            if id(part) in seen:
                raise NotDifferentiable(
                    f"copy.deepcopy of what holds the same {type(part).__name__} twice has no "
                    "derivative here; copy its parts one by one"
                )
            seen.add(id(part))


def _parts(x: Any) -> Iterator[Any]:
    yield x
    if isinstance(x, dict):
        for item in x.values():
            yield from _parts(item)
    elif isinstance(x, (list, tuple, deque)):
        for item in x:
            yield from _parts(item)
