"""Signs and constant factors of cotangents move outwards, and the gradients stay what they were."""

import math

import numpy as np
import pytest

import zyg
from tests import differences

X = np.array([0.3, 2.0, 1.0])
RANDOM = np.random.default_rng(5)
A = np.array([[0.5, 1.5, 2.5], [1.0, 2.0, 3.0]])


def squares(x, scale):
    return np.sum(0.5 * (x / scale) ** 2)


def distances(x):
    return np.sum(np.exp(-(A - x) * 0.5))


def rotation(x):
    return x - math.cos(x)


def test_a_quotient_is_divided_once_and_factors_that_cancel_are_gone():
    listing = str(zyg.code_gradient(squares, A, X))
    assert listing.count("/ scale") == 2  # one in the primal, one in the adjoint
    assert "*" not in listing.replace("x_bar * t", "")


def errors(x, y):
    return np.mean((x - y) ** 2)


def gaussian(v, f):
    return -0.5 * (math.log(f) + v * v / f)


def test_numbers_are_multiplied_before_they_are_divided():
    assert "2.0 / count * t" in str(zyg.code_gradient(errors, A, A))
    listing = str(zyg.code_gradient(gaussian, 0.3, 2.0))
    assert "v / f" in listing.partition("_bar")[2]
    assert "2.0 *" not in listing and "* 2.0" not in listing


@pytest.mark.parametrize(
    ("v", "f"), [(0.3, 2.0), (np.float32(0.3), np.float32(2.0)), (np.float64(0.3), 2), (3, 2.0)]
)
def test_quotients_of_numbers_of_each_kind(v, f):
    for found, like, expected in zip(
        zyg.gradient(gaussian, v, f), (v, f), (-v / f, 0.5 * (v * v / f**2 - 1 / f)), strict=True
    ):
        assert found == pytest.approx(expected, rel=1e-6)
        assert type(found) is (float if type(like) is int else type(like))


def test_a_sign_is_applied_behind_the_reduction():
    listing = str(zyg.code_gradient(squares, A, X))
    assert "-np.add.reduce(" in listing


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (squares, (A, X), (A / X**2, -np.sum(A**2, axis=0) / X**3)),
        (distances, (X,), (0.5 * np.sum(np.exp(-(A - X) * 0.5), axis=0),)),
        (errors, (A, A[::-1]), (2.0 / 6.0 * (A - A[::-1]), 2.0 / 6.0 * (A[::-1] - A))),
        (gaussian, (0.3, 2.0), (-0.15, 0.5 * (0.0225 - 0.5))),
        (rotation, (0.7,), (1.0 + math.sin(0.7),)),
    ],
)
def test_gradients(function, args, expected):
    for found, known in zip(zyg.gradient(function, *args), expected, strict=True):
        np.testing.assert_allclose(found, known, rtol=1e-13)


def test_single_precision_is_kept():
    x = X.astype(np.float32)
    gradients = zyg.gradient(squares, A.astype(np.float32), x)
    assert [gradient.dtype for gradient in gradients] == [np.float32, np.float32]


def test_a_factor_of_double_precision_keeps_products_in_double_precision():
    """`np.float64` times float32 is float64: multiplying the arrays first would lose digits."""
    factor = np.float64(0.1)

    def f(x, y):
        return np.sum((factor * x) * (factor * y))

    x, y = X.astype(np.float32), X.astype(np.float32)[::-1].copy()
    (x_bar,) = zyg.gradient(lambda x: f(x, y), x)
    assert x_bar.dtype == np.float32
    np.testing.assert_allclose(x_bar, 0.01 * y.astype(float), rtol=1e-6)


def spring(state, steps):
    for _ in range(steps):
        state = state[0] + 0.1 * state[1], state[1] - 0.1 * math.sin(state[0])
    return state[0] * state[-1]


def read_twice(pair):
    return pair[1] * pair[1] + math.sin(pair[1])


