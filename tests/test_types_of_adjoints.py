"""Programs whose adjoints call functions with other types than the programs do."""

import numpy as np
import pytest

import zyg


class Momentum:
    def __init__(self, params):
        self.params = params
        self.speeds = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, slopes):
        for name, slope in slopes.items():
            self.speeds[name] = 0.9 * self.speeds[name] + slope
            self.params[name] -= 0.1 * self.speeds[name]


def moved(given):
    params = {name: value.copy() for name, value in given.items()}
    optimiser = Momentum(params)
    for _ in range(2):
        optimiser.step({"w": params["w"]})
    return np.sum(params["w"])


ALONG = ({"w": np.ones(2)},)


def test_of_which_nothing_is_known():
    def slope(x):
        return zyg.jvp(moved, (x,), ALONG)[1]

    with pytest.raises(zyg.UnsupportedSyntax, match="second derivative of code in which objects"):
        zyg.gradient(slope, {"w": np.array([1.0, 2.0])})
