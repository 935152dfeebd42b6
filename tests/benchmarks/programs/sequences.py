"""Sequences as they are written down: an LSTM with its gates in one product, and time warping.

`lstm` joins its input with its state and splits one product into four gates; each has its sigmoid
in the primal, and the adjoint by hand keeps these operations. `time_warping` fills a table by the
least of three neighbours, scalar by scalar.
"""

import numpy as np

from tests.benchmarks.program import Program

PEERS = frozenset({"autograd", "jax", "torch"})


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm(w, b, inputs):
    hidden, cell = np.zeros(32), np.zeros(32)
    for x in inputs:
        z = w @ np.concatenate([x, hidden]) + b
        i, f, g, o = np.split(z, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
    return hidden @ hidden


def lstm_by_hand(w, b, inputs):
    hidden, cell = np.zeros(32), np.zeros(32)
    records = []
    for x in inputs:
        joined = np.concatenate((x, hidden))
        z = w @ joined
        z += b
        i, f, g, o = sigmoid(z[:32]), sigmoid(z[32:64]), np.tanh(z[64:96]), sigmoid(z[96:])
        before = cell
        cell = f * before
        cell += i * g
        tanh_cell = np.tanh(cell)
        hidden = o * tanh_cell
        records.append((joined, i, f, g, o, before, tanh_cell))
    hidden_bar = 2.0 * hidden
    cell_bar = np.zeros(32)
    w_bar, b_bar = np.zeros(w.shape), np.zeros(b.shape)
    input_bars = []
    transposed, count = w.T, inputs.shape[1]
    for joined, i, f, g, o, before, tanh_cell in reversed(records):
        cell_bar = cell_bar + hidden_bar * o * (1.0 - tanh_cell * tanh_cell)
        z_bar = np.concatenate((
            cell_bar * g * i * (1.0 - i), cell_bar * before * f * (1.0 - f),
            cell_bar * i * (1.0 - g * g), hidden_bar * tanh_cell * o * (1.0 - o),
        ))
        b_bar += z_bar
        w_bar += z_bar[:, None] * joined
        joined_bar = transposed @ z_bar
        input_bars.append(joined_bar[:count])
        hidden_bar = joined_bar[count:]
        cell_bar *= f
    input_bars.reverse()
    return w_bar, b_bar, np.array(input_bars)


def time_warping(a, b):
    n, m = len(a), len(b)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            least = min(table[i, j + 1], table[i + 1, j], table[i, j])
            table[i + 1, j + 1] = (a[i] - b[j]) ** 2 + least
    return table[n, m]


def warping_by_hand(a, b):
    """In lists of numbers; equal neighbours, which share the cotangent, don't occur."""
    a, b = a.tolist(), b.tolist()
    n, m = len(a), len(b)
    above = [0.0] + [np.inf] * m
    records = []
    for x in a:
        row, left, corner = [np.inf], np.inf, above[0]
        taken = []
        for y, up in zip(b, above[1:], strict=True):
            least = min(up, left, corner)
            taken.append(0 if least == up else 1 if least == left else 2)
            left = (x - y) ** 2 + least
            row.append(left)
            corner = up
        records.append(taken)
        above = row
    a_bar, b_bar = [0.0] * n, [0.0] * m
    row_bar = [0.0] * m + [1.0]
    for i in range(n - 1, -1, -1):
        above_bar = [0.0] * (m + 1)
        taken, x = records[i], a[i]
        for j in range(m - 1, -1, -1):
            bar = row_bar[j + 1]
            difference_bar = 2.0 * bar * (x - b[j])
            a_bar[i] += difference_bar
            b_bar[j] -= difference_bar
            which = taken[j]
            if which == 0:
                above_bar[j + 1] += bar
            elif which == 1:
                row_bar[j] += bar
            else:
                above_bar[j] += bar
        row_bar = above_bar
    return np.array(a_bar), np.array(b_bar)


_random = np.random.default_rng(17)
_w = 0.2 * _random.normal(size=(128, 40))
PROGRAMS = (
    Program(
        "lstm", lstm, lstm_by_hand,
        (_w, _random.normal(size=128), _random.normal(size=(50, 8))), without=PEERS,
    ),
    Program(
        "time_warping", time_warping, warping_by_hand,
        (_random.normal(size=30), _random.normal(size=25)), without=PEERS,
    ),
)
