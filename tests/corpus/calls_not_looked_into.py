"""Calls of what isn't written in Python, or is found while the program runs, that change what they
are given: no derivative flows through them."""

import functools
import io
import struct

import numpy as np
from scipy.linalg import blas

from tests.corpus.registry import program

X = np.array([2.0, 3.0])
Y = np.array([-0.5, 1.5])
NOTES = {"one": [lambda function, value: function(value)], "none": [lambda function: function()]}


class Meter:
    def __init__(self, weights):
        self.weights = weights
        self.readings = []

    def read(self, x):
        self.readings.append(np.sum(x * self.weights))


def doubled(w, times):
    for k in range(times):
        if k > 5:
            return
        blas.dscal(2.0, w)


def doubled_and_first_set(w, u, times):
    for k in range(times):
        if k > 5:
            return
        blas.dscal(2.0, w)
        u[0] = 3.0


def product_behind(x, w):
    for k in range(len(x)):
        if x[k] > 100.0:
            return x
    blas.dscal(2.0, w)
    return x * w


@program((X,), (Y,), (X + Y,))
def scaled_by_a_library(x):
    w = np.array([0.5, 1.5])
    y = np.sum(x * w)
    blas.dscal(2.0, w)
    return y + np.sum(x**2 * w)


@program((X,), (Y,), (X + Y,))
def packed_and_read(x):
    w = np.array([0.5, 1.5])
    y = np.sum(np.sin(x) * w)
    struct.pack_into("d", w, 8, 7.0)
    z = np.sum(x * w)
    io.BytesIO(np.array([3.0, 4.0]).tobytes()).readinto(w)
    return y * z + x[0] * w[1]


@program((X,), (Y,), (X + Y,))
def by_a_function(x):
    w = np.array([0.5, 1.5])
    y = np.sum(x * w)
    doubled(w, 2)
    return y * np.sum(x**2 * w)


@program((X,), (Y,), (X + Y,))
def by_a_function_that_changes_another_one(x):
    w, u = np.array([0.5, 1.5]), np.array([1.0, 2.0])
    y = np.sum(x * w) + np.sum(x * u)
    doubled_and_first_set(w, u, 1)
    return y + np.sum(x**2 * w) + np.sum(x**2 * u)


@program((X,), (Y,), (X + Y,))
def by_a_function_with_derivatives(x):
    w = np.array([0.5, 1.5])
    y = np.sum(x * w)
    z = product_behind(x, w)
    return y + np.sum(x * z * w)


@program((X,), (Y,), (X + Y,))
def beside_an_object(x):
    w = np.array([0.5, 1.5])
    meter = Meter(x)
    meter.read(w)
    y = np.sum(meter.weights * w)
    doubled(w, 1)
    return y * np.sum(meter.weights**2 * w) + meter.readings[0]


@program((X, True), (Y, True), (X, False), (Y, False))
def in_a_branch(x, is_scaled):
    w = np.array([0.5, 1.5])
    y = np.sum(x * w)
    if is_scaled:
        blas.dscal(3.0, w)
    return y + np.sum(np.cos(x) * w)


@program((1.5,), (-0.4,), (3.0,))
def appended_by_a_function_that_is_found(x):
    seen = [x]
    NOTES["one"][0](seen.append, 2.0)
    NOTES["one"][0](seen.append, x * x)
    return x * sum(seen) + seen[-1]


@program((1.5,), (-0.4,), (3.0,))
def sorted_by_a_function_that_is_found(x):
    seen = [x, 2.0 * x + 1.0, 0.5 * x]
    NOTES["none"][0](seen.sort)
    return seen[0] * seen[-1] + x * seen[1]


@program((1.5,), (-0.4,), (3.0,))
def updated_by_a_function_that_is_found(x):
    rates = {"a": x}
    NOTES["one"][0](rates.update, {"a": 5.0, "b": x})
    return x * rates["a"] + rates["b"] ** 2


def put(array, value):
    array[0] = value


def logged(function):
    @functools.wraps(function)
    def call(*args):
        return function(*args)

    return call


put_and_logged = logged(put)


def call_each(functions, *args):
    for function in functions:
        function(*args)


class Events:
    def __init__(self):
        self.handlers = []

    def on(self, handler):
        self.handlers.append(handler)

    def fire(self, *args):
        for handler in self.handlers:
            handler(*args)


@program((np.array([1.0, 2.0, 3.0]),))
def changed_by_a_decorated_function(x):
    weights = np.ones(3)
    y = np.sum(x * weights)
    put_and_logged(weights, 5.0)
    return y + x[0] * np.sum(x * weights)


@program((np.array([1.0, 2.0, 3.0]),))
def changed_by_each_of_some_functions(x):
    weights = np.ones(3)
    y = np.sum(x * weights)
    call_each([lambda value: put(weights, value), lambda value: weights.sort()], 5.0)
    return y + x[0] * np.sum(x * weights)


@program((np.array([1.0, 2.0, 3.0]),))
def changed_by_a_handler(x):
    weights = np.ones(3)
    events = Events()
    events.on(lambda value: put(weights, value))
    y = 0.0
    for value in (3.0, 5.0):
        events.fire(value)
        y += x[1] * np.sum(x * weights)
    return y
