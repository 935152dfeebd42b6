"""What takes the items of generators, generator expressions, and classes of iterators."""

import contextlib
import itertools
from functools import reduce

import numpy as np

from tests.corpus.registry import program


def powers(x, n):
    for i in range(n):
        yield x**i


@program((2.0,))
def lists_and_tuples(x):
    return list(powers(x, 4))[2] * tuple(powers(x, 3))[-1] + [*powers(x, 3), x][1]


@program((2.0,))
def sums_and_extremes(x):
    return (
        sum(powers(x, 4), x) * max(powers(x, 3)) + min(powers(-x, 4)) * min(powers(x, 0), default=x)
        + max(powers(x, 3), key=lambda v: -v)
    )


@program((2.0,))
def any_and_all_stop_early(x):
    def noisy():
        for power in powers(x, 5):
            print(round(power, 3))
            yield power

    total = x if any(v > 3.0 for v in noisy()) else 0.0
    return total * (2.0 if all(v < 3.0 for v in noisy()) else x)


@program((2.0,))
def sorted_items(x):
    ordered = sorted(powers(-x, 4))
    return ordered[0] * ordered[1] + sorted(powers(x, 3), reverse=True)[0]


@program((2.0,))
def zip_and_enumerate(x):
    total = 0.0
    for i, (a, b) in enumerate(zip(powers(x, 5), [x, 3.0, x * x], strict=False)):
        total += (i + 1) * a * b
    return total


@program((2.0,))
def zip_of_generators(x):
    total = 0.0
    for a, b, c in zip(powers(x, 3), powers(2.0 * x, 4), range(9), strict=False):
        total += a * b * c
    return total + sum(a * b for a, b in zip(powers(x, 3), powers(x, 3), strict=False))


@program((2.0,))
def map_and_filter(x):
    squares = map(lambda v: v * v * x, powers(x, 3))
    large = filter(lambda v: v > 1.5, powers(x, 4))
    return sum(squares) + sum(large) + sum(map(max, powers(x, 3), [x, x, x]))


@program((2.0,))
def dicts_and_sets(x):
    values = dict((k, x * k) for k in range(4))
    named = {name: value for name, value in zip("ab", powers(x, 2), strict=False)}
    return values[3] * values[2] + named["b"] + len(set(k % 2 for k in range(5)))


@program((2.0,))
def unpacked(x):
    a, b, c = powers(x, 3)
    first, *middle, last = powers(x, 5)
    (only,) = powers(x * x, 1)
    return a * b * c + first + middle[1] * last + only


@program((2.0,))
def starred_arguments(x):
    def combined(a, b, c=1.0, *rest):
        return a + b * c + sum(rest)

    return combined(*powers(x, 3)) + combined(x, *powers(x, 4))


@program((2.0,))
def membership(x):
    return (x if 4.0 in powers(2.0, 5) else 0.0) * (1.0 if 3.0 in powers(2.0, 5) else x)


@program((2.0,))
def reduced_and_joined(x):
    text = ",".join(str(k) for k in range(3))
    return reduce(lambda a, b: a * b + 1.0, powers(x, 4)) * len(text)


@program((2.0,))
def extended(x):
    found = [x]
    found.extend(powers(x, 3))
    found += (v * v for v in found[:2])
    return found[2] * found[-1]


@program((2.0,))
def sliced_and_taken(x):
    def naturals(y):
        while True:
            yield y
            y = y * 1.5

    return (
        sum(itertools.islice(naturals(x), 4))
        + sum(itertools.takewhile(lambda v: v < 10.0, naturals(x)))
        + sum(itertools.islice(powers(x, 9), 1, 7, 2))
    )


@program((2.0,))
def chained(x):
    both = itertools.chain(powers(x, 3), [x], powers(x * x, 2))
    rows = itertools.chain.from_iterable(powers(y, 2) for y in (x, 3.0))
    return sum(both) * sum(rows)


@program((2.0,))
def accumulated_and_paired(x):
    total = sum(a * b for a, b in itertools.pairwise(powers(x, 4)))
    for item in itertools.accumulate(powers(x, 3)):
        total += item * item
    return total + sum(itertools.dropwhile(lambda v: v < 3.0, powers(x, 4)))


@program((2.0,))
def comprehensions_over_generators(x):
    squares = [v * v for v in powers(x, 4) if v > 1.5]
    by_number = {i: v for i, v in enumerate(powers(x, 3))}
    return sum(squares) + np.sum(np.array([[v, x] for v in powers(x, 2)])) * by_number[2]


@program((2.0,))
def next_with_default(x):
    items = powers(x, 2)
    return next(items, 0.0) + next(items, 0.0) * next(items, x)


@program((2.0,))
def iter_of_sequences(x):
    items = iter([x, x * x, 3.0])
    first = next(items)
    total = first
    for item in items:
        total = total * 2.0 + item
    return total


# Generator expressions as values


@program((2.0,))
def generator_expression_as_value(x):
    squares = (x * k for k in range(4))
    first, second = next(squares), next(squares)
    return first + second * sum(squares)


