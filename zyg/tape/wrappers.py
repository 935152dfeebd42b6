"""Wrappers: what a program computes with while it is recorded.

    RealWrapper(2.0, tape, 3)       the number 2.0, which node #3 of the tape has computed
    ArrayWrapper(array, tape, 4)    the same of an array

A wrapper keeps the type of its value: an integer still indexes. It holds its tape, and a tape holds
no wrappers, so that a tape is freed with the last one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

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


WRAPPERS = frozenset([RealWrapper, ArrayWrapper])
_ATOMS = frozenset([float, int, bool, complex, str, type(None), np.ndarray, np.float64])


def plain(x: Any) -> Any:
    """A value without wrappers; containers of Python's are looked through."""
    cls = type(x)
    if cls in WRAPPERS:
        return x.val
    if cls in _ATOMS:
        return x
    if cls is list:
        return [plain(item) for item in x]
    if isinstance(x, tuple):
        items = [plain(item) for item in x]
        return x._make(items) if hasattr(x, "_make") else tuple(items)
    if cls is dict:
        return {key: plain(item) for key, item in x.items()}
    if cls is slice:
        return slice(plain(x.start), plain(x.stop), plain(x.step))
    return x


def wrappers_in(x: Any) -> Iterator[Any]:
    """The wrappers among arguments, in order."""
    cls = type(x)
    if cls in WRAPPERS:
        yield x
    elif cls not in _ATOMS:
        if isinstance(x, (list, tuple)):
            for item in x:
                yield from wrappers_in(item)
        elif isinstance(x, dict):
            for item in x.values():
                yield from wrappers_in(item)
        elif cls is slice:
            yield from wrappers_in((x.start, x.stop, x.step))


def has_wrappers(x: Any) -> bool:
    cls = type(x)
    if cls in WRAPPERS:
        return True
    return cls not in _ATOMS and next(wrappers_in(x), None) is not None
