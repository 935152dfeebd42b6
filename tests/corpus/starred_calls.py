"""Calls with starred arguments: parameters of models in lists and arrays, numbers of which only
the run time knows."""

import dataclasses
import functools
import math
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program, raises

TIMES = np.linspace(0.0, 1.0, 4)
SEEN = np.cos(TIMES)


def decay(t, size, rate, offset=0.5):
    return size * np.exp(-rate * t) + offset


@program(([1.0, 2.0],), ([1.0, 2.0, 0.3],), (np.array([1.0, 2.0]),), ((1.0, 2.0, 0.3),))
def residuals_of_a_model(p):
    return np.sum((decay(TIMES, *p) - SEEN) ** 2)


def line(x, slope, intercept):
    return slope * x + intercept


@program(([2.0, 3.0], 1.5), (np.array([2.0, 3.0]), 1.5))
def one_number_of_parameters(p, x):
    return line(x, *p) * line(p[0], *p)


@raises(TypeError, ([2.0], 1.5), ([2.0, 3.0, 4.0], 1.5))
def parameters_of_another_number(p, x):
    return line(x, *p)


@raises(TypeError, ([2.0, 3.0],))
def parameters_of_no_number(p):
    return line(*p, *p)


@program(([2.0, 3.0], [0.5]), ([2.0], [0.5, 4.0]))
def two_starred_lists(p, q):
    p.append(q.pop(0))
    return line(*[*p, *q]) if len(p) + len(q) == 3 else line(*p, 4.0)


@program(([2.0, 3.0],), (np.array([2.0, 3.0]),))
def between_other_arguments(p):
    def weighted(a, b, c, d):
        return a * b + c * d * a

    return weighted(p[0], *p, 1.5) + weighted(*p, p[1], 2.0)


@program(([2.0, 3.0], 0.5))
def with_keywords(p, x):
    return line(*p, intercept=x) + decay(x, *p, offset=p[0]) if len(p) == 1 else line(
        x, *p[:1], intercept=p[1]
    )


@program(([2.0, 3.0], 0.5), ([2.0], 0.5), ([], 0.5))
def as_many_as_there_are(p, x):
    def poly(x, a=1.0, b=2.0, c=3.0):
        return a + b * x + c * x * x * a

    return poly(x, *p) * x


@program(([0.5, 1.5],), (np.array([0.5, 1.5]),))
def functions_of_c(p):
    return abs(complex(*p)) * math.atan2(*p) + np.hypot(*p) * pow(*p) + float(*p[:1])


@raises(TypeError, ([0.5, 1.5, 2.0],))
def too_many_for_a_function_of_c(p):
    return math.atan2(*p)


@program((2.0, 3.0))
def with_nothing_to_add(x, y):
    def scaled(f, *args):
        operands = (x, *args)
        return f(*operands, *()) * len(operands)

    return scaled(math.sin) * scaled(math.hypot, y)


@program(([2.0, 3.0, 1.0], 0.5))
def closure_and_lambda(p, x):
    scaled = lambda a, b, c: a * x + b * c
    return scaled(*p) * (lambda *, a, b: a * b)(a=p[0], b=x)


class Spring:
    def __init__(self, stiffness, damping):
        self.stiffness, self.damping = stiffness, damping

    def force(self, position, velocity):
        return -self.stiffness * position - self.damping * velocity

    @classmethod
    def of_ratio(cls, stiffness, ratio):
        return cls(stiffness, ratio * math.sqrt(stiffness))

    @staticmethod
    def energy(stiffness, position):
        return 0.5 * stiffness * position**2


@program(([4.0, 0.5], [1.0, -2.0]))
def objects_of_parameters(p, state):
    spring = Spring(*p)
    other = Spring.of_ratio(*p)
    return spring.force(*state) * other.force(*state) + Spring.energy(*p)


@dataclasses.dataclass
class Box:
    width: float
    height: float
    depth: float = 2.0

    def volume(self):
        return self.width * self.height * self.depth


class Pair(NamedTuple):
    first: float
    second: float


@program(([2.0, 3.0],), ([2.0, 3.0, 4.0],))
def records_of_parameters(sizes):
    pair = Pair(*sizes[:2])
    return Box(*sizes).volume() * pair.first + pair.second


