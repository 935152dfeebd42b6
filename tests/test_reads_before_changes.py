"""Arrays that are read, changed in place, and whose former contents still count; arrays that are
joined by functions, in lists that nobody keeps; and what draws select.

These write in place, which tapes and the search for sparse patterns don't follow.
"""

import copy

import numpy as np
import pytest

import zyg
from tests import differences

CASES = []


def program(*inputs):
    def register(f):
        CASES.extend((f, args) for args in inputs)
        return f

    return register

X = np.array([0.5, -0.3, 1.2, 2.0])


def double_all(a):
    for i in range(len(a)):
        a[i] = np.sin(a[i]) * 2.0


class Holder:
    def __init__(self, items):
        self.items = items

    def double_all(self):
        for i in range(len(self.items)):
            self.items[i] = 2 * self.items[i] + 0.3


@program((X,))
def multiple_of_what_a_call_changes(x):
    u = x * 1.0
    double_all(x)
    u *= 0.5 * np.cumsum(x)
    return np.sum(np.sin(u))


@program((X,))
def multiple_of_what_a_loop_changes(x):
    u = 3.0 * x
    for i in range(2):
        x[i] = x[i + 1] * 2
    return np.sum(np.sin(u * (0.5 * np.cumsum(x))))


@program((X,))
def negative_of_what_a_call_changes(x):
    u = -x
    double_all(x)
    return np.sum(np.sin(u * np.cumsum(x) + u @ x - u / (1.0 + x * x)))


@program((X,))
def multiple_of_what_a_method_changes(x):
    holder = Holder(x * 2)
    u = holder.items * 1.0
    holder.double_all()
    return np.sum(np.sin(u * (0.5 * np.cumsum(holder.items))))


@program((X,))
def multiples_in_a_loop(x):
    y = x.copy()
    for _ in range(3):
        u = y * 2.0
        for i in range(4):
            y[i] = y[i - 1] * 0.5 + u[i]
        y -= 0.1 * (u * (3.0 * np.cumsum(y)))
    return np.sum(y)


@program((X, 0.1))
def joined_and_changed_in_a_loop(x, rate):
    u = x * 1.0
    for _ in range(3):
        u += rate * np.concatenate([u[1:], u[:1]])
        u *= np.sum(np.stack([u, x], axis=1)[:, 0] ** 2) ** -0.5
    return u @ x


@program((X,))
def joined_views_of_what_is_changed(x):
    w = x[::-1]
    t = np.concatenate([x[2:], w[:2]])
    w *= t
    x += np.array([x, t])[0] + np.vstack([w, t])[1]
    return x @ x


@program((X,), (-X,))
def filled_in_a_branch(x):
    u = x * 1.0
    if u[0] > 0.3:
        x.fill(3.0)
    return np.sum(np.cumsum(u) * x)


@program((X,), (-X,))
def summed_in_a_branch(x):
    u = x * 2.0
    if u[0] > 0.3:
        np.cumsum(x, out=x)
    x += 0.3 * np.take(u, [3, 3, 0, 1])
    return np.sum(np.sin(x))


@program((0.8, 0.3))
def resampled_particles(a, s):
    rng = np.random.default_rng(0)
    n = 20
    x = rng.normal(size=n)
    likelihood = 0.0
    for t in range(4):
        x = a * x + s * rng.normal(size=n)
        w = np.exp(-0.5 * (0.3 * t - x) ** 2)
        likelihood += np.log(np.mean(w))
        w /= np.sum(w)
        x = x[rng.choice(n, size=n, p=w)] if t % 2 else rng.choice(x, n, True, w)
        x[0] *= 0.9
    return likelihood


@program((X,))
def by_draws(x):
    rng = np.random.default_rng(0)
    y = x[rng.integers(4, size=6)]
    y *= 2.0
    z = x[rng.permutation(4)]
    z[0] += y[0]
    w = rng.permutation(np.outer(x, x))
    w /= z
    return np.sum(y**2) + np.sum(w[0]) * z[1]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_both_modes(f, args):
    differences.check_gradient(f, copy.deepcopy(args), zyg.pullback)
    random = np.random.default_rng(0)
    direction = [random.uniform(-1.0, 1.0, np.shape(x)) for x in args]
    step = 1e-6
    ahead, behind = (
        f(*(x + sign * step * d for x, d in zip(copy.deepcopy(args), direction, strict=True)))
        for sign in (1, -1)
    )
    _, slope = zyg.jvp(f, copy.deepcopy(args), tuple(direction))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-5, atol=1e-6)
