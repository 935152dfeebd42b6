"""Rules of `scipy.signal`: convolutions, correlations and linear filters.

What `mode` cuts from the full convolution has the cotangent 0. A filter `a y = b x` (with `a` and
`b` as matrices that shift and add) is a triangular equation, whose adjoint runs backwards in time.
"""

from __future__ import annotations

import numpy as np
from scipy import signal

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.cotangents.cotangent_items import scatter
from zyg.errors import NotDifferentiable
from zyg.facts.permissions import keep_arguments
from zyg.facts.scipy_facts import of_signals
from zyg.rules.registry import adjoint, constant, substitute

keep_arguments(vars(signal).values())
of_signals(signal)
constant(signal.choose_conv_method, signal.argrelextrema, signal.argrelmax, signal.argrelmin)


@adjoint(signal.find_peaks)
def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, *rest):
    peaks, properties = signal.find_peaks(
        x, height, threshold, distance, prominence, width, *rest
    )
    shape = np.shape(x)
    return (peaks, properties), lambda bars: (heights_bar(bars[1], peaks, shape),)


def heights_bar(bars, peaks, shape):
    """The cotangent of the samples; of what else is found of peaks, nothing is followed."""
    found = {} if bars is None else bars
    unless_heights(found)
    of_heights = found.get("peak_heights")
    return np.zeros(shape) if of_heights is None else scatter(of_heights, shape, peaks)


def unless_heights(bars):
    for name, bar in bars.items():
        if name != "peak_heights" and bar is not None and np.any(bar):
            raise NotDifferentiable(
                f"`{name}` that scipy.signal.find_peaks gives has no derivative: use items of `x`"
            )


@adjoint(signal.convolve)
def convolve(in1, in2, mode="full", method="auto"):
    y = signal.convolve(in1, in2, mode, method)

    def back(y_bar):
        bar = uncut(y_bar, np.shape(in1), np.shape(in2), mode)
        return (
            unbroadcast(signal.convolve(bar, mirrored(in2), "valid", method), in1),
            unbroadcast(signal.convolve(bar, mirrored(in1), "valid", method), in2),
        )

    return y, back


@adjoint(signal.fftconvolve)
def fftconvolve(in1, in2, mode="full"):
    y = signal.fftconvolve(in1, in2, mode)

    def back(y_bar):
        bar = uncut(y_bar, np.shape(in1), np.shape(in2), mode)
        return (
            unbroadcast(signal.fftconvolve(bar, mirrored(in2), "valid"), in1),
            unbroadcast(signal.fftconvolve(bar, mirrored(in1), "valid"), in2),
        )

    return y, back


@adjoint(signal.oaconvolve)
def oaconvolve(in1, in2, mode="full"):
    y = signal.oaconvolve(in1, in2, mode)

    def back(y_bar):
        bar = uncut(y_bar, np.shape(in1), np.shape(in2), mode)
        return (
            unbroadcast(signal.oaconvolve(bar, mirrored(in2), "valid"), in1),
            unbroadcast(signal.fftconvolve(bar, mirrored(in1), "valid"), in2),
        )

    return y, back


def uncut(y_bar, first, second, mode):
    """The cotangent of the full convolution of two shapes."""
    if mode == "full":
        return y_bar
    widths = []
    for n, m, length in zip(first, second, np.shape(y_bar), strict=True):
        start = (m - 1) // 2 if mode == "same" else min(n, m) - 1
        widths = [*widths, (start, n + m - 1 - length - start)]
    return np.pad(y_bar, widths)


def mirrored(x):
    return conj(np.flip(x))


@substitute(signal.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    return signal.convolve(in1, conj(np.flip(in2)), mode, method)


@substitute(signal.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    refuse_boundary(boundary, fillvalue)
    return signal.convolve(in1, in2, mode, "direct")


@substitute(signal.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    refuse_boundary(boundary, fillvalue)
    if mode != "same":
        return signal.convolve(in1, conj(np.flip(in2)), mode, "direct")
    full = signal.convolve(in1, conj(np.flip(in2)), "full", "direct")
    top, left = np.shape(in2)[0] // 2, np.shape(in2)[1] // 2  # not as `convolve` centres it
    return full[top : top + np.shape(in1)[0], left : left + np.shape(in1)[1]]


def refuse_boundary(boundary, fillvalue):
    if boundary != "fill" or fillvalue != 0:
        raise NotDifferentiable(
            "scipy.signal.convolve2d has a rule for boundary='fill' with zeros only: use np.pad"
        )


constant(refuse_boundary)


@adjoint(signal.lfilter)
def lfilter(b, a, x, axis=-1):
    y = signal.lfilter(b, a, x, axis)

    def back(y_bar):
        output_bar = backwards(np.ones(1), a, y_bar, axis)
        return (
            unbroadcast(lagged(output_bar, x, np.size(b), axis), b),
            unbroadcast(-lagged(output_bar, y, np.size(a), axis), a),
            unbroadcast(backwards(b, np.ones(1), output_bar, axis), x),
        )

    return y, back


def backwards(b, a, bar, axis):
    """The transpose of a filter."""
    return np.flip(signal.lfilter(conj(b), conj(a), np.flip(bar, axis), axis), axis)


def lagged(bar, x, count, axis):
    """For each lag below `count` the sum of a cotangent times the signal so much earlier."""
    late, early = np.moveaxis(bar, axis, -1), conj(np.moveaxis(x, axis, -1))
    length = np.shape(x)[axis]
    return np.stack(
        [np.sum(late[..., k:] * early[..., : max(length - k, 0)]) for k in range(count)]
    )
