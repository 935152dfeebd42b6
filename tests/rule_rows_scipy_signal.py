"""Rows of the rules of `scipy.fft`, `scipy.signal` and `scipy.ndimage`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import fft, ndimage, signal

from tests.rule_row import Options, Row, cases, cplx, real, single, table


@table
def transforms() -> Iterator[Row]:
    for callee in (fft.fftn, fft.ifftn, fft.rfftn):
        yield from cases(callee, (real(3, 4), Options(axes=-1)), (real(3, 4), 3, 0))
    for callee in (fft.fft, fft.ifft):
        yield from cases(callee, (real(5),), (cplx(4, 3), 6, 0, "ortho"), (cplx(2, 6), 4))
        yield from cases(callee, (single(4), Options(norm="forward", workers=1)))
    for callee in (fft.fftn, fft.ifftn, fft.fft2, fft.ifft2):
        yield from cases(callee, (real(3, 4),), (cplx(2, 3, 4), (4, 2), (0, 2), "ortho"))
    for callee in (fft.rfft, fft.ihfft):
        yield from cases(callee, (real(5),), (real(6), 4), (real(2, 4), 7, -1, "ortho"))
        yield from cases(callee, (real(4, 2), None, 0, "forward"))
    for callee in (fft.irfft, fft.hfft):
        yield from cases(callee, (cplx(4),), (cplx(4), 5), (cplx(4, 2), None, 0, "ortho"))
    for callee in (fft.rfftn, fft.rfft2):
        yield from cases(callee, (real(3, 4),), (real(2, 3, 4), (4, 3), (0, 2), "forward"))
    for callee in (fft.irfftn, fft.irfft2):
        yield from cases(callee, (cplx(3, 4),), (cplx(2, 3, 4), (4, 3), (0, 2), "forward"))
    for callee in (fft.dct, fft.idct, fft.dst, fft.idst):
        for kind in (1, 2, 3, 4):
            for norm in (None, "ortho", "forward"):
                yield from cases(callee, (real(5), kind, Options(norm=norm)))
            yield from cases(callee, (real(2, 4), kind, 6), (cplx(4, 2), kind, 3, 0))
    for callee in (fft.dctn, fft.idctn, fft.dstn, fft.idstn):
        yield from cases(callee, (real(3, 4),), (real(3, 4), 3, (4, 5), (0, 1), "ortho"))
        yield from cases(callee, (real(3, 4), Options(axes=-1)))
    for callee in (fft.fftshift, fft.ifftshift):
        yield from cases(callee, (real(5),), (cplx(3, 4), 0))


@table
def convolutions() -> Iterator[Row]:
    for callee in (signal.convolve, signal.fftconvolve, signal.oaconvolve, signal.correlate):
        for mode in ("full", "same", "valid"):
            yield from cases(
                callee,
                *((real(6), real(3), mode), (real(3), real(6), mode), (real(5), real(4), mode)),
                *((real(4, 5), real(2, 3), mode), (cplx(5), cplx(2), mode)),
                (real(5), cplx(2), mode),
            )
    yield from cases(signal.convolve, (real(6), real(3), "same", "fft"), (single(5), single(2)))
    for callee in (signal.convolve2d, signal.correlate2d):
        for mode in ("full", "same", "valid"):
            yield from cases(callee, (real(4, 5), real(2, 3), mode))
    a = np.array([1.5, 0.3, -0.2])
    yield from cases(
        signal.lfilter,
        *((real(2), a, real(6)), (real(4), a, real(2, 5)), (real(3), a, real(5, 2), 0)),
        *((cplx(2), a + 0.1j, cplx(6)), (real(3), np.ones(1), real(2))),
    )


MODES = ("reflect", "nearest", "mirror", "wrap", "constant")


@table
def filters() -> Iterator[Row]:
    for mode in MODES:
        for callee in (ndimage.correlate1d, ndimage.convolve1d):
            yield from cases(callee, (real(6), real(3), Options(mode=mode)))
            yield from cases(callee, (real(4, 5), real(4), 0, Options(mode=mode, cval=0.7)))
        for callee in (ndimage.correlate, ndimage.convolve):
            yield from cases(callee, (real(4, 5), real(2, 3), Options(mode=mode)))
        yield from cases(ndimage.gaussian_filter1d, (real(9), 0.8, Options(mode=mode)))
        yield from cases(ndimage.gaussian_filter, (real(4, 5), 0.8, Options(mode=mode)))
        yield from cases(ndimage.uniform_filter1d, (real(6), 4, Options(mode=mode)))
        yield from cases(ndimage.uniform_filter, (real(4, 5), 3, Options(mode=mode)))
        for callee in (ndimage.sobel, ndimage.prewitt):
            yield from cases(callee, (real(4, 5), 0, Options(mode=mode, cval=0.3)))
        yield from cases(ndimage.laplace, (real(4, 5), Options(mode=mode)))
        for callee in (ndimage.gaussian_laplace, ndimage.gaussian_gradient_magnitude):
            yield from cases(callee, (real(4, 5), 0.8, Options(mode=mode)))
        for callee in (ndimage.maximum_filter, ndimage.minimum_filter, ndimage.median_filter):
            yield from cases(callee, (real(4, 5), (3, 2), Options(mode=mode, cval=2.0)))
    for callee in (ndimage.correlate1d, ndimage.convolve1d):
        yield from cases(callee, (real(6), real(4), Options(origin=-1)), (single(5), real(3)))
        yield from cases(callee, (real(2), real(7)))
    for callee in (ndimage.correlate, ndimage.convolve):
        yield from cases(callee, (real(4, 5), real(3, 3), Options(origin=(1, -1))))
    yield from cases(
        ndimage.gaussian_filter1d,
        *((real(9), 0.8, Options(order=1)), (real(3, 4), 1.3, 0, 2), (real(9), 0.7, -1, 0)),
        (real(9), 0.8, Options(radius=2)),
    )
    yield from cases(
        ndimage.gaussian_filter,
        *((real(4, 5), real(2)), (real(4, 5), 1.1, (0, 1)), (single(4, 5), 0.8)),
        (real(4, 5), 0.7, Options(mode=("wrap", "nearest"))),
    )
    yield from cases(ndimage.uniform_filter, (real(4, 5), (2, 3), Options(origin=(-1, 0))))
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    yield from cases(ndimage.maximum_filter, (real(4, 5), None, cross))
    yield from cases(ndimage.minimum_filter, (real(4, 5), (2, 3), Options(origin=(-1, 1))))
    yield from cases(ndimage.rank_filter, (real(4, 5), 1, 3), (real(4, 5), -2, 3))
    yield from cases(ndimage.percentile_filter, (real(6), 30, 3), (real(6), -20, 3))
    yield from cases(ndimage.median_filter, (real(4, 5), None, cross), (real(6), 4))
