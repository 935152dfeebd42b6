"""Tangents of operators between sparse matrices of SciPy, or of one with a number or an array."""

from __future__ import annotations

import operator
from typing import Any

from zyg.compiler.inference.plain_operands import unless_product_of_matrices
from zyg.cotangents.matrix_bars import is_sparse
from zyg.tangents.tangent import tangent_or_zero


def between_matrices(function: Any, args: Any, dots: Any) -> tuple[Any, Any] | None:
    """The value and tangent of such an operator; None for other calls."""
    if function not in _TANGENTS or len(args) != 2 or not any(map(is_sparse, args)):
        return None
    if function is not operator.matmul:
        unless_product_of_matrices(function, *args)
    y = function(*args)
    whole = [tangent_or_zero(dot, x) for x, dot in zip(args, dots, strict=True)]
    return y, _TANGENTS[function](y, *args, *whole)


def _of_quotient(y: Any, x: Any, divisor: Any, x_dot: Any, divisor_dot: Any) -> Any:
    return x_dot / divisor - y * (divisor_dot / divisor)


_TANGENTS: dict[Any, Any] = {
    operator.add: lambda y, a, b, a_dot, b_dot: a_dot + b_dot,
    operator.sub: lambda y, a, b, a_dot, b_dot: a_dot - b_dot,
    operator.mul: lambda y, a, b, a_dot, b_dot: a_dot * b + a * b_dot,
    operator.matmul: lambda y, a, b, a_dot, b_dot: a_dot @ b + a @ b_dot,
    operator.truediv: _of_quotient,
}
