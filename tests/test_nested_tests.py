"""Branches of an adjoint inside of each other are one, where the inner test implies the outer."""

import pytest

import zyg

TABLE = {"a": 2.0, "b": 3.0}


def tried(x, names):
    y = x
    for name in names:
        try:
            factor = TABLE[name]
        except KeyError:
            continue
        if factor > 2.5:
            y = y * factor * x
    return y


def within(x, names):
    y = x
    for name in names:
        if name != "a":
            k = len(name)
            if k == 1:
                y = y * y
    return y


def with_another_arm(x, names):
    y = x
    for name in names:
        if name != "a":
            if len(name) == 1:
                y = y * y
            else:
                y = y * 3.0
    return y


def with_work_around(x, names):
    y = x
    for name in names:
        if name != "a":
            y = y * x
            if y > 1.0:
                y = y * y
    return y


def three_deep(x, names):
    y = x
    for name in names:
        try:
            factor = TABLE[name]
            if factor > 1.0:
                if y < 4.0:
                    y = y * y * x
        except KeyError:
            pass
    return y


def without_a_loop(x, names):
    y = x
    if names:
        k = len(names)
        if k > 2:
            y = x * x * k
    return y


PROGRAMS = [tried, within, with_another_arm, with_work_around, three_deep, without_a_loop]
NAMES = [[], ["a"], ["b"], ["a", "b", "cc"], ["cc", "b", "a", "b"], ["c", "c"]]


@pytest.mark.parametrize("names", NAMES, ids=repr)
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f, names):
    zyg.check_grads(lambda x: f(x, names), 1.3, order=2)
    y, back = zyg.pullback(f, 1.3, names)
    assert y == f(1.3, names)
    assert back(1.0)[0] == back(1.0)[0] == zyg.gradient(f, 1.3, names)[0]


def adjoint(f):
    _, separator, text = str(zyg.code_gradient(f, 1.3, NAMES[3])).partition("reversed(")
    assert separator
    return text


def test_one_test_is_left():
    assert adjoint(tried).count("if ") == 1
    # That of `y`, which the adjoint reads in any case, is done again.
    assert adjoint(three_deep).count("if ") == 2


def test_arms_that_do_something_else_stay():
    text = adjoint(with_another_arm)
    assert text.count("if ") == 2
    assert text.count("else:") == 1
    assert adjoint(with_work_around).count("if ") == 2
