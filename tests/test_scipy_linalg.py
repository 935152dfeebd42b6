"""The rules of `scipy.linalg` against differences, to first and second order."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg.rules import registry

pytest.importorskip("scipy")

from scipy import linalg

from tests import rule_rows_scipy_linalg as rows
from tests.rule_row import Row
from tests.scipy_check import check_row

registry.register_imported()
ROWS = [
    *rows.solutions(), *rows.banded(), *rows.equations(), *rows.matrices(),
    *rows.factorisations(), *rows.composites(),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_rule(row: Row) -> None:
    check_row(row)


A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.4], [0.3, 0.1, 3.0]])
B = np.array([1.0, -0.5, 0.7])


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.sum(linalg.solve(a, B) ** 2),
        lambda a: np.sum(linalg.solve_triangular(a, B, lower=True) ** 2),
        lambda a: np.sum(linalg.cho_solve(linalg.cho_factor(a @ a.T), B) ** 2),
        lambda a: np.sum(linalg.lu_solve(linalg.lu_factor(a), B) ** 2),
        lambda a: np.sum(linalg.expm(a) * A),
        lambda a: np.sum(linalg.sqrtm(a @ a.T) * A),
        lambda a: np.sum(linalg.logm(a @ a.T) * A),
        lambda a: np.sum(linalg.lu(a)[2] ** 3),
        lambda a: np.sum(linalg.qr(a)[1] ** 3),
        lambda a: linalg.svd(a, full_matrices=False)[0][0, 0],
        lambda a: linalg.eigh(a @ a.T)[1][0, 0] ** 2,
        lambda a: np.sum(linalg.cholesky(a @ a.T) ** 3),
        lambda a: np.sum(linalg.solve_sylvester(a, a, A) ** 2),
        lambda a: np.sum(linalg.block_diag(a, a) ** 3),
        lambda a: linalg.norm(a) * linalg.det(a) + np.sum(linalg.inv(a) ** 2),
        lambda a: np.sum(linalg.toeplitz(a[0], a[1]) ** 3) + np.sum(linalg.circulant(a[0]) ** 3),
        lambda a: np.sum(linalg.solve_banded((1, 1), a, B) ** 2),
    ],
)
def test_second_order(f):
    zyg.check_grads(f, A)


def overwriting(a, b):
    x = linalg.solve(a, b, overwrite_a=True, overwrite_b=True)
    return np.sum(x * b) + np.sum(a)


def test_permission_to_overwrite_is_not_used():
    expected = zyg.gradient(lambda a, b: np.sum(linalg.solve(a, b) * b) + np.sum(a), A, B)
    a, b = np.asfortranarray(A), B.copy()
    for bar, right in zip(zyg.gradient(overwriting, a, b), expected, strict=True):
        np.testing.assert_allclose(bar, right, rtol=1e-13)
    assert np.all(a == A) and np.all(b == B)


def overwriting_a_constant(x, held):
    y = held @ x
    held = linalg.inv(held, True)
    return np.sum(y * y)


def test_constants_are_not_overwritten():
    held = np.asfortranarray(A)
    (bar, _) = zyg.gradient(overwriting_a_constant, B, held)
    np.testing.assert_allclose(bar, 2 * A.T @ A @ B, rtol=1e-13)
    (bar,) = zyg.gradient(lambda x: overwriting_a_constant(x, held), B)
    np.testing.assert_allclose(bar, 2 * A.T @ A @ B, rtol=1e-13)
    assert np.all(held == A)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda a: linalg.eig(a)[0][0].real, "scipy.linalg.eig has no rule"),
        (lambda a: linalg.qr(a, mode="raw")[1][0, 0], "mode='raw'"),
        (lambda a: linalg.eigh(a, a @ a.T)[0][0], "generalised"),
        (lambda a: linalg.qr(a[:, :2])[0][0, 2], "complete the basis"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, A)
