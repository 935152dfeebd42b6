"""Jacobians and Hessians from a pattern: one pass for each colour, and one that checks them.

    J = [[a, b, 0],        columns 0 and 2 share a colour:    J @ [1, 0, 1] = [a, c]
         [0, b, c]]        J @ [0, 1, 0] = [b, b], so two passes give all entries

A pattern that lacks an entry would give wrong numbers. So the matrix is multiplied with a random
vector, and the product compared with the derivative in that direction, which needs no pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zyg.errors import SparsityMismatch
from zyg.sparsity.colouring import Colours, count, hessian_groups, jacobian_groups
from zyg.sparsity.patterns import boolean, scipy_sparse

Vector = np.ndarray[Any, Any]
Product = Callable[[Vector], Vector]


def pattern_of(given: Any, widths: Sequence[int], height: int | None) -> Any:
    """The pattern that a user gave, as one boolean matrix in rows; stored zeros don't count.

    There is one for each argument, of the given widths, or one alone for a single argument.
    """
    sparse = scipy_sparse()
    parts = list(given) if type(given) is tuple else [given]
    if len(parts) != len(widths):
        raise ValueError(f"sparsity has {len(parts)} patterns for {len(widths)} arguments")
    matrices = []
    for part, width in zip(parts, widths, strict=True):
        if sparse.issparse(part):
            matrix = sparse.csr_array(part, copy=True)
        else:
            matrix = sparse.csr_array(np.atleast_2d(np.asarray(part) != 0))
        matrix.eliminate_zeros()
        rows = matrix.shape[0] if height is None else height
        if matrix.shape != (rows, width):
            raise ValueError(f"sparsity has the shape {matrix.shape}, and not {(rows, width)}")
        matrices.append(matrix)
    return boolean(sparse.hstack(matrices, format="csr") if len(matrices) > 1 else matrices[0])


def compressed_jacobian(
    pattern: Any, forward: Product | None, backward: Product, dtype: np.dtype[Any]
) -> Any:
    """The Jacobian by products with it (`forward`) or its transpose (`backward`)."""
    by_columns, colours = jacobian_groups(pattern, forward is not None)
    if by_columns:
        assert forward is not None
        found = _entries(pattern, colours, forward, dtype)
        check(found, forward)
        return found
    found = _entries(boolean(pattern.T), colours, backward, dtype)
    check(found, backward)
    return found.T.tocsr()


def compressed_hessian(pattern: Any, product: Product, dtype: np.dtype[Any]) -> Any:
    """The Hessian by products with it; each entry is read once, and stands in both places."""
    pattern = boolean(pattern + pattern.T)
    colours = hessian_groups(pattern)
    rows, columns = _places(pattern)
    is_lower = colours[rows] < colours[columns]
    found = _values(pattern, colours, product, dtype, rows, columns, is_lower)
    check(found, product)
    return found


def _entries(pattern: Any, colours: Colours, product: Product, dtype: np.dtype[Any]) -> Any:
    rows, columns = _places(pattern)
    return _values(pattern, colours, product, dtype, rows, columns, np.zeros(len(rows), bool))


def _values(
    pattern: Any, colours: Colours, product: Product, dtype: np.dtype[Any],
    rows: Vector, columns: Vector, is_mirrored: Vector,
) -> Any:
    """A matrix of the pattern; an entry that is mirrored is read from its place across."""
    read_rows = np.where(is_mirrored, columns, rows)
    groups = colours[np.where(is_mirrored, rows, columns)]
    data = np.zeros(len(rows), dtype)
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(count(colours) + 1))
    for colour in range(count(colours)):
        wanted = order[bounds[colour] : bounds[colour + 1]]
        if len(wanted):
            along = product((colours == colour).astype(dtype))
            data[wanted] = along[read_rows[wanted]]
    parts = data, pattern.indices, pattern.indptr
    return scipy_sparse().csr_array(parts, shape=pattern.shape)


def _places(pattern: Any) -> tuple[Vector, Vector]:
    """The rows and columns of the entries, in their order."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr)), pattern.indices


def check(matrix: Any, product: Product) -> None:
    """Raises if the product with a random vector is another one than that of the derivative."""
    generator = np.random.default_rng(20051)
    vector = generator.uniform(0.5, 1.5, matrix.shape[1]) * generator.choice(
        [-1.0, 1.0], matrix.shape[1]
    )
    vector = vector.astype(matrix.dtype)
    expected = product(vector)
    with np.errstate(all="ignore"):
        found = matrix @ vector
        scale = abs(matrix) @ abs(vector)
        rounding = np.finfo(matrix.dtype).eps
        largest = np.max(scale, initial=0.0, where=np.isfinite(scale))
        tolerance = rounding**0.375 * scale + 1e3 * rounding * largest
        is_wrong = ~(np.abs(found - expected) <= tolerance) & np.isfinite(found)
    if np.any(is_wrong):
        row = int(np.argmax(is_wrong))
        raise SparsityMismatch(
            f"the pattern lacks entries: along a direction, the derivative of number {row} is "
            f"{expected[row]:.6g}, and {found[row]:.6g} by this pattern"
        )
