"""Objects that differentiated code makes and changes: attributes stored, deleted, made anew."""

import abc
import dataclasses
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program


class Vector:
    """Operators that make objects, operators that change them, a property with a setter."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __setitem__(self, i, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __len__(self):
        return 2

    def __call__(self, t):
        return self.x * t + self.y

    def __abs__(self):
        return math.sqrt(self.squared_norm)

    def __lt__(self, other):
        return self.x < other.x

    def __iter__(self):
        return iter((self.x, self.y))

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @property
    def squared_norm(self):
        return self.x**2 + self.y**2

    @squared_norm.setter
    def squared_norm(self, value):
        factor = math.sqrt(value / self.squared_norm)
        self.x *= factor
        self.y *= factor

    @staticmethod
    def along_x(x):
        return Vector(x, 1.0)

    @classmethod
    def on_parabola(cls, x):
        return cls(x, x * x)


@program((2.0, 3.0))
def made_by_operators(a, b):
    u = Vector(a, b)
    v = Vector(b, a * b)
    return (u + v * 2.0).dot(0.5 * -u)


@program((2.0, 3.0))
def changed_by_operators(a, b):
    u = Vector(a, b)
    u += Vector(b, a)
    u[0] = u[1] * a
    return u[0] * u[1] + abs(u) + u(3.0) + len(u)


@program((2.0, 3.0))
def property_with_setter(a, b):
    u = Vector.on_parabola(a)
    v = Vector.along_x(b)
    u.squared_norm = a * b
    u.squared_norm *= b
    return u.x * v.x + u.squared_norm


@program((2.0, 3.0))
def objects_of_a_list(a, b):
    vectors = [Vector(a * i, b) for i in range(3)]
    total = Vector(0.0, 0.0)
    for v in vectors:
        total = total + v
    for v in vectors:
        v.x = v.x * total.y
    return sum([v.x for v in vectors]) + total.x


@program((2.0, 3.0))
def changed_under_another_name(a, b):
    u = Vector(a, b)
    v = u
    v.x = v.x * b
    return u.x * u.x


@program((2.0, 3.0))
def same_object_twice(a, b):
    u = Vector(a, b)
    for v in [u, Vector(b, a), u]:
        v.x = v.x * v.y
    return u.x


@program((2.0, 3.0))
def stores_of_attributes_by_name(a, b):
    u = Vector(a, b)
    setattr(u, "z", a * b)
    del u.x
    return getattr(u, "z") * u.y * (1.0 if hasattr(u, "x") else 2.0)


@program((2.0, 3.0))
def attribute_after_reading_a_bound_method(a, b):
    u = Vector(a, b)
    dot = u.dot
    u.x = 5.0 * a
    return dot(Vector(b, a))


@program((2.0, 3.0))
def stores_in_functions_of_a_list(a, b):
    def step(u, factor):
        u.x = u.x * factor
        return u.x

    u = Vector(a, b)
    total = 0.0
    for f in [step, lambda u, factor: u.y * factor]:
        total = total + f(u, b)
    return total * u.x


@program((2.0, 3.0), (4.0, 5.0))
def stores_around_exits(a, b):
    u = Vector(a, b)
    for i in range(4):
        if u.x > 10:
            break
        for j in range(2):
            u.x = u.x + u.y * j
            if j == 1 and i == 1:
                continue
            u.y = u.y * 1.1
    return u.x * u.y


@program((2.0, 3.0))
def largest_object_by_key(a, b):
    u = Vector(a, b)
    return max(u, Vector(b, a), key=lambda v: v.x * v.y + v.x).y * b


@program((2.0, 3.0))
def sorted_objects_taken_apart(a, b):
    u, v = sorted([Vector(b, a), Vector(a, b)], key=lambda v: v.x)
    x, y = u
    return x * y * y * min(u, v).y


@program(([Vector(1.0, 2.0), Vector(3.0, 4.0)], 2.0))
def list_of_objects_as_argument(vectors, factor):
    for v in vectors:
        v.x = v.x * factor
        v.y += v.x
    return sum(v.x * v.y for v in vectors)


@program(({"a": Vector(1.0, 2.0)}, 2.0))
def dict_of_objects_as_argument(vectors, factor):
    vectors["a"].x *= factor
    return vectors["a"].x * vectors["a"].y


@program((Vector(1.5, 2.0), 2.0), (Vector(0.5, 2.0), 2.0))
def stored_in_one_branch(u, factor):
    if u.x > 1:
        u.x = u.x * factor
        u.scale = factor
    else:
        u.scale = u.y
    return u.x * u.y * u.scale


@program((Vector(1.5, 2.0), 2.0), (Vector(-1.5, 2.0), 2.0))
def early_return_behind_a_store(u, factor):
    u.y = u.y * factor
    if u.x < 0:
        u.x = -u.x
        return u.x * u.y
    u.y = u.x
    return u.y * factor


@dataclass
class Point:
    x: float
    y: float = 2.0
    tags: list = field(default_factory=list)

    def scale(self, factor):
        self.x *= factor
        return self


@program((2.0, 3.0))
def data_object_that_is_scaled(a, b):
    p = Point(a).scale(b).scale(a)
    q = Point(p.x, y=b)
    return p.x * q.y + q.x * p.y


@dataclass(frozen=True)
class Fixed:
    x: float
    y: float

    def moved(self, distance):
        return dataclasses.replace(self, x=self.x + distance)

    def sheared(self, factor):
        return Fixed(self.x + factor, self.y * factor)


@program((2.0, 3.0))
def frozen_object_made_anew(a, b):
    p = Fixed(a, b).sheared(a).moved(a * b)
    return p.x * p.y


class Linear:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x


class Quadratic(Linear):
    def __init__(self, slope, curvature):
        super().__init__(slope)
        self.curvature = curvature

    def __call__(self, x):
        return super().__call__(x) + self.curvature * x**2


@program((2.0, 3.0))
def constructor_of_the_base_class(a, b):
    f = Quadratic(a, b)
    f.slope = f(a)
    return f(b)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


@program((2.0, 3.0))
def slots_exchanged(a, b):
    s = Slotted(a, b)
    s.a, s.b = s.b * 2, s.a
    return s.a * s.b**2


class Mean:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, x):
        self.total += x
        self.count += 1

    @property
    def value(self):
        return self.total / self.count


@program((2.0, 3.0))
def running_mean(a, b):
    mean = Mean()
    for x in (a, b, a * b):
        mean.add(x * x)
    return mean.value


@program((2.0, 3.0), (1.0, 2.2))
def added_until_large(a, b):
    mean = Mean()
    while mean.total < 20.0:
        mean.add(a * b)
    if mean.count > 5:
        mean.total = mean.total * a
    else:
        mean.total = mean.total * b
    return mean.total * mean.value


class Layer:
    def __init__(self, weights, bias):
        self.weights = weights
        self.bias = bias

    def __call__(self, x):
        self.last = np.tanh(self.weights @ x + self.bias)
        return self.last


class Network:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@program((np.array([[1.0, 0.2], [0.3, 0.4]]), np.array([0.5, -0.6])))
def layers_that_keep_what_they_gave(weights, x):
    network = Network([Layer(weights, x), Layer(weights * 0.5, x * 2)])
    y = network(x)
    return np.sum(y * network.layers[0].last)


class Doubling:
    """Attributes that are made up, and a hook for those that are stored."""

    def __init__(self, a):
        self.a = a

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)

    def __getattr__(self, name):
        if name.startswith("twice_"):
            return 2 * getattr(self, name.removeprefix("twice_"))
        raise AttributeError(name)


@program((2.0,))
def attributes_through_hooks(a):
    d = Doubling(a * a)
    d.a = d.twice_a * a
    return d.twice_a


class Table:
    def __init__(self):
        self.entries = {}

    def put(self, key, value):
        self.entries = {**self.entries, key: value}


@program((2.0, 3.0))
def dict_held_by_an_object(a, b):
    table = Table()
    table.put("a", a * b)
    table.put("b", b)
    table.put("a", table.entries["a"] * b)
    return table.entries["a"] * table.entries["b"]


class Decay:
    def __init__(self, steps):
        self.steps = steps
        self.state = 0.0
        self.history = ()

    def run(self, x):
        for i in range(self.steps):
            self.step(x, i)
        return self

    def step(self, x, i):
        self.state = self.state * 0.5 + x * i
        self.history = (*self.history, self.state)


@program((2.0,))
def history_of_a_simulation(x):
    decay = Decay(4).run(x)
    return sum(decay.history) * decay.state


class Cyclic:
    def __init__(self, a):
        self.a = a
        self.me = self


@program((2.0,))
def object_that_holds_itself(a):
    c = Cyclic(a)
    c.me.a = c.a * c.me.a
    return c.me.me.a


class Named(NamedTuple):
    a: float
    b: float

    def product(self):
        return self.a * self.b


@program((2.0, 3.0))
def named_tuple_made_anew(a, b):
    named = Named(a, b)._replace(a=a * 2)
    return named.product()


class Tax(abc.ABC):
    @abc.abstractmethod
    def on(self, x): ...


class FlatTax(Tax):
    rate = 3.0

    def __init__(self, share):
        self.share = share

    def on(self, x):
        return x * self.share * self.rate


@program((2.0, 3.0))
def attribute_of_the_class_as_default(a, b):
    tax = FlatTax(a)
    before = tax.on(b)
    tax.rate = b
    return before + tax.on(a)


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def swap(self):
        self.first, self.second = self.second, self.first


@program((np.array([1.0, 2.0]), np.array([3.0, 4.0])))
def arrays_swapped_in_a_loop(x, y):
    pair = Pair(x * y, y)
    for _ in range(3):
        pair.swap()
    return np.sum(pair.first**2 * pair.second)
