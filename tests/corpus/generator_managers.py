"""Context managers that generator functions make: `contextlib.contextmanager` and `with`."""

import contextlib

import numpy as np

from tests.corpus.registry import program, raises


@contextlib.contextmanager
def doubled(x):
    yield 2.0 * x


@program((2.0,))
def value_of_a_manager(x):
    with doubled(x * x) as y:
        total = y * x
    return total


@program((2.0,))
def two_managers(x):
    with doubled(x) as a, doubled(a * x) as b:
        total = a * b
    return total


@program((2.0,))
def nested_managers(x):
    with doubled(x) as a:
        total = a
        with doubled(total * a) as b:
            total = total * b
        total += a
    return total


@program((2.0,), (3.0,))
def managers_in_a_loop(x):
    total = 0.0
    for k in range(3):
        with doubled(x * k) as y:
            if y > 11.0:
                break
            total += y * y
    return total


@contextlib.contextmanager
def reported(name, x):
    print("begin", name)
    try:
        yield x * x
    finally:
        print("end", name)


@program((2.0,), (-2.0,))
def returns_out_of_a_manager(x):
    with reported("outer", x) as y:
        if x > 0.0:
            return y * x
        with reported("inner", y) as z:
            total = z + y
    return total * x


@program((2.0,))
def order_of_managers(x):
    with reported("a", x) as a, reported("b", a) as b:
        print("body")
        total = a + b
    return total


@contextlib.contextmanager
def ignoring(kind):
    try:
        yield
    except kind:
        print("ignored")


@program((2.0,), (-1.0,))
def suppresses_in_a_generator(x):
    total = x
    with ignoring(ZeroDivisionError):
        total = 4.0 / max(x, 0.0)
    return total * x + x


class Settings:
    def __init__(self, rate):
        self.rate = rate

    @contextlib.contextmanager
    def changed(self, rate):
        before = self.rate
        self.rate = rate
        try:
            yield self
        finally:
            self.rate = before


@program((2.0,))
def method_that_makes_a_manager(x):
    settings = Settings(x)
    with settings.changed(x * x) as same:
        total = settings.rate * same.rate
    return total * settings.rate


@contextlib.contextmanager
def set_to(values, index, value):
    before = values[index]
    values[index] = value
    yield values
    values[index] = before


@program((np.array([1.0, 2.0, 3.0]),))
def array_changed_for_a_while(x):
    values = x * 1.0
    with set_to(values, 1, x[0] * x[2]):
        total = np.sum(values**2)
    return total * values[1]


@program((2.0,))
def list_changed_for_a_while(x):
    values = [x, 3.0]
    with set_to(values, 0, x * x) as seen:
        total = seen[0] * values[1]
    return total * values[0]


@program((2.0,))
def manager_in_a_generator(x):
    def items():
        with doubled(x) as y:
            yield y
            yield y * y

    return sum(items())


@program((2.0,))
def manager_made_before(x):
    manager = doubled(x)
    with manager as y:
        total = y * y
    return total


@program((2.0,))
def manager_around_a_loop(x):
    total = 0.0
    with reported("loop", x) as y:
        for k in range(3):
            total = total * y + k
    return total


@program((2.0,))
def closing_a_generator(x):
    def items():
        try:
            for power in (x, x * x):
                yield power
        finally:
            print("closed")

    with contextlib.closing(items()) as source:
        first = next(source)
    return first * x


@program((2.0,))
def manager_as_a_decorator(x):
    @doubled(x)
    def squared(y):
        return y * y

    return squared(x)


@contextlib.contextmanager
def failing_at_the_end(x):
    yield x
    raise KeyError("end")


@raises(KeyError, (2.0,))
def error_of_a_manager(x):
    with failing_at_the_end(x) as y:
        total = y * x
    return total


@raises(ZeroDivisionError, (0.0,))
def error_passes_a_manager(x):
    with reported("division", x) as y:
        return 1.0 / y
