"""Calls of what is one of several: methods of objects of one of some classes, functions that a
condition, a table or a setting has chosen; settings that may be None."""

import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program


class Shape:
    def __init__(self, scale):
        self.scale = scale

    def cost(self, power=1, *, offset=0.0):
        return self.scale * self.area() ** power + offset

    def area(self):
        return 1.0


class Circle(Shape):
    def __init__(self, radius, scale):
        super().__init__(scale)
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


class Rectangle(Shape):
    def __init__(self, a, b, scale):
        super().__init__(scale)
        self.a, self.b = a, b

    def area(self):
        return self.a * self.b

    def cost(self, power=1, *, offset=0.0):
        self.scale = self.scale * 1.5
        return super().cost(power, offset=offset)


@program((1.0, 2.0))
def methods_of_several_classes(radius, a):
    total = 0.0
    for shape in [Circle(radius, 2.0), Rectangle(a, radius, 3.0), Shape(a), Rectangle(a, a, 1.0)]:
        total += shape.cost(2, offset=radius)
    return total


@program((1.0, 2.0))
def methods_of_several_classes_in_a_sum(radius, a):
    shapes = [Circle(radius, 2.0), Rectangle(a, radius, 3.0)]
    return sum(shape.cost() for shape in shapes) * shapes[1].scale


@program((1.0, 2.0), (-1.0, 2.0))
def methods_after_a_choice(x, a):
    shape = Circle(x, 2.0) if x > 0 else Rectangle(a, x, 3.0)
    first = shape.cost()
    shape.scale = shape.scale * a
    return first * shape.cost()


class Off:
    def pressed(self, light, strength):
        light.energy = light.energy * strength
        return On(strength)


class On:
    def __init__(self, strength):
        self.strength = strength

    def pressed(self, light, strength):
        light.energy = light.energy - self.strength * strength
        return Off() if strength > 1.65 else On(strength)


class Light:
    def __init__(self, energy):
        self.energy = energy
        self.state = Off()

    def press(self, strength):
        self.state = self.state.pressed(self, strength)


@program((5.0, 1.5))
def methods_that_change_what_they_are_given(energy, strength):
    light = Light(energy)
    for i in range(4):
        light.press(strength + 0.1 * i)
    return light.energy * strength


@program((0.4, 0.5), (0.6, 0.5))
def function_that_a_condition_chose(x, limit):
    f = math.sin if x > limit else math.exp
    return f(x) * x


@program((0.4,))
def functions_of_a_tuple(x):
    for f in (math.sin, math.cos, math.exp):
        x = f(x) * x
    return x


def leaky(x):
    return np.maximum(x, 0.1 * x)


def same(x):
    return x


@program((np.array([[0.3, -0.2], [0.5, 0.1]]), ["leaky", "tanh", "same"]))
def functions_of_a_table(weights, names):
    x = np.array([1.0, -0.5])
    known = {"leaky": leaky, "tanh": np.tanh, "same": same}
    for name in names:
        x = known[name](weights @ x)
    return np.sum(x * x)


@program((1.5,))
def calculator(x):
    stack = []
    for token in ["x", "x", "*", "x", "+", "x", "-"]:
        if token == "x":
            stack.append(x)
        else:
            b, a = stack.pop(), stack.pop()
            known = {"+": operator.add, "*": operator.mul, "-": operator.sub}
            stack.append(known[token](a, b))
    return stack.pop()


class Layer:
    def __init__(self, w, b, activation=None):
        self.w, self.b, self.activation = w, b, activation

    def __call__(self, x):
        y = x @ self.w + self.b
        return self.activation(y) if self.activation is not None else y


@program((np.array([[0.3, -0.2], [0.5, 0.1]]), np.array([0.1, 0.2])))
def layers_with_and_without_activation(w, b):
    x = np.array([[1.0, -0.5], [0.3, 0.7]])
    for layer in [Layer(w, b, np.tanh), Layer(w.T, 2 * b, leaky), Layer(w, b)]:
        x = layer(x)
    return np.sum(x * x)


