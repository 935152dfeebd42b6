"""Calls of which is known what they come to: by classes, tables, partial functions and getters."""

import abc
import functools
import itertools
import logging
import math
import operator
import types

import numpy as np

from tests.corpus.registry import program

LOG = logging.getLogger(__name__)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Disc(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


@functools.singledispatch
def boundary(shape):
    return 0.0


@boundary.register
def _(shape: Square):
    return 4.0 * shape.side


@boundary.register
def _(shape: Disc):
    return 2.0 * math.pi * shape.radius


@program((1.5, 0.7))
def shapes_of_an_abstract_class(x, y):
    shapes = [Square(x), Disc(y), Square(x * y)] * 3
    areas = sum(shape.area() for shape in shapes)
    discs = sum(shape.radius for shape in shapes if isinstance(shape, Disc))
    assert all(isinstance(shape, Shape) for shape in shapes)
    return areas * discs


@program((1.5, 0.7))
def shapes_by_patterns(x, y):
    total = 0.0
    for shape in [Square(x), Disc(y), Disc(x * y)]:
        match shape:
            case Square(side=side):
                total += side * y
            case Disc(radius=radius) if radius < 1.0:
                total += radius**2
            case Disc():
                total += boundary(shape)
    return total


@program((1.5, 0.7))
def dispatched_by_known_classes(x, y):
    return boundary(Square(x)) * boundary(Disc(y)) + boundary(3)


def power(exponent, scale, base):
    return scale * base**exponent


square = functools.partial(power, 2, scale=1.5)


@program((1.5, 0.7))
def partial_functions_of_the_module(x, y):
    total = 0.0
    for i in range(3):
        total += square(base=x * i) + square(scale=y, base=x)
    return total


@program((1.5, 0.7))
def getters(x, y):
    shapes = [Square(x * (i - 1.2)) for i in range(4)]
    side, ends = operator.attrgetter("side"), operator.itemgetter(0, -1)
    rows = sorted([{"a": x * i, "b": -i} for i in range(3)], key=operator.itemgetter("b"))
    first, last = ends(list(map(side, shapes)))
    nested = operator.attrgetter("inner.side", "count")(
        types.SimpleNamespace(inner=Square(y), count=x)
    )
    return max(shapes, key=side).side * first + last * rows[0]["a"] + nested[0] * nested[1]


TABLE = {"sine": math.sin, "square": lambda t: t * t, "half": lambda t: 0.5 * t}


@program((1.5, 0.7))
def functions_by_computed_keys(x, y):
    for name in ["square", "sine", "half"] * 2:
        x = TABLE[name](x) + y
    for name, function in TABLE.items():
        y += function(x) * len(name)
    return x * y


class Settings:
    def __init__(self):
        self.rate, self.mode, self.steps = 0.5, "fast", 3
        self.layers = [2.0, 3.0]


SETTINGS = Settings()


@program((1.5, 0.7))
def settings_of_the_module(x, y):
    total = 0.0
    for i in range(SETTINGS.steps):
        if SETTINGS.mode == "fast":
            total += SETTINGS.rate * x * i
        total += SETTINGS.layers[i % 2] * y
    return total


class Model:
    def __init__(self):
        self.log = logging.getLogger("model")
        self.count = 0

    def step(self, value):
        self.count += 1
        self.log.debug("step %d: %s", self.count, value)
        return value * 0.9


@program((1.5, 0.7))
def loggers(x, y):
    model = Model()
    for i in range(3):
        x = model.step(x) + y
        LOG.debug("x = %s", x)
        if LOG.isEnabledFor(logging.CRITICAL + i):
            LOG.debug("nobody hears of it")
    return x * model.count


@program((1.5, 0.7))
def groups_by_whole_numbers(x, y):
    pairs = [(i // 2, x * i + y) for i in range(5)]
    return sum(
        (key + 1) * sum(value for _, value in group)
        for key, group in itertools.groupby(pairs, key=lambda pair: pair[0])
    )


@program((1.5, 0.7))
def arrays_of_sizes_that_are_read(x, y):
    rows = np.array([[a * b for b in (x, y, 2.0)] for a in (y, x)])
    count, width = rows.shape
    sums = np.zeros((count, width))
    for i in range(count):
        sums[i] = rows[i] * (i + 1)
    return np.sum(sums)
