"""Rules of products other than `x @ y`: `inner`, `outer`, `tensordot`, `cross`, `convolve`."""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import conj, realness_of, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint


@adjoint(np.vdot)
def vdot(a, b):
    def back(z_bar):
        return (
            unbroadcast(conj(z_bar) * np.reshape(b, np.shape(a)), a),
            unbroadcast(z_bar * np.reshape(a, np.shape(b)), b),
        )

    return np.vdot(a, b), back


@adjoint(np.inner)
def inner(a, b):
    def back(z_bar):
        return inner_left(z_bar, a, b), inner_right(z_bar, a, b)

    return np.inner(a, b), back


def inner_left(z_bar, x, y):
    """The cotangent of `x` in `z = np.inner(x, y)`: a sum over the last axes of both."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(z_bar * conj(y), x)
    return unbroadcast(np.tensordot(z_bar, conj(y), np.ndim(y) - 1), x)


def inner_right(z_bar, x, y):
    """The cotangent of `y` in `z = np.inner(x, y)`: a sum over the last axes of both."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(z_bar * conj(x), y)
    free = list(range(np.ndim(x) - 1))
    return unbroadcast(np.tensordot(z_bar, conj(x), (free, free)), y)


@adjoint(np.outer)
def outer(a, b):
    def back(z_bar):
        return outer_left(z_bar, a, b), outer_right(z_bar, a, b)

    return np.outer(a, b), back


def outer_left(z_bar, a, b):
    """The cotangent of `a` in `z = np.outer(a, b)`."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return realness_of(a, z_bar @ conj(b))
    return unbroadcast(np.reshape(z_bar @ conj(np.ravel(b)), np.shape(a)), a)


def outer_right(z_bar, a, b):
    """The cotangent of `b` in `z = np.outer(a, b)`."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return realness_of(b, conj(a) @ z_bar)
    return unbroadcast(np.reshape(conj(np.ravel(a)) @ z_bar, np.shape(b)), b)


@adjoint(np.tensordot)
def tensordot(a, b, axes=2):
    def back(z_bar):
        return tensordot_left(z_bar, a, b, axes), tensordot_right(z_bar, a, b, axes)

    return np.tensordot(a, b, axes), back


def contracted(a, b, axes):
    """The axes of `a` and of `b` that `np.tensordot` sums over, as two lists."""
    if np.ndim(axes) == 0 and not isinstance(axes, (list, tuple)):
        n = int(axes)
        return list(range(np.ndim(a) - n, np.ndim(a))), list(range(n))
    first, second = axes
    left = [first] if np.ndim(first) == 0 else first
    right = [second] if np.ndim(second) == 0 else second
    return [i % np.ndim(a) for i in left], [i % np.ndim(b) for i in right]


def tensordot_left(z_bar, a, b, axes):
    """The cotangent of `a` in `z = np.tensordot(a, b, axes)`."""
    left, right = contracted(a, b, axes)
    a_free = [i for i in range(np.ndim(a)) if i not in left]
    b_free = [i for i in range(np.ndim(b)) if i not in right]
    bar = np.tensordot(z_bar, conj(b), (list(range(len(a_free), np.ndim(z_bar))), b_free))
    # What is left of `b` stands in the order of its own axes.
    order = a_free + [left[i] for i in np.argsort(right)]
    return unbroadcast(np.transpose(bar, np.argsort(order)), a)


def tensordot_right(z_bar, a, b, axes):
    """The cotangent of `b` in `z = np.tensordot(a, b, axes)`."""
    left, right = contracted(a, b, axes)
    a_free = [i for i in range(np.ndim(a)) if i not in left]
    b_free = [i for i in range(np.ndim(b)) if i not in right]
    bar = np.tensordot(conj(a), z_bar, (a_free, list(range(len(a_free)))))
    order = [right[i] for i in np.argsort(left)] + b_free
    return unbroadcast(np.transpose(bar, np.argsort(order)), b)


@adjoint(np.kron)
def kron(a, b):
    def back(z_bar):
        return (
            unbroadcast(kron_left(kron_blocks(z_bar, a, b), b), a),
            unbroadcast(kron_right(kron_blocks(z_bar, a, b), a), b),
        )

    return np.kron(a, b), back


