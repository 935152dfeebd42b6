"""The conventions where a derivative does not exist, or where a formula would divide by zero."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import zyg.rules
from zyg.rules.registry import rule_of


def gradients(callee: Any, *args: Any, seed: Any = 1.0, **kwargs: Any) -> Any:
    _, back = rule_of(callee)(*args, **kwargs)
    return back(seed)


ZEROS = np.zeros(3)
HALVES = np.array([0.5, 0.5])


@pytest.mark.parametrize(
    ("callee", "args", "expected"),
    [
        (abs, (0.0,), 0),
        (abs, (0j,), 0),
        (np.abs, (ZEROS,), ZEROS),
        (np.abs, (ZEROS * 1j,), ZEROS),
        (math.fabs, (0.0,), 0),
        (math.hypot, (0.0, 0.0), (0, 0)),
        (np.hypot, (0.0, 0.0), (0, 0)),
        (np.hypot, (np.array([0.0, 3.0]), np.array([0.0, 4.0])), ([0.0, 0.6], [0.0, 0.8])),
        (np.hypot, (np.array([3e-320]), np.array([4e-320])), ([0.6], [0.8])),
        (np.hypot, (np.array([3 * 2.0**1020]), np.array([-(2.0**1022)])), ([0.6], [-0.8])),
        (math.dist, ([1.0], [1.0]), ([0.0], [0.0])),
        (np.linalg.norm, (ZEROS,), ZEROS),
        (np.linalg.norm, (ZEROS, 1), ZEROS),
        (np.linalg.norm, (ZEROS, 3), ZEROS),
        (np.linalg.norm, (np.zeros((2, 2)), "nuc"), np.zeros((2, 2))),
        (np.std, (np.ones(3),), ZEROS),
        (np.ndarray.std, (np.ones(3),), ZEROS),
        (max, (2.0, 2.0), (0.5, 0.5)),
        (min, ([1.0, 3.0, 1.0],), ([0.5, 0.0, 0.5],)),
        (np.max, (np.array([1.0, 3.0, 3.0]),), [0.0, 0.5, 0.5]),
        (np.min, (np.ones((2, 2)),), np.full((2, 2), 0.25)),
        (np.maximum, (2.0, 2.0), (0.5, 0.5)),
        (np.minimum, (2.0, 2.0), (0.5, 0.5)),
        (np.fmax, (2.0, 2.0), (0.5, 0.5)),
        (np.fmax, (2.0, math.nan), (1.0, 0.0)),
        (math.sqrt, (0.0,), math.inf),
        (operator.pow, (0.0, 0.5), (math.inf, 0.0)),
        (operator.pow, (0.0, 0), (0, None)),  # an integer exponent counts factors
        (operator.pow, (0, 1), (1, None)),
        (operator.pow, (np.array([0.0, 0.5]), 0), [0.0, 0.0]),
        (np.power, (np.array([0.0, 0.5]), np.array([0, 0])), [0.0, 0.0]),
        (math.pow, (0.0, 0.5), (math.inf, 0.0)),
        (math.asin, (1.0,), math.inf),
        (np.clip, (np.array([0.0, 1.0, 2.0]), 0.0, 2.0), (np.ones(3), 0.0, 0.0)),
        (np.prod, (np.array([0.0, 2.0, 3.0]),), [6.0, 0.0, 0.0]),
        (np.prod, (np.array([0.0, 0.0, 3.0]),), [0.0, 0.0, 0.0]),
        (math.prod, ([0.0, 2.0, 3.0],), ([6.0, 0.0, 0.0], 0.0)),
        (np.sinc, (ZEROS,), ZEROS),
        (np.angle, (ZEROS * 1j,), ZEROS),
        (np.logaddexp, (-math.inf, 0.0), (0.0, 1.0)),
        (max, ([math.nan, 1.0],), [1.0, 0.0]),
    ],
)
def test_convention(callee: Any, args: Any, expected: Any) -> None:
    compare(gradients(callee, *args), expected)


def compare(actual: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(actual, expected, strict=False):
            compare(one, other)
    else:
        first = actual[0] if isinstance(actual, tuple) else actual
        np.testing.assert_array_equal(np.asarray(first), expected)


def test_exponent_of_negative_base_is_nan() -> None:
    assert math.isnan(gradients(operator.pow, -2.0, 3.0)[1])
    with np.errstate(invalid="ignore"):
        assert np.isnan(gradients(np.power, -2.0, 3.0)[1])


def test_sqrt_of_array_at_zero_is_infinite() -> None:
    with np.errstate(divide="ignore"):
        assert np.isinf(gradients(np.sqrt, np.zeros(2), seed=np.ones(2))).all()


def test_where_gives_no_nan_to_the_other_arm() -> None:
    bars = gradients(
        np.where, np.array([True, False]), np.ones(2), np.ones(2), seed=np.array([1.0, np.inf])
    )
    np.testing.assert_array_equal(bars[1], [1.0, 0.0])
    np.testing.assert_array_equal(bars[2], [0.0, np.inf])


def test_integers_stay_exact() -> None:
    assert gradients(operator.mul, 2**70, 3, seed=1) == (3, 2**70)
    assert gradients(operator.pow, 3, 40, seed=1)[0] == 40 * 3**39
    assert gradients(max, 2**70, 3, seed=1) == (1, 0)
    assert gradients(sum, [1, 2], seed=2**70)[0] == [2**70, 2**70]


def test_cumprod_of_zeros_is_exact() -> None:
    a = np.array([2.0, 0.0, 3.0, 0.0])
    np.testing.assert_array_equal(
        gradients(np.cumprod, a, seed=np.ones(4))[0], [1.0, 8.0, 0.0, 0.0]
    )


def test_structural_zeros_of_several_results() -> None:
    _, back = rule_of(np.split)(np.arange(4.0), 2)
    np.testing.assert_array_equal(back([None, np.ones(2)])[0], [0.0, 0.0, 1.0, 1.0])
    _, back = rule_of(np.linalg.slogdet)(np.eye(2))
    np.testing.assert_array_equal(back((None, 1.0)), np.eye(2))
    np.testing.assert_array_equal(back((1.0, None)), np.zeros((2, 2)))
    _, back = rule_of(np.linalg.eigh)(np.diag([1.0, 2.0]))
    np.testing.assert_allclose(back((np.ones(2), None))[0], np.eye(2))
    _, back = rule_of(np.broadcast_arrays)(1.0, np.ones(2))
    assert back((None, np.ones(2)))[0] is None


COMPLEX = np.array([[1.0 + 0.2j, 0.4 - 0.3j], [0.1 + 0.5j, 2.0 - 0.1j], [0.3 + 0.1j, -0.2 + 0.6j]])


def test_singular_vectors_up_to_their_phase():
    def low_rank(a):
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        best = (u[:, :1] * s[:1] ** 2) @ vh[:1]
        return np.sum(np.abs(best - 1.0) ** 2)

    zyg.check_grads(low_rank, COMPLEX, order=1)
    zyg.check_grads(low_rank, COMPLEX.T.copy(), order=1)


def test_eigenvectors_of_hermitian_matrices_up_to_their_phase():
    def projected(a):
        _, vectors = np.linalg.eigh(np.conj(a.T) @ a)
        return np.sum(np.abs(vectors[:, :1] @ np.conj(vectors[:, :1]).T - 0.3) ** 2)

    zyg.check_grads(projected, COMPLEX, order=1)


@pytest.mark.parametrize(
    "dependent",
    [
        lambda a: np.sum(np.imag(np.linalg.svd(a, full_matrices=False)[0])),
        lambda a: np.sum(np.imag(np.linalg.eigh(np.conj(a.T) @ a)[1]) * np.array([0.3, 1.0])),
    ],
)
def test_results_that_depend_on_a_phase_are_refused(dependent):
    with pytest.raises(zyg.NotDifferentiable, match="phase"):
        zyg.gradient(dependent, COMPLEX)


def test_second_derivative_of_a_singular_determinant():
    def scaled(a):
        return np.linalg.det(a) * a[0, 1]

    zyg.check_grads(scaled, np.array([[1.0, 2.0], [0.3, 4.0]]))
    zyg.check_grads(scaled, np.array([[1.0, 2.0], [2.0, 4.0]]))


def test_second_derivative_of_a_sum_of_nothing():
    def paths(x):
        none = np.array([-np.inf, -np.inf, 0.0]) + x
        return np.sum(np.logaddexp(np.logaddexp(none, np.array([-np.inf, 1.0, -np.inf])), x * x))

    with np.errstate(invalid="raise"):
        (second,) = zyg.gradient(lambda x: zyg.gradient(paths, x)[0], 0.7)
        assert zyg.hvp(paths, 0.7, 1.0) == pytest.approx(second)
    slopes = [zyg.gradient(paths, 0.7 + step)[0] for step in (-1e-5, 1e-5)]
    assert second == pytest.approx((slopes[1] - slopes[0]) / 2e-5)


EMPTY = np.zeros((0, 3))


@pytest.mark.parametrize(
    "program",
    [
        np.sum,
        np.prod,
        lambda x: np.sum(np.mean(x, axis=1) + np.var(x, axis=1) + np.max(x, axis=1)),
        lambda x: np.sum(np.cumsum(x)) + np.sum(np.sort(x, axis=0)),
        lambda x: np.sum(np.median(x, axis=1)) + np.sum(np.quantile(x, [0.3, 0.6], axis=-1)),
        lambda x: np.sum(np.percentile(x, 20, axis=1, keepdims=True)),
        lambda x: np.sum(np.concatenate([x, np.ones((2, 3))]) ** 2),
        lambda x: np.sum(x @ np.ones((3, 2))) + np.sum(np.ones((2, 0)) @ x),
        lambda x: np.linalg.norm(x) + np.max(x, initial=1.0),
        lambda x: np.sum(np.where(x > 0, x, 0)) + np.einsum("ij->", x),
        lambda x: np.sum(np.pad(x, 1)) + np.sum(x[np.array([], int)]),
        lambda x: np.sum(np.add.reduce(x)) + np.sum(np.logaddexp.reduce(x, axis=1)),
    ],
)
def test_empty_arrays(program):
    (bar,) = zyg.gradient(program, EMPTY)
    assert bar.shape == (0, 3) and bar.dtype == float


@pytest.mark.parametrize(
    "function",
    [
        np.sum, np.mean, np.prod, np.max, np.var, np.std, np.exp, np.abs, np.cumsum, np.ravel,
        np.squeeze, np.atleast_2d, np.median, lambda x: x * x, lambda x: np.sum(x, where=x > 0),
    ],
)
def test_arrays_without_dimensions(function):
    (bar,) = zyg.gradient(lambda x: np.sum(function(x)), np.array(0.5, np.float32))
    assert isinstance(bar, np.ndarray) and bar.shape == () and bar.dtype == np.float32


def test_integers_have_gradients_of_double_precision():
    np.testing.assert_array_equal(zyg.gradient(lambda x: np.sum(x * x), np.arange(3))[0], [0, 2, 4])
    (bar,) = zyg.gradient(lambda x: np.mean(x * 1.5, where=x > 1), np.array([1, 4], np.uint8))
    assert bar.dtype == float and bar.tolist() == [0.0, 1.5]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.ma.masked_array(x, [False, True]).sum(),
        lambda x: np.ma.masked_where(x > 1, x).mean(),
        lambda x: (np.matrix(x) * 2.0).sum(),
    ],
)
def test_masked_arrays_and_matrices_are_refused_inside_too(program):
    with pytest.raises(zyg.NotDifferentiable, match="numpy"):
        zyg.gradient(program, np.array([1.0, 2.0]))


def cubes_of_eigenvalues(a):
    values, _ = np.linalg.eigh(a)
    return np.sum(values**3)


def cubes_of_singular_values(a):
    _, values, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum(values**3)


@pytest.mark.parametrize("f", [cubes_of_eigenvalues, cubes_of_singular_values])
def test_equal_values_whose_vectors_nobody_uses(f):
    a = np.stack([2 * np.eye(3), np.diag([1.0, 3.0, 3.0])])
    expected = np.stack([12 * np.eye(3), np.diag([3.0, 27.0, 27.0])])
    np.testing.assert_allclose(zyg.gradient(f, a)[0], expected)
    direction = np.ones_like(a)
    with np.errstate(invalid="ignore", divide="ignore"):
        assert zyg.jvp(f, (a,), (direction,))[1] == pytest.approx(np.sum(expected))


def test_zero_singular_values_whose_vectors_nobody_uses():
    a = np.diag([2.0, 0.0, 0.0])
    np.testing.assert_allclose(
        zyg.gradient(cubes_of_singular_values, a)[0], np.diag([12.0, 0, 0]), atol=1e-15
    )


def test_vectors_of_equal_eigenvalues_have_no_derivative():
    with np.errstate(invalid="ignore", divide="ignore"):
        (gradient,) = zyg.gradient(lambda a: np.linalg.eigh(a)[1][0, 0], np.eye(2))
    assert not np.any(np.isfinite(gradient[1]))


@pytest.mark.parametrize("f", [cubes_of_eigenvalues, cubes_of_singular_values])
def test_second_derivative_by_unpacked_values(f):
    a = np.diag([1.0, 2.0, 3.0]) + 0.1

    def directional(a):
        return np.sum(zyg.gradient(f, a)[0])

    (second,) = zyg.gradient(directional, a)
    step = 1e-6
    for index in [(0, 0), (2, 1)]:
        moved = np.zeros_like(a)
        moved[index] = step
        difference = (directional(a + moved) - directional(a - moved)) / (2 * step)
        assert second[index] == pytest.approx(difference, abs=1e-5)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.sum(np.sqrt(np.maximum(x, 0))),
        lambda x: np.sum(np.sqrt(-np.minimum(-x, 0))),
        lambda x: np.sum(np.sqrt(np.fmax(x, 0.0))),
        lambda x: np.sum(np.sqrt(np.clip(x, 0, None))),
        lambda x: np.sum(np.sqrt(x.clip(0))),
        lambda x: np.sum(np.sqrt(np.select([x > 0], [x], 0))),
        lambda x: np.sqrt(np.max(x - 4.0)) + np.sum(np.where(x > 0, np.sqrt(abs(x)), 0)),
    ],
)
def test_infinite_slopes_of_what_was_not_selected(program):
    with np.errstate(divide="ignore"):
        (bar,) = zyg.gradient(program, np.array([-1.0, 4.0]))
    assert bar[0] == 0 and bar[1] in (0.25, math.inf)


def test_softplus_and_its_derivatives_where_the_operands_are_equal():
    f, slopes = np.logaddexp, []
    for _ in range(4):
        f = zyg.grad(f)
        slopes.append(f(0.0, 0.0))
    assert slopes == [0.5, 0.25, 0.0, -0.125]
    x = np.array([0.0, 1.0, 1000.0, -1000.0, -math.inf])
    np.testing.assert_allclose(
        np.diag(zyg.hessian(lambda x: np.sum(np.logaddexp(0, x)), x)),
        [0.25, 0.19661193324148185, 0.0, 0.0, 0.0], rtol=1e-12,
    )


@pytest.mark.parametrize("x", [1e-9, -1e-5, 1e-3, 0.0999, 0.1001, 0.0])
def test_sinc_close_to_zero(x):
    def series(x, order):
        """Of the derivatives of `sin(pi x) / (pi x)`."""
        return sum(
            (-1) ** k * math.pi ** (2 * k) * math.perm(2 * k, order) * x ** (2 * k - order)
            / math.factorial(2 * k + 1)
            for k in range(1, 12)
        )

    assert zyg.gradient(np.sinc, x)[0] == pytest.approx(series(x, 1), rel=1e-13, abs=0)
    (second,) = np.diag(zyg.hessian(lambda x: np.sum(np.sinc(x)), np.array([x])))
    assert second == pytest.approx(series(x, 2), rel=1e-11)


def test_precision_of_covariances():
    x = np.array([[0.1, 0.7, 0.2], [0.4, 0.3, 0.9]], np.float32)
    y, back = zyg.pullback(np.cov, x)
    np.testing.assert_array_equal(y, np.cov(x), strict=True)
    assert back(y)[0].dtype == np.float32
    zyg.check_grads(lambda x: np.cov([x, 2 * x, 1.0]), 0.5)


def test_repeated_number():
    (bar,) = zyg.gradient(lambda x: np.sum(np.repeat(x, 3, axis=0)), np.array(0.7))
    assert bar.shape == () and bar == 3.0


@pytest.mark.parametrize(
    "flat",
    [
        lambda v: np.sqrt(np.maximum(v, 0.0)), lambda v: np.sqrt(np.clip(v, 0.0, 9.0)),
        lambda v: np.sqrt(np.where(v > 0, v, 0.0)), lambda v: np.maximum(v, 0.0) ** 0.5,
        lambda v: np.cbrt(np.fmax(v, 0.0)),
        lambda v: np.arcsin(np.minimum(np.maximum(v, 0.0), 4.0) / 4.0),
        lambda v: np.float_power(np.maximum(v, 0.0), 0.5),
    ],
)
def test_flat_functions_of_what_is_cut_off(flat):
    """Where `v` is cut off, slopes are infinite or not, and have no part."""
    v, inside = np.array([-1.0, 2.0, -0.5]), np.array([2.0])

    def f(v):
        return np.sum(flat(v)) ** 2

    (bar,), (slope,) = zyg.gradient(f, v), zyg.gradient(f, inside)[0]
    np.testing.assert_allclose(bar, [0.0, slope, 0.0], rtol=1e-14)
    ones = np.ones(3)
    assert zyg.jvp(f, (v,), (ones,))[1] == pytest.approx(slope, rel=1e-14)
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return  # values decide on dtypes: the run time finds second derivatives, and makes NaN
    curvature = zyg.hvp(f, inside, np.ones(1))[0]
    np.testing.assert_allclose(zyg.hvp(f, v, ones), [0.0, curvature, 0.0], rtol=1e-14)


@pytest.mark.parametrize("cut", [lambda v: np.maximum(v, 0.0), lambda v: np.clip(v, 0.0, 9.0)])
def test_cotangents_that_are_nan_where_they_are_cut_off(cut):
    (bar,) = zyg.gradient(lambda v: np.sum(np.sqrt(cut(v)) ** 2), np.array([-1.0, 2.0, 0.5]))
    np.testing.assert_allclose(bar, [0.0, 1.0, 1.0], rtol=1e-14)


Z = np.array([0j, 1 + 1j])


@pytest.mark.parametrize(("f", "x", "factor"), [
    (lambda x: abs(x) ** 2, 0.0, 2),
    (lambda x: abs(x) ** 2, 0j, 2),
    (lambda z: np.sum(np.abs(z) ** 2), Z, 2),
    (lambda z: np.sum(np.square(np.absolute(z))), Z, 2),
    (lambda x: np.sum(np.abs(x) ** 2 + np.abs(x) ** 3), np.array([0.0, 1.0]), np.array([2, 8])),
    (lambda x: np.linalg.norm(x) ** 2, ZEROS, 2),
    (lambda x: 0.5 * np.linalg.norm(x, "fro") ** 2.0, np.zeros((2, 2)), 1),
    (lambda x: np.sum(np.linalg.norm(x, axis=1, keepdims=True) ** 2), np.zeros((2, 3)), 2),
    (lambda x: np.sum(pow(np.linalg.norm(x, axis=(0, 2)), 2)), np.zeros((2, 2, 2)), 2),
    (lambda x: np.sum(np.hypot(x, 0.5 * x) ** 2), ZEROS, 2.5),
    (lambda x: math.hypot(x, 2 * x, x) ** 2, 0.0, 12),
    (lambda x: np.linalg.norm(x, 1) ** 2, np.array([2.0, -1.0]), None),
    (lambda x: np.sum(np.linalg.norm(x, axis=0, ord=3) ** 2), np.array([[2.0], [-1.0]]), None),
])
def test_second_derivatives_of_squares_of_sizes(f, x, factor):
    """A square is smooth where what is squared has a kink."""
    v = (np.arange(np.size(x)) - 0.5).reshape(np.shape(x))
    v = v * (1 + 0.5j) if np.iscomplexobj(x) else v
    v = type(x)(v) if np.ndim(x) == 0 else v

    def gradient(x):
        return zyg.gradient(f, x)[0]

    def slope(x, v):
        return zyg.jvp(f, (x,), (v,))[1]

    expected = v * factor if factor is not None else (gradient(x + 1e-6 * v) - gradient(x)) / 1e-6
    tolerance = 1e-12 if factor is not None else 1e-4
    for found in (
        zyg.hvp(f, x, v), zyg.pullback(gradient, x)[1](v)[0], zyg.gradient(slope, x, v)[0]
    ):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-12)
    along = zyg.jvp(slope, (x, v), (v, 0 * v))[1]
    np.testing.assert_allclose(along, np.sum(np.real(np.conj(v) * expected)), rtol=tolerance)


def test_a_square_of_a_size_of_what_has_changed():
    def f(x):
        y = x.copy()
        size = np.linalg.norm(y)
        y *= 3.0
        return size**2 + np.sum(y)

    zyg.check_grads(f, np.array([1.0, -2.0]))


@pytest.mark.parametrize("n", [3, 300])
def test_second_derivatives_beside_an_item_where_there_is_none(n):
    def angles(x):
        return np.sum(np.where(x > 0, np.arctan2(x, 1 + x * x), 0) ** 2)

    def angles_about_a_center(x):
        return np.sum(np.arctan2(x - x[0], np.sin(x - x[0]))[1:] ** 3)

    x, v = np.linspace(0.0, 2.0, n), np.linspace(1.0, 0.5, n)
    for f in (angles, angles_about_a_center):
        def gradient(x, f=f):
            return zyg.gradient(f, x)[0]

        expected = (gradient(x + 1e-6 * v) - gradient(x - 1e-6 * v))[1:] / 2e-6
        np.testing.assert_allclose(zyg.hvp(f, x, v)[1:], expected, rtol=1e-4, atol=1e-6)
        by_pullback = zyg.pullback(gradient, x)[1](v)[0]
        np.testing.assert_allclose(by_pullback[1:], expected, rtol=1e-4, atol=1e-6)