def test_items_of_tuples_are_added_one_by_one():
    listing = str(zyg.code_gradient(spring, (0.3, 0.4), 3))
    assert "one_hot" not in listing and "accumulate" not in listing
    differences.check_gradient(spring, ((0.3, 0.4), 3), zyg.pullback)
    differences.check_gradient(read_twice, ((0.3, 0.4),), zyg.pullback)
    assert zyg.gradient(read_twice, (0.3, 0.0)) == ((0.0, 1.0),)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_infinities_and_signs_pass():
    (x_bar,) = zyg.gradient(lambda x: np.sum(-x / np.array([1.0, np.inf, -2.0])), X)
    np.testing.assert_array_equal(x_bar, [-1.0, -0.0, 0.5])
    (y_bar,) = zyg.gradient(lambda y: np.sum(1.0 / y), np.array([0.0, -1.0]))
    np.testing.assert_array_equal(y_bar, [-np.inf, -1.0])


def layer(w, b, x):
    return np.mean((x @ w + b) ** 2)


def test_a_product_that_is_needed_anyway_is_summed():
    listing = str(zyg.code_gradient(layer, A.T, X[:2], A))
    assert "np.add.reduce(t, axis=0)\n" in listing
    differences.check_gradient(layer, (A.T, X[:2], A), zyg.pullback)


def test_an_array_is_no_factor_of_a_sum():
    """The sum over columns of `x * b` is another one than that of `x`, times `b`."""
    square = RANDOM.normal(size=(3, 3))

    def f(x, b, c):
        return np.sum((x * b) * c) + np.sum(np.sum(x * b, axis=1) * b)

    differences.check_gradient(f, (square, X, X[:, None].copy()), zyg.pullback)


def test_whole_numbers_meet_floats_as_floats():
    listing = str(zyg.code_gradient(lambda x: np.sum(np.tanh(x) + x[0] * x**3), X))
    assert "1.0 -" in listing and "3.0 *" in listing and "x ** 2" in listing and "[0]" in listing
    single = X.astype(np.float32)
    assert zyg.gradient(lambda x: np.sum(np.tanh(x)), single)[0].dtype == np.float32


def test_sizes_and_shapes_of_arrays_are_attributes():
    listing = str(zyg.code_gradient(lambda x: np.mean(np.exp(x)), A))
    assert "x.size" in listing and "np.shape" not in listing
    assert "np.shape(" in str(zyg.code_gradient(np.mean, [1.0, 2.0]))


@pytest.mark.parametrize("root", [math.sqrt, np.sqrt])
def test_an_operand_times_its_root(root):
    def powered(x, y):
        return y * (root(x) * x)

    zyg.check_grads(powered, 2.0, 3.0, order=2)
    assert "/" not in str(zyg.code_gradient(powered, 2.0, 3.0))
    assert zyg.gradient(powered, 4.0, 3.0) == (9.0, 8.0)
    assert zyg.gradient(powered, 0.0, 3.0) == (0.0, 0.0)
    assert zyg.gradient(powered, math.inf, 3.0) == (math.inf, math.inf)


def test_an_array_times_its_root():
    def powered(x):
        return np.sum(2.0 * x * np.sqrt(x))

    zyg.check_grads(powered, X, order=2)
    np.testing.assert_array_equal(zyg.gradient(powered, np.array([0.0, 4.0]))[0], [0.0, 6.0])


def test_the_root_of_something_else_is_divided_by():
    def scaled(x, y):
        return x * math.sqrt(y) + y * math.sqrt(y + 1.0)

    zyg.check_grads(scaled, 2.0, 3.0, order=2)
    assert zyg.gradient(scaled, 2.0, 0.0)[1] == math.inf


def test_a_sign_goes_into_a_factor_where_several_read_the_product():
    def near(x, y, z):
        r = x * x + y * y + z
        return 1.0 / (r * math.sqrt(r))

    zyg.check_grads(near, 0.5, 0.7, 0.3, order=2)
    assert "* -1.5" in str(zyg.code_gradient(near, 0.5, 0.7, 0.3))
