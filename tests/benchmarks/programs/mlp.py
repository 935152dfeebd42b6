"""A network of two layers with tanh and the mean squared error, in a small and a large size."""

import numpy as np

from tests.benchmarks.program import Program


def mlp(w1, b1, w2, b2, inputs, targets):
    hidden = np.tanh(inputs @ w1 + b1)
    outputs = hidden @ w2 + b2
    return np.mean((outputs - targets) ** 2)


def gradient_by_hand(w1, b1, w2, b2, inputs, targets):
    """Every temporary that nobody else sees is updated in place."""
    hidden = inputs @ w1
    hidden += b1
    np.tanh(hidden, out=hidden)
    outputs_bar = hidden @ w2
    outputs_bar += b2
    outputs_bar -= targets
    outputs_bar *= 2.0 / outputs_bar.size
    hidden_bar = outputs_bar @ w2.T
    slope = hidden * hidden
    np.subtract(1.0, slope, out=slope)
    hidden_bar *= slope
    return (
        inputs.T @ hidden_bar,
        np.add.reduce(hidden_bar, 0),
        hidden.T @ outputs_bar,
        np.add.reduce(outputs_bar, 0),
    )


def of_size(name: str, batch: int, width: int) -> Program:
    random = np.random.default_rng(3)
    weights = (
        random.normal(size=(width, width)) / width**0.5,
        random.normal(size=width),
        random.normal(size=(width, 10)) / width**0.5,
        random.normal(size=10),
    )
    data = {
        "inputs": random.normal(size=(batch, width)),
        "targets": random.normal(size=(batch, 10)),
    }
    return Program(name, mlp, gradient_by_hand, weights, data)


PROGRAMS = (of_size("mlp_small", 32, 32), of_size("mlp_large", 256, 256))
