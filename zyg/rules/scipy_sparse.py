"""Rules of `scipy.sparse`: products with dense arrays, and solutions.

`S @ x` and `S.T @ x` have the rules of the operators. The cotangent of a sparse matrix, where one
is asked for, is dense.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from zyg.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute

constant(sparse.issparse, sparse.isspmatrix, sparse.eye, sparse.identity, sparse.random)
if hasattr(sparse, "eye_array"):  # of SciPy 1.12
    constant(sparse.eye_array, sparse.random_array)


ARRAYS = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.dia_array)


@substitute(*{cls.dot for cls in ARRAYS})
def dot(self, other):
    return self @ other


@adjoint(spsolve)
def spsolve_rule(A, b, permc_spec=None, use_umfpack=True):
    if sparse.issparse(b):
        raise NotDifferentiable("scipy.sparse.linalg.spsolve has a rule for dense b only")
    x = spsolve(A, b, permc_spec, use_umfpack)

    def back(x_bar):
        b_bar = np.reshape(conj_solution(A, x_bar), np.shape(b))
        return matrix_bar(b_bar, x, b), unbroadcast(b_bar, b)

    return x, back


def conj_solution(A, x_bar):
    """The solution for the conjugate transpose."""
    return spsolve(A.conj().T.tocsc(), x_bar)


def matrix_bar(b_bar, x, b):
    """The cotangent of the matrix, as an array."""
    size = np.shape(b)[0]
    return -np.reshape(b_bar, (size, -1)) @ conj(np.transpose(np.reshape(x, (size, -1))))
