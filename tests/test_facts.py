"""Each declared result type covers what the function really returns.

The property: abstract the arguments, ask `ir.facts` for the type of the call, call the function,
and check that its result is a value of that type, symbols of dimensions included.
"""

from __future__ import annotations

import importlib
import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special

import zyg
from ir import facts
from ir.types import TOP
from tests.abstract_values import (
    ARRAYS,
    FEW_ARRAYS,
    NUMBERS,
    NUMPY_NUMBERS,
    Abstraction,
    K,
    Setting,
    check,
)
from zyg.facts.numpy_example import SIZES
from zyg.facts.numpy_facts import UFUNCS

BINARY = [
    getattr(operator, name)
    for name in (
        "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le gt ge eq ne is_ "
        "is_not matmul iadd imul ipow"
    ).split()
]
BINARY += [divmod, pow, min, max]
UNARY = (operator.neg, operator.pos, operator.invert, operator.not_, operator.truth, abs, round)
CONVERSIONS = (int, float, bool, complex, str, repr, math.floor, math.ceil, math.sin, math.isnan)


@pytest.mark.parametrize("callee", BINARY, ids=lambda f: f.__name__)
def test_binary_operators_on_numbers(callee: Any) -> None:
    for x, y in itertools.product(NUMBERS, repeat=2):
        check(callee, x, y, must_know=callee is not pow)
        check(callee, Setting(x), y)
        check(callee, x, Setting(y))


@pytest.mark.parametrize("callee", UNARY + CONVERSIONS, ids=lambda f: f.__name__)
def test_unary_functions_on_numbers(callee: Any) -> None:
    for x in NUMBERS:
        check(callee, x, must_know=callee is not repr and callee is not str)
        check(callee, Setting(x))
    for x in ARRAYS:
        check(callee, x)


@pytest.mark.parametrize("callee", BINARY, ids=lambda f: f.__name__)
def test_binary_operators_on_arrays(callee: Any) -> None:
    known = callee not in (min, max, pow, operator.pow)
    for x, y in itertools.product(FEW_ARRAYS, NUMBERS):
        in_place = callee.__name__.startswith("i")
        check(callee, x.copy(), y, must_know=known and not in_place)
        check(callee, y, x, must_know=known and not in_place)
        check(callee, x.copy(), Setting(y))
        check(callee, Setting(y), x, abstraction=Abstraction(ranks=False))
    for x, y in itertools.product(FEW_ARRAYS, repeat=2):
        for shared in (False, True):
            check(callee, x.copy(), y, abstraction=Abstraction(shared=shared))
        check(callee, x.copy(), y, abstraction=Abstraction(ranks=False))


@pytest.mark.parametrize(
    "ufunc", [each for each in UFUNCS if facts.result_of(each)], ids=lambda f: f.__name__
)
def test_ufuncs(ufunc: Any) -> None:
    samples = FEW_ARRAYS[::2] + ARRAYS[-4:] + NUMBERS
    if ufunc.nin == 1:
        samples = ARRAYS + NUMBERS
    for operands in itertools.product(samples, repeat=ufunc.nin) if ufunc.nin < 3 else ():
        check(ufunc, *operands, must_know=ufunc.signature is None)
        check(ufunc, *operands, abstraction=Abstraction(ranks=False))


AXES: tuple[dict[str, Setting], ...] = (
    {},
    {"axis": K(0)},
    {"axis": K(-1)},
    {"axis": K(1)},
    {"axis": K(0), "keepdims": K(True)},
    {"keepdims": K(True)},
    {"axis": K((0, 1))},
    {"axis": K(None)},
    {"dtype": K(np.float32)},
)
REDUCTIONS = "sum prod mean std var all any max min argmax argmin trace".split()
PLAIN_REDUCTIONS = "amax amin median ptp nansum nanmax average count_nonzero cumsum cumprod".split()


