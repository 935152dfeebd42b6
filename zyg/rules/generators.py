"""What takes the items of generators one at a time: plain Python, whose code is differentiated.

The built-in functions take items at once (`zyg.rules.taking_all`), or one at a time, as they do
here: `zip` of a generator is a generator in turn.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
import sys
from collections import deque

import numpy as np

from ir import primitives
from ir.generators import Generator, advanced, closed, iterated, sending, stop_iteration, throwing
from ir.primitives import UNBOUND
from zyg.errors import NotDifferentiable
from zyg.rules import taking_all
from zyg.rules.registry import constant, substitute


def exception_of(kind, error):
    """What `raise` raises of a class, or of an exception: one, in which no derivative is."""
    return error if isinstance(error, BaseException) else kind()


constant(stop_iteration, exception_of)


# Iterators of what has its items at hand


SEQUENCES = (list, tuple, range, str, np.ndarray, deque)


@substitute(iterated)
def iterated_(items):
    if isinstance(items, SEQUENCES):
        return Each(items)
    if isinstance(items, dict):
        return each_key(items)
    return each_of_copy(items)


class Each(Generator):
    """An iterator over what has positions."""

    counts = frozenset(["_state", "position"])

    def __init__(self, items):
        self.items = items
        self.position = 0

    def advance(self, sent=None, thrown=None, closing=False):
        position = self.position
        if thrown is None and not closing and position < len(self.items):
            self.position = position + 1
            return True, self.items[position], UNBOUND
        self.position = sys.maxsize
        if thrown is not None:
            raise thrown
        return False, UNBOUND, None


def each_key(mapping):
    count = len(mapping)
    for key in list(mapping):
        if len(mapping) != count:
            raise RuntimeError("dictionary changed size during iteration")
        yield key


def each_value(mapping):
    for key in each_key(mapping):
        yield mapping[key]


def each_pair(mapping):
    for key in each_key(mapping):
        yield key, mapping[key]


def each_by_index(self):
    """What Python asks an object for that has `__getitem__`, and no `__iter__`."""
    i = 0
    while True:
        try:
            item = self[i]
        except IndexError:
            return
        yield item
        i += 1


def each_of_copy(items):
    refuse_lazy(items)
    for item in list(items):  # noqa: UP028 - which is more work
        yield item


def refuse_lazy(items):
    """Raises for an iterator whose items can't be taken one at a time."""
    if not hasattr(items, "__len__"):
        raise NotDifferentiable(
            f"a generator or `next` takes items out of a {type(items).__name__} that was made "
            "elsewhere; call the function that makes it there, or make a list of its items"
        )


constant(refuse_lazy)


# The methods of generators


@substitute(next)
def next_(iterator, *default):
    alive, item, end = advanced(iterator)
    if len(default) > 0:
        return item if alive else default[0]
    if not alive:
        raise stop_iteration(end)
    return item


@substitute(Generator.__next__)
def generator_next(self):
    alive, item, end = self.advance(None)
    if not alive:
        raise stop_iteration(end)
    return item


@substitute(Generator.__iter__)
def generator_iter(self):
    return self


@substitute(sending)
def sending_(generator, value):
    if value is not None and generator._state == 0:
        raise TypeError("can't send non-None value to a just-started generator")
    return generator.advance(value)


@substitute(throwing)
def throwing_(generator, error, value=None, trace=None):
    if value is not None:
        return generator.advance(None, value)
    return generator.advance(None, exception_of(error, error))


@substitute(Generator.send)
def generator_send(self, value):
    alive, item, end = sending_(self, value)
    if not alive:
        raise stop_iteration(end)
    return item


@substitute(Generator.throw)
def generator_throw(self, error, *others):
    alive, item, end = throwing_(self, error, *others)
    if not alive:
        raise stop_iteration(end)
    return item


@substitute(Generator.close)
def generator_close(self):
    self.advance(None, None, True)


@substitute(closed)
def closed_(iterator):
    if isinstance(iterator, Generator):
        iterator.close()


@substitute(contextlib._GeneratorContextManager.__exit__)
def manager_exit(self, kind, error, trace):
    if kind is None:
        alive, _, _ = advanced(self.gen)
        if alive:
            self.gen.close()
            raise RuntimeError("generator didn't stop")
        return False
    # The same exception, where the generator lets it pass: nobody has to catch it here.
    alive, _, _ = throwing(self.gen, exception_of(kind, error))
    if alive:
        self.gen.close()
        raise RuntimeError("generator didn't stop after throw()")
    return True


# What takes one item at a time


def any_of(items, /):
    for item in items:  # noqa: SIM110 - what `any` is made of
        if item:
            return True
    return False


def all_of(items, /):
    for item in items:  # noqa: SIM110 - what `all` is made of
        if not item:
            return False
    return True


def enumerated(items, start=0):
    number = start
    for item in items:
        yield number, item
        number += 1


