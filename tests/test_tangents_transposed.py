"""Tangents of rules that can't be looked into: all numbers at once are those one by one."""

import numpy as np
import pytest

import zyg
from tests import rule_rows_composites
from tests.rule_table import ROWS
from zyg.compiler.forward_mode import tangent_rows, tangent_transposed
from zyg.cotangents.cotangent import inexact_dtype
from zyg.errors import NotDifferentiable
from zyg.tangents.tangent import zero_tangent

RNG = np.random.default_rng(3)
MATRIX = RNG.normal(size=(6, 6))


def direction(zero, rng):
    """A tangent like a tangent of zeros."""
    if isinstance(zero, list | tuple):
        return type(zero)([direction(part, rng) for part in zero])
    if isinstance(zero, dict):
        return {key: direction(part, rng) for key, part in zero.items()}
    if zero is None:
        return None
    found = rng.normal(size=np.shape(zero))
    if np.iscomplexobj(zero):
        found = found + 1j * rng.normal(size=np.shape(zero))
    return found.astype(zero.dtype) if isinstance(zero, np.ndarray) else type(zero)(found)


def both(monkeypatch, f, args):
    """The tangents by all numbers at once and by one after the other, and how many were at once."""
    rng = np.random.default_rng(5)
    dots = tuple(direction(zero_tangent(arg), rng) for arg in args)
    at_once = []

    def noted(*call):
        found = tangent_transposed.transposed(*call)
        at_once.append(found is not None)
        return found

    monkeypatch.setattr(tangent_rows, "transposed", noted)
    found = []
    for few in (0, np.inf):
        monkeypatch.setattr(tangent_transposed, "FEW", few)
        try:
            found.append(zyg.jvp(f, args, dots)[1])
        except NotDifferentiable as error:
            found.append(str(error))
    return found, sum(at_once)


def assert_close(found, expected):
    if isinstance(expected, list | tuple):
        assert type(found) is type(expected) and len(found) == len(expected)
        for part, of_expected in zip(found, expected, strict=True):
            assert_close(part, of_expected)
    elif isinstance(expected, str) or expected is None:
        assert found == expected
    elif isinstance(expected, int | float | complex | np.number | np.ndarray):
        if isinstance(expected, np.ndarray):
            assert found.dtype == expected.dtype
        eps = float(np.finfo(inexact_dtype(expected)).eps)
        size = max([1.0, *np.abs(np.ravel(expected))])
        # What is inexact in float32 is often added up in float64 on one of the two ways.
        assert np.allclose(found, expected, rtol=0, atol=1e4 * eps * size, equal_nan=True)
    else:
        assert type(found) is type(expected)  # refuses to be read


@pytest.mark.thorough
@pytest.mark.parametrize("row", [*ROWS, *rule_rows_composites.ROWS], ids=str)
def test_rows(monkeypatch, row):
    callee, kwargs = row.callee, row.kwargs
    if callable(callee):
        f = lambda *args: callee(*args, **kwargs)
    else:
        f = lambda x: getattr(x, callee.__name__)
    (found, expected), _ = both(monkeypatch, f, row.args)
    assert_close(found, expected)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.einsum(a, list(range(2)), a, [1, 2], [2, 0]),
        lambda a: np.prod(a, axis=0),
        lambda a: np.median(a, axis=1),
        lambda a: np.cumprod(a, axis=1),
        lambda a: np.std(a, axis=0, ddof=1),
        lambda a: np.linalg.pinv(a),
        lambda a: np.linalg.qr(a)[1],
        lambda a: np.linalg.eig(a + 1j * a.T)[0],
        lambda a: np.meshgrid(a[0], a[1])[1],
        lambda a: np.pad(a, 1, mode="linear_ramp"),
    ],
)
def test_numbers_at_once(monkeypatch, f):
    (found, expected), at_once = both(monkeypatch, f, (MATRIX,))
    assert at_once
    assert_close(found, expected)
    step = 1e-6 * direction(np.zeros((6, 6)), np.random.default_rng(5))
    assert np.allclose(found, (f(MATRIX + step) - f(MATRIX - step)) / 2e-6, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.array([a, 2 * a]),
        lambda a: np.array([[a[0, 0], 1], [True, a[1, 0] * 1j]]),
        lambda a: np.array([a[0, 0] * 1j, 2.0]).real,
        lambda a: np.array([a[0, 0], 2.0], dtype=int),
        lambda a: np.array([a[0], (1, 2, 3, 4, 5, 6)], np.float32),
        lambda a: np.array(a, ndmin=4),
        lambda a: np.asarray(a) * np.asarray(list(a[0]), dtype=float),
        lambda a: np.select([a > 0, a > -1], [a * a, np.sin(a)], 2.0),
        lambda a: np.select([a > 0], [a * a], True),
        lambda a: np.where(a > 0, a, True),
        lambda a: np.einsum("ij,jk->ki", a, a),
        lambda a: np.einsum("ij,jk,kl,lm,mn,no->io", a, a, a, a, a, a),
        lambda a: np.einsum("ij,jk->ki", a, 1j * a),
        lambda a: np.diff(a, 1, -1, a[:, :1] * 2),
        lambda a: np.ediff1d(a, a[0, 0], a[1]),
    ],
)
def test_declared(f):
    rng = np.random.default_rng(5)
    a_dot = rng.normal(size=(6, 6))
    y, y_dot = zyg.jvp(f, (MATRIX,), (a_dot,))
    step = 1e-6 * a_dot
    assert y_dot.shape == y.shape and y_dot.dtype == (y.dtype if y.dtype.kind in "fc" else float)
    if y.dtype != np.float32:
        expected = (f(MATRIX + step) - f(MATRIX - step)) / 2e-6
        assert np.allclose(y_dot, expected, rtol=1e-6, atol=1e-6 * np.max(np.abs(expected)))
    weights = rng.normal(size=y.shape)
    _, back = zyg.pullback(f, MATRIX)
    assert np.isclose(np.sum(back(weights + 0 * y)[0] * a_dot), np.sum(weights * y_dot).real)

    def loss(a):
        return np.sum(np.abs(f(np.sin(a))) ** 2)

    gradient = zyg.grad(loss)
    second = zyg.hvp(loss, MATRIX, a_dot)
    assert np.allclose(second, zyg.vjp(gradient, MATRIX)[1](a_dot)[0])
    along = lambda a: zyg.jvp(loss, (a,), (a_dot,))[1]
    assert np.allclose(second, zyg.gradient(along, MATRIX)[0])


def test_back_function_whose_derivative_says_something_else(monkeypatch):
    def scaled(x):
        return 3.0 * x

    @zyg.adjoint(scaled)
    def _(x):
        def back(y_bar):
            parts = [3.0 * zyg.dropgrad(bar) for bar in y_bar]
            return np.stack(parts)

        return scaled(x), back

    (found, expected), at_once = both(monkeypatch, lambda a: scaled(a), (MATRIX,))
    assert not at_once
    assert np.array_equal(found, expected) and np.any(found)


def test_infinite_derivatives(monkeypatch):
    a = np.abs(MATRIX)
    a[:, 2] = 0.0
    with np.errstate(all="ignore"):
        (found, expected), _ = both(monkeypatch, lambda a: np.linalg.norm(a, 0.5, axis=0), (a,))
    assert np.array_equal(found, expected, equal_nan=True)
