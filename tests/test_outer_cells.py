"""Variables of functions that were made before the program, which the program changes."""

import functools

import numpy as np
import pytest

import zyg

X = 1.3


def memoised(f):
    memo = {}

    @functools.wraps(f)
    def wrapper(*args):
        if args not in memo:
            memo[args] = f(*args)
        return memo[args]

    wrapper.forget = memo.clear
    return wrapper


@memoised
def fibonacci(n):
    return 1.0 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@memoised
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@memoised
def cube(x):
    return x**3


def logger():
    log = []

    def logged(x):
        log.append(x * x)
        return log[-1] * len(log)

    def total():
        return sum(log)

    return logged, total, log


logged, total, LOG = logger()


def counter():
    count, last = 0, None

    def step(x):
        nonlocal count, last
        count += 1
        last = x * x if last is None else last * x
        return last * count

    def reset():
        nonlocal count, last
        count, last = 0, None

    return step, reset


step, reset = counter()


def buffered():
    buffer = np.zeros(3)

    def shifted(x):
        buffer[1:] = buffer[:-1]
        buffer[0] = x
        return buffer @ buffer

    return shifted, buffer


shifted, BUFFER = buffered()


def forget():
    cube.forget()
    LOG.clear()
    reset()
    BUFFER[:] = 0.0


def by_constants(x):
    return fibonacci(6) * x + sum(binomial(4, k) * x**k for k in range(5))


def by_numbers(x):
    return cube(x) * cube(2 * x) + cube(x)


def logs(x):
    return logged(x) + logged(2 * x) * total()


def counts(x):
    return step(x) * step(2 * x) + step(x)


def shifts(x):
    return shifted(x) + shifted(x * x) * shifted(3.0)


PROGRAMS = [by_constants, by_numbers, logs, counts, shifts]


@pytest.fixture(autouse=True)
def forgotten():
    forget()
    yield
    forget()


def fresh(f, *args):
    forget()
    return f(*args)


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    y, (slope,) = fresh(zyg.withgradient, f, X)
    assert y == fresh(f, X)
    h = 1e-5
    assert np.isclose(slope, (fresh(f, X + h) - fresh(f, X - h)) / (2 * h), rtol=1e-6)
    assert np.isclose(fresh(zyg.jvp, f, (X,), (1.0,))[1], slope)


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_left(f):
    fresh(f, X)
    left = list(LOG), BUFFER.copy(), step(1.0)
    fresh(zyg.gradient, f, X)
    found = list(LOG), BUFFER.copy(), step(1.0)
    assert found[0] == left[0] and np.array_equal(found[1], left[1]) and found[2] == left[2]


def test_what_was_stored_before_is_read():
    step(2.0)
    assert zyg.gradient(step_of, 3.0) == (8.0,)
    assert zyg.gradient(step_of, 3.0) == (3 * 12.0,)


def step_of(x):
    return step(x)


def test_found_from_before():
    by_numbers(X)
    with pytest.raises(zyg.errors.NotDifferentiable, match="held it before"):
        zyg.gradient(by_numbers, X)


@pytest.mark.parametrize("f", [by_constants, counts])
def test_second_derivatives(f):
    h = 1e-3
    second = (fresh(zyg.gradient, f, X + h)[0] - fresh(zyg.gradient, f, X - h)[0]) / (2 * h)
    assert np.isclose(fresh(zyg.hvp, f, X, 1.0), second, rtol=1e-4)


def unbound():
    def reads():
        nonlocal absent
        absent += 1
        return absent

    if not reads:
        absent = 0
    return reads


reads_what_is_not_bound = unbound()


def test_variables_that_are_not_bound():
    with pytest.raises(NameError, match="absent"):
        zyg.gradient(lambda x: x * reads_what_is_not_bound(), X)
