"""Rules of `scipy.linalg`: factorisations, eigenvalues and norms.

Vectors are differentiated as LAPACK returned them, so that `back` reads results, never a
factorisation of its own, whose signs might be others. Sources: as `factorisations`; LU: S. Walter
and L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.factorisations import (
    cholesky_bar,
    determined,
    eigh_bar,
    of_any_phase,
    square_qr_bar,
)
from zyg.rules.linalg import adjoint_of
from zyg.rules.norms import norm_bar
from zyg.rules.registry import adjoint
from zyg.rules.scipy_solve import row_order


@adjoint(linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    factor = linalg.cholesky(a, lower, check_finite=check_finite)
    return factor, lambda factor_bar: (triangle_bar(factor_bar, factor, lower),)


def triangle_bar(factor_bar, factor, lower):
    if lower:
        return cholesky_bar(factor_bar, factor)
    return adjoint_of(cholesky_bar(adjoint_of(factor_bar), adjoint_of(factor)))


@adjoint(linalg.lu)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    y = linalg.lu(a, permute_l, check_finite=check_finite, p_indices=p_indices)

    def back(y_bar):
        p, lower, upper = linalg.lu(a)
        lower_bar = or_zero(y_bar[-2], lower)
        lower_bar = np.swapaxes(p, -1, -2) @ lower_bar if permute_l else lower_bar
        return (p @ lu_bar(lower_bar, or_zero(y_bar[-1], upper), lower, upper),)

    return y, back


def or_zero(bar, like):
    return np.zeros_like(like) if bar is None else bar


def lu_bar(lower_bar, upper_bar, lower, upper):
    """The cotangent of `lower @ upper`, of which the first square part makes the rest."""
    size = np.shape(lower)[-1]
    square_lower, square_upper = lower[..., :size, :], upper[..., :, :size]
    rest_lower, rest_upper = lower[..., size:, :], upper[..., :, size:]
    right_bar = upper_solution(adjoint_of(square_lower), upper_bar[..., :, size:])
    below_bar = lower_bar[..., size:, :]
    below_bar = adjoint_of(upper_solution(square_upper, adjoint_of(below_bar)))
    first_lower_bar = lower_bar[..., :size, :] - right_bar @ adjoint_of(rest_upper)
    first_upper_bar = upper_bar[..., :, :size] - adjoint_of(rest_lower) @ below_bar
    inner = np.tril(adjoint_of(square_lower) @ first_lower_bar, -1)
    inner = inner + np.triu(first_upper_bar @ adjoint_of(square_upper))
    left = upper_solution(adjoint_of(square_lower), inner)
    first_bar = adjoint_of(upper_solution(square_upper, adjoint_of(left)))
    return np.concatenate([np.concatenate([first_bar, right_bar], -1), below_bar], -2) if (
        np.shape(below_bar)[-2]
    ) else np.concatenate([first_bar, right_bar], -1)


def upper_solution(a, b):
    """The solution for an upper triangular matrix."""
    return linalg.solve_triangular(a, b) if np.size(b) else b


@adjoint(linalg.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True):
    if np.ndim(a) > 2 or np.shape(a)[0] != np.shape(a)[-1]:
        raise NotDifferentiable("scipy.linalg.lu_factor has a rule for one square matrix only")
    y = linalg.lu_factor(a, check_finite=check_finite)
    return y, lambda y_bar: (lu_factor_bar(y_bar[0], *y),)


def lu_factor_bar(both_bar, lu, pivots):
    if both_bar is None:
        return None
    lower, upper = np.tril(lu, -1) + np.eye(len(pivots), dtype=lu.dtype), np.triu(lu)
    rows = lu_bar(np.tril(both_bar, -1), np.triu(both_bar), lower, upper)
    return rows[np.argsort(row_order(pivots))]


@adjoint(linalg.qr)
def qr(
    a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True
):
    y = linalg.qr(a, lwork=lwork, mode=mode, pivoting=pivoting, check_finite=check_finite)
    return y, lambda y_bar: (scipy_qr_bar(y_bar, a, mode, pivoting),)


def scipy_qr_bar(y_bar, a, mode, pivoting):
    """The cotangent of `a[:, p] = q r`, where `p` is the order if `pivoting`."""
    if mode == "raw":
        raise NotDifferentiable("scipy.linalg.qr has no rule for mode='raw': use mode='economic'")
    q, r, *order = linalg.qr(a, mode="economic", pivoting=pivoting)
    size = np.shape(q)[-1]
    r_part = y_bar[0] if mode == "r" else y_bar[1]
    r_bar = or_zero(None if r_part is None else r_part[..., :size, :], r)
    q_bar = np.zeros_like(q)
    if mode != "r" and y_bar[0] is not None:
        q_bar = determined_columns(y_bar[0], size)
    if np.shape(r)[-1] > size:
        ordered = a[..., order[0]] if pivoting else a
        right_bar = q @ r_bar[..., size:]
        q_bar = q_bar + ordered[..., size:] @ adjoint_of(r_bar[..., size:])
        first_bar = square_qr_bar(q_bar, r_bar[..., :size], q, r[..., :size])
        bar = np.concatenate([first_bar, right_bar], -1)
    else:
        bar = square_qr_bar(q_bar, r_bar, q, r)
    return bar[..., np.argsort(order[0])] if pivoting else bar


def determined_columns(q_bar, size):
    """The cotangent of the columns that `a` determines; others complete the basis."""
    if np.any(q_bar[..., size:]):
        raise NotDifferentiable(
            "scipy.linalg.qr: the columns that complete the basis are arbitrary: use "
            "mode='economic'"
        )
    return q_bar[..., :size]


@adjoint(linalg.svd)
def svd(
    a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True,
    lapack_driver="gesdd",
):
    y = linalg.svd(
        a, full_matrices, compute_uv, check_finite=check_finite, lapack_driver=lapack_driver
    )

    return y, lambda y_bar: (
        scipy_svd_bar(y_bar, *y) if compute_uv else svdvals_bar(y_bar, a),
    )


@adjoint(linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    return linalg.svdvals(a, check_finite=check_finite), lambda y_bar: (svdvals_bar(y_bar, a),)


def svdvals_bar(s_bar, a):
    """The cotangent of `a`, where only the singular values matter: `u s_bar vh`."""
    u, _, vh = linalg.svd(a, full_matrices=False)
    return (u * np.expand_dims(s_bar, -2)) @ vh


def scipy_svd_bar(y_bar, all_u, s, all_vh):
    """The cotangent of `a` (Townsend 2016)."""
    size = np.shape(s)[-1]
    u, vh = all_u[..., :, :size], all_vh[..., :size, :]
    inner = 0.0 if y_bar[1] is None else np.eye(size, dtype=s.dtype) * np.expand_dims(y_bar[1], -2)
    if y_bar[0] is None and y_bar[2] is None:
        return None if y_bar[1] is None else u @ inner @ vh
    v = adjoint_of(vh)
    u_bar = np.zeros_like(u) if y_bar[0] is None else determined(y_bar[0], size)
    v_bar = np.zeros_like(v) if y_bar[2] is None else determined(adjoint_of(y_bar[2]), size)
    of_u, of_v = adjoint_of(u) @ u_bar, adjoint_of(v) @ v_bar
    of_u = of_any_phase(of_u, of_u + of_v)
    is_same = np.eye(size, dtype=bool)
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = np.where(is_same, np.inf, row**2 - column**2).astype(s.dtype)
    skew_u, skew_v = of_u - adjoint_of(of_u), of_v - adjoint_of(of_v)
    inner = inner + (skew_u * row + column * skew_v) / gaps
    inner = inner + np.where(is_same, skew_u / (2 * row), 0)
    left = u @ inner + (u_bar - u @ of_u) / row
    return left @ vh + u @ adjoint_of((v_bar - v @ of_v) / row)


# Eigenvalues of Hermitian matrices

@adjoint(linalg.eigh)
def eigh(
    a, *, lower=True, eigvals_only=False, overwrite_a=False, check_finite=True, driver=None
):
    y = linalg.eigh(
        a, lower=lower, eigvals_only=eigvals_only, check_finite=check_finite, driver=driver
    )
    return y, lambda y_bar: (
        eigenvalues_bar(y_bar, a, lower)
        if eigvals_only
        else eigh_bar(y_bar, y[0], y[1], "L" if lower else "U"),
    )


@adjoint(linalg.eigvalsh)
def eigvalsh(a, *, lower=True, overwrite_a=False, check_finite=True, driver=None):
    y = linalg.eigvalsh(a, lower=lower, check_finite=check_finite, driver=driver)
    return y, lambda y_bar: (eigenvalues_bar(y_bar, a, lower),)


def eigenvalues_bar(y_bar, a, lower):
    """The vectors, which the values need backwards, are computed only there."""
    values, vectors = linalg.eigh(a, lower=lower)
    return eigh_bar((y_bar, None), values, vectors, "L" if lower else "U")


@adjoint(linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    y = linalg.norm(a, ord, axis, keepdims, check_finite)
    return y, lambda y_bar: (
        unbroadcast(norm_bar(y_bar, y, a, order(ord, a, axis), axis, keepdims), a),
    )


def order(ord, a, axis):
    """The order as `np.linalg.norm` names it."""
    return "fro" if ord is None and axis is None and np.ndim(a) == 2 else ord
