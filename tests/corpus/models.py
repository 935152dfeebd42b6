"""Programs as scientists write them: likelihoods, filters, networks, solvers."""

import functools
import math

import numpy as np

from tests.corpus.registry import program

RANDOM = np.random.default_rng(5)
POINTS = RANDOM.normal(size=(6, 2))
TARGETS = RANDOM.normal(size=6)
SERIES = RANDOM.normal(size=12)
MATRIX = RANDOM.normal(size=(3, 3))
OBSERVED = [0, 1, 1, 0, 2]
WEIGHTS = {"W": 0.3 * RANDOM.normal(size=(12, 5)), "b": np.zeros(12)}


@program((0.3, -0.2, np.array([0.5, 0.8])))
def gaussian_process(log_scale, log_noise, lengths):
    d = (POINTS[:, None, :] - POINTS[None, :, :]) / lengths
    K = np.exp(2 * log_scale) * np.exp(-0.5 * np.sum(d**2, axis=-1))
    K[np.diag_indices_from(K)] += np.exp(2 * log_noise)
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, TARGETS))
    return 0.5 * TARGETS @ a + np.log(np.diag(L)).sum()


@program((MATRIX, MATRIX.T))
def hidden_markov(transitions, emissions):
    T = np.exp(transitions - np.logaddexp.reduce(transitions, axis=1, keepdims=True))
    E = np.exp(emissions) / np.exp(emissions).sum(axis=1, keepdims=True)
    alpha = np.full(3, 1 / 3) * E[:, OBSERVED[0]]
    likelihood = 0.0
    for o in OBSERVED[1:]:
        c = alpha.sum()
        likelihood += np.log(c)
        alpha /= c
        alpha = (alpha @ T) * E[:, o]
    return likelihood + np.log(alpha.sum())


@program((np.array([0.5, -0.2]), np.array([0.3]), 0.1))
def moving_average(phi, theta, log_sigma):
    e = np.zeros(len(SERIES))
    for t in range(len(SERIES)):
        mean = 0.0
        for i, p in enumerate(phi, 1):
            if t - i >= 0:
                mean += p * SERIES[t - i]
        for j, q in enumerate(theta, 1):
            if t - j >= 0:
                mean += q * e[t - j]
        e[t] = SERIES[t] - mean
    return 0.5 * np.sum(e**2) / np.exp(2 * log_sigma) + len(SERIES) * log_sigma


@program((np.array([1.0, 2.0, 1.5, 0.7]),))
def finite_elements(stiffness):
    n = len(stiffness) + 1
    K = np.zeros((n, n))
    element = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for i, k in enumerate(stiffness):
        places = [i, i + 1]
        K[np.ix_(places, places)] += k * element
    f = np.zeros(n)
    f[-1] = 1.0
    free = np.arange(1, n)
    u = np.zeros(n)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    return u @ f


@program((np.array([1.0, -0.5, 2.0]), 2.0))
def conjugate_gradients(b, scale):
    A = (MATRIX @ MATRIX.T + 3 * np.eye(3)) * scale
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    square = r @ r
    for _ in range(20):
        Ap = A @ p
        step = square / (p @ Ap)
        x = x + step * p
        r = r - step * Ap
        square, before = r @ r, square
        if math.sqrt(square) < 1e-8:
            break
        p = r + (square / before) * p
    return np.sum(x**3)


@program((WEIGHTS, POINTS[:3]))
def long_short_term_memory(p, xs):
    h = np.zeros(3)
    c = np.zeros(3)
    outs = []
    for x in xs:
        z = p["W"] @ np.concatenate([h, x]) + p["b"]
        i, f, g, o = np.split(z, 4)
        sigmoid = lambda t: 1 / (1 + np.exp(-t))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outs.append(h)
    return np.mean(np.stack(outs) ** 2)


@program((np.array([1.0, -2.0]), 0.1))
def adam(x, rate):
    state = {"m": np.zeros_like(x), "v": np.zeros_like(x), "t": 0}
    for _ in range(5):
        g = 4 * x**3 - np.sin(x)
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + 0.1 * g
        state["v"] = 0.99 * state["v"] + 0.01 * g * g
        m = state["m"] / (1 - 0.9 ** state["t"])
        v = state["v"] / (1 - 0.99 ** state["t"])
        x = x - rate * m / (np.sqrt(v) + 1e-3)
    return np.sum(x**2)


@program((1.3, 0.7))
def adaptive_quadrature(a, b):
    def f(x):
        return math.exp(-a * x * x) * math.sin(b * x)

    def refined(low, high, f_low, f_mid, f_high, whole, depth):
        mid = (low + high) / 2
        f_left, f_right = f((low + mid) / 2), f((mid + high) / 2)
        left = (mid - low) / 6 * (f_low + 4 * f_left + f_mid)
        right = (high - mid) / 6 * (f_mid + 4 * f_right + f_high)
        if depth > 6 or abs(left + right - whole) < 1e-6:
            return left + right
        return refined(low, mid, f_low, f_left, f_mid, left, depth + 1) + refined(
            mid, high, f_mid, f_right, f_high, right, depth + 1
        )

    f_low, f_mid, f_high = f(0.0), f(1.0), f(2.0)
    return refined(0.0, 2.0, f_low, f_mid, f_high, (f_low + 4 * f_mid + f_high) / 3, 0)


