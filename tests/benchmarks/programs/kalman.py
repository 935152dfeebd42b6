"""The log-likelihood of a local-level model by a Kalman filter, in two log-variances."""

import math

import numpy as np

from tests.benchmarks.program import Program

LOG_TWO_PI = math.log(2.0 * math.pi)


def kalman(log_noise, log_drift, observations):
    noise = math.exp(log_noise)
    drift = math.exp(log_drift)
    level = 0.0
    p = 1e6
    loglik = 0.0
    for y in observations:
        v = y - level
        f = p + noise
        k = p / f
        loglik -= 0.5 * (LOG_TWO_PI + math.log(f) + v * v / f)
        level = level + k * v
        p = p * (1.0 - k) + drift
    return loglik


def gradient_by_hand(log_noise, log_drift, observations):
    """The logarithm is not needed, but stays: it raises for f <= 0, as in the primal."""
    noise = math.exp(log_noise)
    drift = math.exp(log_drift)
    level = 0.0
    p = 1e6
    records = []
    log = math.log
    for y in observations:
        v = y - level
        f = p + noise
        k = p / f
        log(f)
        records.append((v, f, k, p))
        level = level + k * v
        p = p * (1.0 - k) + drift
    level_bar = p_bar = noise_bar = drift_bar = 0.0
    for v, f, k, p in reversed(records):
        drift_bar += p_bar
        scaled = v / f
        quotient_bar = (level_bar * v - p_bar * p) / f
        f_bar = 0.5 * (scaled * scaled - 1.0 / f) - quotient_bar * k
        p_bar = p_bar * (1.0 - k) + quotient_bar + f_bar
        noise_bar += f_bar
        level_bar -= k * level_bar - scaled
    return noise_bar * noise, drift_bar * drift


def written_for_jax(log_noise, log_drift, observations):
    import jax.numpy as jnp
    from jax import lax

    noise = jnp.exp(log_noise)
    drift = jnp.exp(log_drift)

    def step(carried, y):
        level, p, loglik = carried
        v = y - level
        f = p + noise
        k = p / f
        loglik -= 0.5 * (LOG_TWO_PI + jnp.log(f) + v * v / f)
        return (level + k * v, p * (1.0 - k) + drift, loglik), None

    (_, _, loglik), _ = lax.scan(step, (0.0, 1e6, 0.0), observations)
    return loglik


def example() -> Program:
    random = np.random.default_rng(5)
    observations = np.cumsum(random.normal(size=100)) + random.normal(size=100)
    data = {"observations": observations}
    return Program("kalman", kalman, gradient_by_hand, (0.1, -0.2), data, written_for_jax)


PROGRAM = example()
