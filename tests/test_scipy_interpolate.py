"""`scipy.interpolate` and `scipy.sparse` in differentiated code."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

import scipy
from scipy import integrate, interpolate, sparse
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


# What older versions of SciPy lack.
IS_NEW = np.lib.NumpyVersion(scipy.__version__) >= "1.15.0"
KINDS_OF_PIECES = [
    lambda x, y, **options: interpolate.CubicSpline(x, y, **options),
    lambda x, y, **options: interpolate.PchipInterpolator(x, y, **options),
    *([
        lambda x, y, **options: interpolate.Akima1DInterpolator(x, y, extrapolate=True, **options)
    ] if IS_NEW else []),
    lambda x, y, **options: interpolate.make_interp_spline(x, y, **options),
    lambda x, y, **options: interpolate.CubicHermiteSpline(x, y, y * y, **options),
]
Y2 = np.stack([Y, Y**2 + X])
OUTSIDE = np.array([-0.5, 0.3, 3.9])

PROGRAMS_OF_PIECES = [
    lambda make, x, y, p: make(x, y)(p),
    lambda make, x, y, p: make(x, y)(p[0, 0], 1),
    lambda make, x, y, p: make(x, y)(p, 2) + make(x, y)(p, nu=3) + make(x, y)(p, 4),
    lambda make, x, y, p: make(x, y).derivative()(p) * make(x, y).derivative(2)(p),
    lambda make, x, y, p: make(x, y).antiderivative()(p) * make(x, y).antiderivative(2)(p),
    lambda make, x, y, p: make(x, y).integrate(p[0, 1], p[1, 0]),
    lambda make, x, y, p: make(x, np.stack([y, y**2]), axis=1)(p, 1),
    lambda make, x, y, p: make(x, np.stack([y, y**2]), axis=-1).integrate(p[0, 0], p[1, 1]),
    lambda make, x, y, p: np.nan_to_num(make(x, y)(2 * p - 0.9, extrapolate=False)),
    lambda make, x, y, p: make(x, y)(2 * p - 0.9),
]


def check_value_and_gradients(f, *args, order=1):
    value, expected = zyg.pullback(f, *args)[0], f(*args)
    assert np.shape(value) == np.shape(expected)
    assert np.result_type(value) == np.result_type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-12)
    zyg.check_grads(f, *args, order=order)


@pytest.mark.parametrize("make", KINDS_OF_PIECES)
@pytest.mark.parametrize("program", PROGRAMS_OF_PIECES)
def test_pieces(make, program):
    check_value_and_gradients(lambda x, y, p: program(make, x, y, p), X, Y, POINTS)


@pytest.mark.parametrize("make", KINDS_OF_PIECES)
def test_single_precision_becomes_double_precision(make):
    values = Y.astype(np.float32)
    y, back = zyg.pullback(lambda y: make(X, y)(POINTS), values)
    assert y.dtype == np.float64
    assert back(np.ones_like(y))[0].dtype == np.float32
    zyg.check_grads(lambda p: make(X, Y)(p), POINTS, order=1)


@pytest.mark.thorough
@pytest.mark.parametrize("make", KINDS_OF_PIECES)
@pytest.mark.parametrize("program", PROGRAMS_OF_PIECES)
def test_second_order_of_pieces(make, program):
    zyg.check_grads(lambda x, y, p: program(make, x, y, p), X, Y, POINTS)


@pytest.mark.parametrize(
    "ends",
    [
        *ENDS, ((1, 0.3), (2, -0.4)), ("not-a-knot", (1, 0.2)), ("clamped", "natural"),
    ],
)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_ends_and_few_knots(ends, count):
    check_value_and_gradients(
        lambda x, y, p: interpolate.CubicSpline(x, y, bc_type=ends)(p),
        X[:count], Y[:count], 0.3 * POINTS,
    )


def test_values_at_the_ends():
    def f(first, second):
        return interpolate.CubicSpline(X, Y, bc_type=((1, first), (2, second)))(POINTS)

    check_value_and_gradients(f, 0.3, -0.4)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_periodic_spline(count):
    def f(x, y, points):
        values = np.concatenate([y, y[:1]])
        return interpolate.CubicSpline(x, values, bc_type="periodic")(points)

    check_value_and_gradients(f, X[:count], Y[: count - 1], OUTSIDE, order=2)


def test_coefficients_are_attributes():
    def f(x, y):
        spline = interpolate.CubicSpline(x, y)
        return spline.c * np.sum(spline.x)

    check_value_and_gradients(f, X, Y)


def test_splines_captured_by_integrands_and_equations():
    def total(y):
        spline = interpolate.CubicSpline(X, y)
        return integrate.quad(lambda t: spline(t) ** 2, 0.0, 2.0)[0]

    def final(y):
        spline = interpolate.PchipInterpolator(X, y)
        return integrate.solve_ivp(
            lambda t, u: -u * spline(t), (0.0, 2.0), [1.0], rtol=1e-10, atol=1e-10
        ).y[0, -1]

    zyg.check_grads(total, Y)
    zyg.check_grads(final, Y, order=1)


@pytest.mark.parametrize("axis", [0, 1])
def test_spline_made_elsewhere(axis):
    spline = interpolate.CubicSpline(X, np.moveaxis(Y2, 1, axis), axis)
    check_value_and_gradients(lambda points: spline(points[0]) ** 2, POINTS, order=2)
    check_value_and_gradients(lambda t: spline(t, 1)[1], 0.4, order=2)
    check_value_and_gradients(lambda a, b: spline.integrate(a, b), 0.4, 2.3)
    check_value_and_gradients(lambda t: spline.derivative()(t), 0.4)
    check_value_and_gradients(lambda t: spline.antiderivative()(t), 0.4)


def test_polynomials_of_another_basis_made_elsewhere():
    pieces = interpolate.BPoly.from_power_basis(interpolate.CubicSpline(X, Y))
    check_value_and_gradients(lambda points: pieces(points), POINTS)


X7 = np.array([0.0, 0.7, 1.1, 2.0, 3.2, 3.9, 4.5])
Y7 = np.cos(X7) + 0.1 * X7
P7 = np.array([[0.2, 1.5], [0.95, 2.7]])
X15 = np.linspace(0.0, 4.5, 15)
Y15, WEIGHTS = np.sin(X15), 1 + 0.3 * np.cos(3 * X15)
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.3, 2.7, 4.5, 4.5, 4.5, 4.5])
TCK = interpolate.splrep(X7, Y7)
BSPLINE = interpolate.make_interp_spline(X7, np.stack([Y7, Y7**2]), axis=1)
UNIVARIATE = interpolate.UnivariateSpline(X15, Y15, s=0.1)

PROGRAMS_OF_SPLINES = [
    *[
        lambda x, y, p, k=k: interpolate.make_interp_spline(x, y, k)(p)
        for k in (1, 3, 5, *((2, 4) if IS_NEW else ()))
    ],
    *[
        lambda x, y, p, ends=ends: interpolate.make_interp_spline(x, y, bc_type=ends)(p)
        for ends in ("natural", "clamped", ([(1, 0.3)], [(2, 0.4)]), (None, [(1, 0.2), (2, 0.1)]))
    ],
    lambda x, y, p: interpolate.splev(p, interpolate.splrep(x, y)),
    lambda x, y, p: interpolate.splev(p, interpolate.splrep(x, y, k=2, s=0), der=1),
    *[
        lambda x, y, p, e=e: interpolate.splev(3 * p - 1, interpolate.splrep(x, y), ext=e)
        for e in (0, 1, 3)
    ],
    lambda x, y, p: interpolate.splint(p[0, 0], p[1, 1], interpolate.splrep(x, y)),
    lambda x, y, p: interpolate.splev(p, interpolate.splder(interpolate.splrep(x, y))),
    lambda x, y, p: interpolate.splev(p, interpolate.splantider(interpolate.splrep(x, y))),
    lambda x, y, p: interpolate.InterpolatedUnivariateSpline(x, y)(p),
    lambda x, y, p: interpolate.UnivariateSpline(x, y, s=0, k=4, ext=3).derivative()(p),
    lambda x, y, p: interpolate.InterpolatedUnivariateSpline(x, y).integral(p[0, 0], p[1, 1]),
    *[
        lambda x, y, p, k=k: interpolate.interp1d(x, y, kind=k)(p)
        for k in ("cubic", "quadratic", "slinear")
    ],
    lambda x, y, p: interpolate.pchip_interpolate(x, y, p, der=[0, 1])[1],
]
if np.lib.NumpyVersion(scipy.__version__) >= "1.13.0":
    PROGRAMS_OF_SPLINES.append(
        lambda x, y, p: interpolate.Akima1DInterpolator(x, y, method="makima")(p)
    )


@pytest.mark.parametrize("program", PROGRAMS_OF_SPLINES)
def test_splines(program):
    check_value_and_gradients(program, X7, Y7, P7)


@pytest.mark.thorough
@pytest.mark.parametrize("program", PROGRAMS_OF_SPLINES)
def test_second_order_of_splines(program):
    zyg.check_grads(program, X7, Y7, P7)


@pytest.mark.parametrize("kind", ["nearest", "nearest-up", "previous", "next", "zero"])
def test_steps(kind):
    check_value_and_gradients(lambda y: interpolate.interp1d(X7, y, kind=kind)(P7), Y7)
    points = np.concatenate([X7, 0.5 * (X7[1:] + X7[:-1])])
    check_value_and_gradients(lambda y: interpolate.interp1d(X7, y, kind=kind)(points), Y7)


@pytest.mark.parametrize(
    "program",
    [
        lambda y, w, p: interpolate.splev(p, interpolate.splrep(X15, y, w, t=[1.3, 2.7])),
        lambda y, w, p: interpolate.LSQUnivariateSpline(X15, y, [1.3, 2.7], w)(p),
        lambda y, w, p: interpolate.make_lsq_spline(X15, np.stack([y, y**2], 1), KNOTS, w=w)(p),
        lambda y, w, p: interpolate.BSpline(KNOTS + 0.1 * np.sort(w[:10]), y[:6], 3)(p),
        lambda y, w, p: interpolate.splev(p, (KNOTS, y[:10], 3)),
    ],
)
def test_splines_with_given_knots(program):
    check_value_and_gradients(program, Y15, WEIGHTS, P7, order=2)


@pytest.mark.parametrize(
    "program",
    [
        lambda p: interpolate.splev(p, TCK),
        lambda p: BSPLINE(p[0]) * BSPLINE.derivative()(p[0]) + BSPLINE.antiderivative()(p[1]),
        lambda p: BSPLINE.integrate(p[0, 0], p[1, 1]),
        lambda p: UNIVARIATE(p) * UNIVARIATE.derivative()(p) + UNIVARIATE(p, 2),
        lambda p: UNIVARIATE.integral(p[0, 0], p[1, 1]) * UNIVARIATE.antiderivative()(p),
    ],
)
def test_splines_made_elsewhere(program):
    check_value_and_gradients(program, P7, order=2)


GRID = np.array([0.0, 1.0, 2.5]), np.array([0.0, 0.7, 1.9, 3.0])
VALUES = np.sin(np.arange(12.0)).reshape(3, 4)
PLACES = np.array([[0.3, 0.5], [1.7, 2.2], [2.4, 0.1]])


@pytest.mark.parametrize(
    ("options", "shift"),
    [({}, 0.0), ({"bounds_error": False, "fill_value": 0.3}, 1.0),
     ({"bounds_error": False, "fill_value": None}, 1.0)],
)
def test_grid(options, shift):
    def f(x, y, values, points):
        return interpolate.RegularGridInterpolator((x, y), values, **options)(points)

    check_value_and_gradients(f, *GRID, VALUES, PLACES + shift, order=2)


@pytest.mark.parametrize(
    "program",
    [
        lambda v, p: interpolate.RegularGridInterpolator(GRID, v)(p[0]),
        lambda v, p: interpolate.RegularGridInterpolator(GRID, v)([p[0, 0], p[1, 1]]),
        lambda v, p: interpolate.RegularGridInterpolator(GRID, v[..., None] * p[0])(p),
        lambda v, p: interpolate.interpn(GRID, v, p),
        lambda v, p: interpolate.interpn(GRID, v, (p[0], p[1, 1])),
        lambda v, p: interpolate.interpn((GRID[1],), v[0], p[0]),
        lambda v, p: interpolate.RegularGridInterpolator(GRID, VALUES)(p) * v[0, 0],
        lambda v, p: MADE_GRID(p) * v[0, 0],
    ],
)
def test_programs_on_grids(program):
    check_value_and_gradients(program, VALUES, PLACES)


MADE_GRID = interpolate.RegularGridInterpolator(GRID, VALUES)


def test_nearest_on_a_grid():
    def f(values):
        return interpolate.RegularGridInterpolator(GRID, values, method="nearest")(PLACES)

    check_value_and_gradients(f, VALUES)


def test_spline_of_two_variables():
    spline = interpolate.RectBivariateSpline(X7, X, np.sin(np.outer(X7, X)))
    check_value_and_gradients(lambda x, y: spline.ev(x, y), P7[0], P7[1] / 2)


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


@pytest.mark.parametrize("kind", ["linear", "cubic", "previous"])
def test_interp1d_made_elsewhere(kind):
    made = interpolate.interp1d(X, Y, kind=kind)
    check_value_and_gradients(lambda points: made(points), POINTS, order=2)


def test_other_interpolators_made_elsewhere_are_refused():
    made = interpolate.BarycentricInterpolator(X, Y)
    with pytest.raises(zyg.NotDifferentiable, match="BarycentricInterpolator object has no"):
        zyg.gradient(lambda t: made(t), 0.4)


def shifted(make, x, y, count=3):
    """What calls a class for the user, too long to be copied into its caller."""
    for i in range(count):
        if i > 1:
            y = y + 1.0
    return make(x, y)


@pytest.mark.parametrize(
    "make",
    [
        interpolate.CubicSpline, interpolate.interp1d, interpolate.make_interp_spline,
        interpolate.InterpolatedUnivariateSpline,
    ],
)
def test_splines_of_constants_made_by_functions(make):
    def f(t):
        return shifted(make, X, Y)(t) ** 2

    check_value_and_gradients(f, 0.4, order=2)
    _, slope = zyg.jvp(f, (0.4,), (1.0,))
    np.testing.assert_allclose(slope, zyg.gradient(f, 0.4)[0])
    np.testing.assert_allclose(zyg.hessian(f, 0.4), zyg.grad(zyg.grad(f))(0.4), rtol=1e-9)


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
        (lambda y: interpolate.interp1d(X, np.outer(y, y))(0.3), "one-dimensional values"),
        (lambda y: interpolate.interp1d(X[::-1], y)(0.3), "rising x"),
        (lambda y: interpolate.CubicSpline(X, y).roots()[0], "`roots` and `solve` of splines"),
        (lambda y: interpolate.BarycentricInterpolator(X, y)(0.3), "BarycentricInterpolator has"),
        (lambda y: interpolate.splev(0.3, interpolate.splrep(X, y, s=0.1)), "splrep has a rule"),
        (lambda y: interpolate.UnivariateSpline(X, y)(0.3), "UnivariateSpline has a rule for s=0"),
        (lambda y: interpolate.make_interp_spline(X, y, bc_type="periodic")(0.3), "bc_type"),
        (
            lambda y: interpolate.interpn((X, X), np.outer(y, y), [0.3, 0.3], "cubic")[0],
            "methods 'linear'",
        ),
        (lambda y: np.sum(sparse.csr_array(np.eye(5)).multiply(y).toarray()), "the same shape"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, Y)
