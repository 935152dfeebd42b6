"""Classes that differentiated functions define, and whose methods read the functions' variables."""

import dataclasses
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program


class Base:
    def __init__(self, value):
        self.value = value

    def doubled(self):
        return self.value * 2


@program((1.3,))
def constants_and_methods(x):
    class Scaled:
        """Scales."""

        factor = 2.0

        def __init__(self, value):
            self.value = value

        def get(self):
            return self.value * self.factor * x

    return Scaled(x).get() + Scaled.factor * x


@program((1.3,))
def vectors_that_make_vectors(x):
    class Vector:
        def __init__(self, a, b):
            self.a = a
            self.b = b

        def __add__(self, other):
            return Vector(self.a + other.a, self.b + other.b)

        def __mul__(self, k):
            return Vector(self.a * k, self.b * k)

        def __getitem__(self, i):
            return (self.a, self.b)[i]

        @property
        def square(self):
            return self.a**2 + self.b**2

        @staticmethod
        def unit():
            return Vector(1.0, 0.0)

        @classmethod
        def of(cls, pair):
            return cls(*pair)

    vector = Vector(x, x * x) + Vector.unit() * x + Vector.of((x, 1.0))
    return vector.square * vector[1]


@program((1.3,))
def methods_that_capture(x):
    k = x * x

    def helper(value):
        return value * k

    class First:
        def __init__(self, value):
            self.value = helper(value)

        def twin(self):
            return First(self.value * x)

        def total(self):
            scale = lambda value: value * x
            return sum([self.value * k for _ in range(2)]) + scale(self.value)

    class Second(First):
        def total(self):
            return super().total() * k

    first, second = First(x), Second(x).twin()
    both = isinstance(second, First) and not isinstance(second, Second)
    return first.total() * second.total() * Second(1.0).total() if both else 0.0


@program((1.3,))
def derives_from_a_global_class(x):
    class Derived(Base):
        def doubled(self):
            return super().doubled() * x

    return Derived(x).doubled() + Base(x).doubled()


@program((1.3,))
def data_classes_in_a_function(x):
    @dataclass
    class Point:
        a: float
        b: float = 2.0
        items: list = field(default_factory=list)

        def product(self):
            return self.a * self.b * x

    @dataclass(frozen=True)
    class Frozen:
        a: float

        def twice(self):
            return dataclasses.replace(self, a=self.a * 2)

    class Pair(NamedTuple):
        a: float
        b: float = 3.0

    first, second = Point(x), Point(x, x * x)
    first.items.append(x)
    pair = Pair(x)
    return first.product() * second.product() + len(second.items) + (
        first.items[0] * Frozen(x).twice().a + pair.a * pair.b
    )


@program((1.3,))
def exceptions_managers_and_slots(x):
    class Failure(Exception):
        def __init__(self, code):
            super().__init__(code)
            self.code = code

    class Doubled:
        __slots__ = ("value",)

        def __enter__(self):
            self.value = 2.0
            return self

        def __exit__(self, *error):
            self.value = 1.0

    with Doubled() as doubled:
        y = doubled.value * x
    try:
        raise Failure(3)
    except Failure as error:
        return y * error.code * doubled.value


@program((1.3,))
def log_that_methods_fill(x):
    values = []

    class Log:
        def __init__(self, factor):
            self.factor = factor

        def add(self, value):
            values.append(value * x * self.factor)
            return self

    Log(2.0).add(x).add(2 * x)
    return sum(values) * values[0]


@program((1.3,))
def made_by_others(x):
    class Item:
        def __init__(self, value):
            self.value = value * 2

        def name(self):
            return type(self).__name__

    def make(value):
        return Item(value)

    items = [make(x * i) for i in range(3)] + list(map(Item, [x, x * x]))
    return sum(item.value for item in items) * len(items[0].name())


@program((2.0, 3.0))
def numbers_and_names_on_a_stack(x, y):
    # A module that knows a class with operators: what is on the stack are numbers all the same.
    stack = []
    for step in [("push", x), ("push", y), ("*",), ("push", x), ("+",), ("-",)]:
        match step:
            case ("push", value):
                stack.append(value)
            case ("*",):
                stack.append(stack.pop() * stack.pop())
            case ("+",):
                stack.append(stack.pop() + stack.pop())
            case ("-",):
                stack[-1] = -stack[-1]
    return stack[0]


@program((1.5,))
def without_an_init(x):
    class Powers:
        count = 3

        def __iter__(self):
            for i in range(self.count):
                yield x**i

    powers = Powers()
    powers.count += 1
    return sum(v * v for v in powers)


@program((np.array([1.0, 2.0, 3.0]),))
def methods_that_change_what_is_read_before(x):
    # No derivative flows through any of the calls.
    weights = np.ones(3)

    class Scaled:
        def __init__(self, by):
            self.by = by

        def __call__(self):
            weights[0] *= self.by

    y = np.sum(x * weights)
    double = Scaled(2.0)
    for _ in range(2):
        double()
        y += np.sum(x * weights)
    return y + x[0] * weights[0]


@program((np.array([1.0, 2.0]),))
def changed_for_a_while(x):
    weights = [1.0, 2.0]

    class Swapped:
        def __enter__(self):
            weights.reverse()

        def __exit__(self, *error):
            weights.append(3.0)

    y = x[0] * weights[0]
    with Swapped():
        y += x[1] * weights[0]
    return y * weights[-1] + len(weights)


@program((np.array([1.0, 2.0]),))
def changed_by_what_python_asks(x):
    weights = np.ones(2)

    class Counted:
        def __len__(self):
            weights[0] += 1.0
            return 2

        @property
        def last(self):
            weights[1] += 1.0
            return weights[1]

        def __iter__(self):
            weights[:] = 5.0
            yield 1.0

    counted = Counted()
    y = np.sum(x * weights) * len(counted)
    y += np.sum(x * weights) * counted.last
    for factor in counted:
        y += np.sum(x * weights) * factor
    return y
