"""Objects that are read: attributes, methods, inheritance, properties, operators of the user's."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program


class Spring:
    """Attributes in a dict, methods, a property, a class attribute, every kind of method."""

    damping = 0.5

    def __init__(self, stiffness, length):
        self.stiffness = stiffness
        self.length = length

    def force(self, x):
        return -self.stiffness * (x - self.length)

    def energy(self, x, scale=1.0, *, offset=0.0):
        return scale * self.stiffness * (x - self.length) ** 2 / 2 + offset

    @property
    def period(self):
        return 2 * math.pi / math.sqrt(self.stiffness)

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def damped(cls, x):
        return cls.damping * x

    def __call__(self, x):
        return self.force(x) + self.period


class NonlinearSpring(Spring):
    damping = 0.25

    def __init__(self, stiffness, length, cubic):
        super().__init__(stiffness, length)
        self.cubic = cubic

    def force(self, x):
        return super().force(x) - self.cubic * x**3

    @property
    def period(self):
        return super().period * self.cubic


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def product(self):
        return self.a * self.b


class Fallback:
    def __init__(self, values):
        self.values = values

    def __getattr__(self, name):
        if name not in ("first", "second"):
            raise AttributeError(name)
        return self.values[name == "second"] ** 2


class Scaled:
    """A descriptor that computes what it gives."""

    def __init__(self, name, factor):
        self.name = name
        self.factor = factor

    def __get__(self, instance, owner):
        return getattr(instance, self.name) * self.factor


class Measured:
    doubled = Scaled("value", 2.0)

    def __init__(self, value):
        self.value = value


class Dual(NamedTuple):
    """A number with a derivative: arithmetic that returns objects of its own class."""

    value: float
    slope: float = 0.0

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(
            self.value * other.value, self.slope * other.value + self.value * other.slope
        )

    __rmul__ = __mul__

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __pow__(self, n):
        return Dual(self.value**n, n * self.value ** (n - 1) * self.slope)

    def __sub__(self, other):
        return self + -other


class Meter:
    """Operators that return numbers, each another function, so that none can be mistaken."""

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return NotImplemented if isinstance(other, str) else self.x + 2 * value_of(other)

    def __radd__(self, other):
        return 3 * other + self.x

    def __sub__(self, other):
        return self.x * value_of(other)

    def __rsub__(self, other):
        return other**2 - self.x

    def __mul__(self, other):
        return self.x**2 * value_of(other)

    def __rmul__(self, other):
        return other**3 * self.x

    def __truediv__(self, other):
        return self.x / value_of(other) ** 2

    def __rtruediv__(self, other):
        return self.x - other

    def __floordiv__(self, other):
        return self.x * 5 * value_of(other)

    def __mod__(self, other):
        return self.x * 7 + value_of(other)

    def __pow__(self, other):
        return self.x * math.exp(value_of(other))

    def __matmul__(self, other):
        return self.x * value_of(other) * 11

    def __rmatmul__(self, other):
        return self.x * value_of(other) * 13

    def __and__(self, other):
        return self.x * value_of(other) * 17

    def __or__(self, other):
        return self.x * value_of(other) * 19

    def __xor__(self, other):
        return self.x * value_of(other) * 23

    def __lshift__(self, other):
        return self.x * value_of(other) * 29

    def __rshift__(self, other):
        return self.x * value_of(other) * 31

    def __neg__(self):
        return -self.x * 2

    def __pos__(self):
        return self.x * 3

    def __invert__(self):
        return self.x**3

    def __abs__(self):
        return self.x * 5

    def __lt__(self, other):
        return self.x * 7 - value_of(other)

    def __le__(self, other):
        return self.x * 8 - value_of(other)

    def __gt__(self, other):
        return self.x * 9 - value_of(other)

    def __ge__(self, other):
        return self.x * 10 - value_of(other)

    def __eq__(self, other):
        return self.x * 11 - value_of(other)

    def __ne__(self, other):
        return self.x * 12 - value_of(other)

    __hash__ = None

    def __getitem__(self, key):
        return self.x * key

    def __float__(self):
        return self.x

    def __bool__(self):
        return self.x > 1


class SubMeter(Meter):
    """A subclass, whose reflected methods are asked first."""

    def __radd__(self, other):
        return self.x * 37 + value_of(other) ** 2


class Polynomial:
    """A container of its own: length, items, iteration, membership."""

    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __len__(self):
        return len(self.coefficients)

    def __getitem__(self, power):
        return self.coefficients[power]

    def __iter__(self):
        return iter(self.coefficients)

    def __contains__(self, power):
        return power < len(self.coefficients)

    def __call__(self, x):
        return sum([c * x**i for i, c in enumerate(self)])


def value_of(x):
    return x.x if isinstance(x, Meter) else x


@dataclass(frozen=True)
class Body:
    mass: float
    position: np.ndarray
    name: str = "body"

    def distance(self, other):
        return np.sqrt(np.sum((self.position - other.position) ** 2))

    @property
    def weight(self):
        return 9.81 * self.mass


@dataclass(frozen=True)
class System:
    bodies: list
    constants: dict = field(default_factory=dict)

    def potential(self):
        total = 0.0
        for i, first in enumerate(self.bodies):
            for second in self.bodies[i + 1 :]:
                pull = self.constants["g"] * first.mass * second.mass
                total = total - pull / first.distance(second)
        return total


@dataclass
class Layer:
    weights: np.ndarray
    bias: np.ndarray

    def __call__(self, x):
        return np.tanh(self.weights @ x + self.bias)


SPRING = Spring(3.0, 0.5)


@program((Spring(2.0, 0.3), 1.5))
def attributes_and_methods(spring, x):
    return spring.force(x) * spring.energy(x) + spring.energy(x, 2.0, offset=x) * spring.length


@program((Spring(2.0, 0.3), 1.5))
def bound_method_as_value(spring, x):
    force = spring.force
    return force(x) + sum(map(spring.energy, [x, 2.0]))


@program((1.5,))
def global_object(x):
    return SPRING.force(x) + SPRING.period * x


@program((Spring(2.0, 0.3), 1.5), (NonlinearSpring(2.0, 0.3, 0.7), 1.5))
def property_is_read(spring, x):
    return spring.period * x + spring.period**2


@program((NonlinearSpring(2.0, 0.3, 0.7), 1.5))
def inheritance_and_super(spring, x):
    return spring.force(x) * spring.energy(x)


@program((Spring(2.0, 0.3), 1.5), (NonlinearSpring(2.0, 0.3, 0.7), 1.5))
def called_object(spring, x):
    return spring(x) * x


@program((Spring(2.0, 0.3), 1.5), (NonlinearSpring(2.0, 0.3, 0.7), 1.5))
def class_and_static_methods(spring, x):
    return spring.square(x) + spring.damped(x) + Spring.damped(x) * Spring.square(spring.length)


@program((Spring(2.0, 0.3), 1.5), (NonlinearSpring(2.0, 0.3, 0.7), 1.5))
def class_attributes(spring, x):
    return spring.damping * x + Spring.damping * spring.stiffness


@program((Spring(2.0, 0.3), 1.5))
def method_of_class(spring, x):
    return Spring.force(spring, x) * Spring.period.fget(spring)


@program((Slotted(2.0, 3.0),))
def slots(pair):
    return pair.product() * pair.a


@program((Fallback([2.0, 3.0]),))
def missing_attribute(values):
    return values.first * values.second + values.values[0]


@program((Measured(2.0),))
def descriptor_is_read(measured):
    return measured.doubled * measured.value


@program((Spring(2.0, 0.3), "stiffness"), (Spring(2.0, 0.3), "period"))
def attribute_by_name(spring, name):
    return getattr(spring, name) ** 2 + getattr(spring, "missing", spring.length)


@program((Dual(2.0, 1.0), 3.0))
def operators_that_return_objects(x, y):
    z = x * x + y * x - 2.0
    return (-z**2).slope + z.value


@program((Meter(2.0), 1.5))
def operators_from_the_left(m, y):
    return [m + y, m - y, m * y, m / y, m // y, m % y, m**y, m @ y, m & y, m | y, m ^ y, m << y,
            m >> y]


@program((Meter(2.0), 1.5))
def operators_from_the_right(m, y):
    return [y + m, y - m, y * m, y / m, y @ m]


@program((Meter(2.0),))
def unary_operators(m):
    return [-m, +m, ~m, abs(m), m[2], float(m)]


@program((Meter(2.0), 1.5))
def comparisons_that_return_numbers(m, y):
    return [m < y, m <= y, m > y, m >= y, m == y, m != y, y < m, y >= m]


@program((Meter(2.0), SubMeter(3.0)), (SubMeter(2.0), Meter(3.0)), (Meter(2.0), Meter(3.0)))
def reflected_method_of_a_subclass(a, b):
    return a + b


@program((Meter(2.0),), (Meter(0.5),))
def truth_of_an_object(m):
    return m.x**2 if m else m.x**3


@program(([Meter(2.0), Meter(3.0)],))
def operators_in_a_loop(meters):
    total = 0.0
    for m in meters:
        total = total + m
    return total * meters[0]


@program((Meter(2.0), 1.5))
def augmented_by_operator(m, y):
    y += m
    m *= y
    return m


@program((Polynomial(1.0, 2.0, 3.0), 1.5))
def container_of_the_user(p, x):
    total = p(x) * len(p)
    for c in p:
        total = total + c**2
    return total + p[1] * (2 if 2 in p else 3) + p[-1]


@program((Body(2.0, np.array([1.0, 2.0])), Body(3.0, np.array([0.5, -1.0]), "other")))
def frozen_dataclasses(a, b):
    return a.weight * b.mass / a.distance(b) * len(b.name)


@program((System([Body(2.0, np.array([1.0, 2.0])), Body(3.0, np.array([0.5, -1.0])),
                  Body(1.0, np.array([-1.5, 0.5]))], {"g": 6.7}),))
def nested_objects(system):
    return system.potential()


@program(([Layer(np.array([[0.5, -0.2], [0.1, 0.3]]), np.array([0.1, 0.2])),
           Layer(np.array([[0.4, 0.6]]), np.array([-0.3]))], np.array([1.0, 2.0])))
def layers_of_a_network(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x)


@program((2.0, 3.0))
def named_tuple_with_methods(x, y):
    z = Dual(x, y) * Dual(y)
    return z._replace(value=z.slope).value * z[0] + sum(z)


@program(([Meter(2.0), Meter(3.0)], 1.5))
def sums_of_objects(meters, x):
    return sum(meters) * sum([x, meters[0]]) + sum(meters, x) * sum(meters[1:], start=x * x)


class Orbit:
    mu = 4.0

    def __init__(self, axis, eccentricity):
        self.axis, self.eccentricity = axis, eccentricity

    def motion(self):
        return math.sqrt(self.mu / self.axis**3)

    def anomaly(self, time):
        """By Newton's method: `mean = anomaly - eccentricity * sin(anomaly)`."""
        mean = (self.motion() * time) % (2 * math.pi)
        found = mean if self.eccentricity < 0.8 else math.pi
        for _ in range(20):
            slope = 1 - self.eccentricity * math.cos(found)
            step = (found - self.eccentricity * math.sin(found) - mean) / slope
            found -= step
            if abs(step) < 1e-13:
                break
        return found


@program(([1.3, 0.4], [0.5, 2.0, 7.0]), ([1.3, 0.85], [2.0]))
def newton_from_a_constant(elements, times):
    orbit = Orbit(*elements)
    return sum([orbit.axis * math.cos(orbit.anomaly(time)) for time in times])


class ExtendedFilter:
    def __init__(self, step, state):
        self.step, self.state = step, state

    def jacobian(self, width=1e-3):
        columns = np.zeros((2, 2))
        for i in range(2):
            shift = np.zeros(2)
            shift[i] = width
            ahead, behind = self.step(self.state + shift), self.step(self.state - shift)
            columns[:, i] = (ahead - behind) / (2 * width)
        return columns


@program((9.81, np.array([0.5, 0.1])))
def function_in_an_object_that_captures_constants(gravity, state):
    interval, friction = 0.05, 0.1

    def step(state):
        angle, speed = state
        pull = gravity * np.sin(angle) + friction * speed
        return np.array([angle + interval * speed, speed - interval * pull])

    filter_ = ExtendedFilter(step, state)
    spread = filter_.jacobian() @ np.eye(2) @ filter_.jacobian().T
    return np.sum(spread) + np.sum(filter_.step(state))
