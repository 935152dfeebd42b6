"""Changes in place of memory that the other operand shows too, against differences."""

import numpy as np
import pytest

import zyg

WEIGHTS = np.array([1.0, 2.0, 3.0])


class Box:
    def __init__(self, x):
        self.x = x


class Shown:
    def __init__(self, u, v, x):
        self.u = u
        self.v = v
        self.x = x

    def __matmul__(self, a):
        self.x[1] = a
        return 3


def shown(v, a):
    v.v += v @ a
    v.x *= v.x
    return v.v


def attribute_of_unknown_type(b, c):
    Shown(b, 1, 1)
    o = Shown(1, c, np.zeros(3))
    shown(o, shown(o, 2))
    return o.x.sum()


def multiply(a, b):
    a *= b


def square(a):
    a *= a


def double(a):
    a += a


def multiply_by_reversed(a):
    a *= a[::-1]


def multiply_by_items(a):
    a *= [a[0], a[1], a[2]]


def raise_to_itself(a):
    a **= a


def divide_by_first(a):
    a /= a[0]


def several(a):
    a *= a
    a += a
    a *= a[::-1]
    a -= a * a


def square_by_slice(a):
    a[:] = a * a


def square_by_out(a):
    np.multiply(a, a, out=a)


def square_first(a):
    a[0] *= a[0]


def held(change):
    def f(b, c):
        box = Box(np.array([b, c, b * c]))
        change(box.x)
        return (box.x * WEIGHTS).sum()

    return f


def local(change):
    def f(b, c):
        a = np.array([b, c, b * c])
        change(a)
        return (a * WEIGHTS).sum()

    return f


def held_twice(b, c):
    box = Box(np.array([b, c, b * c]))
    other = Box(box.x[::-1])
    multiply(box.x, other.x)
    return (box.x * WEIGHTS).sum()


def function_of_a_dict(b, c):
    box = Box(np.array([b, c, b * c]))
    table = Box({"multiply": multiply, "array": box.x})
    table.x["multiply"](box.x, table.x["array"])
    return (box.x * WEIGHTS).sum()


def list_item(b, c):
    items = [np.array([b, c, b * c]), 1.0]
    items[0] *= items[0]
    return (items[0] * WEIGHTS).sum()


def held_list_item(b, c):
    box = Box([np.array([b, c, b * c]), 1.0])
    box.x[0] *= box.x[0]
    return (box.x[0] * WEIGHTS).sum()


def nested_function(b, c):
    def change(a):
        a *= a

    box = Box(np.array([b, c, b * c]))
    change(box.x)
    return (box.x * WEIGHTS).sum()


def held_list(b, c):
    box = Box([b, c])
    box.x += box.x
    return box.x[0] * box.x[3]


def differences(f, *x):
    step = 1e-6
    found = []
    for i in range(len(x)):
        above, below = list(x), list(x)
        above[i] += step
        below[i] -= step
        found.append((f(*above) - f(*below)) / (2 * step))
    return found


def assert_right(f):
    np.testing.assert_allclose(zyg.gradient(f, 1.3, 0.7), differences(f, 1.3, 0.7), rtol=1e-5)


OPERATORS = [
    square, double, multiply_by_reversed, multiply_by_items, raise_to_itself, divide_by_first,
    several,
]


@pytest.mark.parametrize(
    "f",
    [
        attribute_of_unknown_type, held_twice, function_of_a_dict, list_item, held_list,
        held_list_item,
    ],
)
def test_programs(f):
    try:
        assert_right(f)
    except (zyg.UnsupportedSyntax, zyg.NotDifferentiable) as error:
        pytest.fail(str(error))


@pytest.mark.parametrize(
    "change", [*OPERATORS, square_by_slice, square_by_out, square_first]
)
def test_array_of_known_type(change):
    assert_right(local(change))


@pytest.mark.parametrize("change", OPERATORS)
def test_captured_function_that_changes_what_an_object_holds_is_refused(change):
    with pytest.raises(zyg.UnsupportedSyntax, match="in place"):
        zyg.gradient(held(change), 1.3, 0.7)


def nested_function_in_a_loop(b, c):
    def change(a):
        for _ in range(1):
            a *= a

    box = Box(np.array([b, c, b * c]))
    change(box.x)
    return (box.x * WEIGHTS).sum()


def test_small_nested_functions_stand_where_they_are_called():
    assert_right(nested_function)
    with pytest.raises(zyg.UnsupportedSyntax, match="in place"):
        zyg.gradient(nested_function_in_a_loop, 1.3, 0.7)


def product(a, b):
    a *= b
    return a.sum()


def product_in_branch(a, b):
    if a[0] > 0:
        reversed_ = b[::-1]
        a *= reversed_[::-1]
    return a.sum()


def product_with_item(a, items):
    a *= items[0]
    return a.sum()


@pytest.mark.parametrize("f", [product, product_in_branch])
def test_same_array_for_two_arguments(f):
    a = np.array([1.0, 2.0, 3.0])
    for bar in zyg.gradient(f, a, a):
        np.testing.assert_allclose(bar, [1.0, 2.0, 3.0])


def test_same_array_in_a_container():
    a = np.array([1.0, 2.0, 3.0])
    a_bar, (item_bar,) = zyg.gradient(product_with_item, a, [a])
    np.testing.assert_allclose(a_bar, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(item_bar, [1.0, 2.0, 3.0])
