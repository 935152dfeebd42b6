"""Arrays that NumPy's functions made, changed in place: what is known of their types is enough."""

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.signal

import zyg
from tests.scalar_checks import check_twice

X = 0.7


def magnet(beta):
    rng = np.random.default_rng(1)
    spins, energy = rng.choice([-1, 1], size=(3, 3)).astype(float), 0.0
    for i in range(3):
        for j in range(3):
            field = spins[(i + 1) % 3, j] + spins[i - 1, j] + spins[i, j - 1]
            up = 1 / (1 + np.exp(-2 * beta * field))
            energy += up * spins[i, j]
            spins[i, j] = 1.0 if rng.random() < up else -1.0
    return energy


def attention(x):
    queries = np.arange(6.0).reshape(3, 2) * x
    scores = queries @ (queries + 1).T
    scores = np.where(np.tri(3) > 0, scores, -np.inf)
    scores -= scores.max(-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(-1, keepdims=True)
    return np.sum(weights @ np.tanh(queries))


def kernel(x):
    points = np.array([x, 2.0, 3.0])
    values = np.exp(-(np.subtract.outer(points, points) ** 2))
    values += 0.1 * np.eye(3)
    values[0, 1] *= x
    return np.linalg.det(values)


def appended(x):
    values = np.append(np.ones(2) * x, x * x)
    values[0] *= x
    values = np.append(values, [1.0, x])
    values += 1
    return values @ values


def chosen(x):
    rng = np.random.default_rng(2)
    table = rng.choice([0.5, 1.5, 2.5], size=4) * x
    table[1:] *= table[:-1]
    return np.sum(table) * rng.choice(np.array([1.0, 2.0]))


def masked(x):
    flags = [True, False, True]
    values = np.where(flags, np.arange(3.0) * x, x * x)
    values[1] -= x
    return np.sum(values**2)


def copied_where(x):
    values, others = np.zeros(4), np.linspace(0.1, 1.0, 4) * x
    np.copyto(values, others, where=others > 0.3)
    np.copyto(values, x * x, where=values == 0)
    return np.sum(values**2)


def with_more_dimensions(x):
    values = np.array(np.arange(3.0) * x, copy=True, ndmin=2)
    values[0, 1] *= x
    return np.sum(values @ values.T)


def summarised(x):
    samples = np.array([x, 2.0, x * x, 0.3])
    low, high = np.percentile(samples, [10, 90])
    clipped = samples.clip(min=low)
    clipped -= high
    covariance = np.cov(np.stack([samples, clipped**3]), rowvar=False)
    covariance += np.eye(4)
    moments = np.einsum("...i,...i->...", covariance, covariance)
    moments[0] *= x
    return np.linalg.det(covariance) + np.sum(moments)


def fitted(x):
    times = np.linspace(0.0, 1.0, 5)
    coefficients = np.polyfit(times, np.sin(times * x), 2)
    coefficients[0] *= x
    solution = np.linalg.lstsq(np.vander(times, 3), np.exp(x * times), rcond=None)[0]
    solution -= coefficients
    places, weights = np.polynomial.legendre.leggauss(3)
    places *= x
    return np.sum(np.polyval(solution, places) * weights)


def filtered(x):
    signal = scipy.signal.lfilter([1.0, x], [1.0, 0.5], np.arange(4.0) * x)
    signal[0] -= x
    smooth = scipy.signal.convolve(signal, np.array([0.5, x, 0.5]), mode="same")
    smooth *= signal
    spectrum = scipy.fft.rfft(smooth)
    spectrum[0] = 0
    frequencies = np.fft.rfftfreq(4)
    frequencies[0] = 1.0
    return np.sum(np.abs(spectrum) ** 2 * frequencies)


def factored(x):
    matrix = scipy.linalg.toeplitz(np.array([3.0, x, x * x]))
    matrix += np.eye(3)
    values = scipy.linalg.eigh(matrix)[0]
    values[0] *= x
    r = scipy.linalg.qr(matrix)[1]
    r -= np.eye(3)
    solution = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix), np.ones(3))
    solution[0] -= x
    joined = np.block([[matrix, r], [r.T, matrix]])
    joined[0, 1] *= x
    return np.sum(values**2) + np.sum(r @ solution) + np.sum(joined**2)


PROGRAMS = [
    copied_where, with_more_dimensions, magnet, attention, kernel, appended, chosen, masked,
    summarised, fitted, filtered, factored,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    check_twice(f, X)


@pytest.mark.parametrize("f", [magnet, attention, kernel, appended])
def test_nothing_is_asked_at_run_time(f):
    assert "resolved at run time" not in str(zyg.explain(f, X))
