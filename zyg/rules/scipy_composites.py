"""`scipy.linalg`: functions that are made of others, written out: their code is differentiated.

    linalg.pinvh(a)            np.linalg.pinv(a, hermitian=True)
    linalg.polar(a)            by the square root of a^H a, which equal singular values leave alone
    linalg.sinm(a)             the imaginary part of linalg.expm(1j * a)
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ir import facts
from ir.types import TOP
from zyg.errors import NotDifferentiable
from zyg.rules.linalg import adjoint_of
from zyg.rules.linalg_composites import from_lower
from zyg.rules.registry import constant, stand_in, substitute

GENERALISED = "scipy.linalg.eig has no rule for generalised problems and left vectors"


@substitute(linalg.eigvals)
def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    if b is not None or homogeneous_eigvals:
        raise NotDifferentiable(GENERALISED)
    return np.linalg.eigvals(a) + 0j


@substitute(linalg.eig)
def eig(
    a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
    homogeneous_eigvals=False,
):
    if b is not None or left or homogeneous_eigvals:
        raise NotDifferentiable(GENERALISED)
    if not right:
        return np.linalg.eigvals(a) + 0j
    values, vectors = np.linalg.eig(a)
    return values + 0j, vectors


@stand_in(linalg.eigvalsh)
def eigvalsh_with_options(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):
    refuse_problem(type, subset_by_value)
    return chosen(linalg.eigvalsh(standard_problem(a, b, lower)[0]), subset_by_index)


@stand_in(linalg.eigh)
def eigh_with_options(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1,
    check_finite=True, subset_by_index=None, subset_by_value=None, driver=None,
):
    """With `b = f f^H`, the problem `a v = w b v` is that of `f^-1 a f^-H`."""
    refuse_problem(type, subset_by_value)
    inner, factor = standard_problem(a, b, lower)
    if eigvals_only:
        return chosen(linalg.eigvalsh(inner), subset_by_index)
    values, vectors = linalg.eigh(inner)
    vectors = vectors if b is None else linalg.solve_triangular(adjoint_of(factor), vectors)
    vectors = chosen(vectors, subset_by_index)
    phases = found_phases(vectors, a, b, lower, subset_by_index, driver)
    return chosen(values, subset_by_index), vectors * phases


def refuse_problem(type, subset_by_value):
    if type != 1 or subset_by_value is not None:
        raise NotDifferentiable(
            "scipy.linalg.eigh has no rule for `subset_by_value` and for other types than 1"
        )


def standard_problem(a, b, lower):
    a = from_lower(a if lower else adjoint_of(a))
    if b is None:
        return a, None
    factor = np.linalg.cholesky(from_lower(b if lower else adjoint_of(b)))
    half = linalg.solve_triangular(factor, a, lower=True)
    return linalg.solve_triangular(factor, adjoint_of(half), lower=True), factor


def chosen(items, subset_by_index):
    if subset_by_index is None:
        return items
    return items[..., subset_by_index[0] : subset_by_index[1] + 1]


def found_phases(vectors, a, b, lower, subset_by_index, driver):
    """By what to multiply the vectors so that they have the signs that SciPy gives them."""
    found = linalg.eigh(a, b, lower=lower, subset_by_index=subset_by_index, driver=driver)[1]
    overlaps = np.sum(np.conj(vectors) * found, axis=0)
    return overlaps / np.abs(overlaps)


constant(refuse_problem, found_phases)
facts.result(found_phases)(lambda args, kwargs: TOP)


@substitute(linalg.lstsq)
def lstsq(
    a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None
):
    x, residuals, rank, values = np.linalg.lstsq(a, b, precision(a) if cond is None else cond)
    if np.ndim(b) == 1 and np.size(residuals) == 1:
        residuals = residuals[0]
    return x, residuals, rank, values


def precision(a):
    return float(np.finfo(np.result_type(a, np.float32)).eps)


constant(precision)


@substitute(linalg.pinvh)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    if return_rank or not (atol is None and rtol is None):
        raise NotDifferentiable("scipy.linalg.pinvh has no rule for tolerances and return_rank")
    return np.linalg.pinv(from_lower(a if lower else adjoint_of(a)))


@substitute(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(linalg.toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(linalg.toeplitz(c_or_cr), b)


@substitute(linalg.hankel)
def hankel(c, r=None):
    column = np.ravel(c)
    row = np.zeros_like(column) if r is None else np.ravel(r)
    items = np.concatenate([column, row[1:]])
    return items[np.arange(len(column))[:, None] + np.arange(len(row))]


@substitute(linalg.polar)
def polar(a, side="right"):
    if side == "right":
        size = np.asarray(linalg.sqrtm(adjoint_of(a) @ a), np.result_type(a, 0.0))
        return adjoint_of(np.linalg.solve(size, adjoint_of(a))), size
    if side == "left":
        size = np.asarray(linalg.sqrtm(a @ adjoint_of(a)), np.result_type(a, 0.0))
        return np.linalg.solve(size, a), size
    raise ValueError("`side` must be either 'right' or 'left'")


@substitute(linalg.cosm)
def cosm(A):
    if np.iscomplexobj(A):
        return 0.5 * (linalg.expm(1j * A) + linalg.expm(-1j * A))
    return np.real(linalg.expm(1j * A))


@substitute(linalg.sinm)
def sinm(A):
    if np.iscomplexobj(A):
        return -0.5j * (linalg.expm(1j * A) - linalg.expm(-1j * A))
    return np.imag(linalg.expm(1j * A))


@substitute(linalg.coshm)
def coshm(A):
    return 0.5 * (linalg.expm(A) + linalg.expm(-A))


@substitute(linalg.sinhm)
def sinhm(A):
    return 0.5 * (linalg.expm(A) - linalg.expm(-A))
