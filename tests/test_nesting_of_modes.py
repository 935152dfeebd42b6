"""Second derivatives by all four orders of the two modes, of what is found at run time as well."""

import itertools
import math

import numpy as np
import pytest

import zyg

X = np.array([[0.9, 0.4, 0.3], [0.2, 1.4, 0.5], [0.1, 0.7, 2.1]])
DIRECTION = np.cos(np.arange(9.0)).reshape(3, 3)


def singular_values(x):
    return np.sum(np.linalg.svd(x)[1] ** 3)


def unpacked_eigenvalues(x):
    values, vectors = np.linalg.eigh(x @ x.T)
    return np.sum(values**3) + np.sum(vectors[0] ** 2 * values)


def array_of_items(x):
    return np.sum(np.array([item * x[0, 0] for item in x[1]]) ** 3)


def outer_method(x):
    return np.sum(np.subtract.outer(x[0], x[1]) ** 3)


def along_an_axis(x):
    return np.sum(np.apply_along_axis(lambda row: np.sum(row) * row[0], 1, x) ** 2)


def projected_on_the_first_vector(x):
    _, _, vectors = np.linalg.svd(x, full_matrices=False)
    return np.sum((x @ vectors[:1].T) ** 2 * x[0, 1])


def share_of_one(x):
    weights = np.exp(x @ x[0])
    return np.log((weights / np.sum(weights, keepdims=True))[1])


def rows_stored(x):
    a = np.zeros((3, 3))
    for i in range(3):
        a[i] = x[i] * x[0, 0] * i
    return np.sum(a * a)


def scalar_loop(x):
    total = 0.0
    for item in x[0] * x[1]:
        total = 0.5 * total + np.sin(item) * x[0, 0]
    return total


def enumerated(x):
    total = 1.0
    for i, item in enumerate(x[1]):
        total = total * item + i * x[0, i]
    return total


def zipped(x):
    total = 1.0
    for (i, a), b in zip(enumerate(x[0], 1), reversed(x[2]), strict=True):
        total = total * a + i * b * b
    return total


def pairs(x):
    return sum([a * b for a, b in itertools.pairwise(x[0])]) * sum(
        [a * b * b for a, b in itertools.combinations(x[1], 2)]
    )


def columns(x):
    return np.sum(np.c_[x[0] ** 2, x * x] ** 2)


def eigenvalues_stored(x):
    values, _vectors = np.linalg.eigh(x)
    a = np.zeros((3, 3))
    for i in range(3):
        a[i] = np.concatenate([values[:2], x[0, 2:]])
    return np.sum(a)


def transposed(x):
    rows = [[item * x[0, 0] for item in row] for row in x]
    return max(*[sum(column) for column in zip(*rows, strict=True)]) * math.dist(*rows[:2]) * (
        np.hypot(*rows[2][:2])
    )


def given(f, *args):
    """What differentiates along a tuple that stands elsewhere."""
    return zyg.jvp(f, args, (DIRECTION,))[1]


FORWARD = lambda f: lambda x: given(f, x)
REVERSE = lambda f: lambda x: np.sum(zyg.gradient(f, x)[0] * DIRECTION)
INNER = {"forward": FORWARD, "reverse": REVERSE}


@pytest.mark.parametrize("outer", INNER)
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("f", [
    singular_values, unpacked_eigenvalues, array_of_items, outer_method, along_an_axis,
    rows_stored, eigenvalues_stored, scalar_loop, enumerated, zipped, pairs, columns,
    projected_on_the_first_vector, share_of_one, transposed,
], ids=lambda f: f.__name__)  # fmt: skip
def test_second_derivative(f, inner, outer):
    if f is transposed and inner == "forward":
        with pytest.raises(zyg.NotDifferentiable, match="works on objects"):
            INNER[outer](INNER[inner](f))(X)
        return
    if f is pairs and (inner, outer) == ("forward", "forward"):
        with pytest.raises(zyg.NotDifferentiable, match="isn't known to forward mode"):
            INNER[outer](INNER[inner](f))(X)
        return
    step = 1e-5
    slope = REVERSE(f)
    expected = (slope(X + step * DIRECTION) - slope(X - step * DIRECTION)) / (2 * step)
    assert INNER[outer](INNER[inner](f))(X) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_third_derivative_of_what_is_found_at_run_time():
    def f(x):
        return np.sum(np.linalg.eigvalsh(x @ x.T) ** 2) + scalar_loop(x)

    step = 1e-4
    second = REVERSE(REVERSE(f))
    expected = (second(X + step * DIRECTION) - second(X - step * DIRECTION)) / (2 * step)
    assert REVERSE(REVERSE(REVERSE(f)))(X) == pytest.approx(expected, rel=1e-5)