@program((np.array([1.0, -0.5, 2.0, 0.3, 0.8]), 0.45))
def basis_splines(coefficients, x):
    knots = [0, 0, 0, 1 / 3, 2 / 3, 1, 1, 1]

    @functools.lru_cache(maxsize=None)
    def basis(i, degree):
        if degree == 0:
            return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
        left = right = 0.0
        if knots[i + degree] != knots[i]:
            left = (x - knots[i]) / (knots[i + degree] - knots[i]) * basis(i, degree - 1)
        if knots[i + degree + 1] != knots[i + 1]:
            right = (
                (knots[i + degree + 1] - x) / (knots[i + degree + 1] - knots[i + 1])
                * basis(i + 1, degree - 1)
            )
        return left + right

    return sum(coefficients[i] * basis(i, 2) for i in range(5))


@program(([0.3, 1.2, 0.7, 2.0, 0.1],))
def soft_game(weights):
    memo = {}

    def best(i, j):
        if i > j:
            return 0.0
        if (i, j) not in memo:
            left, right = weights[i] - best(i + 1, j), weights[j] - best(i, j - 1)
            memo[i, j] = -0.3 * math.log(math.exp(-left / 0.3) + math.exp(-right / 0.3))
        return memo[i, j]

    return best(0, len(weights) - 1)


@program((1.2, np.array([0.1, 0.2, 0.3])))
def tree_likelihood(rate, lengths):
    tree = (("A", 0.1), (("B", 0.2), ("C", 0.3)))
    states = {"A": 0, "B": 1, "C": 1}
    more = iter(lengths)

    def transition(t):
        e = np.exp(-4 / 3 * rate * t)
        return np.full((4, 4), 0.25 - 0.25 * e) + np.eye(4) * e

    def likelihood(node):
        a, b = node
        if isinstance(a, str):
            v = np.zeros(4)
            v[states[a]] = 1.0
            return transition(b + next(more)) @ v
        return likelihood(a) * likelihood(b)

    return np.log(0.25 * np.sum(likelihood(tree)))


def gated(params, hidden, cell, x):
    joined = np.concatenate((hidden, x))
    gates = {name: params["W" + name] @ joined + params[f"b{name}"] for name in "ifog"}
    i, f, o = (1 / (1 + np.exp(-gates[name])) for name in "ifo")
    cell = f * cell + i * np.tanh(gates["g"])
    return o * np.tanh(cell), cell


_of_gates = np.random.default_rng(11)
GATES = {
    **{"W" + name: 0.5 * _of_gates.normal(size=(2, 5)) for name in "ifog"},
    **{"b" + name: np.full(2, 0.1) for name in "ifog"},
    "out": _of_gates.normal(size=(3, 2)),
}


@program((GATES,))
def letters_by_gates_of_computed_names(params):
    text = "abcab"
    numbers = {letter: k for k, letter in enumerate(sorted(set(text)))}
    hidden, cell, loss = np.zeros(2), np.zeros(2), 0.0
    for letter, following in zip(text, text[1:], strict=False):
        x = np.zeros(len(numbers))
        x[numbers[letter]] = 1
        hidden, cell = gated(params, hidden, cell, x)
        scores = params["out"] @ hidden
        scores -= scores.max()
        loss -= scores[numbers[following]] - np.log(np.sum(np.exp(scores)))
    return loss + 0.01 * sum((value**2).sum() for value in params.values())


@program((np.array([1.1, 0.9, -1.2, -0.7, 0.2]), 0.5))
def mixture_by_expectation_and_maximisation(data, mean):
    theta = {"share": np.array([0.5, 0.5]), "mean": np.array([mean, -mean]), "var": np.ones(2)}
    likelihoods = []
    for _ in range(3):
        away = data[:, None] - theta["mean"]
        logs = np.log(theta["share"]) - 0.5 * away**2 / theta["var"] - 0.5 * np.log(theta["var"])
        norm = np.logaddexp.reduce(logs, axis=1, keepdims=True)
        weights = np.exp(logs - norm)
        likelihoods.append(norm.sum())
        total = weights.sum(0)
        theta.update(share=total / len(data), mean=(weights * data[:, None]).sum(0) / total)
        theta.update({"var": (weights * away**2).sum(0) / total + 1e-3})
    return likelihoods[-1] + np.sum(theta["mean"] ** 2)


@program((1.1, 0.8), (0.4, 2.0))
def steps_of_their_own_size(a, b):
    def slope(y):
        return np.array([a * y[0] - b * y[0] * y[1], -y[1] + 0.5 * y[0] * y[1]])

    t, y, h = 0.0, np.array([1.0, 0.5]), 0.3
    times, states, rejected = [t], [y], 0
    while t < 1.0:
        h = min(h, 1.0 - t)
        first = slope(y)
        middle = slope(y + h / 2 * first)
        error = np.linalg.norm(h * (middle - first)) / 0.01
        if error <= 1.0:
            t += h
            y = y + h * middle
            times.append(t)
            states.append(y)
        else:
            rejected += 1
        h = h * min(2.0, max(0.2, 0.9 * float(error) ** (-1 / 3))) if error > 0 else 2 * h
    return np.sum(np.array(states)[:, 0] * np.array(times)) + rejected


@program((1.2,), (0.7,))
def matrices_of_fractional_powers(x):
    rows = [[x**0.3 * i, 1.0] for i in range(2)]
    m = np.array(rows) + np.array([[x**1.5, 0.5], [0.2, 2.0]])
    return np.linalg.det(m) + np.linalg.norm(np.array([x**0.5, 2.0, 0.0]))
