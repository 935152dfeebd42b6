"""Lists of the module that a program writes, and nothing reads: they are written as it says."""

import numpy as np
import pytest

import zyg

LOG = []
CURVES = {"loss": [], "count": 0}


def test_a_log_that_nothing_is_read_of_is_written_as_the_program_says():
    def f(x):
        y = x
        for i in range(3):
            y = y * x
            LOG.append((i, float(y)))
            CURVES["loss"].append(y)
            CURVES["count"] += 1
        return y

    LOG.clear()
    for form in (zyg.gradient, lambda *xs: zyg.withgradient(*xs)[1]):
        assert form(f, 2.0) == (32.0,)
    _, back = zyg.pullback(f, 2.0)
    assert back(1.0) == back(1.0) == (32.0,)
    assert zyg.jvp(f, (2.0,), (1.0,)) == (16.0, 32.0)
    assert LOG == [(0, 4.0), (1, 8.0), (2, 16.0)] * 4
    assert CURVES == {"loss": [4.0, 8.0, 16.0] * 4, "count": 12}
    code = str(zyg.code_gradient(f, 2.0))
    assert "append((i, y))" in code
    assert "shadows" not in code


def test_an_array_in_a_log_that_the_user_changes_before_the_way_back():
    def f(x):
        squares = x * x
        LOG.append(squares)
        return np.sum(squares * squares)

    LOG.clear()
    _, back = zyg.pullback(f, np.array([1.0, 2.0]))
    LOG[0][:] = 0.0
    np.testing.assert_array_equal(back(1.0)[0], [4.0, 32.0])


def test_a_log_that_is_an_argument():
    def f(items, x):
        LOG.append(x)
        return items[-1] * x

    LOG.clear()
    assert zyg.gradient(f, [3.0], 2.0) == ([2.0], 3.0)
    with pytest.raises(zyg.NotDifferentiable, match="given as an argument that a global"):
        zyg.gradient(f, LOG, 2.0)


class Noted:
    def __init__(self):
        self.notes, self.counts = [], {}


def test_constants_that_are_noted_in_an_object():
    def f(x):
        noted = Noted()
        for i in range(3):
            noted.notes.append(i)
            noted.counts.update({i: 1})
            x = x * 1.5
        return x * len(noted.notes) * sum(noted.counts)

    def unread(x):
        noted = Noted()
        noted.notes.append(1)
        return x * 2.0

    assert zyg.gradient(f, 2.0) == (1.5**3 * 9.0,)
    assert zyg.gradient(unread, 2.0) == (2.0,)
    assert zyg.gradient(lambda x: np.sum(f(x)), np.ones(2))[0].tolist() == [1.5**3 * 9.0] * 2
