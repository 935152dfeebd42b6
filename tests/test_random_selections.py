"""Random nests of `np.where` whose conditions and arms are numbers, rows and columns.

What is selected of an operand that is broadcast is a sum of selected numbers: masks go along the
arms, are narrowed where those are broadcast, and meet behind what two arms read.
"""

import linecache
from random import Random

import numpy as np
import pytest

import zyg

ROW = np.array([0.65, 1.15, 1.75])
CONDITIONS = (
    "x > 0.4", "y > 0.8", "ROW > 1.5", "np.sum(ROW) > x", "x < 5", "(x > 0.4) & (y < 3)",
    "np.less(ROW, y)",
)
FUNCTIONS = (
    "np.sin({})", "np.exp(0.3 * ({}))", "({}) ** 2", "np.sqrt(4.0 + ({}) ** 2)",
    "np.arctan({}) * x", "1.0 / (2.0 + ({}) ** 2)",
)
POINTS = {
    "numbers": (0.3, 0.9),
    "numbers of NumPy": (np.float64(1.3), np.float64(0.7)),
    "a number and a column": (0.3, np.array([[1.3], [0.6]])),
    "a row and a number": (np.array([0.3, 0.7, 1.2]), 0.9),
    "a table and a row": (np.array([[0.3, 0.7, 1.2], [1.1, 0.2, 0.5]]), np.array([0.9, 0.7, 1.2])),
}


def expression(random, depth):
    if depth == 0:
        return random.choice(["x", "y", "ROW", "2.0", "x * y", "ROW * x"])
    parts = [expression(random, depth - 1) for _ in range(2)]
    kind = random.random()
    if kind < 0.45:
        return f"np.where({random.choice(CONDITIONS)}, {parts[0]}, {parts[1]})"
    if kind < 0.7:
        return random.choice(FUNCTIONS).replace("{}", parts[0])
    return f"({parts[0]} {random.choice('+-*')} {parts[1]})"


def program(seed):
    random = Random(seed)
    text = f"def f(x, y):\n    return np.sum({expression(random, random.choice([2, 3, 4]))})\n"
    file, names = f"<selection {seed}>", {"np": np, "ROW": ROW}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("point", POINTS)
def test_derivatives_of_random_selections(seed, point):
    zyg.check_grads(program(seed), *POINTS[point], order=2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("point", POINTS)
def test_forward_mode_agrees(seed, point):
    f, given = program(seed), POINTS[point]
    random = np.random.default_rng(seed)
    directions = tuple(random.normal(size=np.shape(x))[()] for x in given)

    def along(vectors):
        return sum(np.sum(v * d) for v, d in zip(vectors, directions, strict=True))

    slope = zyg.jvp(f, given, directions)[1]
    np.testing.assert_allclose(slope, along(zyg.gradient(f, *given)), rtol=1e-10, atol=1e-12)
    forward = zyg.jvp(lambda x, y: zyg.gradient(f, x, y), given, directions)[1]
    reverse = zyg.gradient(lambda x, y: along(zyg.gradient(f, x, y)), *given)
    for a, b in zip(forward, reverse, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12, 1000))
def test_derivatives_of_more_random_selections(seed):
    for given in POINTS.values():
        zyg.check_grads(program(seed), *given, order=2)
