"""Rules of `sum`, `max` and `min` of the items of anything iterable."""

from __future__ import annotations

import operator
from collections import deque

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Value, type_of
from ir.inference.special_calls import special
from ir.library.fact_rules import call_type
from ir.types import TOP, Known, Sequence, Tuple, class_of, join
from zyg.array_type import is_number
from zyg.cotangents.cotangent import rebuilt, unbroadcast, zeros_like
from zyg.facts.cotangent_facts import is_numeric, needs_no_unbroadcast, zeros_type
from zyg.held.iterators import items_of, of_items, readable_again
from zyg.rules.registry import adjoint, chosen_by

chosen_by("key", min, max)


@adjoint(sum)
def sum_(iterable, start=0):
    xs = items_of(iterable)
    y = sum(xs, start)

    def back(y_bar):
        return of_items(share_among(y_bar, xs, start), iterable), first_share(y_bar, start)

    return y, back


def share_among(y_bar, xs, start):
    """The cotangent of the items of a sum: each item receives the cotangent of the sum.

    Lists and tuples are joined by `sum(xs, [])`: there each receives its own part.
    """
    if isinstance(start, (list, tuple)):
        ends = [len(start) + sum([len(x) for x in xs[: i + 1]]) for i in range(len(xs))]
        return rebuilt(xs, [y_bar[end - len(x) : end] for x, end in zip(xs, ends, strict=True)])
    if isinstance(xs, (list, tuple)):
        return rebuilt(xs, [unbroadcast(y_bar, x) for x in xs])
    if isinstance(xs, deque):
        return [unbroadcast(y_bar, x) for x in xs]
    return np.broadcast_to(y_bar, np.shape(xs))


@special(share_among)
def shares_of_numbers(self, args, kwargs, names, loc):
    """`[y_bar] * len(xs)` for the numbers in a list."""
    y_bar, xs, start = map(type_of, args)
    if not isinstance(xs, Sequence) or xs.cls is not list or not is_numeric(start):
        return None
    if not is_number(xs.item) or not needs_no_unbroadcast(y_bar, xs.item):
        return None
    one = self.call(primitives.build_list, args[0], loc=loc)
    return [self.call(operator.mul, one, self.call(len, args[1], loc=loc), loc=loc)]


@facts.quiet(sum)
def is_of_numbers(args):
    return all(map(is_numeric, [getattr(args[0], "item", TOP), *args[1:]]))


def first_share(y_bar, start):
    """The cotangent of the `start` of a sum."""
    if isinstance(start, (list, tuple)):
        return y_bar[: len(start)]
    return unbroadcast(y_bar, start)


@adjoint(max)
def max_(*candidates):
    xs = readable_again(candidates)
    y = max(*xs)
    place = place_of(y, xs) if isinstance(y, (list, tuple)) else None
    first, second, is_of_two = candidates[0], candidates[-1], are_two_numbers(candidates)

    def back(y_bar):
        part = 0.5 * y_bar if is_of_two and first == second else y_bar
        return (
            (
                0.0 if second > first else unbroadcast(part, first),
                unbroadcast(part, second) if second >= first else 0.0,
            )
            if is_of_two
            else share_among_winners(y_bar, y, place, xs, candidates)
        )

    return y, back


@adjoint(min)
def min_(*candidates):
    xs = readable_again(candidates)
    y = min(*xs)
    place = place_of(y, xs) if isinstance(y, (list, tuple)) else None
    first, second, is_of_two = candidates[0], candidates[-1], are_two_numbers(candidates)

    def back(y_bar):
        part = 0.5 * y_bar if is_of_two and first == second else y_bar
        return (
            (
                0.0 if second < first else unbroadcast(part, first),
                unbroadcast(part, second) if second <= first else 0.0,
            )
            if is_of_two
            else share_among_winners(y_bar, y, place, xs, candidates)
        )

    return y, back


