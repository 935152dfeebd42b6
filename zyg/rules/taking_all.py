"""What takes all items of a generator at once: plain Python, whose code is differentiated.

`min(g)` is `min` of a list of its items; `x in g` stops where it finds one.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from ir import primitives
from ir.generators import advanced


def listed(items=()):
    found = []
    for item in items:
        found.append(item)  # noqa: PERF402 - what `list` is made of
    return found


def list_of(items=()):
    return listed(items)


def tuple_of(items=()):
    return tuple(listed(items))


def set_of(items=()):
    return set(listed(items))


def frozenset_of(items=()):
    return frozenset(listed(items))


def dict_of(items=(), /, **more):
    return dict(listed(items), **more) if more else dict(listed(items))


def dict_of_mapping(mapping, /):
    """What `dict` and `**` make of an object that has `keys`."""
    keys = mapping.keys()
    return {key: mapping[key] for key in keys}


def as_items_of_dict(items, /):
    """The same of anything that a dict can be made of."""
    if hasattr(items, "keys"):
        return items if isinstance(items, dict) else dict_of_mapping(items)
    return listed(items)


def deque_of(items=(), maxlen=None):
    return deque(listed(items), maxlen)


def sorted_of(items, /, *, key=None, reverse=False):
    return sorted(listed(items), key=key, reverse=reverse)


def sum_of(items, /, start=0):
    if isinstance(start, (int, float, complex)):
        # From Python 3.12 on, `sum` rounds less than adding one by one does. The generator may
        # change an array in place when it goes on. Objects are added in order, from the left.
        own = []
        for item in items:
            is_number = isinstance(item, (int, float, complex, np.number, np.ndarray))
            own.append(0 + item if is_number else item)
        return sum(own, start)
    total = start
    for item in items:
        total = total + item
    return total


def added_of(items, /, start=0):
    """`sum` of objects that overload `+`."""
    total = start
    for item in items:
        total = total + item
    return total


def product_of(items, /, *, start=1):
    total = start
    for item in items:
        total = total * item
    return total


def fsum_of(items, /):
    return math.fsum(listed(items))


def min_of(items, /, **options):
    return min(listed(items), **options)


def max_of(items, /, **options):
    return max(listed(items), **options)


def contains(items, searched, /):
    for item in items:  # noqa: SIM110 - what `any` is made of
        if item is searched or item == searched:
            return True
    return False


def unpacked(items, count):
    return primitives.unpack(taken(items, count), count)


def taken(items, count):
    """As many items, and one more, if it is there."""
    found = []
    while len(found) <= count:
        alive, item, _ = advanced(items)
        if not alive:
            break
        found.append(item)
    return found


def unpacked_starred(items, before, after):
    return primitives.unpack_starred(listed(items), before, after)


def extend(items, more):
    for item in more:
        items.append(item)


def joined(separator, texts):
    return separator.join(listed(texts))


def array_of(items, dtype, count=-1):
    return np.array(listed(items), dtype)
