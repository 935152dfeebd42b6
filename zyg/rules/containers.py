"""Rules of lists, tuples and dicts: displays, methods, operators that join them."""

from __future__ import annotations

import operator

from ir import facts, primitives
from zyg.cotangents.cotangent import from_items
from zyg.cotangents.cotangent_items import item, one_hot, unless_computed
from zyg.errors import NotDifferentiable
from zyg.held.iterators import items_of, starred
from zyg.rules.iteration import column, first_of_equal_bars
from zyg.rules.registry import adjoint, constant, substitute

constant(
    *(dict.keys, dict.__contains__, dict.__len__, list.index, list.count, list.__len__),
    *(list.__contains__, tuple.index, tuple.count, tuple.__len__, tuple.__contains__),
    *(range.index, range.count),
    *(primitives.format_value, primitives.build_string),
    unless_computed,
)


# As an index it has whole bounds; others are for code that reads them, as `np.mgrid` does.
@adjoint(slice)
def slice_(*bounds):
    part = slice(*bounds)

    def back(bars):
        of_bounds = item(bars, "start"), item(bars, "stop"), item(bars, "step")
        return of_bounds[1:2] if len(bounds) == 1 else of_bounds[: len(bounds)]

    return part, back


@adjoint(slice.start)
def start(part):
    return part.start, lambda bound_bar: ({"start": bound_bar},)


@adjoint(slice.stop)
def stop(part):
    return part.stop, lambda bound_bar: ({"stop": bound_bar},)


@adjoint(slice.step)
def step(part):
    return part.step, lambda bound_bar: ({"step": bound_bar},)


@adjoint(primitives.build_set)
def build_set(*items):
    y = {*items}
    return y, lambda y_bar: tuple(first_of_equal_bars(y_bar, y, items) or [None for _ in items])


@adjoint(primitives.flatten)
def flatten(lists):
    return primitives.flatten(lists), lambda y_bar: (nested_bars(y_bar, lists),)


def nested_bars(y_bar, lists):
    """The cotangents of lists from that of all their items in one list."""
    if y_bar is None:
        return None
    ends = [sum([len(x) for x in lists[: i + 1]]) for i in range(len(lists))]
    return [y_bar[end - len(x) : end] for x, end in zip(lists, ends, strict=True)]


@adjoint(primitives.unpack_starred)
def unpack_starred(items, before, after):
    y = starred(items, before, after)
    return y, lambda y_bar: (starred_bars(y_bar, y, before, items), None, None)


def starred_bars(y_bar, y, before, items):
    """The cotangent of what was unpacked into single items and a list of the others."""
    if y_bar is None:
        return None
    middle = y_bar[before]
    if middle is None:
        middle = [None for _ in y[before]]
    return from_items([*y_bar[:before], *middle, *y_bar[before + 1 :]], items)


@adjoint(primitives.merge_dicts)
def merge_dicts(*parts):
    return primitives.merge_dicts(*parts), lambda y_bar: merged_bars(y_bar, parts)


def merged_bars(y_bar, parts):
    """The cotangents of dicts that were merged: each key is that of the last dict that has it."""
    return tuple([
        None if y_bar is None else owned_bars(y_bar, part, parts[i + 1 :])
        for i, part in enumerate(parts)
    ])


def owned_bars(y_bar, part, later):
    """The cotangents of the items of a dict that no later dict replaced."""
    if not isinstance(part, dict):
        unless_computed(part)
    return {
        key: y_bar.get(key) for key in part if not any(key in other for other in later)
    }


@adjoint(operator.or_)
def or_(x, y):
    z = x | y
    return z, lambda z_bar: united_bars(z_bar, z, x, y)


@adjoint(operator.and_)
def and_(x, y):
    z = x & y
    return z, lambda z_bar: member_bars(z_bar, z, x, y)


@adjoint(operator.xor)
def xor(x, y):
    z = x ^ y
    return z, lambda z_bar: member_bars(z_bar, z, x, y)


def difference_of_sets(x, y):
    return x - y


@adjoint(difference_of_sets)
def difference_of_sets_(x, y):
    z = x - y
    return z, lambda z_bar: (member_bars(z_bar, z, x, ())[0], None)


