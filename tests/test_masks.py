"""`np.where`: what the other arm would have had for a derivative doesn't count."""

import numpy as np
import pytest

import zyg

X = np.array([-1.0, 0.0, 2.0, 3.0])


def guarded_log(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def chain_behind_mask(x):
    return np.sum(np.where(x > 0, np.sqrt(x) * 3 / x, x * x))


def negated_mask(x):
    return np.sum(np.where(x <= 0, 1.0, 1 / x))


def arm_read_twice(x):
    logs = np.log(x + 2)
    return np.sum(np.where(x > 0, logs, 0.0) * logs)


def product_with_an_infinite_factor(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


def mask_in_a_mask(x):
    return np.sum(np.where(x > 0, np.where(x > 2, np.log(x), 1 / x), 0.0))


def mask_of_a_row(x):
    rows = np.ones((2, 4))
    return np.sum(np.where(x != 0, rows / x, 0.0))


def inverse_sine(x):
    return np.sum(np.where(np.abs(x) < 1, np.arcsin(x), 0.0))


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (product_with_an_infinite_factor, [0.0, 0.0, 1 + np.log(2), 1 + np.log(3)]),
        (mask_in_a_mask, [0.0, 0.0, -1 / 4, 1 / 3]),
        (mask_of_a_row, [-2.0, 0.0, -1 / 2, -2 / 9]),
        (inverse_sine, [0.0, 1.0, 0.0, 0.0]),
        (guarded_log, [0.0, 0.0, 1 / 2, 1 / 3]),
        (chain_behind_mask, [-2.0, 0.0, -1.5 * 2**-1.5, -1.5 * 3**-1.5]),
        (negated_mask, [0.0, 0.0, -1 / 4, -1 / 9]),
        (arm_read_twice, [0.0, 0.0, 2 * np.log(4) / 4, 2 * np.log(5) / 5]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradient_behind_mask(f, expected):
    (joint,) = zyg.gradient(f, X)
    _, back = zyg.pullback(f, X)
    np.testing.assert_allclose(joint, expected, rtol=1e-14)
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-14)


def test_products_of_matrices_mix_what_is_masked():
    x = np.array([[0.9, 0.3, 0.6], [0.2, 0.8, 0.4], [0.7, 0.1, 0.5]])
    y = np.array([[0.3, 0.5, 0.9], [0.4, 0.8, 0.1], [0.7, 0.2, 0.6]])
    zyg.check_grads(lambda x: np.sum(np.where(x > 0.45, np.matmul(np.sqrt(x), y), 0.0)), x)


def test_sums_of_products_of_stacks():
    z, y = np.arange(12.0).reshape(2, 2, 3) / 7, np.arange(6.0).reshape(3, 2) / 5
    zyg.check_grads(lambda z, y: np.sum(np.sum(np.matmul(z, y), axis=0) ** 3), z, y)
