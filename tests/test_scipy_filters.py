"""Filters, spectra and changes of rate of `scipy.signal`: values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import ndimage, signal, stats

X = np.sin(np.arange(24.0)) + 0.05 * np.arange(24.0)
B, A = signal.butter(3, 0.3)
SOS = signal.butter(4, 0.3, output="sos")
TABLE = np.stack([X, X**2, np.cos(X)], 1)
FIR = signal.firwin(7, 0.4)

LINEAR = [
    lambda x: signal.sosfilt(SOS, x[:, 0]),
    lambda x: signal.sosfilt(SOS, x, axis=0),
    lambda x: signal.filtfilt(B, A, x, axis=0),
    lambda x: signal.filtfilt(B, A, x[:, 0], padtype="even", padlen=5),
    lambda x: signal.filtfilt(FIR, [1.0], x[:, 0], padtype="constant", padlen=4),
    lambda x: signal.filtfilt(B, A, x[:, 0], padtype=None),
    lambda x: signal.sosfiltfilt(SOS, x, axis=0),
    lambda x: signal.sosfiltfilt(SOS, x[:, 1], padlen=3),
    lambda x: signal.savgol_filter(x[:, 0], 5, 2),
    lambda x: signal.savgol_filter(x, 7, 3, deriv=1, delta=0.5, axis=0),
    lambda x: signal.savgol_filter(x[:, 0], 6, 2, deriv=2),
    lambda x: signal.savgol_filter(x, 5, 2, axis=0, mode="nearest"),
    lambda x: signal.detrend(x, axis=0),
    lambda x: signal.detrend(x[:, 0], type="constant"),
    lambda x: signal.detrend(x[:, 0], bp=[7, 15]),
    lambda x: signal.hilbert(x[:, 0]),
    lambda x: signal.hilbert(x[:-1], axis=0),
    lambda x: signal.hilbert(x[:, 0], 30),
    lambda x: signal.resample(x[:, 0], 36),
    lambda x: signal.resample(x, 10, axis=0),
    lambda x: signal.resample(x[:-1, 0], 17),
    lambda x: signal.resample(x[:, 0], 24),
    lambda x: signal.upfirdn(FIR, x[:, 0], 3, 2),
    lambda x: signal.upfirdn(FIR, x, 2, 5, axis=0),
    lambda x: signal.upfirdn(FIR, x[:, 0]),
    lambda x: signal.resample_poly(x[:, 0], 3, 2),
    lambda x: signal.resample_poly(x, 2, 6, axis=0),
    lambda x: signal.resample_poly(x, 2, 3, window="hamming"),
    lambda x: signal.resample_poly(x[:, 0], 2, 2),
]
STATE, STATES = signal.lfilter_zi(B, A), signal.sosfilt_zi(SOS)
LINEAR += [
    lambda x: signal.lfilter(B, A, x[:, 0], zi=STATE * x[0, 0])[0],
    lambda x: signal.lfilter(B, A, x[:, 0], zi=STATE * x[0, 0])[1],
    lambda x: signal.lfilter(B, A, x, 0, STATE[:, None] * x[:1])[1],
    lambda x: signal.lfilter(B, A, x[:2, 0], zi=STATE * x[0, 0])[1],
    lambda x: signal.lfilter(FIR, [2.0], x.T, zi=np.zeros((3, 6)) * x[0, 0])[1],
    lambda x: signal.lfilter(B, A, x[:, 0], zi=STATE)[0] - signal.lfilter(B, A, X, zi=STATE)[0],
    lambda x: signal.sosfilt(SOS, x[:, 0], zi=STATES)[1] - signal.sosfilt(SOS, X, zi=STATES)[1],
    lambda x: signal.lfilter(B, A, X) * x[0, 0],
    lambda x: signal.sosfilt(SOS, x[:, 0], zi=STATES * x[0, 0])[0],
    lambda x: signal.sosfilt(SOS, x, 0, zi=STATES[:, :, None] * x[0])[1],
]
SQUARES = [
    lambda x: signal.periodogram(x[:, 0])[1],
    lambda x: signal.periodogram(x, 2.5, "hann", 32, "linear", axis=0, scaling="spectrum")[1],
    lambda x: signal.periodogram(x[:, 0], nfft=16, detrend=False)[1],
    lambda x: signal.welch(x[:, 0], nperseg=8)[1],
    lambda x: signal.welch(x, 10.0, "boxcar", 7, 2, 9, axis=0)[1],
]
OF_COEFFICIENTS = [
    lambda b, a: signal.lfilter(b, a, X, zi=signal.lfilter_zi(b, a) * X[0])[0],
    lambda b, a: signal.lfilter(2 * b, 3 * a, X, zi=signal.lfilter_zi(b, a) * X[0])[1],
    lambda b, a: signal.sosfilt_zi(np.stack([[b[0], b[1], b[2], 1.0, a[1], a[2]]])),
    lambda b, a: signal.sosfilt(
        np.stack([[b[0], b[1], b[2], 1.0, a[1], a[2]], [b[1], b[3], 0.0, 1.0, a[3], 0.0]]), X
    ),
    lambda b, a: signal.filtfilt(b[:2], a, X),
    lambda b, a: signal.lfilter_zi(b, a),
    lambda b, a: signal.freqz(b, a, 7)[1],
    lambda b, a: signal.upfirdn(b, np.outer(X, a), 3, 2, axis=0),
    lambda b, a: signal.upfirdn(b, np.concatenate([a, a]), 2, 3),
    lambda b, a: signal.freqz(b, worN=[0.1, 0.3], fs=2.0)[1],
]
P, Q = np.array([0.5, 0.3, 0.1, 0.05]), np.array([1.3, -0.4, 0.2, 0.1])


def check(program, *args, order=1):
    value, expected = zyg.pullback(program, *args)[0], program(*args)
    assert np.shape(value) == np.shape(expected)
    assert np.result_type(value) == np.result_type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-11)
    zyg.check_grads(program, *args, order=order)


@pytest.mark.parametrize("program", [*LINEAR, *SQUARES])
def test_data(program):
    check(program, TABLE)


@pytest.mark.parametrize("program", OF_COEFFICIENTS)
def test_coefficients(program):
    check(program, P, Q)


@pytest.mark.thorough
@pytest.mark.parametrize("program", [*LINEAR, *SQUARES])
def test_second_order(program):
    zyg.check_grads(lambda x: np.real(program(x) * np.conj(program(x))), TABLE)


def test_designs_are_constants_and_refused_where_they_vary():
    def smooth(x, order):
        b, a = signal.butter(order, 0.3)
        window = signal.get_window("hann", 8)
        return signal.filtfilt(b, a, x) * np.sum(window)

    zyg.check_grads(lambda x: smooth(x, 3), X, order=1)
    with pytest.raises(zyg.NotDifferentiable, match="butter has no rule"):
        zyg.gradient(lambda cut: np.sum(signal.lfilter(*signal.butter(2, cut), X)), 0.3)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: signal.filtfilt(B, A, x, method="gust"), "method='pad'"),
        (lambda x: signal.welch(x, nperseg=8, average="median")[1], "means only"),
        (lambda x: signal.resample(x, 5, window="hann"), "resample has a rule for real data"),
        (lambda x: signal.medfilt(x), "scipy.signal.medfilt has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(lambda x: np.sum(f(x)), X)


WIDTHS = np.array([0.5, 0.9])
TAPS = np.array([0.2, 0.7, 0.9, 0.6, 0.3])


@pytest.mark.parametrize("f", [
    lambda x, d: signal.savgol_filter(x, 5, 2, deriv=1, delta=d),
    lambda x, d: signal.savgol_filter(x, 5, 3, deriv=2, delta=d, mode="nearest"),
    lambda x, d: signal.periodogram(x, fs=d),
    lambda x, d: signal.welch(x, fs=d, nperseg=4, scaling="density"),
    lambda x, d: signal.welch(x, window=TAPS[:4] * d + TAPS[1:] ** 2, nperseg=4)[1],
    lambda x, d: signal.welch(x, window=TAPS[:4] + d, nperseg=4, scaling="spectrum")[1],
    lambda x, d: signal.resample_poly(x, 2, 3, window=TAPS * d + d * d),
    lambda x, d: signal.resample_poly(x, 4, 2, window=list(TAPS * d)),
    lambda x, d: np.abs(signal.freqz(x, TAPS + d, worN=WIDTHS, fs=3.0 + d)[1]),
    lambda x, d: np.abs(signal.freqz(x, worN=WIDTHS * d)[1]),
    lambda x, d: signal.freqz(x, worN=WIDTHS * d, fs=2.0 + d)[0],
    lambda x, d: signal.freqz(x, worN=4, fs=d)[0],
    lambda x, d: ndimage.gaussian_filter(np.reshape(x, (3, 3)), [d, d * d]),
    lambda x, d: stats.zscore(x, ddof=d),
])
def test_settings_have_derivatives(f):
    def total(x, d):
        y = f(x, d)
        parts = [np.ravel(part) for part in (y if isinstance(y, tuple) else (y,))]
        return sum([np.sum(part * np.sin(np.arange(len(part)))) for part in parts])

    zyg.check_grads(total, np.array([0.3, 0.8, 0.1, 0.9, 0.5, 0.4, 0.7, 0.2, 0.6]), 0.7, order=1)


def test_constant_functions_of_zygs_that_call_what_they_serve():
    """They are called as they are: a type that is found through what stands for it never ends."""
    def f(d):
        frequencies = signal.freqz([1.0, 0.5], worN=4, fs=d)[0] * d
        return sum([np.sum(part) for part in (frequencies,)])

    y, back = zyg.pullback(f, 0.7)
    assert y == pytest.approx(f(0.7)) and y > 0
    assert back(1.0)[0] == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6)
