"""A dozen telling functions, and the text that the compiler makes of them.

Each has a file in `tests/golden`, compared exactly by `tests/test_golden.py` and read in review as
code is. After a change that is meant to show there, write them anew and read the difference:

    python -m tests.golden_programs --write
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ir
from ir.rewrite import clone
from ir.simplify import eliminate_dead, is_pure, share_common
from zyg.calls.entry import entry_for

FOLDER = Path(__file__).parent / "golden"


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def foo(x, y):
    a = math.sin(x)
    b = math.cos(y)
    return a * b + a


def branches(x, y):
    if x > y:
        return x * y
    if x < 0.0:
        x = -x
    elif y > 1.0:
        return math.exp(x)
    return x * x + y


def bisection(a, low, high):
    while True:
        middle = 0.5 * (low + high)
        if high - low < 1e-3:
            break
        if middle * middle > a:
            high = middle
            continue
        low = middle
    return middle


def halving(x, limit):
    steps = 0
    while abs(x) > limit:
        if steps == 20:
            break
        x = x / 2.0 + 0.1 * math.sin(x)
        steps += 1
    return x * steps


def nested_loops(x, n):
    total = 0.0
    for i in range(n):
        term = x
        for j in range(i):
            term = term * x + j
        total += term
    return total


def fibonacci(x, n):
    if n < 2:
        return x
    return fibonacci(x, n - 1) + fibonacci(x, n - 2)


def squared_distance(x, y):
    difference = x - y
    return difference * difference


def arc(x, y):
    radius = math.sqrt(x * x + y * y)
    angle = math.atan2(y, x)
    spread = math.exp(-radius)
    waves = math.cos(3.0 * angle) + math.cos(5.0 * angle)
    shape = spread * waves
    if shape > 0.5:
        shape = 0.5 + math.log(shape + 0.5)
    tail = math.tanh(radius - 1.0)
    return shape * tail + radius * angle


def helpers(x, y):
    return squared_distance(x, y) + arc(x, y) * arc(y, 2.0 * x)


def network(layers, x):
    for W, b in layers:
        x = np.tanh(W @ x + b)
    return np.sum(x * x)


def log_sum_exp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def weighted_sum(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i] ** 2
    return total


def predator_and_prey(state, rates):
    hares, lynxes = state
    alpha, beta, gamma, delta = rates
    return (alpha - beta * lynxes) * hares, (delta * hares - gamma) * lynxes


def shifted(state, slopes, step):
    return state[0] + step * slopes[0], state[1] + step * slopes[1]


def runge_kutta_step(state, rates, step):
    k1 = predator_and_prey(state, rates)
    k2 = predator_and_prey(shifted(state, k1, step / 2.0), rates)
    k3 = predator_and_prey(shifted(state, k2, step / 2.0), rates)
    k4 = predator_and_prey(shifted(state, k3, step), rates)
    hares, lynxes = state
    return (
        hares + step / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]),
        lynxes + step / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]),
    )


def kalman_step(flow, level, variance, noise, drift):
    surprise = flow - level
    spread = variance + noise
    gain = variance / spread
    log_density = -0.5 * (math.log(2.0 * math.pi * spread) + surprise**2 / spread)
    return level + gain * surprise, gain * noise + drift, log_density


def closure(x, y):
    def scaled(z):
        for _ in range(3):
            z = x * z
        return z

    return scaled(y) + scaled(scaled(1.0))


def comprehension(x, n):
    return sum([math.sin(i * x) / i for i in range(1, n + 1)])


@dataclass(frozen=True)
class Program:
    """A function, arguments that give it a signature, and the forms in which it is shown."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    modes: tuple[str, ...] = ("pullback", "gradient")

    @property
    def name(self) -> str:
        return self.function.__name__


def newton(x, a, n):
    for _ in range(n):
        try:
            x -= (x * x - a) / (2 * x)
        except ZeroDivisionError:
            x = a
            continue
        x = abs(x)
    return x


def parameters(p, x):
    """A dict and a tuple of parameters, read by their keys and places."""
    hidden = np.tanh(x @ p["w"] + p["b"])
    return p["scale"][0] * np.sum(hidden * hidden) + p["scale"][1]


VECTOR = np.array([0.5, -1.0, 2.0])
EDGES = np.array([[0, 1], [1, 2]])
PAIR = ("pullback",)
class Disc:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


def areas(shapes):
    total = 0.0
    for shape in shapes:
        total += shape.area()
    return total


def one_of_some(functions, x):
    for f in functions:
        x = f(x)
    return x


