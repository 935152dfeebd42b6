"""Rules of the iterators of `itertools` that choose, group or compute items as they are read."""

from __future__ import annotations

import itertools
import operator

from zyg.cotangents.cotangent import accumulate, from_items
from zyg.held.iterators import (
    Calls,
    Chosen,
    Groups,
    Steps,
    chosen_bars,
    group_bars,
    items_of,
    nested_chosen_bars,
    row_bars,
    step_bars,
)
from zyg.held.readers import read_once
from zyg.rules.iteration import place_bars
from zyg.rules.registry import adjoint, substitute


@adjoint(itertools.islice)
def islice(iterable, *bounds):
    chosen = Chosen()
    y = read_once(chosen.over, itertools.islice, iterable, *bounds)
    return y, lambda y_bar: (chosen_bars(y_bar, chosen, iterable), *(None,) * len(bounds))


@adjoint(itertools.cycle)
def cycle(iterable, /):
    chosen = Chosen()
    y = read_once(chosen.over, itertools.cycle, iterable)
    return y, lambda y_bar: (chosen_bars(y_bar, chosen, iterable),)


@adjoint(itertools.compress)
def compress(data, selectors):
    chosen = Chosen()
    y = read_once(chosen.over, itertools.compress, data, selectors)
    return y, lambda y_bar: (chosen_bars(y_bar, chosen, data), None)


@adjoint(itertools.takewhile)
def takewhile(predicate, iterable, /):
    chosen = Chosen()
    y = read_once(chosen.where, itertools.takewhile, predicate, iterable)
    return y, lambda y_bar: (None, chosen_bars(y_bar, chosen, iterable))


@adjoint(itertools.dropwhile)
def dropwhile(predicate, iterable, /):
    chosen = Chosen()
    y = read_once(chosen.where, itertools.dropwhile, predicate, iterable)
    return y, lambda y_bar: (None, chosen_bars(y_bar, chosen, iterable))


@adjoint(itertools.filterfalse)
def filterfalse(function, iterable, /):
    chosen = Chosen()
    y = read_once(chosen.where, itertools.filterfalse, function or bool, iterable)
    return y, lambda y_bar: (None, chosen_bars(y_bar, chosen, iterable))


@adjoint(vars(itertools.chain)["from_iterable"])
def chain_from_iterable(iterables, /):
    chosen = Chosen()
    y = read_once(chosen.nested, iterables)
    return y, lambda y_bar: (nested_chosen_bars(y_bar, chosen, iterables),)


@adjoint(itertools.groupby)
def groupby(iterable, key=None):
    groups = Groups()
    y = read_once(groups.over, iterable, key)
    return y, lambda y_bar: (group_bars(y_bar, groups, iterable), None)


@adjoint(itertools.accumulate)
def accumulate_(iterable, func=None, initial=None, *, pullback=None):
    steps = Steps(pullback, operator.add if func is None else func)
    y = read_once(steps.over, iterable, initial)
    return y, lambda y_bar: step_bars(y_bar, steps, iterable, initial)


@adjoint(itertools.starmap)
def starmap(function, iterable, /, *, pullback=None):
    calls = Calls(pullback, function)
    return read_once(calls.over_rows, iterable), lambda y_bar: row_bars(y_bar, calls, iterable)


@adjoint(itertools.tee)
def tee(iterable, n=2, /):
    y = tuple([read_once(iter, copy) for copy in itertools.tee(iterable, n)])
    return y, lambda y_bar: (tee_bars(y_bar, iterable), None)


def tee_bars(y_bar, iterable):
    """The cotangent of an iterable that was read several times, each to a place of its own."""
    if y_bar is None:
        return None
    lists = [bars for bars in y_bar if bars is not None]
    count = max([len(bars) for bars in lists], default=0)
    found = [None for _ in range(count)]
    for bars in lists:
        found = [
            accumulate(bar, bars[i] if i < len(bars) else None) for i, bar in enumerate(found)
        ]
    return from_items(found, iterable)


@adjoint(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    items = items_of(iterable)
    y = read_once(itertools.combinations_with_replacement, items, r)
    return y, lambda y_bar: (replaced_bars(y_bar, items, r, iterable), None)


def replaced_bars(y_bar, items, r, iterable):
    """The cotangents of items that stand in a row once, several times or not at all."""
    if y_bar is None:
        return None
    rows = list(itertools.combinations_with_replacement(range(len(items)), r))
    return from_items(place_bars(y_bar, rows, range(r), items), iterable)


@substitute(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    pools = [items_of(iterable) for iterable in iterables]
    count = max([len(pool) for pool in pools], default=0)
    rows = [() for _ in range(count)]
    for pool in pools:
        column = [*pool, *[fillvalue] * (count - len(pool))]
        rows = [(*row, x) for row, x in zip(rows, column, strict=True)]
    return iter(rows)
