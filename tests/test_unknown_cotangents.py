"""Parameters in which a function has no known derivative: constants among what varies, and others
that are refused by name, wherever the number goes to."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg.cotangents.cotangent import accumulate, materialised, project, unbroadcast
from zyg.cotangents.no_cotangent import NoCotangent
from zyg.errors import NotDifferentiable

pytest.importorskip("scipy")

from scipy import special, stats


class Model:
    def __init__(self, order):
        self.order = order

    def value(self, x):
        return special.jv(self.order, x)


MODEL = Model(0.7)


def in_a_loop(x, order):
    total = 0.0
    for i in range(3):
        total = total + special.jv(order, x * (i + 1))
    return total


def with_list(x, parameters):
    return stats.gamma.cdf(x, *parameters) + stats.gamma.logsf(x, *parameters)


def chosen(name, parameter):
    return stats.norm(parameter, 1.2) if name == "norm" else stats.gamma(2.3, scale=parameter)


def capturing(order):
    return lambda x: special.iv(order, x) * special.struve(order, x)


CAPTURED = capturing(0.7)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: MODEL.value(x) * Model(0.6).value(2 * x),
        lambda x: with_list(x, [2.3, -x]),
        lambda x: with_list(x, (2.3, -x)),
        lambda x: chosen("norm", x).cdf(0.3) + chosen("gamma", x).cdf(0.3),
        lambda x: sum([special.kv(order, x) for order in [0.7, 1.2]]),
        lambda x: in_a_loop(x, 0.7),
        lambda x: CAPTURED(x),
        capturing(1.3),
    ],
)
def test_constants_among_what_varies(program):
    zyg.check_grads(program, 0.8, order=1)


@pytest.mark.parametrize(
    "program",
    [lambda x: in_a_loop(x, 0.7), lambda x: CAPTURED(x), capturing(1.3)],
)
def test_second_derivatives_beside_constants(program):
    zyg.check_grads(program, 0.8)


ORDERS = np.array([0.7, 1.2])


@pytest.mark.parametrize(
    ("program", "order"),
    [
        (lambda v, x: special.jv(v, x), 0.7),
        (lambda v, x: special.jv(v * 2 + 1, x) + v, 0.7),
        (lambda v, x: in_a_loop(x, v), 0.7),
        (lambda v, x: Model(v).value(x), 0.7),
        (lambda v, x: v.value(x), Model(0.7)),
        (lambda v, x: special.jv(v["order"], x), {"order": 0.7}),
        (lambda v, x: sum([special.jv(each, x) for each in v]), [0.7, 1.2]),
        (lambda v, x: sum([special.jv(each, x) for each in v]), ORDERS),
        (lambda v, x: np.sum(special.jv(v, x)), ORDERS),
        (lambda v, x: special.jv(v[0], x) + np.sum(v), ORDERS),
        (lambda v, x: np.sum(special.jv(np.where(v > 1, v, 2 * v), x)), ORDERS),
        (lambda v, x: np.sum(special.jv(np.concatenate([v, v]), x)), ORDERS),
        (lambda v, x: np.sum(special.jv(np.cumsum(v)[::-1], x)), ORDERS),
        (lambda v, x: special.jv(np.max(v), x) + special.jv(np.mean(v), x), ORDERS),
        (lambda v, x: np.sum(special.jv(np.outer(v, v) @ v, x)), ORDERS),
        (lambda v, x: stats.gamma.cdf(x, *v), [2.3, 0.1]),
        (lambda v, x: stats.t(v[0], v[1]).ppf(x), (2.3, 0.1)),
    ],
)
def test_what_varies_is_refused(program, order):
    with pytest.raises(NotDifferentiable, match=r"has no derivative in `\w+`"):
        zyg.gradient(program, order, 0.8)
    _, back = zyg.pullback(program, order, 0.8)
    with pytest.raises(NotDifferentiable, match=r"has no derivative in `\w+`"):
        back(1.0)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: zyg.gradient(special.jv, 0.7, x)[0],
        lambda x: np.sin(zyg.gradient(special.jv, 0.7, x)[0]) * x,
        lambda x: zyg.gradient(lambda a: stats.gamma.cdf(x, a), 2.3)[0],
        lambda x: zyg.pullback(special.jv, 0.7, x)[1](1.0)[0],
    ],
)
def test_gradients_inside_are_refused(program):
    """Also where nothing but the derivative of such a gradient is asked for."""
    for call in (zyg.gradient, zyg.withgradient, lambda f, x: zyg.jvp(f, (x,), (1.0,))):
        with pytest.raises(NotDifferentiable, match=r"has no derivative in `\w+`"):
            call(program, 0.8)


def test_the_message_says_where():
    with pytest.raises(NotDifferentiable, match=r"test_unknown_cotangents.py:\d+, in in_a_loop"):
        zyg.gradient(in_a_loop, 0.8, 0.7)


def test_what_is_computed_from_it_is_unknown_again():
    bar = NoCotangent("no derivative")
    for found in (
        bar + 1.0, 2.0 * bar, np.ones(2) - bar, np.multiply(bar, 2.0), np.sum(bar), -bar,
        np.where(np.array([True, False]), bar, 0.0), accumulate(bar, bar), accumulate(1.0, bar),
        unbroadcast(bar, np.ones(2)), unbroadcast(bar, 1.0), materialised(bar, np.ones(2)),
    ):
        assert found is bar
    assert accumulate([1.0, bar], [2.0, None]) == [3.0, bar]


@pytest.mark.parametrize(
    "use",
    [
        float, bool, len, list, np.asarray, np.shape, np.any, lambda bar: bar > 0,
        lambda bar: np.add(1.0, bar, out=np.zeros(2)), lambda bar: np.add.at(np.zeros(2), 0, bar),
        lambda bar: np.copyto(np.zeros(2), bar), lambda bar: project(bar, 1.0), abs,
        lambda bar: project([1.0, bar], [1.0, 2.0]), lambda bar: project(bar, np.ones(2)),
        lambda bar: project(bar, 1), lambda bar: project({"a": bar}, {"a": 1.0}),
        lambda bar: bar.real, lambda bar: np.exp(bar, out=np.zeros(1)),
    ],
)
def test_it_is_no_number(use):
    with pytest.raises(NotDifferentiable, match="no derivative"):
        use(NoCotangent("no derivative"))
