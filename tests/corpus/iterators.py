"""Functions over items: `sorted`, `min`, `max`, `sum`, `reduce`, `map`, `itertools`, `math`."""

import collections
import functools
import itertools
import math
import operator
import statistics

import numpy as np

from tests.corpus.registry import program, raises

VALUES = [2.0, -1.5, 3.0, 0.5]
OTHERS = [1.0, 4.0, -2.0, 1.5]


@program((VALUES,))
def sorted_with_key_and_reverse(values):
    a = sorted(values, key=abs, reverse=True)
    b = sorted(values, reverse=True)
    c = sorted(values, key=lambda v: (v > 0, -v))
    return a[0] * a[3] + 2 * b[1] * b[2] + 3 * c[0] * c[3]


@program(({"b": 2.0, "a": 3.0},))
def sorted_items_of_a_dict(values):
    ordered = sorted(values.items())
    keyed = sorted(values.items(), key=lambda pair: pair[1])
    return ordered[0][1] ** 2 * ordered[1][1] + keyed[0][1]


@program((VALUES,))
def extremes_with_key(values):
    return min(values, key=abs) * max(values, key=lambda v: -v) + max(values[0], 2.5, key=math.sin)


@program((VALUES, []), (VALUES, [1.0]))
def extremes_with_default(values, few):
    return max(few, default=values[0]) * min(few, default=2.0) + min(values, default=0.0)


@program(([(2.0, "b"), (3.0, "a")],))
def extremes_of_pairs(pairs):
    return max(pairs)[0] ** 2 + min(pairs, key=operator.itemgetter(1))[0]


@program(([np.array([1.0, 2.0]), np.array([3.0, 0.5])],))
def extremes_of_arrays(arrays):
    return np.sum(max(arrays, key=np.sum) ** 2) + np.max(min(arrays, key=lambda a: a[0]))


@program((VALUES, 2.0))
def sums_with_start(values, x):
    return sum(values, x) * sum(values[1:], start=x * x) + sum([v * x for v in values], 1.0)


@program((VALUES,))
def reduced(values):
    product = functools.reduce(operator.mul, values)
    horner = functools.reduce(lambda total, v: total * 0.5 + v, values, values[0])
    return product + horner + functools.reduce(operator.add, [], values[1])


@program((VALUES, 1.5))
def mapped_with_gradient_of_the_function(values, x):
    scaled = list(map(lambda v: v * x, values))
    pairs = [a * b for a, b in zip(scaled, map(math.sin, values), strict=True)]
    return sum(map(operator.mul, pairs, values)) + sum(map(pow, values, [1, 2, 3, 2]))


@program((VALUES, 1.5))
def filtered(values, x):
    positive = list(filter(lambda v: v * x > 1, values))
    return sum(positive) * len(positive) + sum(filter(None, values)) * x


@program((VALUES, OTHERS))
def zipped_strictly(values, others):
    return sum([a * b**2 for a, b in zip(values, others, strict=True)])


@raises(ValueError, (VALUES, OTHERS[1:]))
def zipped_too_strictly(values, others):
    return sum([a * b**2 for a, b in zip(values, others, strict=True)])


@program((VALUES,))
def enumerated_from(values):
    return sum([i * v**2 for i, v in enumerate(values, 1)]) + sum(
        [i * v for i, v in enumerate(values, start=-1)]
    )


@program((VALUES, 0.5))
def accumulated(values, x):
    sums = list(itertools.accumulate(values))
    products = list(itertools.accumulate(values, operator.mul))
    decayed = list(itertools.accumulate(values, lambda total, v: x * total + v, initial=x))
    return sums[-1] * sums[1] + products[-1] * products[2] + decayed[-1] * decayed[0]


@program((VALUES, OTHERS))
def chained(values, others):
    total = 0.0
    for i, v in enumerate(itertools.chain(values, others[:2], (values[0],))):
        total += (i + 1) * v**2
    return total


@program(([[1.0, 2.0], [3.0], []],))
def chained_from_iterable(lists):
    return sum([i * v**2 for i, v in enumerate(itertools.chain.from_iterable(lists), 1)])


@program((VALUES,))
def sliced(values):
    first = list(itertools.islice(values, 2))
    middle = list(itertools.islice(values, 1, 3))
    odd = list(itertools.islice(values, 1, None, 2))
    return first[0] * first[1] + middle[1] ** 2 * odd[0] + odd[1]


@program((VALUES, OTHERS))
def products_of_items(values, others):
    total = sum([a * b**2 for a, b in itertools.product(values, others)])
    return total + sum([a * b for a, b in itertools.product(values[:2], repeat=2)])


@program((VALUES,))
def selections(values):
    total = sum([a * b**2 for a, b in itertools.permutations(values, 2)])
    total += sum([a * b * c for a, b, c in itertools.combinations(values, 3)])
    total += sum(
        [a * b**2 for a, b in itertools.combinations_with_replacement(values, 2)]
    )
    return total


