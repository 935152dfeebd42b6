"""Linear equations whose sparse matrix depends on the parameters, and their gradients by hand."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def rod(k: Any) -> Any:
    """Heat in a rod: three diagonals."""
    x = spsolve(rod_matrix(k), np.cos(np.arange(len(k))))
    return x @ x


def rod_matrix(k: Any) -> Any:
    return sparse.diags([-k[1:], 4.0 + k, -k[:-1]], [-1, 0, 1], format="csc")


def rod_by_hand(k: Any) -> Any:
    matrix = rod_matrix(k)
    x = spsolve(matrix, np.cos(np.arange(len(k))))
    w = spsolve(matrix.T.tocsc(), 2.0 * x)
    k_bar = -w * x
    k_bar[1:] += w[1:] * x[:-1]
    k_bar[:-1] += w[:-1] * x[1:]
    return k_bar


@functools.cache
def edges(n: int) -> Any:
    """The pairs of neighbours on a grid that has `n` nodes."""
    side = round(n**0.5)
    nodes = np.arange(side * side).reshape(side, side)
    first = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()])
    second = np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()])
    return first, second


def grid(k: Any) -> Any:
    """Heat on a grid, by its coordinates: each edge conducts as its nodes do in the mean."""
    x = spsolve(grid_matrix(k), np.cos(np.arange(len(k))))
    return x @ x


def grid_matrix(k: Any) -> Any:
    i, j = edges(len(k))
    c = 0.5 * (k[i] + k[j])
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    found = sparse.coo_matrix((np.concatenate([c, c, -c, -c]), (rows, columns)))
    return found.tocsc() + sparse.identity(len(k), format="csc")


def grid_by_hand(k: Any) -> Any:
    matrix = grid_matrix(k)
    x = spsolve(matrix, np.cos(np.arange(len(k))))
    w = spsolve(matrix.T.tocsc(), 2.0 * x)
    i, j = edges(len(k))
    c_bar = -0.5 * (w[i] - w[j]) * (x[i] - x[j])
    return np.bincount(i, c_bar, len(k)) + np.bincount(j, c_bar, len(k))