@program(([1.0, 2.0, 3.0], 2.0))
def conditions_and_clauses(values, x):
    pairs = (v * w for v in values if v > 1.5 for w in values if w < v)
    total = 0.0
    for pair in pairs:
        total += pair * x
    return total


@program((2.0,))
def late_and_early_evaluation(x):
    values = [x, 3.0]
    factor = 1.0
    scaled = (v * factor for v in values)
    values = [100.0]
    factor = x
    return sum(scaled) * len(values)


@program((2.0,))
def expression_changed_meanwhile(x):
    values = [x, 3.0]
    doubled = (2.0 * v for v in values)
    total = next(doubled)
    values.append(x * x)
    return total + sum(doubled)


@program((2.0,))
def expressions_in_functions(x):
    def total(items):
        return sum(item * item for item in items)

    return total(x * k for k in range(3)) + total(v for v in [x, 1.0] if v > 1.5)


@program((2.0,))
def expressions_in_comprehensions(x):
    rows = [(x * k * j for j in range(3)) for k in range(3)]
    return sum(sum(row) for row in rows)


@program((2.0,))
def expression_shadows_a_name(x):
    k = x
    items = (k * k for k in [1.0, 2.0])
    return sum(items) * k


# Objects


class Tree:
    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child

    def depths(self, depth=0):
        yield self, depth
        for child in self.children:
            yield from child.depths(depth + 1)


@program((2.0,))
def iter_as_a_generator(x):
    tree = Tree(x, [Tree(x * x), Tree(3.0, [Tree(x**3)])])
    total = 0.0
    for i, value in enumerate(tree):
        total += value * (i + 1)
    return total + sum(tree)


@program((2.0,))
def generator_methods(x):
    tree = Tree(x, [Tree(x * x, [Tree(x)]), Tree(3.0)])
    total = 0.0
    for node, depth in tree.depths():
        total += node.value * depth
        node.value = 0.0
    return total * x + sum(tree)


class Multiples:
    def __init__(self, x, count):
        self.x = x
        self.count = count
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.count:
            raise StopIteration
        self.i += 1
        return self.x * self.i


@program((2.0,))
def iterator_class(x):
    total = 0.0
    for value in Multiples(x, 3):
        total += value * value
    return total


@program((2.0,))
def iterator_class_consumed(x):
    paired = sum(a * b for a, b in zip(Multiples(x, 3), powers(x, 3), strict=False))
    return sum(list(Multiples(x, 3))) * max(Multiples(x, 2)) + paired


@program((2.0,))
def iterator_class_by_next(x):
    items = Multiples(x, 4)
    total = next(items)
    for item in items:
        total = total * item
    while True:
        try:
            total += next(items)
        except StopIteration:
            break
    return total


class Smoothed:
    def __init__(self, items, rate):
        self.items = iter(items)
        self.rate = rate
        self.state = 0.0

    def __iter__(self):
        return self

    def __next__(self):
        item = next(self.items)
        self.state = self.state + self.rate * (item - self.state)
        return self.state


@program((2.0,))
def iterator_around_a_generator(x):
    return sum(Smoothed(powers(x, 4), 0.3)) + sum(Smoothed(Multiples(x, 3), x * 0.1))


class Countdown:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Multiples(self.x, 3)


@program((2.0,))
def iterable_that_gives_an_iterator(x):
    items = Countdown(x)
    total = 0.0
    for a in items:
        for b in items:
            total += a * b
    return total


@program((2.0,))
def classes_in_a_list(x):
    total = 0.0
    for items in [Multiples(x, 2), Countdown(x), powers(x, 3), [x, 1.0], Tree(x)]:
        for item in items:
            total += item * item
    return total


# Context managers


@contextlib.contextmanager
def scaled(x):
    print("in")
    y = x * x
    yield y
    print("out")


@program((2.0,))
def contextmanager(x):
    with scaled(x) as y:
        z = y * x
    return z + y


@contextlib.contextmanager
def restored(values):
    before = values[0]
    values[0] = before * 2.0
    try:
        yield values[0]
    finally:
        values[0] = before
        print("restored")


@program((2.0,))
def contextmanager_with_finally(x):
    values = [x, 3.0]
    with restored(values) as doubled:
        total = values[0] * doubled
    return total * values[0]


@contextlib.contextmanager
def forgiving(x):
    try:
        yield x * x
    except ValueError:
        print("caught")
    finally:
        print("left")


@program((2.0,))
def contextmanager_that_catches(x):
    total = x
    with forgiving(x) as y:
        total = total * y
        raise ValueError("no harm")
    return total * x


def as_list(items):
    return list(items)


class Weighted:
    def __init__(self, pairs):
        self.pairs = tuple(pairs)

    def total(self):
        return sum(weight * x for weight, x in self.pairs)


@program(([1.5, 2.0, -0.5],))
def generator_expressions_over_iterators_as_arguments(xs):
    products = as_list(a * b for a, b in zip(xs, xs[1:]))
    weighted = Weighted((i * products[0], x) for i, x in enumerate(xs, 1) if x > 0)
    return weighted.total() * products[1] + sum(as_list(x for x in reversed(xs)))
