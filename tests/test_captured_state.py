"""Functions that were made before, keep something in what they have captured, and are themselves
differentiated, or arguments."""

import numpy as np
import pytest

import zyg
from tests.captured_state import FACTORIES, best, counter, history, memo, tables
from zyg.errors import NotDifferentiable, UnsupportedSyntax

X, V = np.array([1.1, 0.7, 1.9]), np.array([0.3, -0.2, 0.5])

# Refused: by whom.
REFUSED = {
    (best, "of one that is made inside"),
    (best, "reverse over reverse"),  # an item is None, then an array
    (best, "reverse over forward"),
}


def gradient_of(f, x):
    """By differences, of a function that is made anew for each of them."""
    h = 1e-6
    return np.array([(f()(x + h * e) - f()(x - h * e)) / (2 * h) for e in np.eye(len(x))])


def by_argument(f, x):
    return f(x)


def twice_by_argument(f, x):
    return f(x) + f(x)


@pytest.mark.parametrize("make", FACTORIES)
def test_first_derivatives(make):
    expected = gradient_of(make, X)
    assert np.allclose(zyg.gradient(make(), X)[0], expected)
    y, back = zyg.pullback(make(), X)
    assert np.isclose(y, make()(X))
    assert np.allclose(back(1.0)[0], expected)
    assert np.allclose(back(1.0)[0], expected)
    assert np.isclose(zyg.jvp(make(), (X,), (V,))[1], expected @ V)


@pytest.mark.parametrize("make", FACTORIES)
def test_arguments(make):
    expected = gradient_of(make, X)
    assert np.allclose(zyg.gradient(by_argument, make(), X)[1], expected)
    assert np.allclose(zyg.gradient(lambda fs, x: fs[0](x), [make()], X)[1], expected)
    assert np.allclose(zyg.gradient(lambda fs, x: fs["f"](x), {"f": make()}, X)[1], expected)

    def make_twice():
        f = make()
        return lambda x: twice_by_argument(f, x)

    expected = gradient_of(make_twice, X)
    assert np.allclose(zyg.gradient(twice_by_argument, make(), X)[1], expected)
    assert np.allclose(zyg.gradient(make_twice(), X)[0], expected)
    assert np.isclose(zyg.jvp(make_twice(), (X,), (V,))[1], expected @ V)


@pytest.mark.parametrize("make", FACTORIES)
def test_calls_are_those_of_python(make):
    """What is kept from call to call."""
    f, plain = make(), make()
    for scale in (1.0, 0.9, 0.8):
        y, _ = zyg.withgradient(f, scale * X)
        assert np.isclose(y, plain(scale * X))
    assert np.isclose(f(X), plain(X))


SECOND = {
    "forward over reverse": lambda make: zyg.hvp(make(), X, V),
    "reverse over reverse": lambda make: _slope_of_gradient(make()),
    "of one that is made inside": lambda make: zyg.gradient(
        lambda x: np.sum(zyg.gradient(make(), x)[0] * V), X
    )[0],
    "reverse over forward": lambda make: zyg.gradient(
        lambda x, f: zyg.jvp(f, (x,), (V,))[1], X, make()
    )[0],
}


def _slope_of_gradient(f):
    return zyg.gradient(lambda x: np.sum(zyg.gradient(f, x)[0] * V), X)[0]


@pytest.mark.parametrize("mode", SECOND)
@pytest.mark.parametrize("make", FACTORIES)
def test_second_derivatives(make, mode):
    if (make, mode) in REFUSED:
        with pytest.raises((NotDifferentiable, UnsupportedSyntax)):
            SECOND[mode](make)
        return
    h = 1e-5
    expected = (
        zyg.gradient(make(), X + h * V)[0] - zyg.gradient(make(), X - h * V)[0]
    ) / (2 * h)
    assert np.allclose(SECOND[mode](make), expected, rtol=1e-5)
    assert np.allclose(SECOND[mode](make), expected, rtol=1e-5)


@pytest.mark.parametrize("make", [history, tables, memo])
def test_hessian(make):
    assert np.allclose(zyg.hessian(make(), X) @ V, zyg.hvp(make(), X, V))


@pytest.mark.parametrize("make", [counter, history])
def test_the_same_whatever_was_asked_before(make):
    f = make()
    zyg.hvp(f, X, V)
    calls = 2 if make is counter else 1
    assert np.allclose(zyg.gradient(f, X)[0], calls * 3 * X**2)


def test_refused_for_another_reason():
    """What was noted for the second try is forgotten."""
    log = []

    def f(x):
        log.append(x)
        return refused(log, x)

    for _ in range(2):
        with pytest.raises((NotDifferentiable, UnsupportedSyntax), match="async"):
            zyg.gradient(f, X)
    assert not log


def refused(log, x):
    async def wait():
        log.clear()

    return x @ x


@pytest.mark.parametrize("is_read_first", [False, True])
def test_readers_and_writers_together(is_read_first):
    def pair():
        last = 0.0

        def put(value):
            nonlocal last
            last = value

        def look():
            return last

        return put, look

    def read_first(look, put, x):
        put(x * x)
        return look() * x

    def written_first(put, look, x):
        put(x * x)
        return look() * x

    put, look = pair()
    if is_read_first:
        found = zyg.gradient(read_first, look, put, 1.5)[2]
    else:
        found = zyg.gradient(written_first, put, look, 1.5)[2]
    assert np.isclose(found, 3 * 1.5**2)
