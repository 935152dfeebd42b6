"""Groups of columns or rows that one pass of the program can serve: colourings.

    columns     two columns share a colour only if no row has entries in both: then each entry of
                the matrix times the sum of a group's unit vectors is one entry of the matrix
    symmetric   of a Hessian: each entry can be read from its row or from its column

Both are greedy. The first is that of Curtis, Powell and Reid (1974), as graph colouring by Coleman
and Moré (1983). The second is that of Powell and Toint (1979), a star colouring in which the middle
vertex of each path of three whose ends share a colour has a lower one. Surveyed by Gebremedhin,
Manne and Pothen, What Color Is Your Jacobian?, SIAM Review 47 (2005).

Colours that are in use somewhere are the bits of an integer, so that looking for a free one takes
time in proportion to the entries, also where a row is dense.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

Colours = np.ndarray[Any, np.dtype[np.int64]]


def column_colours(matrix: Any) -> Colours:
    """A colour for each column of a sparse matrix: no row has entries in two columns of one."""
    rows, columns = matrix.tocsr(), matrix.tocsc()
    bound = int(np.diff(rows.indptr).max(initial=0))
    return _fewest(columns, bound, _greedy_columns)


def _greedy_columns(columns: Any, order: Iterable[int]) -> Colours:
    starts, indices = columns.indptr.tolist(), columns.indices.tolist()
    used = [0] * columns.shape[0]  # the colours of the columns that a row has entries in
    colours = np.zeros(columns.shape[1], np.int64)
    for column in order:
        rows = indices[starts[column] : starts[column + 1]]
        taken = 0
        for row in rows:
            taken |= used[row]
        free = ~taken & (taken + 1)
        for row in rows:
            used[row] |= free
        colours[column] = free.bit_length() - 1
    return colours


def symmetric_colours(matrix: Any) -> Colours:
    """A colour for each column of a symmetric matrix, all of whose diagonal may have entries.

    Columns of one colour have no entry in common rows, but for rows of a lower colour. So an entry
    in row i and column j stands alone in its group in the row with the higher one of the colours of
    i and j.
    """
    return _fewest(matrix.tocsc(), 1, _greedy_symmetric)


def _greedy_symmetric(matrix: Any, order: Iterable[int]) -> Colours:
    starts, indices = matrix.indptr.tolist(), matrix.indices.tolist()
    used = [0] * matrix.shape[0]  # the colours of the neighbours of a vertex
    own = [0] * matrix.shape[0]  # its own colour, as a bit
    for vertex in order:
        neighbours = [i for i in indices[starts[vertex] : starts[vertex + 1]] if i != vertex]
        taken = 0
        for neighbour in neighbours:
            colour = own[neighbour]
            if colour:
                taken |= colour | (used[neighbour] & (colour - 1))
            else:
                taken |= used[neighbour]
        free = ~taken & (taken + 1)
        own[vertex] = free
        for neighbour in neighbours:
            used[neighbour] |= free
    return np.array([colour.bit_length() - 1 for colour in own], np.int64)


def _fewest(columns: Any, bound: int, greedy: Any) -> Colours:
    """The better one of the columns' own order, best for bands, and the fullest columns first."""
    best: Colours = greedy(columns, range(columns.shape[1]))
    if count(best) > bound:
        fullest_first = np.argsort(-np.diff(columns.indptr), kind="stable").tolist()
        other = greedy(columns, fullest_first)
        if count(other) < count(best):
            best = other
    return best


def count(colours: Colours) -> int:
    return int(colours.max(initial=-1)) + 1


def jacobian_groups(matrix: Any, forward: bool) -> tuple[bool, Colours]:
    """Whether to go by columns, in forward mode, and the colours: whichever way needs fewer.

    >>> from scipy import sparse
    >>> by_columns, colours = jacobian_groups(sparse.csr_array(np.ones((1, 5))), forward=True)
    >>> by_columns, colours.tolist()
    (False, [0])
    """
    return _remembered(_key(matrix), forward)


def hessian_groups(matrix: Any) -> Colours:
    """The colours of the columns of a Hessian."""
    return _remembered_symmetric(_key(matrix))


Key = tuple[tuple[int, int], bytes, bytes]


def _key(matrix: Any) -> Key:
    rows = matrix.tocsr()
    parts = (rows.indptr, rows.indices)
    indptr, indices = (np.asarray(part, np.int64).tobytes() for part in parts)
    return matrix.shape, indptr, indices


def _matrix_of(key: Key) -> Any:
    from scipy import sparse

    shape, indptr, indices = key
    places = np.frombuffer(indices, np.int64)
    starts = np.frombuffer(indptr, np.int64)
    return sparse.csr_array((np.ones(len(places), bool), places, starts), shape=shape)


# An optimiser asks for derivatives with one pattern again and again.
@functools.lru_cache(8)
def _remembered(key: Key, forward: bool) -> tuple[bool, Colours]:
    matrix = _matrix_of(key)
    height = int(np.diff(matrix.indptr).max(initial=0))
    width = int(np.diff(matrix.tocsc().indptr).max(initial=0))
    if not forward:
        return False, column_colours(matrix.T)
    # The fullest row is a bound for columns, the fullest column one for rows.
    by_columns_first = height <= width
    first = column_colours(matrix if by_columns_first else matrix.T)
    if count(first) <= max(width if by_columns_first else height, 1):
        return by_columns_first, first
    second = column_colours(matrix.T if by_columns_first else matrix)
    is_first = count(first) < count(second) or (count(first) == count(second) and by_columns_first)
    return (by_columns_first, first) if is_first else (not by_columns_first, second)


@functools.lru_cache(8)
def _remembered_symmetric(key: Key) -> Colours:
    return symmetric_colours(_matrix_of(key))
