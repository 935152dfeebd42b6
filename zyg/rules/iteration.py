"""Rules of the built-in iterators and of what collects their items.

The cotangent of an iterator is the list of the cotangents of its items, as they were taken.
"""

from __future__ import annotations

import itertools

import numpy as np

from ir import primitives
from ir.generators import walked
from ir.memory import held_walks
from zyg.cotangents.cotangent import accumulate, from_items
from zyg.cotangents.cotangent_items import item
from zyg.errors import NotDifferentiable
from zyg.held.iterators import (
    Calls,
    Chosen,
    Kept,
    call_bars,
    gathered,
    items_of,
    kept_bars,
    nested_chosen_bars,
)
from zyg.held.readers import read_once, unless_changed
from zyg.rules.registry import adjoint, chosen_by, constant, substitute

constant(
    np.ndindex, primitives.numbers_from, held_walks.positions, held_walks.positions_from_end,
    primitives.check_lengths,
)


@adjoint(list)
def list_(iterable=()):
    return list(iterable), lambda y_bar: (from_items(y_bar, iterable),)


@adjoint(tuple)
def tuple_(iterable=()):
    return tuple(iterable), lambda y_bar: (from_items(y_bar, iterable),)


@adjoint(set)
def set_(iterable=()):
    items = items_of(iterable)
    y = set(items)
    return y, lambda y_bar: (
        from_items(first_of_equal_bars(y_bar, y, items), iterable),
    )


@adjoint(frozenset)
def frozenset_(iterable=()):
    items = items_of(iterable)
    y = frozenset(items)
    return y, lambda y_bar: (
        from_items(first_of_equal_bars(y_bar, y, items), iterable),
    )


def first_of_equal_bars(y_bar, members, items):
    """Of items that are equal, a set keeps the first; its cotangent is a list in its own order."""
    if y_bar is None:
        return None
    if not isinstance(y_bar, list):
        raise NotDifferentiable("the derivative of this use of a set is not known; use a list")
    bar_of = dict(zip(members, y_bar, strict=False))
    first = {x: i for i, x in reversed(list(enumerate(items)))}
    return [bar_of.get(x) if first[x] == i else None for i, x in enumerate(items)]


@adjoint(iter)
def iter_(iterable):
    return read_once(iter, iterable), lambda y_bar: (from_items(y_bar, iterable),)


@adjoint(walked)
def walked_(items):
    y = unless_changed(items)
    # A loop may leave an iterator before its end.
    return y, lambda y_bar: (y_bar if y is items else from_items(y_bar, items),)


@adjoint(reversed)
def reversed_(sequence):
    return read_once(reversed, sequence), lambda y_bar: (from_last_items(y_bar, sequence),)


def from_last_items(bars, sequence):
    """The cotangent of a sequence that was read from its end."""
    if bars is None:
        return None
    missing = [None for _ in range(len(sequence) - len(bars))]
    return from_items([*missing, *bars[::-1]], sequence)


@adjoint(enumerate)
def enumerate_(iterable, start=0):
    y = read_once(enumerate, iterable, start)
    return y, lambda y_bar: (from_items(column(y_bar, 1), iterable), None)


@adjoint(zip)
def zip_(*iterables, strict=False):
    y = read_once(zip, *iterables, strict=strict)
    return y, lambda y_bar: columns(y_bar, iterables)


def columns(rows, iterables):
    """The cotangents of iterables whose items came together, as tuples."""
    return tuple([from_items(column(rows, i), iterables[i]) for i in range(len(iterables))])


def column(rows, i):
    return None if rows is None else [item(row, i) for row in rows]


@adjoint(map)
def map_(function, *iterables, pullback=None):
    calls = Calls(pullback, function)
    return read_once(calls.over, *iterables), lambda y_bar: call_bars(y_bar, calls, iterables)


@adjoint(filter)
def filter_(function, iterable):
    kept = Kept()
    y = read_once(kept.over, function, iterable)
    return y, lambda y_bar: (None, kept_bars(y_bar, kept, iterable))


@adjoint(sorted)
def sorted_(iterable, /):
    items = items_of(iterable)
    order = sorting_order(items)
    return chosen(items, order), lambda y_bar: (
        from_items(chosen_bars(y_bar, order), iterable),
    )


@substitute(sorted)
def sorted_by(iterable, /, *, key=None, reverse=False):
    items = items_of(iterable)
    return chosen(items, sorting_order(items, key, reverse))