def are_two_numbers(candidates):
    """Whether these are two real numbers; the compiler asks that of their types.

    Of two the later one is taken where it is larger, so that NaN is taken where it is the first.
    """
    return len(candidates) == 2 and all(isinstance(x, (int, float)) for x in candidates)


@special(are_two_numbers)
def have_types_of_numbers(self, args, kwargs, names, loc):
    types = getattr(type_of(args[0]), "items", ())
    are_floats = all(class_of(type_) in (bool, int, float, np.float64) for type_ in types)
    return [Const(len(types) == 2 and are_floats)]


def place_of(y, xs):
    """Which of its arguments, or of the items of its only one, `max` or `min` has returned."""
    places = [i for i, x in enumerate(xs[0] if len(xs) == 1 else xs) if x is y]
    return places[0]


def share_among_winners(y_bar, y, place, xs, candidates):
    """The cotangents of the arguments of `max` or `min`; ties of numbers share equally."""
    if len(xs) == 1:
        return (of_items(share_among_equal(y_bar, y, place, xs[0]), candidates[0]),)
    return share_among_equal(y_bar, y, place, xs)


def share_among_equal(y_bar, y, place, xs):
    """Gives `y_bar` to the items of `xs` that equal `y`, in equal parts, and 0 to the others.

    Lists and tuples may hold arrays, which can't be compared: they have a place. `max` and `min`
    return NaN where it comes first, and it equals nothing.
    """
    if place is not None:
        return rebuilt(xs, [y_bar if i == place else zeros_like(x) for i, x in enumerate(xs)])
    if y != y:
        return rebuilt(xs, [unbroadcast(y_bar if i == 0 else 0.0, x) for i, x in enumerate(xs)])
    if isinstance(xs, np.ndarray):
        equal = xs == y
        return np.where(equal, y_bar / np.count_nonzero(equal), 0)
    winners = sum([1 for x in xs if x == y])
    part = y_bar if winners == 1 else y_bar / winners
    return rebuilt(xs, [unbroadcast(part, x) if x == y else zeros_like(x) for x in xs])


def part_among(y_bar, winners):
    """What each of several equal items gets of a cotangent."""
    return y_bar / winners if winners > 1 else y_bar


def share_of(part, x, y):
    return unbroadcast(part, x) if x == y else 0.0


def share_of_first(part, x, y):
    """The same of the first item, which is taken where it is NaN."""
    return unbroadcast(part, x) if x == y or y != y else 0.0


@special(share_among_equal)
def shares_of_known_numbers(self, args, kwargs, names, loc):
    """The share of each of several numbers; of numbers in a list, the call with its type."""
    y_bar, _, place, xs = map(type_of, args)
    if place != Known(None) or not is_numeric(y_bar):
        return None
    if isinstance(xs, Tuple) and all(map(is_number, xs.items)):
        bar, y, _, whole = args
        items = [
            self.call(operator.getitem, whole, Const(i), loc=loc) for i in range(len(xs.items))
        ]
        # Read one by one, so that the tuple isn't kept beside them.
        again = self.call(primitives.build_tuple, *items, loc=loc)
        winners = self.call(operator.countOf, again, y, loc=loc)
        part = self.call(part_among, bar, winners, loc=loc)
        shares = [
            self.call(share_of if i > 0 else share_of_first, part, item, y, loc=loc)
            for i, item in enumerate(items)
        ]
        return [self.call(primitives.build_tuple, *shares, loc=loc)]
    if not isinstance(xs, Sequence) or xs.cls not in (list, tuple) or not is_number(xs.item):
        return None
    made = Value(names[0], Sequence(xs.cls, type_of_share(y_bar, xs.item)))
    self._define(Call(Const(share_among_equal), args, kwargs, [made], loc))
    return [made]


def type_of_share(y_bar, x):
    return join(call_type(unbroadcast, y_bar, x), zeros_type(x))
