"""`scipy.interpolate` and `scipy.sparse` in differentiated code."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import interpolate, sparse
from scipy.sparse.linalg import spsolve

X = np.array([0.0, 0.7, 1.1, 2.0, 3.2])
Y = np.array([0.3, -0.4, 1.2, 0.8, 0.1])
POINTS = np.array([[0.2, 1.5], [0.9, 2.7]])
ENDS = ("not-a-knot", "natural", "clamped")


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("values", [Y, np.stack([Y, Y**2 + X], 1)])
@pytest.mark.parametrize("nu", [0, 1, 2])
def test_cubic_spline(ends, values, nu):
    def f(x, y, points):
        return np.sum(interpolate.CubicSpline(x, y, bc_type=ends)(points, nu) ** 2)

    assert zyg.withgradient(f, X, values, POINTS)[0] == pytest.approx(f(X, values, POINTS), 1e-12)
    zyg.check_grads(f, X, values, POINTS, order=1)
    points = np.array([-0.5, 0.0, 3.2, 4.0])
    y, _ = zyg.pullback(lambda y: interpolate.CubicSpline(X, y, bc_type=ends)(points, nu), values)
    np.testing.assert_allclose(
        y, interpolate.CubicSpline(X, values, bc_type=ends)(points, nu), rtol=1e-10, atol=1e-12
    )


def test_second_order_of_a_spline():
    zyg.check_grads(lambda y: np.sum(interpolate.CubicSpline(X, y)(POINTS) ** 2), Y)


def test_spline_made_elsewhere():
    spline = interpolate.CubicSpline(X, np.stack([Y, Y**2], 1))
    zyg.check_grads(lambda points: np.sum(spline(points) ** 2), POINTS, order=1)
    zyg.check_grads(lambda t: spline(t)[1], 0.4, order=1)


@pytest.mark.parametrize(
    "options", [{}, {"fill_value": "extrapolate"}, {"bounds_error": False, "fill_value": (0.1, 2)}]
)
def test_interp1d(options):
    def f(x, y, points):
        return interpolate.interp1d(x, y, **options)(points)

    points = POINTS if not options else np.array([-0.3, 0.5, 3.5])
    y, _ = zyg.pullback(f, X, Y, points)
    np.testing.assert_allclose(y, f(X, Y, points), rtol=1e-12)
    zyg.check_grads(lambda *args: np.sum(f(*args) ** 2), X, Y, points, order=1)


def test_interp1d_out_of_bounds():
    with pytest.raises(ValueError, match="interpolation range"):
        zyg.gradient(lambda y: interpolate.interp1d(X, y)(9.0), Y)


DENSE = np.array([[2.0, 0.3, 0.0], [0.1, 1.0, 0.4], [0.0, 0.2, 3.0]])
V = np.array([1.0, -0.5, 0.7])


KINDS = (
    sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.csc_matrix,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "product",
    [
        lambda s, x: s @ x, lambda s, x: s.dot(x), lambda s, x: s.T @ x,
        lambda s, x: s @ np.outer(x, x),
    ],
)
def test_products(kind, product):
    matrix = kind(DENSE)
    zyg.check_grads(lambda x: np.sum(product(matrix, x) ** 2), V, order=1)
    (bar,) = zyg.gradient(lambda x: np.sum(product(matrix, x) ** 2), V)
    np.testing.assert_allclose(
        bar, zyg.gradient(lambda x: np.sum(product(DENSE, x) ** 2), V)[0], rtol=1e-12
    )


def test_products_of_matrices_by_a_star_are_refused():
    matrix = sparse.csr_matrix(DENSE)
    with pytest.raises(zyg.NotDifferentiable, match="make it a csr_array"):
        zyg.gradient(lambda x: np.sum(matrix * x), V)
    with pytest.raises(zyg.NotDifferentiable, match="make it a csr_array"):
        zyg.gradient(lambda x: np.sum(matrix * (matrix @ x)), V)
    with pytest.raises(zyg.NotDifferentiable, match="make it a csr_array"):
        zyg.gradient(lambda x, held: np.sum((x[0] * held[0]) * x), V, [matrix])
    bar, _ = zyg.gradient(lambda x, held: np.sum((x[0] * held[0]) @ x), V, [matrix])
    np.testing.assert_allclose(bar, V[0] * DENSE.sum(0) + np.eye(3)[0] * np.sum(DENSE @ V))


def test_spsolve():
    matrix = sparse.csc_array(DENSE)
    zyg.check_grads(lambda b: np.sum(spsolve(matrix, b) ** 2), V, order=1)
    zyg.check_grads(lambda b: np.sum(spsolve(matrix, np.outer(b, b)) ** 2), V, order=1)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda y: interpolate.interp1d(X, y, kind="cubic")(0.3), "kind='linear'"),
        (lambda y: interpolate.CubicSpline(X, y, bc_type="periodic")(0.3), "bc_type"),
        (lambda y: interpolate.CubicSpline(X, y).integrate(0.0, 1.0), "`integrate` of what scipy"),
        (lambda y: interpolate.CubicSpline(X, y).derivative()(0.3), "`derivative` of what"),
        (lambda y: interpolate.PchipInterpolator(X, y)(0.3), "PchipInterpolator has no rule"),
        (lambda y: np.sum(sparse.csr_array(np.eye(5)).multiply(y).toarray()), "the same shape"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, Y)
