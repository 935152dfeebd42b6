"""Wrappers: what a program computes with while it is recorded.

    RealWrapper(2.0, tape, 3)       the number 2.0, which node #3 of the tape has computed
    ArrayWrapper(array, tape, 4)    the same of an array

A wrapper keeps the type of its value: an integer still indexes. It holds its tape, and a tape holds
no wrappers, so that a tape is freed with the last one of them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from zyg.wrapped_values import ATOMS, looking_for

if TYPE_CHECKING:
    from zyg.tape.wengert import Tape


class Wrapper:
    """A value, and the node of the tape that has computed it."""

    __slots__ = ("idx", "tape", "val")

    def __init__(self, val: Any, tape: Tape, idx: int) -> None:
        self.val = val
        self.tape = tape
        self.idx = idx

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the value, so that `isinstance(x, float)` takes the way of plain numbers."""
        return type(self.val)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __reduce__(self) -> Any:
        # Left to itself, pickle would take `__class__` at its word.
        return restored, (type(self), self.val, self.tape, self.idx)

    def __format__(self, form: str) -> str:
        return format(self.val, form)


class RealWrapper(Wrapper):
    """A number: of the type that the plain program would have, `RealWrapper{int}(3, #0)`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"RealWrapper{{{type(self.val).__name__}}}({self.val}, #{self.idx})"


class ArrayWrapper(Wrapper):
    """An array; its shape and dtype are plain: `ArrayWrapper{float64,1}([1., 2.], #0)`."""

    __slots__ = ()

    def __repr__(self) -> str:
        kind = f"{self.val.dtype},{self.val.ndim}"
        shown = np.array2string(self.val, separator=", ", threshold=20)
        return f"ArrayWrapper{{{kind}}}({shown}, #{self.idx})"


def restored(cls: type[Wrapper], val: Any, tape: Tape, idx: int) -> Wrapper:
    """A wrapper from a pickle, which holds its tape as well."""
    return cls(val, tape, idx)


WRAPPERS = frozenset([RealWrapper, ArrayWrapper])
# Values without wrappers, and the wrappers among values.
plain, wrappers_in = looking_for(WRAPPERS, attrgetter("val"), ATOMS)


def has_wrappers(x: Any) -> bool:
    cls = type(x)
    if cls in WRAPPERS:
        return True
    return cls not in ATOMS and next(wrappers_in(x), None) is not None
