"""Matrices of derivatives by the leaves of values and arguments.

    matrix                          rows: the numbers of y, columns: those of all xs
    blocks(matrix, y, xs)           for each argument, in y's structure, in the argument's structure
    matrix_of(blocks, y, xs, like)  the matrix again

Both are linear, and each is the transpose of the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from zyg.flattening import is_leaf, leaves, with_leaves
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import tangent


def blocks(matrix: Any, y: Any, xs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A matrix by the leaves of a value and of arguments: for each argument, in `y`'s structure."""
    found = []
    column = 0
    for x in xs:
        width = _size(x)
        row = 0

        def rows_of(leaf: Any, start: int = column, width: int = width, x: Any = x) -> Any:
            nonlocal row
            part = matrix[row : row + np.size(leaf), start : start + width]
            row += np.size(leaf)
            return _columns(part, leaf, x)

        found.append(with_leaves(y, rows_of, lambda part: None))
        column += width
    return tuple(found)


def _columns(part: Any, leaf: Any, x: Any) -> Any:
    """The rows that belong to one leaf of the value, by the leaves of an argument."""
    column = 0

    def block(of: Any) -> Any:
        nonlocal column
        found = part[:, column : column + np.size(of)].reshape(np.shape(leaf) + np.shape(of))
        column += np.size(of)
        return found.copy() if found.ndim else found.item()

    return with_leaves(x, block, lambda other: None)


def _size(tree: Any) -> int:
    return sum(map(np.size, leaves(tree)))


def matrix_of(blocks: Any, y: Any, xs: tuple[Any, ...], like: Any) -> Any:
    """The matrix of the shape of `like` that consists of blocks, of which some may be missing."""
    matrix = np.zeros(np.shape(like), np.result_type(like))
    column = 0
    for x, of_argument in _beside(xs, blocks):
        row = 0
        for leaf, of_leaf in _pairs(y, of_argument):
            rows, start = np.size(leaf), column
            for of, block in _pairs(x, of_leaf):
                if block is not None:
                    shape = rows, np.size(of)
                    matrix[row : row + rows, start : start + shape[1]] = np.reshape(block, shape)
                start += np.size(of)
            row += rows
        column += _size(x)
    return matrix


def _pairs(like: Any, tree: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves of a structure, each with what stands in its place in another one, if anything."""
    if isinstance(like, list | tuple | deque):
        for a, b in _beside(like, tree):
            yield from _pairs(a, b)
    elif isinstance(like, dict):
        for key, a in like.items():
            yield from _pairs(a, None if tree is None else tree.get(key))
    elif is_leaf(like):
        yield like, tree


def _beside(items: Any, others: Any) -> Iterator[tuple[Any, Any]]:
    return zip(items, (None,) * len(items) if others is None else others, strict=True)


@adjoint(blocks)
def blocks_rule(matrix: Any, y: Any, xs: Any) -> Any:
    return blocks(matrix, y, xs), lambda bars: (matrix_of(bars, y, xs, matrix), None, None)


@adjoint(matrix_of)
def matrix_of_rule(blocks_: Any, y: Any, xs: Any, like: Any) -> Any:
    matrix = matrix_of(blocks_, y, xs, like)
    return matrix, lambda matrix_bar: (blocks(matrix_bar, y, xs), None, None, None)


@tangent(blocks)
def blocks_tangent(
    found: Any, matrix: Any, y: Any, xs: Any, matrix_dot: Any, y_dot: Any, xs_dot: Any
) -> Any:
    return blocks(matrix_dot, y, xs)


@tangent(matrix_of)
def matrix_of_tangent(
    matrix: Any, blocks_: Any, y: Any, xs: Any, like: Any, blocks_dot: Any, y_dot: Any,
    xs_dot: Any, like_dot: Any,
) -> Any:
    return matrix_of(blocks_dot, y, xs, like)