def kron_blocks(z_bar, a, b):
    """The result of `np.kron` as an array of blocks: the axes of `a`, then those of `b`."""
    ndim = max(np.ndim(a), np.ndim(b))
    a_shape = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    b_shape = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    both = [n for pair in zip(a_shape, b_shape, strict=True) for n in pair]
    order = [*range(0, 2 * ndim, 2), *range(1, 2 * ndim, 2)]
    return np.transpose(np.reshape(z_bar, both), order)


def kron_left(blocks, b):
    """The cotangent of the first factor, with as many axes as the longer shape has."""
    ndim = np.ndim(blocks) // 2
    axes = "abcdefghijklmnopqrstuvwxyz"[:ndim]
    return np.einsum("..." + axes + "," + axes + "->...", blocks, lengthened(conj(b), ndim))


def kron_right(blocks, a):
    """The cotangent of the second factor, with as many axes as the longer shape has."""
    ndim = np.ndim(blocks) // 2
    axes = "abcdefghijklmnopqrstuvwxyz"[:ndim]
    return np.einsum(axes + "...," + axes + "->...", blocks, lengthened(conj(a), ndim))


def lengthened(x, ndim):
    """An array with axes of length 1 in front."""
    return np.reshape(x, (1,) * (ndim - np.ndim(x)) + np.shape(x))


@adjoint(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    left, right, out = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)

    def back(z_bar):
        return (
            cross_bar(b, z_bar, a, right, out, left, 1),
            cross_bar(a, z_bar, b, left, out, right, -1),
        )

    return np.cross(a, b, axisa, axisb, axisc, axis), back


def cross_bar(other, z_bar, like, other_axis, z_axis, like_axis, sign):
    """The cotangent of one factor of a cross product of vectors with three components."""
    last = np.moveaxis(like, like_axis, -1)
    factor = np.moveaxis(conj(other), other_axis, -1)
    if np.shape(factor)[-1] == 2 and np.shape(last)[-1] == 2:
        raise NotDifferentiable(
            "np.cross has derivatives for vectors with three components; write out the "
            "determinant of two"
        )
    # A third component that isn't there is 0, and has no cotangent.
    bar = np.cross(factor, np.moveaxis(z_bar, z_axis, -1))[..., : np.shape(last)[-1]]
    return np.moveaxis(unbroadcast(sign * bar, last), -1, like_axis)


@adjoint(np.convolve)
def convolve(a, v, mode="full"):
    def back(z_bar):
        return (
            unbroadcast(convolve_bar(z_bar, a, v, mode), a),
            unbroadcast(convolve_bar(z_bar, v, a, mode), v),
        )

    return np.convolve(a, v, mode), back


def convolve_bar(z_bar, x, kernel, mode):
    """The cotangent of one factor: the correlation of the other with the full cotangent."""
    full = np.size(x) + np.size(kernel) - 1
    start = 0
    if mode in ("same", 1):
        start = (min(np.size(x), np.size(kernel)) - 1) // 2
    elif mode in ("valid", 0):
        start = min(np.size(x), np.size(kernel)) - 1
    padded = np.pad(z_bar, (start, full - start - np.size(z_bar)))
    return np.convolve(padded, np.flip(conj(np.asarray(kernel))), "valid")


if hasattr(np, "vecdot"):

    @adjoint(np.vecdot)
    def vecdot(x, y):
        def back(z_bar):
            return (
                unbroadcast(np.expand_dims(conj(z_bar), -1) * y, x),
                unbroadcast(np.expand_dims(z_bar, -1) * x, y),
            )

        return np.vecdot(x, y), back


if hasattr(np, "matvec"):

    @adjoint(np.matvec)
    def matvec(x, y):
        def back(z_bar):
            return (
                unbroadcast(np.expand_dims(z_bar, -1) * np.expand_dims(conj(y), -2), x),
                unbroadcast(conj(np.vecmat(z_bar, x)), y),
            )

        return np.matvec(x, y), back

    @adjoint(np.vecmat)
    def vecmat(x, y):
        def back(z_bar):
            return (
                unbroadcast(conj(np.matvec(conj(y), z_bar)), x),
                unbroadcast(np.expand_dims(x, -1) * np.expand_dims(z_bar, -2), y),
            )

        return np.vecmat(x, y), back
