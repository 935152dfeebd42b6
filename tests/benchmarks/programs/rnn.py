"""A recurrent network: 50 steps, batch 16, 16 inputs, 64 hidden units.

`rnn` knows its last state only, `rnn_states` keeps all of them in a list.
"""

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


def rnn_states(w_in, w_hidden, b, inputs, targets):
    states = [np.zeros(targets.shape)]
    for x in inputs:
        states.append(np.tanh(x @ w_in + states[-1] @ w_hidden + b))
    loss = 0.0
    for hidden in states[1:]:
        loss += np.mean((hidden - targets) ** 2)
    return loss


def states_by_hand(w_in, w_hidden, b, inputs, targets):
    states = [np.zeros(targets.shape)]
    for x in inputs:
        following = x @ w_in
        following += states[-1] @ w_hidden
        following += b
        states.append(np.tanh(following, out=following))
    w_in_bar = np.zeros(w_in.shape)
    w_hidden_bar = np.zeros(w_hidden.shape)
    b_bar = np.zeros(b.shape)
    w_hidden_transposed = w_hidden.T
    hidden_bar = np.zeros(targets.shape)
    for i in range(len(inputs) - 1, -1, -1):
        difference = states[i + 1] - targets
        difference *= 2.0 / targets.size
        hidden_bar += difference
        sum_bar = states[i + 1] * states[i + 1]
        np.subtract(1.0, sum_bar, out=sum_bar)
        sum_bar *= hidden_bar
        b_bar += np.add.reduce(sum_bar, 0)
        w_in_bar += inputs[i].T @ sum_bar
        w_hidden_bar += states[i].T @ sum_bar
        hidden_bar = sum_bar @ w_hidden_transposed
    return w_in_bar, w_hidden_bar, b_bar


def states_for_jax(w_in, w_hidden, b, inputs, targets):
    import jax.numpy as jnp
    from jax import lax

    def step(hidden, x):
        following = jnp.tanh(x @ w_in + hidden @ w_hidden + b)
        return following, jnp.mean((following - targets) ** 2)

    _, losses = lax.scan(step, jnp.zeros(targets.shape), inputs)
    return jnp.sum(losses)


def written_for_jax(w_in, w_hidden, b, inputs, targets):
    import jax.numpy as jnp
    from jax import lax

    def step(hidden, x):
        return jnp.tanh(x @ w_in + hidden @ w_hidden + b), None

    hidden, _ = lax.scan(step, jnp.zeros(targets.shape), inputs)
    return jnp.mean((hidden - targets) ** 2)


def examples() -> tuple[Program, ...]:
    random = np.random.default_rng(4)
    weights = (
        random.normal(size=(16, 64)) / 4.0,
        random.normal(size=(64, 64)) / 8.0,
        random.normal(size=64) / 10.0,
    )
    data = {"inputs": random.normal(size=(50, 16, 16)), "targets": random.normal(size=(16, 64))}
    return (
        Program("rnn", rnn, gradient_by_hand, weights, data, written_for_jax),
        Program("rnn_states", rnn_states, states_by_hand, weights, data, states_for_jax),
    )


PROGRAMS = examples()
