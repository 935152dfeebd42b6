"""Where a loop appends what it collects: behind all that the collected tuple is made of."""

import numpy as np

import zyg
from zyg.rules.registry import constant


def weighted(y, weights, pair):
    return y * weights[0] * pair[0]


def weighted_bar(y_bar, weights, pair):
    return y_bar * weights[0] * pair[0]


constant(weighted_bar)


@zyg.adjoint(weighted)
def weighted_rule(y, weights, pair):
    """Saves an array and a tuple, whose parts are known before the array."""
    return weighted(y, weights, pair), lambda y_bar: (
        weighted_bar(y_bar, weights, pair),
        None,
        None,
    )


def scaled(y, weights, scale):
    return weighted(y, np.asarray(weights), (scale,))


def scaled_in_turn(y, sizes, scales):
    for k in range(2):
        y = scaled(y, np.ones(sizes[k]) / sizes[k], scales[k])
    return y


def test_tuple_within_a_collected_tuple():
    _, back = zyg.pullback(scaled_in_turn, np.array([0.3, -0.8]), [2, 3], [1.5, -0.5])
    np.testing.assert_allclose(back(np.ones(2))[0], np.full(2, 1.5 * -0.5 / 6))
