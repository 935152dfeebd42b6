"""Rules of `np.fft`: the cotangent of a transform is the transform back, scaled the other way.

With `F` the matrix of `fft`, the cotangent of `x` in `y = F x` is `F^H y_bar`, which is `ifft`
times the length: the same call with the other `norm`. Inputs that are cut or padded to `n` get the
cotangent padded or cut. A real transform keeps half of the spectrum; the other half is its mirror
image, so that inner terms count twice. Source: W. Briggs and V. Henson, "The DFT: An Owner's
Manual for the Discrete Fourier Transform" (1995), chapter 4.
"""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.array_type import Array
from zyg.arrays.spectra import with_pairs
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint


@adjoint(np.fft.fftfreq)
def fftfreq(n, d=1.0):
    y = np.fft.fftfreq(n, d)
    return y, lambda y_bar: (None, -np.sum(y_bar * conj(y / d)))


@adjoint(np.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    y = np.fft.rfftfreq(n, d)
    return y, lambda y_bar: (None, -np.sum(y_bar * conj(y / d)))


def other_norm(norm):
    """The scaling with which the transform back is the conjugate transpose."""
    if norm is None or norm == "backward":
        return "forward"
    return "backward" if norm == "forward" else norm


def all_axes(ndim, s, axes):
    """The axes of a transform of several: the last of them, if only lengths are given.

    SciPy takes a number for one axis, or length."""
    s = (s,) if isinstance(s, int) else s
    if isinstance(axes, int):
        return (axes % ndim,)
    if axes is not None:
        return tuple([axis % ndim for axis in axes])
    return tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))


def lengths(shape, s, axes):
    """The lengths of a transform along `axes`; -1 stands for that of the input."""
    if s is None:
        return [shape[axis] for axis in axes]
    s = (s,) if isinstance(s, int) else s
    return [shape[axis] if n is None or n == -1 else n for n, axis in zip(s, axes, strict=True)]


def fitted(bar, shape):
    """Cut to a shape where it is longer, and filled with zeros where it is shorter."""
    part = bar[tuple([slice(n) for n in shape])]
    missing = [(0, n - m) for n, m in zip(shape, np.shape(part), strict=True)]
    return np.pad(part, missing) if np.shape(part) != tuple(shape) else part


@adjoint(np.fft.fft)
def fft(a, n=None, axis=-1, norm=None):
    def back(y_bar):
        bar = np.fft.ifft(y_bar, None, axis, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.fft(a, n, axis, norm), back


@adjoint(np.fft.ifft)
def ifft(a, n=None, axis=-1, norm=None):
    def back(y_bar):
        bar = np.fft.fft(y_bar, None, axis, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.ifft(a, n, axis, norm), back


@adjoint(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None):
    def back(y_bar):
        over = all_axes(np.ndim(a), s, axes)
        bar = np.fft.ifftn(y_bar, None, over, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.fftn(a, s, axes, norm), back


@adjoint(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None):
    def back(y_bar):
        over = all_axes(np.ndim(a), s, axes)
        bar = np.fft.fftn(y_bar, None, over, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.ifftn(a, s, axes, norm), back


@adjoint(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    def back(y_bar):
        bar = np.fft.ifftn(y_bar, None, axes, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.fft2(a, s, axes, norm), back


@adjoint(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    def back(y_bar):
        bar = np.fft.fftn(y_bar, None, axes, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(a)), a),)

    return np.fft.ifft2(a, s, axes, norm), back


# Real inputs: half of the spectrum


@adjoint(np.fft.rfft)
def rfft(a, n=None, axis=-1, norm=None):
    shape = np.shape(a)

    def back(y_bar):
        length = shape[axis] if n is None else n
        return (fitted(rfft_bar(y_bar, length, axis, norm), shape),)

    return np.fft.rfft(a, n, axis, norm), back


def rfft_bar(y_bar, length, axis, norm):
    """The real part of the transform back of the half that there is: each term counts once."""
    return np.fft.irfft(with_pairs(y_bar, -1, length, axis), length, axis, other_norm(norm))


@facts.result(with_pairs)
def spectrum_type(args, kwargs):
    return args[0] if isinstance(args[0], Array) else TOP


@adjoint(with_pairs)
def with_pairs_rule(half, doublings, length, axis):
    def back(y_bar):
        return with_pairs(y_bar, doublings, length, axis), None, None, None

    return with_pairs(half, doublings, length, axis), back


@adjoint(np.fft.irfft)
def irfft(a, n=None, axis=-1, norm=None):
    def back(y_bar):
        return (unbroadcast(fitted(irfft_bar(y_bar, axis, norm), np.shape(a)), a),)

    return np.fft.irfft(a, n, axis, norm), back


def irfft_bar(y_bar, axis, norm):
    """The transform of the cotangent, where what stands for two terms counts twice."""
    half = np.fft.rfft(y_bar, None, axis, other_norm(norm))
    return with_pairs(half, 1, np.shape(y_bar)[axis], axis)


@adjoint(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    def back(y_bar):
        return (rfftn_bar(y_bar, np.shape(a), s, axes, norm),)

    return np.fft.rfftn(a, s, axes, norm), back


@adjoint(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    def back(y_bar):
        return (rfftn_bar(y_bar, np.shape(a), s, axes, norm),)

    return np.fft.rfft2(a, s, axes, norm), back


def rfftn_bar(y_bar, shape, s, axes, norm):
    over = all_axes(len(shape), s, axes)
    others = np.fft.ifftn(y_bar, None, over[:-1], other_norm(norm)) if len(over) > 1 else y_bar
    return fitted(rfft_bar(others, lengths(shape, s, over)[-1], over[-1], norm), shape)


@adjoint(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    def back(y_bar):
        return (unbroadcast(irfftn_bar(y_bar, np.shape(a), s, axes, norm), a),)

    return np.fft.irfftn(a, s, axes, norm), back


@adjoint(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    def back(y_bar):
        return (unbroadcast(irfftn_bar(y_bar, np.shape(a), s, axes, norm), a),)

    return np.fft.irfft2(a, s, axes, norm), back


def irfftn_bar(y_bar, shape, s, axes, norm):
    over = all_axes(len(shape), s, axes)
    bar = irfft_bar(y_bar, over[-1], norm)
    if len(over) > 1:
        bar = np.fft.fftn(bar, None, over[:-1], other_norm(norm))
    return fitted(bar, shape)


# `hfft` is `irfft` of the conjugate with the other scaling, `ihfft` the conjugate of that `rfft`.


@adjoint(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    def back(y_bar):
        bar = conj(fitted(irfft_bar(y_bar, axis, other_norm(norm)), np.shape(a)))
        return (unbroadcast(bar, a),)

    return np.fft.hfft(a, n, axis, norm), back


@adjoint(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    shape = np.shape(a)

    def back(y_bar):
        length = shape[axis] if n is None else n
        return (fitted(rfft_bar(conj(y_bar), length, axis, other_norm(norm)), shape),)

    return np.fft.ihfft(a, n, axis, norm), back


@adjoint(np.fft.fftshift)
def fftshift(x, axes=None):
    return np.fft.fftshift(x, axes), lambda y_bar: (np.fft.ifftshift(y_bar, axes),)


@adjoint(np.fft.ifftshift)
def ifftshift(x, axes=None):
    return np.fft.ifftshift(x, axes), lambda y_bar: (np.fft.fftshift(y_bar, axes),)
