"""Gradients of recursive functions reach nearly as deep as the functions themselves."""

import zyg


def damped(x, n):
    return x if n == 0 else damped(x, n - 1) * 0.999


def deepest(call):
    """The largest depth at which a call succeeds, by bisection."""
    low, high = 1, 4000
    while low < high:
        middle = (low + high + 1) // 2
        try:
            call(middle)
        except RecursionError:
            high = middle - 1
        else:
            low = middle
    return low


def test_nine_tenths_of_the_depth_of_the_primal():
    zyg.gradient(damped, 1.0, 3)
    zyg.pullback(damped, 1.0, 3)[1](1.0)
    primal = deepest(lambda n: damped(1.0, n))
    assert deepest(lambda n: zyg.gradient(damped, 1.0, n)) >= 0.9 * primal
    assert deepest(lambda n: zyg.pullback(damped, 1.0, n)[1](1.0)) >= 0.9 * primal