def united_bars(z_bar, z, x, y):
    """`|` merges dicts; of numbers and arrays it takes bits."""
    if z_bar is not None and isinstance(x, dict) and isinstance(y, dict):
        return merged_bars(z_bar, (x, y))
    return member_bars(z_bar, z, x, y)


def member_bars(z_bar, z, x, y):
    """The cotangents of the members of two sets by those of a set that is made of them, lists in
    the order of each: that of a member which both hold is the first set's. Bits have none."""
    if z_bar is None or hasattr(x, "dtype") or isinstance(x, (int, bool)):
        return None, None
    if not isinstance(z_bar, list):
        raise NotDifferentiable("the derivative of this use of a set is not known; use a list")
    bar_of = dict(zip(z, z_bar, strict=True))
    unless_keys(x, bar_of)
    unless_keys(y, bar_of)
    return (
        [bar_of.get(member) for member in x],
        [None if member in x else bar_of.get(member) for member in y],
    )


def unless_keys(members, bar_of):
    """Raises for numbers that are keys of a dict, of which the dict keeps no derivative."""
    is_view = hasattr(members, "mapping")
    if is_view and any(
        isinstance(member, float) and bar_of.get(member) is not None for member in members
    ):
        raise NotDifferentiable("a number that is a key of a dict has no derivative as such")


constant(unless_keys)
facts.effect(unless_keys)


@facts.result(difference_of_sets)
def type_of_difference(args, kwargs):
    return args[0]


@substitute(set.union, frozenset.union)
def union(members, /, *others):
    for other in others:
        members = members | set(other)
    return members | set()


@substitute(set.intersection, frozenset.intersection)
def intersection(members, /, *others):
    for other in others:
        members = members & set(other)
    return members | set()


@substitute(set.difference, frozenset.difference)
def difference(members, /, *others):
    for other in others:
        members = difference_of_sets(members, set(other))
    return members | set()


@substitute(set.symmetric_difference, frozenset.symmetric_difference)
def symmetric_difference(members, other, /):
    return members ^ set(other)


@adjoint(dict)
def dict_(pairs=(), /):
    items = pairs if hasattr(pairs, "keys") else items_of(pairs)
    y = dict(items)
    return y, lambda y_bar: (dict_bars(y_bar, y, items, pairs),)


def dict_bars(y_bar, y, items, pairs):
    """The cotangent of what a dict was made of: a mapping, or pairs, the last of a key counts."""
    if y_bar is None:
        return None
    if hasattr(pairs, "keys"):
        if not isinstance(pairs, dict):
            unless_computed(pairs)
        return {key: y_bar.get(key) for key in y}
    last = {key: i for i, (key, _) in enumerate(items)}
    rows = [(None, y_bar.get(key) if last[key] == i else None) for i, (key, _) in enumerate(items)]
    return from_items(rows, pairs)


@substitute(dict)
def dict_with_names(pairs=(), /, **items):
    return {**dict(pairs), **items}


@adjoint(dict.get)
def get(self, key, default=None, /):
    y = self.get(key, default)

    def back(y_bar):
        return (
            one_hot(y_bar, self, key) if key in self else None,
            None,
            None if key in self else y_bar,
        )

    return y, back


@adjoint(dict.values)
def values(self):
    return self.values(), lambda y_bar: (by_key(y_bar, self),)


@adjoint(dict.items)
def items(self):
    return self.items(), lambda y_bar: (by_key(column(y_bar, 1), self),)


def by_key(bars, like):
    """The cotangent of a dict from those of its values, in its order."""
    return None if bars is None else dict(zip(like, bars, strict=False))


@adjoint(dict.copy, list.copy)
def copy(self):
    return self.copy(), lambda y_bar: (y_bar,)


# By their own names: a class that derives from one of these may have an indexing of its own.
@adjoint(dict.__getitem__)
def item_of_dict(self, key, /):
    return dict.__getitem__(self, key), lambda y_bar: (one_hot(y_bar, self, key), None)


@adjoint(list.__getitem__)
def item_of_list(self, key, /):
    return list.__getitem__(self, key), lambda y_bar: (one_hot(y_bar, self, key), None)


@adjoint(tuple.__getitem__)
def item_of_tuple(self, key, /):
    return tuple.__getitem__(self, key), lambda y_bar: (one_hot(y_bar, self, key), None)


