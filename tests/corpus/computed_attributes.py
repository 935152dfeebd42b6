"""Attributes that descriptors, `__getattr__` and cached properties give, or that loops name."""

import dataclasses
import functools
import math

import numpy as np

from tests.corpus.registry import program

NAMES = ("mass", "length")


class Positive:
    """Keeps its values under a name of its own."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, cls=None):
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError("not positive")
        setattr(obj, self.name, value)


class Pendulum:
    mass = Positive()
    length = Positive()
    gravity = 9.81

    def __init__(self, mass, length):
        self.mass = mass
        self.length = length

    @functools.cached_property
    def period(self):
        return 2.0 * math.pi * math.sqrt(self.length / self.gravity)

    @functools.cached_property
    def energy(self):
        return self.mass * self.gravity * self.length / self.period

    def scaled(self, factor):
        for name in NAMES:
            setattr(self, name, getattr(self, name) * factor)
        return self


@program((1.5, 0.7))
def stored_by_descriptors(x, y):
    pendulum = Pendulum(x, y)
    for i in range(3):
        pendulum.mass = pendulum.mass * 1.1 + pendulum.length * i
    try:
        pendulum.length = -x
    except ValueError:
        pendulum.length = x * y
    return pendulum.mass * pendulum.length


@program((1.5, 0.7))
def cached_properties_in_loops(x, y):
    total = 0.0
    for i in range(4):
        pendulum = Pendulum(x, y + i)
        total += pendulum.energy * pendulum.period
        pendulum.mass = x * x
        total += pendulum.energy
        del pendulum.energy
        total += pendulum.energy * i
    return total


@program((1.5, 0.7))
def cached_property_that_is_assigned(x, y):
    pendulum = Pendulum(x, y)
    pendulum.period = x * 3.0
    return pendulum.energy * pendulum.period


class Delegating:
    """Answers for what it wraps, and for what a dict holds."""

    def __init__(self, inner, **extras):
        self.inner = inner
        self.extras = extras

    def __getattr__(self, name):
        if name in ("inner", "extras"):
            raise AttributeError(name)
        if name in self.extras:
            return self.extras[name]
        return getattr(self.inner, name)


@program((1.5, 0.7))
def attributes_of_what_is_wrapped(x, y):
    wrapped = Delegating(Pendulum(x, y), drag=x * y)
    total = 0.0
    for i in range(3):
        total += wrapped.mass * wrapped.drag + wrapped.length * i
        if i == 1:
            wrapped.drag = y
    return total * wrapped.gravity


@program((1.5, 0.7))
def names_in_tuples(x, y):
    pendulum = Pendulum(x, y).scaled(y)
    total = 0.0
    for i, name in enumerate(NAMES):
        total += getattr(pendulum, name) * (i + 1)
    for name, value in zip(("width", "height"), (x * y, total), strict=True):
        setattr(pendulum, name, value)
    return pendulum.width * pendulum.height + sum(getattr(pendulum, n) for n in NAMES)


class Options:
    defaults = ("rate", "decay")

    def __init__(self, **given):
        for name in self.defaults:
            setattr(self, name, 0.5)
        for name, value in given.items():
            setattr(self, name, value)


@program((1.5, 0.7))
def names_of_keywords(x, y):
    first, second = Options(rate=x), Options(decay=y * x, extra=y)
    total = first.rate * first.decay + second.rate * second.decay * second.extra
    return total + getattr(first, "extra", x * x) + (1.0 if hasattr(first, "extra") else y)


@dataclasses.dataclass
class State:
    position: float
    velocity: float = 1.0
    time: float = dataclasses.field(default=0.0)


@program((1.5, 0.7))
def fields_of_a_dataclass(x, y):
    state, rate = State(x, y), State(y, -x, 1.0)
    for _ in range(3):
        state = State(*(
            getattr(state, field.name) + 0.1 * getattr(rate, field.name)
            for field in dataclasses.fields(state)
        ))
    return state.position * state.velocity + state.time


def drawn(log, value):
    log.append(value)
    return value * value


@program((1.5, 0.7))
def what_is_walked_over_is_made_once(x, y):
    log, pendulum, total = [], Pendulum(x, y), 0.0
    for name, value in zip(NAMES, (drawn(log, x), drawn(log, y)), strict=True):
        total += getattr(pendulum, name) * value
    for name, value in zip(NAMES, divmod(x, y), strict=True):
        total += getattr(pendulum, name) * value
    rows = (np.array([x, y]), np.array([y, x * y]), np.ones(2) * x)
    for name, row in zip(NAMES, rows[1:], strict=False):
        setattr(pendulum, "last_" + name, row)
        total += np.sum(row)
    return total * len(log) + sum(log)
