"""Rules of `scipy.sparse`: how matrices are made, of what they consist, and solutions.

Operators have the rules of arrays; cotangents of matrices are
`zyg.cotangents.matrix_bars.MatrixBar`.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.linalg import spsolve

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.cotangents.matrix_bars import MatrixBar, dense_bar, is_sparse, matrix_bar
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute

constant(sparse.issparse, sparse.isspmatrix, sparse.eye, sparse.identity, sparse.random)
if hasattr(sparse, "eye_array"):  # of SciPy 1.12
    constant(sparse.eye_array, sparse.random_array)

# Of what they consist beside numbers.
STRUCTURE = frozenset([
    "shape", "ndim", "nnz", "size", "dtype", "format", "indices", "indptr", "row", "col", "coords",
    "offsets", "has_sorted_indices", "has_canonical_format",
])

ARRAYS = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.dia_array)
MATRICES = (
    sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.bsr_matrix, sparse.dia_matrix,
)
CLASSES = (*ARRAYS, *MATRICES)


def methods(name):
    """The functions by which classes of matrices define a method."""
    found = [getattr(cls, name) for cls in CLASSES if hasattr(cls, name)]
    return list({id(function): function for function in found}.values())


@substitute(*methods("dot"))
def dot(self, other):
    return self @ other


# What matrices are made of


def constructor(cls):
    def rule(arg1, shape=None, dtype=None, copy=False):
        y = cls(arg1, shape, dtype, copy)
        return y, lambda y_bar: (parts_bar(y_bar, arg1, y),)

    return rule


for _class in CLASSES:
    adjoint(_class)(constructor(_class))


def parts_bar(y_bar, parts, y):
    """The cotangent of what a matrix was made of: another one, an array, or its entries."""
    bar = matrix_bar(y_bar, y.shape)
    if is_sparse(parts):
        return bar
    if not isinstance(parts, tuple):
        return like_data(bar.toarray(), parts)
    if all(isinstance(part, int | np.integer) for part in parts):
        return None  # the shape of a matrix without entries
    if y.format == "bsr":
        raise NotDifferentiable("scipy.sparse.bsr_array has no rule for the blocks of a matrix")
    if y.format != "dia" and len(parts) == 2:
        rows, columns = parts[1]
    else:
        rows, columns = places_of_data(y)
    entries = entries_at(bar, np.asarray(rows), np.asarray(columns))
    return like_data(entries, parts[0]), *[None for _ in parts[1:]]


def like_data(bar, data):
    """A cotangent of data, in the structure and of the kind that these have."""
    bar = np.reshape(bar, np.shape(data))
    if np.iscomplexobj(bar) and not np.iscomplexobj(data):
        bar = bar.real
    if isinstance(data, tuple):
        return tuple(bar.tolist())
    return bar.tolist() if isinstance(data, list) else bar


def places_of_data(matrix):
    """The rows and columns of the items of `matrix.data`, as that stores them."""
    if matrix.format == "coo":
        return matrix.row, matrix.col
    if matrix.format == "dia":
        columns = np.broadcast_to(np.arange(matrix.data.shape[1]), matrix.data.shape)
        return columns - np.asarray(matrix.offsets)[:, None], columns
    if matrix.format not in ("csr", "csc"):
        raise NotDifferentiable(f"`data` of a {type(matrix).__name__} has no rule: use a csr_array")
    lines = np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))
    return (lines, matrix.indices) if matrix.format == "csr" else (matrix.indices, lines)


def unless_repeated(matrix):
    if not getattr(matrix, "has_canonical_format", True):
        raise NotDifferentiable(
            "`data` of a sparse matrix that has several entries at one place has no rule: use "
            "sum_duplicates() before"
        )


def data_bar(y_bar, matrix):
    """The cotangent of a matrix of which `data` was read."""
    unless_repeated(matrix)
    rows, columns = places_of_data(matrix)
    inside = (rows >= 0) & (rows < matrix.shape[0]) & (columns < matrix.shape[1])
    entries = np.asarray(y_bar)[inside], (rows[inside], columns[inside])
    return MatrixBar(matrix.shape, [], [sparse.csr_array(entries, shape=matrix.shape)])


@adjoint(sparse.diags)
def diags(diagonals, offsets=0, shape=None, format=None, dtype=float):
    y = sparse.diags(diagonals, offsets, shape, format, dtype)
    return y, lambda y_bar: (diagonals_bar(y_bar, y, diagonals, offsets),)


if hasattr(sparse, "diags_array"):  # of SciPy 1.11

    @adjoint(sparse.diags_array)
    def diags_array(diagonals, *, offsets=0, shape=None, format=None, dtype=float):
        y = sparse.diags_array(
            diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype
        )
        return y, lambda y_bar: (diagonals_bar(y_bar, y, diagonals, offsets),)


def diagonals_bar(y_bar, y, diagonals, offsets):
    """The cotangent of one diagonal, or of several in the list, tuple or array that they came
    in."""
    bar = matrix_bar(y_bar, y.shape)
    if np.ndim(offsets) == 0 and (len(diagonals) == 0 or np.ndim(diagonals[0]) == 0):
        return diagonal_bar(bar, diagonals, offsets)
    pairs = zip(diagonals, np.atleast_1d(offsets), strict=True)
    bars = [diagonal_bar(bar, diagonal, offset) for diagonal, offset in pairs]
    if isinstance(diagonals, np.ndarray):
        return np.stack(bars)
    return tuple(bars) if isinstance(diagonals, tuple) else bars


def diagonal_bar(bar, diagonal, offset):
    """The cotangent of one diagonal; one number may stand for all of it."""
    rows, columns = places_of_diagonal(bar.shape, offset)
    values = bar.at(rows, columns)
    if np.size(diagonal) == 1:
        return like_data(np.sum(values), diagonal)
    beyond = np.zeros(len(diagonal) - len(values), values.dtype)
    return like_data(np.concatenate([values, beyond]), diagonal)


def places_of_diagonal(shape, offset):
    first = max(0, -offset)
    rows = np.arange(first, max(first, min(shape[0], shape[1] - offset)))
    return rows, rows + offset


@adjoint(sparse.spdiags)
def spdiags(data, diags, m=None, n=None, format=None):
    y = sparse.spdiags(data, diags, m, n, format)

    def back(y_bar):
        rows = np.atleast_2d(np.asarray(data))
        columns = np.arange(rows.shape[1])
        bar = matrix_bar(y_bar, y.shape)
        bars = [
            entries_at(bar, columns - offset, columns) for offset in np.atleast_1d(diags)
        ]
        return like_data(np.stack(bars), data), None

    return y, back


def entries_at(bar, rows, columns):
    """Entries, with zeros for those that stand outside of the matrix."""
    inside = (rows >= 0) & (rows < bar.shape[0]) & (columns < bar.shape[1])
    found = bar.at(np.where(inside, rows, 0).ravel(), np.where(inside, columns, 0).ravel())
    return np.where(inside, np.reshape(found, inside.shape), 0)


@adjoint(sparse.vstack)
def vstack(blocks, format=None, dtype=None):
    y = sparse.vstack(blocks, format, dtype)

    def back(y_bar):
        bar, ends = matrix_bar(y_bar, y.shape), ends_of(blocks, 0)
        parts = [bar.part(rows, slice(None)) for rows in ends]
        return (blocks_bar(parts, blocks),)

    return y, back


@adjoint(sparse.hstack)
def hstack(blocks, format=None, dtype=None):
    y = sparse.hstack(blocks, format, dtype)

    def back(y_bar):
        bar, ends = matrix_bar(y_bar, y.shape), ends_of(blocks, 1)
        parts = [bar.part(slice(None), columns) for columns in ends]
        return (blocks_bar(parts, blocks),)

    return y, back


@adjoint(sparse.block_diag)
def block_diag(mats, format=None, dtype=None):
    y = sparse.block_diag(mats, format, dtype)

    def back(y_bar):
        bar, ends = matrix_bar(y_bar, y.shape), zip(ends_of(mats, 0), ends_of(mats, 1), strict=True)
        return (blocks_bar([bar.part(*end) for end in ends], mats),)

    return y, back


@adjoint(sparse.bmat, *([sparse.block_array] if hasattr(sparse, "block_array") else []))
def bmat(blocks, format=None, dtype=None):
    y = sparse.bmat(blocks, format, dtype)

    def back(y_bar):
        bar = matrix_bar(y_bar, y.shape)
        rows = ends_of([first_of(row) for row in blocks], 0)
        columns = ends_of([first_of(column) for column in zip(*blocks, strict=True)], 1)
        return ([
            [None if b is None else bar.part(r, c) for b, c in zip(row, columns, strict=True)]
            for row, r in zip(blocks, rows, strict=True)
        ],)

    return y, back


def first_of(blocks):
    return next(block for block in blocks if block is not None)


def ends_of(blocks, axis):
    """Where each of several blocks stands."""
    ends = np.cumsum([0, *[np.shape(block)[axis] for block in blocks]])
    return [slice(start, stop) for start, stop in itertools.pairwise(ends)]


def blocks_bar(parts, blocks):
    """The cotangents of blocks, in the list or tuple that they came in."""
    found = [
        part if is_sparse(block) else part.toarray()
        for part, block in zip(parts, blocks, strict=True)
    ]
    return tuple(found) if isinstance(blocks, tuple) else found


@adjoint(sparse.kron)
def kron(A, B, format=None):
    y = sparse.kron(A, B, format)

    def back(y_bar):
        bar = matrix_bar(y_bar, y.shape)
        outer, inner = bar.of_kron(A, B)
        return (
            outer if is_sparse(A) else outer.toarray(), inner if is_sparse(B) else inner.toarray()
        )

    return y, back


# What is in them


def unchanged(name):
    """The rule of a method that gives the same matrix in another form."""

    def rule(self, *args, **kwargs):
        y = getattr(self, name)(*args, **kwargs)
        return y, lambda y_bar: (matrix_bar(y_bar, np.shape(y)), *(None,) * len(args))

    return rule


for _name in ("tocsr", "tocsc", "tocoo", "todia", "tobsr", "asformat", "copy"):
    adjoint(*methods(_name))(unchanged(_name))


@adjoint(*methods("toarray"))
def toarray(self, order=None, out=None):
    if out is not None:
        raise NotDifferentiable("`toarray` of a sparse matrix has no rule for out")
    return self.toarray(order), lambda y_bar: (matrix_bar(y_bar, self.shape),)


@adjoint(*methods("todense"))
def todense(self, order=None, out=None):
    y = no_matrix(self.todense(order, out), "todense")
    return y, lambda y_bar: (matrix_bar(y_bar, self.shape),)


@adjoint(*methods("astype"))
def astype(self, dtype, casting="unsafe", copy=True):
    if np.dtype(dtype).kind not in "fc":
        raise NotDifferentiable("`astype` of a sparse matrix has a rule for floats only")
    y = self.astype(dtype, casting, copy)
    return y, lambda y_bar: (matrix_bar(y_bar, self.shape), None)


@adjoint(*methods("transpose"))
def transpose(self, axes=None, copy=False):
    y = self.transpose(axes, copy)
    return y, lambda y_bar: (matrix_bar(y_bar, y.shape).T,)


@adjoint(sparse.csr_array.T)
def transposed(self):
    y = self.T
    return y, lambda y_bar: (matrix_bar(y_bar, y.shape).T,)


@adjoint(*methods("sum"))
def sum_(self, axis=None, dtype=None, out=None):
    if out is not None or isinstance(axis, tuple):
        raise NotDifferentiable("`sum` of a sparse matrix has no rule for out, or for several axes")
    y = no_matrix(self.sum(axis, dtype), "sum")

    return y, lambda y_bar: (sum_bar(y_bar, self.shape, axis),)


def sum_bar(y_bar, shape, axis):
    height, width = shape
    if axis is None:
        factors = np.full((height, 1), y_bar), np.ones((width, 1))
    elif axis in (0, -2):
        factors = np.ones((height, 1)), np.reshape(y_bar, (width, 1))
    else:
        factors = np.reshape(y_bar, (height, 1)), np.ones((width, 1))
    return MatrixBar(shape, [factors], [])


def no_matrix(y, name):
    """What a method gives, which is no `numpy.matrix`."""
    if isinstance(y, np.matrix):
        raise NotDifferentiable(
            f"`{name}` of a scipy.sparse.csr_matrix, or of its kin, gives a numpy.matrix: make it "
            "a csr_array"
        )
    return y


@adjoint(*methods("mean"))
def mean(self, axis=None, dtype=None):
    y = no_matrix(self.mean(axis, dtype), "mean")
    return y, lambda y_bar: (sum_bar(y_bar, self.shape, axis) * (np.size(y) / np.prod(self.shape)),)


@adjoint(*methods("diagonal"))
def diagonal(self, k=0):
    def back(y_bar):
        places = places_of_diagonal(self.shape, k)
        return (MatrixBar(self.shape, [], [sparse.csr_array((y_bar, places), self.shape)]),)

    return self.diagonal(k), back


@substitute(*methods("trace"))
def trace(self, offset=0):
    return np.sum(self.diagonal(offset))


@adjoint(*methods("multiply"))
def multiply(self, other):  # entry by entry
    if np.ndim(other) != 0 and np.shape(other) != np.shape(self):
        raise NotDifferentiable("`multiply` of a sparse matrix has a rule for the same shape only")
    y = self.multiply(other)

    def back(y_bar):
        bar = matrix_bar(y_bar, self.shape)
        return product_with(bar, other), unbroadcast(product_with(bar, self), other)

    return y, back


def product_with(bar, factor):
    return bar * conj(factor)


# Solutions


@adjoint(spsolve)
def spsolve_rule(A, b, permc_spec=None, use_umfpack=True):
    if is_sparse(b):
        raise NotDifferentiable("scipy.sparse.linalg.spsolve has a rule for dense b only")
    x = spsolve(A, b, permc_spec, use_umfpack)

    def back(x_bar):
        b_bar = np.reshape(conj_solution(A, x_bar), np.shape(b))
        return solution_bar(b_bar, x, A), unbroadcast(b_bar, b)

    return x, back


def conj_solution(A, x_bar):
    """The solution for the conjugate transpose."""
    return spsolve(A.conj().T.tocsc(), x_bar)


def solution_bar(b_bar, x, A):
    """The cotangent of the matrix of linear equations."""
    size = np.shape(A)[0]
    factors = -np.reshape(b_bar, (size, -1)), conj(np.reshape(x, (size, -1)))
    bar = MatrixBar((size, size), [factors], [])
    return bar if is_sparse(A) else dense_bar(bar)


def iterative(solver):
    """The rule of a solver that says by a number whether it has converged."""

    def rule(A, b, x0=None, **options):
        if not is_sparse(A) and not isinstance(A, np.ndarray):
            raise NotDifferentiable("a linear operator has no rule: give a matrix")
        x, info = solver(A, b, x0, **options)

        def back(bars):
            x_bar = bars[0]
            if x_bar is None:
                return None, None
            adjoint_options = {n: v for n, v in options.items() if n not in ("M", "callback")}
            b_bar, failed = solver(A.conj().T, x_bar, **adjoint_options)
            if info or failed:
                raise NotDifferentiable("the solver has not converged")
            b_bar = np.reshape(b_bar, np.shape(b))
            return solution_bar(b_bar, x, A), unbroadcast(b_bar, b)

        return (x, info), back

    return rule


for _solver in (linalg.cg, linalg.bicg, linalg.bicgstab, linalg.gmres, linalg.minres):
    adjoint(_solver)(iterative(_solver))
