"""Members of enumerations: values, properties, methods and calls, flags, loops over all members."""

import enum

import numpy as np

from tests.corpus.registry import program


class Unit(enum.Enum):
    CM = 0.01
    M = 1.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Mode(enum.Flag):
    SQUARED = enum.auto()
    HALVED = enum.auto()


class Share(float, enum.Enum):
    HALF = 0.5


class Planet(enum.Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return self.mass / self.radius**2

    def weight(self, mass):
        return self.gravity * mass

    @classmethod
    def nearest(cls):
        return cls.EARTH


class Activation(enum.Enum):
    RELU = "relu"
    TANH = "tanh"

    def __call__(self, x):
        if self is Activation.RELU:
            return max(x, 0.0)
        return np.tanh(x)


@program((2.0, 3.0))
def values_of_members(x, y):
    lengths = {Unit.CM: x, Unit.M: y}
    total = sum(unit.value * length**2 for unit, length in lengths.items())
    return total * Unit(0.01).value + Unit["M"].value * x * Share.HALF + y * Share.HALF.value


@program((2.0, 3.0))
def levels_and_flags(x, y):
    level = Level(3) if x > 0 else Level.LOW
    mode = Mode.SQUARED | Mode.HALVED
    if mode & Mode.SQUARED:
        y = y * y
    return x * level + y**Level.LOW * level.value * (level + 1) * len(level.name)


@program((2.0, 3.0))
def properties_and_methods_of_members(x, y):
    total = sum(planet.weight(x) for planet in Planet)
    for planet in Planet:
        total += planet.mass * y
    return total * Planet.nearest().gravity


@program((2.0, 3.0))
def members_that_are_called(x, y):
    chosen = [Activation.TANH, Activation("relu")]
    return chosen[0](x) * chosen[1](y) * Activation.TANH(x * y)
