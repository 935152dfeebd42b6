"""Rows of the rules of operators, `math`, `cmath`, built-in functions and ufuncs."""

from __future__ import annotations

import cmath
import math
import operator
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.rule_row import Options, Row, cases, cplx, real, signed, single, table, whole
from zyg.arrays.quotients import (
    in_floats,
    over_length,
    over_plain_square,
    over_square,
    power_part,
    product_over,
    times_log,
    weight_of_two,
)
from zyg.arrays.selections import below_infinity, chosen, selected, unmoved


@table
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
            *((whole(3), 0), (whole(3), np.array([0, 1, 2])), (np.float64(0.0), 2)),
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
    yield from cases(operator.add, ([0.5, 1.0], real(2)), (real(2, 2), (0.5, 1.0)))
    yield from cases(
        operator.mul, ([0.5, 1.0], 2), (3, (0.5, real(2))), ([0.5], 0), ([0.5, 1.0], real(2))
    )
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


SMOOTH = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh"),
    *("exp", "expm1"),
)


@table
def scalars() -> Iterator[Row]:
    for name in SMOOTH:
        yield from cases(getattr(math, name), (0.3,), (-0.7,), (np.float64(0.4),), (0,))
    for name in ("exp2", "cbrt", "erf", "erfc", "fabs", "degrees", "radians"):
        yield from cases(getattr(math, name), (0.3,), (-1.7,), (np.float32(0.4),), (1,))
    for name in ("modf", "frexp"):
        yield from cases(getattr(math, name), (0.3,), (-1.7,), (np.float32(0.4),))
    for name in ("log", "log1p", "log2", "log10", "sqrt", "gamma", "lgamma"):
        yield from cases(getattr(math, name), (0.3,), (5,), (17.3,))
    yield from cases(math.gamma, (-0.7,), (-3.4,))
    yield from cases(math.lgamma, (-0.7,), (-3.4,), (1e4,))
    yield from cases(math.acosh, (1.3,), (3,))
    yield from cases(math.log, (0.7, 3.0), (5, 2))
    yield from cases(math.pow, (1.5, 2.5), (3, 2), (2.0, 0), (0.0, 2.0), (0.0, 1.0), (2.0, -1.5))
    for callee in (math.atan2, math.copysign, math.fmod, math.remainder):
        yield from cases(callee, (0.3, 0.7), (-5.3, 0.7), (5.2, -2.3), (3, 0.7))
    yield from cases(math.nextafter, (0.3, 1.0))
    yield from cases(math.ldexp, (0.3, 2), (0.3, -3))
    yield from cases(math.hypot, (0.3,), (3.0, 4), (0.1, 0.2, 0.3), (0.0, 1.0))
    yield from cases(math.dist, ([0.1, 0.2], [0.5, 1.0]), ((1.0, 2.0), (3.0, 5.0)))
    yield from cases(math.fsum, ([0.1, 0.2, 0.3],), (real(3),))
    yield from cases(
        math.prod, ([0.5, 2.0, 3],), ([0.5, 0.0, 3.0],), ([0.5, 0.3], Options(start=2))
    )
    if sys.version_info >= (3, 12):
        yield from cases(math.sumprod, ([0.1, 0.2], [0.5, 1.0]))
    if sys.version_info >= (3, 13):
        yield from cases(math.fma, (0.1, 0.2, 0.5))


@table
def complex_scalars() -> Iterator[Row]:
    for name in (*SMOOTH[:-1], "acosh", "log", "log10", "sqrt", "phase", "polar"):
        yield from cases(getattr(cmath, name), (0.3 + 0.4j,), (-0.7 - 0.2j,))
    for name in ("sin", "exp", "sqrt", "log", "phase"):
        yield from cases(getattr(cmath, name), (0.3,), (np.complex128(1 + 1j),))
    yield from cases(cmath.log, (0.3 + 0.4j, 2.5), (2.0, 1 + 2j))
    yield from cases(cmath.rect, (0.3, 0.7), (2, 0.7))


@table
def numpy_scalars() -> Iterator[Row]:
    """The methods of NumPy's scalars, which reductions return."""
    for name in ("sum", "mean", "max", "item", "conj", "copy", "ravel", "real", "imag", "T"):
        yield from cases(
            getattr(np.generic, name), (np.float64(0.5),), (np.float32(0.5),), (np.complex128(1j),)
        )
    yield from cases(np.generic.astype, (np.float64(0.5), complex))


