"""What isn't differentiated yet: each program runs, and its gradient is refused with the line."""

import contextlib

import numpy as np

from tests.corpus.registry import refuses

VECTOR = np.array([1.0, 2.0, 3.0])
count = 0


class Box:
    def __init__(self, value):
        self.value = value


@refuses(3, (2.0,))
def stores_into_array(x):
    a = np.zeros(3)
    a[1] = x
    return a[1] * x


@refuses(2, (VECTOR,))
def stores_into_argument(a):
    a[0] = a[1] * 2
    return a[0]


@refuses(4, (2.0,))
def stores_in_loop(x):
    a = np.zeros(3)
    for i in range(3):
        a[i] = x * i
    return np.sum(a)


@refuses(2, (VECTOR, 2.0))
def augments_array_argument(a, x):
    a += x
    return np.sum(a * a)


@refuses(3, (2.0,))
def augments_local_array(x):
    a = np.ones(3)
    a *= x
    return np.sum(a)


@refuses(2, (VECTOR, 2.0))
def augments_item(a, x):
    a[0] += x
    return a[0] * a[1]


@refuses(3, (2.0,))
def stores_into_list(x):
    values = [x, 1.0]
    values[1] = x * x
    return values[1]


@refuses(3, (2.0,))
def appends(x):
    values = []
    values.append(x * x)
    return values[0]


@refuses(4, (2.0,))
def appends_in_loop(x):
    values = []
    for i in range(3):
        values.append(x * i)
    return sum(values)


@refuses(3, (2.0,))
def augments_list(x):
    values = [x]
    values += [x * x]
    return values[1]


@refuses(3, (2.0,))
def pops(x):
    values = [x, x * x]
    last = values.pop()
    return last * values[0]


@refuses(3, ([3.0, 1.0],))
def sorts_in_place(values):
    x = values[0]
    values.sort()
    return values[0] * x


@refuses(3, (2.0,))
def stores_into_dict(x):
    parameters = {}
    parameters["a"] = x * x
    return parameters["a"]


@refuses(3, (2.0,))
def updates_dict(x):
    parameters = {"a": 1.0}
    parameters.update(a=x)
    return parameters["a"] * x


@refuses(3, (2.0,))
def writes_attribute(x):
    box = Box(x)
    box.value = x * x
    return box.value


@refuses(2, (2.0,))
def catches(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0


@refuses(2, (2.0,))
def cleans_up(x):
    try:
        y = x * x
    finally:
        print("done")
    return y


@refuses(2, (2.0,))
def enters_context(x):
    with contextlib.nullcontext():
        y = x * x
    return y


@refuses(3, (2.0,))
def yields(x):
    def powers():
        yield x
        yield x * x

    return sum(powers())


@refuses(2, (2.0,))
def generator_as_value(x):
    powers = (x**i for i in range(3))
    return sum(powers)


@refuses(2, (2.0,))
def defines_class(x):
    class Local:
        factor = 3.0

    return Local.factor * x


@refuses(5, (2.0,))
def rebinds_nonlocal(x):
    total = x

    def add(y):
        nonlocal total
        total = total + y

    add(x * x)
    return total


@refuses(2, (2.0,))
def rebinds_global(x):
    global count
    count = count + 1
    return x * x


@refuses(3, (2.0,))
def deletes_item(x):
    values = [x, x * x]
    del values[0]
    return values[0]


@refuses(3, (VECTOR, 2.0))
def writes_output_argument(a, x):
    b = np.empty(3)
    np.multiply(a, x, out=b)
    return np.sum(b)


@refuses(3, (2.0,))
def fills_array(x):
    a = np.zeros(3)
    a.fill(x)
    return np.sum(a)


@refuses(4, (2.0,))
def mutates_in_helper_of_lambda(x):
    values = [x, 1.0]

    swap = lambda: values.reverse()  # noqa: E731
    swap()
    return values[0]
