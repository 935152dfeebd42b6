"""Sparse matrices that a program reads and that depend on nothing: their products.

    laplacian @ u       each number of the result depends on what the entries of its row multiply
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from zyg.sparsity.index_sets import SetArray, boxed, union_of
from zyg.sparsity.traced import Traced, holds_traced


def is_sparse_matrix(x: Any) -> bool:
    """Whether it is an array or matrix of `scipy.sparse`, which need not be imported."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(x))


class ConstantMatrix:
    """Stands for a sparse matrix in a program that runs on traced values."""

    __array_ufunc__ = None  # arrays leave products with it to it

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._matrix, name)

    @property
    def T(self) -> ConstantMatrix:  # noqa: N802 - the name that NumPy gave it
        return ConstantMatrix(self._matrix.T)

    def __matmul__(self, x: Any) -> Any:
        if type(x) is not Traced:
            return self._matrix @ x
        value = self._matrix @ x.value
        rows = self._matrix.tocsr()
        columns = boxed(x.sets).reshape(x.value.shape[0], -1)
        found = np.empty((rows.shape[0], columns.shape[1]), object)
        for j in range(columns.shape[1]):
            _unite_rows(rows, columns[:, j].tolist(), found[:, j])
        return Traced(value, found.reshape(value.shape), x.run)

    def __rmatmul__(self, x: Any) -> Any:
        if type(x) is not Traced:
            return x @ self._matrix
        product = ConstantMatrix(self._matrix.T) @ x.T
        return product.T

    dot = __matmul__

    def __mul__(self, x: Any) -> Any:
        return NotImplemented if holds_traced(x) else ConstantMatrix(self._matrix * x)

    __rmul__ = __mul__

    def __truediv__(self, x: Any) -> Any:
        return NotImplemented if holds_traced(x) else ConstantMatrix(self._matrix / x)

    def __neg__(self) -> ConstantMatrix:
        return ConstantMatrix(-self._matrix)


def _unite_rows(rows: Any, factors: list[Any], found: SetArray) -> None:
    starts, indices = rows.indptr.tolist(), rows.indices.tolist()
    for i in range(len(found)):
        found[i] = union_of([factors[k] for k in indices[starts[i] : starts[i + 1]]])
