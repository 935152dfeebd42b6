"""Adjoints that take changes of arrays back: the same gradients, in memory that grows less."""

import gc
import pickle
import tracemalloc

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from tests.random_stores import SIZE, random_function
from zyg.compiler.overwriting import undo
from zyg.compiler.overwriting.replica import overwritten_at, restored, restored_part
from zyg.errors import ZygError

RANDOM = np.random.default_rng(3)
SQUARE = RANDOM.uniform(-1.0, 1.0, (5, 5))
POSITIVE = SQUARE @ SQUARE.T + 5 * np.eye(5)
VECTOR = RANDOM.uniform(0.5, 1.5, 5)


def cholesky(a):
    n = len(a)
    factor = np.zeros((n, n))
    for j in range(n):
        factor[j, j] = np.sqrt(a[j, j] - factor[j, :j] @ factor[j, :j])
        for i in range(j + 1, n):
            factor[i, j] = (a[i, j] - factor[i, :j] @ factor[j, :j]) / factor[j, j]
    return np.sum(np.sin(factor))


def cholesky_in_place(a):
    n = len(a)
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j] - a[j, :j] @ a[j, :j])
        for i in range(j + 1, n):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
    return np.sum(np.tril(a))


def factors_by_dots(a):
    a = a.copy()
    for i in range(len(a)):
        row = a[i]
        for j in range(1, len(a)):
            k = min(i, j)
            row[j] = row[j] - row[:k] @ a[:k, j]
            if j < i:
                row[j] /= a[j, j]
    return np.sum(a * a)


def orthogonalised(a):
    q = np.zeros(a.shape)
    for j in range(a.shape[1]):
        v = a[:, j] - q[:, :j] @ (q[:, :j].T @ a[:, j])
        q[:, j] = v / np.sqrt(v @ v)
    return np.sum(np.sin(q))


def forward_substitution(a):
    x = np.zeros(len(a))
    for i in range(len(a)):
        x[i] = (1.0 - a[i, :i] @ x[:i]) / a[i, i]
    return x @ x


def until_small(a):
    """Two loops around a read, one of which stops early, and a branch that stores twice."""
    steps = 0
    while steps < 10:
        for i in range(len(a)):
            if a[i] @ a[i] < 20.0:
                continue
            a[i, i] = np.sin(a[i] @ a[:, i])
            if i % 2:
                a[i, 0] += np.sum(a[:i, 1:] ** 2)
            else:
                a[:, i] *= 0.5
        steps += 4
    return np.sum(a * a)


def transposed_view(a):
    a *= 0.1
    b = np.transpose(a)
    for i in range(len(b)):
        column = b[i]
        column[0] = np.sin(b[0] @ column)
        column[1:] *= column[0]
        b[i, -1] += np.sin(np.sum(a[:i] @ a[:, :i]))
    return np.sum(np.cos(a))


def in_each_iteration(a):
    """The array with a log is made in a loop; what it reads besides is changed there too."""
    total = 0.0
    for k in range(3):
        w = np.zeros(len(a))
        for i in range(len(a)):
            w[i] = np.sin(w[:i] @ a[i, :i] + a[i, k])
        a[k] = w
        total += w @ w
    return total


def masks_and_repeated_indices(a):
    a *= 0.2
    for i in range(len(a)):
        a[i][a[i] > 1.0] = np.sin(a[i] @ a[:, i])
        a[i, [0, 2, 0]] = np.sin(a[i, :3] * a[0, 1])
        np.add.at(a[0], [0, 0, i], a[i, :3])
        for j in range(i):
            a[i, j] = np.tanh(np.sum(a[:j] @ a[:, :i]))
            np.multiply(a[i], 0.5, out=a[i])
    return np.sum(a * a)


LOGGED = [
    cholesky, cholesky_in_place, orthogonalised, forward_substitution, in_each_iteration,
    until_small,
]
PROGRAMS = [*LOGGED, factors_by_dots, masks_and_repeated_indices, transposed_view]


@pytest.fixture(params=["decided", "always"])
def mode(request, monkeypatch):
    """All that can be logged is, or what is decided to be."""
    monkeypatch.setattr(undo, "always", request.param == "always")
    zyg.cache_clear()
    yield request.param
    zyg.cache_clear()


