"""Derivatives that go into a class, a function object or what C calls: refused, never lost."""

from collections import namedtuple

import numpy as np
import pytest

import zyg
from zyg.compiler.run_time.refusals import carries_nothing


def class_of_a_number(x):
    made = type("Made", (), {"scale": x})
    return made.scale * x


def class_that_is_found(x):
    make = [type, len][int(x) - 1]
    return make("Made", (), {"scale": x}).scale * x


def named_tuple_with_a_number(x):
    pair = namedtuple("Pair", "left right", defaults=[x])
    return pair(x).right * x


def defaults_of_a_function(x):
    def inner(a, b=x):
        return a * b

    return inner(x) * inner.__defaults__[0]


def function_with_a_default_that_c_calls(x):
    return float(np.frompyfunc(lambda a, k=x: a * k, 1, 1)(2.0)) * x


@pytest.mark.parametrize("f", [
    class_of_a_number, class_that_is_found, named_tuple_with_a_number, defaults_of_a_function,
    function_with_a_default_that_c_calls,
])
def test_refused(f):
    f(1.5)
    for derive in (zyg.gradient, zyg.pullback, lambda f, x: zyg.jvp(f, (x,), (1.0,))):
        with pytest.raises(zyg.NotDifferentiable):
            derive(f, 1.5)


def test_what_they_are_without_it():
    def f(x):
        pair = namedtuple("Pair", "left right", defaults=[2.0])(x)
        made = type("Made", (), {"scale": 3.0})
        return pair.left * pair.right * made.scale * x

    assert zyg.gradient(f, 1.5) == (18.0,)
    assert zyg.jvp(f, (1.5,), (1.0,)) == (13.5, 18.0)


def test_what_functions_hold():
    def recursive(n):
        return n and recursive(n - 1)

    items = [recursive, "text"]
    items.append(items)
    assert carries_nothing((items, lambda a, b="b", *, c=None: a))
    assert not carries_nothing((items, lambda a, b=1.0: a))
    assert not carries_nothing((lambda a, *, b=(2.0,): a,))


def test_options_that_a_substitute_does_not_cover():
    def f(a):
        b = a.copy()
        with np.nditer(b, op_flags=["readwrite"]) as items:  # forward mode recursed without end
            for item in items:
                item[...] = item * item
        return b.sum()

    for derive in (zyg.gradient, lambda f, a: zyg.jvp(f, (a,), (a,))):
        with pytest.raises(zyg.NotDifferentiable, match="`op_flags`"):
            derive(f, np.ones(2))
