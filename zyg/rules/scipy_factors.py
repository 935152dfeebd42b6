"""Factorisations of sparse matrices, each a matrix and the object by which SciPy solves equations.

    splu(A).solve(b)            ->  solution(A, factors_of(A), b, "N")
    factorized(A)(b)

The cotangent of the right-hand side is another solution by the same factors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.cotangents.matrix_bars import MatrixBar
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute
from zyg.rules.tangent_registry import tangent

SUPER_LU = type(linalg.splu(sparse.csc_matrix(np.ones((1, 1)))))


class Factors(NamedTuple):
    """What `splu` returns: as `SuperLU` of SciPy's."""

    matrix: Any
    lu: Any

    def solve(self, rhs, trans="N"):
        return solution(self.matrix, self.lu, rhs, trans)

    @property
    def shape(self):
        return np.shape(self.matrix)

    @property
    def nnz(self):
        return self.lu.nnz

    @property
    def perm_r(self):
        return self.lu.perm_r

    @property
    def perm_c(self):
        return self.lu.perm_c

    @property
    def L(self):  # as SciPy calls them
        raise no_factor("L")

    @property
    def U(self):
        raise no_factor("U")


class Solver(NamedTuple):
    """What `factorized` returns."""

    matrix: Any
    lu: Any

    def __call__(self, rhs):
        return solution(self.matrix, self.lu, rhs, "N")


def no_factor(name):
    return NotDifferentiable(f"the factor `{name}` of scipy.sparse.linalg.splu has no rule")


def factors_of(A, options):
    return linalg.splu(A, **options)


def factors_of_any(A):
    """As `factorized` does, but always by SuperLU."""
    return linalg.splu(A.tocsc())


constant(no_factor, factors_of, factors_of_any)


@substitute(linalg.splu)
def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    return Factors(A, factors_of(A, {
        "permc_spec": permc_spec, "diag_pivot_thresh": diag_pivot_thresh, "relax": relax,
        "panel_size": panel_size, "options": {} if options is None else options,
    }))


@substitute(linalg.factorized)
def factorized(A):
    return Solver(A, factors_of_any(A))


def solution(A, lu, b, trans):
    """The solution of `A x = b`, of `A.T x = b` or of `A.conj().T x = b`, for "N", "T" or "H"."""
    return lu.solve(b, trans)


@adjoint(solution)
def solution_rule(A, lu, b, trans):
    x = solution(A, lu, b, trans)

    def back(x_bar):
        b_bar = adjoint_solution(A, lu, x_bar, trans)
        return matrix_bar_of(b_bar, x, np.shape(A), trans), None, unbroadcast(b_bar, b), None

    return x, back


def adjoint_solution(A, lu, x_bar, trans):
    if trans == "T":
        return conj(solution(A, lu, conj(x_bar), "N"))
    return solution(A, lu, x_bar, "H" if trans == "N" else "N")


def matrix_bar_of(b_bar, x, shape, trans):
    """The cotangent of the matrix: minus the outer product of `b_bar` and `x`, turned as it was."""
    left, right = np.reshape(b_bar, (shape[0], -1)), np.reshape(x, (shape[0], -1))
    if trans == "T":
        return MatrixBar(shape, [(-conj(right), left)], [])
    if trans == "H":
        return MatrixBar(shape, [(-right, conj(left))], [])
    return MatrixBar(shape, [(-left, conj(right))], [])


@tangent(solution)
def solution_tangent(x, A, lu, b, trans, A_dot, lu_dot, b_dot, trans_dot):
    if trans == "T":
        A_dot = A_dot.T
    elif trans == "H":
        A_dot = A_dot.conj().T
    return solution(A, lu, b_dot - A_dot @ x, trans)


# Factorisations that were made elsewhere: of matrices that don't vary.

constant(*[getattr(SUPER_LU, name) for name in ("shape", "nnz", "perm_r", "perm_c", "L", "U")])


@adjoint(SUPER_LU.solve)
def solve_rule(self, rhs, trans="N"):
    def back(x_bar):
        return None, unbroadcast(solve_back(self, x_bar, trans), rhs), None

    return self.solve(rhs, trans), back


def solve_back(lu, x_bar, trans):
    if trans == "T":
        return conj(lu.solve(conj(x_bar), "N"))
    return lu.solve(x_bar, "H" if trans == "N" else "N")
