"""What classes can say about their objects: operators, hooks, descriptors, iteration, copies."""

import functools
import math
import operator
from typing import ClassVar, NamedTuple

import numpy as np

from tests.corpus.registry import program


class Dual:
    """Arithmetic that asks for the class of the other operand, and may decline."""

    def __init__(self, value, slope=0.0):
        self.value = value
        self.slope = slope

    @staticmethod
    def of(other):
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __sub__(self, other):
        return self + -Dual.of(other)

    def __rsub__(self, other):
        return Dual.of(other) - self

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __mul__(self, other):
        if not isinstance(other, Dual | float | int):
            return NotImplemented
        other = Dual.of(other)
        return Dual(
            self.value * other.value, self.value * other.slope + self.slope * other.value
        )

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Dual.of(other)
        value = self.value / other.value
        return Dual(value, (self.slope - value * other.slope) / other.value)

    def __rtruediv__(self, other):
        return Dual(other) / self

    def __pow__(self, n):
        return Dual(self.value**n, n * self.value ** (n - 1) * self.slope)

    def __lt__(self, other):
        return self.value < Dual.of(other).value

    def __gt__(self, other):
        return self.value > Dual.of(other).value

    def __eq__(self, other):
        return self.value == Dual.of(other).value

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return self.value > 0

    def __float__(self):
        return self.value


@program((2.0, 3.0))
def derivative_by_dual_numbers(a, b):
    x = Dual(a, 1.0)
    y = (x * x * b + 3.0 * x - 1.0) / (2.0 + x) + 1.0 / x**3 - (1.0 - x) * b
    return y.slope * y.value


@program((2.0, 3.0), (3.0, 2.0))
def comparisons_of_dual_numbers(a, b):
    x, y = Dual(a, b), Dual(b, a * b)
    larger = x if x > y else y
    smaller = min(x, y)
    if x and 1.0 < y and x != y and x == Dual(a):
        larger = larger * a
    return (larger / smaller).slope + float(x) * b


@program((2.0, 3.0))
def sum_of_dual_numbers(a, b):
    xs = [Dual(a, b), Dual(b, a), Dual(a * b, 1.0)]
    total = sum(xs)
    total += xs[0]
    total *= b
    return total.value * total.slope


class Accumulator:
    """In-place operators that change the object, and return it."""

    def __init__(self, value=0.0):
        self.value = value

    def __iadd__(self, x):
        self.value = self.value + x
        return self

    def __isub__(self, x):
        self.value = self.value - x
        return self

    def __imul__(self, x):
        self.value = self.value * x
        return self

    def __itruediv__(self, x):
        self.value = self.value / x
        return self

    def __ipow__(self, n):
        self.value = self.value**n
        return self

    def __lshift__(self, x):
        self.value = self.value * 2 + x
        return self

    def __matmul__(self, other):
        return self.value * other.value

    def __contains__(self, x):
        return x < self.value

    def __len__(self):
        return int(self.value)


@program((2.0, 3.0))
def every_operator_in_place(a, b):
    total = alias = Accumulator(a)
    total += b
    total *= a
    total -= a * b
    total /= b
    total **= 3
    total << a << b
    return alias.value * (total @ alias)


@program((2.0, 3.0), (0.21, 0.3))
def membership_and_length(a, b):
    total = Accumulator()
    for i in range(10):
        total += a * i
        if b * 4 in total or len(total) > 6:
            break
    return total.value * (b if total else a)


class Celsius:
    """A descriptor of data that keeps what it stores in the object under another name."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name) - 273.15

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 273.15)


class Oven:
    temperature = Celsius()

    def __init__(self, temperature):
        self.temperature = temperature

    def heat(self, factor):
        self.temperature = self.temperature * factor
        return self


@program((20.0, 3.0))
def stored_by_a_descriptor(a, b):
    oven = Oven(a).heat(b)
    oven.temperature += a
    return oven.temperature * oven._temperature


class Checked:
    """A property that checks what is stored."""

    def __init__(self, value):
        self.value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        if value < 0:
            raise ValueError("must not be negative")
        self._value = value
        self.changes = getattr(self, "changes", 0) + 1


class Clipped(Checked):
    """The property of the base class, with another setter."""

    @Checked.value.setter
    def value(self, value):
        Checked.value.fset(self, min(value, 10.0))


@program((2.0, 3.0))
def checked_by_a_setter(a, b):
    c = Checked(a)
    c.value = c.value * b
    c.value += a
    return c.value * c.changes


@program((2.0, 3.0), (4.0, 3.0))
def setter_of_a_subclass(a, b):
    c = Clipped(a)
    c.value = c.value * b
    return c.value * a


class Recorded:
    """A hook for all stores, which counts them."""

    def __init__(self, x):
        super().__setattr__("stores", 0)
        self.x = x

    def __setattr__(self, name, value):
        super().__setattr__("stores", self.stores + 1)
        super().__setattr__(name, value)


@program((2.0, 3.0))
def stores_that_are_counted(a, b):
    r = Recorded(a)
    r.x = r.x * b
    r.y = r.x * a
    return r.y * r.stores


class Fallback:
    """Attributes that are looked for in another object when this one hasn't got them."""

    def __init__(self, target):
        self.target = target

    def __getattr__(self, name):
        if name == "target":  # while a copy is being made
            raise AttributeError(name)
        return getattr(self.target, name)


@program((2.0, 3.0))
def attributes_of_a_wrapped_object(a, b):
    wrapped = Fallback(Fallback(Accumulator(a)))
    wrapped.target.target.value *= b
    before = wrapped.value
    wrapped.value = a
    return before * wrapped.value * wrapped.target.value


