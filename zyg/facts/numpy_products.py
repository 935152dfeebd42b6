"""What inference knows of products of arrays other than `x @ y` and `np.dot`, and linear algebra.

np.einsum        (='ij,jk->ik', float64[N1, N2], ...)  -> float64[N1, N3]
np.linalg.solve  (float64[N1, N2], float64[N3])        -> float64[N3]

Imported by the first program that calls one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import declare, distributed
from ir.types import TOP, Known, NamedTuple, Type, join_all
from zyg.array_type import (
    ANY,
    ONE,
    Array,
    Dim,
    Dims,
    One,
    as_array,
    broadcast,
    dims_of,
    equal_dim,
)
from zyg.facts.numpy_example import (
    BY_VALUE,
    Unknown,
    call,
    mixes_by_value,
    sample,
    shaped_by,
    with_dims,
)


def inner_dims(left: Dims, right: Dims) -> Dims | None:
    return (*left[:-1], *right[:-1]) if left and right else left or right


def outer_dims(left: Dims, right: Dims) -> Dims | None:
    return flat_dim(left), flat_dim(right)


def flat_dim(dims: Dims) -> Dim:
    """The size of `ravel`, which `outer` does first: a product is not followed."""
    others = [dim for dim in dims if not isinstance(dim, One)]
    return ONE if not others else others[0] if len(others) == 1 else ANY


def vdot_dims(left: Dims, right: Dims) -> Dims | None:
    return ()


def tensordot_dims(left: Dims, right: Dims, axes: Any = 2) -> Dims | None:
    if isinstance(axes, int):
        return (*left[: len(left) - axes], *right[axes:])
    over = [pair if isinstance(pair, tuple) else (pair,) for pair in axes]
    dropped = [
        {range(len(dims))[axis] for axis in each}
        for dims, each in zip((left, right), over, strict=True)
    ]
    return tuple(
        dim
        for dims, gone in zip((left, right), dropped, strict=True)
        for axis, dim in enumerate(dims)
        if axis not in gone
    )


def same_dims(matrix: Dims) -> Dims | None:
    """`inv`, `cholesky`: square matrices in, matrices of the same size out."""
    if len(matrix) < 2:
        return None
    size = equal_dim(matrix[-2], matrix[-1])
    return (*matrix[:-2], size, size)


def determinant_dims(matrix: Dims) -> Dims | None:
    return matrix[:-2] if len(matrix) >= 2 else None


def solve_dims(matrix: Dims, right: Dims) -> Dims | None:
    if len(matrix) < 2 or not right or (BY_VALUE and len(matrix) + len(right) > 4):
        return None
    if len(right) == 1:
        return (*matrix[:-2], equal_dim(matrix[-1], right[0]))
    batch = broadcast([matrix[:-2], right[:-2]])
    return None if batch is None else (*batch, equal_dim(matrix[-1], right[-2]), right[-1])


PRODUCTS: dict[Any, Any] = {
    np.inner: inner_dims,
    np.outer: outer_dims,
    np.vdot: vdot_dims,
    np.linalg.solve: solve_dims,
}
for _callee, _dims in PRODUCTS.items():
    facts.result(_callee)(shaped_by(_callee, _dims, 2))
_tensordot = shaped_by(np.tensordot, tensordot_dims, 2)


@declare(np.tensordot)
def tensordot(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """An array, also where axes in lists leave open how many dimensions it has."""
    known = _tensordot(args, kwargs)
    operands = [as_array(type_) for type_ in args[:2]]
    if known != TOP or len(operands) < 2 or mixes_by_value([op for op in operands if op]):
        return known
    kinds = {operand.dtype for operand in operands if isinstance(operand, Array)}
    are_arrays = all(isinstance(operand, Array) for operand in operands)
    return Array(np.result_type(*kinds), None) if are_arrays else TOP


for _callee in (np.linalg.inv, np.linalg.cholesky):
    facts.result(_callee)(shaped_by(_callee, same_dims, 1))
facts.result(np.linalg.det)(shaped_by(np.linalg.det, determinant_dims, 1))


def norm_dims(dims: Dims, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Dims | None:
    axes = range(len(dims)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {range(len(dims))[each] for each in axes}
    if keepdims:
        return tuple(ONE if i in gone else dim for i, dim in enumerate(dims))
    return tuple(dim for i, dim in enumerate(dims) if i not in gone)


facts.result(np.linalg.norm)(shaped_by(np.linalg.norm, norm_dims, 1))


@declare(np.linalg.slogdet)
def slogdet(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The sign is a number of the type of the determinant, its logarithm is real."""
    operand = as_array(args[0]) if len(args) == 1 else None
    if not isinstance(operand, Array) or operand.dims is None or len(operand.dims) != 2:
        from zyg.facts.numpy_results import of_square  # rare

        return of_square(np.linalg.slogdet)(args, kwargs)
    pair = call(np.linalg.slogdet, (np.ones((1, 1), operand.dtype),), {})
    items = tuple(with_dims(item, ()) for item in pair)
    return NamedTuple(type(pair), join_all(items), items)


def _einsum(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Known subscripts; each letter has one size, and so has each place of an ellipsis."""
    if len(args) < 2 or not kwargs.keys() <= {"optimize"}:
        return TOP
    if not isinstance(args[0], Known) or type(args[0].value) is not str:
        return TOP
    text = args[0].value.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    found = [as_array(type_) for type_ in args[1:]]
    operands = [operand for operand in found if operand is not None]
    if inputs.count(",") + 1 != len(found) or len(operands) < len(found):
        return TOP
    if not arrow:
        letters = sorted(set(inputs) - {",", "."})
        output = "..." * ("." in inputs) + "".join(
            letter for letter in letters if inputs.count(letter) == 1
        )
    terms, output = _written_out(inputs.split(","), output, operands)
    sizes: dict[str, Dim] = {}
    for term, operand in zip(terms, operands, strict=True):
        dims = dims_of(operand)
        if dims is None or len(dims) != len(term):
            return TOP
        for letter, dim in zip(term, dims, strict=True):
            # einsum broadcasts dimensions of size 1.
            known = broadcast(((sizes.get(letter, ONE),), (dim,)))
            sizes[letter] = known[0] if known else dim
    if mixes_by_value(operands) or not set(output) <= sizes.keys():
        return TOP
    if kwargs and not output:
        return TOP  # how it is computed decides whether it is a scalar
    try:
        samples = [sample(operand, lambda dim: 1) for operand in operands]
        result = call(np.einsum, (text, *samples), {})
    except Unknown:
        return TOP
    return with_dims(result, tuple(sizes[letter] for letter in output))


def _written_out(
    terms: list[str], output: str, operands: list[Type]
) -> tuple[list[str], str]:
    """Subscripts with digits in the place of each ellipsis, the last of them for its last place."""
    hidden = [
        max(0, len(dims_of(operand) or ()) - len(term.replace("...", ""))) if "..." in term else 0
        for term, operand in zip(terms, operands, strict=True)
    ]
    digits = "0123456789"[-max(hidden):] if any(hidden) else ""
    written = [
        term.replace("...", digits[len(digits) - count :])
        for term, count in zip(terms, hidden, strict=True)
    ]
    return written, output.replace("...", digits)


facts.result(np.einsum)(distributed(_einsum))
