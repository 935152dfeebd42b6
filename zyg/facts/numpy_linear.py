"""What inference knows about NumPy's products of vectors and matrices, and linear algebra.

np.matmul        (float64[N1, N2], float64[N2])        -> float64[N1]

The types of those that are rarer are imported late (`zyg.facts.numpy_products`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const
from ir.types import TOP, Type, Union, join_all, members_of
from zyg.array_type import (
    Array,
    Dims,
    broadcast,
    is_number,
)
from zyg.facts.numpy_example import shaped_by


def matmul_dims(left: Dims, right: Dims) -> Dims | None:
    batch = broadcast((left[:-2], right[:-2]))
    if not left or not right or batch is None:
        return None
    return (
        *batch,
        *(left[-2:-1] if len(left) > 1 else ()),
        *(right[-1:] if len(right) > 1 else ()),
    )


def dot_dims(left: Dims, right: Dims) -> Dims | None:
    if not left or not right:
        return left or right
    return (*left[:-1], *right[:-2], *(right[-1:] if len(right) > 1 else ()))


PRODUCTS: dict[Any, Any] = {
    np.matmul: matmul_dims, np.dot: dot_dims, np.ndarray.dot: dot_dims,
}
for _callee, _dims in PRODUCTS.items():
    facts.result(_callee)(shaped_by(_callee, _dims, 2))
OTHERS = (np.inner, np.outer, np.vdot, np.tensordot, np.linalg.solve)
facts.late(
    "zyg.facts.numpy_products", *OTHERS, np.einsum, np.linalg.inv, np.linalg.cholesky,
    np.linalg.det,
    np.linalg.norm, np.linalg.slogdet,
)


def _sums(call: Call) -> bool:
    """Whether `np.einsum` computes: of one operand, of which nothing is summed, it is a view."""
    text = call.args[0].value if call.args and isinstance(call.args[0], Const) else ""
    if len(call.args) > 2 or not isinstance(text, str):
        return len(call.args) > 2 and isinstance(text, str)
    inputs, arrow, output = text.partition("->")
    return bool(arrow) and not set(inputs) - {" "} <= set(output)


facts.fresh(np.einsum, when=_sums)
facts.total(np.einsum, np.kron, np.linalg.eigvalsh, np.linalg.svd, np.linalg.slogdet)
facts.pure(*PRODUCTS, *OTHERS, np.linalg.inv, np.linalg.cholesky, np.linalg.det, np.einsum, np.kron)
facts.pure(operator.matmul, np.linalg.norm, np.linalg.slogdet, np.linalg.eigh, np.linalg.svd)
facts.pure(np.linalg.eigvalsh, np.linalg.pinv, np.linalg.qr, np.linalg.lstsq, np.cross)
facts.total(*PRODUCTS, np.inner, np.outer, np.vdot, np.tensordot)
facts.total(operator.matmul, np.linalg.norm)
facts.fresh(np.linalg.norm, np.linalg.multi_dot)
facts.fresh(*PRODUCTS, *OTHERS, np.linalg.inv, np.linalg.cholesky, np.linalg.det, np.kron)
facts.fresh(operator.matmul)


@facts.result(operator.matmul)
def matmul(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    given = tuple(map(_without_numbers, args))
    known = len(args) == 2 and all(
        isinstance(member, Array) for type_ in given for member in members_of(type_)
    )
    return _matmul(given, kwargs) if known else TOP


def _without_numbers(type_: Type) -> Type:
    """An operand of `@`, which refuses numbers."""
    if not isinstance(type_, Union):
        return type_
    return join_all([member for member in type_.members if not is_number(member)])


_matmul = shaped_by(np.matmul, matmul_dims, 2)


