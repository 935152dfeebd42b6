"""Second derivatives of programs that change lists, dicts and deques, by all four orders of the two
modes."""

import bisect
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative


def deleted(x):
    items = [x, x * x, 2 * x]
    del items[1]
    items[0] = items[1] * x
    return items[0] * items[1]


def deleted_slice(x):
    items = [x, x * x, 2 * x, x**3]
    del items[::2]
    return items[0] * items[1]


def slices_of_other_lengths(x):
    items = [x, x * x, 2 * x]
    items[0:1] = [x**3, x]
    items[::2] = [x, x * x]
    items[1:1] = [2.0]
    return items[0] * items[2] * items[4] + items[3]


def popped(x):
    items = [x, x * x, 2 * x]
    first = items.pop(0)
    return items[0] * items[1] * first * x


def inserted(x):
    items = [x, x * x]
    items.insert(1, x**3)
    items.insert(-1, 2.0)
    return items[0] * items[1] + items[3] * x


def queue(x):
    items = deque([x, x * x])
    items.append(x**3)
    items.appendleft(2 * x)
    items.rotate(1)
    first, last = items.popleft(), items.pop()
    return first * last + items[0] * items[1] * x


def bounded_queue(x):
    items = deque([x, x * x], maxlen=2)
    items.append(x**3)
    items.appendleft(2 * x)
    return items[0] * items[1] * x


def cleared(x):
    items = deque([x])
    first = items[0]
    items.clear()
    items.append(first * first)
    return items[0] * x


def with_defaults(x):
    named = {"a": x}
    named.setdefault("b", x * x)
    named.setdefault("a", 5.0)
    return named["a"] * named["b"]


def default_dict(x):
    sums = defaultdict(float)
    for key in "aba":
        sums[key] += x * x
    return sums["a"] * sums["b"]


def items_of_a_dict(x):
    total = 0.0
    for key, value in {"a": x, "b": x * x, "c": 3.0}.items():
        total += value * value if key == "a" else value
    return total * x


def values_of_a_dict(x):
    total = 0.0
    for value in {"a": x, "b": 1.0, "c": x * x}.values():
        total += value * value
    return total * x


def extended(x):
    items = [x]
    items.extend([x * x, 2 * x])
    items += [x]
    return items[0] * items[1] + items[2] * items[3]


def in_another_order(x):
    named, total = OrderedDict(a=x, b=x * x), 0.0
    named.move_to_end("a")
    for i, value in enumerate(named.values()):
        total += value * value * i
    return total * x


def keys_taken_out(x):
    named = {"a": x, "b": x * x}
    del named["a"]
    named["c"] = x
    last = named.pop("b")
    return sum(named.values()) * last


def put_in_order(items, value):
    place = 0
    for i in range(len(items)):
        if items[i] < value:
            place = i + 1
    items.insert(place, value)


def lengthened_by_a_callee(x):
    items = []
    for value in (x * 2, x, x * x):
        put_in_order(items, value)
    bisect.insort(items, x**3)
    return items[0] * items[1] + items[2] * items[3]


def scale(items, y):
    items[0] = items[0] * items[1] * y
    items[1] = items[1] * items[0]
    return items[0]


def changed_by_a_callee(x):
    items = [x, x * x]
    first = items[0] * x
    second = scale(items, x)
    return first * second * scale(items, first) * items[1]


def updated(x):
    named = {"a": x}
    named.update({"b": x * x})
    joined = {**named, "c": x}
    return joined["a"] * joined["b"] * joined["c"]


PROGRAMS = [
    deleted, deleted_slice, slices_of_other_lengths, popped, inserted, queue, bounded_queue,
    cleared, with_defaults, default_dict, items_of_a_dict, values_of_a_dict, extended,
    in_another_order, keys_taken_out, updated, lengthened_by_a_callee,
    changed_by_a_callee,
]


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f, inner, outer):
    check_second_derivative(f, inner, outer, 1.3)


@pytest.mark.parametrize("x", [[1.0, 2.0], (1.0, 2.0)])
def test_second_derivatives_in_a_container_that_is_an_operand(x):
    """The rule of `np.dot` gives the gradient of its operand as an array."""
    m = np.array([[1.0, 2.0], [3.0, 4.0]])

    def slope(x):
        return zyg.gradient(lambda x: np.sum(np.dot(m, x) ** 3), x)[0][1]

    found = zyg.gradient(slope, x)[0]
    weights = 6 * m[:, 1] * (m @ x)
    assert type(found) is type(x)
    np.testing.assert_allclose(found, weights @ m, rtol=1e-13)
