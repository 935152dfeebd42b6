"""A recurrent network: 50 steps, batch 16, 16 inputs, 64 hidden units."""

import numpy as np

from tests.benchmarks.program import Program


def rnn(w_in, w_hidden, b, inputs, targets):
    hidden = np.zeros(targets.shape)
    for x in inputs:
        hidden = np.tanh(x @ w_in + hidden @ w_hidden + b)
    return np.mean((hidden - targets) ** 2)


def gradient_by_hand(w_in, w_hidden, b, inputs, targets):
    """Every temporary that nobody else sees is updated in place."""
    hidden = np.zeros(targets.shape)
    records = []
    for x in inputs:
        following = x @ w_in
        following += hidden @ w_hidden
        following += b
        np.tanh(following, out=following)
        records.append((x, hidden, following))
        hidden = following
    hidden_bar = hidden - targets
    hidden_bar *= 2.0 / hidden_bar.size
    w_in_bar = np.zeros(w_in.shape)
    w_hidden_bar = np.zeros(w_hidden.shape)
    b_bar = np.zeros(b.shape)
    w_hidden_transposed = w_hidden.T
    sum_of = np.add.reduce
    subtract = np.subtract
    for x, hidden, following in reversed(records):
        sum_bar = following * following
        subtract(1.0, sum_bar, out=sum_bar)
        sum_bar *= hidden_bar
        b_bar += sum_of(sum_bar, 0)
        w_in_bar += x.T @ sum_bar
        w_hidden_bar += hidden.T @ sum_bar
        hidden_bar = sum_bar @ w_hidden_transposed
    return w_in_bar, w_hidden_bar, b_bar


def written_for_jax(w_in, w_hidden, b, inputs, targets):
    import jax.numpy as jnp
    from jax import lax

    def step(hidden, x):
        return jnp.tanh(x @ w_in + hidden @ w_hidden + b), None

    hidden, _ = lax.scan(step, jnp.zeros(targets.shape), inputs)
    return jnp.mean((hidden - targets) ** 2)


def example() -> Program:
    random = np.random.default_rng(4)
    weights = (
        random.normal(size=(16, 64)) / 4.0,
        random.normal(size=(64, 64)) / 8.0,
        random.normal(size=64) / 10.0,
    )
    data = {"inputs": random.normal(size=(50, 16, 16)), "targets": random.normal(size=(16, 64))}
    return Program("rnn", rnn, gradient_by_hand, weights, data, written_for_jax)


PROGRAM = example()
