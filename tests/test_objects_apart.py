"""Objects that code reads which is compiled apart from what changes them."""

import functools
from collections import OrderedDict, deque
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import zyg


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def cubed(self, t):
        return self.x * t * t * t + self.y * t


def cubic(point, t):
    return point.x * t * t * t + point.y * t


def slope(point, t):
    return zyg.gradient(cubic, point, t)[1]


def test_gradient_of_what_reads_an_object_that_was_made():
    def f(t):
        return slope(Point(t, 0.5), t)

    assert zyg.gradient(f, 2.0) == (36.0,)


def test_gradient_of_what_reads_an_object_that_was_changed():
    def f(point, t):
        point.x = point.x * t
        return slope(point, t) * point.x

    assert zyg.gradient(f, Point(1.0, 0.5), 2.0) == ({"x": 97.0, "y": 2.0}, 96.5)


def test_gradient_inside_of_a_loop_that_changes_the_object():
    def f(t):
        total, point = 0.0, Point(1.0, t)
        for _ in range(3):
            total += slope(point, t)
            point.x = point.x * t
        return total

    # total = 3 (t ** 2 + t ** 3 + t ** 4) + 3 t
    assert zyg.gradient(f, 2.0) == (3 * (4.0 + 12.0 + 32.0) + 3.0,)


def test_gradient_of_a_function_that_captures_an_object():
    def f(t):
        point = Point(t, 0.5)
        return zyg.grad(lambda s: cubic(point, s))(t)

    assert zyg.gradient(f, 2.0) == (36.0,)


def test_object_in_a_container():
    def f(t):
        points = [Point(t, 0.5)]
        return zyg.gradient(lambda points, t: points[0].x * t * t, points, t)[1]

    assert zyg.gradient(f, 2.0) == (8.0,)


TABLE = {"x": lambda point: point.x * 2.0, "y": lambda point: point.y * point.x}


@pytest.mark.parametrize(("key", "expected"), [("x", 2.0), ("y", 6.0)])
def test_function_from_a_table_reads_an_object_that_was_made(key, expected):
    def f(t, key):
        return TABLE[key](Point(t, t))

    assert zyg.gradient(f, 3.0, key) == (expected, None)


def test_function_that_was_sorted_captures_an_object():
    def f(t):
        point = Point(t, 0.5)

        def g():
            return point.x * t

        first, _ = sorted([g, g], key=lambda g: 1.0)
        return first()

    assert zyg.gradient(f, 3.0) == (6.0,)


def test_mapped_function_captures_an_object():
    def f(t):
        point = Point(t, 0.5)
        function = functools.partial(map, lambda s: point.x * s)
        first, _ = function([t, t])
        return first

    assert zyg.gradient(f, 3.0) == (6.0,)


class Named(NamedTuple):
    point: Point
    weight: float


def changed(point):
    point.x = 3.0 * point.x
    return point.x * point.y


EXPECTED = {"x": 6.0, "y": 3.0}


def test_object_in_a_namespace():
    def f(box):
        return changed(box.point)

    assert zyg.gradient(f, SimpleNamespace(point=Point(1.0, 2.0))) == ({"point": EXPECTED},)
    nested = SimpleNamespace(point=Point(1.0, 2.0), other=3.0)
    assert zyg.gradient(lambda o: f(o["box"]), {"box": nested}) == (
        {"box": {"point": EXPECTED}},
    )


def test_object_in_a_named_tuple():
    def f(named):
        return changed(named.point) * named.weight

    (found,) = zyg.gradient(f, Named(Point(1.0, 2.0), 2.0))
    assert found == Named({"x": 12.0, "y": 6.0}, 6.0)


def test_object_in_a_deque():
    (found,) = zyg.gradient(lambda points: changed(points[0]), deque([Point(1.0, 2.0)], 3))
    assert found == deque([EXPECTED]) and found.maxlen == 3


def test_object_in_an_ordered_dict():
    (found,) = zyg.gradient(lambda d: changed(d["a"]), OrderedDict(a=Point(1.0, 2.0)))
    assert found == OrderedDict(a=EXPECTED) and type(found) is OrderedDict


class Owner:
    def __init__(self, data):
        self.data = data


def changes_data_and_owner(owner, data, x):
    owner.count = x
    data[0] = x
    return owner.data[0] * owner.data[1]


def test_memory_that_an_object_holds_is_an_argument_that_is_changed():
    data = np.array([1.0, 3.0])
    by_owner, by_data, by_x = zyg.gradient(changes_data_and_owner, Owner(data), data[:1], 2.0)
    assert by_owner["data"].tolist() == [0.0, 2.0] and by_data.tolist() == [0.0] and by_x == 3.0
    y, back = zyg.pullback(changes_data_and_owner, Owner(data), data, 4.0)
    assert y == 12.0
    by_owner, by_data, by_x = back(1.0)
    assert by_owner["data"].tolist() == by_data.tolist() == [0.0, 4.0] and by_x == 3.0
    found = zyg.gradient(changes_data_and_owner, Owner(np.ones(2)), np.ones(2), 2.0)
    assert found[0]["data"].tolist() == [1.0, 1.0] and found[2] == 0.0


class Layer:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x, times=1):
        return x * self.factor**times


class Network:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x, times=2)
        return x


def test_objects_that_are_called():
    network = Network([Layer(2.0), Layer(3.0)])
    expected = {"layers": [{"factor": 2 * 2.0 * 9.0 * 0.5}, {"factor": 4.0 * 2 * 3.0 * 0.5}]}
    assert zyg.gradient(lambda network, x: network(x), network, 0.5) == (expected, 36.0)
    assert zyg.gradient(network, 0.5) == (36.0,)
    code = zyg.code_adjoint(lambda network, x: network(x), network, 0.5)
    assert "pullback_call" not in str(code)


class Cubic:
    def __init__(self, factor):
        self.factor = factor
        self.calls = 0

    def __call__(self, x):
        return self.cubed(x) + self.factor

    def cubed(self, x):
        return self.factor * x * x * x

    def counted(self, x):
        self.calls = self.calls + 1
        return self.cubed(x)


@pytest.mark.parametrize("read", [lambda model, x: model.cubed(x), lambda model, x: model(x)])
def test_second_derivative_through_methods_that_only_read(read):
    def slope_of(model, x):
        return zyg.gradient(read, model, x)[1]

    # 3 factor x ** 2
    assert zyg.gradient(slope_of, Cubic(2.0), 3.0) == ({"factor": 27.0}, 36.0)


def test_second_derivative_through_a_method_that_stores_is_refused():
    def slope_of(model, x):
        return zyg.gradient(lambda model, x: model.counted(x), model, x)[1]

    with pytest.raises(zyg.ZygError, match="works on objects"):
        zyg.gradient(slope_of, Cubic(2.0), 3.0)


def test_attributes_that_only_are_read_stay_out_of_records():
    """What a loop reads of an object from outside is no part of what each iteration records."""

    def f(model, n):
        x = 0.5
        for _ in range(n):
            x = model.factor * x * (1.0 - x)
        return x

    code = str(zyg.code_adjoint(f, Cubic(2.0), 5))
    assert "factor_bar = 0.0" in code and "xs.append(x)" in code
    (found, _) = zyg.gradient(f, Cubic(2.5), 5)
    step = 1e-6
    expected = (f(Cubic(2.5 + step), 5) - f(Cubic(2.5 - step), 5)) / (2 * step)
    assert found["factor"] == pytest.approx(expected, rel=1e-6)
