"""Stencils and factorisations that overwrite their arrays.

The adjoints by hand save what they read and go backwards over the stores: the cotangent of a place
goes to what was stored there, and is cleared.
"""

import math

import numpy as np

from tests.benchmarks.program import Program

_random = np.random.default_rng(7)
SQUARE = _random.uniform(-1.0, 1.0, (24, 24))
DOMINANT = SQUARE @ SQUARE.T + 24 * np.eye(24)


def jacobi(u):
    old = u.copy()
    new = u.copy()
    for _ in range(50):
        new[1:-1, 1:-1] = 0.25 * (
            old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
        )
        old, new = new, old
    return np.sum(old * old)


def jacobi_by_hand(u):
    old = u.copy()
    new = u.copy()
    for _ in range(50):
        new[1:-1, 1:-1] = 0.25 * (
            old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
        )
        old, new = new, old
    old_bar = 2.0 * old
    new_bar = np.zeros_like(u)
    for _ in range(50):
        old_bar, new_bar = new_bar, old_bar
        quarter = 0.25 * new_bar[1:-1, 1:-1]
        new_bar[1:-1, 1:-1] = 0.0
        old_bar[:-2, 1:-1] += quarter
        old_bar[2:, 1:-1] += quarter
        old_bar[1:-1, :-2] += quarter
        old_bar[1:-1, 2:] += quarter
    return (old_bar + new_bar,)


def gauss_seidel(u, f):
    u = u.copy()
    for _ in range(10):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i] * u[i])
    return np.sum(u * u)


def gauss_seidel_by_hand(u, f):
    u = u.copy()
    before = []
    for _ in range(10):
        for i in range(1, len(u) - 1):
            before.append(u[i])
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i] * before[-1])
    u_bar = 2.0 * u
    f_bar = [0.0] * len(f)
    last = len(before)
    for _ in range(10):
        for i in range(len(u) - 2, 0, -1):
            last -= 1
            half = 0.5 * u_bar[i]
            u_bar[i - 1] += half
            u_bar[i + 1] += half
            u_bar[i] = -half * f[i]
            f_bar[i] -= half * before[last]
    return u_bar, np.array(f_bar)


def cholesky(a):
    n = len(a)
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - factor[i, :j] @ factor[j, :j]
            factor[i, j] = math.sqrt(s) if i == j else s / factor[j, j]
    return np.sum(factor)


def cholesky_by_hand(a):
    n = len(a)
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - factor[i, :j] @ factor[j, :j]
            factor[i, j] = math.sqrt(s) if i == j else s / factor[j, j]
    a_bar = np.zeros((n, n))
    bar = np.ones((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                s_bar = bar[i, i] / (2.0 * factor[i, i])
            else:
                s_bar = bar[i, j] / factor[j, j]
                bar[j, j] -= s_bar * factor[i, j]
            a_bar[i, j] = s_bar
            bar[i, :j] -= s_bar * factor[j, :j]
            bar[j, :j] -= s_bar * factor[i, :j]
    return (a_bar,)


def lu(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.sum(np.log(np.diag(a)))


def lu_by_hand(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    bar = np.diag(1.0 / np.diag(a))
    for k in range(n - 2, -1, -1):
        rest = bar[k + 1 :, k + 1 :]
        column, row = a[k + 1 :, k], a[k, k + 1 :]
        column_bar = bar[k + 1 :, k] - rest @ row
        bar[k, k + 1 :] -= column @ rest
        bar[k, k] -= column_bar @ column / a[k, k]
        bar[k + 1 :, k] = column_bar / a[k, k]
    return (bar,)


def tridiagonal(lower, main, upper, b):
    d, x = main.copy(), b.copy()
    for i in range(1, len(d)):
        w = lower[i - 1] / d[i - 1]
        d[i] -= w * upper[i - 1]
        x[i] -= w * x[i - 1]
    x[-1] /= d[-1]
    for i in range(len(d) - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / d[i]
    return np.sum(x * x)


def tridiagonal_by_hand(lower, main, upper, b):
    d, x = main.copy(), b.copy()
    n = len(d)
    ws = []
    for i in range(1, n):
        w = lower[i - 1] / d[i - 1]
        ws.append(w)
        d[i] -= w * upper[i - 1]
        x[i] -= w * x[i - 1]
    y = x.copy()
    x[-1] /= d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / d[i]
    x_bar = (2.0 * x).tolist()
    d_bar, lower_bar, upper_bar = [0.0] * n, [0.0] * (n - 1), [0.0] * (n - 1)
    for i in range(n - 1):
        t = x_bar[i] / d[i]
        d_bar[i] -= t * x[i]
        upper_bar[i] -= t * x[i + 1]
        x_bar[i + 1] -= t * upper[i]
        x_bar[i] = t
    t = x_bar[-1] / d[-1]
    d_bar[-1] -= t * x[-1]
    x_bar[-1] = t
    for i in range(n - 1, 0, -1):
        w = ws[i - 1]
        w_bar = -(x_bar[i] * y[i - 1] + d_bar[i] * upper[i - 1])
        x_bar[i - 1] -= w * x_bar[i]
        upper_bar[i - 1] -= w * d_bar[i]
        t = w_bar / d[i - 1]
        lower_bar[i - 1] = t
        d_bar[i - 1] -= t * w
    return np.array(lower_bar), np.array(d_bar), np.array(upper_bar), np.array(x_bar)


# JAX's arrays can't be stored into, autograd's and PyTorch's versions of them differ.
PEERS = frozenset({"autograd", "jax", "torch"})
PROGRAMS = (
    Program(
        "jacobi", jacobi, jacobi_by_hand, (_random.uniform(0.0, 1.0, (64, 64)),), without=PEERS
    ),
    Program(
        "gauss_seidel", gauss_seidel, gauss_seidel_by_hand,
        (_random.uniform(0.0, 1.0, 100), _random.uniform(0.0, 0.1, 100)), without=PEERS,
    ),
    Program("cholesky", cholesky, cholesky_by_hand, (DOMINANT,), without=PEERS),
    Program("lu", lu, lu_by_hand, (DOMINANT,), without=PEERS),
    Program(
        "tridiagonal", tridiagonal, tridiagonal_by_hand,
        (
            _random.uniform(0.1, 0.4, 499), _random.uniform(2.0, 3.0, 500),
            _random.uniform(0.1, 0.4, 499), _random.uniform(-1.0, 1.0, 500),
        ),
        without=PEERS,
    ),
)
