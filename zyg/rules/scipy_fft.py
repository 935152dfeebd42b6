"""Rules of `scipy.fft`: as those of `np.fft`, and the cosine and sine transforms.

The transpose of the transform of type 2 is that of type 3 but for one term: the first of cosines,
the last of sines counts once in the sums of type 3 where others count twice. Types 1 (of sines) and
4 are symmetric. With `norm="ortho"` a transform is orthogonal. Source: G. Strang, "The Discrete
Cosine Transform" (1999).
"""

from __future__ import annotations

import numpy as np
import scipy.fft

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.facts.permissions import keep_arguments
from zyg.facts.scipy_facts import of_transforms
from zyg.rules.fourier import (
    all_axes,
    fitted,
    irfft_bar,
    irfftn_bar,
    other_norm,
    rfft_bar,
    rfftn_bar,
)
from zyg.rules.registry import adjoint, constant, substitute

keep_arguments(vars(scipy.fft).values())
of_transforms(scipy.fft)
constant(scipy.fft.next_fast_len, scipy.fft.get_workers, scipy.fft.set_workers)
if hasattr(scipy.fft, "prev_fast_len"):  # of SciPy 1.14
    constant(scipy.fft.prev_fast_len)


@substitute(scipy.fft.fftfreq)
def fftfreq(n, d=1.0):
    return np.fft.fftfreq(n, d)