def diffused(u, rate, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def laplacian(x, first, second, weights):
    flow = np.zeros(len(x))
    for e in range(len(first)):
        i, j = first[e], second[e]
        flow[i] += weights[e] * (x[j] - x[i])
        flow[j] -= weights[e] * (x[j] - x[i])
    return flow @ flow


PROGRAMS = [
    Program(power, (2.0, 3)),
    Program(foo, (1.0, 2.0)),
    Program(branches, (1.0, 2.0)),
    Program(bisection, (2.0, 0.0, 2.0)),
    Program(halving, (3.0, 0.5)),
    Program(nested_loops, (2.0, 4)),
    Program(fibonacci, (1.5, 5)),
    Program(helpers, (1.0, 2.0)),
    Program(network, ([(np.ones((3, 3)), np.ones(3)), (np.ones((2, 3)), np.ones(2))], VECTOR)),
    Program(log_sum_exp, (VECTOR,)),
    Program(weighted_sum, (VECTOR, VECTOR)),
    Program(runge_kutta_step, ((30.0, 4.0), (0.55, 0.028, 0.8, 0.024), 0.1), PAIR),
    Program(kalman_step, (1100.0, 1000.0, 9000.0, 15000.0, 1500.0), PAIR),
    Program(closure, (2.0, 3.0)),
    Program(comprehension, (0.5, 4)),
    Program(newton, (1.0, 2.0, 4)),
    Program(parameters, ({"w": np.ones((3, 2)), "b": np.ones(2), "scale": (2.0, 1.0)}, VECTOR)),
    Program(areas, ([Disc(1.0), Square(2.0)],)),
    Program(one_of_some, ([math.sin, math.exp], 0.5)),
    Program(diffused, (VECTOR, 0.25, 3), ("gradient",)),
    Program(laplacian, (VECTOR, *EDGES, np.array([1.5, 0.5])), ("gradient",)),
]


def generated(program: Program) -> str:
    """The code that the compiler generates for a program, in each of its forms."""
    parts = []
    for mode in program.modes:
        code = entry_for(mode, program.function, program.args, {}).code
        parts.append(f"# {mode}\n\n{code.emitted.source}")
    return "\n\n".join(parts)


# IR: what the front end and the simplifier make.


def early_return(x, n):
    for i in range(n):
        if x > 10.0:
            return x
        if i == 3:
            continue
        x = x * i
    else:
        x = -x
    return x + 1.0


def search(x, y):
    while x < y:
        for step in (1.0, 2.0):
            if x + step > y:
                break
            x += step
        else:
            continue
        break
    return x


def cut(x, y):
    ratio = x
    try:
        ratio = x / y
        ratio = ratio / (x - y)
    except ZeroDivisionError:
        ratio = -ratio
    return ratio * x


def redundant(x, y):
    unused = x * y
    a, b = x + y, (x, y)
    shared = (x + y) * a
    for _ in range(3):
        unused = unused + shared
    if x > y:
        unused = b
    return shared + b[0]


def parsed(function: Callable[..., Any]) -> str:
    return f"{ir.parse(function)}\n\n{ir.emit(ir.parse(function))}"


def simplified(function: Callable[..., Any]) -> str:
    """A function before and after common expressions and dead code are removed."""
    copied = clone(ir.parse(function))
    share_common(copied.body)
    eliminate_dead(copied.body, is_pure)
    return f"{ir.parse(function)}\n\n{copied}\n"


# Forward mode: a loop, calls, arrays, a change in place.


def relaxed(u, source):
    u = u.copy()
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1] - source[i])
    return np.sum(u * u)


TANGENTS = [
    Program(power, (2.0, 3), ("tangent:0",)),
    Program(halving, (3.0, 0.5), ("tangent:0,1",)),
    Program(log_sum_exp, (VECTOR,), ("tangent:0",)),
    Program(relaxed, (VECTOR, VECTOR), ("tangent:0,1",)),
]


def all_texts() -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of each golden file, and what makes its text."""
    for program in PROGRAMS:
        yield f"{program.name}.txt", lambda program=program: generated(program)
    for program in TANGENTS:
        yield f"tangent_{program.name}.txt", lambda program=program: generated(program)
    for function in (early_return, search, cut):
        yield f"parse_{function.__name__}.txt", lambda function=function: parsed(function)
    yield "simplify_redundant.txt", lambda: simplified(redundant)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.golden_programs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files anew")
    options = parser.parse_args()
    for name, text in all_texts():
        if options.write:
            (FOLDER / name).write_text(text())
        else:
            print(f"# {name}\n\n{text()}")


if __name__ == "__main__":
    main()
