"""`cls[key]`, which a class or its metaclass answers: a call like any other, in derivatives that
are differentiated in turn, too."""

import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative
from tests.random_checks import outcomes

X = 1.3


class Power:
    def __init__(self, n, x):
        self.n = n
        self.x = x

    def value(self):
        return self.x**self.n

    @classmethod
    def __class_getitem__(cls, n):
        return lambda x: cls(n, x)


class Scaled(Power):
    factor = 2.0

    def value(self):
        return self.factor * super().value()


class Named(type):
    def __getitem__(cls, name):
        return cls.known[name]

    def __len__(cls):
        return len(cls.known)


def double(x):
    return 2.0 * x


def square(x):
    return x * x


class Functions(metaclass=Named):
    known = {"double": double, "square": square}


def of_a_class(x):
    power = Power[3](x)
    power.x = power.x * 2.0
    return power.value() * Power[2](power.x).value()


def of_a_derived_class(x):
    scaled = Scaled[2](x)
    scaled.x *= x
    return scaled.value() + Power[3](scaled.x).value()


def of_a_metaclass(x):
    power = Power(2, Functions["square"](x))
    power.x = Functions["double"](power.x) * len(Functions)
    return power.value()


def of_one_of_several_classes(x):
    total = 0.0
    for cls in (Power, Scaled):
        power = cls[2](x)
        power.x = power.x * total + x
        total = total + power.value()
    return total


PROGRAMS = [of_a_class, of_a_derived_class, of_a_metaclass]


@pytest.mark.parametrize(
    "f", [*PROGRAMS, of_one_of_several_classes], ids=lambda f: f.__name__
)
def test_first_derivative(f):
    assert list(outcomes(f)) == [True] * 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f, mode):
    check_second_derivative(f, mode, mode, X)


def test_a_class_that_answers_otherwise_meanwhile(monkeypatch):
    def slope(x):
        return zyg.gradient(of_a_class, x)[0]

    before = zyg.gradient(slope, X)[0]
    monkeypatch.setattr(
        Power, "__class_getitem__", classmethod(lambda cls, n: lambda x: cls(n, 3.0 * x))
    )
    after = zyg.gradient(slope, X)[0]
    assert after == pytest.approx(3.0**7 * before)
