"""Keyword arguments of NumPy functions: a right derivative, or an error that names the keyword."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

PLANE_VECTORS = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) >= "2.5.0", reason="NumPy 2.5 took them out of np.cross"
)

A = np.array([[0.41, 0.87, 0.29, 0.63], [0.55, 0.33, 0.78, 0.92], [0.71, 0.24, 0.49, 0.36]])
Z = np.where(A > 0.8, 0.0, A)
C = A + 1j * A[::-1]
B = 1.7 - A
M = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]], bool)
R = np.array([0.5, 0.8, 0.3, 0.6])
# With NumPy 1 types depend on values, so that less is known when code is made.
IS_NEW = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
FUNCTIONS = [np.exp, np.sum]


def stored_where(x):
    y = x * 2
    np.log(x, out=y, where=M)
    return y


def stored_by_position(x):
    y = np.zeros((3, 4))
    np.multiply(x[:1], R, y, where=M)
    return y * x


def stored_into_operand(x):
    y = x * 3
    z = np.divide(y, x + R, out=y, where=M)
    return y * z


def stored_in_tuple(x):
    y = x * 3
    np.hypot(y, R, out=(y,))
    return y


def reduced_into(x):
    y = np.zeros(4)
    np.sum(x * x, axis=0, out=y, where=M)
    z = np.zeros(4)
    np.max(x, 0, z)
    return y * z


def written_by_position(x):
    """Outputs where the functions have them, and not their rules."""
    y = x * 2
    np.clip(y, 0.5, 1.2, y)
    rows, items, joined = np.empty((2, 4)), np.empty(4), np.empty((6, 4))
    np.take(y, [0, 5], 0, rows, "wrap")
    y.take([0, 1, 0, 7], None, items)
    np.concatenate([x, y * x], 0, joined)
    dots = np.empty(3)
    np.dot(x, x[0], dots)
    y.clip(0.6, 1.0, y)
    return np.sum(y) * rows, items * x[0], joined, dots


def put_together(y):
    return np.concatenate([np.ravel(part) for part in y])


PROGRAMS = [
    (lambda x: np.sum(x * x, where=M), A),
    (lambda x: np.sum(x * x, axis=0, keepdims=True, where=M[:1], initial=x[0, 0]), A),
    (lambda x: (x * x).sum(1, where=M), C),
    (lambda x: np.prod(x, axis=0, where=M, initial=x[0, 1]), Z),
    (lambda x: x.prod(initial=0.5), Z),
    (lambda x: np.mean(x * x, axis=0, where=M), A),
    (lambda x: (x * x).mean(where=M), C),
    (lambda x: np.max(x * x, axis=1, where=M, initial=0.1), A),
    (lambda x: x.min(axis=0, where=M, initial=0.5, keepdims=True) ** 2, A),
    (lambda x: np.var(x, axis=0, ddof=1, where=M), A),
    (lambda x: np.std(x, where=M), C),
    (lambda x: x.std(axis=1, keepdims=True, where=M), A),
    (lambda x: np.average(x * x, axis=1, weights=x[0], returned=True), A),
    (lambda x: np.average(x * x, returned=True), A),
    (lambda x: np.diff(x * x, prepend=x[:, :2], append=0.5), A),
    (lambda x: np.ediff1d(x * x, to_begin=x[0, 0], to_end=[1.0, 2.0]), A),
    (lambda x: np.median(x * x, axis=0, overwrite_input=True), A),
    (lambda x: np.quantile(x * x, [0.1, 0.7], axis=0, method="closest_observation"), A),
    (lambda x: np.percentile(x * x, 30, method="averaged_inverted_cdf"), A),
    (lambda x: np.exp(x, dtype=complex) * x, A),
    (lambda x: np.trace(x * x, 1, dtype=complex), A),
    (lambda x: np.linalg.svd(x[:, :3] * x[0, 0] - np.eye(3), hermitian=True)[1], A),
    (lambda x: np.linalg.svd(x[:, 1:] - np.eye(3), True, True, True)[2], A),
    (lambda x: np.linalg.svd(x[:, :3], compute_uv=False, hermitian=True), A),
    (lambda x: np.linalg.svd(x * x, False, True, False)[0] ** 2, A),
    (lambda x: (x * x).trace(dtype=complex), A),
    (lambda x: np.cov(x * x, dtype=float), A),
    (lambda x: np.meshgrid(x[0] * x[0], x[1], copy=False)[0], A),
    (lambda x: np.atleast_2d(x[0] * x[0], x[1, 1])[1] * np.atleast_2d(x[0], 1.0)[0], A),
    (lambda x: np.atleast_1d(x[0, 0], x)[0] * np.atleast_3d(x, x[0] * x[0])[1], A),
    (lambda x: np.power(x, R, casting="same_kind", subok=False), A),
    (lambda x: np.sqrt(x, order="F"), A),
    (lambda x: np.matmul(x, x * x, axes=[(1, 0), (0, 1), (1, 0)]), A),
    (lambda x: np.matmul(x, x.T, dtype=complex), A),
    (stored_where, A),
    (stored_by_position, A),
    (stored_into_operand, A),
    (stored_in_tuple, A),
    (reduced_into, A),
    (lambda x: np.take(x * x, [0, 5], 0, None, "clip"), A),
    (lambda x: np.vstack([x, x[0] * x[1]], dtype=complex), A),
    (lambda x: np.hstack([x[0] * x[0], x[1, 1], [0.5, x[0, 0]]], dtype=float), A),
    (lambda x: np.hstack((x, x * x), casting="safe"), A),
    (lambda x: np.logspace(x[0], x[1], 3, axis=1), A),
    (lambda x: np.logspace(x[0, 0], 2.0, 3, base=x[0] + 1.0), A),
    (lambda x: np.logspace(x[0, 0], x[0], 3, False, 2.0, axis=-1), A),
]
WITHOUT_HOLES = [
    lambda x: np.nansum(x * x, axis=1, where=M),
    lambda x: np.nanprod(x, axis=0, where=M, initial=0.5),
    lambda x: np.nanmean(x * x, axis=1, where=M, keepdims=True),
    lambda x: np.nanmax(x * x, axis=1, where=M, initial=0.1),
    lambda x: np.nanvar(x, axis=1, where=M),
    lambda x: np.nanstd(x, ddof=0.5),
]
if IS_NEW:
    PROGRAMS += [
        (lambda x: np.var(x, axis=0, mean=np.median(x, axis=0, keepdims=True)), A),
        (lambda x: np.std(x, axis=0, correction=1), A),
        (lambda x: np.average(x, axis=(1, 0), weights=x.T * x.T), A),
        (lambda x: np.vecdot(x, x * x, axis=0), A),
        (lambda x: np.vecdot(x, x[0], keepdims=True), A),
        (lambda x: np.asarray([x[0, 0] * x[0, 1], x[1, 1]], copy=True), A),
        (lambda x: np.sort(x * x, 0, stable=True), A),
        (lambda x: np.sort([x[0, 0], x[1, 1] ** 2], stable=False), A),
    ]
if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
    PROGRAMS += [
        (lambda x: np.reshape(x * x, (2, 6), copy=True), A),
        (lambda x: (x * x).reshape(4, 3, order="F", copy=None), A),
        (lambda x: x.reshape((2, 6), copy=False) ** 2, A),
    ]
    # For C's functions, NumPy 1 doesn't tell where the output stands.
    PROGRAMS += [(lambda x: put_together(written_by_position(x)), A)]


@pytest.mark.parametrize(("program", "x"), PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_derivatives_of_calls_with_options(program, x):
    value, _ = zyg.pullback(program, x)
    np.testing.assert_equal(np.shape(value), np.shape(program(x)))
    zyg.check_grads(program, x, order=2 if IS_NEW else 1)


@pytest.mark.parametrize("program", WITHOUT_HOLES)
def test_derivatives_where_numbers_are_missing(program):
    holes = A < 0.3
    zyg.check_grads(lambda x: program(np.where(holes, np.nan, x)), A, order=1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_mask_excludes_has_no_derivative():
    x = np.array([0.0, 0.5, -1.0, 2.0])
    expected = [0.0, 2.0, 0.0, 0.5]
    (bar,) = zyg.gradient(lambda x: np.sum(np.log(x), where=x > 0), x)
    np.testing.assert_array_equal(bar, expected)
    (bar,) = zyg.gradient(lambda x: 2 * np.mean(np.log(x), where=x > 0), x)
    np.testing.assert_array_equal(bar, expected)
    (bar,) = zyg.gradient(lambda x: np.sum(np.log(x, where=x > 0, out=np.zeros(4))), x)
    np.testing.assert_array_equal(bar, expected)
    (bar,) = zyg.gradient(lambda x: np.prod(x, where=x != 0), x)
    np.testing.assert_allclose(bar, [0.0, -2.0, 1.0, -0.5])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_mask_without_an_output():
    zyg.check_grads(lambda x: np.where(M, np.log(x, where=M), 0) * x, A, order=1)
    zyg.check_grads(lambda x: np.where(M, np.arctan2(x[0], R, where=M), 0) * x, A, order=1)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.pad(x, 1, constant_values=x[0, 0]),
        lambda x: np.pad(x, (1, 2), constant_values=(1.0, x[0, 0])),
        lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=((1.0, x[0, 0]), (x[0, 1], 3.0))),
        lambda x: np.einsum(x, [0, 1], B, [2, 1], [0, 2]),
        lambda x: np.einsum(x, [..., 1], R, [1]),
        lambda x: np.einsum("ij,kj", x, B, dtype=complex, order="F", casting="same_kind"),
        lambda x: np.einsum("ij,kj,km->im", x, B, x, optimize=["einsum_path", (0, 1), (0, 1)]),
        pytest.param(lambda x: np.cross(x[:, :2], B[:, :3]), marks=PLANE_VECTORS),
        lambda x: np.interp(7 * x[0], [0.1, 0.5, 0.9], x[1, :3], period=1.0),
        lambda x: np.interp(x[0] - 3, 5 * x[1], B[0], period=-1.3),
        lambda x: np.interp(x[0], [0.3, 0.5], x[1, :2], left=-1.0, period=None),
        lambda x: np.linspace(x[0], x[1], 5, endpoint=False, retstep=True),
        lambda x: np.linalg.pinv(x, hermitian=False, rcond=1e-8),
        lambda x: np.histogram(B, bins=3, weights=x)[0],
        lambda x: np.histogram(B, bins=[0.9, 1.2, 1.3], weights=x)[0],
        lambda x: np.histogram(B, bins=np.sort(x[0]))[1],
        lambda x: np.linalg.pinv(x[:, :3], hermitian=True),
        lambda x: np.linalg.pinv(x[:, :3] + 1j * B[:, :3], hermitian=True),
    ],
)
def test_options_of_other_functions(program):
    zyg.check_grads(program, A, order=1)


@pytest.mark.skipif(not IS_NEW, reason="of NumPy 2")
def test_options_of_numpy_2():
    zyg.check_grads(lambda x: np.linalg.cholesky(x @ x.T + C @ C.T.conj(), upper=True), A)
    zyg.check_grads(lambda x: np.linalg.pinv(x, rtol=1e-8), A)


def test_precision_that_is_asked_for():
    x = A.astype(np.float32)
    y, back = zyg.pullback(lambda x: np.multiply(x, R, dtype=np.float32), x)
    assert y.dtype == np.float32 and back(np.ones_like(y))[0].dtype == np.float32
    y, back = zyg.pullback(lambda x: np.exp(x, dtype=np.float64), x)
    assert y.dtype == np.float64 and back(np.ones_like(y))[0].dtype == np.float32
    y, back = zyg.pullback(lambda x: np.mean(x, axis=0, where=M), x)
    assert y.dtype == np.float32 and back(np.ones_like(y))[0].dtype == np.float32
    y, back = zyg.pullback(lambda x: np.sum(x, axis=0, dtype=float, initial=0.5), x)
    assert y.dtype == np.float64 and back(np.ones_like(y))[0].dtype == np.float32


def pullback_and_back(program, x):
    y, back = zyg.pullback(program, x)
    return back(np.ones_like(y))


@pytest.mark.parametrize(
    ("program", "named"),
    [
        (lambda x: np.modf(x, where=M), "where"),
        (lambda x: np.ldexp(x, 2, dtype=np.float64), "dtype"),
        (lambda x: np.nanquantile(x, 0.3, weights=B, method="inverted_cdf"), "weights"),
        (lambda x: np.clip(x, 0.1, 0.5, where=M), "where"),
        (lambda x: np.outer(x, x, axes=0), "axes"),
        (lambda x: np.pad(x, 1, "linear_ramp", end_values=x[0, 0]), "end_values"),
        pytest.param(
            lambda x: np.cross(x[:, :2], x[:, 2:]), "three components", marks=PLANE_VECTORS
        ),
        (lambda x: np.histogram(x, bins=3)[1], "edges"),
        (lambda x: np.histogram(x, bins=[0.1, 0.5, 0.9])[0] * x[0, 0], "counts"),
        (lambda x: np.histogram(B, density=True, weights=x)[0], "density"),
        (lambda x: np.polyval(np.poly1d(x[0]), 0.3), "np.poly1d has no rule"),
        (lambda x: np.asarray(np.poly1d(x[0])), "np.poly1d has no rule"),
        (lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)), "as_strided"),
        (lambda x: getattr(np, "".join(["ex", "p"]))(x, out=np.zeros((3, 4))), "out"),
        (lambda x: FUNCTIONS[1 + int(x[0, 0])](x, 0, None, np.zeros(4)), "out"),
    ],
)
def test_what_is_not_covered_is_refused_by_name(program, named):
    with pytest.raises(zyg.ZygError, match=named):
        pullback_and_back(program, A)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.asarray(np.poly1d(x))), lambda x: np.poly1d(x)(0.3),
])
def test_classes_of_numpy_without_a_rule_are_refused_in_both_modes(f):
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(zyg.NotDifferentiable, match=r"np\.poly1d has no rule"):
        zyg.jvp(f, (x,), (np.ones(3),))
    with pytest.raises(zyg.NotDifferentiable, match=r"np\.poly1d has no rule"):
        zyg.gradient(f, x)


def test_errors_of_numpy_stay_as_they_are():
    with pytest.raises(ValueError, match="does not have an identity"):
        zyg.pullback(lambda x: np.max(x, where=M), A)
    with pytest.raises(TypeError, match="casting"):
        zyg.pullback(lambda x: np.add(x, 1.0, dtype=int), A)


@pytest.mark.filterwarnings("ignore")
def test_without_degrees_of_freedom():
    for f, x, ddof in (
        (np.var, 3.0, 1), (np.var, A, 12), (np.var, A, 13), (np.cov, A[0], 4), (np.cov, A[0], 5),
        (lambda x, ddof: np.cov(x, ddof=ddof, fweights=[1, 2, 1, 1]), A[0], 9),
    ):
        y, back = zyg.pullback(lambda x, f=f, ddof=ddof: f(x, ddof=ddof), x)
        np.testing.assert_equal(y, f(x, ddof=ddof))
        assert not np.any(np.isfinite(back(1.0)[0]))


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="np.clip has had these names since 2.1"
)
def test_new_names_of_bounds():
    zyg.check_grads(lambda x, low: np.clip(x, min=low), A, R)
    zyg.check_grads(lambda x, low, high: np.clip(x, max=high, min=low), A, R, 0.7)
    with pytest.raises(ValueError, match="forbidden"):
        zyg.pullback(lambda x: np.clip(x, 0.1, 0.5, min=0.2), A)


def test_quantiles_of_all_numbers_are_scalars():
    for f in (np.nanmedian, lambda x: np.nanpercentile(x, 33.0, axis=(0, 1))):
        assert type(zyg.pullback(f, A)[0]) is np.float64


@pytest.mark.parametrize(
    "program",
    [
        lambda x, y: np.linalg.norm([x, y, x * y]),
        lambda x, y: np.linalg.norm([(x, 0.3), (y, x)]),
        lambda x, y: np.clip([x, y, x * y], 0.1, 0.5),
        lambda x, y: np.sinc((x, y)),
        lambda x, y: np.select(condlist=[M], choicelist=[x * B], default=y),
        lambda x, y: np.polyfit([0.0, 1.0, 2.0], [x, y, x * y], 1),
    ],
)
def test_operands_in_lists(program):
    zyg.check_grads(program, 0.6, 0.35)


@pytest.mark.skipif(not IS_NEW, reason="NumPy 1 has no such arguments")
def test_copies_are_other_memory():
    def f(x):
        y = x * 2
        copied, same = np.asarray(y, copy=True), np.asarray(y, copy=None)
        copied[0] = 3.0
        same[1] = x[0, 0] * x[0]
        return np.sum(y * copied)

    zyg.check_grads(f, A, order=1)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="np.reshape takes copy= from NumPy 2.1 on"
)
def test_what_has_to_be_copied_raises_as_it_does_in_numpy():
    with pytest.raises(ValueError, match="creating a copy while reshaping"):
        zyg.gradient(lambda x: np.sum(np.reshape(x.T, 12, copy=False)), A)
    with pytest.raises(ValueError, match="avoid copy"):
        zyg.gradient(lambda x: np.sum(np.asarray([x[0, 0]], copy=False)), A)


def test_outputs_by_position_of_functions_with_several_results_are_refused():
    def f(x):
        part, whole = np.empty((3, 4)), np.empty((3, 4))
        np.modf(x, part, whole)
        return np.sum(part)

    with pytest.raises(zyg.UnsupportedSyntax, match="writing into an array"):
        zyg.gradient(f, A)
