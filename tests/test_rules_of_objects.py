"""Rules of the user's for methods, and for functions that are given objects.

What such a rule gives for an object are cotangents of its attributes by name. They count as what
the program itself reads of the object: whoever has made it, and whatever is stored there later.
"""

import math

import numpy as np
import pytest

import zyg


class Cubic:
    def __init__(self, k, c):
        self.k, self.c = k, c

    def force(self, x):
        return self.k * x + self.c * x**3


class CubicByRule(Cubic):
    def force(self, x):
        return Cubic.force(self, x)


@zyg.adjoint(CubicByRule.force)
def force_rule(self, x):
    k, c = self.k, self.c

    def back(y_bar):
        return {"k": y_bar * x, "c": y_bar * x**3}, y_bar * (k + 3 * c * x**2)

    return k * x + c * x**3, back


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b


def applied(layer, x):
    return np.tanh(layer.w @ x + layer.b)


def applied_by_rule(layer, x):
    return applied(layer, x)


@zyg.adjoint(applied_by_rule)
def applied_rule(layer, x):
    y, w = np.tanh(layer.w @ x + layer.b), layer.w.copy()

    def back(y_bar):
        slope = y_bar * (1 - y * y)
        return {"w": np.outer(slope, x), "b": slope}, w.T @ slope

    return y, back


def energy(springs):
    return sum(spring.k * spring.c**2 for spring in springs)


def energy_by_rule(springs):
    return energy(springs)


@zyg.adjoint(energy_by_rule)
def energy_rule(springs):
    parts = [(spring.k, spring.c) for spring in springs]
    return energy(springs), lambda y_bar: [
        {"k": y_bar * c * c, "c": 2 * y_bar * k * c} for k, c in parts
    ]


def made_here(cls, apply, energy, k, c, x):
    return cls(k, c * k).force(x) + cls(k, 1.0).force(2.0)


def in_a_list(cls, apply, energy, k, c, x):
    return sum(one.force(x) for one in [cls(k, c), cls(c, x)])


def in_an_object(cls, apply, energy, k, c, x):
    layer = Layer(cls(k, c), None)
    layer.b = cls(layer.w.force(x), k)
    return layer.b.force(x) * layer.w.k


def changed_between(cls, apply, energy, k, c, x):
    model = cls(k, c)
    for _ in range(3):
        x = x - 0.1 * model.force(x)
        model.k = model.k * x
    return model.force(x) + model.c


def given_on(cls, apply, energy, k, c, x):
    def through(model, x):
        return model.force(x)

    model = cls(k, c)
    return through(model, through(model, x))


def caught(cls, apply, energy, k, c, x):
    model = cls(k, c)
    try:
        y = model.force(x)
        math.sqrt(-abs(y) - 1)
    except ValueError:
        model.k = y * 2
    return model.force(x)


def of_arrays(cls, apply, energy, k, c, x):
    layer = Layer(np.array([[k, c], [c, x]]), np.array([x, 1.0]))
    y = apply(layer, np.array([k, x]))
    layer.w *= 2.0
    layer.b[0] = y[1]
    y = apply(layer, y)
    layer.w = layer.w + k
    return apply(layer, y) @ y + np.sum(layer.w)


def of_many(cls, apply, energy, k, c, x):
    springs = [cls(k, c), cls(x, k)]
    springs[0].c = springs[0].c * x
    first = energy(springs)
    springs[1].k = first
    return first * energy(springs) + energy(springs[:1])


PROGRAMS = [
    made_here, in_a_list, in_an_object, changed_between, given_on, caught, of_arrays, of_many,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_those_without_rules(program):
    numbers = 1.3, 0.4, 0.7
    plain = zyg.gradient(lambda *xs: program(Cubic, applied, energy, *xs), *numbers)

    def by_rule(*xs):
        return program(CubicByRule, applied_by_rule, energy_by_rule, *xs)

    np.testing.assert_allclose(zyg.gradient(by_rule, *numbers), plain, rtol=1e-13)
    _, back = zyg.pullback(by_rule, *numbers)
    np.testing.assert_allclose(back(1.0), plain, rtol=1e-13)
    np.testing.assert_allclose(back(1.0), plain, rtol=1e-13)


def test_an_argument_that_is_changed():
    def f(model, x):
        model.k = model.k * 2.0
        return model.force(x) + model.k

    gradient, x_bar = zyg.gradient(f, CubicByRule(2.0, 3.0), 1.5)
    assert gradient == {"k": 5.0, "c": 1.5**3}
    assert x_bar == 4.0 + 9 * 1.5**2


class Scale:
    def __init__(self, k):
        self.k = k

    def times(self, x):
        return self.k * x


@zyg.adjoint(Scale.times)
def times_rule(self, x):
    return self.k * x, lambda y_bar: ({"k": y_bar * x}, y_bar * self.k)


def test_a_back_function_that_reads_the_object():
    """It reads what stands there when the program has ended."""
    assert zyg.gradient(lambda k, x: Scale(k).times(x), 2.0, 3.0) == (3.0, 2.0)

    def changed(k, x):
        scale = Scale(k)
        y = scale.times(x)
        scale.k = y
        return y * scale.k

    with pytest.raises(zyg.NotDifferentiable, match="an object that has been changed since"):
        zyg.gradient(changed, 2.0, 3.0)


class Machine:
    def __init__(self, gear):
        self.gear = gear


def by_part(machine, x):
    return machine.gear.k * x


@zyg.adjoint(by_part)
def by_part_rule(machine, x):
    gear = machine.gear
    return gear.k * x, lambda y_bar: (None, y_bar * gear.k)


def in_a_dict(machine, x):
    return machine.gear.k * x


@zyg.adjoint(in_a_dict)
def in_a_dict_rule(machine, x):
    found = {"machine": machine}
    return machine.gear.k * x, lambda y_bar: (None, y_bar * found["machine"].gear.k)


class ByObject:
    def __init__(self, machine):
        self.machine = machine

    def __call__(self, y_bar):
        return None, y_bar * self.machine.gear.k


def in_an_object_of_its_own(machine, x):
    return machine.gear.k * x


@zyg.adjoint(in_an_object_of_its_own)
def in_an_object_rule(machine, x):
    return machine.gear.k * x, ByObject(machine)


@pytest.mark.parametrize("apply", [by_part, in_a_dict, in_an_object_of_its_own])
def test_a_back_function_that_reads_what_the_object_leads_to(apply):
    def run(x, later):
        machine = Machine(Scale(2.0))
        y = apply(machine, x)
        machine.gear.k = later
        return y

    assert zyg.gradient(lambda x: run(x, 2.0), 1.3) == (2.0,)
    with pytest.raises(zyg.NotDifferentiable, match="an object that has been changed since"):
        zyg.gradient(lambda x: run(x, 5.0), 1.3)


def read(scale):
    return scale.k


@zyg.adjoint(read)
def read_rule(scale):
    return scale.k, lambda y_bar: (y_bar,)


def test_what_is_no_dict_is_refused():
    with pytest.raises(zyg.NotDifferentiable, match="give a dict"):
        zyg.gradient(lambda k: read(Scale(k)), 2.0)


def test_second_derivatives_are_refused():
    def slope(k, x):
        return zyg.gradient(lambda k: CubicByRule(k, k).force(x) ** 2, k)[0]

    with pytest.raises(zyg.ZygError):
        zyg.gradient(slope, 1.5, 0.5)
