"""Classes that get their methods from `collections.abc`, `UserDict` and `UserList`."""

import math
from collections import UserDict, UserList
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

from tests.corpus.registry import program


class Row(Sequence):
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Table(Mapping):
    def __init__(self, items):
        self.items_by_name = items

    def __getitem__(self, name):
        return self.items_by_name[name]

    def __iter__(self):
        return iter(self.items_by_name)

    def __len__(self):
        return len(self.items_by_name)


class Store(MutableMapping):
    def __init__(self):
        self.held = {}

    def __getitem__(self, name):
        return self.held[name]

    def __setitem__(self, name, value):
        self.held[name] = value

    def __delitem__(self, name):
        del self.held[name]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class Track(MutableSequence):
    def __init__(self):
        self.held = []

    def __getitem__(self, index):
        return self.held[index]

    def __setitem__(self, index, value):
        self.held[index] = value

    def __delitem__(self, index):
        del self.held[index]

    def __len__(self):
        return len(self.held)

    def insert(self, index, value):
        self.held.insert(index, value)


class Settings(UserDict):
    def total(self):
        return sum(self.data.values())


class Series(UserList):
    def total(self):
        return sum(self.data)


@program((2.0, 3.0))
def a_sequence(x, y):
    row = Row([x, y])
    total = sum(item * item for item in row) * row[0] + sum(reversed(row))
    return total + row.index(y) + (x if y in row else 0.0)


@program((2.0, 3.0))
def a_mapping(x, y):
    table = Table({"a": x, "b": y})
    total = table["a"] * table.get("b") * table.get("c", 2.0)
    total += sum([table[name] * len(name) for name in table])
    return total * len(table) if "a" in table else x


@program((2.0, 3.0))
def a_mapping_that_changes(x, y):
    store = Store()
    store["a"] = x
    store.update({"b": y})
    store.setdefault("c", x * y)
    return store.pop("a") * store["b"] * store["c"]


@program((2.0, 3.0))
def a_sequence_that_changes(x, y):
    track = Track()
    track.append(x)
    track.extend([y, x * y])
    track += [x]
    return track.pop() * track[1] * sum(track)


@program((2.0, 3.0))
def classes_for_users(x, y):
    settings, series = Settings(a=x, b=y), Series([x, y])
    series.append(settings.total())
    return series.total() * settings["a"] * sum(series)


class Powers(Mapping):
    """What it gives is computed when it is asked for."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, name):
        if name not in ("a", "b"):
            raise KeyError(name)
        return 2.0 * self.x if name == "a" else self.x**2

    def __iter__(self):
        return iter(["a", "b"])

    def __len__(self):
        return 2


@program((1.3,))
def got_or_default(x):
    powers = Powers(x)
    return powers.get("b") * powers.get("c", x)


@program((1.3,))
def products_of_objects(x):
    return math.prod(Row([x, x * x])) + math.fsum(Powers(x).values()) * x
