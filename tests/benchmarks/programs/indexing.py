"""Elements of an array read in a loop, for three lengths: the time must grow linearly."""

import numpy as np

from tests.benchmarks.program import Program


def sum_of_squares(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def gradient_by_hand(x):
    x_bar = [0.0] * len(x)
    for i in range(len(x)):
        x_bar[i] += 2.0 * x[i]
    return (np.array(x_bar),)


def written_for_jax(x):
    from jax import lax

    return lax.fori_loop(0, len(x), lambda i, total: total + x[i] * x[i], 0.0)


def of_length(n: int, *without: str) -> Program:
    x = np.random.default_rng(2).normal(size=n)
    return Program(
        f"indexing_{n}",
        sum_of_squares,
        gradient_by_hand,
        (x,),
        {},
        written_for_jax,
        frozenset(without),
    )


# 10⁵ elements would need ten seconds for each call in autograd, and more in PyTorch.
PROGRAMS = (
    of_length(1_000),
    of_length(10_000),
    of_length(100_000, "autograd", "torch"),
)
