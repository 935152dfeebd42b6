"""The table of rules: each callee with arguments at which its derivative is checked.

`ROWS` holds what every user of the rules (a rule called directly, the compiler, the tracker, the
tape) has to differentiate correctly. Arguments stay away from kinks, which have tests of their own.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_random = np.random.default_rng(20240229)


@dataclass(frozen=True)
class Row:
    """One call: `callee(*args, **kwargs)`, or the attribute of `args[0]` for a descriptor."""

    callee: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        name = getattr(self.callee, "__qualname__", None) or self.callee.__name__
        module = getattr(self.callee, "__module__", None) or getattr(
            getattr(self.callee, "__objclass__", None), "__module__", None
        )
        options = [f"{key}={value!r}" for key, value in self.kwargs.items()]
        described = ", ".join([described_argument(x) for x in self.args] + options)
        return f"{module or 'numpy'}.{name}({described})"

    def call(self, *args: Any) -> Any:
        if hasattr(self.callee, "__call__"):
            return self.callee(*args, **self.kwargs)
        return self.callee.__get__(args[0])


def described_argument(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(described_argument, x)) + "]"
    return f"{type(x).__name__}:{x}"


def real(*shape: int, low: float = 0.2, high: float = 0.9) -> np.ndarray:
    """Distinct numbers in (low, high)."""
    return _random.uniform(low, high, shape)


def signed(*shape: int) -> np.ndarray:
    return real(*shape) * _random.choice([-1.0, 1.0], shape)


def single(*shape: int) -> np.ndarray:
    return real(*shape).astype(np.float32)


def cplx(*shape: int) -> np.ndarray:
    return signed(*shape) + 1j * signed(*shape)


def whole(*shape: int) -> np.ndarray:
    """Small distinct positive integers."""
    return _random.permutation(math.prod(shape)).reshape(shape) + 1


def definite(n: int, *stack: int) -> np.ndarray:
    a = signed(*stack, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)


def hermitian(n: int) -> np.ndarray:
    a = cplx(n, n)
    return a @ a.conj().T + n * np.eye(n)


def cases(callee: Any, *argument_lists: Any) -> Iterator[Row]:
    """Each list of arguments is a tuple, whose last entry may be a dict of keyword arguments."""
    for arguments in argument_lists:
        if arguments and isinstance(arguments[-1], Options):
            yield Row(callee, arguments[:-1], dict(arguments[-1]))
        else:
            yield Row(callee, arguments)


class Options(dict):
    """Keyword arguments of a row."""


def operators() -> Iterator[Row]:
    for callee in (operator.add, operator.sub, operator.mul, operator.truediv):
        yield from cases(callee, (1.5, 2.5), (3, 2), (1.5, 2), (1 + 2j, 0.5), (0.5, 2 - 1j))
        yield from broadcast_pairs(callee)
    for callee in (operator.pow, pow):
        yield from cases(
            callee,
            *((1.5, 2.5), (3, 2), (2, 0), (1.5, 1), (0.0, 2), (0.0, 3.0), (2.0, -1), (1 + 2j, 3)),
            *((1 + 2j, 0.5), (1.5, 1 - 1j), (real(3), 2), (real(3), real(3)), (2.0, real(3))),
            *((real(2, 1), real(3)), (real(3), 0), (real(3), 1), (single(3), 2), (single(3), 0.5)),
            *((whole(3), 2), (whole(3), whole(3)), (cplx(3), 2), (cplx(3), cplx(3))),
            *((np.float64(0.7), 2), (np.float32(0.7), 3), (real(3), cplx(3)), (real(3), 3)),
        )
    yield from cases(pow, (7, 2, 5))
    yield from cases(operator.mod, (7.5, 2.0), (-7.5, 2), (signed(3), 0.13), (real(3), real(2, 1)))
    for callee in (operator.neg, operator.pos, operator.abs, abs):
        yield from cases(
            callee,
            *((1.5,), (-2,), (1 - 2j,), (signed(2, 3),), (single(3),), (cplx(3),), (whole(3),)),
            *((np.array(0.5),), (np.float32(-0.5),), (np.complex128(1 + 1j),)),
        )
    yield from cases(operator.add, ([1.0, 2.0], [3.0]), ((1.0,), (2.0, 3.0)))
    yield from cases(operator.concat, ([1.0, 2.0], [3.0]))
    matrix = real(4, 3)
    yield from cases(
        operator.getitem,
        *((matrix, 1), (matrix, -1), (matrix, (2, 1)), (matrix, slice(1, 3))),
        *((matrix, (slice(None), 1)), (matrix, (..., slice(None, None, -1))), (matrix, None)),
        *((matrix, [0, 0, 2]), (matrix, (np.array([0, 1, 1]), np.array([2, 0, 0])))),
        *((matrix, matrix > 0.5), (matrix, (slice(None), np.array([1, 1])))),
        *((matrix, (matrix[:, 0] > 0.5, 1)), (single(4), [1, 1]), (cplx(4), slice(None, None, 2))),
        *((whole(4), 1), ([1.0, 2.0, 3.0], 1), ((1.0, real(2)), 1), ([1.0, 2.0, 3.0], slice(1, 3))),
        *(({"a": 1.0, "b": 2.0}, "b"), (real(3), np.int64(1)), (np.array(0.5), ())),
    )


def broadcast_pairs(callee: Any) -> Iterator[Row]:
    """Pairs of operands that broadcast: scalars, dimensions of length 1, all dtypes."""
    yield from cases(
        callee,
        *((real(3), real(3)), (real(2, 3), 2.5), (1.5, real(2, 3)), (real(2, 3), real(3))),
        *((real(2, 1), real(1, 3)), (real(1), real(2, 3)), (real(2, 3), 2), (2, real(3))),
        *((real(2, 3), np.array(0.5)), (np.float64(0.5), real(3)), (np.float32(0.5), single(3))),
        *((single(2, 3), 0.5), (single(2, 1), single(3)), (whole(3), 0.5), (whole(3), whole(3))),
        *((real(0, 3), real(3)), (real(2, 3), [0.5, 0.25, 0.75])),
    )
    if callee not in REAL_ONLY:
        yield from cases(
            callee,
            *((cplx(3), cplx(3)), (cplx(2, 3), real(3)), (real(2, 1), cplx(3)), (cplx(3), 0.5)),
            *((real(3), 1 - 2j), (cplx(3).astype(np.complex64), single(3))),
        )


REAL_ONLY = {
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.arctan2, np.logaddexp),
    *(np.logaddexp2, np.remainder, np.fmod, np.copysign, np.nextafter, np.heaviside),
}


def scalars() -> Iterator[Row]:
    for name in "sin cos tan asin acos atan sinh cosh tanh asinh atanh exp expm1".split():
        yield from cases(getattr(math, name), (0.3,), (-0.7,), (np.float64(0.4),), (0,))
    for name in "exp2 cbrt erf erfc fabs degrees radians modf frexp".split():
        yield from cases(getattr(math, name), (0.3,), (-1.7,), (np.float32(0.4),), (1,))
    for name in "log log1p log2 log10 sqrt gamma lgamma".split():
        yield from cases(getattr(math, name), (0.3,), (5,), (17.3,))
    yield from cases(math.gamma, (-0.7,), (-3.4,))
    yield from cases(math.lgamma, (-0.7,), (-3.4,), (1e4,))
    yield from cases(math.acosh, (1.3,), (3,))
    yield from cases(math.log, (0.7, 3.0), (5, 2))
    yield from cases(
        math.pow, (1.5, 2.5), (3, 2), (2.0, 0), (0.0, 2.0), (0.0, 1.0), (2.0, -1.5)
    )
    for callee in (math.atan2, math.copysign, math.fmod, math.remainder):
        yield from cases(callee, (0.3, 0.7), (-5.3, 0.7), (5.2, -2.3), (3, 0.7))
    yield from cases(math.nextafter, (0.3, 1.0))
    yield from cases(math.ldexp, (0.3, 2), (0.3, -3))
    yield from cases(math.hypot, (0.3,), (3.0, 4), (0.1, 0.2, 0.3), (0.0, 1.0))
    yield from cases(math.dist, ([0.1, 0.2], [0.5, 1.0]), ((1.0, 2.0), (3.0, 5.0)))
    yield from cases(math.fsum, ([0.1, 0.2, 0.3],), (real(3),))
    yield from cases(math.prod, ([0.5, 2.0, 3],), ([0.5, 0.0, 3.0],), ([0.5, 0.3], Options(start=2)))
    if sys.version_info >= (3, 12):
        yield from cases(math.sumprod, ([0.1, 0.2], [0.5, 1.0]))
    if sys.version_info >= (3, 13):
        yield from cases(math.fma, (0.1, 0.2, 0.5))


def python_builtins() -> Iterator[Row]:
    yield from cases(float, (0.5,), (3,), (np.float32(0.5),), (np.array(0.5),), (np.array(2),))
    yield from cases(complex, (0.5, 2.0), (0.5,), (1 + 2j, 0.5), (0.5, 1 - 2j))
    yield from cases(divmod, (7.5, 2.0), (real(3), 0.13))
    yield from cases(
        sum,
        *(([0.1, 0.2],), ((0.1, 2),), ([0.1, 0.2], 5.0), (real(3),), (real(3, 2),)),
        *(([real(3), real(3)],), ([real(2, 3), real(3), 1.0], 0.0), ([],)),
    )
    for callee in (max, min):
        yield from cases(
            callee, (0.1, 0.2), (3, 0.2, 5.5), ([0.3, 0.1, 0.7],), ((1, 2.5),), (real(4),)
        )
        yield from cases(callee, ([(0.3, 1.0), (0.1, 2.0)],))


def elementwise() -> Iterator[Row]:
    unary = (
        *(np.negative, np.positive, np.absolute, np.conjugate, np.sin, np.cos, np.tan, np.arcsin),
        *(np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arctanh, np.exp, np.exp2),
        *(np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square, np.reciprocal),
        *(np.real, np.imag, np.angle, np.sinc, np.nan_to_num),
    )
    for callee in unary:
        yield from cases(callee, (0.3,), (real(2, 3),), (single(3),), (cplx(3),), (np.array(0.3),))
    for callee in (np.fabs, np.cbrt, np.degrees, np.radians, np.rad2deg, np.deg2rad, np.modf, np.frexp):
        yield from cases(callee, (0.3,), (signed(2, 3),), (single(3),), (np.array(0.3),))
    for callee in (np.negative, np.sin, np.tanh, np.exp, np.sqrt, np.square, np.absolute):
        yield from cases(callee, (whole(3),), (2,), (real(0),), (-0.3 + 0.1j,), (np.float32(0.3),))
    yield from cases(np.arccosh, (1.3,), (real(3) + 1,), (single(3) + 1,), (cplx(3),))
    yield from cases(np.absolute, (signed(4),))
    yield from cases(np.angle, (cplx(3), True))


def binary() -> Iterator[Row]:
    callees = (
        *(np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.fmin),
        *(np.hypot, np.arctan2, np.logaddexp, np.logaddexp2, np.remainder, np.fmod, np.copysign),
        np.float_power,
    )
    for callee in callees:
        rows = broadcast_pairs(callee)
        integers_jump = callee in (np.remainder, np.fmod, np.maximum, np.minimum, np.fmax, np.fmin)
        for row in rows:
            if integers_jump and all(x.dtype.kind == "i" for x in map(np.asarray, row.args)):
                continue
            yield row
    yield from broadcast_pairs(np.power)
    yield from cases(np.power, (real(3), 2), (real(3), 0), (whole(3), 2), (2.0, real(3)))
    yield from cases(np.divmod, (real(3), 0.13), (real(2, 1), real(3)))
    yield from cases(np.heaviside, (np.array([-1.0, 0.0, 1.0]), 0.5))
    yield from cases(np.ldexp, (real(3), np.array([1, 2, -1])), (0.3, np.array([1, 2])))
    yield from cases(np.nextafter, (real(3), 1.0))


def reductions() -> Iterator[Row]:
    shapes = (
        *((real(4),), (real(2, 3),), (real(2, 3), 0), (real(2, 3), -1), (single(2, 3), 1)),
        *((real(2, 3), Options(axis=1, keepdims=True)), (real(2, 3), Options(keepdims=True))),
    )
    several = (
        (real(2, 3, 4), (0, 2)),
        (real(2, 3, 4), Options(axis=(-1, 0), keepdims=True)),
        (np.array(0.5),),
        (single(4),),
        (0.5,),
    )
    for callee in (np.sum, np.mean, np.var, np.std, np.prod):
        yield from cases(callee, *shapes, *several, (cplx(2, 3),), (cplx(2, 3), 0), (whole(2, 3),))
    for callee in (np.ndarray.sum, np.ndarray.mean, np.ndarray.var, np.ndarray.std, np.ndarray.prod):
        yield from cases(callee, *shapes, *several[:4], (cplx(2, 3), 0))
    for callee in (np.max, np.min, np.amax, np.amin, np.ptp, np.nanmax, np.nanmin):
        yield from cases(callee, *shapes, *several, (whole(2, 3),))
    for callee in (np.ndarray.max, np.ndarray.min):
        yield from cases(callee, *shapes, *several[:4])
    for callee in (np.var, np.std, np.ndarray.var, np.ndarray.std):
        yield from cases(callee, (real(2, 3), Options(axis=1, ddof=1)), (real(4), Options(ddof=1)))
    holes = np.array([[0.1, np.nan, 0.3], [0.4, 0.5, 0.6]])
    for callee in (np.nansum, np.nanmean):
        yield from cases(callee, *shapes, (holes,), (holes, 1), (holes, Options(axis=0)))
    with_zeros = np.array([[0.5, 0.0, 2.0, 3.0], [0.0, 1.5, 0.0, 0.5], [0.7, 2.0, 3.0, 0.5]])
    for callee in (np.prod, np.ndarray.prod):
        yield from cases(callee, (with_zeros,), (with_zeros, 0), (with_zeros, 1), (with_zeros[0],))
        yield from cases(callee, (with_zeros, (1, 0)), (with_zeros, Options(axis=1, keepdims=True)))
    for callee in (np.cumsum, np.cumprod, np.ndarray.cumsum, np.ndarray.cumprod):
        yield from cases(
            callee, (real(4),), (real(2, 3),), (real(2, 3), 0), (real(2, 3), -1), (cplx(4),)
        )
        yield from cases(callee, (single(2, 3), 1), (with_zeros, 1), (with_zeros,))
    weights = real(3)
    yield from cases(
        np.average,
        *((real(2, 3),), (real(2, 3), 0), (real(3), None, weights), (real(2, 3), 1, weights)),
        *((real(2, 3), None, real(2, 3)), (real(2, 3), Options(axis=0, weights=[1.0, 2.0]))),
    )
    for callee in (np.trace, np.ndarray.trace):
        yield from cases(callee, (real(3, 3),), (real(2, 4), 1), (real(2, 3, 3), 0, 1, 2))
    grid = np.array([0.0, 0.3, 0.4, 1.0])
    trapezoid = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    yield from cases(
        trapezoid, (real(4),), (real(4), grid), (real(4), None, 0.5), (real(2, 4), grid)
    )
    yield from cases(trapezoid, (real(4, 2), grid, 1.0, 0), (real(2, 3), real(2, 3)))
    yield from cases(np.median, (real(5),), (real(4),), (real(2, 3), 1), (real(2, 4), 0))
    yield from cases(np.median, (real(2, 4),), (real(2, 4), Options(axis=1, keepdims=True)))


def shapes() -> Iterator[Row]:
    for callee in (np.reshape, np.ndarray.reshape):
        yield from cases(
            callee, (real(2, 3), (3, 2)), (real(2, 3), -1), (single(4), (2, 2)), (cplx(4), (2, 2))
        )
        yield from cases(callee, (real(2, 3), (3, 2), Options(order="F")))
    yield from cases(np.ndarray.reshape, (real(2, 3), 3, 2), (real(6), 1, -1))
    for callee in (np.ravel, np.ndarray.ravel, np.ndarray.flatten):
        yield from cases(callee, (real(2, 3),), (real(2, 3), "F"), (single(2, 3),))
    for callee in (np.transpose, np.ndarray.transpose):
        yield from cases(
            callee, (real(2, 3),), (real(2, 3, 4), (1, 2, 0)), (real(2, 3, 4), (-1, 0, 1))
        )
    yield from cases(np.ndarray.transpose, (real(2, 3, 4), 1, 2, 0), (real(2, 3), None))
    yield from cases(np.ndarray.T, (real(2, 3),), (real(2, 3, 4),), (real(3),))
    if hasattr(np.ndarray, "mT"):
        yield from cases(np.ndarray.mT, (real(2, 3, 4),))
    yield from cases(np.ndarray.real, (real(3),), (cplx(3),))
    yield from cases(np.ndarray.imag, (real(3),), (cplx(3),))
    for callee in (np.swapaxes, np.ndarray.swapaxes):
        yield from cases(callee, (real(2, 3, 4), 0, 2), (real(2, 3), -1, 0))
    yield from cases(np.moveaxis, (real(2, 3, 4), 0, -1), (real(2, 3, 4), (0, 1), (2, 0)))
    yield from cases(np.rollaxis, (real(2, 3, 4), 2), (real(2, 3, 4), 0, 2), (real(2, 3, 4), 1, 3))
    yield from cases(np.expand_dims, (real(3), 0), (real(2, 3), (0, 2)), (0.5, 0))
    for callee in (np.squeeze, np.ndarray.squeeze):
        yield from cases(callee, (real(1, 3, 1),), (real(1, 3, 1), 0), (real(1, 1),))
    for callee in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        yield from cases(callee, (0.5,), (real(3),), (real(2, 3),), (real(2, 3, 4),))
    yield from cases(np.broadcast_to, (real(3), (2, 3)), (real(2, 1), (2, 3)), (0.5, (2,)))
    yield from cases(np.broadcast_arrays, (real(3), real(2, 1)), (real(3), 0.5))
    for callee in (np.repeat, np.ndarray.repeat):
        yield from cases(callee, (real(3), 2), (real(2, 3), 2, 1), (real(2, 3), 2))
        yield from cases(callee, (real(3), [2, 0, 1]), (real(2, 3), np.array([1, 2]), 0))
    yield from cases(np.tile, (real(3), 2), (real(2, 3), (2, 1)), (real(3), (2, 2)), (0.5, 3))
    yield from cases(np.tile, (real(2, 3), 2))
    yield from cases(np.flip, (real(3),), (real(2, 3), 1), (real(2, 3), (0, 1)))
    for callee in (np.fliplr, np.flipud):
        yield from cases(callee, (real(2, 3),), (single(2, 3),))
    yield from cases(np.rot90, (real(2, 3),), (real(2, 3), 2), (real(2, 3, 4), 3, (1, 2)))
    yield from cases(np.roll, (real(4), 1), (real(2, 3), -2, 1), (real(2, 3), 2))
    yield from cases(np.roll, (real(2, 3), (1, 2), (0, 1)))
    for callee in (np.triu, np.tril):
        yield from cases(callee, (real(3, 3),), (real(2, 4), 1), (real(2, 3, 3), -1), (real(3),))
    for callee in (np.diagonal, np.ndarray.diagonal):
        yield from cases(
            callee, (real(3, 3),), (real(2, 4), 1), (real(4, 2), -1), (real(2, 3, 4), 0, 2, 0)
        )
    yield from cases(np.diag, (real(3),), (real(3), 1), (real(3, 4),), (real(4, 3), -2))
    yield from cases(np.diagflat, (real(2, 2),), (real(2), -1))
    yield from cases(np.pad, (real(3), 2), (real(2, 3), ((1, 0), (0, 2))), (real(2, 3), (1, 2)))
    yield from cases(np.pad, (real(2, 3), 1, Options(constant_values=3.0)))


def joining() -> Iterator[Row]:
    yield from cases(
        np.concatenate,
        *(([real(2), real(3)],), ((real(2, 3), real(1, 3)),), ([real(2, 3), real(2, 1)], 1)),
        *(([real(2, 3), real(4)], None), ([single(2), single(3)],), ([cplx(2), real(2)],)),
        *(([whole(2), real(2)],), (real(2, 3, 4), 1), ([real(2, 3), real(2, 1)], -1)),
    )
    yield from cases(
        np.stack, ([real(3), real(3)],), ((real(3), real(3)), 1), ([0.5, 2.0],), (real(2, 3), 1)
    )
    yield from cases(np.stack, ([cplx(3), real(3)], -1), ([0.5, np.float32(2.0), 3],))
    yield from cases(np.vstack, ([real(3), real(2, 3)],), ((real(2), real(2)),), ([0.5, 2.0],))
    yield from cases(np.hstack, ([real(3), real(2)],), ((real(2, 1), real(2, 3)),), ([0.5, 2.0],))
    yield from cases(np.hstack, ([0.5, real(3)],))
    yield from cases(np.column_stack, ([real(3), real(3, 2)],), ((real(3), real(3)),))
    yield from cases(np.dstack, ([real(3), real(3)],), ((real(2, 3), real(2, 3)),))
    yield from cases(np.append, (real(3), 0.5), (real(2, 3), real(1, 3), 0), (real(2, 3), real(2)))
    yield from cases(np.split, (real(6), 3), (real(2, 4), [1, 3], 1))
    yield from cases(np.array_split, (real(7), 3), (real(2, 5), 2, 1))
    yield from cases(np.vsplit, (real(4, 2), 2))
    yield from cases(np.hsplit, (real(2, 4), 2), (real(4), 2))
    yield from cases(np.dsplit, (real(2, 2, 4), 2))
    if hasattr(np, "unstack"):
        yield from cases(np.unstack, (real(2, 3),), (real(2, 3), Options(axis=1)))


def creation() -> Iterator[Row]:
    nested = [[0.5, 1.0], [real(1)[0], 3]]
    for callee in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray):
        yield from cases(
            callee, (real(2, 3),), (nested,), ([0.5, 1.0],), ((0.5, 1j),), ([real(2), real(2)],)
        )
        yield from cases(callee, (single(3),), ([1, 2],), (real(3), np.float32), (real(3), complex))
    yield from cases(np.array, (0.5,), ([0.5], Options(ndmin=2)), ([0.5], Options(dtype=int)))
    yield from cases(np.copy, (real(3),), (single(3),))
    yield from cases(np.full, ((2, 3), 0.5), (3, real(3)), ((2, 3), real(2, 1)))
    yield from cases(np.full_like, (real(2, 3), 0.5), (single(2), 0.5))
    yield from cases(np.linspace, (0.5, 2.0), (0.5, 2.0, 5), (0.5, 2.0, 5, False), (0, 1, 3))
    yield from cases(np.linspace, (real(2), 1.0, 3), (0.5, 2.0, 1), (real(2), 1.0, 3, Options(axis=1)))
    yield from cases(np.logspace, (0.1, 0.5, 4), (0.1, 0.5, 4, False, 2.0))
    yield from cases(np.meshgrid, (real(2), real(3)), (real(2), real(3), real(4)), (real(2),))
    yield from cases(np.meshgrid, (real(2), real(3), Options(indexing="ij")))
    yield from cases(np.meshgrid, (real(2), real(3), Options(sparse=True)))
    yield from cases(np.vander, (real(3),), (real(3), 2), (real(3), 4, True))
    yield from cases(np.ndarray.copy, (real(2, 3),), (single(3),))
    yield from cases(
        np.ndarray.astype, (real(3), np.float32), (single(3), float), (real(3), complex)
    )
    yield from cases(np.ndarray.astype, (whole(3), float), (cplx(3), np.complex64))
    yield from cases(np.ndarray.conj, (real(3),), (cplx(3),))
    yield from cases(np.ndarray.conjugate, (cplx(3),))
    yield from cases(
        np.ndarray.item, (np.array(0.5),), (real(3), 1), (real(2, 3), -1), (real(2, 3), 1, 2)
    )
    yield from cases(np.ndarray.item, (real(2, 3), (1, -1)), (single(1),))
    yield from cases(np.ndarray.tolist, (real(3),), (real(2, 3),), (np.array(0.5),))


def selections() -> Iterator[Row]:
    for callee in (np.take, np.ndarray.take):
        yield from cases(
            callee, (real(4), [0, 2, 2]), (real(2, 3), 1), (real(2, 3), [1, 1, 0], 1)
        )
        yield from cases(callee, (real(2, 3), np.array([[0, 1], [1, 1]]), 0), (real(3), -1))
        yield from cases(callee, (real(3), [5, -4], Options(mode="wrap")))
        yield from cases(callee, (real(3), [5, -4], Options(mode="clip")))
    table = real(2, 3)
    order = np.argsort(table, axis=1)
    yield from cases(
        np.take_along_axis, (table, order, 1), (table, order[:, :1], 1), (table, order[:, 0], None)
    )
    yield from cases(np.take_along_axis, (table, np.argsort(table, axis=0), 0))
    for callee in (np.sort, np.partition):
        extra = (1,) if callee is np.partition else ()
        yield from cases(callee, (real(5), *extra), (real(2, 3), *extra, 0), (single(3), *extra))
    yield from cases(np.sort, (real(2, 3), None))
    yield from cases(np.compress, ([True, False, True], real(3)), ([0, 1], real(2, 3), 0))
    yield from cases(np.ndarray.compress, (real(2, 3), [True, False, True], 1))
    yield from cases(np.extract, ([True, False, True], real(3)))
    yield from cases(np.delete, (real(4), 1), (real(2, 3), [0, 2], 1), (real(2, 3), slice(1, 4)))
    mask = np.array([[True, False, True]])
    yield from cases(
        np.where,
        *((mask, real(2, 3), real(2, 3)), (mask, real(3), 0.5), (mask, 0.5, real(2, 1))),
        *((True, 0.5, 2.0), (mask, single(3), 0.0), (mask, cplx(3), real(3)), (mask, 1, 0.5)),
    )
    values = real(4)
    yield from cases(
        np.select, ([values > 0.7, values > 0.4], [real(4), 0.5], 2.0), ([values > 0.7], [values])
    )
    for callee in (np.clip, np.ndarray.clip):
        yield from cases(
            callee,
            *((real(5), 0.4, 0.6), (real(2, 3), real(3), 0.95), (real(3), None, 0.5)),
            *((real(3), 0.5, None), (single(4), 0.4, 0.6), (real(3), 0.6, 0.4)),
        )
    yield from cases(np.diff, (real(5),), (real(5), 2), (real(2, 4), 1, 0), (real(2, 5), 3))
    yield from cases(np.ediff1d, (real(2, 3),))
    xp, fp = np.array([0.0, 0.3, 0.5, 1.0]), real(4)
    yield from cases(
        np.interp, (real(3), xp, fp), (0.4, xp, fp), (np.array([-1.0, 0.4, 2.0]), xp, fp)
    )
    yield from cases(np.interp, (np.array([-1.0, 0.4, 2.0]), xp, fp, 0.5, 0.7))


def products() -> Iterator[Row]:
    matrices = (
        *((real(2, 3), real(3, 4)), (real(3), real(3)), (real(2, 3), real(3)), (real(3), real(3, 2))),
        *((cplx(2, 3), cplx(3, 2)), (cplx(2, 3), real(3)), (real(3), cplx(3, 2)), (cplx(3), cplx(3))),
        *((single(2, 3), single(3, 2)), (whole(2, 3), real(3))),
    )
    stacks = (
        *((real(5, 2, 3), real(3, 4)), (real(5, 2, 3), real(5, 3, 4)), (real(5, 2, 3), real(3))),
        *((real(3), real(5, 3, 2)), (real(2, 3), real(5, 3, 2)), (real(1, 2, 3), real(4, 3, 2))),
        (cplx(2, 2, 3), cplx(3)),
    )
    for callee in (operator.matmul, np.matmul):
        yield from cases(callee, *matrices, *stacks)
    yield from cases(
        np.dot,
        *(*matrices, (0.5, real(3)), (real(2, 3), 2.0), (0.5, 2.0), (real(2, 3, 4), real(4))),
        *((real(2, 3, 4), real(4, 5)), (real(4), real(2, 4, 3)), (real(5, 4), real(2, 4, 3))),
        *((real(2, 3, 4), real(5, 4, 2)), (cplx(2, 3, 4), cplx(5, 4, 2))),
    )
    yield from cases(np.ndarray.dot, *matrices, (real(2, 3), 2.0), (real(2, 3, 4), real(5, 4, 2)))
    yield from cases(np.vdot, (real(3), real(3)), (cplx(3), cplx(3)), (real(2, 2), cplx(2, 2)))
    yield from cases(
        np.inner,
        *((real(3), real(3)), (real(2, 3), real(4, 3)), (real(2, 3), real(3)), (real(3), real(2, 3))),
        *((0.5, real(3)), (cplx(2, 3), cplx(3)), (real(2, 2, 3), real(4, 5, 3))),
    )
    yield from cases(np.outer, (real(2), real(3)), (cplx(2), cplx(3)), (real(2, 2), 0.5))
    yield from cases(
        np.tensordot,
        *((real(2, 3, 4), real(3, 4, 5)), (real(2, 3), real(4, 5), 0), (real(2, 3), real(3), 1)),
        *((real(2, 3, 4), real(4, 3, 5), ((1, 2), (1, 0))), (real(2, 3), real(4, 2), (0, 1))),
        *((cplx(2, 3, 4), cplx(5, 4, 2), ([2, 0], [1, 2])), (real(3), real(3), ([-1], [-1]))),
        (real(2, 3, 4, 5), real(5, 6, 3, 2), ([0, 3, 1], [3, 0, 2])),
    )
    yield from cases(
        np.einsum,
        *(("ij,jk->ik", real(2, 3), real(3, 4)), ("ij,jk", real(2, 3), real(3, 4))),
        *(("i,i", real(3), real(3)), ("ii->i", real(3, 3)), ("ii", real(3, 3)), ("ij->", real(2, 3))),
        *(("ij->ji", real(2, 3)), ("ij->i", cplx(2, 3)), ("i,j->ij", cplx(2), cplx(3))),
        *(("...ij,...jk->...ik", real(5, 2, 3), real(3, 4)), ("...i,...i", real(2, 3), real(3))),
        *(("ij,jk,kl->il", real(2, 3), real(3, 4), real(4, 2)), ("iij,j->i", real(2, 2, 3), real(3))),
        *(("ij,ij->ij", real(1, 3), real(2, 3)), ("ij,ij", single(2, 3), single(2, 3))),
        *(("i,->i", real(3), 0.5), ("iij->j", real(2, 2, 3)), ("iii->", real(2, 2, 2))),
        ("ij,jk->ik", real(2, 3), real(3, 4), Options(optimize=True)),
    )
    yield from cases(
        np.kron,
        *((real(2), real(3)), (real(2, 2), real(1, 3)), (cplx(2, 2), cplx(2, 1)), (real(2), real(2, 3))),
        *((real(2, 3), real(2)), (0.5, real(2))),
    )
    yield from cases(
        np.cross,
        *((real(3), real(3)), (real(2, 3), real(3)), (cplx(3), cplx(2, 3)), (real(2, 3), real(2, 3))),
        *((real(3, 2), real(3, 2), Options(axis=0)), (real(3, 2), real(2, 3), 0)),
    )
    for mode in ("full", "same", "valid"):
        yield from cases(
            np.convolve, (real(5), real(3), mode), (real(2), real(5), mode), (cplx(4), cplx(3), mode)
        )
    if hasattr(np, "vecdot"):
        yield from cases(np.vecdot, (real(3), real(2, 3)), (cplx(2, 3), cplx(3)))
    if hasattr(np, "matvec"):
        yield from cases(np.matvec, (real(2, 3), real(3)), (cplx(4, 2, 3), cplx(3)))
        yield from cases(np.vecmat, (real(2), real(2, 3)), (cplx(2), cplx(4, 2, 3)))


def linear_algebra() -> Iterator[Row]:
    square, stack = signed(3, 3) + 2 * np.eye(3), signed(2, 3, 3) + 2 * np.eye(3)
    complex_square = cplx(3, 3) + 2 * np.eye(3)
    yield from cases(
        np.linalg.solve,
        *((square, real(3)), (square, real(3, 2)), (stack, real(3, 2)), (stack, real(2, 3, 1))),
        *((complex_square, cplx(3)), (square, cplx(3, 2)), (square.astype(np.float32), single(3))),
        (stack, real(3)),
    )
    for callee in (np.linalg.inv, np.linalg.det, np.linalg.slogdet):
        yield from cases(
            callee, (square,), (stack,), (complex_square,), (square.astype(np.float32),)
        )
    yield from cases(np.linalg.pinv, (square,), (real(2, 3),), (real(3, 2),), (cplx(2, 3),))
    singular = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, 1.0, 4.0]])
    yield from cases(np.linalg.det, (singular * 0,), (np.array([[1.0, 2.0], [2.0, 4.0]]),), (singular,))
    for callee in (np.linalg.cholesky,):
        yield from cases(callee, (definite(3),), (definite(3, 2),), (hermitian(3),))
        yield from cases(callee, (definite(3).astype(np.float32),))
    for power in (0, 1, 2, 5, -1, -3):
        yield from cases(np.linalg.matrix_power, (square, power), (complex_square, power))
    yield from cases(np.linalg.eigvalsh, (definite(3),), (hermitian(3),), (definite(3, 2), "U"))
    yield from cases(np.linalg.eigh, (definite(3),), (definite(3, 2), "U"))
    yield from cases(
        np.linalg.svd, (real(2, 3), Options(compute_uv=False)), (cplx(3, 2), Options(compute_uv=False))
    )
    for ord_ in (None, 1, 2, 3, 0.5, -1, math.inf, -math.inf):
        yield from cases(
            np.linalg.norm, (signed(4), ord_), (signed(2, 3), ord_, 1), (cplx(3), ord_), (single(3), ord_)
        )
        yield from cases(np.linalg.norm, (signed(2, 3), ord_, 0, True))
    for ord_ in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        yield from cases(
            np.linalg.norm, (signed(2, 3), ord_), (signed(2, 3, 4), ord_, (0, 2)), (cplx(3, 2), ord_)
        )
        yield from cases(np.linalg.norm, (signed(4, 2, 3), ord_, (-2, -1), True))
    yield from cases(np.linalg.norm, (signed(2, 3, 4),), (np.array(0.5),))


ROWS: tuple[Row, ...] = (
    *operators(),
    *scalars(),
    *python_builtins(),
    *elementwise(),
    *binary(),
    *reductions(),
    *shapes(),
    *joining(),
    *creation(),
    *selections(),
    *products(),
    *linear_algebra(),
)
