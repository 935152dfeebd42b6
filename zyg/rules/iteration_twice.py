"""Rules of what the rules of iterators do themselves, for derivatives of derivatives.

    y = read_once(zip, xs, ys)           xs_bar, ys_bar = columns(y_bar)
    bars = kept_bars(y_bar, kept, xs)    y_bar_bar = the ones of bars_bar at the positions kept

The cotangent of an iterator is the list of those of its items; so the rule of `read_once` is that
of the function which makes the iterator.
"""

from __future__ import annotations

import itertools

from zyg.cotangents.cotangent import from_items
from zyg.held.iterators import (
    bars_at,
    call_bars,
    chosen_bars,
    gathered,
    group_bars,
    group_bars_at,
    kept_bars,
    nested_bars_at,
    nested_chosen_bars,
    noted_bars,
    row_bars,
)
from zyg.held.readers import read_once
from zyg.rules.iteration import (
    chain_bars,
    column,
    columns,
    from_last_items,
    numbered,
    product_bars,
    selected_bars,
    total,
)
from zyg.rules.lazy import replaced_bars
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import linear


@adjoint(read_once)
def read_once_(make, *args, **kwargs):
    y = read_once(make, *args, **kwargs)
    return y, lambda y_bar: (None, *once_bars(y_bar, make, args, kwargs))


def once_bars(y_bar, make, args, kwargs):
    """The cotangents of the arguments of what makes an iterator."""
    if make is zip:
        return columns(y_bar, args)
    if make is itertools.product:
        return product_bars(y_bar, args, args, kwargs.get("repeat", 1))
    rest = [None for _ in args[1:]]
    if make is enumerate:
        return (from_items(column(y_bar, 1), args[0]), *rest)
    if make is iter:
        return (from_items(y_bar, args[0]),)
    if make is reversed:
        return (from_last_items(y_bar, args[0]),)
    if make in (itertools.pairwise, itertools.permutations, itertools.combinations):
        return (from_items(selected_bars(y_bar, make, *args), args[0]), *rest)
    if make is itertools.combinations_with_replacement:
        return (replaced_bars(y_bar, args[0], args[1], args[0]), None)
    if make is itertools.repeat:
        return (total(y_bar), *rest)
    if make is itertools.count:
        return (total(y_bar), total(numbered(y_bar)))
    if is_chain(make):
        return None, *chain_bars(y_bar, make.__self__, args[1:])
    return noted_bars(y_bar, make, args)


def is_chain(make):
    return getattr(make, "__name__", "") == "chained"


@adjoint(kept_bars)
def kept_bars_(bars, kept, iterable):
    y = kept_bars(bars, kept, iterable)
    return y, lambda y_bar: (bars_at(y_bar, kept, bars), None, None)


@adjoint(chosen_bars)
def chosen_bars_(bars, chosen, iterable):
    y = chosen_bars(bars, chosen, iterable)
    return y, lambda y_bar: (bars_at(y_bar, chosen, bars), None, None)


@adjoint(call_bars)
def call_bars_(bars, calls, iterables):
    return noted_bars(bars, "map", iterables), lambda y_bar: (None, None, None)  # it raises


@adjoint(row_bars)
def row_bars_(bars, calls, iterable):
    return noted_bars(bars, "starmap", (iterable,)), lambda y_bar: (None, None, None)


@adjoint(nested_chosen_bars)
def nested_chosen_bars_(bars, chosen, iterables):
    y = nested_chosen_bars(bars, chosen, iterables)
    return y, lambda y_bar: (nested_bars_at(y_bar, chosen, bars), None, None)


@adjoint(group_bars)
def group_bars_(bars, groups, iterable):
    y = group_bars(bars, groups, iterable)
    return y, lambda y_bar: (group_bars_at(y_bar, groups, bars), None, None)


@adjoint(group_bars_at)
def group_bars_at_(bars, groups, like):
    y = group_bars_at(bars, groups, like)
    return y, lambda y_bar: (group_bars(y_bar, groups, bars), None, None)


@adjoint(bars_at)
def bars_at_(bars, noted, like):
    y = bars_at(bars, noted, like)
    return y, lambda y_bar: (chosen_bars(y_bar, noted, bars), None, None)


@adjoint(nested_bars_at)
def nested_bars_at_(bars, chosen, like):
    y = nested_bars_at(bars, chosen, like)
    return y, lambda y_bar: (nested_chosen_bars(y_bar, chosen, bars), None, None)


@adjoint(gathered)
def gathered_(bars, places, count):
    return gathered(bars, places, count), lambda y_bar: (
        None if y_bar is None else [y_bar[i] for i in places], None, None
    )


linear(gathered, 0)
