"""Rules of `scipy.linalg`: solutions of linear equations, by all the forms a matrix has there.

In `a x = b` the cotangent of `b` solves the equation of the conjugate transpose, and that of `a` is
minus its outer product with `x`, kept where the function reads `a`. `overwrite_*` is permission
that rules don't make use of: the reverse pass reads what would be overwritten.

Source: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008).
"""

from __future__ import annotations

import inspect

import numpy as np
from scipy import linalg

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.facts.scipy_facts import of_linear_algebra
from zyg.rules.factorisations import cholesky_bar, lower_half
from zyg.rules.linalg import adjoint_of, minus_outer
from zyg.rules.registry import adjoint, constant

of_linear_algebra(linalg)

GENERAL = inspect.signature(linalg.solve).parameters["assume_a"].default
SYMMETRIC = ("sym", "symmetric")
HERMITIAN = ("her", "hermitian", "pos", "positive definite")
# Until SciPy 1.18 the other triangle of a factor holds what the matrix has there; then zeros.
CHO_FACTOR_KEEPS_REST = bool(linalg.cho_factor(np.array([[4.0, 1.0], [1.0, 4.0]]))[0][1, 0])


@adjoint(linalg.solve)
def solve(
    a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=GENERAL,
    transposed=False,
):
    x = linalg.solve(
        a, b, lower, check_finite=check_finite, assume_a=assume_a, transposed=transposed
    )

    def back(x_bar):
        b_bar = transposed_solution(x_bar, a, lower, assume_a, transposed)
        a_bar = outer_of(b_bar, x, b, transposed)
        return (
            unbroadcast(part_read(a_bar, lower, assume_a), a),
            unbroadcast(b_bar, b),
        )

    return x, back


def transposed_solution(x_bar, a, lower, assume_a, transposed):
    """The cotangent of the right-hand side."""
    if assume_a in HERMITIAN and not transposed:
        return linalg.solve(a, x_bar, lower, assume_a=assume_a)
    if assume_a in SYMMETRIC or transposed:
        return linalg.solve(conj(a), x_bar, lower, assume_a=assume_a)
    if assume_a in ("lower triangular", "upper triangular"):
        return linalg.solve_triangular(a, x_bar, 2, assume_a == "lower triangular")
    return linalg.solve(adjoint_of(a), x_bar, lower, assume_a=assume_a)


def outer_of(b_bar, x, b, transposed):
    """The cotangent of all of the matrix: of `a` in `a x = b`, or in `a.T x = b`."""
    full = minus_outer(b_bar, x, b)
    return np.swapaxes(full, -1, -2) if transposed else full


def part_read(a_bar, lower, assume_a):
    """The cotangent of that part of a matrix which `solve` reads."""
    if assume_a in (None, "gen", "general"):
        return a_bar
    if assume_a in HERMITIAN:
        half = lower_half(a_bar + adjoint_of(a_bar))
        return half if lower else adjoint_of(half)
    if assume_a in SYMMETRIC:
        half = np.tril(a_bar + np.swapaxes(a_bar, -1, -2), -1) + np.tril(np.triu(a_bar))
        return half if lower else np.swapaxes(half, -1, -2)
    if assume_a in ("lower triangular", "upper triangular"):
        return np.tril(a_bar) if assume_a == "lower triangular" else np.triu(a_bar)
    if assume_a in ("diagonal", "tridiagonal"):
        width = 0 if assume_a == "diagonal" else 1
        return np.tril(np.triu(a_bar, -width), width)
    raise NotDifferentiable(f"scipy.linalg.solve has no rule for assume_a={assume_a!r}")


@adjoint(linalg.solve_triangular)
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True
):
    x = linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check_finite=check_finite)

    def back(x_bar):
        b_bar = triangular_b_bar(x_bar, a, trans, lower, unit_diagonal)
        a_bar = in_place_of(minus_outer(b_bar, x, b), trans)
        first = 1 if unit_diagonal else 0
        half = np.tril(a_bar, -first) if lower else np.triu(a_bar, first)
        return unbroadcast(half, a), unbroadcast(b_bar, b)

    return x, back


def triangular_b_bar(x_bar, a, trans, lower, unit_diagonal):
    if trans in (0, "N"):
        return linalg.solve_triangular(a, x_bar, 2, lower, unit_diagonal)
    if trans in (1, "T"):
        return linalg.solve_triangular(conj(a), x_bar, 0, lower, unit_diagonal)
    return linalg.solve_triangular(a, x_bar, 0, lower, unit_diagonal)


def in_place_of(bar, trans):
    """The cotangent of `a`, from that of the matrix that stands in the equation."""
    if trans in (0, "N"):
        return bar
    return np.swapaxes(bar, -1, -2) if trans in (1, "T") else adjoint_of(bar)


# Equations with a factorised matrix


