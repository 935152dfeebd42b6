"""The cotangents of one object's attributes, as attributes of a record of its own.

    body_bars = shadows.records(Body, ('x', 'v'))
    b_bar = body_bars[b]
    b_bar.x += y_bar

A record is made when it is asked for first. Attributes that generated code takes for numbers are
there from the beginning, as `UNTOUCHED`: a zero that tells that nothing was added.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from zyg.held.shadow_calls import UNTOUCHED


class Record:
    """The cotangents of what one object holds."""

    __slots__ = ("__dict__",)

    def bars(self, numbers: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        """The cotangents that were added, by name; `numbers` have slots."""
        for name in (*numbers, *self.__dict__):
            bar = getattr(self, name)
            if bar is not UNTOUCHED:
                yield name, bar


@functools.lru_cache(maxsize=4096)
def _record_class(name: str, numbers: tuple[str, ...]) -> type[Record]:
    """The class of records with slots for some attributes."""

    def begin(self: Record) -> None:
        for number in numbers:
            setattr(self, number, UNTOUCHED)

    return type(name, (Record,), {"__slots__": numbers, "__init__": begin})


class Records:
    """The records of the objects of one class: `by_object` makes one where there is none yet.

    That is a table without methods in Python, which takes half the time of one with such. It refers
    to the class of the records alone, so that it goes when nobody refers to it any more.
    """

    __slots__ = ("by_object", "cls", "numbers")

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.numbers: tuple[str, ...] = ()
        own: Any = cls
        is_plain = own.__hash__ is object.__hash__ and own.__eq__ is object.__eq__
        self.by_object: defaultdict[Any, Record] | RecordsByIdentity = (
            defaultdict(Record) if is_plain else RecordsByIdentity()
        )

    def cover(self, names: tuple[str, ...]) -> None:
        """Sees to it that all records have these attributes, whose cotangents are numbers."""
        new = tuple(name for name in names if name not in self.numbers)
        if new:
            self.numbers += new
            made = _record_class(f"{self.cls.__name__}_bar", self.numbers)
            self.by_object.default_factory = made
            for record in self.by_object.values():
                for name in new:
                    if not hasattr(record, name):
                        setattr(record, name, UNTOUCHED)


class RecordsByIdentity:
    """Such a table for objects that compare or hash by what they hold."""

    __slots__ = ("_by_id", "default_factory")

    def __init__(self) -> None:
        self.default_factory: type[Record] = Record
        # The object is kept, so that its `id` stays its own.
        self._by_id: dict[int, tuple[Any, Record]] = {}

    def __getitem__(self, obj: Any) -> Record:
        found = self._by_id.get(id(obj))
        if found is None:
            found = self._by_id[id(obj)] = obj, self.default_factory()
        return found[1]

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, obj: Any) -> Record | None:
        found = self._by_id.get(id(obj))
        return None if found is None else found[1]

    def values(self) -> list[Record]:
        return [record for _, record in self._by_id.values()]

    def items(self) -> list[tuple[Any, Record]]:
        return list(self._by_id.values())
