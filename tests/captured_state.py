"""Factories of functions that keep something in what they have captured: `f = factory()`."""

import numpy as np


def counter():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return np.sum(x**3) * count

    return f


def total():
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    def f(x):
        nonlocal total
        total = 0.0
        for v in x:
            add(v)
        return total * total

    return f


def history():
    points = []

    def f(x):
        points.append(x.copy())
        return np.sum(x**3)

    return f


def last_of_history():
    squares = []

    def f(x):
        y = x * x
        squares.append(y)
        return y.sum() * squares[-1][0]

    return f


def values():
    values = []

    def f(x):
        y = np.sum(x**4)
        values.append(float(y))
        return y

    return f


def tables():
    known = {}

    def basis(n):
        if n not in known:
            known[n] = np.arange(n) / n
        return known[n]

    def f(x):
        return np.sum(np.sin(x) * basis(len(x)))

    return f


def callback():
    n, trace = 0, []

    def call(v):
        nonlocal n
        n += 1
        trace.append((n, float(v)))

    def f(x):
        s = 0.0
        for v in x:
            s = s + v**3
            call(s)
        return s

    return f


def state():
    state = np.zeros(3)

    def step(u):
        state[:] = 0.5 * state + u
        return state.copy()

    def f(x):
        state[:] = 0.0
        a = step(x)
        b = step(x * a)
        return np.sum(a * b)

    return f


def workspace():
    work = np.zeros(3)

    def f(x):
        work[:] = x
        work[1] *= x[0]
        return np.sum(work**3)

    return f


def weight():
    weight = [1.0]

    def f(x):
        weight[0] = weight[0] * 0.5 + x[0] * x[1]
        return weight[0] * x[2]

    return f


def number_of_calls():
    seen = {"calls": 0}

    def f(x):
        seen["calls"] += 1
        return np.sum(x**3) * seen["calls"]

    return f


def memo():
    memo = {}

    def power(n, v):
        if n < 2:
            return v
        if n not in memo:
            memo[n] = power(n - 1, v) + power(n - 2, v) * v
        return memo[n]

    def f(x):
        memo.clear()
        return power(6, x[0]) * x[1] + x[2]

    return f


def decorated():
    names = []

    def logged(g):
        def wrapper(*args):
            names.append(g.__name__)
            return g(*args)

        return wrapper

    @logged
    def f(x):
        return np.sum(x**3)

    return f


def best():
    best = {"value": np.inf, "x": None}

    def f(x):
        y = np.sum(x**4)
        if y < best["value"]:
            best["value"] = float(y)
            best["x"] = x.copy()
        return y

    return f


FACTORIES = [
    counter, total, history, last_of_history, values, tables, callback, state, workspace, weight,
    number_of_calls, memo, decorated, best,
]
