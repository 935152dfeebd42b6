"""Jacobians, Hessians and products with them, on top of gradients, pullbacks and tangents.

    hvp(f, x, v)        the Hessian of f times v: the tangent of the gradient
    jacobian(f, x)      one pass for each number of x or of f(x), whichever are fewer
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.api import gradient, pullback
from zyg.back_functions import Pullback
from zyg.calls_inside import hvp_inside
from zyg.entry import entry_for
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.flattening import Unflatten, flatten, leaves, with_leaves
from zyg.forward import jvp, mode_of
from zyg.rules.registry import substitute

Vector = np.ndarray[Any, Any]


def vjp(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
    """`pullback` by its common name: the value, and the function from cotangents to gradients.

    >>> y, back = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, back(1.0)
    (6.0, (3.0, 2.0))
    """
    return pullback(f, *args, **kwargs)


def _gradient_of(f: Callable[..., Any]) -> Callable[[Any], Any]:
    def gradient_of(x: Any) -> Any:
        return gradient(f, x)[0]

    return gradient_of


def hvp(f: Callable[[Any], Any], x: Any, v: Any) -> Any:
    """The Hessian of a scalar function times a vector: the derivative of the gradient along `v`.

    `v` has the structure of `x`, and so has the result. The gradient is differentiated in forward
    mode; where that can't follow it, in reverse mode, which gives the same numbers.

    >>> hvp(lambda x: x**3, 2.0, 1.0)
    12.0
    """
    gradient_of = _gradient_of(f)
    if _goes_forward(gradient_of, x, v):
        return jvp(gradient_of, (x,), (v,))[1]
    return pullback(gradient_of, x)[1](v)[0]


substitute(hvp)(hvp_inside)


def _goes_forward(f: Any, x: Any, v: Any) -> bool:
    try:
        entry_for(mode_of((x,), (v,)), f, (x,), {})
    except (NotDifferentiable, UnsupportedSyntax):
        return False
    return True


def jacobian(f: Callable[..., Any], *xs: Any) -> tuple[Any, ...]:
    """The derivatives of all numbers of `f(*xs)` with respect to all numbers of each argument.

    One Jacobian per positional argument. That of an array result of shape `s` with respect to an
    array of shape `t` has the shape `s + t`. A result that is a container gives a container of
    Jacobians, and an argument that is one as well, inside of those.

    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0]]), np.array([2.0, 3.0]))
    (array([[3., 2.],
           [1., 0.]]),)
    """
    vector, unflatten = flatten(xs)
    _refuse_complex(vector, "its arguments")
    y, back = pullback(f, *xs)
    value, unflatten_value = flatten(y)
    _refuse_complex(value, "its result")
    if vector.size < value.size and _goes_forward_along(f, xs):
        columns = [_along(f, xs, unit, unflatten, unflatten_value) for unit in np.eye(vector.size)]
        matrix = np.array(columns).T.reshape(value.size, vector.size)
    else:
        rows = [unflatten.vector(back(_seed(y, unflatten_value, u))) for u in np.eye(value.size)]
        matrix = np.array(rows).reshape(value.size, vector.size)
    return _blocks(matrix, y, xs)


def _seed(y: Any, unflatten: Unflatten, unit: Vector) -> Any:
    parts = iter(leaves(unflatten(unit)))
    return with_leaves(y, lambda leaf: next(parts), lambda part: None)


def _goes_forward_along(f: Any, xs: tuple[Any, ...]) -> bool:
    try:
        entry_for(mode_of(xs, _tangents(xs, flatten(xs)[1], flatten(xs)[0])), f, xs, {})
    except (NotDifferentiable, UnsupportedSyntax):
        return False
    return True


def _tangents(xs: tuple[Any, ...], unflatten: Unflatten, unit: Vector) -> tuple[Any, ...]:
    parts = iter(leaves(unflatten(unit)))
    found: tuple[Any, ...] = with_leaves(xs, lambda leaf: next(parts), lambda part: None)
    return found


def _along(
    f: Any, xs: tuple[Any, ...], unit: Vector, unflatten: Unflatten, unflatten_value: Unflatten
) -> Vector:
    return unflatten_value.vector(jvp(f, xs, _tangents(xs, unflatten, unit))[1])


def _refuse_complex(vector: Vector, what: str) -> None:
    if vector.dtype.kind == "c":
        raise NotDifferentiable(
            f"the Jacobian of a function is a matrix of real numbers, and {what} are complex: use "
            "zyg.jvp or zyg.vjp, or differentiate real and imaginary parts"
        )


def _blocks(matrix: Any, y: Any, xs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A matrix by the leaves of a value and of arguments: for each argument, in `y`'s structure."""
    found = []
    column = 0
    for x in xs:
        width = flatten(x)[0].size
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


def hessian(f: Callable[[Any], Any], x: Any) -> Any:
    """All second derivatives of a scalar function: for an array of shape `s`, of shape `s + s`.

    >>> hessian(lambda x: x[0] ** 2 * x[1], np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    vector, unflatten = flatten(x)
    _refuse_complex(vector, "its argument")
    rows = [
        unflatten.vector(hvp(f, x, _tangents((x,), unflatten_one(unflatten), unit)[0]))
        for unit in np.eye(vector.size)
    ]
    matrix = np.array(rows).reshape(vector.size, vector.size)
    return _blocks(matrix, x, (x,))[0]


def unflatten_one(unflatten: Unflatten) -> Unflatten:
    """The way back to the tuple of a single argument."""
    return Unflatten((unflatten.tree,), unflatten.size)


def diaghessian(f: Callable[..., Any], *xs: Any) -> tuple[Any, ...]:
    """The second derivatives with respect to each number alone, in the structure of each argument.

    >>> diaghessian(lambda x: x[0] ** 2 * x[1] ** 3, np.array([3.0, 1.0]))
    (array([ 2., 54.]),)
    """
    found = []
    for i, x in enumerate(xs):
        vector, unflatten = flatten(x)
        _refuse_complex(vector, "its arguments")
        diagonal = []
        for k, unit in enumerate(np.eye(vector.size)):
            along = _tangents((x,), unflatten_one(unflatten), unit)
            products = _hessian_rows(f, xs, (*(None for _ in xs[:i]), *along), i)
            diagonal.append(unflatten.vector(products)[k])
        found.append(unflatten(np.array(diagonal).reshape(vector.size)))
    return tuple(found)


def _hessian_rows(f: Any, xs: tuple[Any, ...], along: tuple[Any, ...], i: int) -> Any:
    """The derivative of the gradient of one argument along a change of it alone."""
    along += (None,) * (len(xs) - len(along))
    if len(xs) == 1:
        return hvp(f, xs[0], along[0])

    def gradient_of(*args: Any) -> Any:
        return gradient(f, *args)[i]

    return jvp(gradient_of, xs, along)[1]
