"""Random draws: once, in order, the same in the reverse pass; parameters of location and scale."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

MOVED = ("normal", "laplace", "logistic", "gumbel", "uniform", "lognormal")


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("name", MOVED)
def test_location_and_scale(name, make):
    def f(a, b):
        random = make(3)
        draw = getattr(random, name)
        return np.sum(draw(a, b, size=4) ** 2) + np.sum(draw(a * np.ones(3), b) * b)

    zyg.check_grads(f, 0.3, 1.2, order=1)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("name", ["exponential", "rayleigh"])
def test_scale(name, make):
    def f(scale):
        return np.sum(getattr(make(3), name)(scale, size=4) ** 2)

    zyg.check_grads(f, 1.2, order=1)


def test_the_legacy_functions():
    def f(a, b):
        np.random.seed(3)
        return np.random.normal(a, b) * np.random.uniform(a, b)

    zyg.check_grads(f, 0.3, 1.2, order=1)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_draws_among_items(make):
    def f(x):
        random = make(3)
        mixed = random.permutation(x)
        return np.sum(mixed * np.arange(4)) * np.sum(random.choice(x, 3) ** 2)

    x = np.array([0.3, 1.2, 2.0, 0.7])
    random = make(3)
    mixed = random.permutation(x)
    assert f(x) == np.sum(mixed * np.arange(4)) * np.sum(random.choice(x, 3) ** 2)
    assert zyg.withgradient(f, x)[0] == f(x)
    zyg.check_grads(f, x, order=1)


def test_rows_are_mixed_along_an_axis():
    def f(x):
        return np.sum(np.random.default_rng(5).permutation(x, axis=1) * np.arange(6).reshape(2, 3))

    zyg.check_grads(f, np.arange(1.0, 7.0).reshape(2, 3), order=1)


def test_the_stream_goes_on_as_in_the_primal():
    def f(x, random):
        total = 0.0
        for _ in range(3):
            total = total + random.normal(x, 1.0) * random.random()
        return total

    random, other = np.random.default_rng(1), np.random.default_rng(1)
    value, _ = zyg.withgradient(f, 0.5, random)
    assert value == f(0.5, other)
    assert random.random() == other.random()


@pytest.mark.parametrize("name", ["gamma", "beta", "standard_gamma"])
def test_parameters_of_shape_are_refused(name):
    def f(x):
        args = (x, 1.0) if name == "beta" else (x,)
        return getattr(np.random.default_rng(3), name)(*args)

    with pytest.raises(zyg.NotDifferentiable, match=name):
        zyg.gradient(f, 1.5)
