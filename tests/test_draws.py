"""Random draws: once, in order, the same in the reverse pass; parameters of location and scale."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from ir import facts
from ir.types import TOP, Instance, widen
from tests.abstract_values import covers
from tests.differences import check_gradient

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


ONES = np.ones(2)
COLUMN = np.zeros((3, 1))
DRAWN = [
    ("random", ()), ("random", (3,)), ("random", ((2, 1),)), ("random", ((),)),
    ("random", (), {"size": 4}), ("random", (None,)),
    ("standard_normal", ((2, 3),)), ("standard_normal", ()), ("standard_exponential", (1,)),
    ("normal", ()), ("normal", (1.0, 2)), ("normal", (np.float64(1.0), np.float32(1.0))),
    ("normal", (COLUMN, ONES)), ("normal", (0.0, 1.0, 3)), ("normal", (0.0, 1.0, np.int64(1))),
    ("normal", ([0.0, 1.0], 1.0)), ("normal", (np.array(0.0), 1.0)), ("normal", (np.ones(1),)),
    ("normal", (0.0,), {"size": (2, 1)}), ("normal", (), {"scale": ONES}),
    ("uniform", (-1, 1, (1,))), ("uniform", (), {"high": 2.0, "size": 2}), ("laplace", (ONES,)),
    ("logistic", (0.0, 1.0, ())), ("gumbel", (0.0, ONES)), ("lognormal", (), {"sigma": 0.5}),
    ("exponential", (2.0,)), ("exponential", (ONES,)), ("rayleigh", (1.0, 2)),
    ("poisson", (2.0,)), ("poisson", (2.0, 3)), ("poisson", (ONES,)), ("binomial", (3, 0.5)),
    ("binomial", (3, ONES)), ("geometric", (0.5,), {"size": 2}),
]
OF_GENERATORS = [
    ("random", (), {"out": np.zeros(2)}), ("standard_normal", (3, np.float32)),
    ("standard_normal", (3,), {"dtype": np.float32}),
]
OF_LEGACY = [
    ("rand", ()), ("rand", (2, 1)), ("randn", (3,)), ("randn", ()), ("random_sample", (2,)),
]
DRAWS_OF = {
    np.random.Generator: [*DRAWN, *OF_GENERATORS],
    np.random.RandomState: [*DRAWN, *OF_LEGACY],
    np.random: [*DRAWN, *OF_LEGACY],
}


@pytest.mark.parametrize(
    ("owner", "draw"), [(owner, draw) for owner, draws in DRAWS_OF.items() for draw in draws]
)
def test_types_of_draws(owner, draw):
    """What inference says of a draw covers what is drawn."""
    name, args, kwargs = (*draw, {})[:3]
    made = {np.random.Generator: np.random.default_rng, np.random.RandomState: owner}
    source = made[owner](3) if owner in made else np.random
    drawn = getattr(source, name)(*args, **kwargs)
    types = [] if owner is np.random else [Instance(owner)]
    for as_type in (facts.abstract, lambda value: widen(facts.abstract(value))):
        rule = facts.result_of(getattr(owner, name))
        found = rule((*types, *map(as_type, args)), {k: as_type(v) for k, v in kwargs.items()})
        assert covers(found, drawn, {})
    is_plain = all(isinstance(arg, int | float | np.ndarray) for arg in args)
    assert found != TOP or kwargs or not is_plain


def walk(start, step, seed):
    random = np.random.default_rng(seed)
    chain, x = [], start
    for _ in range(5):
        proposal = x + step * random.standard_normal(2)
        if np.log(random.random()) < np.sum(x * x) - np.sum(proposal * proposal):
            x = proposal
        chain.append(x)
    return np.sum(np.array(chain) ** 3)


def test_a_walk_that_keeps_its_way():
    for seed in range(4):
        check_gradient(walk, (np.array([0.3, -0.2]), 0.7, seed), zyg.pullback)


class Walker:
    def __init__(self, x, random):
        self.x, self.random, self.way = x, random, []

    def step(self, size):
        self.x = self.x + size * self.random.normal()
        self.way.append(self.x)


def walked(x, size, random):
    walker = Walker(x, random)
    for _ in range(3):
        walker.step(size)
    return walker.way[0] * walker.way[-1]


def test_a_generator_that_an_object_holds():
    way = Walker(0.3, np.random.default_rng(4))
    for _ in range(3):
        way.step(0.7)
    first, last = ((w - 0.3) / 0.7 for w in (way.way[0], way.way[-1]))
    expected = way.way[0] + way.way[-1], first * way.way[-1] + way.way[0] * last
    found = zyg.gradient(walked, 0.3, 0.7, np.random.default_rng(4))
    assert found[:2] == pytest.approx(expected)
    assert "pullback_call(walker.step" not in str(
        zyg.code_gradient(walked, 0.3, 0.7, np.random.default_rng(4))
    )


def test_draws_are_printed_as_methods():
    def scaled(x, random):
        return x * random.normal(size=3).sum()

    text = str(zyg.code_gradient(scaled, 2.0, np.random.default_rng(1)))
    assert "random.normal(size=3)" in text


def test_unknown_items_that_are_kept_in_a_list():
    """A variable that may be what was appended before, or nothing of it, as of each look."""
    def products(x, functions):
        chain, y = [], x
        for _ in range(3):
            y = y * (1.0 + functions[0](0.5))
            chain.append(y)
        return chain[-1] * chain[0]

    check_gradient(products, (1.5, [abs]), zyg.pullback)


def drawn_into(x, random):
    y, z, noise = x * 2, x * 3, np.empty((2, 3))
    random.standard_normal(out=y[1:])
    random.random(3, np.float64, z)
    random.standard_exponential(method="inv", out=z[:1])
    for row in noise:
        random.random(out=row)
    single = np.zeros(3, np.float32)
    scale = random.standard_normal(dtype=np.float32, out=single)[0]
    return np.sum(x * y * z * noise) * scale + np.sum(single)


def test_draws_into_arrays():
    """As many numbers as there are in the array, whatever stood there."""
    x = np.array([0.3, 0.5, 0.8])

    def seeded(x):
        return drawn_into(x, np.random.default_rng(3))

    y, back = zyg.pullback(drawn_into, x, np.random.default_rng(3))
    assert y == seeded(x)
    step = np.array([1e-5, -2e-5, 1.5e-5])
    slope = (seeded(x + step) - seeded(x - step)) / 2
    assert back(1.0)[0] @ step == pytest.approx(slope, rel=1e-6)
    zyg.check_grads(seeded, x, order=1)


def test_what_tells_something_written_by_position():
    def f(x):
        rounded, marks = x * 1, np.empty(3)
        np.floor(x * 5, rounded)
        np.any(x > 0.4, 0, marks[:1].reshape(()))
        np.all([x > 0.4, x < 0.6], 0, marks)
        return np.sum(rounded * x * marks)

    zyg.check_grads(f, np.array([0.3, 0.5, 0.9]), order=1)
