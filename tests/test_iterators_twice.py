"""Second derivatives of programs that read iterators: of `itertools`, and of the built-in ones."""

import contextlib
import functools
import itertools
import math
import operator
from collections import deque

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable

X = 1.37


def square(v):
    return v * v


def zipped(x):
    return sum(a * b * b for a, b in zip([x, x * x, 2.0], [x, 3.0, x], strict=True))


def enumerated(x):
    return sum(i * a * a for i, a in enumerate([x, x * x]))


def chained(x):
    total = 0.0
    for a in itertools.chain([x, x * x], [x**3]):
        total += a * a
    return total


def pairs(x):
    total = 0.0
    for a, b in itertools.pairwise([x, x * x, x**3]):
        total += a * b
    return total


def sliced(x):
    total = 0.0
    for a in itertools.islice([x, x * x, x**3], 2):
        total += a * a
    return total


def accumulated(x):
    total = 0.0
    for a in itertools.accumulate([x, x * x, x**3]):
        total += a * a
    return total


def accumulated_products(x):
    return sum(itertools.accumulate([x, x * x, x**3], operator.mul))


def products(x):
    total = 0.0
    for a, b in itertools.product([x, x * x], [x, 2.0]):
        total += a * b
    return total


def combinations(x):
    total = 0.0
    for a, b in itertools.combinations([x, x * x, 2 * x], 2):
        total += a * b
    return total


def repeated(x):
    total = 0.0
    for a in itertools.repeat(x, 3):
        total += a * a
    return total


def cycled(x):
    total = 0.0
    for a, _ in zip(itertools.cycle([x, x * x]), range(5)):
        total = total * x + a * a
    return total


def counted(x):
    total = 0.0
    for i, a in zip(itertools.count(1), [x, x * x]):
        total += i * a * a
    return total


def taken_while(x):
    total = 0.0
    for a in itertools.takewhile(lambda v: v < 3, [x, x * x, x**3]):
        total += a * a
    return total


def grouped(x):
    total = 0.0
    for k, g in itertools.groupby([x, x * x, x**3], lambda v: v > 2):
        total += sum(g) ** 2 * (1 + k)
    return total


def mapped(x):
    total = 0.0
    for a in map(square, [x, x * x]):
        total += a * a
    return total


def filtered(x):
    total = 0.0
    for a in filter(lambda v: v > 1, [x, x * x]):
        total += a * a
    return total


def backwards(x):
    total = 0.0
    for a in reversed([x, x * x]):
        total = total * x + a
    return total


def in_order(x):
    return sum(i * a * a for i, a in enumerate(sorted([x * x, x, 2.0])))


def mapped_rows(x):
    return sum(itertools.starmap(lambda a, b: a * b * b, [(x, 2.0), (x * x, x)]))


def filled_up(x):
    total = 0.0
    for a, b in itertools.zip_longest([x, x * x], [x], fillvalue=2.0):
        total += a * b * b
    return total


def compressed(x):
    return sum(a * a for a in itertools.compress([x, x * x, x**3], [1, 0, 1]))


def rows_in_a_chain(x):
    return sum(a * a for a in itertools.chain.from_iterable([[x, x * x], [x**3]]))


def reduced(x):
    return functools.reduce(lambda a, b: a * b + a, [x, x * x, x**3])


def permutations(x):
    total = 0.0
    for a, b in itertools.permutations([x, x * x, 2.0], 2):
        total += a * b * b
    return total


def first_items(x):
    items = iter([x, x * x, x**3])
    a = next(items)
    b = next(items)
    return a * b * b + sum(items)


def dropped_while(x):
    return sum(v * v for v in itertools.dropwhile(lambda v: v < 2, [x, x * x, x**3]))


def list_of(x):
    items = list(itertools.islice([x, x * x, x**3], 3))
    return items[0] * items[1] * items[2]


def tuple_of(x):
    items = tuple(itertools.islice([x, x * x, x**3], 3))
    return items[0] * items[1] * items[2]


def sum_of_a_chain(x):
    return sum(itertools.chain([x, x * x], [x**3])) ** 2


def sum_with_a_start(x):
    return sum(itertools.islice([x, x * x, x**3], 3), x) ** 2


def product_of(x):
    return math.prod(itertools.islice([x, x * x, x**3], 3))


def largest_of(x):
    return max(itertools.islice([x, x * x, x**3], 3)) ** 2


def smallest_of(x):
    return min(itertools.islice([x * 2, x * x, x**3], 3)) ** 2


def sorted_items(x):
    items = sorted(itertools.islice([x**3, x * x, x], 3))
    return items[0] * items[1] ** 2 + items[2]


def array_of_a_list(x):
    return np.sum(np.array(list(itertools.islice([x, x * x, x**3], 3))) ** 2)


def array_from(x):
    return np.sum(np.fromiter(itertools.islice([x, x * x, x**3], 3), float) ** 2)


def zipped_slices(x):
    return sum(
        a * b for a, b in zip(itertools.islice([x, x * x, x**3], 3), [x, 2 * x], strict=False)
    )


def numbered_slice(x):
    return sum(i * a * a for i, a in enumerate(itertools.islice([x, x * x, x**3], 3)))


def unpacked(x):
    a, b, c = itertools.islice([x, x * x, x**3], 3)
    return a * b * c


def starred(x):
    a, *b = itertools.islice([x, x * x, x**3], 3)
    return a * sum(b) ** 2


def chain_of_slices(x):
    return sum(itertools.chain(itertools.islice([x, x * x], 2), itertools.islice([x**3], 1))) ** 2


def filtered_slice(x):
    return sum(filter(lambda v: v > 1, itertools.islice([x, x * x, x**3], 3))) ** 2


