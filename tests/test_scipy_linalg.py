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
        (lambda a: linalg.schur(a)[0][0, 0], "scipy.linalg.schur has no rule"),
        (lambda a: linalg.qr(a, mode="raw")[1][0, 0], "mode='raw'"),
        (lambda a: linalg.eigh(a, a @ a.T, type=2)[0][0], "other types than 1"),
        (lambda a: linalg.eig(a, a @ a.T)[0][0].real, "generalised"),
        (lambda a: linalg.qr(a[:, :2])[0][0, 2], "complete the basis"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, A)


SYMMETRIC = np.array([[3.0, 0.2, 0.1], [0.2, 2.0, 0.3], [0.1, 0.3, 1.0]])
METRIC = np.array([[1.0, 0.3, 0.1], [0.3, 2.0, 0.2], [0.1, 0.2, 1.5]])
PHASES = np.array([[0.0, 0.3j, 0.1], [-0.3j, 0.0, 0.2j], [0.1, -0.2j, 0.0]])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "args"),
    [
        (lambda a, b: linalg.eigh(a, b), (SYMMETRIC, METRIC)),
        (lambda a, b: linalg.eigh(a, b, lower=False, eigvals_only=True), (SYMMETRIC, METRIC)),
        (lambda a, b: linalg.eigvalsh(a, b), (SYMMETRIC + PHASES, METRIC - PHASES)),
        (lambda a: linalg.eigh(a, subset_by_index=[1, 2]), (SYMMETRIC,)),
        (lambda a: linalg.eigvalsh(a, lower=False, subset_by_index=[0, 1]), (SYMMETRIC,)),
        (lambda a, b: linalg.lstsq(a, b)[0], (A[:, :2], A)),
        (lambda a, b: linalg.lstsq(a, b)[:2], (A[:, :2], A[:, 0])),
        (lambda a: np.abs(linalg.eig(a)[1]), (A,)),
    ],
)
def test_eigenvalues_and_least_squares(program, args):
    value, _ = zyg.pullback(program, *args)
    for found, expected in zip(value, program(*args), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    zyg.check_grads(program, *args)


def test_what_is_cut_off_of_a_matrix_is_refused():
    """The derivative for constant rank isn't that of a matrix that a limit has made singular."""
    a = np.diag([3.0, 1.0, 0.1]) + 0.01
    limited = (
        lambda a: np.linalg.pinv(a, 0.2), lambda a: np.linalg.lstsq(a, B, 0.2)[0],
        lambda a: linalg.pinv(a, rtol=0.2), lambda a: linalg.lstsq(a, B, 0.2)[0],
    )
    for program in limited:
        with pytest.raises(zyg.NotDifferentiable, match="cuts off singular values"):
            zyg.gradient(lambda a, f=program: np.sum(f(a)), a)
    for program in (lambda a: np.linalg.pinv(a, 1e-3), lambda a: np.linalg.lstsq(a, B, 1e-3)[0]):
        zyg.check_grads(program, a, order=1)


@pytest.mark.parametrize("solve", [linalg.solve_continuous_are, linalg.solve_discrete_are])
@pytest.mark.parametrize("phase", [1.0, np.array([[1.0, 1j], [1j, 0.5]])])
def test_riccati_equations(solve, phase):
    """SciPy takes symmetric weights alone."""
    def cost(a, b, root, weight):
        gain_cost = np.array([[np.exp(weight)]])
        x = solve(a, b, root @ np.conj(root.T) + np.eye(2), gain_cost)
        return np.real(np.sum(x * np.array([[1.0, 0.3], [0.7, 2.0]])))

    a, b = phase * np.array([[0.3, 1.0], [-0.4, 0.2]]), np.array([[0.1], [1.0]])
    zyg.check_grads(cost, a, b, phase * np.array([[0.5, 0.2], [-0.1, 0.4]]), 0.3)


def test_generalised_riccati_equations_are_refused():
    def cost(a):
        return np.trace(linalg.solve_continuous_are(a, a, np.eye(3), np.eye(3), e=np.eye(3)))

    with pytest.raises(zyg.NotDifferentiable, match="transform `a`"):
        zyg.gradient(cost, A)


def test_logarithm_of_a_matrix_with_negative_eigenvalues():
    def f(t):
        a = np.array([[-2.0, 0.3, 0.2], [0.1, -1.5, 0.4], [0.3, -0.2, 1.0]]) + t * A + t * t * A.T
        y = linalg.logm(a)
        return np.sum(np.real(y) * A) + np.sum(np.imag(y) * A**2)

    assert np.any(np.imag(linalg.logm(np.diag([-1.0, 2.0]))))
    zyg.check_grads(f, 0.1, order=2)


@pytest.mark.parametrize("a", [np.diag([-1.0, -1.0, 2.0]), np.diag([-1.0 + 0j, 2.0])])
def test_no_derivative_where_the_logarithm_of_a_matrix_jumps(a):
    with pytest.raises(zyg.NotDifferentiable, match="the imaginary part jumps there"):
        zyg.gradient(lambda a: np.sum(np.real(linalg.logm(a))), a)
