"""Loops over nothing, as far as types tell that: no loop is left, and what it collects is empty."""

import pytest

import zyg


def assigned_in_no_iteration(x):
    y = x
    for factor in ():
        y = y * factor
    return y * x


def collected_from_nothing(x, *more):
    return x * len([other * x for other in more]) + x * x


def starred(x, *more):
    total = x * x
    for other in more:
        total += other
    return total


@pytest.mark.parametrize("f", [assigned_in_no_iteration, collected_from_nothing, starred])
def test_no_loop_is_left(f):
    assert zyg.gradient(f, 3.0) == (6.0,)
    assert zyg.jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
    assert " for " not in zyg.code_adjoint(f, 3.0).source