@pytest.mark.parametrize("name", REDUCTIONS + PLAIN_REDUCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_reductions(name: str) -> None:
    for keywords in AXES:
        for x in ARRAYS + NUMBERS:
            check(getattr(np, name), x, must_know=True, **keywords)
            check(getattr(np, name), x, abstraction=Abstraction(ranks=False), **keywords)
            if hasattr(np.ndarray, name):
                method = getattr(type(x) if isinstance(x, np.generic) else np.ndarray, name)
                check(method, x, must_know=name != "trace", **keywords)
    check(np.sum, [1.5, 2.5], must_know=True)
    check(np.mean, (1, 2, 3), must_know=True)


SHAPE_CALLS: tuple[tuple[Any, ...], ...] = (
    (np.transpose,),
    (np.transpose, K((1, 0))),
    (np.ndarray.transpose,),
    (np.ndarray.transpose, K(1), K(0)),
    (np.ndarray.T,),
    (np.ndarray.real,),
    (np.ndarray.imag,),
    (np.ndarray.shape,),
    (np.ndarray.ndim,),
    (np.ndarray.size,),
    (np.ndarray.dtype,),
    (np.ndarray.itemsize,),
    (np.ndarray.astype, K(np.float32)),
    (np.ndarray.astype, K(int)),
    (np.ndarray.copy,),
    (np.ndarray.flatten,),
    (np.ndarray.item,),
    (np.shape,),
    (np.ndim,),
    (np.size,),
    (np.iscomplexobj,),
    (np.swapaxes, K(0), K(1)),
    (np.moveaxis, K(0), K(-1)),
    (np.expand_dims, K(0)),
    (np.expand_dims, K((0, 2))),
    (np.squeeze,),
    (np.squeeze, K(0)),
    (np.ndarray.squeeze, K(-1)),
    (np.squeeze, 0),
    (np.squeeze, (0,)),
    (np.ravel,),
    (np.reshape, K(-1)),
    (np.reshape, K((-1, 1))),
    (np.reshape, K((1, -1))),
    (np.reshape, K((3, -1))),
    (np.reshape, K((2, 3))),
    (np.reshape, K((3, 2, 1))),
    (np.reshape, (3, 1)),
    (np.reshape, 3),
    (np.reshape, K(())),
    (np.ndarray.reshape, K(-1)),
    (np.ndarray.reshape, 2, K(-1)),
    (np.ndarray.reshape, K(-1), K(1)),
    (np.repeat, K(3)),
    (np.repeat, K(1), K(0)),
    (np.tile, K(2)),
    (np.tile, K((1, 2))),
    (np.flip,),
    (np.roll, K(1)),
    (np.diff,),
    (np.diag,),
    (np.diag, K(1)),
    (np.diagonal,),
    (np.tril,),
    (np.triu,),
    (np.atleast_1d,),
    (np.atleast_2d,),
    (np.copy,),
    (np.sort,),
    (np.argsort,),
    (np.zeros_like,),
    (np.ones_like,),
    (np.empty_like,),
    (np.full_like, 2.0),
    (np.broadcast_to, K((3,))),
    (np.broadcast_to, K((5, 2, 3))),
    (np.broadcast_to, (2, 3)),
    (np.round, K(1)),
    (np.angle,),
    (np.real,),
    (np.imag,),
    (np.array,),
    (np.asarray,),
    (np.array, K(np.float32)),
    (np.asarray, K(float)),
    (np.float64,),
    (np.float32,),
    (np.nan_to_num,),
    (np.clip, K(1), 2.0),
    (np.clip, 1, 2),
    (np.split, K(1)),
    (np.array_split, K(2)),
    (np.linalg.norm,),
    (len,),
)


@pytest.mark.parametrize("call", SHAPE_CALLS, ids=lambda call: call[0].__name__)
def test_shape_functions(call: tuple[Any, ...]) -> None:
    callee, *rest = call
    for x in ARRAYS:
        check(callee, x, *rest)
        check(callee, x, *rest, abstraction=Abstraction(shared=True))
        check(callee, x, *rest, abstraction=Abstraction(ranks=False))
    if not hasattr(callee, "__objclass__"):
        for number in NUMBERS:
            check(callee, number, *rest)
        check(callee, [1.5, 2.5], *rest)
        check(callee, [], *rest)
        check(callee, (1, 2.5), *rest)
    assert check(callee, np.ones((2, 3)), *rest) != TOP or callee in (np.squeeze, np.clip)


@pytest.mark.parametrize("name", ["T", "real", "imag", "shape", "ndim", "size", "dtype"])
def test_attributes_of_numpy_scalars(name: str) -> None:
    for x in NUMPY_NUMBERS:
        check(getattr(np.generic, name), x, must_know=True)


PAIRS = ((), (1,), (3,), (2, 3), (3, 2), (3, 3), (1, 3), (3, 1), (2, 2, 3), (2, 3, 2), (1, 3, 3))
PRODUCTS = (
    (np.matmul,),
    (operator.matmul,),
    (np.dot,),
    (np.ndarray.dot,),
    (np.inner,),
    (np.outer,),
    (np.vdot,),
    (np.tensordot, K(1)),
    (np.tensordot, K(0)),
    (np.tensordot, K(((0,), (0,)))),
    (np.tensordot, K((1, 0))),
    (np.tensordot,),
    (np.linalg.solve,),
)


@pytest.mark.parametrize("call", PRODUCTS, ids=lambda call: call[0].__name__)
def test_products(call: tuple[Any, ...]) -> None:
    callee, *rest = call
    for left, right in itertools.product(PAIRS, repeat=2):
        for first, second in ((np.float64, np.float64), (np.float32, np.int64), (np.int8, "D")):
            x, y = np.ones(left, first), np.ones(right, second)
            if callee is np.linalg.solve:
                x = x + np.random.default_rng(0).normal(size=x.shape).astype(x.dtype)
            for shared in (False, True):
                check(callee, x, y, *rest, abstraction=Abstraction(shared=shared))
    assert check(callee, np.eye(3), np.eye(3), *rest) != TOP


def test_einsum() -> None:
    texts = ("ij,jk->ik", "ij,ij", "ij->ji", "ii", "ij,kj->k", "ab,cb->acb", "ij,jk", "ij->")
    texts += ("...i,...i->...", "...j,jk", "i...->...", "...,...->...", "...ij->...j")
    for text in texts:
        for left, right in itertools.product(((3, 3), (1, 3), (3, 1), (1, 1)), repeat=2):
            operands = [np.ones(left), np.ones(right, np.float32)][: text.count(",") + 1]
            check(np.einsum, K(text), *operands, must_know=True)


def test_functions_made_of_others() -> None:
    vectors = (np.ones(3), np.ones((2, 3)), np.ones((1, 3), np.complex64), np.ones(2), [1.0, 2, 3])
    for x, y in itertools.product(vectors, repeat=2):
        check(np.cross, x, y)
        check(np.tensordot, x, y, axes=([-1], [-1]))
        check(np.tensordot, x, y, K(1))
        check(np.dstack, (x, y))
        check(np.dstack, [x, y])
        check(np.linalg.multi_dot, (x, np.ones((3, 3)), np.transpose(y)))
        check(np.block, [x, 1.0])
        check(np.block, [[x, x], [y, y]])
        check(np.polyfit, np.arange(3.0), y, K(1))
        check(np.polyfit, np.arange(2.0), y, 1)
        check(np.linalg.lstsq, np.ones((3, 2)), np.transpose(y), rcond=K(None))
        check(np.linalg.lstsq, np.eye(3), np.transpose(x))
        check(np.gradient, x, 0.1)
        check(np.gradient, x, 2, axis=K(0))
    for array in ARRAYS:
        check(np.result_type, array, K(np.float64))
        check(np.result_type, array, K(np.dtype(np.float32)), np.ones(2))
        check(np.squeeze, array, abstraction=Abstraction(ranks=False))
        check(np.ndarray.clip, array, min=0, max=1.5)
        check(np.clip, array, a_min=K(None), a_max=np.ones((2, 1)))
        check(np.percentile, array, [5, 95])
        check(np.quantile, array, q=[0.1, 0.9], axis=K(0))
    assert check(np.block, [[np.eye(2), np.eye(2)]]) != TOP
    assert check(np.cross, np.ones(3), np.ones(3)) != TOP
    assert check(np.linalg.multi_dot, [np.eye(2), np.eye(2)]) != TOP
    check(np.ndarray.clip, np.ones(3), min=0, must_know=True)
    check(np.percentile, np.ones(3), [5, 95], must_know=True)
    check(np.polyfit, np.ones(3), np.ones(3), 1, must_know=True)
    check(np.linalg.lstsq, np.eye(3), np.ones(3), must_know=True)
    check(np.polynomial.legendre.leggauss, 3, must_know=True)
    for frequencies in (np.fft.fftfreq, np.fft.rfftfreq):
        check(frequencies, 4, must_know=True)
        check(frequencies, 4, d=0.5, must_know=True)


def test_linear_algebra() -> None:
    for dtype in (np.float64, np.float32, np.int64, np.complex128):
        for shape in ((3, 3), (1, 1), (2, 3, 3)):
            x = np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape)
            for callee in (np.linalg.inv, np.linalg.cholesky, np.linalg.det, np.linalg.slogdet):
                check(callee, x, must_know=callee is not np.linalg.slogdet)
            for keywords in AXES[:6]:
                check(np.linalg.norm, x, **keywords)
    check(np.linalg.slogdet, np.eye(2), must_know=True)