class Countdown:
    """An iterator: its state is in attributes."""

    def __init__(self, start, factor):
        self.left = start
        self.value = 1.0
        self.factor = factor

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        self.value = self.value * self.factor
        return self.value


@program((2.0, 3.0))
def steps_of_an_iterator_by_hand(a, b):
    steps = Countdown(3, a)
    first = steps.__next__()
    second = steps.__next__()
    return first * second * b


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __iter__(self):
        return iter(self.coefficients)

    def __getitem__(self, i):
        return self.coefficients[i]

    def __len__(self):
        return len(self.coefficients)

    def __call__(self, x):
        y = 0.0
        for c in reversed(self.coefficients):
            y = y * x + c
        return y

    def derivative(self):
        return Polynomial(*[i * c for i, c in enumerate(self)][1:])

    def __mul__(self, other):
        products = [0.0] * (len(self) + len(other) - 1)
        for i, a in enumerate(self):
            for j, b in enumerate(other):
                products[i + j] = products[i + j] + a * b
        return Polynomial(*products)


@program((2.0, 3.0))
def newton_step_of_a_polynomial(a, b):
    p = Polynomial(a, b, 1.0) * Polynomial(b, a * b)
    x = 0.5
    for _ in range(3):
        x = x - p(x) / p.derivative()(x)
    return x + p[0] * p[-1]


class Lazily:
    def __init__(self, radius):
        self.radius = radius

    @functools.cached_property
    def area(self):
        return math.pi * self.radius**2

    @property
    def ratio(self):
        return self.area / self.radius


@program((2.0, 3.0))
def cached_area(a, b):
    disc = Lazily(a * b)
    return disc.area * disc.area + disc.ratio


@program((2.0, 3.0))
def cached_area_computed_anew(a, b):
    disc = Lazily(a)
    before = disc.area
    disc.radius = disc.radius * b
    stale = disc.area
    del disc.area
    return before + stale * b + disc.area * a


class Shape:
    sides = 0
    made = 0.0
    unit: ClassVar[float] = 2.0

    def __init__(self, size):
        self.size = size

    @classmethod
    def square(cls, size):
        made = cls(size)
        made.sides = 4
        return made

    @classmethod
    def doubled(cls, other):
        return cls.square(other.size * cls.unit)

    @functools.singledispatchmethod
    def scaled(self, by):
        raise TypeError(by)

    @scaled.register
    def _(self, by: float):
        self.size = self.size * by
        return self

    @scaled.register
    def _(self, by: str):
        return self.scaled(float(by))


class Hexagon(Shape):
    unit: ClassVar[float] = 6.0


@program((2.0, 3.0))
def alternative_constructors(a, b):
    square = Shape.square(a)
    large = Hexagon.doubled(square)
    square.size = square.size * b
    return square.size * square.sides + large.size * Shape(b).sides + large.size * b


@program((2.0, 3.0))
def method_by_the_class_of_its_argument(a, b):
    return Shape(a).scaled(b).scaled("2.0").size


class Flags(NamedTuple):
    scale: float
    shift: float = 1.0


class Configured:
    def __init__(self, flags):
        self.flags = flags

    def __call__(self, x):
        self.flags = self.flags._replace(shift=self.flags.shift + x)
        return x * self.flags.scale + self.flags.shift


@program((2.0, 3.0))
def named_tuple_in_an_object(a, b):
    f = Configured(Flags(a))
    return f(a) * f(b) * f.flags.shift


@program((2.0, 3.0))
def attributes_by_computed_names(a, b):
    holder = Accumulator()
    for i, value in enumerate((a, b, a * b)):
        setattr(holder, f"x{i}", value * value)
    delattr(holder, "x0")
    total = 0.0
    for name in ("x0", "x1", "x2"):
        if hasattr(holder, name):
            total += getattr(holder, name)
        else:
            total *= getattr(holder, name, a)
    return total + a * getattr(holder, "x7", b)


class Samples:
    """A sequence by its positions alone, without `__iter__`."""

    def __init__(self, values, scale):
        self.values, self.scale = values, scale

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i] * self.scale


@program((2.0, 3.0))
def walked_by_positions(x, y):
    samples = Samples([x, x * y, y], y)
    total = sum(samples) * max(samples)
    for i, sample in enumerate(samples):
        total += i * sample * sample
    first, *_, last = samples
    return total + first * last + sum(a * b for a, b in zip(samples, [x, y]))


class Grid:
    """Rounds to the points of a grid, whose width is differentiated."""

    def __init__(self, value, width):
        self.value, self.width = value, width

    def __floor__(self):
        return self.width * math.floor(self.value / self.width)

    def __ceil__(self):
        return self.width * math.ceil(self.value / self.width)

    def __trunc__(self):
        return self.width * int(self.value / self.width)

    def __round__(self, digits=None):
        return self.width * round(self.value / self.width, digits)


@program((2.3, 0.3))
def rounded_to_a_grid(x, width):
    grid = Grid(x, width)
    edges = math.floor(grid) * math.ceil(grid) + math.trunc(grid) * round(grid)
    return edges * x


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def length(self):
        return math.hypot(self.x, self.y)


@program((2.0, 3.0))
def sums_of_vectors(a, b):
    vectors = [Vector(a, b), Vector(a * b, a), Vector(1.0, b)]
    whole = sum(vectors, Vector(0.0, a))
    return whole.length() * functools.reduce(operator.add, vectors).x


@program((2.0, 3.0))
def longest_by_a_method(a, b):
    vectors = [Vector(a, b), Vector(a * b, a), Vector(1.0, b)]
    longest = max(vectors, key=lambda v: v.length())
    return longest.x * min(vectors, key=Vector.length).length()
