"""What `scipy.ndimage` filters do, in terms of `np.pad` and a correlation of what lies inside.

    ndimage.correlate1d(x, w, mode="nearest")  ->  correlate(pad(x, "edge"), w, "valid")

Sources of kernels: those of `scipy/ndimage/_filters.py`.
"""

from __future__ import annotations

import operator

import numpy as np
from scipy import ndimage, signal

from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute

PADDING = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge",
    "wrap": "wrap", "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}


def refuse_output(output):
    if output is not None:
        raise NotDifferentiable(
            "filters of scipy.ndimage have no rule for `output`: use what they return"
        )


def before(size, origin):
    """How many elements in front of an element are read for it."""
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError("invalid origin")
    return size // 2 + origin


def filled_at(x, axis, mode, cval, front, behind):
    """An array with more elements at both ends of an axis."""
    widths = [(front, behind) if i == axis % np.ndim(x) else (0, 0) for i in range(np.ndim(x))]
    if PADDING[mode] == "constant":
        return np.pad(x, widths, constant_values=cval)
    return np.pad(x, widths, PADDING[mode])


def at_axis(weights, axis, ndim):
    return np.reshape(weights, [-1 if i == axis % ndim else 1 for i in range(ndim)])


def kept_dtype(y, x):
    return y if y.dtype == x.dtype else y.astype(x.dtype)


constant(refuse_output, before)


@substitute(ndimage.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    refuse_output(output)
    size = np.size(weights)
    front = before(size, origin)
    filled = filled_at(input, axis, mode, cval, front, size - 1 - front)
    kernel = at_axis(np.flip(weights), axis, np.ndim(input))
    return kept_dtype(signal.convolve(filled, kernel, "valid", "auto"), input)


@substitute(ndimage.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    shifted = -origin if np.size(weights) % 2 else -origin - 1
    return correlate1d(input, np.flip(weights), axis, output, mode, cval, shifted)


def each(setting, count):
    """A setting for each axis."""
    return [setting] * count if np.ndim(setting) == 0 else list(setting)


@substitute(ndimage.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    refuse_output(output)
    filled = input
    modes, origins = each(mode, np.ndim(input)), each(origin, np.ndim(input))
    for axis, size in enumerate(np.shape(weights)):
        front = before(size, origins[axis])
        filled = filled_at(filled, axis, modes[axis], cval, front, size - 1 - front)
    return kept_dtype(signal.convolve(filled, np.flip(weights), "valid", "auto"), input)


@substitute(ndimage.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    origins = each(origin, np.ndim(input))
    sizes = np.shape(weights)
    shifted = [-o if n % 2 else -o - 1 for o, n in zip(origins, sizes, strict=True)]
    return correlate(input, np.flip(weights), output, mode, cval, shifted)


@substitute(ndimage.gaussian_filter1d)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
    radius=None,
):
    weights = gaussian_weights(sigma, order, reach(sigma, truncate, radius))
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def reach(sigma, truncate, radius):
    return int(truncate * float(sigma) + 0.5) if radius is None else operator.index(radius)


def gaussian_weights(sigma, order, radius):
    """The kernel of a correlation."""
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    weights = weights / np.sum(weights)
    if order == 0:
        return weights
    if order == 1:
        return weights * x / sigma**2
    if order == 2:
        return weights * (x**2 / sigma**4 - 1 / sigma**2)
    raise NotDifferentiable("scipy.ndimage.gaussian_filter has no rule for orders above 2")


@substitute(ndimage.gaussian_filter)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    refuse_output(output)
    ndim = np.ndim(input)
    sigmas = [sigma] * ndim if np.ndim(sigma) == 0 else sigma
    orders, modes, radii = each(order, ndim), each(mode, ndim), each(radius, ndim)
    y = input
    for axis in range(ndim):
        if sigmas[axis] > 1e-15:
            weights = gaussian_weights(
                sigmas[axis], orders[axis], reach(sigmas[axis], truncate, radii[axis])
            )
            y = correlate1d(y, weights, axis, None, modes[axis], cval, 0)
    return y


@substitute(ndimage.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return correlate1d(input, np.ones(size) / size, axis, output, mode, cval, origin)


@substitute(ndimage.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):
    refuse_output(output)
    ndim = np.ndim(input)
    sizes, modes, origins = each(size, ndim), each(mode, ndim), each(origin, ndim)
    y = input
    for axis in range(ndim):
        y = correlate1d(
            y, np.ones(sizes[axis]) / sizes[axis], axis, None, modes[axis], cval, origins[axis]
        )
    return y


constant(each, reach)
