"""Walks over what objects hold, whose bodies change what the walk has not come to yet."""

import functools
import itertools
from collections import deque

import numpy as np

from tests.corpus.registry import program


class Series:
    def __init__(self, items):
        self.items = items
        self.position = 0

    def scale(self, i, factor):
        self.items[i] = self.items[i] * factor

    def scaled_next(self):
        self.position += 1
        if self.position < len(self.items):
            self.items[self.position] *= 1.5
        return 1.0


def series(x):
    return Series([x, x * x, 2 * x, 3.0])


def vector(x):
    return Series(np.array([1.0, 2.0, 3.0, 4.0]) * x)


def named(x):
    return Series({"a": x, "b": x * x, "c": 2 * x})


@program((1.3,))
def next_items(x):
    held, i, total = series(x), 0, 0.0
    for y in held.items:
        if i + 1 < 4:
            held.items[i + 1] = held.items[i + 1] + y * x
        i += 1
        total += y * y
    return total


@program((1.3,))
def counted_items(x):
    held, total = series(x), 0.0
    for i, y in enumerate(held.items):
        if i + 1 < 4:
            held.items[i + 1] *= y
        total += y
    return total


@program((1.3,))
def items_counted_from_one(x):
    held, total = series(x), 0.0
    for i, y in enumerate(held.items, 1):
        if i < 4:
            held.scale(i, y)
        total += y * i
    return total


@program((1.3,))
def zipped_and_counted_items(x):
    held, total = series(x), 0.0
    for i, (y, z) in enumerate(zip(held.items, [1.0, 2.0, 3.0, x])):
        if i < 3:
            held.scale(i + 1, y * z)
        total += y
    return total


@program((1.3,))
def counted_beside_reversed(x):
    held, total = series(x), 0.0
    for (i, y), z in zip(enumerate(held.items), reversed(held.items)):
        held.scale(1, y * z)
        total += y * z * i
    return total


@program((1.3,))
def reversed_items(x):
    held, total = series(x), 0.0
    for i, y in enumerate(reversed(held.items)):
        if i < 3:
            held.items[2 - i] *= y
        total += y
    return total


@program((1.3,))
def elements(x):
    held, total = vector(x), 0.0
    for i, y in enumerate(held.items):
        if i < 3:
            held.items[i + 1] *= y
        total += y
    return total


@program((1.3,))
def elements_by_index(x):
    held, total = Series(np.arange(1.0, 7.0).reshape(2, 3) * x), 0.0
    for (i, _), y in np.ndenumerate(held.items):
        held.items[1, 2] += y * i
        total += y * y
    return total


@program((1.3,))
def flat_elements(x):
    held, total = vector(x), 0.0
    for i, y in enumerate(held.items.flat):
        if i < 3:
            held.items[i + 1] *= y
        total += y
    return total


@program((1.3,))
def views_of_elements(x):
    held, total = vector(x), 0.0
    for y in np.nditer(held.items):
        held.items[3] *= 1.5
        total += y
    return total


@program((1.3,))
def rows_of_an_array(x):
    held, total = Series(np.arange(1.0, 7.0).reshape(2, 3) * x), 0.0
    for row in held.items:
        held.items[1, :] += row * x
        total += np.sum(row)
    return total


@program((1.3,))
def rows_put_in_place(x):
    held, total = Series([[x, 1.0], [x * x, 2.0], [3 * x, x]]), 0.0
    for i, row in enumerate(held.items):
        if i < 2:
            held.items[i + 1] = [row[0] * x, row[1]]
        total += row[0] * row[1]
    return total


@program((1.3,))
def pairs_put_in_place(x):
    held, total = Series([(x, 1.0), (x * x, 2.0)]), 0.0
    for p, q in held.items:
        held.items[1] = (p * q * x, q)
        total += p * q
    return total


@program((1.3,))
def values_of_a_dict(x):
    held, total = named(x), 0.0
    for y, z in zip(held.items.values(), [1.0, x, 3.0]):
        held.items["c"] = held.items["c"] * y * z
        total += y * z
    return total


@program((1.3,))
def items_of_a_dict(x):
    held, total = named(x), 0.0
    for i, (key, y) in enumerate(held.items.items()):
        if key != "c":
            held.items["c"] = y * y
        total += y * (i + x)
    return total


@program((1.3,))
def a_queue(x):
    held, total = Series(deque([x, x * x, 2 * x])), 0.0
    for i, y in enumerate(held.items):
        if i < 2:
            held.items[i + 1] *= y
        total += y
    return total


@program((1.3,))
def a_list_that_grows(x):
    held, total = Series([x]), 0.0
    for y in held.items:
        if len(held.items) < 4:
            held.items.append(y * x)
        total += y * y
    return total