def test_joining() -> None:
    groups = (
        (np.ones(3), np.ones(3)),
        (np.ones(3), np.ones(2, np.float32)),
        (np.ones((1,)), np.ones(1)),
        (np.ones((1,)), np.ones(0)),
        (np.ones((2, 3)), np.ones((2, 3), int)),
        (np.ones((2, 3)), np.ones((2, 1))),
        (np.ones((1, 3)), np.ones((2, 3))),
        (1.0, 2, np.float32(3)),
        (np.ones(3),),
        (np.ones(3), np.ones(3), np.ones(3)),
        ((1.0, 2.0), (3.0, 4.0)),
        [np.ones(3), np.ones(3)],
        [1.0, 2.0],
        [np.ones((2, 3))],
    )
    for group in groups:
        for shared in (False, True):
            abstraction = Abstraction(shared=shared)
            for callee in (np.concatenate, np.stack):
                check(callee, group, abstraction=abstraction)
                check(callee, group, K(-1), abstraction=Abstraction(shared=shared))
                check(callee, group, axis=K(1), abstraction=Abstraction(shared=shared))
            for callee in (np.vstack, np.hstack, np.column_stack):
                check(callee, group, abstraction=Abstraction(shared=shared))
            check(np.array, group, abstraction=Abstraction(shared=shared))


