"""Defaults of functions that come in as arguments and captured variables."""

import numpy as np
import pytest

import zyg

WEIGHTS = np.array([1.0, 2.0])


def model(x, w=WEIGHTS, *, scale=3.0, how=None):
    return np.sum(w * x**2) * scale if how is None else 0.0


def called(f, x):
    return f(x)


def with_keywords(f, keywords):
    def call(*args):
        return f(*args, **keywords)

    return call


def test_defaults_are_read_from_the_function():
    bars, x_bar = zyg.gradient(called, model, np.ones(2))
    np.testing.assert_allclose(bars["w"], [3.0, 3.0])
    assert bars["scale"] == 3.0
    np.testing.assert_allclose(x_bar, [6.0, 12.0])
    assert str(zyg.explain(called, model, np.ones(2))).startswith("everything in")


def test_changed_defaults_are_seen():
    def scaled(x, factor=2.0):
        return factor * x

    assert zyg.gradient(called, scaled, 1.0)[1] == 2.0
    scaled.__defaults__ = (5.0,)
    assert zyg.gradient(called, scaled, 1.0)[1] == 5.0
    scaled.__defaults__ = (np.float64(7.0),)
    assert zyg.gradient(called, scaled, 1.0)[1] == 7.0


def test_active_defaults():
    def chosen(a, b, x):
        f = lambda x, w=a: w * x * x
        g = lambda x, w=b: w * x * x
        return called(f if a > b else g, x) + called(f, 1.0)

    assert zyg.gradient(chosen, 2.0, 3.0, 5.0) == (1.0, 25.0, 30.0)
    assert zyg.gradient(chosen, 3.0, 2.0, 5.0) == (26.0, 0.0, 30.0)


def test_defaults_in_lists_of_functions():
    def total(weights, x):
        functions = [lambda x, w=w: w * x * x for w in weights]
        return functions[0](x) + functions[1](2.0 * x)

    weights_bar, x_bar = zyg.gradient(total, [1.0, 2.0], 3.0)
    assert weights_bar == [9.0, 36.0]
    assert x_bar == 6.0 + 48.0


@pytest.mark.parametrize("keywords", [{}, {"scale": 2.0}])
def test_second_derivatives(keywords):
    call = with_keywords(model, keywords)

    def slope(x):
        return np.sum(zyg.gradient(call, x)[0] ** 2)

    zyg.check_grads(call, np.array([0.3, 0.7]))
    zyg.check_grads(slope, np.array([0.3, 0.7]), order=1)


def test_second_derivatives_of_a_function_made_there():
    def slope(x):
        def scaled(y, w=x, *, k=3.0):
            return w * y * y * k

        return zyg.gradient(scaled, x)[0]

    assert zyg.gradient(slope, 2.0) == (24.0,)
