"""Declared tangents of lists, tuples, dicts and iterators: the same container of tangents."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict, defaultdict, deque

from ir import patterns, primitives
from ir.generators import walked
from zyg.rules.iteration import chosen, sorting_order
from zyg.rules.tangent_registry import linear, reads_late, reads_twice, tangent, when_run
from zyg.tangents.tangent import (
    concatenated,
    counted,
    enumerated,
    from_pairs,
    items_tangent,
    key_tangent,
    listed,
    merged,
    picked,
    picked_item,
    repeated,
    starred_tangent,
    summed,
    tangent_items,
    values_tangent,
    zipped,
)

for _callee in (
    dict.copy, list.copy, OrderedDict.copy, defaultdict.copy, deque.copy,
    list.__getitem__, tuple.__getitem__,
):
    linear(_callee, 0)


@tangent(dict.__getitem__)
def item_of_dict(item, items, key, items_dot, key_dot):
    return picked_item(items_dot, key, item, items)


reads_late(
    iter, reversed, enumerate, zip, itertools.chain, dict.values, OrderedDict.values, dict.items,
    OrderedDict.items,
)
reads_twice(sorted, dict, primitives.unpack_starred)
when_run(primitives.unpack_starred)  # its results are several, where it is emitted


@tangent(slice)
def slice_(part, *both):
    dots = both[len(both) // 2 :]
    names = ("stop",) if len(dots) == 1 else ("start", "stop", "step")
    return dict(zip(names, dots, strict=False))


@tangent(slice.start)
def start(bound, part, part_dot):
    return picked(part_dot, "start", bound)


@tangent(slice.stop)
def stop(bound, part, part_dot):
    return picked(part_dot, "stop", bound)


@tangent(slice.step)
def step(bound, part, part_dot):
    return picked(part_dot, "step", bound)


@tangent(operator.concat)
def concat(z, x, y, x_dot, y_dot):
    return x_dot + y_dot


@tangent(list)
def list_(y, iterable, iterable_dot):
    return listed(y, iterable_dot, iterable)


@tangent(tuple)
def tuple_(y, iterable, iterable_dot):
    return tuple(listed(y, iterable_dot, iterable))


@tangent(iter)
def iter_(y, iterable, iterable_dot):
    return iter(tangent_items(iterable_dot, iterable))


@tangent(reversed)
def reversed_(y, sequence, sequence_dot):
    return reversed(tangent_items(sequence_dot, sequence))


@tangent(enumerate)
def enumerate_(y, iterable, *rest, start=0):
    return enumerated(tangent_items(rest[len(rest) // 2], iterable))


@tangent(zip)
def zip_(y, *both, strict=False):
    return zipped(*both)


@tangent(sorted)
def sorted_(y, iterable, iterable_dot):
    return chosen(list(tangent_items(iterable_dot, iterable)), sorting_order(iterable))


@tangent(sum)
def sum_(y, iterable, *rest, start=0):
    return summed(y, iterable, rest)


@tangent(primitives.flatten)
def flatten(y, lists, lists_dot):
    return primitives.flatten(lists_dot)


@tangent(primitives.unpack_starred)
def unpack_starred(y, items, before, after, items_dot, before_dot, after_dot):
    return starred_tangent(items, items_dot, before, after)


@tangent(primitives.merge_dicts)
def merge_dicts(y, *both):
    return merged(*both)


@tangent(dict.get)
def get(y, self, key, *rest):
    return key_tangent(y, key, rest)


@tangent(walked)
def walked_(y, items, items_dot):
    return items_dot


@tangent(dict.values, OrderedDict.values)
def values(y, self, self_dot):
    return values_tangent(self, self_dot)


@tangent(dict.items, OrderedDict.items)
def items(y, self, self_dot):
    return items_tangent(self, self_dot)


@tangent(itertools.chain)
def chain(y, *both):
    return concatenated(*both)


@tangent(itertools.count)
def count(y, *both, step=1):
    return counted(both)


@tangent(patterns.without_keys)
def without_keys(y, mapping, *rest):
    dot = rest[len(rest) // 2]
    return {key: picked_item(dot, key, value, mapping) for key, value in y.items()}


@tangent(dict)
def dict_(y, pairs=(), pairs_dot=None):
    return from_pairs(y, pairs, pairs_dot)


@tangent(deque)
def deque_(y, iterable=(), *rest, maxlen=None):
    dots = rest[len(rest) // 2] if rest else None
    return deque(tangent_items(dots, iterable), y.maxlen)


@tangent(itertools.repeat)
def repeat(y, value, *rest, times=None):
    return repeated(rest) if times is None else itertools.repeat(rest[0], times)