def test_makers() -> None:
    for shape in (3, 1, (2, 3), (1, 3), (), np.int64(2), (0,)):
        for given in (shape, K(shape)):
            for callee in (np.zeros, np.ones, np.empty):
                check(callee, given, must_know=True)
                check(callee, given, K(np.float32), must_know=True)
                check(callee, given, dtype=K(int), must_know=True)
            for value in NUMBERS:
                check(np.full, given, value, must_know=True)
    for number in (1, 0, 3, 2.5, np.float64(2), np.int32(4)):
        for given in (number, K(number)):
            check(np.arange, given, must_know=True)
            check(np.arange, 0, given)
            check(np.arange, 0, given, K(1))
            check(np.eye, given)
            check(np.linspace, 0.0, 1, given)
            check(np.linspace, given, K(1.0))


def test_where_and_clip() -> None:
    some = (*FEW_ARRAYS[::3], 1.5, 2, True, np.float32(1), np.float64(2))
    for condition in (np.array([True, False, True]), True, np.ones((2, 1), bool), np.float64(1)):
        for x, y in itertools.product(some, repeat=2):
            check(np.where, condition, x, y, must_know=True)
            check(np.clip, x, y, 3)


TRANSFORMS = [getattr(np.fft, name) for name in (
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "rfftn", "irfftn", "fft2", "fftshift",
)]
FACTORISATIONS = [
    np.linalg.pinv, np.linalg.svd, np.linalg.qr, np.linalg.eigvalsh, np.linalg.eigh,
]
ONE_ARRAY = [np.diagflat, np.vander, np.unwrap, np.partition, np.gradient, np.unique, np.ediff1d]

OF_ONE = TRANSFORMS + FACTORISATIONS + ONE_ARRAY


@pytest.mark.parametrize("callee", OF_ONE, ids=lambda f: f.__name__)
def test_transforms_and_factorisations(callee: Any) -> None:
    more = (K(1),) if callee is np.partition else ()
    square = (np.ones((3, 3)), np.ones((2, 3, 3), np.float32), np.ones((1, 1), complex))
    for array in (*ARRAYS, *square):
        check(callee, array, *more)
        check(callee, array, *more, axis=K(0))


def test_selections() -> None:
    for array in ARRAYS:
        for axis in (K(None), K(0), K(-1)):
            check(np.delete, array, 0, axis)
            check(np.insert, array, 0, 2, axis)
            check(np.compress, [True], array, axis)
            check(np.append, array, np.float32(2))
            for index in (0, [0, 0], np.array([[0], [0]])):
                check(np.take, array, index, axis)
        check(np.extract, array > 0, array)
        check(np.diag, array)
        check(np.pad, array, K(1))
        check(np.clip, array, None, 2)
        check(np.clip, array, K(None), np.ones((2, 1)))
        check(np.take_along_axis, array, np.zeros(array.shape, int), K(0))
        check(np.trapezoid if hasattr(np, "trapezoid") else np.trapz, array, np.arange(3.0))
        check(np.interp, array, np.arange(3.0), np.ones(3))
        check(np.quantile, array, K(0.5))
        check(np.quantile, array, np.array([0.1, 0.5]), K(0))
        check(np.meshgrid, array, np.ones(2))
        check(np.bincount, np.array([0, 1]), np.ones(2, np.float32))
        for other in FEW_ARRAYS[::3]:
            check(np.kron, array, other)
            check(np.convolve, array, other)
            check(np.linalg.solve, np.eye(3), other)
        check(np.linalg.solve, np.ones((2, 1, 1)), array)
    for size in (1, 4):
        for function in (np.tril_indices, np.triu_indices, np.diag_indices):
            check(function, size)
    check(np.ix_, [0, 1], np.arange(3))
    for array in ARRAYS:
        check(np.nonzero, array)
        check(np.diag_indices_from, array)


