"""Rosenbrock's function in 100 dimensions, by a loop over the elements of an array."""

import numpy as np

from tests.benchmarks.program import Program


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def gradient_by_hand(x):
    """Each iteration is reversed right after its forward part: nothing later depends on it.

    A list is the faster accumulator for single elements; the elements read stay NumPy scalars.
    """
    x_bar = [0.0] * len(x)
    for i in range(len(x) - 1):
        here = x[i]
        valley_bar = 200.0 * (x[i + 1] - here**2)
        x_bar[i + 1] += valley_bar
        x_bar[i] -= 2.0 * (1.0 - here) + valley_bar * 2.0 * here
    return (np.array(x_bar),)


def written_for_jax(x):
    from jax import lax

    def step(i, total):
        return total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2

    return lax.fori_loop(0, len(x) - 1, step, 0.0)


PROGRAM = Program(
    "rosenbrock",
    rosenbrock,
    gradient_by_hand,
    (np.random.default_rng(1).uniform(-1.5, 1.5, 100),),
    {},
    written_for_jax,
)
