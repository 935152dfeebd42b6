"""What a tape takes for granted: a branch that was taken, an index, the shape of a selection.

    if x > 0:           #3 = greater(#0, 0)         assumed: #3 is True
        y = a[mask]     #4 = getitem(#1, #2)        assumed: #4 is float64[2]

A tape holds one way through the program. When it is replayed with other inputs, what was assumed
is checked, and raises where the program would have gone another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zyg.errors import ZygError


class TapeMismatch(ZygError):
    """A replay with inputs for which the program does something else than what was recorded."""


@dataclass(frozen=True)
class Assumption:
    """What is taken for granted of a node: its value, or the kind of its value."""

    idx: int
    expected: Any

    def __str__(self) -> str:
        return f"#{self.idx} is {self.expected}"


@dataclass(frozen=True)
class Kind:
    """Type, dtype and shape of a value; of a tuple or list, the kinds of its items."""

    cls: type
    dtype: Any = None
    shape: tuple[int, ...] = ()
    items: tuple[Kind, ...] = ()

    def __str__(self) -> str:
        if self.dtype is not None:
            return f"{self.dtype}{list(self.shape)}"
        return f"({', '.join(map(str, self.items))})" if self.items else self.cls.__name__


def kind_of(value: Any) -> Kind:
    if isinstance(value, np.ndarray):
        return Kind(np.ndarray, value.dtype, value.shape)
    if isinstance(value, (list, tuple)):
        return Kind(type(value), items=tuple(map(kind_of, value)))
    return Kind(type(value))


def holds(value: Any, expected: Any) -> bool:
    """Whether a value is what was assumed, or of the kind."""
    if isinstance(expected, Kind):
        return kind_of(value) == expected
    if isinstance(expected, np.ndarray):
        return np.array_equal(value, expected)
    return value is expected or (type(value) is type(expected) and bool(value == expected))


def expect(value: Any, expected: Any) -> None:
    """Raises where a value, or its kind, is another one than when it was recorded."""
    if value is expected or holds(value, expected):
        return
    if isinstance(expected, Kind):
        was = f"a value was {expected} when the program was recorded, and is {kind_of(value)} for"
    else:
        was = (
            f"the program depends on a value that was {expected} when it was recorded, and is "
            f"{value} for"
        )
    raise TapeMismatch(f"{was} these inputs: record it again with them (tape.trace)")