@program(([[1.0, 2.0], [0.5, 3.0], [2.0, 1.0]],))
def rows_in_a_loop(rows):
    total = 0.0
    for row in rows:
        total += line(total + 1.0, *row)
    return total + sum(line(0.5, *row) for row in rows)


@program((np.array([[1.0, 2.0], [0.5, 3.0]]),))
def rows_of_a_matrix(matrix):
    def product(u, v):
        return u @ v

    return product(*matrix) + product(*matrix.T)


@program((2.0, 3.0))
def items_of_a_generator(x, y):
    return line(*(z * x for z in (x, y, x))) * line(*map(math.sin, [x, y, 1.0]))


@program(([2.0, 3.0],))
def partial_with_starred(p):
    return functools.partial(line, p[0])(*p) + functools.partial(line, *p)(p[1])


def evaluated(x, *coefficients):
    total = 0.0
    for i, c in enumerate(coefficients):
        total = total + c * x**i
    return total


@program(([2.0, 3.0, 0.5], 1.5), ([], 1.5), (np.array([2.0, 3.0]), 1.5))
def any_number_of_coefficients(p, x):
    return evaluated(x, *p) + evaluated(x, 1.0, *p, x) * x


@program(([2.0, 3.0, 0.5], 1.5))
def passed_through(p, x):
    def through(*args, **kwargs):
        return evaluated(*args, **kwargs)

    return through(x, *p) * through(*p)


@program(([2.0, 3.0],))
def changed_between_the_arguments(p):
    def changed():
        p[0] = 10.0
        return 1.0

    return line(*p, changed()) * p[0]


@program(([2.0, 3.0], [2.0, 3.0]))
def largest_of_starred(p, q):
    return max(*p, 1.0) * min(*q) + math.hypot(*p) + sum([*p, *q])


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2.0 * function(*args, **kwargs)

    return wrapper


@doubled
def area(width, height, scale=1.0):
    return width * height * scale


@doubled
@doubled
def volume(width, height, depth):
    return width * height * depth


@program(([2.0, 3.0],), ([2.0, 3.0, 0.5],), (np.array([2.0, 3.0]),))
def decorated_functions(p):
    return area(*p) + area(*p[:2], scale=p[0]) + volume(*p[:2], p[1] * p[0])


def product_of(first, *rest):
    return first * product_of(*rest) if rest else first


@program(([2.0, 3.0, 0.5],), ([2.0],))
def recursion_over_the_rest(p):
    return product_of(*p) + product_of(p[0], *p)


@raises(TypeError, ([],))
def recursion_over_nothing(p):
    return product_of(*p)


def scaled_sum(x, *values, scale=2.0, **options):
    total = sum(values) * scale + options.get("shift", 0.0)
    return total * x


@program(([2.0, 3.0], 1.5))
def rest_and_keywords(p, x):
    settings = {"shift": x * x}
    return scaled_sum(x, *p) + scaled_sum(*p, scale=x) * scaled_sum(*p, x, **settings)


def rotated(first, second=1.0, *rest):
    return first * 2.0 + second + sum(rest) * first


@program(([2.0],), ([2.0, 3.0],), ([2.0, 3.0, 0.5],))
def defaults_before_the_rest(p):
    return rotated(*p) * rotated(p[0], 2.0, *p)


@program(([[1.0, 2.0], [0.5, 3.0], [2.5, 1.5]],))
def transposed(rows):
    xs, ys = zip(*rows)
    return sum(x * y for x, y in zip(xs, ys)) + max(*xs, *ys)


class Machine:
    def __init__(self, *rates):
        self.rates = rates
        self.level = 1.0

    def step(self, time, *loads):
        for rate, load in zip(self.rates, loads, strict=False):
            self.level = self.level + time * rate * load
        return self.level

    def __call__(self, *loads):
        return self.step(0.1, *loads)


@program(([0.5, 2.0], [1.5, 0.3]))
def methods_with_any_number(rates, loads):
    machine = Machine(*rates)
    machine.step(0.5, *loads)
    return machine(*loads) * machine.step(*loads)
