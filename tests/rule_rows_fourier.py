"""Rows of the rules of `np.fft`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.rule_row import Options, Row, cases, cplx, real, single, table
from zyg.rules import fourier


@table
def transforms() -> Iterator[Row]:
    for callee in (np.fft.fft, np.fft.ifft):
        yield from cases(callee, (real(4),), (cplx(5),), (cplx(4), 6), (real(5), 3))
        yield from cases(callee, (cplx(2, 3), 2, 0))
        yield from cases(callee, (cplx(4), None, -1, "ortho"), (real(4), 6, 0, "forward"))
    for callee in (np.fft.rfft, np.fft.ihfft):
        yield from cases(callee, (real(4),), (real(5),), (real(4), 6), (real(5), 4))
        yield from cases(callee, (real(2, 3), 5, 0))
        yield from cases(callee, (real(4), None, -1, "ortho"), (real(5), 7, -1, "forward"))
    for callee in (np.fft.irfft, np.fft.hfft):
        yield from cases(callee, (cplx(4),), (real(3),), (cplx(4), 5), (cplx(3), 8))
        yield from cases(callee, (cplx(4), 7, 0))
        yield from cases(callee, (cplx(4), 3), (cplx(2, 3), None, 0, "ortho"))
        yield from cases(callee, (cplx(2, 3), 5, 1, "forward"))
    for callee in (np.fft.fftn, np.fft.ifftn, np.fft.fft2, np.fft.ifft2):
        yield from cases(callee, (real(2, 3),), (cplx(2, 3, 2),), (cplx(3, 2), (2, 4), (0, 1)))
        yield from cases(callee, (cplx(2, 3, 2), None, (0, 2)), (real(2, 3, 2), (3, 1), (2, 0)))
        yield from cases(callee, (cplx(2, 3), None, (0, 1), "ortho"))
    for callee in (np.fft.rfftn, np.fft.rfft2):
        yield from cases(callee, (real(2, 3),), (real(3, 4),), (real(3, 2), (2, 4), (0, 1)))
        yield from cases(callee, (real(2, 3, 4), None, (0, 1)), (real(2, 3, 2), (3, 3), (2, 0)))
        yield from cases(callee, (real(2, 3), None, (0, 1), "ortho"))
    for callee in (np.fft.irfftn, np.fft.irfft2):
        yield from cases(callee, (cplx(2, 3),), (cplx(3, 2),), (cplx(3, 3), (2, 5), (0, 1)))
        yield from cases(callee, (cplx(2, 3, 4), None, (0, 1)), (cplx(2, 3, 2), (3, 3), (2, 0)))
        yield from cases(callee, (cplx(2, 3), None, (0, 1), "forward"))
    yield from cases(np.fft.rfftn, (real(5), None, (0,)))
    yield from cases(np.fft.irfftn, (cplx(3), (4,), (0,)))
    yield from cases(fourier.with_pairs, (cplx(3), 1, 4, -1), (cplx(3, 2), -1, 5, 0))
    for callee in (np.fft.fftshift, np.fft.ifftshift):
        yield from cases(callee, (real(5),), (cplx(2, 3),), (real(3, 4), 1), (real(3, 4), (0, 1)))
    for callee in (np.fft.fftfreq, np.fft.rfftfreq):
        yield from cases(callee, (4, 0.5), (5, 0.3), (4, 0.5 - 0.2j))
    if np.fft.fft(single(2)).dtype == np.complex64:
        yield from cases(np.fft.fft, (single(4), Options(n=3)))
        yield from cases(np.fft.rfft, (single(4),))
