"""Attributes of what may be None or an object, and what the class holds for all its objects."""

import pytest

import zyg
from tests import differences


class Link:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest

    @property
    def doubled(self):
        self.value = self.value * 2.0
        return self.value


class Setting:
    rate = 2.0
    limit = None

    def __init__(self, x):
        self.x = x


def chained(x):
    head = None
    for k in range(3):
        head = Link(x * (k + 1.0), head)
    head.rest.value = head.value * head.rest.rest.value
    total = 0.0
    while head is not None:
        total = total * x + head.value
        head = head.rest
    return total


def computed_once(x):
    link = Link(x, Link(x * x))
    return link.rest.doubled * link.value + link.rest.value


def defaults_of_the_class(x):
    setting = Setting(x)
    total = setting.x * setting.rate
    if x > 1.0:
        setting.rate = x * x
    return total * setting.rate


def none_in_the_class(x):
    setting = Setting(x)
    if x > 1.0:
        setting.limit = x * x
    return x * x * x if setting.limit is None else setting.limit


PROGRAMS = [chained, computed_once, defaults_of_the_class, none_in_the_class]


@pytest.mark.parametrize("x", [0.7, 1.3])
@pytest.mark.parametrize("f", PROGRAMS)
def test_first_and_second_derivative(f, x):
    differences.check_gradient(f, (x,), zyg.pullback)
    differences.check_gradient(lambda x: zyg.gradient(f, x), (x,), zyg.pullback)
    forward = zyg.jvp(lambda x: zyg.gradient(f, x)[0], (x,), (1.0,))[1]
    assert zyg.pullback(lambda x: zyg.gradient(f, x)[0], x)[1](1.0)[0] == pytest.approx(forward)


def read_behind_the_end(x):
    link = Link(x)
    if x > 10.0:
        link.rest = Link(x)
    return link.rest.value


def stored_behind_the_end(x):
    link = Link(x)
    if x > 10.0:
        link.rest = Link(x)
    link.rest.value = x
    return link.value


@pytest.mark.parametrize("f", [read_behind_the_end, stored_behind_the_end])
def test_none_raises_what_python_raises(f):
    with pytest.raises(AttributeError) as plain:
        f(1.0)
    with pytest.raises(AttributeError) as differentiated:
        zyg.gradient(f, 1.0)
    assert str(differentiated.value) == str(plain.value)


def test_what_the_class_holds_may_change_between_calls(monkeypatch):
    assert zyg.gradient(defaults_of_the_class, 0.5) == (4.0,)
    monkeypatch.setattr(Setting, "rate", 3.0)
    assert zyg.gradient(defaults_of_the_class, 0.5) == (9.0,)
    monkeypatch.setattr(Setting, "rate", "2")
    with pytest.raises(TypeError):
        zyg.gradient(defaults_of_the_class, 0.5)
