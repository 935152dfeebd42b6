"""Rules of `scipy.signal`: filters of data, spectra and changes of rate, as Python code.

    sosfilt(sos, x)             lfilter by one section after the other
    savgol_filter(x, 5, 2)      a correlation, and polynomials at the ends

Filters are linear in the data. What is designed of settings is a constant. Source: the
documentation of `scipy.signal`; of initial states J. Proakis and D. Manolakis, "Digital Signal
Processing" (1996).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import fft, ndimage, signal

from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, stand_in, substitute
from zyg.rules.scipy_signal import lagged


@stand_in(signal.lfilter)
def lfilter_from(b, a, x, axis=-1, zi=None):
    if zi is None:
        return signal.lfilter(b, a, x, axis)
    x, state = np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(zi), axis, -1)
    state = np.broadcast_to(state, np.shape(x)[:-1] + np.shape(state)[-1:])
    y = filtered_from(b, a, x, state)
    return np.moveaxis(y, -1, axis), np.moveaxis(state_behind(b, a, x, y, state), -1, axis)


def state_behind(b, a, x, y, state):
    """The state in which a filter of the transposed direct form II stops: what the last samples of
    input and output, and what is left of the first state, add to samples to come."""
    count, length = np.shape(state)[-1], np.shape(x)[-1]
    b, a = of_size(b, count + 1, a), of_size(a, count + 1, a)
    places = np.minimum(np.arange(count)[:, None] + np.arange(1, count + 1), count + 1)
    of_input, of_output = np.pad(b, (0, 1))[places], np.pad(a, (0, 1))[places]
    recent = last_samples(x, count) @ of_input - last_samples(y, count) @ of_output
    widths = [(0, 0) for _ in np.shape(x)[1:]] + [(0, min(length, count))]
    return recent + np.pad(state[..., length:], widths)


def of_size(taps, count, a):
    taps = np.atleast_1d(taps) / np.atleast_1d(a)[0]
    return np.pad(taps, (0, count - len(taps)))


def last_samples(x, count):
    """The last samples, the latest one first, and zeros where there are fewer."""
    widths = [(0, 0) for _ in np.shape(x)[1:]] + [(max(count - np.shape(x)[-1], 0), 0)]
    return np.flip(np.pad(x, widths), -1)[..., :count]


@substitute(signal.sosfilt)
def sosfilt(sos, x, axis=-1, zi=None):
    if zi is None:
        for section in sos:
            x = signal.lfilter(section[:3], section[3:], x, axis)
        return x
    states = []
    for section, state in zip(sos, zi, strict=True):
        x, last = lfilter_from(section[:3], section[3:], x, axis, state)
        states.append(last)
    return x, np.stack(states)


@substitute(signal.sosfilt_zi)
def sosfilt_zi(sos):
    states, level = [], 1.0
    for section in sos:
        b, a = section[:3], section[3:]
        states.append(level * lfilter_zi(b, a))
        level = level * (np.sum(b) / np.sum(a))
    return np.stack(states)


@substitute(signal.lfilter_zi)
def lfilter_zi(b, a):
    b, a = np.atleast_1d(b) / np.atleast_1d(a)[0], np.atleast_1d(a) / np.atleast_1d(a)[0]
    count = max(len(b), len(a))
    b, a = np.pad(b, (0, count - len(b))), np.pad(a, (0, count - len(a)))
    column = np.eye(count - 1)[:1]
    matrix = np.eye(count - 1) - np.eye(count - 1, k=1) + a[1:, None] * column
    return np.linalg.solve(matrix, b[1:] - a[1:] * b[0])


def filtered_from(b, a, x, state):
    """The output along the last axis of a filter that starts in a state: as of so much more input
    behind `b`."""
    missing = np.shape(x)[-1] - np.shape(state)[-1]
    widths = [(0, 0) for _ in np.shape(x)[1:]] + [(0, max(missing, 0))]
    more = np.pad(state, widths)[..., : np.shape(x)[-1]]
    return signal.lfilter(b, a, x) + signal.lfilter(np.atleast_1d(a)[:1], a, more)


@substitute(signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    if method != "pad":
        raise NotDifferentiable("scipy.signal.filtfilt has a rule for method='pad' only")
    taps = max(np.size(a), np.size(b))
    x = np.moveaxis(np.asarray(x), axis, -1)
    edge = width_of_padding(padtype, padlen, 3 * taps, np.shape(x)[-1])
    state = lfilter_zi(b, a)
    y = continued(x, edge, padtype)
    for _ in range(2):
        y = np.flip(filtered_from(b, a, y, state * y[..., :1]), -1)
    return np.moveaxis(y[..., edge : np.shape(y)[-1] - edge], -1, axis)


@substitute(signal.sosfiltfilt)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    x = np.moveaxis(np.asarray(x), axis, -1)
    edge = width_of_padding(padtype, padlen, 3 * taps_of_sections(sos), np.shape(x)[-1])
    y = continued(x, edge, padtype)
    for _ in range(2):
        level = y[..., :1]
        for section in sos:
            b, a = section[:3], section[3:]
            y = filtered_from(b, a, y, lfilter_zi(b, a) * level)
            level = level * (np.sum(b) / np.sum(a))
        y = np.flip(y, -1)
    return np.moveaxis(y[..., edge : np.shape(y)[-1] - edge], -1, axis)


def taps_of_sections(sos):
    sections = np.asarray(sos)
    unused = min(np.sum(sections[:, 2] == 0), np.sum(sections[:, 5] == 0))
    return 2 * len(sections) + 1 - int(unused)


def width_of_padding(padtype, padlen, default, length):
    edge = 0 if padtype is None else default if padlen is None else padlen
    if length <= edge:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {edge}."
        )
    return edge


def continued(x, edge, padtype):
    """The data with `edge` more samples at either end."""
    if edge == 0:
        return x
    if padtype == "constant":
        before, behind = np.repeat(x[..., :1], edge, -1), np.repeat(x[..., -1:], edge, -1)
    else:
        before, behind = x[..., edge:0:-1], x[..., -2 : -edge - 2 : -1]
        if padtype == "odd":
            before, behind = 2 * x[..., :1] - before, 2 * x[..., -1:] - behind
    return np.concatenate([before, x, behind], -1)


constant(taps_of_sections, width_of_padding)


@substitute(signal.savgol_filter)
def savgol_filter(
    x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0
):
    weights = smoothing_weights(window_length, polyorder, deriv) / delta**deriv
    x = np.asarray(x)
    x = np.moveaxis(x.astype(np.result_type(x, np.float32)), axis, 0)
    if mode != "interp":
        y = ndimage.convolve1d(x, weights, 0, mode=mode, cval=cval)
        return np.moveaxis(y, 0, axis)
    half = window_length // 2
    inner = ndimage.convolve1d(x, weights, 0, mode="constant")[half : len(x) - half]
    matrix = (end_matrix(window_length, polyorder, deriv, half) / delta**deriv).astype(x.dtype)
    sign = -1 if deriv % 2 else 1
    start = np.tensordot(matrix, x[:window_length], 1)
    end = sign * np.tensordot(matrix, x[: len(x) - window_length - 1 : -1], 1)[::-1]
    return np.moveaxis(np.concatenate([start, inner, end]), 0, axis)


def smoothing_weights(window_length, polyorder, deriv):
    return signal.savgol_coeffs(window_length, polyorder, deriv)


def end_matrix(window_length, polyorder, deriv, half):
    """What gives the values, or derivatives, of the polynomial that fits a window in its first
    half, for samples at whole numbers."""
    fit = np.linalg.pinv(np.vander(np.arange(window_length), polyorder + 1))
    each = [
        np.polyval(np.polyder(column, deriv), np.arange(half)) if deriv <= polyorder
        else np.zeros(half)
        for column in fit.T
    ]
    return np.stack(each, 1)


constant(smoothing_weights, end_matrix)


@substitute(signal.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    data = np.moveaxis(np.asarray(data), axis, -1)
    if type in ("constant", "c"):
        return np.moveaxis(data - np.mean(data, -1, keepdims=True), -1, axis)
    breaks = breakpoints(bp, np.shape(data)[-1])
    pieces = [
        without_line(data[..., start:end])
        for start, end in itertools.pairwise(breaks)
    ]
    return np.moveaxis(np.concatenate(pieces, -1), -1, axis)


def breakpoints(bp, length):
    return [int(place) for place in np.unique([0, *np.atleast_1d(bp), length])]


def without_line(x):
    count = np.shape(x)[-1]
    t = np.arange(count) - 0.5 * (count - 1)
    apart = x - np.mean(x, -1, keepdims=True)
    return apart - t * (np.sum(t * apart, -1, keepdims=True) / max(np.sum(t * t), 1e-300))


constant(breakpoints)


@substitute(signal.hilbert)
def hilbert(x, N=None, axis=-1):
    count = np.shape(x)[axis] if N is None else N
    x = np.moveaxis(np.asarray(x), axis, -1)
    doubled = doubled_frequencies(count).astype(np.result_type(x, np.float32))
    return np.moveaxis(fft.ifft(fft.fft(x, count) * doubled), -1, axis)


def doubled_frequencies(count):
    places = np.arange(count)
    return np.where((places == 0) | (2 * places == count), 1.0, np.where(2 * places < count, 2, 0))


@substitute(signal.resample)
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    if t is not None or window is not None or domain != "time" or np.iscomplexobj(x):
        raise NotDifferentiable("scipy.signal.resample has a rule for real data without options")
    x = np.moveaxis(np.asarray(x), axis, -1)
    count = np.shape(x)[-1]
    least = min(num, count)
    parts = fft.rfft(x)[..., : least // 2 + 1]
    if least % 2 == 0 and num != count:
        # The frequency that has no partner stands for two, or gets one.
        factor = 2.0 if num < count else 0.5
        parts = np.concatenate([parts[..., :-1], factor * parts[..., -1:]], -1)
    y = fft.irfft(parts, num) * (num / count)
    return np.moveaxis(y, -1, axis)


# Changes of rate


@adjoint(signal.upfirdn)
def upfirdn(h, x, up=1, down=1, axis=-1):
    y = signal.upfirdn(h, x, up, down, axis)
    return y, lambda y_bar: (
        unbroadcast(filter_bar(y_bar, x, np.size(h), up, down, axis), h),
        unbroadcast(rates_back(h, y_bar, up, down, axis, np.shape(x)), x),
        None,
        None,
    )


def filter_bar(y_bar, x, count, up, down, axis):
    """For each tap the sum of a cotangent times the data so much earlier, at the common rate."""
    bar, data = spaced(np.moveaxis(y_bar, axis, -1), down), spaced(np.moveaxis(x, axis, -1), up)
    missing = np.shape(bar)[-1] - np.shape(data)[-1]
    widths = [(0, 0) for _ in np.shape(data)[1:]] + [(0, max(missing, 0))]
    return lagged(bar, np.pad(data, widths)[..., : np.shape(bar)[-1]], count, -1)


def spaced(x, rate):
    """The data with zeros behind each number."""
    widths = [(0, 0) for _ in np.shape(x)] + [(0, rate - 1)]
    return np.reshape(np.pad(x[..., None], widths), (*np.shape(x)[:-1], -1))


def rates_back(h, y_bar, up, down, axis, shape):
    """The transpose of `upfirdn`: the same with rates exchanged, and the filter reversed."""
    length = np.size(h)
    shift = -(length - 1) % up
    start = (length - 1 + shift) // up
    reversed_filter = np.concatenate([np.zeros(shift), np.conj(np.asarray(h))[::-1]])
    bar = np.moveaxis(signal.upfirdn(reversed_filter, y_bar, down, up, axis), axis, 0)
    bar = bar[start : start + shape[axis]]
    widths = [(0, shape[axis] - len(bar))] + [(0, 0) for _ in np.shape(bar)[1:]]
    return np.moveaxis(np.pad(bar, widths), 0, axis)


@substitute(signal.resample_poly)
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    if padtype != "constant" or cval:
        raise NotDifferentiable("scipy.signal.resample_poly has a rule for padding by zeros only")
    x = np.asarray(x)
    factor = math.gcd(up, down)
    up, down = up // factor, down // factor
    if up == down:
        return 1.0 * x
    count = -(-np.shape(x)[axis] * up // down)
    is_given = isinstance(window, (list, np.ndarray))
    h = np.asarray(window) if is_given else rate_filter(window, up, down)
    half = (len(h) - 1) // 2
    # With zeros, so that a whole number of samples is to be left out before.
    before = down - half % down
    start = (half + before) // down
    behind = (count + start - 1) * down + 1 - (np.shape(x)[axis] - 1) * up - len(h) - before
    h = np.pad(h * up, (before, max(behind, 0)))
    y = np.moveaxis(signal.upfirdn(h.astype(x.dtype), x, up, down, axis), axis, 0)
    return np.moveaxis(y[start : start + count], 0, axis)


def rate_filter(window, up, down):
    """The filter that SciPy designs where a window is given by its name."""
    rate = max(up, down)
    return signal.firwin(20 * rate + 1, 1 / rate, window=window)


# Spectra


@substitute(signal.periodogram)
def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1,
):
    count = np.shape(x)[axis] if nfft is None else min(nfft, np.shape(x)[axis])
    x = np.moveaxis(np.moveaxis(np.asarray(x), axis, 0)[:count], 0, axis)
    return welch(x, fs, window, count, 0, nfft, detrend, return_onesided, scaling, axis)


@substitute(signal.welch)
def welch(
    x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
    return_onesided=True, scaling="density", axis=-1, average="mean",
):
    refuse_spectrum(x, detrend, return_onesided, scaling, average)
    x = np.moveaxis(np.asarray(x), axis, -1)
    width = min(256 if nperseg is None else nperseg, np.shape(x)[-1])
    step = width - (width // 2 if noverlap is None else noverlap)
    size = width if nfft is None else nfft
    frames = np.lib.stride_tricks.sliding_window_view(x, width, -1)[..., ::step, :]
    if detrend == "constant":
        frames = frames - np.mean(frames, -1, keepdims=True)
    elif detrend == "linear":
        frames = without_line(frames)
    weights = weights_of_window(window, width, fs, scaling)
    parts = fft.rfft(frames * weights.astype(x.dtype), size)
    powers = np.real(parts) ** 2 + np.imag(parts) ** 2
    powers = powers * partners(size).astype(powers.dtype)
    frequencies = np.fft.rfftfreq(size, 1 / fs)
    return frequencies, np.moveaxis(np.mean(powers, -2), -1, axis)


def refuse_spectrum(x, detrend, return_onesided, scaling, average):
    if np.iscomplexobj(x) or not return_onesided or average != "mean" or (
        detrend not in ("constant", "linear", False)
    ):
        raise NotDifferentiable(
            "scipy.signal.welch and periodogram have rules for real data, one-sided spectra and "
            "means only"
        )


def weights_of_window(window, width, fs, scaling):
    """The window, scaled so that squares give the spectrum."""
    is_named = isinstance(window, (str, tuple))
    given = window_of_name(window, width) if is_named else np.asarray(window)
    total = fs * np.sum(given**2) if scaling == "density" else np.sum(given) ** 2
    return given / np.sqrt(total)


def window_of_name(window, width):
    return signal.get_window(window, width)


def partners(size):
    """How many frequencies each one of a one-sided spectrum stands for."""
    places = np.arange(size // 2 + 1)
    return np.where((places == 0) | (2 * places == size), 1.0, 2.0)


@substitute(signal.freqz)
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * np.pi, include_nyquist=False):
    if np.ndim(worN) > 0:
        angles = 2 * np.pi * np.atleast_1d(worN) / fs
    else:
        angles = places_of_response(worN, whole, include_nyquist)
    turned = np.exp(-1j * angles)
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    response = np.polyval(b[::-1], turned) / np.polyval(a[::-1], turned)
    return angles * (fs / (2 * np.pi)), response


def places_of_response(worN, whole, include_nyquist):
    """As many angles as are asked for."""
    return signal.freqz(1.0, 1, worN, whole, include_nyquist=include_nyquist)[0]


constant(
    doubled_frequencies, rate_filter, refuse_spectrum, window_of_name, partners,
    places_of_response,
)