@dataclass
class Settings:
    rate: float
    decay: float = 0.1
    clip: float | None = None
    history: list = field(default_factory=list)


@program((1.5, 0.3, 1.25), (1.5, 0.3, None))
def settings_that_may_be_none(rate, decay, clip):
    settings = Settings(rate, decay, clip=clip)
    state = 1.0
    for _ in range(5):
        state = state + settings.rate * state * 0.3 - settings.decay * state**2
        if settings.clip is not None and state > settings.clip:
            state = settings.clip * 0.9
        settings.history.append(state)
    return sum(settings.history) / len(settings.history)


@program((0.7,))
def setting_that_is_set_meanwhile(x):
    settings = Settings(x)
    total = x
    for i in range(4):
        if settings.clip is None:
            settings.clip = x * (i + 1)
        else:
            total = total * settings.clip
            settings.clip = None if i > 2 else settings.clip * 2
    return total if settings.clip is None else total + settings.clip


@program((1.5,))
def settings_that_have_just_been_set(x):
    settings = Settings(x)
    settings.clip = x * 2.0
    total = settings.clip * x if settings.clip is not None else x
    settings.clip = divmod(5.0 * x, 0.7)
    parts = settings.clip
    if parts is not None:
        total = total + parts[0] * parts[1] * x
    return total


@program((1.5,))
def settings_without_derivatives(x):
    settings = Settings(0.5, clip=3.0)
    for _ in range(4):
        x = x * (1.0 + settings.rate)
        if settings.clip is not None and x > settings.clip:
            x = x / settings.clip
    return x


class Particle(NamedTuple):
    place: np.ndarray
    mass: float = 2.0

    def moved(self, shift):
        return self._replace(place=self.place + shift * self.mass)


Pair = namedtuple("Pair", "first second")


@program((np.array([[0.0, 1.0], [2.0, 0.5], [1.5, -1.0]]), np.array([1.0, 2.0, 3.0])))
def named_tuples_of_arrays(places, masses):
    particles = [Particle(place, mass) for place, mass in zip(places, masses)]
    energy = 0.0
    for i, one in enumerate(particles):
        for other in particles[:i]:
            away = one.place - other.place
            energy -= one.mass * other.mass / np.sqrt(np.sum(away * away))
    return energy * particles[0].moved(0.5).place[1]


@program((2.0, 3.0))
def methods_of_named_tuples(x, y):
    pair = Pair(first=x, second=x * y)
    swapped = Pair(pair[1], pair[0])
    as_dict = swapped._replace(first=y)._asdict()
    first, second = Pair._make([x, y])
    return pair.first * swapped.first * as_dict["second"] + as_dict["first"] * first * second


@program((Particle(np.array([1.0, 2.0]), 0.5), 3.0))
def named_tuple_as_argument(particle, x):
    return np.sum(particle.place) * particle.mass * x


@program(({"x": np.array([1.0, 2.0, 3.0]), "k": 0.5},), ({"x": [1.0, 2.0, 3.0], "k": 0.5},))
def parameters_read_in_a_loop(params):
    total = 0.0
    for i in range(len(params["x"])):
        if i % 2 == 0:
            total += params["x"][i] ** 2 * params["k"]
        else:
            total -= params["x"][i] * total
    return total


@program(((np.array([1.0, 2.0, 3.0]), {"a": (0.5, 2.0)}),))
def nested_parameters_read_in_loops(params):
    total = 0.0
    for i in range(3):
        for j in range(2):
            total += params[0][i] * params[1]["a"][j] * params[0][j]
    return total


@program((1.3, 3), (1.3, 0))
def parameters_that_a_loop_changes(x, n):
    params = {"w": x, "b": 0.1}
    total = params["w"]
    for i in range(n):
        total += params["w"] * params["b"]
        params["w"] = params["w"] * total
    return total * params["w"]
