"""Second derivatives of programs whose functions change what they are given, and of what makes
values of several kinds: by both nestings and by differences."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

import zyg


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v


def fill(body, xs, x):
    total = 0.0
    for i in range(len(xs)):
        xs[i] = body.x * xs[i]
        total += xs[i]
    body.x = xs[0] * x + body.v * 0.1
    xs.append(body.x * body.v)
    return total


def list_and_object(x):
    body = Body(x, x * x)
    xs = [x, 2.0 * x]
    total = 0.0
    for _ in range(3):
        total = total + fill(body, xs, 0.5 * x)
    return total * body.x + xs[-1] * xs[1]


def spread(body, array, k):
    array[k] = array[k - 1] * body.x
    body.v = array[k] * body.v
    if k < 3:
        spread(body, array, k + 1)


def array_in_a_recursion(x):
    body = Body(x, 1.0)
    array = np.array([x, x * x, 1.0, 2.0])
    spread(body, array, 1)
    return np.sum(array * array) * body.v


def put(values, body, key):
    values[key] = body.x * values.get("a", 1.0)
    body.x = values[key] + body.v
    return values[key]


def dict_and_object(x):
    body = Body(x, x * 0.5)
    values = {"a": x * x}
    y = put(values, body, "b") * put(values, body, "a")
    return y * values["a"] * body.x + values["b"]


def grow(body, xs):
    for i in range(5):
        xs[i] = xs[i] * body.x
        body.x = body.x * 0.4 + xs[i]


def fails_midway(x):
    body = Body(x * 0.3, 1.0)
    xs = [x, x * x, 0.5]
    try:
        grow(body, xs)
    except IndexError:
        body.v = body.v * xs[2]
    return body.x * body.v * xs[1]


def list_that_a_generator_fills(x):
    def items():
        y = x
        for k in range(3):
            y = y * x + k
            yield y

    xs = [1.0]
    xs.extend(items())
    return xs[1] * xs[3]


def whole_numbers_beside_others(x):
    """What the generator gives is a float at first, and an int behind that."""

    def items():
        yield from (x, 2.0 * x)
        yield from range(3)

    total = 1.0
    for item in items():
        total = total * 1.5 + item * item * x
    return total


def mapping_that_makes_lists(x):
    rows = defaultdict(list)
    for i in range(4):
        rows[i % 2].append(x * (i + 1))
    return sum(rows[0]) * sum(rows[1]) * len(rows)


def mapping_that_makes_numbers(x):
    sums = defaultdict(float)
    for i in range(3):
        sums[i % 2] += x * x * (i + 1)
        sums["all"] += x
    return sums[0] * sums["all"] + sums["none"] + sums[1]


class Pair(NamedTuple):
    a: float
    b: float


def methods_of_named_tuples(x):
    total = 0.0
    for k, replace in enumerate([Pair(x, x * x)._replace, Pair(x * x, x)._replace], 1):
        first, second = replace(a=x * k), replace(b=x * x)
        total += first.a * first.b * second.a * second.b
    for make in [Pair._make]:
        pair = make([x, x**3])
        for as_dict in [pair._asdict]:
            values = as_dict()
            total = total * values["a"] + values["b"]
    return total


def sorted_by_what_varies(x):
    values = {"a": x * x, "b": 0.5, "c": x}
    first = sorted(values, key=values.get)[1]
    pairs = sorted(values.items(), key=lambda pair: -pair[1])
    return values[first] * pairs[0][1] * pairs[1][1]


PROGRAMS = [
    list_and_object, array_in_a_recursion, dict_and_object, fails_midway,
    list_that_a_generator_fills, whole_numbers_beside_others, mapping_that_makes_lists,
    mapping_that_makes_numbers, methods_of_named_tuples, sorted_by_what_varies,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_second_derivative(program, x):
    def slope(x):
        return zyg.gradient(program, x)[0]

    step = 1e-5
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    in_reverse = zyg.gradient(slope, x)[0]
    assert in_reverse == pytest.approx(expected, rel=1e-6)
    assert zyg.jvp(slope, (x,), (1.0,))[1] == pytest.approx(in_reverse, rel=1e-10)


def squares_in(order, items):
    return [items[i] * items[i] for i in order]


def test_adjoints_whose_parameters_are_named_alike():
    def f(x):
        items = [x, x * x]
        first, second = squares_in([1, 0], items), squares_in([1, 0], items)
        return first[0] ** 3 + first[1] ** 3 + second[0] * second[1]

    def slope(x):
        return zyg.gradient(f, x)[0]

    def curvature(x):
        return zyg.gradient(slope, x)[0]

    x = 1.3  # f is x**12 + 2 x**6
    assert curvature(x) == pytest.approx(132 * x**10 + 60 * x**4, rel=1e-14)
    third = pytest.approx(1320 * x**9 + 240 * x**3, rel=1e-14)
    assert zyg.gradient(curvature, x) == (third,)
    assert zyg.jvp(curvature, (x,), (1.0,))[1] == third
