"""The rules of `scipy.fft`, `scipy.signal` and `scipy.ndimage`, to first and second order."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg.rules import registry

pytest.importorskip("scipy")

from scipy import fft, ndimage, signal

from tests import rule_rows_scipy_signal as rows
from tests.rule_row import Row
from tests.scipy_check import check_row

registry.register_imported()


@pytest.mark.parametrize(
    "row", [*rows.transforms(), *rows.convolutions(), *rows.filters()], ids=str
)
def test_rule(row: Row) -> None:
    check_row(row)


X = np.array([0.3, 1.2, -0.7, 0.4, 0.9])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.abs(fft.rfft(x)) ** 4),
        lambda x: np.sum(fft.dct(x) ** 3) + np.sum(fft.dst(x, 3) ** 3),
        lambda x: np.sum(signal.convolve(x, x[:3], "same") ** 2),
        lambda x: np.sum(signal.correlate(x, x[:2], "valid") ** 2),
        lambda x: np.sum(signal.fftconvolve(x, x) ** 2),
        lambda x: np.sum(signal.lfilter(x[:2], x[2:], x) ** 2),
    ],
)
def test_second_order(f):
    zyg.check_grads(f, X)


IMAGE = np.reshape(np.sin(np.arange(20.0)), (4, 5))


@pytest.mark.thorough
@pytest.mark.parametrize("mode", [*rows.MODES, "grid-wrap", "grid-constant"])
def test_second_order_of_filters(mode):
    zyg.check_grads(lambda x: np.sum(ndimage.gaussian_filter(x, 0.7, mode=mode) ** 3), IMAGE)
    zyg.check_grads(lambda x: np.sum(ndimage.uniform_filter(x, 3, mode=mode) ** 3), IMAGE)
    zyg.check_grads(
        lambda x, w, fill: np.sum(ndimage.correlate(x, w, mode=mode, cval=fill) ** 2),
        *(IMAGE, IMAGE[:2, :3], 0.6),
    )
    zyg.check_grads(
        lambda x, w, fill: np.sum(ndimage.convolve1d(x, w, 0, mode=mode, cval=fill) ** 2),
        *(IMAGE, X, 0.6),
    )


def test_gradient_of_gradient_of_filter():
    def squared_slopes(x):
        slopes = zyg.gradient(lambda y: np.sum(ndimage.gaussian_filter(y, 1.0) ** 2), x)[0]
        return np.sum(slopes**2)

    zyg.check_grads(squared_slopes, IMAGE, order=1)


def test_weights_of_filters():
    zyg.check_grads(lambda x: np.sum(ndimage.gaussian_filter1d(x, x[1]) ** 3), X, order=1)
    zyg.check_grads(lambda x: np.sum(ndimage.correlate1d(x, x[:3], mode="wrap") ** 2), X, order=1)


def test_peaks():
    def f(x):
        peaks, found = signal.find_peaks(x * x, height=0.0, prominence=0.01)
        return np.sum(x[peaks] ** 3) + np.sum(found["peak_heights"] ** 2)

    x = np.array([0.3, 1.2, 0.4, 0.9, 1.7, 0.2])
    zyg.check_grads(f, x, order=1)
    zyg.check_grads(lambda x: np.sum(x[signal.argrelmax(x)[0]] ** 2), x, order=1)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.sum(signal.find_peaks(x, width=0.0)[1]["widths"]), "`widths` that"),
        (lambda x: np.sum(signal.wiener(x)), "scipy.signal.wiener has no rule"),
        (lambda x: np.sum(ndimage.zoom(x, 3)), "scipy.ndimage.zoom has no rule"),
        (lambda x: np.sum(ndimage.correlate1d(x, x, output=float)), "no rule for `output`"),
        (lambda x: np.sum(fft.fht(x, 0.1, 0.2)), "scipy.fft.fht has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, X)
