"""Tangents of the functions of `scipy.sparse`, which are sparse matrices: all but solutions are
linear in what matrices are made of."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.linalg import spsolve

from zyg.cotangents.matrix_bars import matrix_bar
from zyg.errors import NotDifferentiable
from zyg.rules.scipy_sparse import (
    CLASSES,
    STRUCTURE,
    entries_at,
    methods,
    places_of_data,
    unless_repeated,
)
from zyg.rules.tangent_registry import linear, tangent
from zyg.tangents.tangent import zero_tangent

for _name in (
    "sum", "mean", "diagonal", "toarray", "todense", "transpose", "astype", "copy", "tocsr",
    "tocsc", "tocoo", "todia", "tobsr", "asformat",
):
    for _method in methods(_name):
        linear(_method, 0)
for _function in (
    sparse.diags, sparse.spdiags, sparse.vstack, sparse.hstack, sparse.block_diag, sparse.bmat,
    *(getattr(sparse, name) for name in ("diags_array", "block_array") if hasattr(sparse, name)),
):
    linear(_function, 0)


def made_of(cls):
    def made_tangent(y, *given, **kwargs):
        parts, parts_dot = given[0], given[len(given) // 2]
        if not isinstance(parts, tuple):
            return cls(parts_dot)
        if all(isinstance(part, int | np.integer) for part in parts):
            return cls(y.shape)
        return cls((parts_dot[0], *parts[1:]), shape=y.shape)

    return made_tangent


for _class in CLASSES:
    tangent(_class)(made_of(_class))


def attribute_dot(value, matrix, matrix_dot, name):
    """The tangent of an attribute of a matrix."""
    if name in STRUCTURE:
        return zero_tangent(value)
    if name == "T":
        return matrix_dot.T
    if name == "data":
        unless_repeated(matrix)
        return entries_at(matrix_bar(matrix_dot, matrix.shape), *places_of_data(matrix))
    raise NotDifferentiable(
        f"the attribute `{name}` of a {type(matrix).__name__} can't be differentiated"
    )


@tangent(sparse.kron)
def kron_tangent(y, a, b, a_dot, b_dot, **kwargs):
    return sparse.kron(a_dot, b, **kwargs) + sparse.kron(a, b_dot, **kwargs)


@tangent(*methods("multiply"))
def multiply_tangent(y, a, b, a_dot, b_dot):
    return a_dot.multiply(b) + a.multiply(b_dot)


@tangent(spsolve)
def spsolve_tangent(y, a, b, *rest, **kwargs):
    a_dot, b_dot = rest[len(rest) // 2 - 1 :][:2]
    return spsolve(a, b_dot - a_dot @ y)


def solver_tangent(solver):
    def tangent_of_solution(y, a, b, a_dot, b_dot, **options):
        options = {name: value for name, value in options.items() if name not in ("x0", "callback")}
        return solver(a, b_dot - a_dot @ y[0], **options)[0], None

    return tangent_of_solution


for _solver in (linalg.cg, linalg.bicg, linalg.bicgstab, linalg.gmres, linalg.minres):
    tangent(_solver)(solver_tangent(_solver))
