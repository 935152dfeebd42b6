"""Rules of `np.linalg`: solutions, inverses, determinants and powers, on stacks of matrices.

Sources: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008); I. Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.reductions import products_of_others
from zyg.rules.registry import adjoint, constant

constant(np.linalg.matrix_rank, np.linalg.LinAlgError)


def adjoint_of(a):
    """The conjugate transpose of each matrix of a stack."""
    return np.swapaxes(conj(a), -1, -2)


IS_OLD = int(np.__version__.split(".")[0]) < 2


@adjoint(np.linalg.solve)
def solve(a, b):
    x = np.linalg.solve(a, b)

    def back(x_bar):
        return (
            unbroadcast(matrix_bar(transposed_solution(x_bar, a, b), x, a, b), a),
            unbroadcast(transposed_solution(x_bar, a, b), b),
        )

    return x, back


def transposed_solution(x_bar, a, b):
    """The cotangent of `b` in `a x = b`, before it is summed to the shape of `b`."""
    if holds_vectors(a, b):
        return np.linalg.solve(adjoint_of(a), np.expand_dims(x_bar, -1))[..., 0]
    return np.linalg.solve(adjoint_of(a), x_bar)


def holds_vectors(a, b):
    """Whether `b` is a vector, or with NumPy 1 a stack of as many as there are matrices."""
    return np.ndim(b) == (np.ndim(a) - 1 if IS_OLD else 1)


def matrix_bar(b_bar, x, a, b):
    """The cotangent of `a` in `a x = b`."""
    if holds_vectors(a, b) and np.ndim(b) > 1:
        return np.expand_dims(-b_bar, -1) * np.expand_dims(conj(x), -2)
    return minus_outer(b_bar, x, b)


def minus_outer(b_bar, x, b):
    """The cotangent of `a` in `a x = b`: minus the cotangent of `b` times `x`."""
    if np.ndim(b) == 1:
        return np.expand_dims(-b_bar, -1) * np.expand_dims(conj(x), -2)
    return -b_bar @ adjoint_of(x)


@adjoint(np.linalg.inv)
def inv(a):
    y = np.linalg.inv(a)
    return y, lambda y_bar: -adjoint_of(y) @ y_bar @ adjoint_of(y)


@adjoint(np.linalg.pinv)
def pinv(a, rcond=None):
    y = np.linalg.pinv(a) if rcond is None else np.linalg.pinv(a, rcond)
    if rcond is not None and is_cut_off(a, y):
        raise NotDifferentiable(CUT_OFF)
    return y, lambda y_bar: (pinv_bar(y_bar, y, a),)


CUT_OFF = (
    "a pseudoinverse or solution by least squares that cuts off singular values, not only what "
    "rounding has left of zeros, has no rule: write it by np.linalg.svd"
)
ROUNDING = 1e-7  # relative to the largest singular value, the derivative's error is as large


def is_cut_off(a, inverse):
    """Whether a pseudoinverse has left out more of a matrix than rounding errors."""
    rest = np.linalg.norm(a @ (inverse @ a) - a, axis=(-2, -1))
    return bool(np.any(rest > ROUNDING * np.linalg.norm(a, axis=(-2, -1))))


constant(is_cut_off)


def pinv_bar(y_bar, y, a):
    """The cotangent of a matrix of constant rank (Golub and Pereyra 1973)."""
    flipped, inverse = adjoint_of(y_bar), adjoint_of(y)
    left = flipped - product_of_three(a, y, flipped)
    right = flipped - product_of_three(flipped, y, a)
    return (
        product_of_three(left, y, inverse)
        + product_of_three(inverse, y, right)
        - product_of_three(inverse, y_bar, inverse)
    )


def product_of_three(a, b, c):
    """`a @ b @ c` of m x n, n x m and m x n, without a square matrix of the longer side."""
    return a @ (b @ c) if np.shape(a)[-2] > np.shape(a)[-1] else (a @ b) @ c


@adjoint(np.linalg.det)
def det(a):
    y = np.linalg.det(a)
    return y, lambda y_bar: np.expand_dims(y_bar, (-2, -1)) * conj(cofactors(a, y))


def cofactors(a, determinant):
    """The derivative of the determinant: `det(a) inv(a).T`, for singular matrices by the SVD."""
    if np.all(determinant):
        inverse = np.linalg.inv(a)
        return np.expand_dims(determinant, (-2, -1)) * np.swapaxes(inverse, -1, -2)
    u, s, vh = np.linalg.svd(a)
    sign = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return sign * ((conj(u) * np.expand_dims(products_of_others(s), -2)) @ conj(vh))


@adjoint(cofactors)
def cofactors_(a, determinant):
    return cofactors(a, determinant), lambda y_bar: cofactors_bars(y_bar, a, determinant)


def cofactors_bars(y_bar, a, determinant):
    """The cotangents of `det(a) inv(a).T`; for singular matrices all goes to the matrix."""
    if not np.all(determinant):
        return singular_bar(y_bar, a), 0.0 * determinant
    inverse = np.linalg.inv(a)
    scaled = np.swapaxes(np.expand_dims(conj(determinant), (-2, -1)) * y_bar, -1, -2)
    return -adjoint_of(inverse) @ scaled @ adjoint_of(inverse), np.sum(
        y_bar * conj(np.swapaxes(inverse, -1, -2)), axis=(-2, -1)
    )


def singular_bar(y_bar, a):
    """The derivative of cofactors by the SVD: with a + u m vh in the place of a, those of s + m are

        (k, k)    sum over l of m[l, l] * (the product of all s but s[k] and s[l])
        (k, l)    -m[l, k] * (the same product)
    """
    u, s, vh = np.linalg.svd(a)
    sign = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    is_same = np.eye(np.shape(s)[-1], dtype=bool)
    without_one = np.where(is_same, 1.0, np.expand_dims(s, -2))
    products = np.where(is_same, 0.0, products_of_others(without_one))
    turned = np.swapaxes(u, -1, -2) @ y_bar @ np.swapaxes(vh, -1, -2)
    diagonal = np.sum(products * np.expand_dims(np.diagonal(turned, 0, -2, -1), -1), axis=-2)
    inner = np.where(is_same, np.expand_dims(diagonal, -1), -np.swapaxes(products * turned, -1, -2))
    return conj(sign) * (u @ inner @ vh)


@adjoint(singular_bar)
def singular_bar_(y_bar, a):
    return singular_bar(y_bar, a), lambda bar: refuse_third(bar)


def refuse_third(bar):
    raise NotDifferentiable(
        "np.linalg.det of a singular matrix has no third derivative here; write out the determinant"
    )


@adjoint(np.linalg.slogdet)
def slogdet(a):
    y = np.linalg.slogdet(a)
    return y, lambda y_bar: slogdet_bar(y_bar, y[0] if np.iscomplexobj(a) else None, a)


def slogdet_bar(y_bar, sign, a):
    """The cotangent of `a`; the sign of a complex determinant is differentiable as well."""
    scale = 0.0 if y_bar[1] is None else y_bar[1]
    if np.iscomplexobj(a) and y_bar[0] is not None:
        scale = scale + 1j * np.imag(y_bar[0] * conj(sign))
    inverse = adjoint_of(np.linalg.inv(a))
    return (scale if np.ndim(a) == 2 else np.expand_dims(scale, (-2, -1))) * inverse


@adjoint(np.linalg.matrix_power)
def matrix_power(a, n):
    y = np.linalg.matrix_power(a, n)
    return y, lambda y_bar: (matrix_power_bar(y_bar, a, n), None)


def matrix_power_bar(y_bar, a, n):
    """The sum of `(a^H)^k y_bar (a^H)^(n-1-k)` over k; for negative `n` that of the inverse."""
    if n < 0:
        inverse = np.linalg.inv(a)
        inverse_bar = matrix_power_bar(y_bar, inverse, -n)
        return -adjoint_of(inverse) @ inverse_bar @ adjoint_of(inverse)
    base = adjoint_of(a)
    if n == 0:
        return 0 * y_bar
    bar, right = y_bar, y_bar
    for _ in range(n - 1):
        right = right @ base
        bar = base @ bar + right
    return bar