def test_rules_that_are_made_when_they_are_asked_for() -> None:
    made = []

    def rule_of(callee: Any) -> Any:
        made.append(callee)
        return lambda args, kwargs: TOP

    def first() -> None:
        pass

    def second() -> None:
        pass

    def own(args: Any, kwargs: Any) -> Any:
        return TOP

    facts.result(second)(own)
    facts.result_made_by(rule_of, first, second)
    assert made == []
    rule = facts.result_of(first)
    assert facts.result_of(first) is rule is not None
    assert made == [first]
    assert facts.result_of(second) is not own  # the last declaration counts
    facts.result(first)(own)
    assert facts.result_of(first) is own


def test_functions_of_scipy() -> None:
    for module in ("scipy_solve", "scipy_signal", "scipy_fft", "scipy_samples", "special_gamma"):
        importlib.import_module(f"zyg.rules.{module}")
    linalg, signal, fft = scipy.linalg, scipy.signal, scipy.fft
    for dtype, size in itertools.product((np.float64, np.float32, np.complex128, int), (1, 2, 4)):
        square = np.eye(size, dtype=dtype) * 2
        for callee in (linalg.eigh, linalg.eigvalsh, linalg.det, linalg.cho_factor):
            check(callee, square)
        check(linalg.eigh, square, eigvals_only=K(True))
        check(linalg.cho_factor, square, lower=K(True))
        check(linalg.cho_solve, linalg.cho_factor(square), square[0])
        check(linalg.solve_sylvester, square, square, square)
        check(linalg.block_diag, square, square[:1])
        check(linalg.toeplitz, square[0], square[:, -1])
        for rows in (1, 3):
            for callee in (linalg.svd, linalg.svdvals, linalg.qr, linalg.lu):
                check(callee, np.ones((rows, size), dtype))
            check(linalg.svd, np.ones((rows, size), dtype), full_matrices=K(False))
            check(linalg.qr, np.ones((rows, size), dtype), mode=K("economic"))
        for mode in ("full", "same"):
            for callee in (signal.convolve, signal.fftconvolve, signal.correlate):
                check(callee, square, square[:1], K(mode))
                check(callee, square[0], np.ones(3), mode=K(mode))
        check(signal.lfilter, [1.0], np.ones(2, dtype), square, axis=K(0))
        check(signal.lfilter, [1.0, 2.0], [1], square[0])
        for callee in (fft.fft, fft.rfft, fft.dct, fft.fft2, fft.dctn):
            check(callee, square)
            check(callee, square, norm=K("ortho"))
        check(scipy.integrate.cumulative_trapezoid, square, axis=K(0))
        check(scipy.integrate.cumulative_trapezoid, square, initial=K(0))
    for x in (2.0, np.float32(2), np.ones(3), np.ones((2, 1), np.float32), np.ones(())):
        check(scipy.special.polygamma, 1, x, must_know=True)
    double = np.eye(3)
    for callee in (linalg.eigh, linalg.det, linalg.svd, linalg.qr, linalg.lu, linalg.cho_factor):
        check(callee, double, must_know=True)
    check(signal.lfilter, [1.0], [1.0, 0.5], double[0], must_know=True)
    check(signal.fftconvolve, double, double, must_know=True)
    check(fft.dct, double, must_know=True)


def test_sizes_made_of_two_sizes_are_not_known():
    """Arrays of an example have neighbouring sizes: what is made of two isn't always the same."""
    made_of_two = [min, max, operator.add, operator.mul, lambda a, b: abs(a - b)]
    for (a, b), (c, d) in itertools.pairwise(SIZES):
        for size in made_of_two:
            assert size(a, c) != size(b, d)
            assert (size(a, c), size(b, d)) not in SIZES


@pytest.mark.parametrize("size", [1, 3])
def test_part_of_a_convolution_may_be_one_number(size):
    """Two sizes that are equal here, by other names."""

    def program(x, y):
        return np.sum(np.ravel(np.convolve(x, y, "valid") * x) * y[0])

    zyg.check_grads(program, np.array([0.7, 1.2, 0.4]), np.array([0.3, -0.2, 0.9])[:size], order=1)
