"""Filters of `scipy.ndimage`: all are correlations, whose three rules are closed.

    ndimage.gaussian_filter1d(x, 2.0)  ->  correlated(x, gaussian_weights(2.0, 0, 8), ...)

The cotangents of a correlation are those of `zyg.arrays.correlation`: each function there has a
rule in terms of the others. Sources of kernels: those of `scipy/ndimage/_filters.py`.
"""

from __future__ import annotations

import operator

import numpy as np
from scipy import ndimage

from zyg.arrays.correlation import correlated, lagged, transposed
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.facts.scipy_facts import of_filters
from zyg.rules.registry import adjoint, constant, substitute

of_filters(ndimage)


@adjoint(correlated)
def correlated_rule(x, weights, axes, modes, cval, origins):
    sizes = np.shape(weights)

    def back(y_bar):
        return (
            unbroadcast(transposed(y_bar, conj(weights), axes, modes, origins), x),
            unbroadcast(lagged(y_bar, conj(x), sizes, axes, modes, cval, origins), weights),
            None,
            None,
            unbroadcast(outside(y_bar, conj(weights), axes, modes, origins), cval),
            None,
        )

    return correlated(x, weights, axes, modes, cval, origins), back


def outside(y_bar, weights, axes, modes, origins):
    """The cotangent of what the array is filled with, by which the result grows linearly."""
    return np.sum(y_bar * correlated(0 * y_bar, weights, axes, modes, 1.0, origins))


@adjoint(transposed)
def transposed_rule(u, weights, axes, modes, origins):
    sizes = np.shape(weights)

    def back(x_bar):
        return (
            unbroadcast(correlated(x_bar, conj(weights), axes, modes, 0.0, origins), u),
            unbroadcast(lagged(conj(u), x_bar, sizes, axes, modes, 0.0, origins), weights),
            None,
            None,
            None,
        )

    return transposed(u, weights, axes, modes, origins), back


@adjoint(lagged)
def lagged_rule(u, x, sizes, axes, modes, cval, origins):
    def back(bar):
        return (
            unbroadcast(correlated(conj(x), bar, axes, modes, conj(cval), origins), u),
            unbroadcast(transposed(conj(u), bar, axes, modes, origins), x),
            None,
            None,
            None,
            unbroadcast(outside(conj(u), bar, axes, modes, origins), cval),
            None,
        )

    return lagged(u, x, sizes, axes, modes, cval, origins), back


def refuse_output(output):
    if output is not None:
        raise NotDifferentiable(
            "filters of scipy.ndimage have no rule for `output`: use what they return"
        )


constant(refuse_output)


@substitute(ndimage.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    refuse_output(output)
    return correlated(input, np.asarray(weights), (axis,), (mode,), cval, (origin,))


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
    ndim = np.ndim(input)
    axes, modes, origins = tuple(range(ndim)), tuple(each(mode, ndim)), tuple(each(origin, ndim))
    return correlated(input, np.asarray(weights), axes, modes, cval, origins)


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


# Differences


def differences(input, axis, smooth, output, mode, cval):
    refuse_output(output)
    ndim = np.ndim(input)
    axis, modes = axis % ndim, each(mode, ndim)
    y = correlate1d(input, np.array([-1.0, 0.0, 1.0]), axis, None, modes[axis], cval, 0)
    for other in range(ndim):
        if other != axis:
            y = correlate1d(y, smooth, other, None, modes[other], cval, 0)
    return y


@substitute(ndimage.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return differences(input, axis, np.array([1.0, 2.0, 1.0]), output, mode, cval)


@substitute(ndimage.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return differences(input, axis, np.array([1.0, 1.0, 1.0]), output, mode, cval)


@substitute(ndimage.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0):
    refuse_output(output)
    ndim = np.ndim(input)
    modes, weights = each(mode, ndim), np.array([1.0, -2.0, 1.0])
    return sum([
        correlate1d(input, weights, axis, None, modes[axis], cval, 0) for axis in range(ndim)
    ])


def second_differences(input, sigma, output, mode, cval, order, kwargs):
    """The Gaussian filters with a derivative of this order along each axis in turn."""
    refuse_output(output)
    ndim = np.ndim(input)
    return [
        gaussian_filter(
            input, sigma, [order if i == axis else 0 for i in range(ndim)], None, mode, cval,
            **kwargs,
        )
        for axis in range(ndim)
    ]


@substitute(ndimage.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, **kwargs):
    return sum(second_differences(input, sigma, output, mode, cval, 2, kwargs))


@substitute(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, **kwargs):
    parts = second_differences(input, sigma, output, mode, cval, 1, kwargs)
    return np.linalg.norm(np.stack(parts), axis=0)


# What selects in a window

MODES = {
    "reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
    "constant": "constant", "grid-mirror": "symmetric", "grid-wrap": "wrap",
    "grid-constant": "constant",
}


def windows(input, size, footprint, output, mode, cval, origin):
    """The items of the window around each item, in a last axis of their own."""
    refuse_output(output)
    ndim = np.ndim(input)
    sizes = each(size, ndim) if footprint is None else np.shape(footprint)
    modes, origins = each(mode, ndim), each(origin, ndim)
    padded = input
    for axis in range(ndim):
        before = sizes[axis] // 2 + origins[axis]
        own = before, sizes[axis] - 1 - before
        widths = [own if i == axis else (0, 0) for i in range(ndim)]
        if modes[axis] in ("constant", "grid-constant"):
            padded = np.pad(padded, widths, constant_values=cval)
        else:
            padded = np.pad(padded, widths, MODES[modes[axis]])
    found = np.lib.stride_tricks.sliding_window_view(padded, tuple(sizes))
    flat = np.reshape(found, (*np.shape(input), -1))
    return flat if footprint is None else flat[..., np.flatnonzero(footprint)]


@substitute(ndimage.maximum_filter)
def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0
):
    return np.max(windows(input, size, footprint, output, mode, cval, origin), axis=-1)


@substitute(ndimage.minimum_filter)
def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0
):
    return np.min(windows(input, size, footprint, output, mode, cval, origin), axis=-1)


@substitute(ndimage.rank_filter)
def rank_filter(
    input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0
):
    return np.sort(windows(input, size, footprint, output, mode, cval, origin), axis=-1)[..., rank]


@substitute(ndimage.median_filter)
def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0
):
    found = windows(input, size, footprint, output, mode, cval, origin)
    return np.sort(found, axis=-1)[..., np.shape(found)[-1] // 2]


@substitute(ndimage.percentile_filter)
def percentile_filter(
    input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0
):
    found = windows(input, size, footprint, output, mode, cval, origin)
    count = np.shape(found)[-1]
    share = percentile + 100.0 if percentile < 0 else percentile
    rank = count - 1 if share == 100.0 else int(float(count) * share / 100.0)
    return np.sort(found, axis=-1)[..., rank]


constant(each, reach)