@table
def python_builtins() -> Iterator[Row]:
    yield from cases(float, (0.5,), (3,), (np.float32(0.5),), (np.array(0.5),), (np.array(2),))
    yield from cases(complex, (0.5, 2.0), (0.5,), (1 + 2j, 0.5), (0.5, 1 - 2j))
    for callee in (complex.real, complex.imag, complex.conjugate):
        yield from cases(callee, (1 - 2j,))
    for callee in (float.real, float.imag, float.conjugate):
        yield from cases(callee, (0.5,))
    yield from cases(divmod, (7.5, 2.0), (real(3), 0.13))
    yield from cases(
        sum,
        *(([0.1, 0.2],), ((0.1, 2),), ([0.1, 0.2], 5.0), (real(3),), (real(3, 2),)),
        *(([real(3), real(3)],), ([real(2, 3), real(3), 1.0], 0.0), ([],)),
        *(([[0.5], [1.0, 2.0]], []), ([[0.5, 1.0], [2.0]], [3.0]), ([(0.5,), (2.0,)], ())),
    )
    for callee in (max, min):
        yield from cases(
            callee, (0.1, 0.2), (3, 0.2, 5.5), ([0.3, 0.1, 0.7],), ((1, 2.5),), (real(4),)
        )
        yield from cases(callee, ([(0.3, 1.0), (0.1, 2.0)],))


@table
def elementwise() -> Iterator[Row]:
    unary = (
        *(np.negative, np.positive, np.absolute, np.conjugate, np.sin, np.cos, np.tan, np.arcsin),
        *(np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arctanh, np.exp, np.exp2),
        *(np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square, np.reciprocal),
        *(np.real, np.imag, np.angle, np.sinc, np.nan_to_num),
    )
    for callee in unary:
        yield from cases(callee, (0.3,), (real(2, 3),), (single(3),), (cplx(3),), (np.array(0.3),))
    for callee in (
        np.fabs,
        np.cbrt,
        np.degrees,
        np.radians,
        np.rad2deg,
        np.deg2rad,
        np.modf,
        np.frexp,
    ):
        yield from cases(callee, (0.3,), (signed(2, 3),), (single(3),), (np.array(0.3),))
    for callee in (np.negative, np.sin, np.tanh, np.exp, np.sqrt, np.square, np.absolute):
        yield from cases(callee, (whole(3),), (2,), (real(0),), (-0.3 + 0.1j,), (np.float32(0.3),))
    yield from cases(np.arccosh, (1.3,), (real(3) + 1,), (single(3) + 1,), (cplx(3),))
    yield from cases(np.absolute, (signed(4),))
    yield from cases(np.angle, (cplx(3), True))


@table
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
            if integers_jump and any(x.dtype.kind == "i" for x in map(np.asarray, row.args)):
                continue
            yield row
    yield from broadcast_pairs(np.power)
    yield from cases(np.power, (real(3), 2), (real(3), 0), (whole(3), 2), (2.0, real(3)))
    yield from cases(np.sign, (signed(3),), (cplx(2, 3),), (0.3 - 0.4j,))
    yield from cases(np.power, (signed(3), cplx(3)))
    yield from cases(np.divmod, (real(3), 0.13), (real(2, 1), real(3)))
    for callee in (over_square, over_plain_square):
        yield from cases(callee, (real(3), real(3), real(3)), (real(2, 3), real(3), real(2, 1)))
    yield from cases(over_length, (real(3), real(3)), (real(2, 3), real(2, 1)), (0.7, real(3)))
    yield from cases(power_part, (real(3), real(3)), (real(2, 3), real(3)), (cplx(3), cplx(3)))
    yield from cases(product_over, (real(3), real(3), real(3)), (real(2, 3), real(3), real(2, 1)))
    yield from cases(product_over, (cplx(3), cplx(3), cplx(3)))
    yield from cases(in_floats, (real(3),), (whole(3),), (single(3),), (cplx(3),))
    for callee in (np.arctan, np.arcsinh, in_floats):
        yield from cases(callee, ([0.3, 0.6],), ((0.3, 0.6),))
    yield from cases(np.power, ([0.3, 0.6], 2), ([0.3, 0.6], 2.5), (1.7, [0.3, 0.6]))
    yield from cases(np.power, ([0.3, 0.6], [2.0, 1.5]), (real(2), [2.0, 1.5]))
    yield from cases(np.arctan2, ([0.3, 0.6], 2), (real(2), [2, 1]))
    yield from cases(times_log, (real(3), real(3)), (real(2, 3), real(3)), (cplx(3), cplx(3)))
    yield from cases(weight_of_two, (signed(3), signed(3)), (real(3), 0), (0.3, 0.3))
    yield from cases(chosen, (True, 0.7, 0.0), (True, np.float64(-1.3), 1.0))
    yield from cases(selected, (real(3), np.array([True, False, True])), (real(2, 1), True))
    yield from cases(unmoved, (real(3), np.array([0, 1, 0])))
    yield from cases(below_infinity, (real(3), 40))
    yield from cases(np.heaviside, (np.array([-1, 0, 1]), 0.5))
    yield from cases(np.ldexp, (real(3), np.array([1, 2, -1])), (0.3, np.array([1, 2])))
    yield from cases(np.nextafter, (real(3), 1.0))