@program((VALUES, OTHERS))
def starmapped(values, others):
    return sum(itertools.starmap(lambda a, b: a * b**2, zip(values, others, strict=True))) + sum(
        list(itertools.starmap(operator.mul, [(values[0], others[1]), (values[1], 2.0)]))
    )


@program((VALUES,))
def taken_and_dropped(values):
    taken = list(itertools.takewhile(lambda v: v != 3.0, values))
    dropped = list(itertools.dropwhile(lambda v: v > 0, values))
    return taken[0] * taken[1] + dropped[0] ** 2 * dropped[1]


@program((VALUES,))
def filtered_false(values):
    negative = list(itertools.filterfalse(lambda v: v > 0, values))
    return negative[0] ** 2 + sum(values)


@program((VALUES,))
def compressed(values):
    kept = list(itertools.compress(values, [1, 0, 1, 1]))
    return kept[0] * kept[1] * kept[2]


@program((VALUES,))
def in_pairs(values):
    return sum([(b - a) ** 2 for a, b in itertools.pairwise(values)])


@program(([1.0, 1.5, 2.5, 2.25, 0.5],))
def grouped(values):
    total = 0.0
    for key, group in itertools.groupby(values, key=lambda v: v > 2):
        total += math.prod(list(group)) * (2 if key else 3)
    return total


@program((1.5, 3))
def repeated(x, n):
    return sum(itertools.repeat(x, n)) * sum([a * b for a, b in zip(VALUES, itertools.repeat(x))])


@program((VALUES,))
def cycled(values):
    items = list(itertools.islice(itertools.cycle(values[:3]), 7))
    return sum([i * v**2 for i, v in enumerate(items)])


@program((VALUES, OTHERS))
def zipped_to_the_longest(values, others):
    pairs = itertools.zip_longest(values, others[:2], fillvalue=2.0)
    return sum([a * b**2 for a, b in pairs])


@program((VALUES, 1.5))
def filled_with_a_number(values, x):
    return sum([a * b**2 for a, b in itertools.zip_longest(values[:2], [x], fillvalue=x * x)])


@program((1.5, 0.5))
def counted(x, step):
    total = 0.0
    for i, v in enumerate(itertools.count(x, step)):
        if i > 3:
            break
        total += v**2
    return total + sum([a * b for a, b in zip(itertools.count(1), VALUES)]) * x


@program((VALUES,))
def split_in_two(values):
    first, second = itertools.tee(values)
    return sum([v**2 for v in first]) * max(second)


@program((VALUES, OTHERS))
def math_of_sequences(values, others):
    total = math.prod(values) + math.prod(values[:2], start=others[0]) + math.fsum(values) ** 2
    return total * math.dist(values, others) + math.hypot(*values) * math.hypot(3.0, others[1])


@program((VALUES,))
def statistics_of_a_list(values):
    return statistics.fmean(values) * 2 + statistics.fmean(values, [1.0, 2.0, 3.0, 4.0]) ** 2


@program((VALUES,))
def median_of_a_list(values):
    return statistics.median(values) ** 2 + statistics.median_low(values)


@program((1.5, 0.7))
def most_frequent(x, y):
    values = [y, x * x, x * x, x * y, y]
    return statistics.mode(values[1:]) ** 2 + statistics.multimode(values)[-1] * y


@program((VALUES,))
def mean_and_deviation(values):
    return statistics.mean(values) ** 2 + statistics.stdev(values) + statistics.pvariance(values)


@program((2.0, 3.0))
def functions_as_items(x, y):
    functions = [math.sin, lambda v: v * y, functools.partial(pow, 2.0), abs]
    return functools.reduce(lambda v, f: f(v), functions, x) + sum([f(x) for f in functions])


@program((1.7,))
def counted_from_a_number(x):
    total = 0.0
    for value in itertools.count(x):
        total += value * value
        if value > 4.0:
            return total * sum(a * b for a, b in zip([x, x], itertools.count(x, x), strict=False))


@program((1.7,))
def options_by_name(x):
    last = collections.deque([x, x * x], maxlen=2)
    last.append(3.0 * x)
    return last[0] * last[1] * sum(a * b for a, b in zip([x, x], itertools.count(x, step=2)))


@program((VALUES, 2.0))
def next_of_iterators_of_python(values, x):
    i, first = next(enumerate(values, 1))
    a, b = next(zip(values, OTHERS))
    last = next(reversed(values))
    square = next(map(lambda v: v * v * x, values))
    positive = next(filter(lambda v: v < 0, values), x)
    none = next(filter(lambda v: v > 100.0, values), x)
    return i * first * a * b + last * square * positive * none


@program((VALUES, 2.0))
def next_several_times(values, x):
    pairs = zip(values, values[1:])
    a, b = next(pairs)
    c, d = next(pairs)
    total = a * b * c * d
    for e, f in pairs:
        total += e * f * x
    backwards = reversed(values)
    try:
        while True:
            total *= next(backwards)
    except StopIteration:
        total *= x
    return total