@adjoint(linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    y = linalg.cho_factor(a, lower, check_finite=check_finite)
    return y, lambda y_bar: (unbroadcast(cho_factor_bar(y_bar[0], y[0], lower), a),)


def cho_factor_bar(c_bar, c, lower):
    if c_bar is None:
        return None
    if lower:
        half = cholesky_bar(np.tril(c_bar), np.tril(c))
    else:
        half = adjoint_of(cholesky_bar(adjoint_of(np.triu(c_bar)), adjoint_of(np.triu(c))))
    if not CHO_FACTOR_KEEPS_REST:
        return half
    return half + (np.triu(c_bar, 1) if lower else np.tril(c_bar, -1))


@adjoint(linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    x = linalg.cho_solve(c_and_lower, b, check_finite=check_finite)

    def back(x_bar):
        b_bar = linalg.cho_solve(c_and_lower, x_bar)
        a_bar = minus_outer(b_bar, x, b)
        return (factor_bar(a_bar + adjoint_of(a_bar), c_and_lower), None), unbroadcast(b_bar, b)

    return x, back


def factor_bar(both, c_and_lower):
    """The cotangent of the factor, of which one triangle is read."""
    c, lower = c_and_lower
    bar = np.tril(both @ np.tril(c)) if lower else np.triu(np.triu(c) @ both)
    return unbroadcast(bar, c)


@adjoint(linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    x = linalg.lu_solve(lu_and_piv, b, trans, check_finite=check_finite)

    def back(x_bar):
        b_bar = lu_b_bar(x_bar, lu_and_piv, trans)
        a_bar = in_place_of(minus_outer(b_bar, x, b), trans)
        return (packed_bar(a_bar, lu_and_piv), None), unbroadcast(b_bar, b)

    return x, back


def lu_b_bar(x_bar, lu_and_piv, trans):
    if trans == 1:
        return linalg.lu_solve((conj(lu_and_piv[0]), lu_and_piv[1]), x_bar, 0)
    return linalg.lu_solve(lu_and_piv, x_bar, 2 if trans == 0 else 0)


def packed_bar(a_bar, lu_and_piv):
    """The cotangent of `lu`, which holds both factors of `a`: L has ones on its diagonal."""
    lu, piv = lu_and_piv
    lower, upper = np.tril(lu, -1) + np.eye(len(piv), dtype=lu.dtype), np.triu(lu)
    rows = a_bar[row_order(piv)]
    bar = np.tril(rows @ adjoint_of(upper), -1) + np.triu(adjoint_of(lower) @ rows)
    return unbroadcast(bar, lu)


def row_order(piv):
    """The order of rows after the swaps that LAPACK notes: row i with row `piv[i]`."""
    order = list(range(len(piv)))
    for i, j in enumerate(piv):
        order[i], order[j] = order[j], order[i]
    return order


constant(row_order)


# Banded matrices: `ab[u + i - j, j]` is `a[i, j]`


@adjoint(linalg.solve_banded)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    x = linalg.solve_banded(l_and_u, ab, b, check_finite=check_finite)

    def back(x_bar):
        below, above = l_and_u
        b_bar = linalg.solve_banded((above, below), transposed_band(ab, below, above), x_bar)
        rows = [-diagonal_outer(b_bar, x, d) for d in range(-above, below + 1)]
        return None, unbroadcast(np.stack(rows), ab), unbroadcast(b_bar, b)

    return x, back


def transposed_band(ab, below, above):
    """The band of the conjugate transpose; what is rolled in stands where nothing is read."""
    return np.stack([conj(np.roll(ab[above - d], -d)) for d in range(-below, above + 1)])


def diagonal_outer(b_bar, x, d):
    """The products of `b_bar[j + d]` and `conj(x[j])` for each `j`, 0 where there is no `j + d`."""
    count = len(x)
    is_inside = np.abs(np.arange(count) * 2 + 2 * d + 1 - count) < count
    products = np.roll(b_bar, -d, 0) * conj(x)
    if np.ndim(x) == 2:
        products = np.sum(products, 1)
    return np.where(is_inside, products, 0)


@adjoint(linalg.solveh_banded)
def solveh_banded(
    ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True
):
    x = linalg.solveh_banded(ab, b, lower=lower, check_finite=check_finite)

    def back(x_bar):
        b_bar = linalg.solveh_banded(ab, x_bar, lower=lower)
        below = [hermitian_outer(b_bar, x, d) for d in range(len(ab))]
        rows = below if lower else [conj(np.roll(below[d], d)) for d in range(len(ab))][::-1]
        return unbroadcast(np.stack(rows), ab), unbroadcast(b_bar, b)

    return x, back


def hermitian_outer(b_bar, x, d):
    """The cotangent of the diagonal at `d` below: `a[j + d, j]`, and above its conjugate."""
    if d == 0:
        return -np.real(diagonal_outer(b_bar, x, 0))
    return -diagonal_outer(b_bar, x, d) - diagonal_outer(x, b_bar, d)


# Matrix equations


@adjoint(linalg.solve_sylvester)
def solve_sylvester(a, b, q):
    x = linalg.solve_sylvester(a, b, q)

    def back(x_bar):
        q_bar = linalg.solve_sylvester(adjoint_of(a), adjoint_of(b), x_bar)
        return (
            unbroadcast(-q_bar @ adjoint_of(x), a),
            unbroadcast(-adjoint_of(x) @ q_bar, b),
            unbroadcast(q_bar, q),
        )

    return x, back


@adjoint(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a, q):
    x = linalg.solve_continuous_lyapunov(a, q)

    def back(x_bar):
        q_bar = linalg.solve_continuous_lyapunov(adjoint_of(a), x_bar)
        return (
            unbroadcast(-q_bar @ adjoint_of(x) - adjoint_of(q_bar) @ x, a),
            unbroadcast(q_bar, q),
        )

    return x, back


@adjoint(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None):
    x = linalg.solve_discrete_lyapunov(a, q, method)

    def back(x_bar):
        q_bar = linalg.solve_discrete_lyapunov(adjoint_of(a), x_bar, method)
        return (
            unbroadcast(q_bar @ a @ adjoint_of(x) + adjoint_of(q_bar) @ a @ x, a),
            unbroadcast(q_bar, q),
        )

    return x, back
