"""The cotangents of one object's attributes, as attributes of a record of its own.

    body_bars = shadows.records(Body, ('x', 'v'))
    b_bar = body_bars[b]
    b_bar.x += y_bar

A record is made when it is asked for first. Attributes that generated code takes for numbers are
there from the beginning, as `UNTOUCHED`: a zero that tells that nothing was added.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from zyg.shadow_calls import UNTOUCHED


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
    return type(name, (Record,), {"__slots__": numbers})


class Records(dict[Any, Record]):
    """The records of the objects of one class, which are known by their identity."""

    __slots__ = ("_class", "cls", "numbers")

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.numbers: tuple[str, ...] = ()
        self._class: type[Record] = Record

    def cover(self, names: tuple[str, ...]) -> None:
        """Sees to it that all records have these attributes, whose cotangents are numbers."""
        new = tuple(name for name in names if name not in self.numbers)
        if new:
            self.numbers += new
            self._class = _record_class(f"{self.cls.__name__}_bar", self.numbers)
            for record in self.all():
                for name in new:
                    if not hasattr(record, name):
                        setattr(record, name, UNTOUCHED)

    def made(self) -> Record:
        """A record of nothing yet."""
        record = self._class()
        for name in self.numbers:
            setattr(record, name, UNTOUCHED)
        return record

    def all(self) -> list[Record]:
        """The records that were made so far."""
        return list(self.values())

    def by_object(self) -> list[tuple[Any, Record]]:
        return list(self.items())

    def __missing__(self, obj: Any) -> Record:
        record = self[obj] = self.made()
        return record


class RecordsByIdentity(Records):
    """The same for objects that compare or hash by what they hold."""

    __slots__ = ("_by_id",)

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        # The object is kept, so that its `id` stays its own.
        self._by_id: dict[int, tuple[Any, Record]] = {}

    def __getitem__(self, obj: Any) -> Record:
        found = self._by_id.get(id(obj))
        if found is None:
            found = self._by_id[id(obj)] = obj, self.made()
        return found[1]

    def get(self, obj: Any, default: Any = None) -> Any:
        found = self._by_id.get(id(obj))
        return default if found is None else found[1]

    def all(self) -> list[Record]:
        return [record for _, record in self._by_id.values()]

    def by_object(self) -> list[tuple[Any, Record]]:
        return list(self._by_id.values())


def records_for(cls: type) -> Records:
    """An empty table of the records of the objects of a class."""
    own: Any = cls
    is_plain = own.__hash__ is object.__hash__ and own.__eq__ is object.__eq__
    return Records(cls) if is_plain else RecordsByIdentity(cls)
