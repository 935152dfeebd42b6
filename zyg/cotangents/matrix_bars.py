"""Cotangents of the sparse matrices of SciPy: sums of products of factors, and of matrices.

    y = A @ x         A_bar = y_bar x^H, which is kept as its two factors
    B = A + C         A_bar = B_bar, with entries where `B` has none, too

A cotangent has no pattern of its own: that of a sum leaves out entries that happen to be zero,
whose derivatives count. What is asked of it is its entries at given places, by what the matrix was
made of, and its product with another matrix.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable


def is_sparse(x: Any) -> bool:
    """Whether a value is a matrix or array of `scipy.sparse`, without importing that.

    >>> is_sparse(np.eye(2))
    False
    """
    cls = type(x)
    if cls is np.ndarray or not hasattr(cls, "tocsr"):
        return False
    found = sys.modules.get("scipy.sparse")
    return found is not None and bool(found.issparse(x))


def _sparse() -> Any:
    return sys.modules["scipy.sparse"]


def as_array(matrix: Any) -> Any:
    """A sparse matrix as a sparse array, whose `*` is one of entries."""
    return matrix if isinstance(matrix, _sparse().sparray) else _sparse().csr_array(matrix)


class MatrixBar:
    """The sum of `U @ V.T` for pairs of factors, and of matrices: arrays, or sparse ones."""

    __slots__ = ("matrices", "pairs", "shape")

    def __init__(
        self, shape: tuple[int, ...], pairs: list[tuple[Any, Any]], matrices: list[Any]
    ) -> None:
        self.shape, self.pairs, self.matrices = shape, pairs, matrices

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        operation: Any = _OPERATIONS.get(ufunc)
        if method != "__call__" or kwargs or operation is None:
            return NotImplemented
        if isinstance(inputs[0], MatrixBar):
            return operation(*inputs)
        return operation(matrix_bar(inputs[0], self.shape), *inputs[1:]) if (
            ufunc in (np.add, np.subtract)
        ) else operation(inputs[1], inputs[0])

    @property
    def T(self) -> MatrixBar:  # noqa: N802  as of arrays
        return self._mapped(lambda u, v: (v, u), lambda matrix: matrix.T, self.shape[::-1])

    def _mapped(self, of_pair: Any, of_matrix: Any, shape: tuple[int, ...]) -> MatrixBar:
        pairs = [of_pair(u, v) for u, v in self.pairs]
        return MatrixBar(shape, pairs, [of_matrix(matrix) for matrix in self.matrices])

    def __neg__(self) -> MatrixBar:
        return self._mapped(lambda u, v: (-u, v), lambda matrix: -matrix, self.shape)

    def __add__(self, other: Any) -> MatrixBar:
        added = matrix_bar(other, self.shape)
        return MatrixBar(
            self.shape, [*self.pairs, *added.pairs], [*self.matrices, *added.matrices]
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> MatrixBar:
        return self + -matrix_bar(other, self.shape)

    def __mul__(self, other: Any) -> Any:
        """A multiple; the product with a matrix, entry by entry, has the entries of that."""
        if np.ndim(other) == 0:
            return self._mapped(
                lambda u, v: (u * other, v), lambda matrix: matrix * other, self.shape
            )
        if not is_sparse(other):
            return self.toarray() * other
        rows, columns, values = entries_of(other)
        products = self.at(rows, columns) * values
        return _sparse().csr_array((products, (rows, columns)), shape=self.shape)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> MatrixBar:
        if np.ndim(other) != 0:
            raise NotDifferentiable("a quotient of the entries of sparse matrices has no rule")
        return self._mapped(
            lambda u, v: (u / other, v), lambda matrix: matrix / other, self.shape
        )

    def __matmul__(self, other: Any) -> MatrixBar:
        """The product with a sparse matrix, or with an array of two dimensions."""
        shape = self.shape[0], np.shape(other)[1]
        return self._mapped(
            lambda u, v: (u, other.T @ v), lambda matrix: matrix @ other, shape
        )

    def part(self, rows: slice, columns: slice) -> MatrixBar:
        """A block of it."""
        height, width = self.shape
        shape = len(range(*rows.indices(height))), len(range(*columns.indices(width)))
        return self._mapped(
            lambda u, v: (u[rows], v[columns]), lambda matrix: _indexable(matrix)[rows, columns],
            shape,
        )

    def of_kron(self, outer: Any, inner: Any) -> tuple[MatrixBar, MatrixBar]:
        """The cotangents of `A` and `B`, where this is the one of their Kronecker product.

        That is `A[i, j] * B[p, q]` at `i * P + p, j * Q + q`.
        """
        a, b = np.shape(outer), np.shape(inner)
        outer, inner = as_array(outer).conj(), as_array(inner).conj()
        a_bar, b_bar = MatrixBar(a, [], []), MatrixBar(b, [], [])
        for u, v in self.pairs:
            for k in range(u.shape[1]):
                left, right = np.reshape(u[:, k], (a[0], b[0])), np.reshape(v[:, k], (a[1], b[1]))
                a_bar.pairs.append((left @ inner, right))
                b_bar.pairs.append((left.T @ outer, right.T))
        for matrix in self.matrices:
            rows, columns, values = entries_of(matrix)
            places = rows // b[0], columns // b[1]
            within = rows % b[0], columns % b[1]
            for bar, other, at, there in (
                (a_bar, inner, places, within), (b_bar, outer, within, places)
            ):
                products = values * np.asarray(_indexable(other)[there]).ravel()
                bar.matrices.append(_sparse().csr_array((products, at), shape=bar.shape))
        return a_bar, b_bar

    def at(self, rows: Any, columns: Any) -> Any:
        """The entries at some places, in an array."""
        total = np.zeros(len(rows))
        for u, v in self.pairs:
            total = total + np.einsum("ij,ij->i", u[rows], v[columns])
        for matrix in self.matrices:
            total = total + np.reshape(np.asarray(_indexable(matrix)[rows, columns]), -1)
        return total

    def toarray(self) -> Any:
        total = np.zeros(self.shape)
        for u, v in self.pairs:
            total = total + u @ v.T
        for matrix in self.matrices:
            total = total + (matrix.toarray() if is_sparse(matrix) else matrix)
        return total


_OPERATIONS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.negative: operator.neg,
}


def matrix_bar(bar: Any, shape: tuple[int, ...]) -> MatrixBar:
    """The same of a cotangent that may be an array, a sparse matrix, or the structural zero."""
    if isinstance(bar, MatrixBar):
        return bar
    if bar is None or (np.ndim(bar) == 0 and not bar):
        return MatrixBar(shape, [], [])
    return MatrixBar(shape, [], [bar])


def _indexable(matrix: Any) -> Any:
    return _sparse().csr_array(matrix) if is_sparse(matrix) else matrix


def dense_bar(bar: Any) -> Any:
    """A cotangent of an array, which may be one of a sparse matrix."""
    return bar.toarray() if isinstance(bar, MatrixBar) or is_sparse(bar) else bar


def entries_of(matrix: Any) -> tuple[Any, Any, Any]:
    """The rows, columns and values of the entries that a sparse matrix keeps, zeros among them.

    Each stands once.
    """
    sparse = _sparse()
    matrix = matrix if is_sparse(matrix) else sparse.csr_array(matrix)
    if matrix.format == "dia":
        height, width = matrix.shape
        rows, columns, values = [], [], []
        for offset, data in zip(matrix.offsets, matrix.data, strict=True):
            places = np.arange(max(0, offset), min(width, height + offset, len(data)))
            rows.append(places - offset)
            columns.append(places)
            values.append(data[places])
        if not rows:
            return np.zeros(0, int), np.zeros(0, int), np.zeros(0)
        return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
    found = sparse.coo_array(sparse.csr_array(matrix))
    return found.row, found.col, found.data


def bar_on_pattern(bar: Any, matrix: Any) -> Any:
    """The gradient with respect to the entries that a sparse matrix keeps, as a sparse array of its
    format."""
    rows, columns, values = entries_of(matrix)
    found = matrix_bar(bar, matrix.shape).at(rows, columns)
    if np.iscomplexobj(found) and not np.iscomplexobj(values):
        found = found.real
    made = _sparse().csr_array((found, (rows, columns)), shape=matrix.shape)
    return made.asformat(matrix.format)


def unless_rows(matrix: Any) -> None:
    if len(matrix.shape) != 2:
        raise NotDifferentiable("a sparse array of one dimension has no rules")


def product_left(z_bar: Any, x: Any, y: Any) -> Any:
    """The cotangent of a sparse `x` in `z = x @ y`."""
    unless_rows(x)
    if is_sparse(y):
        return matrix_bar(z_bar, (x.shape[0], y.shape[1])) @ y.conj().T
    factor = np.reshape(np.asarray(np.conj(y)), (np.shape(y)[0], -1))
    return MatrixBar(x.shape, [(np.reshape(np.asarray(z_bar), (x.shape[0], -1)), factor)], [])


def product_right(z_bar: Any, x: Any, y: Any) -> Any:
    """The cotangent of a sparse `y` in `z = x @ y`."""
    unless_rows(y)
    if is_sparse(x):
        return (matrix_bar(z_bar, (x.shape[0], y.shape[1])).T @ x.conj()).T
    factor = np.reshape(np.asarray(np.conj(x)), (-1, y.shape[0]))
    return MatrixBar(y.shape, [(factor.T, np.reshape(np.asarray(z_bar), (-1, y.shape[1])).T)], [])
