"""`copy.copy` and `copy.deepcopy` of numbers, arrays, containers and objects."""

import copy
import dataclasses
import pickle
from collections import deque

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from tests.orders_of_modes import MODES, check_second_derivative
from zyg.errors import NotDifferentiable, UnsupportedSyntax


class Pair:
    def __init__(self, a, b, third=False):
        self.a = a
        self.b = b
        if third:
            self.c = a

    def grow(self):
        self.a = self.a * self.b


@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0


class OwnWay:
    def __init__(self, value):
        self.value = value

    def __copy__(self):
        return OwnWay(3.0 * self.value)


def of_list(x):
    items = [x, x * x]
    other = copy.copy(items)
    other[0] = 3 * x
    return items[0] * other[0] * other[1]


def of_dict(x):
    items = {"a": x}
    other = copy.copy(items)
    other["a"] = 3 * x
    return items["a"] * other["a"]


def of_array(x):
    items = np.array([x, 2.0])
    other, third = copy.copy(items), copy.deepcopy(items)
    other[0] = 3 * x
    third[0] *= items[0]
    return items[0] * other[0] * third[0]


def of_deque(x):
    items = deque([x, 2.0])
    other = copy.copy(items)
    other.append(x * x)
    return items[0] * other[-1] * len(items)


def shares_items(x):
    rows = [[x], [2.0 * x]]
    other = copy.copy(rows)
    rows[1] = [x * x]
    return rows[1][0] * other[0][0] * other[1][0]


def deep_list(x):
    items = [x, [x]]
    other = copy.deepcopy(items)
    other[1][0] = 3 * x
    return items[1][0] * other[1][0]


def deep_dict(x):
    items = {"a": [x], "b": np.ones(2) * x}
    other = copy.deepcopy(items)
    other["a"][0] = 3 * x
    other["b"][0] = x * x
    return items["a"][0] * other["a"][0] * np.sum(items["b"] * other["b"])


def of_tuple_and_number(x):
    pair = (x, 1.0)
    return copy.deepcopy(pair)[0] * copy.copy(pair)[0] * copy.copy(x) * copy.deepcopy(x)


def of_object(x):
    pair = Pair(x, x * x, third=x > 1.0)
    other = copy.copy(pair)
    other.grow()
    return pair.a * other.a * other.b * other.c


def of_object_that_holds_one(x):
    pair = Pair(Pair(x, 2.0), x)
    other = copy.copy(pair)
    other.a.a = other.b * x
    return pair.a.a * other.a.a


def of_data_class(x):
    point = Point(x)
    other = copy.copy(point)
    other.x = other.x * point.y * x
    return point.x * other.x


def in_its_own_way(x):
    return copy.copy(OwnWay(x)).value * x


WORKING = (
    of_list, of_dict, of_array, of_deque, shares_items, deep_list, deep_dict, of_tuple_and_number,
    of_object, of_object_that_holds_one, of_data_class, in_its_own_way,
)


@pytest.mark.parametrize("f", WORKING)
def test_gradient(f):
    check_gradient(f, (1.3,), zyg.pullback)


def deep_object(x):
    return copy.deepcopy(Pair(x, x)).a


def deep_list_of_objects(x):
    return copy.deepcopy([Pair(x, x)])[0].a


@pytest.mark.parametrize("f", [deep_object, deep_list_of_objects])
def test_deep_copies_of_objects(f):
    check_gradient(f, (1.3,), zyg.pullback)


class WithState(Pair):
    def __getstate__(self):
        return {"a": self.b, "b": self.a}


def deep_object_of_its_own_way(x):
    return copy.deepcopy(WithState(x, x)).a


def deep_list_of_the_same(x):
    row = [x]
    return copy.deepcopy([row, row])[0][0]


def with_an_attribute_from_outside(x):
    pair = Pair(x, x)
    pair.other = x * 3
    return copy.copy(pair).a * pair.other


def by_pickle(x):
    return pickle.loads(pickle.dumps(Pair(x, x))).a


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: copy.copy(WithState(x, x * x)).a, "copies its attributes"),
        (deep_object_of_its_own_way, "says itself how its objects are copied"),
        (deep_list_of_the_same, "the same list twice"),
        (with_an_attribute_from_outside, "stores its attribute `other`"),
        (by_pickle, "dumps is given an object"),
    ],
)
def test_refused(f, message):
    with pytest.raises((NotDifferentiable, UnsupportedSyntax), match=message):
        zyg.gradient(f, 1.3)


def copied_list(x):
    items = copy.deepcopy([x, x * x])
    items[0] = items[0] * 2.0
    return items[0] * items[1]


def copied_array(x):
    items = copy.deepcopy(np.array([x, x * x]))
    return items[0] * items[1] * copy.copy(items)[1]


@pytest.mark.parametrize("f", [copied_list, copied_array])
def test_second_derivatives_of_copies(f):
    for inner in MODES:
        for outer in MODES:
            check_second_derivative(f, inner, outer, 1.3)


class Plain:
    def __init__(self, a):
        self.a = a


class Doubled(Plain):
    def __copy__(self):
        return Doubled(self.a * 2)


def one_of_several(x):
    things = [Plain(x), 3.0, Doubled(x)]
    plain, doubled = copy.copy(things[int(x) - 1]), copy.copy(things[int(x) + 1])
    plain.a = plain.a * x
    return plain.a * things[0].a + doubled.a**2


def list_of_objects(x):
    things = [[Plain(x)], 3.0]
    return copy.copy(things[int(x) - 1])[0].a ** 2


def number_of_several(x):
    return copy.copy([x, 3.0, "a"][int(x) - 1]) ** 2


@pytest.mark.parametrize("f", [one_of_several, list_of_objects, number_of_several])
def test_copies_of_what_is_found_at_run_time(f):
    check_gradient(f, (1.3,), zyg.pullback)


def test_tangents_of_copies_that_are_found_at_run_time():
    for f in (one_of_several, number_of_several):
        assert zyg.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(zyg.gradient(f, 1.3)[0])
