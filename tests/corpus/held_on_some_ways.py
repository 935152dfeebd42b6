"""Memory that objects hold on some ways only, and that is changed by its name."""

import numpy as np

from tests.corpus.registry import program

X = np.array([0.5, 0.7])


class Snapshot:
    def __init__(self, values):
        self.values = np.asarray(values, dtype=float)

    def __getitem__(self, key):
        return self.values[key]

    def energy(self):
        return self.values @ self.values


class Shifted:
    def __init__(self, kernel, by):
        self.kernel = kernel
        self.by = by

    def __call__(self, x):
        return self.kernel(x - self.by)


class Either(Shifted):
    def __call__(self, x):
        return self.kernel(x) * self.by(x)


@program((X,))
def steps_in_place_between_snapshots(x):
    state, total = x.copy(), 0.0
    for _ in range(3):
        state += 0.1 * state**2
        last = Snapshot(state)
        total += last.energy()
    return total + last[0]


@program((X,), (-X,))
def held_in_one_arm(x):
    state = x.copy()
    kept = Snapshot(state) if x[0] > 0 else Snapshot(x)
    state += 0.1 * state
    return kept.energy() + state[0] * x[1]


@program((0.5,))
def list_that_each_object_holds(x):
    values, total = [x, 2 * x], 0.0
    for _ in range(3):
        values.append(values[-1] ** 2)
        last = Snapshot(values)
        total += last[-1] * last[0]
    return total


@program((X, 0.3))
def array_of_an_operator_that_is_found(x, theta):
    kernel = Either(Shifted(np.exp, theta), Either(np.sin, Shifted(np.cos, 2 * theta)))
    values = kernel(x)
    values[np.array([0])] += theta**2
    return np.sum(values**2)


def summed_without_axis(a, axis=None):
    sums = np.log(np.sum(np.exp(a), axis=axis, keepdims=True))
    return sums.squeeze() if axis is None else np.squeeze(sums, axis=axis)


class Chain:
    def __init__(self, start, steps):
        self.start = start - summed_without_axis(start)
        self.steps = steps - summed_without_axis(steps, axis=1)[:, None]

    def forward(self, seen):
        levels = np.empty((len(seen), len(self.start)))
        levels[0] = self.start + seen[0]
        for t in range(1, len(seen)):
            before = levels[t - 1][:, None] + self.steps
            levels[t] = summed_without_axis(before, axis=0) - seen[t] ** 2
        return levels


@program((X, np.array([[0.2, 0.5], [0.1, -0.3]]), np.array([[0.3, 0.1], [0.4, -0.2], [0.6, 0.5]])))
def levels_of_a_chain(start, steps, seen):
    return summed_without_axis(Chain(start, steps).forward(seen)[-1])
