"""Rules of the module `statistics`, whose functions compute exactly and then round.

With the mean `m` of `n` items and a cotangent `y_bar`, item `x` receives `y_bar / n` from the mean,
`2 (x - m) / n` times `y_bar` from the variance of a population, and half of that, divided by the
deviation, from the deviation, which has the slope 0 where it is 0.
"""

from __future__ import annotations

import statistics

from zyg.cotangents.cotangent import from_items
from zyg.held.iterators import items_of
from zyg.rules.registry import adjoint


@adjoint(statistics.mean)
def mean(data):
    items = items_of(data)
    y = statistics.mean(items)
    return y, lambda y_bar: (from_items([y_bar / len(items) for _ in items], data),)


@adjoint(statistics.fmean)
def fmean(data, weights=None):
    items = items_of(data)
    factors = [1 for _ in items] if weights is None else items_of(weights)
    y = statistics.fmean(items) if weights is None else statistics.fmean(items, factors)
    total = sum(factors)

    def back(y_bar):
        return (
            from_items([y_bar * factor / total for factor in factors], data),
            None
            if weights is None
            else from_items([y_bar * (x - y) / total for x in items], weights),
        )

    return y, back


@adjoint(statistics.mode)
def mode(data):
    items = items_of(data)
    y = statistics.mode(items)
    return y, lambda y_bar: (from_items(first_bars([y_bar], [y], items), data),)


@adjoint(statistics.multimode)
def multimode(data):
    items = items_of(data)
    y = statistics.multimode(items)
    return y, lambda y_bar: (from_items(first_bars(y_bar, y, items), data),)


def first_bars(bars, values, items):
    """Hands the cotangent of each value to the first item that is equal."""
    at = {items.index(value): bar for value, bar in zip(values, bars, strict=True)}
    return [at.get(place, 0.0) for place in range(len(items))]


@adjoint(statistics.geometric_mean)
def geometric_mean(data):
    items = items_of(data)
    y = statistics.geometric_mean(items)
    return y, lambda y_bar: (from_items([y_bar * y / (len(items) * x) for x in items], data),)


@adjoint(statistics.variance)
def variance(data):
    items = items_of(data)
    y = statistics.variance(items)
    return y, lambda y_bar: (spread_bars(y_bar, items, len(items) - 1, data),)


@adjoint(statistics.pvariance)
def pvariance(data):
    items = items_of(data)
    y = statistics.pvariance(items)
    return y, lambda y_bar: (spread_bars(y_bar, items, len(items), data),)


@adjoint(statistics.stdev)
def stdev(data):
    items = items_of(data)
    y = statistics.stdev(items)
    return y, lambda y_bar: (
        spread_bars(0.0 if y == 0 else y_bar / (2 * y), items, len(items) - 1, data),
    )


@adjoint(statistics.pstdev)
def pstdev(data):
    items = items_of(data)
    y = statistics.pstdev(items)
    return y, lambda y_bar: (
        spread_bars(0.0 if y == 0 else y_bar / (2 * y), items, len(items), data),
    )


def spread_bars(y_bar, items, count, data):
    """The cotangents of the items of a sum of squared distances from the mean over `count`."""
    m = statistics.mean(items)
    return from_items([y_bar * 2 * (x - m) / count for x in items], data)