def sorting_order(items, key=None, reverse=False):
    """The positions of items in the order of `sorted`: one call of `key` for each, stable."""
    keys = items_of(items) if key is None else [key(x) for x in items]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


chosen_by("key", sorted)
constant(sorting_order)  # which has no derivative, nor has it one in derivatives of this


def chosen(items, order):
    return [items[i] for i in order]


def chosen_bars(y_bar, order):
    """The cotangents of items from those of the items at given positions, each given once."""
    if y_bar is None:
        return None
    bar_of = dict(zip(order, y_bar, strict=True))
    return [bar_of[i] for i in range(len(order))]


@adjoint(itertools.count)
def count(start=0, step=1):
    y = read_once(itertools.count, start, step)
    return y, lambda y_bar: (total(y_bar), total(numbered(y_bar)))


def numbered(bars):
    """Cotangents times their positions, None for none."""
    return [None if bar is None else i * bar for i, bar in enumerate(bars or ())]


@adjoint(itertools.repeat)
def repeat(object, *times):
    y = read_once(itertools.repeat, object, *times)
    return y, lambda y_bar: (total(y_bar), *(None,) * len(times))


@adjoint(itertools.chain)
def chain(*iterables):
    chosen = Chosen()
    y = read_once(chosen.chained, itertools.chain, *iterables)
    return y, lambda y_bar: chain_bars(y_bar, chosen, iterables)


def chain_bars(y_bar, chosen, iterables):
    """The cotangents of iterables that were read one behind the other."""
    if y_bar is None:
        return tuple([None for _ in iterables])
    if not all(hasattr(x, "__len__") for x in iterables):
        return nested_chosen_bars(y_bar, chosen, iterables)
    ends = list(itertools.accumulate([len(x) for x in iterables]))
    return tuple([
        from_items(y_bar[end - len(x) : end], x) for x, end in zip(iterables, ends, strict=True)
    ])


@adjoint(itertools.pairwise)
def pairwise(iterable, /):
    items = items_of(iterable)
    y = read_once(itertools.pairwise, items)
    return y, lambda y_bar: (
        from_items(selected_bars(y_bar, itertools.pairwise, items), iterable),
    )


@adjoint(itertools.permutations)
def permutations(iterable, r=None):
    items = items_of(iterable)

    def back(y_bar):
        return from_items(selected_bars(y_bar, itertools.permutations, items, r), iterable), None

    return read_once(itertools.permutations, items, r), back


@adjoint(itertools.combinations)
def combinations(iterable, r):
    items = items_of(iterable)

    def back(y_bar):
        return from_items(selected_bars(y_bar, itertools.combinations, items, r), iterable), None

    return read_once(itertools.combinations, items, r), back


def selected_bars(y_bar, select, items, *args):
    """The cotangents of items that `select` combines to rows: it combines positions likewise."""
    if y_bar is None:
        return None
    rows = list(itertools.islice(select(range(len(items)), *args), len(y_bar)))
    places = [i for row in rows for i in row]
    bars = [item(bars, k) for row, bars in zip(rows, y_bar, strict=True) for k in range(len(row))]
    return gathered(bars, places, len(items))


@adjoint(itertools.product)
def product(*iterables, repeat=1):
    pools = [items_of(x) for x in iterables]
    y = read_once(itertools.product, *pools, repeat=repeat)
    return y, lambda y_bar: product_bars(y_bar, pools, iterables, repeat)


def product_bars(y_bar, pools, iterables, repeat):
    """The cotangents of pools whose product was taken: it is taken of positions likewise."""
    if y_bar is None:
        return tuple([None for _ in pools])
    rows = list(itertools.product(*[range(len(pool)) for pool in pools], repeat=repeat))
    count = len(pools)
    return tuple([
        from_items(place_bars(y_bar, rows, [*range(k, count * repeat, count)], pools[k]), x)
        for k, x in enumerate(iterables)
    ])


def place_bars(y_bar, rows, places, pool):
    """The cotangents of the items of one pool, which stand at some places of the rows."""
    positions = [row[place] for row in rows[: len(y_bar)] for place in places]
    bars = [item(bars, place) for bars in y_bar for place in places]
    return gathered(bars, positions, len(pool))


def total(bars):
    """The sum of cotangents."""
    y = None
    for bar in bars or ():
        y = accumulate(y, bar)
    return y
