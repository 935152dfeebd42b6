"""Methods of objects as values: integrators, solvers and event loops that are given one."""

import functools
import math

import numpy as np

from tests.corpus.registry import program


def euler(slope, y, steps, step=0.1):
    for i in range(steps):
        y = y + step * slope(y, i * step)
    return y


def runge_kutta(slope, y, steps, step=0.1):
    for i in range(steps):
        t = i * step
        k1 = slope(y, t)
        k2 = slope(y + 0.5 * step * k1, t + 0.5 * step)
        k3 = slope(y + 0.5 * step * k2, t + 0.5 * step)
        k4 = slope(y + step * k3, t + step)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


class Decay:
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    def slope(self, y, t):
        return -self.rate * y + math.sin(t)

    def counted(self, y, t):
        self.calls += 1
        self.rate = self.rate * 1.01
        return self.slope(y, t)

    def run(self, y):
        return euler(self.slope, y, 4)

    @classmethod
    def doubled(cls, rate):
        return cls(2.0 * rate)

    @staticmethod
    def free(y, t):
        return -y * t


class Driven(Decay):
    def __init__(self, rate, force):
        super().__init__(rate)
        self.force = force

    def slope(self, y, t):
        return super().slope(y, t) + self.force * t


@program((0.7, 2.0))
def given_to_an_integrator(rate, y):
    return euler(Decay(rate).slope, y, 4)


@program((0.7, 2.0))
def of_the_object_itself(rate, y):
    return Decay(rate).run(y) * Driven(rate, y).run(rate)


@program((0.7, np.array([2.0, 1.0])))
def of_arrays(rate, y):
    return np.sum(runge_kutta(Driven(rate, y[1]).slope, y, 3) ** 2)


@program((Driven(0.7, 0.3), 2.0))
def of_an_argument(model, y):
    return euler(model.slope, y, 3) + runge_kutta(model.slope, y, 2)


@program((0.7, 2.0))
def that_changes_its_object(rate, y):
    model = Decay(rate)
    return euler(model.counted, y, 4) * model.rate + model.calls


@program((0.7, 2.0), (0.2, 2.0))
def one_of_two(rate, y):
    model = Driven(rate, y)
    slope = model.slope if rate > 0.5 else model.counted
    return euler(slope, y, 3)


@program((0.7, 2.0))
def one_function_two_methods(rate, y):
    first, second = Decay(rate), Driven(y, rate)
    return euler(first.slope, y, 2) + euler(second.slope, y, 2) + euler(Decay.free, y, 2)


@program((0.7, 2.0))
def class_methods(rate, y):
    make = Decay.doubled
    return euler(make(rate).slope, y, 2)


@program((0.7, 2.0))
def in_containers(rate, y):
    model = Driven(rate, y)
    slopes = [model.slope, Decay(y).slope]
    table = {"slope": model.slope, "free": model.free}
    total = 0.0
    for slope in slopes:
        total += euler(slope, y, 2)
    return total + euler(table["slope"], y, 1) + table["free"](y, rate)


class Solver:
    def __init__(self, function, slope):
        self.function = function
        self.slope = slope
        self.observers = []

    def solve(self, x):
        for _ in range(6):
            x = x - self.function(x) / self.slope(x)
            for observer in self.observers:
                observer(x)
        return x


class Root:
    def __init__(self, square):
        self.square = square
        self.path = 0.0

    def residual(self, x):
        return x * x - self.square

    def derivative(self, x):
        return 2.0 * x

    def note(self, x):
        self.path = self.path + x * self.square


@program((2.0, 1.5))
def held_by_another_object(square, x):
    root = Root(square)
    solver = Solver(root.residual, root.derivative)
    solver.observers.append(root.note)
    return solver.solve(x) * root.path


@program((2.0, 1.5))
def captured_by_a_lambda(square, x):
    root = Root(square)
    residual = root.residual
    root.square = root.square * x
    shifted = lambda z: residual(z + 1.0)
    return shifted(x) * residual(x)


@program(([1.0, 2.0, 0.5], 1.5))
def mapped_and_sorted(xs, square):
    root = Root(square)
    mapped = list(map(root.residual, xs))
    smallest = min(xs, key=root.residual)
    ordered = sorted(xs, key=root.derivative)
    return sum(mapped) * smallest + ordered[0] + functools.reduce(max, map(root.derivative, xs))


def chosen(root, name):
    return root.residual if name == "residual" else root.derivative


@program((2.0, 1.5))
def returned_by_a_function(square, x):
    root = Root(square)
    return chosen(root, "residual")(x) * chosen(root, "derivative")(x)


@program((2.0, 1.5))
def of_numbers_and_containers(x, y):
    items = [x, y]
    append = items.append
    append(x * y)
    total = math.fsum(items)
    extend = items.extend
    extend([y])
    return total * items[-1] + items[2]


@program((np.array([0.5, 1.0]), 2.0))
def of_arrays_as_values(a, x):
    total = a.sum
    product = (a * x).dot
    return total() * product(a)


class Tower:
    def __init__(self, level, below=None):
        self.level, self.below = level, below

    def height(self, scale):
        lower = 0.0 if self.below is None else applied(self.below.height, scale)
        return self.level * scale + lower * lower


def applied(method, scale):
    return method(scale)


@program((0.7, 2.0))
def recursion_through_a_function(level, scale):
    return applied(Tower(level, Tower(scale, Tower(level * scale))).height, scale)
