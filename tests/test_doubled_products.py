"""The cotangent of `d @ d` and `d * d` is one product, wherever these stand."""

import numpy as np
import pytest

import zyg

X, ROWS = np.array([0.5, -0.3, 1.2]), np.array([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5]])


def products(x, rows):
    total = 0.0
    for row in rows:
        d = x - row
        total += d @ d
    return total


def squares(x, rows):
    total = 0.0
    for row in rows:
        d = x - row
        total += np.sum(d * d)
    return total


def weighted(x, rows):
    total = 0.0
    for i, row in enumerate(rows):
        d = x * row
        total += (i + 1) * (d @ d)
    return total / len(rows)


@pytest.mark.parametrize("function", [products, squares, weighted])
def test_of_rows_in_a_loop(function):
    back = str(zyg.code_adjoint(function, X, ROWS)).split("_back(")[1]
    assert "d_bar + d_bar" not in back and "* 2.0" in back
    zyg.check_grads(function, X, ROWS)


def test_what_is_read_elsewhere_stays():
    def twice_and_once(x):
        total = 0.0
        for row in ROWS:
            d = x * row
            total += d @ d + np.sum(np.sin(d))
        return total

    zyg.check_grads(twice_and_once, X)


def test_dicts_in_lists_get_dicts_of_cotangents():
    def network(layers, x):
        for layer in layers:
            x = np.tanh(layer["W"] @ x + layer["b"])
        return np.sum(x)

    layers = [{"W": np.eye(3) * k, "b": X * k} for k in (0.5, 0.3)]
    back = str(zyg.code_adjoint(network, layers, X)).split("_back(")[1]
    assert "{'W': W_bar, 'b': b_bar}" in back
    zyg.check_grads(network, layers, X)


def test_dicts_of_which_some_keys_are_read():
    def bounded(layers, x):
        total = 0.0
        for layer in layers:
            total += layer["scale"] * np.sum(x)
        return total

    layers = [{"scale": 0.5, "W": X}, {"scale": 0.3, "W": X}]
    bars, _ = zyg.gradient(bounded, layers, X)
    assert bars[0]["scale"] == np.sum(X)
    zyg.check_grads(bounded, layers, X)