def _takes_back(function, *args):
    return ", old" in str(zyg.code_adjoint(function, *args)) or "= old" in str(
        zyg.code_adjoint(function, *args)
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient(program, mode):
    check_gradient(lambda a: program(a.copy()), (POSITIVE,), zyg.pullback)


@pytest.mark.parametrize("program", LOGGED)
def test_has_a_log(program):
    assert _takes_back(program, POSITIVE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_arrays_of_the_caller(program, mode):
    """They are what a plain call leaves in them, and changing them later does no harm."""
    plain = POSITIVE.copy()
    program(plain)
    given = POSITIVE.copy()
    (expected,) = zyg.gradient(program, given)
    assert np.array_equal(given, plain)
    given = POSITIVE.copy()
    _, back = zyg.pullback(program, given)
    assert np.array_equal(given, plain)
    (first,) = back(1.0)
    assert np.array_equal(given, plain)
    given[...] = np.nan
    (second,) = back(1.0)
    (third,) = pickle.loads(pickle.dumps(back))(1.0)
    for found in (first, second, third):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_and_with_a_log(program, monkeypatch):
    found = []
    for numbers in ("none", "all"):
        monkeypatch.setattr(undo, "always", numbers == "all")
        if numbers == "none":
            monkeypatch.setattr(undo, "decide", lambda *args: None)
        zyg.cache_clear()
        found += zyg.gradient(program, POSITIVE.copy())
        monkeypatch.undo()
    zyg.cache_clear()
    np.testing.assert_allclose(*found, rtol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(40))
def test_random_stores(seed, mode):
    function = random_function(seed)
    random = np.random.default_rng(seed)
    args = random.uniform(-1.0, 1.0, SIZE), random.uniform(-1.0, 1.0, (SIZE, SIZE)), 0.3
    steps = [random.uniform(-1.0, 1.0, np.shape(arg)) for arg in args]

    def moved(t):
        return [arg + t * step for arg, step in zip(args, steps, strict=True)]

    given = moved(0.0)
    given[2] = args[2]
    try:
        gradients = zyg.gradient(function, *given)
    except ZygError:
        return  # the pass that follows memory refuses some of them
    plain = moved(0.0)
    function(*plain)
    assert all(map(np.array_equal, given[:2], plain[:2]))
    _, back = zyg.pullback(function, *moved(0.0)[:2], args[2])
    for again in (back(1.0), back(1.0)):
        for a, b in zip(again, gradients, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
    by_steps = [
        (8 * (function(*moved(h)) - function(*moved(-h)))
         - function(*moved(2 * h)) + function(*moved(-2 * h))) / (12 * h)
        for h in (1e-3, 5e-4)
    ]
    if abs(by_steps[0] - by_steps[1]) < 1e-6 * (1 + abs(by_steps[1])):  # no branch in between
        slope = sum(np.sum(g * step) for g, step in zip(gradients, steps, strict=True))
        assert slope == pytest.approx(by_steps[1], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("program", [cholesky, forward_substitution, factors_by_dots])
def test_second_derivative(program, mode):
    def steepness(a):
        (gradient,) = zyg.gradient(program, a.copy())
        return np.sum(gradient * gradient)

    check_gradient(steepness, (POSITIVE,), zyg.pullback)


RESTORED = [
    (restored, (VECTOR, slice(1, 3), np.array([2.0, 5.0]))),
    (restored, (VECTOR, ..., VECTOR * 2.0)),
    (restored, (VECTOR, 1, 2.0)),
]


@pytest.mark.parametrize(("change", "args"), RESTORED)
def test_rule(change, args):
    check_gradient(lambda items, *rest: change(items.copy(), *rest), args, zyg.pullback)


def test_rules_that_share_memory():
    check_gradient(lambda a: overwritten_at(a, slice(1, 3)), (VECTOR,), zyg.pullback)
    y, back = zyg.pullback(lambda a: restored_part(a * 1.0, slice(1, 3), a[1:3] * 3.0), VECTOR)
    assert np.array_equal(y, VECTOR)
    assert back(np.ones(5))[0].tolist() == [1.0, 3.0, 3.0, 1.0, 1.0]


# Memory


def _peak(function, *args):
    zyg.gradient(function, *args)
    gc.collect()
    tracemalloc.start()
    zyg.gradient(function, *args)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _matrix(n):
    a = RANDOM.uniform(-1.0, 1.0, (n, n))
    return a @ a.T + n * np.eye(n)


@pytest.mark.thorough
@pytest.mark.parametrize("program", [cholesky, cholesky_in_place, orthogonalised])
def test_memory_grows_with_the_array(program):
    """Copies of what the inner products read would be of order 3: eight times."""
    assert _peak(program, _matrix(64)) < 5.5 * _peak(program, _matrix(32))


def recurrence(a):
    y = np.zeros(len(a))
    for t in range(1, len(a)):
        y[t] = np.tanh(a[t] + y[:t] @ a[:t])
    return y @ y


@pytest.mark.thorough
def test_memory_of_a_recurrence():
    peaks = [_peak(recurrence, np.full(n, 0.01)) for n in (500, 1000)]
    assert peaks[1] < 2.5 * peaks[0]  # of order 2, it would be four times


def burgers(u):
    u = u.copy()
    for _ in range(40):
        u[1:-1] = u[1:-1] - 0.01 * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def heat(u):
    u = u.copy()
    for _ in range(40):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


@pytest.mark.thorough
def test_memory_of_stencils():
    """A linear one keeps nothing per step, another one what it multiplies."""
    u = RANDOM.uniform(-1.0, 1.0, 5000)
    assert _peak(heat, u) < 8 * u.nbytes
    assert _peak(burgers, u) < (2 * 40 + 8) * u.nbytes