@substitute(scipy.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    return np.fft.rfftfreq(n, d)


@adjoint(scipy.fft.fft)
def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = scipy.fft.ifft(y_bar, None, axis, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.fft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.ifft)
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = scipy.fft.fft(y_bar, None, axis, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.ifft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.fftn)
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        over = all_axes(np.ndim(x), s, axes)
        bar = scipy.fft.ifftn(y_bar, None, over, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.fftn(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.ifftn)
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        over = all_axes(np.ndim(x), s, axes)
        bar = scipy.fft.fftn(y_bar, None, over, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.ifftn(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.fft2)
def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = scipy.fft.ifftn(y_bar, None, axes, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.fft2(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.ifft2)
def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = scipy.fft.fftn(y_bar, None, axes, other_norm(norm), workers=workers)
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.ifft2(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.rfft)
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        length = np.shape(x)[axis] if n is None else n
        return (fitted(rfft_bar(y_bar, length, axis, norm), np.shape(x)),)

    return scipy.fft.rfft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.irfft)
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (unbroadcast(fitted(irfft_bar(y_bar, axis, norm), np.shape(x)), x),)

    return scipy.fft.irfft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.rfftn)
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (rfftn_bar(y_bar, np.shape(x), s, axes, norm),)

    return scipy.fft.rfftn(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.rfft2)
def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (rfftn_bar(y_bar, np.shape(x), s, axes, norm),)

    return scipy.fft.rfft2(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.irfftn)
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (unbroadcast(irfftn_bar(y_bar, np.shape(x), s, axes, norm), x),)

    return scipy.fft.irfftn(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.irfft2)
def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (unbroadcast(irfftn_bar(y_bar, np.shape(x), s, axes, norm), x),)

    return scipy.fft.irfft2(x, s, axes, norm, workers=workers), back


@adjoint(scipy.fft.hfft)
def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = conj(fitted(irfft_bar(y_bar, axis, other_norm(norm)), np.shape(x)))
        return (unbroadcast(bar, x),)

    return scipy.fft.hfft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.ihfft)
def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        length = np.shape(x)[axis] if n is None else n
        return (fitted(rfft_bar(conj(y_bar), length, axis, other_norm(norm)), np.shape(x)),)

    return scipy.fft.ihfft(x, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.fftshift)
def fftshift(x, axes=None):
    return scipy.fft.fftshift(x, axes), lambda y_bar: (scipy.fft.ifftshift(y_bar, axes),)


@adjoint(scipy.fft.ifftshift)
def ifftshift(x, axes=None):
    return scipy.fft.ifftshift(x, axes), lambda y_bar: (scipy.fft.fftshift(y_bar, axes),)


# Cosines and sines

PARTNER = {1: 1, 2: 3, 3: 2, 4: 4}


@adjoint(scipy.fft.dct)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (unbroadcast(fitted(dct_bar(y_bar, type, axis, norm), np.shape(x)), x),)

    return scipy.fft.dct(x, type, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.idct)
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = dct_bar(y_bar, PARTNER[type], axis, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.idct(x, type, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.dst)
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        return (unbroadcast(fitted(dst_bar(y_bar, type, axis, norm), np.shape(x)), x),)

    return scipy.fft.dst(x, type, n, axis, norm, workers=workers), back


@adjoint(scipy.fft.idst)
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    def back(y_bar):
        bar = dst_bar(y_bar, PARTNER[type], axis, other_norm(norm))
        return (unbroadcast(fitted(bar, np.shape(x)), x),)

    return scipy.fft.idst(x, type, n, axis, norm, workers=workers), back


def dct_bar(y_bar, type, axis, norm):
    """The transpose of the matrix of `dct`, applied to a cotangent."""
    if norm == "ortho":
        return scipy.fft.idct(y_bar, type, None, axis, norm)
    counts = term_counts(y_bar, axis, (0, -1) if type == 1 else (0,))
    if type in (1, 2):
        y_bar = y_bar * (2 / counts)
    bar = scipy.fft.dct(y_bar, PARTNER[type], None, axis, norm)
    return bar * (counts / 2) if type in (1, 3) else bar


def dst_bar(y_bar, type, axis, norm):
    if norm == "ortho":
        if IS_ORTHOGONAL or type in (1, 4):
            return scipy.fft.idst(y_bar, type, None, axis, norm)
        return scaled_dst_bar(y_bar, type, axis)
    counts = term_counts(y_bar, axis, (-1,))
    y_bar = y_bar * (2 / counts) if type == 2 else y_bar
    bar = scipy.fft.dst(y_bar, PARTNER[type], None, axis, norm)
    return bar * (counts / 2) if type == 3 else bar


# Before SciPy 1.13 the sine transforms of types 2 and 3 had the factor of their last term on the
# first one, so that they were not orthogonal.
IS_ORTHOGONAL = abs(scipy.fft.dst([1.0, -1.0], 2, norm="ortho")[1]) < 1.5


def scaled_dst_bar(y_bar, type, axis):
    length = np.shape(y_bar)[axis]
    weights = np.where(np.arange(length) == 0, 0.5**0.5 if type == 2 else 2.0**0.5, 1.0)
    behind = (1,) * (np.ndim(y_bar) - 1 - axis % np.ndim(y_bar))
    weights = np.reshape(weights, (-1, *behind)).astype(np.real(y_bar).dtype)
    y_bar = y_bar * weights if type == 2 else y_bar
    bar = dst_bar(y_bar, type, axis, None) / (2.0 * length) ** 0.5
    return bar if type == 2 else bar * weights


def term_counts(y_bar, axis, single):
    """How often terms along an axis count in a sum: those in `single` once, others twice."""
    shape = np.shape(y_bar)
    length = shape[axis]
    is_single = np.isin(np.arange(length), [i % length for i in single])
    counts = np.where(is_single, 1.0, 2.0).astype(np.real(y_bar).dtype)
    return np.reshape(counts, [-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


@substitute(scipy.fft.dctn)
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return along_axes(scipy.fft.dct, x, type, s, axes, norm, workers)


@substitute(scipy.fft.idctn)
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return along_axes(scipy.fft.idct, x, type, s, axes, norm, workers)


@substitute(scipy.fft.dstn)
def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return along_axes(scipy.fft.dst, x, type, s, axes, norm, workers)


@substitute(scipy.fft.idstn)
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    return along_axes(scipy.fft.idst, x, type, s, axes, norm, workers)


def along_axes(transform, x, type, s, axes, norm, workers):
    """The transform along one axis after the other."""
    sizes = (s,) if isinstance(s, int) else s
    over = transformed_axes(np.ndim(x), sizes, axes)
    for i, axis in enumerate(over):
        x = transform(x, type, None if sizes is None else sizes[i], axis, norm, workers=workers)
    return x


def transformed_axes(ndim, s, axes):
    return (axes,) if isinstance(axes, int) else all_axes(ndim, s, axes)


constant(transformed_axes)