def zipped(*iterables, strict=False):
    if strict:
        return zipped_strictly([iterated(items) for items in iterables])
    if len(iterables) == 2:
        return zipped_two(iterated(iterables[0]), iterated(iterables[1]))
    return zipped_several([iterated(items) for items in iterables])


def zipped_strictly(iterators):
    while True:
        row = []
        for iterator in iterators:
            alive, item, _ = advanced(iterator)
            if alive:
                row.append(item)
            elif len(row) > 0:
                raise ValueError(unequal(len(row), "shorter"))
            else:
                unless_longer(iterators)
                return
        yield tuple(row)


def unless_longer(iterators):
    for count, iterator in enumerate(iterators):
        alive, _, _ = advanced(iterator) if count > 0 else (False, None, None)
        if alive:
            raise ValueError(unequal(count, "longer"))


def unequal(count, how):
    others = "1" if count == 1 else f"s 1-{count}"
    return f"zip() argument {count + 1} is {how} than argument{' ' if count == 1 else ''}{others}"


constant(unequal)


def zipped_two(first, second):
    while True:
        alive, a, _ = advanced(first)
        if not alive:
            return
        alive, b, _ = advanced(second)
        if not alive:
            return
        yield a, b


def zipped_several(iterators):
    while True:
        row = []
        for iterator in iterators:
            alive, item, _ = advanced(iterator)
            if not alive:
                return
            row.append(item)
        yield tuple(row)


def mapped(function, *iterables):
    if len(iterables) == 1:
        return mapped_one(function, iterables[0])
    return mapped_rows(function, zipped(*iterables))


def mapped_one(function, items):
    for item in items:
        yield function(item)


def mapped_rows(function, rows):
    for row in rows:
        yield function(*row)


def filtered(function, items):
    for item in items:
        if item if function is None else function(item):
            yield item


def chained(*iterables):
    for items in iterables:
        yield from items


def chained_all(iterables):
    for items in iterables:
        yield from items


def sliced(items, *bounds):
    taken = slice(*bounds)
    start = 0 if taken.start is None else taken.start
    step = 1 if taken.step is None else taken.step
    position, wanted = 0, start
    iterator = iterated(items)
    while taken.stop is None or wanted < taken.stop:
        alive, item, _ = advanced(iterator)
        if not alive:
            return
        if position == wanted:
            yield item
            wanted += step
        position += 1
    while taken.stop is not None and position < taken.stop:
        alive, item, _ = advanced(iterator)
        if not alive:
            return
        position += 1


def taken_while(predicate, items):
    for item in items:
        if not predicate(item):
            return
        yield item


def reversed_of(items):
    for i in range(len(items) - 1, -1, -1):
        yield items[i]


def counted(start=0, step=1):
    while True:
        yield start
        start += step


def dropped_while(predicate, items):
    is_dropping = True
    for item in items:
        if is_dropping and predicate(item):
            continue
        is_dropping = False
        yield item


def accumulated(items, func=None, *, initial=None):
    iterator = iterated(items)
    if initial is None:
        alive, total, _ = advanced(iterator)
        if not alive:
            return
    else:
        total = initial
    yield total
    for item in iterator:
        total = total + item if func is None else func(total, item)
        yield total


def pairs(items):
    iterator = iterated(items)
    alive, before, _ = advanced(iterator)
    while alive:
        alive, item, _ = advanced(iterator)
        if alive:  # `item` is none where there is no more: so it isn't kept across `yield`
            pair = before, item
            before = item
            yield pair


# What stands in the place of functions that take items, where these are of iterators that go on by
# steps (`zyg.compiler.inference.stepping`).
CONSUMERS = {
    id(callee): plain
    for callee, plain in (
        (list, taking_all.list_of),
        (tuple, taking_all.tuple_of),
        (set, taking_all.set_of),
        (frozenset, taking_all.frozenset_of),
        (dict, taking_all.dict_of),
        (deque, taking_all.deque_of),
        (sorted, taking_all.sorted_of),
        (sum, taking_all.sum_of),
        (math.prod, taking_all.product_of),
        (math.fsum, taking_all.fsum_of),
        (min, taking_all.min_of),
        (max, taking_all.max_of),
        (any, any_of),
        (all, all_of),
        (operator.contains, taking_all.contains),
        (primitives.unpack, taking_all.unpacked),
        (primitives.unpack_starred, taking_all.unpacked_starred),
        (list.extend, taking_all.extend),
        (str.join, taking_all.joined),
        (np.fromiter, taking_all.array_of),
        (enumerate, enumerated),
        (zip, zipped),
        (map, mapped),
        (filter, filtered),
        (itertools.chain, chained),
        (vars(itertools.chain)["from_iterable"], chained_all),
        (itertools.islice, sliced),
        (itertools.takewhile, taken_while),
        (itertools.dropwhile, dropped_while),
        (itertools.accumulate, accumulated),
        (itertools.pairwise, pairs),
        (itertools.starmap, mapped_rows),
    )
}
# The same for what takes no iterator, where all iterators have to go on by steps.
STEPPING = {id(reversed): reversed_of, id(itertools.count): counted}
