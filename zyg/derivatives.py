"""Jacobians, Hessians and products with them, on top of gradients, pullbacks and tangents.

    hvp(f, x, v)        the Hessian of f times v: the tangent of the gradient
    jacobian(f, x)      one pass for each number of x or of f(x), whichever are fewer
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts
from ir.late import late
from ir.types import TOP, Scalar, Type
from zyg.api import gradient, pullback
from zyg.array_type import Array
from zyg.blocks import blocks
from zyg.calls.back_functions import Pullback
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.flattening import Structure, Unflatten, flatten, leaves, numbers_of, with_leaves
from zyg.forward import jvp
from zyg.inside.calls_inside import hvp_inside
from zyg.inside.jacobians_inside import (
    diaghessian_inside,
    hessian_inside,
    jacobian_inside,
    refuse_complex,
    seed_of,
)
from zyg.rules.registry import substitute

if TYPE_CHECKING:
    from zyg.sparsity import compressed, patterns
else:
    compressed, patterns = late("zyg.sparsity.compressed"), late("zyg.sparsity.patterns")

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
    try:
        return jvp(gradient_of, (x,), (v,))[1]
    except (NotDifferentiable, UnsupportedSyntax):
        return pullback(gradient_of, x)[1](v)[0]


substitute(hvp)(hvp_inside)


@facts.result(hvp)
def _product_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return _with_sizes_again(args[1], 1) if len(args) == 3 else TOP


def jacobian(f: Callable[..., Any], *xs: Any, sparsity: Any = None) -> tuple[Any, ...]:
    """The derivatives of all numbers of `f(*xs)` with respect to all numbers of each argument.

    One Jacobian per positional argument. That of an array result of shape `s` with respect to an
    array of shape `t` has the shape `s + t`. A result that is a container gives a container of
    Jacobians, and an argument that is one as well, inside of those. What holds no numbers in
    arrays, lists, tuples and dicts (a count, an object) has None.

    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0]]), np.array([2.0, 3.0]))
    (array([[3., 2.],
           [1., 0.]]),)

    With `sparsity`, one matrix of `scipy.sparse` per positional argument, whose rows are the
    numbers of the result and whose columns are those of the argument, both in the order of
    `flatten`. It takes as many passes as the pattern needs colours, and one that checks it.
    `sparsity` is the pattern, a sparse matrix or an array in which zeros stand where the Jacobian
    has zeros (a tuple of them for several arguments), or "detect", for that of
    `zyg.jacobian_sparsity`.
    """
    vector, unflatten = numbers_of(xs)
    refuse_complex(vector, "its arguments")
    if sparsity is not None:
        return _sparse_jacobian(f, xs, sparsity)
    y, back = pullback(f, *xs)
    value, unflatten_value = numbers_of(y)
    refuse_complex(value, "its result")
    columns = None
    if vector.size < value.size:
        with contextlib.suppress(NotDifferentiable, UnsupportedSyntax):
            columns = [_along(f, xs, u, unflatten, unflatten_value) for u in np.eye(vector.size)]
    if columns is not None:
        matrix = np.array(columns).T.reshape(value.size, vector.size)
    else:
        rows = [unflatten.vector(back(seed_of(y, unflatten_value, u))) for u in np.eye(value.size)]
        matrix = np.array(rows).reshape(value.size, vector.size)
    return blocks(matrix, y, xs)


def _sparse_jacobian(f: Any, xs: tuple[Any, ...], sparsity: Any) -> tuple[Any, ...]:
    vector, unflatten = numbers_of(xs)
    y, back = pullback(f, *xs)
    value, unflatten_value = numbers_of(y)
    refuse_complex(value, "its result")
    widths = [numbers_of(x)[0].size for x in xs]
    given = _detected(sparsity, patterns.jacobian_sparsity, f, *xs)
    pattern = compressed.pattern_of(given, widths, value.size)

    def forward(direction: Vector) -> Vector:
        return _along(f, xs, direction, unflatten, unflatten_value)

    def backward(direction: Vector) -> Vector:
        return unflatten.vector(back(seed_of(y, unflatten_value, direction)))

    dtype = np.result_type(vector, value)
    try:
        whole = compressed.compressed_jacobian(pattern, forward, backward, dtype)
    except (NotDifferentiable, UnsupportedSyntax):  # forward mode follows less
        whole = compressed.compressed_jacobian(pattern, None, backward, dtype)
    return tuple(patterns.columns_of(whole, widths))


def _detected(sparsity: Any, detect: Callable[..., Any], *args: Any) -> Any:
    """The pattern that the user gave or asked for."""
    if not isinstance(sparsity, str):
        return sparsity
    if sparsity != "detect":
        raise ValueError(f'sparsity is a pattern or "detect", not {sparsity!r}')
    return detect(*args)


def _tangents(xs: tuple[Any, ...], unflatten: Unflatten, unit: Vector) -> tuple[Any, ...]:
    parts = iter(leaves(unflatten(unit)))
    found: tuple[Any, ...] = with_leaves(xs, lambda leaf: next(parts), lambda part: None)
    return found


def _along(
    f: Any, xs: tuple[Any, ...], unit: Vector, unflatten: Unflatten, unflatten_value: Unflatten
) -> Vector:
    return unflatten_value.vector(jvp(f, xs, _tangents(xs, unflatten, unit))[1])


def hessian(f: Callable[[Any], Any], x: Any, sparsity: Any = None) -> Any:
    """All second derivatives of a scalar function: for an array of shape `s`, of shape `s + s`.

    >>> hessian(lambda x: x[0] ** 2 * x[1], np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])

    With `sparsity`, a matrix of `scipy.sparse` with a row and a column for each number of `x`, in
    the order of `flatten`, by as many products with vectors as the pattern needs colours, and one
    that checks it: the pattern, or "detect", as for `jacobian` and by `zyg.hessian_sparsity`.
    """
    vector, unflatten = flatten(x)
    refuse_complex(vector, "its argument")

    def product(direction: Vector) -> Vector:
        along = _tangents((x,), unflatten_one(unflatten), direction)[0]
        return unflatten.vector(hvp(f, x, along))

    if sparsity is not None:
        given = _detected(sparsity, patterns.hessian_sparsity, f, x)
        pattern = compressed.pattern_of(given, [vector.size], vector.size)
        return compressed.compressed_hessian(pattern, product, vector.dtype)
    rows = list(map(product, np.eye(vector.size)))
    matrix = np.array(rows).reshape(vector.size, vector.size)
    return blocks(matrix, x, (x,))[0]


def unflatten_one(unflatten: Unflatten) -> Unflatten:
    """The way back to the tuple of a single argument."""
    return Structure((unflatten.tree,), unflatten.size).unflatten()


def diaghessian(f: Callable[..., Any], *xs: Any) -> tuple[Any, ...]:
    """The second derivatives with respect to each number alone, in the structure of each argument.

    >>> diaghessian(lambda x: x[0] ** 2 * x[1] ** 3, np.array([3.0, 1.0]))
    (array([ 2., 54.]),)
    """
    found = []
    for i, x in enumerate(xs):
        vector, unflatten = flatten(x)
        refuse_complex(vector, "its arguments")
        diagonal = []
        for k, unit in enumerate(np.eye(vector.size)):
            along = _tangents((x,), unflatten_one(unflatten), unit)
            products = _hessian_rows(f, xs, (*(None for _ in xs[:i]), *along), i)
            diagonal.append(unflatten.vector(products)[k])
        parts = leaves(unflatten(np.array(diagonal).reshape(vector.size)))
        found.append(with_leaves(x, partial(_next_of, parts), lambda part: None))
    return tuple(found)


def _next_of(parts: Iterator[Any], leaf: Any) -> Any:
    return next(parts)


def _hessian_rows(f: Any, xs: tuple[Any, ...], along: tuple[Any, ...], i: int) -> Any:
    """The derivative of the gradient of one argument along a change of it alone."""
    along += (None,) * (len(xs) - len(along))
    if len(xs) == 1:
        return hvp(f, xs[0], along[0])

    def gradient_of(*args: Any) -> Any:
        return gradient(f, *args)[i]

    return jvp(gradient_of, xs, along)[1]


substitute(jacobian)(jacobian_inside)
substitute(hessian)(hessian_inside)
substitute(diaghessian)(diaghessian_inside)


@facts.result(hessian)
def _hessian_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return _with_sizes_again(args[1], 2) if len(args) == 2 else TOP


def _with_sizes_again(type_: Type, times: int) -> Type:
    """The type of derivatives by a real argument, which have its sizes so many times."""
    match type_:
        case Array(dtype, dims) if dtype.kind == "f" and dims is not None:
            return Array(dtype, dims * times)
        case Scalar(cls) if cls is float:
            return type_
        case _:
            return TOP
