"""The log-likelihood of a mixture of five Gaussians at 1000 points, by log-sum-exp."""

import numpy as np

from tests.benchmarks.program import Program


def mixture(logits, means, log_scales, points):
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    z = (points[:, None] - means) / np.exp(log_scales)
    logs = log_weights - log_scales - 0.5 * z**2
    top = np.amax(logs, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(logs - top[:, None]), axis=1)))


def gradient_by_hand(logits, means, log_scales, points):
    """Keeps the adjoint of `amax`, ties split evenly.

    It cancels in exact arithmetic, which a person sees and a compiler can't: without it the
    gradient costs three quarters.
    """
    sum_of = np.add.reduce
    weights = np.exp(logits)
    weight = sum_of(weights)
    scales = np.exp(log_scales)
    z = points[:, None] - means
    z /= scales
    logs = z**2
    logs *= 0.5
    np.subtract(logits - np.log(weight) - log_scales, logs, out=logs)
    top = np.maximum.reduce(logs, axis=1, keepdims=True)
    hit = logs == top
    logs -= top
    np.exp(logs, out=logs)
    logs /= sum_of(logs, axis=1, keepdims=True)
    logs_bar = logs
    top_bar = sum_of(logs_bar, axis=1, keepdims=True)
    np.subtract(1.0, top_bar, out=top_bar)
    top_bar /= sum_of(hit, axis=1, keepdims=True)
    logs_bar += hit * top_bar
    log_weights_bar = sum_of(logs_bar, 0)
    logs_bar *= z
    logs_bar /= scales
    means_bar = sum_of(logs_bar, 0)
    z *= logs_bar
    log_scales_bar = sum_of(z, 0)
    log_scales_bar *= scales
    log_scales_bar -= log_weights_bar
    weights *= sum_of(log_weights_bar) / weight
    return log_weights_bar - weights, means_bar, log_scales_bar


def example() -> Program:
    random = np.random.default_rng(6)
    parameters = (
        random.normal(size=5),
        3.0 * random.normal(size=5),
        0.3 * random.normal(size=5),
    )
    data = {"points": 3.0 * random.normal(size=1000)}
    return Program("mixture", mixture, gradient_by_hand, parameters, data)


PROGRAM = example()
