"""The cotangents of the contents of memory that objects hold, one for each piece of memory.

    a[2:][0] = v       v_bar = contents.take_item(a[2:], 0)       contents of the owner of `a`
    y = xs[3]          contents.add_item(xs, 3, len(xs), y_bar)

They belong to the table, and are changed in place: what is done to one item costs as much as one
item. What containers hold that is memory itself has no part in it: that is by its own identity.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import accumulate, realness_of, zeros_like
from zyg.cotangents.cotangent_items import accumulate_at, clear_at, one_hot, taken
from zyg.errors import NotDifferentiable
from zyg.held.shown_parts import clear_marked, shown_by, where_marked


def overlaps_itself(view: Any) -> bool:
    """Whether an array shows a number several times, as broadcast ones and sliding windows do."""
    steps = zip(view.shape, view.strides, strict=True)
    span = sum((n - 1) * abs(step) for n, step in steps) + view.itemsize
    return bool(view.size) and span < view.nbytes


class ArrayContents:
    """The cotangent of the contents of an array that owns its memory.

    When a view of it is met, the cotangent gets a buffer of the same layout, of which the view
    shows the same part as of the array.
    """

    __slots__ = ("_bar", "_flat", "_is_own", "_owner")

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._bar: Any = None
        self._flat: Any = None
        # Whether nobody else refers to the cotangent.
        self._is_own = False

    def add(self, value: Any, bar: Any) -> None:
        if value is not self._owner or self._flat is not None:
            part = self._part(value)
            if overlaps_itself(part):
                np.add.at(part, tuple(np.indices(part.shape)), bar)
            else:
                part[...] += bar
        elif self._bar is None:
            self._bar, self._is_own = bar, False
        elif self._is_own:
            self._bar += bar
        else:
            self._bar, self._is_own = accumulate(self._bar, bar), False

    def take(self, value: Any) -> Any:
        if value is not self._owner:
            part = self._part(value)
            bar = self._of_each(value, part.copy())
            part[...] = 0
            return bar
        bar, self._bar, self._flat, self._is_own = self._bar, None, None, False
        return bar

    def of(self, value: Any) -> Any:
        return self._bar if value is self._owner else self._part(value)

    def take_part(self, value: Any, part: Any) -> Any:
        """The cotangent of some items of an array, and zeros for the others."""
        if self._bar is None:
            return None
        own = self._own(value)
        bar = self._of_each(value, where_marked(part, own, 0, value))
        clear_marked(part, own)
        return bar

    def _of_each(self, value: Any, bar: Any) -> Any:
        """A cotangent in which each number is that of one of the places where it is shown."""
        if not overlaps_itself(value):
            return bar
        places = shown_by(value, self._owner, np.arange(self._owner.size))
        _, first = np.unique(places, return_index=True)
        found = np.zeros_like(bar)
        found.flat[first] = bar.flat[first]
        return found

    def add_item(self, value: Any, index: Any, size: int, bar: Any) -> None:
        if bar is None:
            return
        if value is not self._owner and overlaps_itself(value):
            self.add(value, one_hot(bar, value, index))
            return
        own = self._own(value)
        bar = realness_of(own, bar)
        if type(index) is int or type(index) is slice:
            own[index] += bar
        else:
            accumulate_at(own, index, bar)

    def take_item(self, value: Any, index: Any, size: int) -> Any:
        if self._bar is None:
            return None
        if index is ... and value is self._owner:
            return self.take(value)
        part = self._own(value)
        if type(index) is int and part.ndim == 1:
            bar, part[index] = part[index], 0.0
            return bar
        bar = taken(part, index)
        clear_at(part, index)
        return bar

    def item(self, value: Any, index: Any) -> Any:
        if self._bar is None:
            return None
        bar = self._own(value)[index]
        return bar.copy() if isinstance(bar, np.ndarray) else bar

    def _own(self, value: Any) -> Any:
        """The cotangent of an array, to be changed in place."""
        if value is not self._owner:
            return self._part(value)
        if not self._is_own and self._flat is None:
            bar, self._bar = self._bar, zeros_like(self._owner)
            if bar is not None:
                self._bar[...] = bar
            self._is_own = True
        return self._bar

    def _part(self, view: Any) -> Any:
        """The part of the buffer that a view of the array shows."""
        owner = self._owner
        if self._flat is None:
            bar, like = self._bar, zeros_like(owner)
            self._flat = np.zeros(owner.size, like.dtype)
            self._bar = shown_by(owner, owner, self._flat)
            self._bar[...] = 0 if bar is None else bar
        return shown_by(view, owner, self._flat)


class ListContents:
    """The cotangent of the items of a list: None where there is none, or the item is memory."""

    __slots__ = ("_bars",)

    def __init__(self, owner: Any) -> None:
        self._bars: list[Any] | None = None

    def add(self, value: Any, bar: Any) -> None:
        if self._bars is None:
            self._bars = list(bar)
            return
        bars = self._sized(len(bar))
        for i, added in enumerate(bar):
            if added is not None:
                bars[i] = accumulate(bars[i], added)

    def take(self, value: Any) -> Any:
        bars, self._bars = self._bars, None
        return bars

    def of(self, value: Any) -> Any:
        return self._bars

    def add_item(self, value: Any, index: Any, size: int, bar: Any) -> None:
        if isinstance(index, slice):
            if bar is not None:
                for i, part in zip(range(size)[index], bar, strict=True):
                    self.add_item(value, i, size, part)
        elif bar is not None:
            bars = self._sized(size)
            bars[index] = accumulate(bars[index], bar)

    def take_item(self, value: Any, index: Any, size: int) -> Any:
        if self._bars is None:
            return None
        bars = self._sized(size)
        bar, bars[index] = bars[index], None
        return bar

    def _sized(self, size: int) -> list[Any]:
        """The cotangents of the items, of which there have to be so many."""
        if self._bars is None:
            self._bars = [None] * size
        if len(self._bars) != size:
            raise NotDifferentiable(
                "a list that an object holds was changed in place by something that isn't "
                "differentiated, while a derivative flows through it"
            )
        return self._bars

    def undo_append(self, size: int) -> Any:
        """The cotangent of the last of so many items, which was not there before."""
        bars = self._bars
        if bars is None:
            return None
        if len(bars) != size:
            self._sized(size)  # raises
        return bars.pop()

    def undo_extend(self, before: int, size: int) -> Any:
        """Those of what stands behind the first items, which was not there before."""
        if self._bars is None:
            return None
        bars = self._sized(size)
        added = bars[before:]
        del bars[before:]
        return added

    def undo_delete(self, index: int, size: int) -> None:
        """Lets an item be there again."""
        if self._bars is not None:
            self._sized(size).insert(index, None)


class DictContents:
    """The cotangents of the items of a dict by their keys."""

    __slots__ = ("_bars",)

    def __init__(self, owner: Any) -> None:
        self._bars: dict[Any, Any] | None = None

    def add(self, value: Any, bar: Any) -> None:
        if self._bars is None:
            self._bars = {}
        bars = self._bars
        for key, added in bar.items():
            if added is not None:
                bars[key] = accumulate(bars.get(key), added)

    def take(self, value: Any) -> Any:
        bars, self._bars = self._bars, None
        return bars

    def of(self, value: Any) -> Any:
        return self._bars

    def add_item(self, value: Any, index: Any, size: int, bar: Any) -> None:
        if bar is not None:
            if self._bars is None:
                self._bars = {}
            self._bars[index] = accumulate(self._bars.get(index), bar)

    def take_item(self, value: Any, index: Any, size: int) -> Any:
        return None if self._bars is None else self._bars.pop(index, None)


class OtherContents:
    """The same for memory whose items have no cotangents, as those of a set."""

    __slots__ = ("_bar",)

    def __init__(self, owner: Any) -> None:
        self._bar: Any = None

    def add(self, value: Any, bar: Any) -> None:
        self._bar = accumulate(self._bar, bar)

    def take(self, value: Any) -> Any:
        bar, self._bar = self._bar, None
        return bar

    def of(self, value: Any) -> Any:
        return self._bar

    def add_item(self, value: Any, index: Any, size: int, bar: Any) -> None:
        if bar is not None:
            raise NotDifferentiable(
                f"an item of a {type(value).__name__} that an object holds has a derivative"
            )

    def take_item(self, value: Any, index: Any, size: int) -> Any:
        return None


def contents_for(owner: Any) -> Any:
    """Nothing yet, of the contents of memory."""
    if isinstance(owner, np.ndarray):
        return ArrayContents(owner)
    if isinstance(owner, list | deque):
        return ListContents(owner)
    return DictContents(owner) if isinstance(owner, dict) else OtherContents(owner)
