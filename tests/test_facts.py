"""Each declared result type covers what the function really returns.

The property: abstract the arguments, ask `ir.facts` for the type of the call, call the function,
and check that its result is a value of that type, symbols of dimensions included.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

from ir import facts
from ir.core import Call, Const, Value
from ir.fact_rules import distributed
from ir.types import (
    BOTTOM,
    TOP,
    Bottom,
    Dict,
    Instance,
    Iterator,
    Known,
    Mapping,
    Method,
    Scalar,
    Sequence,
    Slice,
    Top,
    Tuple,
    Type,
    Union,
    join,
)
from zyg import cotangent, cotangent_items
from zyg import cotangent_facts as cotangent_facts
from zyg.array_type import ANY, BIG, ONE, Array, One, Symbol, abstract_array
from zyg.numpy_example import BY_VALUE
from zyg.numpy_facts import UFUNCS

Sizes = dict[Any, int]


def covers(type_: Type, value: Any, sizes: Sizes) -> bool:
    """Whether a value belongs to a type; symbols must have one size throughout."""
    match type_:
        case Top():
            return True
        case Bottom():
            return False
        case Known(known):
            return type(known) is type(value) and (known is value or known == value)
        case Union(members):
            return any(covers(member, value, dict(sizes)) for member in members)
        case Scalar(cls) | Instance(cls):
            return type(value) is cls
        case Tuple(items):
            return (
                type(value) is tuple
                and len(items) == len(value)
                and all(covers(item, each, sizes) for item, each in zip(items, value, strict=True))
            )
        case Sequence(cls, item):
            return type(value) is cls and all(covers(item, each, sizes) for each in value)
        case Iterator(cls, item):
            return type(value) is cls and all(covers(item, each, sizes) for each in value)
        case Dict(items):
            return (
                type(value) is dict
                and list(value) == [key for key, _ in items]
                and all(covers(item, value[key], sizes) for key, item in items)
            )
        case Mapping(cls, key, item):
            return (
                type(value) is cls
                and all(covers(key, each, sizes) for each in value)
                and all(covers(item, each, sizes) for each in value.values())
            )
        case Slice():
            parts = (value.start, value.stop, value.step)
            return type(value) is slice and all(
                map(covers, (type_.start, type_.stop, type_.step), parts, [sizes] * 3)
            )
        case Array(dtype, dims):
            if type(value) is not np.ndarray or value.dtype != dtype:
                return False
            return dims is None or (
                len(dims) == value.ndim
                and all(covers_dim(d, n, sizes) for d, n in zip(dims, value.shape, strict=True))
            )
        case _:
            raise AssertionError(f"no check for {type_!r}")


def covers_dim(dim: Any, size: int, sizes: Sizes) -> bool:
    if isinstance(dim, One):
        return size == 1
    if isinstance(dim, Symbol):
        named = dim.id == 0 or sizes.setdefault(dim.id, size) == size
        return named and not (dim.big and size == 1)
    return True


class Abstraction:
    """Abstracts the arguments of one call; array dimensions get symbols, and the symbols sizes."""

    def __init__(self, shared: bool = False, ranks: bool = True) -> None:
        self.sizes: Sizes = {}
        self.next = 1
        self.shared = shared
        self.ranks = ranks

    def __call__(self, value: Any) -> Type:
        match value:
            case np.ndarray():
                type_ = abstract_array(value, self.next)
                if not isinstance(type_, Array):
                    return type_
                if not self.ranks:
                    return Array(type_.dtype, None)
                if self.shared:
                    # Equal sizes share a symbol, as they do within a function.
                    dims = tuple(ONE if n == 1 else Symbol(n + 1, True) for n in value.shape)
                    self.sizes.update({n + 1: n for n in value.shape if n != 1})
                    return Array(value.dtype, dims)
                self.next += value.ndim
                covers(type_, value, self.sizes)
                return type_
            case tuple():
                return Tuple(tuple(map(self, value)))
            case _:
                return facts.abstract(value)


class Setting:
    """An argument that is known when compiling."""

    def __init__(self, value: Any) -> None:
        self.value = value


def check(
    callee: Any, *args: Any, must_know: bool = False, abstraction: Any = None, **kwargs: Any
) -> Type | None:
    abstract = abstraction or Abstraction()

    def type_of(argument: Any) -> Type:
        return Known(argument.value) if isinstance(argument, Setting) else abstract(argument)

    def value_of(argument: Any) -> Any:
        return argument.value if isinstance(argument, Setting) else argument

    result_of = facts.result_of(callee)
    assert result_of is not None, callee
    types = tuple(map(type_of, args)), {name: type_of(value) for name, value in kwargs.items()}
    result = result_of(*types)
    values = [value_of(argument) for argument in args]
    keywords = {name: value_of(argument) for name, argument in kwargs.items()}
    try:
        with np.errstate(all="ignore"):
            if hasattr(callee, "__get__") and not callable(callee):
                value = callee.__get__(*values)
            else:
                value = callee(*values, **keywords)
    except Exception:
        return None
    assert covers(result, value, abstract.sizes), (callee, *types, result, value)
    if must_know and not BY_VALUE:
        assert result != TOP, (callee, types, value)
    return result


PYTHON_NUMBERS = (2, 0, -3, True, False, 1.5, -2.0, 0.0, 2j)
NUMPY_NUMBERS = (
    np.float64(1.5),
    np.float32(-2.5),
    np.int64(3),
    np.int32(-2),
    np.uint8(7),
    np.bool_(True),
    np.complex128(1j),
    np.complex64(2),
    np.float16(1),
)
NUMBERS = PYTHON_NUMBERS + NUMPY_NUMBERS
DTYPES = (np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128, np.complex64)
SHAPES = ((), (1,), (3,), (0,), (2, 3), (1, 3), (2, 1), (0, 3), (4, 2, 3), (1, 1, 1))
ARRAYS = tuple(
    np.arange(1, 1 + math.prod(shape)).reshape(shape).astype(dtype)
    for shape in SHAPES
    for dtype in (DTYPES if len(shape) < 2 else (np.float64, np.float32, np.int64))
)
FEW_ARRAYS = tuple(
    np.ones(shape, dtype)
    for shape, dtype in itertools.product(
        ((), (1,), (3,), (2, 3), (2, 1), (0,)), (np.float64, np.float32, np.int64, np.bool_)
    )
)
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


def K(value: Any) -> Setting:
    return Setting(value)


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
    for text in texts:
        for left, right in itertools.product(((3, 3), (1, 3), (3, 1), (1, 1)), repeat=2):
            operands = [np.ones(left), np.ones(right, np.float32)][: text.count(",") + 1]
            check(np.einsum, K(text), *operands, must_know=True)


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


INDICES: tuple[Any, ...] = (
    K(0),
    K(-1),
    1,
    np.int64(0),
    K(None),
    K(...),
    K(slice(None)),
    K(slice(1, None)),
    K(slice(None, -1)),
    K(slice(None, None, -1)),
    K(slice(0, 1)),
    slice(1, 2),
    np.array([0, 1, 0]),
    np.array([[0], [1]]),
    np.array([True, False]),
    [0, 1],
    [],
    [True, False],
    np.array(0),
    K(True),
    np.ones((2, 3), bool),
)


def index_value(index: Any) -> Any:
    return index.value if isinstance(index, Setting) else index


def test_indexing() -> None:
    arrays = [np.arange(math.prod(s), dtype=float).reshape(s) for s in SHAPES]
    arrays += [np.ones((2, 2, 2, 2), np.float32), np.ones((2, 3), np.float32)]
    known = 0
    combinations = [
        *((index,) for index in INDICES),
        *itertools.product(INDICES, repeat=2),
        *itertools.product(INDICES[::2] + INDICES[12:15], repeat=3),
    ]
    for array, combination in itertools.product(arrays, combinations):
        if len(combination) > array.ndim + 2:
            continue
        abstract = Abstraction(shared=array.ndim % 2 == 0)
        types = tuple(
            Known(i.value) if isinstance(i, Setting) else abstract(i) for i in combination
        )
        x = abstract(array)
        values = tuple(map(index_value, combination))
        single = len(values) == 1 and array.size != 3
        try:
            value = array[values[0] if single else values]
        except Exception:
            continue
        index = types[0] if single else Tuple(types)
        result = facts.result_of(operator.getitem)((x, index), {})
        assert covers(result, value, abstract.sizes), (x, index, result, value.shape)
        known += result != TOP
    assert known > 2000


def test_an_ellipsis_separates_index_arrays() -> None:
    x, some = np.zeros((4, 2, 3)), np.array([0, 1, 0, 1, 0])
    for index in ((K(slice(None)), some, some), (K(slice(None)), some, K(...), some)):
        abstract = Abstraction()
        array = abstract(x)
        types = tuple(Known(i.value) if isinstance(i, Setting) else abstract(i) for i in index)
        result = facts.result_of(operator.getitem)((array, Tuple(types)), {})
        assert isinstance(result, Array)
        assert covers(result, x[tuple(map(index_value, index))], abstract.sizes)


def test_rows_of_arrays() -> None:
    for array in ARRAYS:
        type_ = abstract_array(array, 1)
        if array.ndim and isinstance(type_, Array):
            assert all(covers(facts.item_of(type_), row, {}) for row in array)


CONTAINERS: tuple[Any, ...] = (
    (1, 2.5),
    (),
    (1.0,),
    [1.5, 2.5],
    [],
    [1, 2],
    ["a"],
    range(4),
    {"a": 1, "b": 2.5},
    {},
    "abc",
    ((1, 2.0), "x"),
    {1: 2},
    {3, 4},
    np.arange(3.0),
)
CONTAINER_FUNCTIONS = (
    *(len, tuple, list, sorted, zip, enumerate, reversed, iter, sum, min, max, any, all, dict),
    *(dict.keys, dict.values, dict.items, dict.copy, list.copy, operator.not_, operator.truth),
    *(bool, str, repr),
)


@pytest.mark.parametrize("callee", CONTAINER_FUNCTIONS, ids=lambda f: f.__name__)
def test_container_functions(callee: Any) -> None:
    for container in CONTAINERS:
        check(callee, container)


def test_container_operators() -> None:
    indices = (0, -1, K(0), K(1), slice(1, None), K(slice(0, 1)), "a", K("a"), np.int64(0), True)
    for container in CONTAINERS:
        for index in indices:
            check(operator.getitem, container, index)
            check(dict.get, container, index) if isinstance(container, dict) else None
            check(dict.get, container, index, 1.5) if isinstance(container, dict) else None
            check(operator.mul, container, index)
            check(operator.mul, index, container)
            check(operator.contains, container, index)
        for other in CONTAINERS:
            for callee in (operator.add, operator.eq, operator.ne, operator.lt, operator.iadd):
                check(callee, container, other)
            check(zip, container, other)
            check(sum, [container], other)
    check(operator.getitem, (1, 2.5), K(1), must_know=True)
    check(sum, [1.5], must_know=True)
    check(sum, (1.5, 2), must_know=True)


def test_methods_of_literals() -> None:
    calls = {
        "float": (1.5, ("is_integer", "hex", "conjugate", "real", "imag", "as_integer_ratio")),
        "int": (3, ("bit_length", "real", "conjugate", "numerator")),
        "bool": (True, ("real", "conjugate", "imag")),
        "complex": (1j, ("conjugate", "real", "imag")),
        "str": ("a b", ("upper", "split", "strip", "isdigit", "encode", "title")),
    }
    for value, names in calls.values():
        for name in names:
            type_ = facts.attribute_of(Scalar(type(value)), name)
            found = getattr(value, name)
            if isinstance(type_, Method):
                assert isinstance(type_.function, Known)
                check(type_.function.value, value, must_know=True)
            else:
                assert type_ != TOP and covers(type_, found, {}), (value, name, type_)


def test_methods_of_arrays() -> None:
    x = Array(np.dtype(float), (Symbol(1, True), ONE))
    method = facts.attribute_of(x, "sum")
    assert method == Method(Known(np.ndarray.sum), x)
    assert facts.attribute_of(x, "T") == Array(np.dtype(float), (ONE, Symbol(1, True)))
    assert facts.attribute_of(x, "shape") == Tuple((Scalar(int), Known(1)))
    assert facts.attribute_of(x, "unknown") == TOP
    assert facts.descriptor_of(x, "T") is np.ndarray.T
    assert facts.descriptor_of(x, "sum") is None and facts.descriptor_of(TOP, "T") is None
    assert facts.descriptor_of(Scalar(np.float64), "shape") is np.generic.shape


def test_isinstance() -> None:
    classes = (int, float, complex, tuple, list, np.ndarray, np.floating, (int, float), bool)
    for value in (*NUMBERS, *CONTAINERS, np.ones(3)):
        for cls in classes:
            result = check(isinstance, value, K(cls))
            assert isinstance(result, Known), (value, cls)
        check(type, value)
        check(operator.is_, value, K(None))
        check(operator.is_not, K(None), value)


def folded(callee: Any, *types: Any) -> Any:
    operands = [
        Const(t.value) if isinstance(t, Setting) else Value(f"x{i}", t) for i, t in enumerate(types)
    ]
    fold = facts.fold_of(callee)
    assert fold is not None
    result = fold(Call(Const(callee), list(operands), {}, [Value("y")]))
    if isinstance(result, Const):
        return result.value
    return operands.index(result) if result in operands else result


def test_folds() -> None:
    x = Array(np.dtype(float), (Symbol(1, True), ONE))
    assert folded(np.ndim, x) == 2
    assert folded(np.shape, Scalar(float)) == ()
    assert folded(np.shape, x) is None
    assert folded(np.iscomplexobj, x) is False
    assert folded(isinstance, x, K(np.ndarray)) is True
    assert folded(isinstance, TOP, K(float)) is None
    assert folded(operator.is_, Scalar(float), K(None)) is False
    assert folded(operator.is_not, TOP, K(None)) is None
    assert folded(len, Tuple((TOP, TOP))) == 2
    assert folded(operator.truth, Scalar(bool)) == 0
    assert folded(operator.truth, Scalar(float)) is None
    assert folded(float, Scalar(float)) == 0
    assert folded(float, Scalar(np.float64)) is None


COTANGENT_ARRAYS = tuple(
    np.ones(shape, dtype)
    for shape in ((), (1,), (3,), (2, 3), (1, 3), (2, 1), (0,), (1, 1))
    for dtype in (np.float64, np.float32, np.complex128, np.int8)
)


def is_broadcast(x: Any, bar: Any) -> bool:
    """Whether `bar` can be the cotangent of what `x` was broadcast to."""
    if isinstance(x, tuple | list | dict | str) or isinstance(bar, tuple | list | dict | str):
        return True
    try:
        return np.broadcast_shapes(np.shape(bar), np.shape(x)) in (np.shape(bar), np.shape(x))
    except ValueError:
        return False


def test_cotangents() -> None:
    some = (*COTANGENT_ARRAYS, *NUMBERS, None, "text", (1.0, np.ones(2)), [1.0], {"a": 1.0})
    for x in some:
        check(cotangent.conj, x)
        check(cotangent.zeros_like, x)
    for bar, x in itertools.product(some, repeat=2):
        for shared in (False, True) if is_broadcast(x, bar) else ():
            check(cotangent.unbroadcast, bar, x, abstraction=Abstraction(shared=shared))
            check(cotangent.accumulate, bar, x, abstraction=Abstraction(shared=shared))
        for index in (K(0), 0, K(slice(None)), np.array([0, 0])):
            check(cotangent_items.one_hot, bar, x, index)
    for bar, shape in itertools.product((2.0, 1, np.float32(2), 1j), (3, (2, 3), (1,))):
        shape = shape if isinstance(shape, tuple) else (shape,)
        check(cotangent_items.scatter, bar, K(shape), K(0))


def test_folds_of_cotangents_change_nothing() -> None:
    """Where `unbroadcast(bar, like)` folds to `bar`, it returns `bar` for all such arguments."""
    some = (*COTANGENT_ARRAYS, *NUMBERS)
    count = 0
    for like, other in itertools.product(some, repeat=2):
        with np.errstate(all="ignore"):
            try:
                bar = like * other
            except (ValueError, TypeError, OverflowError):
                continue
        abstract = Abstraction(shared=True)
        fold = folded(cotangent.unbroadcast, abstract(bar), abstract(like))
        if fold is not None:
            count += 1
            result = cotangent.unbroadcast(bar, like)
            assert np.shape(result) == np.shape(bar), (bar, like)
            assert np.array_equal(result, bar), (bar, like)
    assert count > 100
    for x in some:
        if folded(cotangent.conj, Abstraction()(x)) == 0:
            assert np.array_equal(cotangent.conj(x), x)


def test_unbroadcast_folds_only_where_sizes_agree() -> None:
    n, m = Symbol(1, True), Symbol(2, True)
    small = Symbol((n, "1:"), False)
    real, both = np.dtype(float), np.dtype(complex)

    def fold(bar: Type, like: Type) -> bool:
        return folded(cotangent.unbroadcast, bar, like) == 0

    assert fold(Array(real, (n,)), Array(real, (n,)))
    assert fold(Array(real, (n, ONE)), Array(np.dtype(np.float32), (m, ONE)))
    assert fold(Array(real, (small,)), Array(real, (small,)))
    assert not fold(Array(real, (n,)), Array(real, (small,)))
    assert not fold(Array(real, (ANY,)), Array(real, (ANY,)))
    assert not fold(Array(real, (n,)), Array(real, (ONE,)))
    assert not fold(Array(real, (ONE,)), Array(real, (n,)))
    assert not fold(Array(real, (n, m)), Array(real, (m,)))
    assert not fold(Array(both, (n,)), Array(real, (n,)))
    assert fold(Array(real, (n,)), Array(both, (n,)))
    assert not fold(Array(real, None), Array(real, None))
    assert fold(Scalar(float), Scalar(float)) and fold(Scalar(np.float64), Scalar(float))
    assert not fold(Scalar(complex), Scalar(float)) and not fold(TOP, Scalar(float))
    assert not fold(join(Scalar(float), Array(real, (n,))), Scalar(float))
    added = folded(cotangent.accumulate, Scalar(float), Array(real, (n,)))
    assert isinstance(added, Call) and added.callee.value is operator.add
    assert folded(cotangent.accumulate, TOP, Scalar(float)) is None


def test_unions_and_bottom_distribute() -> None:
    either = join(Scalar(float), Array(np.dtype(float), (BIG,)))
    add = facts.result_of(operator.add)
    assert add is not None
    assert add((either, Scalar(float)), {}) == either
    assert add((BOTTOM, TOP), {}) == BOTTOM
    assert add((TOP, Scalar(float)), {}) == TOP
    assert distributed(lambda args, kwargs: args[0])((either,), {}) == either


def test_same_slice_has_the_same_symbol() -> None:
    getitem = facts.result_of(operator.getitem)
    assert getitem is not None
    x = Array(np.dtype(float), (Symbol(1, True),))
    tail, again = (getitem((x, Known(slice(1, None))), {}) for _ in range(2))
    head = getitem((x, Known(slice(None, -1))), {})
    shorter = getitem((x, Known(slice(None, -2))), {})
    assert tail == again == head != shorter
    anonymous = getitem((Array(np.dtype(float), (BIG,)), Known(slice(1, None))), {})
    assert anonymous == Array(np.dtype(float), (ANY,))


def test_a_wrong_fact_is_noticed() -> None:
    assert not covers(Scalar(float), np.float64(1), {})
    assert not covers(Array(np.dtype(float), (Symbol(1, True),)), np.ones(1), {})
    same = Array(np.dtype(float), (Symbol(1, False), Symbol(1, False)))
    assert covers(same, np.ones((2, 2)), {}) and not covers(same, np.ones((2, 3)), {})
    assert not covers(Tuple((Scalar(int),)), (1.0,), {})
    assert not covers(Array(np.dtype(np.float32), None), np.ones(1), {})
