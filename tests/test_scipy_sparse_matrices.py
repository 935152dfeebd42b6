"""Sparse matrices that vary: what they are made of, what is computed of them, and solutions."""

import warnings

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

import scipy
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.linalg import spsolve

N = 6
X = np.arange(1.0, N + 1)
ROWS, COLUMNS = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 1, 1])
STARTS = np.array([0, 2, 5])


def laplacian(kind):
    ones = np.ones(N - 1)
    return kind(sparse.diags([ones, np.full(N, -2.0), ones], [-1, 0, 1]))


CLASSES = (
    sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.dia_array, sparse.csr_matrix,
    sparse.csc_matrix, sparse.coo_matrix, sparse.dia_matrix, sparse.bsr_array,
)
# Programs of a constant matrix, the identity, and two numbers. At zero, sums leave entries out.
PROGRAMS = {
    "multiple": lambda d, i, a, b: np.sum((a * d) @ X * X) * b,
    "quotient": lambda d, i, a, b: np.sum((d / (a + 3.0)) @ X * X) * b,
    "sum": lambda d, i, a, b: np.sum((i + a * d - d * b) @ X * np.sin(X)),
    "negative": lambda d, i, a, b: np.sum((-(d * a) - i) @ X * X) * b,
    "product": lambda d, i, a, b: np.sum(((i + a * d) @ (d - b * i)) @ X * X),
    "from the left": lambda d, i, a, b: np.sum((X * b) @ (i + a * d) * X),
    "of a matrix": lambda d, i, a, b: np.sum((i + a * d) @ np.outer(X, X * b)),
    "transposed": lambda d, i, a, b: np.sum((i + a * d).T @ X * X * b),
    "transpose": lambda d, i, a, b: np.sum((i + a * d).transpose() @ X * X * b),
    "dot": lambda d, i, a, b: np.sum((i + a * d).dot(X) * X * b),
    "dense": lambda d, i, a, b: np.sum((i + a * d).toarray() ** 2 * b),
    "sum of all": lambda d, i, a, b: (i + a * d).sum() * b,
    "diagonal": lambda d, i, a, b: np.sum((i + a * d).diagonal(1) * X[1:] * b),
    "trace": lambda d, i, a, b: (i + a * d).trace() * b,
    "entry by entry": lambda d, i, a, b: np.sum((i + a * d).multiply(d + b * i) @ X * X),
    "other forms": lambda d, i, a, b: np.sum((i + a * d).tocoo().tocsc().copy().tocsr() @ X * b),
    "kron": lambda d, i, a, b: np.sum(
        (sparse.kron(i, a * d) + sparse.kron(i + b * d, i)) @ np.arange(N * N * 1.0)
        * np.sin(np.arange(N * N))
    ),
    "stacked": lambda d, i, a, b: np.sum(
        sparse.vstack([a * d, i + b * d]) @ X * np.sin(np.arange(2 * N))
    ),
    "side by side": lambda d, i, a, b: np.sum(
        sparse.hstack((a * d, i + b * d)) @ np.arange(2 * N) * X
    ),
    "block diagonal": lambda d, i, a, b: np.sum(
        sparse.block_diag([a * d, i + b * d]) @ np.sin(np.arange(2 * N)) * np.arange(2 * N)
    ),
    "blocks": lambda d, i, a, b: np.sum(
        sparse.bmat([[a * d, None], [i + b * d, a * i]]) @ np.sin(np.arange(2 * N))
        * np.arange(2 * N)
    ),
    "mean": lambda d, i, a, b: (i + a * d).mean() * b,
    "structure": lambda d, i, a, b: (i + a * d).sum() * b * (i + a * d).shape[0] * (i + d).ndim,
    "floats": lambda d, i, a, b: (i + a * d).astype(complex).astype(float).sum() * b,
    "solution": lambda d, i, a, b: np.sum(spsolve((i * 3.0 - a * d).tocsc(), X * b) * X),
    "solutions": lambda d, i, a, b: np.sum(spsolve((i * 3.0 - a * d).tocsc(), np.outer(X, X * b))),
    "factors": lambda d, i, a, b: np.sum(
        linalg.splu((i * 3.0 - a * d).tocsc()).solve(np.outer(X, X * b)) @ X
    ),
    "factorized": lambda d, i, a, b: np.sum(
        linalg.factorized((i * 3.0 - a * d).tocsc())(X * b) * X
    ),
    "cg": lambda d, i, a, b: np.sum(linalg.cg(i * 3.0 - a * d, X * b, rtol=1e-12)[0] * X),
}
IS_OLD = np.lib.NumpyVersion(scipy.__version__) < "1.12.0"
if IS_OLD:
    PROGRAMS["cg"] = (
        lambda d, i, a, b: np.sum(linalg.cg(i * 3.0 - a * d, X * b, tol=1e-12)[0] * X)
    )


