"""Calls: helpers, other modules, defaults, keyword and star arguments, functions as values."""

import functools
import math
import operator

import numpy as np

from tests.corpus import elsewhere
from tests.corpus.elsewhere import cube as third_power
from tests.corpus.registry import program

SCALE = 2.5
TABLE = {"double": lambda x: 2 * x, "square": lambda x: x * x}
STEPS = [math.sin, math.exp, lambda x: x + 1]


def square(x):
    return x * x


def scaled(x, factor=3.0, *, offset=0.0):
    return x * factor + offset


def both(x, y):
    return x + y, x * y


def total_of(*values, start=0.0):
    for value in values:
        start += value * value
    return start


def weighted(weights, **values):
    total = 0.0
    for name, value in values.items():
        total += weights[name] * value
    return total


def everything(a, /, b, c=2.0, *rest, d, e=5.0, **others):
    return a * b + c * sum(rest) + d * e * others.get("f", 1.0)


def compose(f, g):
    return lambda x: f(g(x))


def twice(f):
    def doubled(x):
        return f(f(x))

    return doubled


@program((2.0, 3.0))
def helper(x, y):
    return square(x) + square(square(y))


@program((2.0, 3.0))
def helper_with_two_results(x, y):
    total, product = both(x, y)
    return total * product + both(product, x)[1]


@program((2.0,))
def defaults(x):
    return scaled(x) + scaled(x, x) + scaled(x, offset=x) * scaled(x=2.0, factor=x, offset=1)


@program((2.0, 3.0))
def star_arguments(x, y):
    pair = (x, y)
    return total_of(*pair) + total_of(x, *pair, y, start=x) + total_of() + square(*[x])


@program((2.0, 3.0))
def star_keywords(x, y):
    options = {"factor": y, "offset": x}
    return scaled(x, **options) + scaled(**{"x": y}) + weighted({"a": x, "b": 2.0}, a=y, b=x)


@program((2.0, 3.0))
def every_kind_of_parameter(x, y):
    first = everything(x, y, d=x)
    second = everything(x, y, 1.5, x, y, d=2.0, e=y, f=x)
    return first * second


@program((2.0, 3.0), (2.0, 3.0, 4.0), (2.0,))
def star_parameters(x, *rest):
    total = x
    for value in rest:
        total *= value
    return total, len(rest)


@program((2.0,))
def default_of_program(x, y=3.0, *, z=0.5):
    return x * y * z


@program((2.0,))
def global_data(x):
    return SCALE * x * x


@program((2.0,))
def other_module(x):
    return elsewhere.cube(x) + third_power(x) * elsewhere.RATE + elsewhere.distant(x, 2)


@program((2.0, "double"), (2.0, "square"))
def function_from_table(x, name):
    return TABLE[name](x) * x


@program((0.5,))
def functions_in_loop(x):
    for step in STEPS:
        x = step(x)
    return x


@program((0.5, math.sin), (0.5, square), (0.5, lambda v: v * v * v))
def function_as_argument(x, f):
    return f(x) * f(x + 1)


@program((0.5,))
def composition(x):
    return compose(math.sin, square)(x) + compose(square, math.cos)(x)


@program((0.5,))
def applied_twice(x):
    return twice(twice(math.sin))(x) + twice(square)(x)


@program((0.5,))
def composed_by_reduce(x):
    return functools.reduce(lambda total, f: f(total), [math.sin, square, math.exp], x)


@program(([1.0, 2.0, 3.0],))
def reduced(values):
    return functools.reduce(operator.mul, values) + functools.reduce(lambda a, b: a * b + 1, values)


@program((0.5, 3.0))
def partial_function(x, y):
    scale = functools.partial(scaled, factor=y)
    return scale(x) * functools.partial(scaled, y)(x)


@program((0.5, 3.0))
def conditional_callee(x, y):
    f = math.sin if x < y else math.cos
    g = square if x > y else math.exp
    return (f if y > 0 else g)(x) * g(y)


@program((0.5,))
def call_of_call(x):
    def outer(a):
        def inner(b):
            return a * b

        return inner

    return outer(x)(x + 1) * outer(2.0)(x)


@program((2.0, 3.0))
def nested_calls(x, y):
    return square(scaled(square(x), both(x, y)[1], offset=square(y)))


@program((2.0,))
def same_argument_twice(x):
    return both(x, x)[1] + total_of(x, x, x)


@program((2.0, -1.0), (-2.0, 3.0))
def helper_with_exits(x, y):
    return elsewhere.clipped(x) * elsewhere.clipped(y) + elsewhere.clipped(x * y)


@program((2.0, 3.0))
def helper_in_loop(x, y):
    for i in range(3):
        x, y = both(x * 0.1, elsewhere.clipped(y) + i)
    return x * y


@program((2.0,))
def unused_result_of_call(x):
    square(x)
    both(x, x)
    return square(x)


@program(([1.0, 2.0, 3.0], 2.0))
def mapped(values, y):
    squares = list(map(square, values))
    products = list(map(lambda a, b: a * b * y, values, squares))
    return sum(squares) * sum(products)


@program(([3.0, 1.0, 2.0],))
def sorted_by_key(values):
    ordered = sorted(values, key=lambda v: -v)
    largest = max(values, key=lambda v: v * v)
    return ordered[0] * 1 + ordered[1] * 2 + ordered[2] * largest


@program(([3.0, 1.0, 2.0], 1.2), (np.array([3.0, 1.0, 2.0]), 2.4))
def positions_by_key(values, target):
    order = sorted(range(len(values)), key=lambda i: abs(values[i] - target))
    last = max(range(len(values)), key=lambda i: -values[i] * target)
    return sum(k * values[i] for k, i in enumerate(order)) * values[last] * target


@program(([3.0, 1.0, 2.0], 1.2))
def sorted_by_key_that_captures(values, target):
    nearest = sorted(values, key=lambda v: abs(v - target), reverse=True)
    products = [v * target for v in values]
    products.sort(key=lambda v: v * values[0])
    return nearest[0] * products[1] + nearest[2]


@program((2.0, 3.0))
def argument_order(x, y):
    def difference(a, b):
        return a * a - b

    return difference(b=x, a=y) + difference(*(x,), **{"b": y})


@program((0.5,))
def method_of_text_and_list(x):
    names = "a,b".split(",")
    return {name.upper(): x * names.index(name) + x for name in names}


def evaluated_once(x, log=[]):
    return x * x + len(log)


@program((0.5,))
def mutable_default_is_only_read(x):
    return evaluated_once(x) + evaluated_once(x, [1.0, 2.0])


def called_twice(function, first, second):
    return function(first) * function(second)


@program((1.4, 0.6))
def methods_of_dicts_as_values(x, y):
    rates = {"a": x, "b": x * y}
    get = rates.get if x > y else rates.__getitem__

    def rate(key, read=rates.__getitem__):
        return read(key) + get(key)

    return sum(map(rates.get, "ab")) * called_twice(rates.get, "a", "b") * rate("b")


@program((1.4, np.array([0.5, 2.0])))
def methods_of_lists_and_arrays_as_values(x, weights):
    values = [x, x * x]
    rows = [np.array([x, 1.0]), weights]
    picked = functools.partial(values.__getitem__, 1)
    totals = [total() for total in [rows[0].sum, rows[1].prod]]
    return sum(map(values.__getitem__, [0, 1, 1])) * sum(map(weights.dot, rows)) * picked() + sum(
        totals
    )