@program((1.3,))
def a_list_that_shrinks(x):
    held, total = series(x), 0.0
    for y in held.items:
        if len(held.items) > 2:
            held.items.pop()
        total += y * x
    return total


@program((1.3,))
def slices_and_copies(x):
    held, total = series(x), 0.0
    for y in held.items[1:]:
        held.scale(3, y)
        total += y
    for y in sorted(held.items):
        held.scale(0, y)
        total += y
    for y, z in itertools.combinations(held.items, 2):
        held.scale(2, y)
        total += y * z
    return total * held.items[3]


@program((1.3,))
def parts_of_iterators(x):
    held, total = series(x), 0.0
    for y in itertools.islice(held.items, 3):
        held.scale(2, y)
        total += y
    for p, q in itertools.pairwise(held.items):
        held.scale(3, p)
        total += p * q
    for y in itertools.chain(held.items, [x, 2 * x]):
        held.scale(3, y)
        total += y
    return total


@program((1.3,))
def comprehensions(x):
    held = series(x)
    total = sum([held.scale(3, y) or y * x for y in held.items])
    found = {i: held.scale(2, y) or y for i, y in enumerate(held.items)}
    return total + found[0] * found[2] + sum(y * held.scaled_next() for y in held.items)


@program((1.3,))
def functions_that_change_what_is_ahead(x):
    held = series(x)

    def item(y):
        held.items[3] *= y
        return y

    def both(total, y):
        held.items[3] = held.items[3] * y
        return total + y

    total = sum(map(item, held.items)) + functools.reduce(both, held.items)
    return total + list(itertools.accumulate(held.items, both))[-1]


@program((1.3,), (0.3,))
def broken_off(x):
    held, total = series(x), 0.0
    for y in held.items:
        held.scale(3, y)
        if y > 2:
            break
        total += y
    else:
        total += 1
    return total * held.items[3]


@program((1.3,))
def asked_one_by_one(x):
    held = series(x)
    items = iter(held.items)
    first = next(items)
    held.scale(1, first)
    squares = (y * y for y in held.items)
    total = next(squares)
    held.scale(1, total)
    return first * next(items) + total * next(squares) + sum(items)


def walked(items, held):
    total = 0.0
    for y in items:
        held.scale(3, y)
        total += y
    return total


@program((1.3,))
def in_another_function(x):
    held = series(x)
    return walked(held.items, held) + walked(iter(held.items), held)


@program((1.3,))
def shared_by_functions(x):
    items = [x, x * x, 2 * x]

    def scale(i, factor):
        items[i] = items[i] * factor

    total = 0.0
    for i, y in enumerate(items):
        if i < 2:
            scale(i + 1, y)
        total += y
    return total


NOTED = []


@program((1.3,))
def a_global_list(x):
    NOTED[:] = [x, x * x, 2 * x]
    total = 0.0
    for i, y in enumerate(NOTED):
        if i < 2:
            NOTED[i + 1] = NOTED[i + 1] * y
        total += y
    NOTED.clear()
    return total


class Growing(Series):
    """A series whose operators and properties change the items."""

    def grow(self):
        self.items[-1] = self.items[-1] * 1.5

    def __add__(self, other):
        self.grow()
        return other * 2.0

    def __lt__(self, other):
        self.grow()
        return True

    def __bool__(self):
        self.grow()
        return True

    def __len__(self):
        self.grow()
        return len(self.items)

    def __contains__(self, item):
        self.grow()
        return True

    def __call__(self, item):
        self.grow()
        return item * item

    @property
    def first(self):
        self.grow()
        return self.items[0]


@program((1.3,))
def operators_that_change_what_is_walked_over(x):
    held = Growing([x, x * x, 2 * x])
    total = 0.0
    for y in held.items:
        total += (held + y) * y
    for y in held.items:
        if held < 1.0 and 1.0 > held and 3 in held and len(held) == 3:
            total += y
    return total


@program((1.3,))
def truth_that_changes_what_is_walked_over(x):
    held = Growing([x, x * x, 2 * x])
    total = 0.0
    for y in held.items:
        if held:
            total += y
        total += 0.0 if not held or not bool(held) else y
    return total


@program((1.3,))
def properties_that_change_what_is_walked_over(x):
    held = Growing([x, x * x, 2 * x])
    total = sum([held.first * y for y in held.items])
    for y in held.items:
        total += held.first * y
    return total + sum(map(lambda y: y * held.first, held.items))


@program((1.3,))
def objects_that_are_called_change_what_is_walked_over(x):
    held = Growing([x, x * x, 2 * x])
    return sum(map(held, held.items)) * sum(held(y) for y in held.items)