def difference(f, args, k, step=1e-6):
    there, back = [
        f(*args[:k], args[k] + sign * step, *args[k + 1 :]) for sign in (1, -1)
    ]
    return (there - back) / (2 * step)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_of_constant_matrices(kind, name):
    matrix, identity = laplacian(kind), kind(sparse.identity(N))

    def f(a, b):
        return PROGRAMS[name](matrix, identity, a, b)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args in ((0.3, 1.2), (0.0, 0.0), (1.0, 0.5)):
            try:
                found = zyg.gradient(f, *args)
            except zyg.NotDifferentiable:
                assert kind in (sparse.bsr_array,), name
                return
            expected = [difference(f, args, k) for k in range(2)]
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
            dots = [zyg.jvp(f, args, unit)[1] for unit in ((1.0, 0.0), (0.0, 1.0))]
            np.testing.assert_allclose(dots, expected, rtol=1e-5, atol=1e-6)


MADE = {
    "coordinates": lambda x: sparse.coo_array((x[:5], (ROWS, COLUMNS)), shape=(2, 2)),
    "coordinates of rows": lambda x: sparse.csr_matrix((x[:5] ** 2, (ROWS, COLUMNS)), (2, 2)),
    "rows": lambda x: sparse.csr_array((x[:5], COLUMNS, STARTS), shape=(2, 2)),
    "columns": lambda x: sparse.csc_array((x[:5], ROWS, STARTS), shape=(2, 2)),
    "list": lambda x: sparse.csc_array(([x[0], x[1] * x[2]], ([0, 1], [1, 1])), shape=(2, 2)),
    "dense": lambda x: sparse.csr_array(np.outer(x[:2], x[2:4])),
    "another": lambda x: sparse.csc_matrix(sparse.csr_array(np.outer(x[:2], x[2:4]))),
    "diagonals": lambda x: sparse.diags([x[:2], x[2:3]], [0, 1]),
    "diagonals of one number": lambda x: sparse.diags([x[0], x[1]], [0, -1], shape=(2, 2)),
    "diagonals in columns": lambda x: sparse.diags(
        [x[:2], x[2:3]], offsets=[0, 1], format="csc"
    ),
    "one diagonal": lambda x: sparse.diags(x[:2]),
    "spdiags": lambda x: sparse.spdiags(np.stack([x[:2], x[2:4]]), [0, 1], 2, 2),
    "dia": lambda x: sparse.dia_array((np.stack([x[:2], x[2:4]]), [0, -1]), shape=(2, 2)),
    "data": lambda x: sparse.csr_array(
        (sparse.csr_array((x[:2], COLUMNS[:2], [0, 1, 2])).data * x[2:4], [0, 0], [0, 1, 2]),
        shape=(2, 2),
    ),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("is_zero", [False, True])
def test_what_matrices_are_made_of(name, is_zero):
    """Entries that are zero have derivatives as well."""
    vector, weights = np.array([0.7, -1.3]), np.array([1.1, 0.4])

    def f(x):
        matrix = MADE[name](x)
        return weights @ (matrix @ vector) + np.sum(matrix.toarray() ** 3)

    x = np.array([0.5, 1.5, -0.7, 0.9, 1.2])
    if is_zero:
        x[1] = 0.0
    (found,) = zyg.gradient(f, x)
    expected = [
        (f(x + 1e-6 * unit) - f(x - 1e-6 * unit)) / 2e-6 for unit in np.eye(5)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    dots = [zyg.jvp(f, (x,), (unit,))[1] for unit in np.eye(5)]
    np.testing.assert_allclose(dots, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", CLASSES[:-1], ids=lambda kind: kind.__name__)
def test_gradient_of_a_matrix(kind):
    """It has the entries that the matrix keeps, and its format."""
    matrix = laplacian(kind)
    (found,) = zyg.gradient(lambda a: np.sum((a @ X) ** 2) + a.diagonal() @ X, matrix)
    expected = np.outer(2 * (matrix @ X), X) + np.diag(X)
    assert found.format == matrix.format and isinstance(found, sparse.sparray)
    np.testing.assert_allclose(found.toarray(), expected * (matrix.toarray() != 0))


def test_memory_is_that_of_the_entries():
    """A dense cotangent would have 10^10 entries."""
    size = 100_000
    ones = np.ones(size)

    def f(k):
        matrix = sparse.diags([k[1:], ones * 4.0, k[:-1]], [-1, 0, 1], format="csc")
        return np.sum(spsolve(matrix, ones))

    (found,) = zyg.gradient(f, 0.5 * ones)
    step = np.zeros(size)
    step[7] = 1e-6
    expected = (f(0.5 * ones + step) - f(0.5 * ones - step)) / 2e-6
    assert found[7] == pytest.approx(expected, rel=1e-4)


MATRIX = sparse.csr_matrix(np.array([[2.0, 0.0], [1.0, 3.0]]))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.sum(MATRIX * x), "make it a csr_array"),
        (lambda x: np.sum((MATRIX * x[0]) * x), "make it a csr_array"),
        (lambda x: np.sum(((MATRIX * x[0]) @ MATRIX) * x), "make it a csr_array"),
        (lambda x: np.sum((MATRIX * x[0]) ** 2 @ x), "make it a csr_array"),
        (lambda x: np.sum((MATRIX * x[0] + np.outer(x, x)) @ x), "make it a csr_array"),
        (lambda x: np.sum((MATRIX * x[0]).sum(axis=0)), "gives a numpy.matrix"),
        (lambda x: np.sum(sparse.bsr_array(MATRIX * x[0]).data), "`data` of a bsr_array"),
        (lambda x: np.sum(sparse.csr_array(MATRIX * x[0]).multiply(x) @ x), "the same shape"),
        (lambda x: np.sum(linalg.splu((MATRIX * x[0]).tocsc()).L @ x), "factor `L`"),
        (lambda x: np.sum(linalg.spilu((MATRIX * x[0]).tocsc()).solve(x)), "spilu has no rule"),
        pytest.param(
            lambda x: np.sum((sparse.csr_array(MATRIX) * x[0])[0] @ x), "of one dimension",
            marks=pytest.mark.skipif(
                not hasattr(sparse.coo_array, "__getitem__"), reason="rows are matrices before 1.15"
            ),
        ),
        (lambda x: np.sum((MATRIX * x[0]).todense() @ x), "gives a numpy.matrix"),
        (lambda x: np.sum(sparse.tril(MATRIX * x[0]) @ x), "tril has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, np.array([0.5, 1.5]))


def test_second_derivatives_are_right_or_refused():
    """In products with what is constant the cotangent is; a solution's is of its own factors."""
    def energy(a):
        return np.sum((MATRIX * a) @ (MATRIX * a) @ X[:2])

    def slope(a):
        return zyg.gradient(energy, a)[0]

    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        zyg.gradient(slope, 0.5)


SKEW = sparse.csc_array(np.array([[4.0, 1.0, 0.0], [0.0, 3.0, -2.0], [1.0, 0.0, 5.0]]))
FACTORS, SOLVE = linalg.splu(SKEW), linalg.factorized(SKEW)
TURNED = sparse.csc_array(np.array([[0.0, 1j, 0.0], [0.5, 0.0, 0.0], [0.0, 0.3j, 1.0]]))


@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_factors_of_transposes(trans):
    def varied(a, b):
        factors = linalg.splu((SKEW + TURNED * a).tocsc())
        return np.sum(np.abs(factors.solve(factors.solve(b + 1j * b[::-1]), trans)) ** 2)

    def fixed(a, b):
        twice = linalg.splu(SKEW).solve(FACTORS.solve(b * a), trans=trans)
        return np.sum(FACTORS.solve(np.outer(twice, SOLVE(b)), trans) ** 2) * FACTORS.shape[0]

    b = np.array([0.5, -1.0, 2.0])
    zyg.check_grads(varied, 0.4, b, order=1)
    zyg.check_grads(fixed, 0.4, b, order=1)
    for f in (varied, fixed):
        bars = zyg.gradient(f, 0.4, b)
        along = bars[0] + np.sum(bars[1])
        np.testing.assert_allclose(zyg.jvp(f, (0.4, b), (1.0, np.ones(3)))[1], along)


def test_second_derivatives_by_factors_of_what_is_constant():
    zyg.check_grads(lambda b: np.sum(SOLVE(FACTORS.solve(b**2, "T")) ** 2), np.ones(3))