def mapped_slice(x):
    return sum(map(square, itertools.islice([x, x * x, x**3], 3))) ** 2


def accumulated_slice(x):
    return sum(itertools.accumulate(itertools.islice([x, x * x, x**3], 3))) ** 2


def dict_of(x):
    d = dict(itertools.islice([("a", x), ("b", x * x)], 2))
    return d["a"] * d["b"] ** 2


def exact_sum(x):
    return math.fsum(itertools.islice([x, x * x, x**3], 3)) ** 2


def asked_for_any(x):
    return x**3 if any(v > 2 for v in itertools.islice([x, x * x, x**3], 3)) else x


def extended_by(x):
    items = [x]
    items.extend(itertools.islice([x, x * x, x**3], 3))
    return items[0] * items[-1] ** 2


def comprehension(x):
    return sum([v * v for v in itertools.islice([x, x * x, x**3], 1, None)]) ** 2


def first_item(x):
    items = itertools.islice([x, x * x, x**3], 3)
    a = next(items)
    return a * sum(items) ** 2


def deque_of(x):
    d = deque(itertools.islice([x, x * x, x**3], 3))
    return d[0] * d[-1] ** 2


def groups_of_sorted(x):
    total = 0.0
    for k, g in itertools.groupby(sorted([x, x * x, x**3, 2.0]), key=lambda v: int(v)):
        total += max(g) ** 2 * (k + 1)
    return total


def combinations_of_filtered(x):
    total = 0.0
    for a, b in itertools.combinations(filter(lambda v: v > 0, [x, x * x, x**3]), 2):
        total += a * b * b
    return total


def power_of_a_list(x):
    total = 0.0
    for r in itertools.product([x, x * x], repeat=2):
        total += math.prod(r) ** 2
    return total


def filled_up_by_a_number(x):
    return sum(
        a * b * b
        for a, b in itertools.zip_longest(itertools.islice([x, x * x, x**3], 3), [x], fillvalue=x)
    )


def rows_of_a_slice(x):
    total = 0.0
    for row in itertools.islice([[x, x * x], [x**3, 2.0]], 2):
        for v in row:
            total += v * v
    return total


PROGRAMS = [
    zipped,
    enumerated,
    chained,
    pairs,
    sliced,
    accumulated,
    accumulated_products,
    products,
    combinations,
    repeated,
    cycled,
    counted,
    taken_while,
    grouped,
    mapped,
    filtered,
    backwards,
    in_order,
    mapped_rows,
    filled_up,
    compressed,
    rows_in_a_chain,
    reduced,
    permutations,
    first_items,
    dropped_while,
    list_of,
    tuple_of,
    sum_of_a_chain,
    sum_with_a_start,
    product_of,
    largest_of,
    smallest_of,
    sorted_items,
    array_of_a_list,
    array_from,
    zipped_slices,
    numbered_slice,
    unpacked,
    starred,
    chain_of_slices,
    filtered_slice,
    mapped_slice,
    accumulated_slice,
    dict_of,
    exact_sum,
    asked_for_any,
    extended_by,
    comprehension,
    first_item,
    deque_of,
    groups_of_sorted,
    combinations_of_filtered,
    power_of_a_list,
    filled_up_by_a_number,
    rows_of_a_slice,
]
MODES = {
    "reverse over reverse": lambda f: zyg.grad(lambda x: zyg.grad(f)(x)),
    "forward over reverse": lambda f: lambda x: zyg.jvp(lambda z: zyg.grad(f)(z), (x,), (1.0,))[1],
    "reverse over forward": lambda f: zyg.grad(lambda x: zyg.jvp(f, (x,), (1.0,))[1]),
}


def second_difference(f, h=1e-4):
    return (f(X + h) - 2 * f(X) + f(X - h)) / h**2


@pytest.mark.thorough
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
def test_second_derivative(f, mode):
    assert MODES[mode](f)(X) == pytest.approx(second_difference(f), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("f", PROGRAMS)
def test_forward_over_forward_is_right_or_refused(f):
    def along(x):
        return zyg.jvp(f, (x,), (1.0,))[1]

    with contextlib.suppress(NotDifferentiable):
        _, found = zyg.jvp(along, (X,), (1.0,))
        assert found == pytest.approx(second_difference(f), rel=1e-5, abs=1e-5)


def test_starred_slice():
    def f(x):
        return math.hypot(*itertools.islice([x, x * x, x**3], 3))

    for mode in ("reverse over reverse", "forward over reverse"):
        assert MODES[mode](f)(X) == pytest.approx(second_difference(f), rel=1e-5)
    with pytest.raises(NotDifferentiable, match="works on objects"):
        MODES["reverse over forward"](f)(X)


def test_exact_sum_of_an_iterator():
    def f(x):
        return math.fsum(itertools.islice([x, x * x, x**3], 3))

    assert zyg.gradient(f, X) == (pytest.approx(1 + 2 * X + 3 * X**2),)


@pytest.mark.parametrize("f", [
    lambda x: np.dot(ys := [*itertools.accumulate(x, lambda a, b: a * 0.5 + b)], ys),
    lambda x: np.sum(np.array([*itertools.accumulate(x, lambda a, b: a * b)]) ** 2),
])
def test_accumulated_array_in_a_product(f):
    x, along, h = np.array([1.1, 0.7, 1.9]), np.array([0.3, -0.2, 0.5]), 1e-5
    expected = (zyg.gradient(f, x + h * along)[0] - zyg.gradient(f, x - h * along)[0]) / (2 * h)
    assert np.allclose(zyg.hvp(f, x, along), expected, rtol=1e-6)
    slope = zyg.gradient(lambda x: np.sum(zyg.gradient(f, x)[0] * along), x)[0]
    assert np.allclose(slope, expected, rtol=1e-6)
