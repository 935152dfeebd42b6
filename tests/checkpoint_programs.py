"""Programs with a loop over checkpoints, as texts: `MARK` marks the loop, or doesn't.

The same text without the marks is the plain program, which values, side effects and gradients are
compared with.
"""

import itertools
import linecache
import math
import re
from dataclasses import dataclass

import numpy as np

import zyg

numbers = itertools.count()


@dataclass
class Program:
    """A text that defines `f`, and the arguments to call it with."""

    name: str
    text: str
    args: tuple

    def marked(self, slots):
        return made(re.sub(r"MARK\(", "zyg.checkpoints(", self.text).replace("SLOTS", str(slots)))

    def plain(self):
        return made(self.text.replace("MARK(", "(").replace(", slots=SLOTS", ""))

    def fresh_args(self):
        return tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in self.args)


def made(text, **names):
    """The function `f` that a text defines."""
    file = f"<checkpoints {next(numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"np": np, "math": math, "zyg": zyg, **names}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


U = np.linspace(0.0, 1.0, 7) ** 2
PROGRAMS = [
    Program("scalar", """
def f(x, n):
    y = x
    for t in MARK(range(n), slots=SLOTS):
        y = y + 0.1 * math.sin(y) * x + t
    return y * x
""", (0.7, 23)),
    Program("empty", """
def f(x, n):
    for t in MARK(range(n), slots=SLOTS):
        x = x * x
    return x
""", (0.7, 0)),
    Program("new arrays", """
def f(u, kappa):
    for t in MARK(range(20), slots=SLOTS):
        u = u + kappa * (np.roll(u, 1) - 2 * u + np.roll(u, -1)) - 0.1 * u * u
    return np.sum(u * u) * kappa
""", (U, 0.2)),
    Program("in place", """
def f(u, kappa):
    for t in MARK(range(20), slots=SLOTS):
        u[1:-1] = u[1:-1] + kappa * (u[2:] - 2 * u[1:-1] + u[:-2]) + 0.01 * np.sin(u[1:-1])
    return np.sum(u * u)
""", (U, 0.2)),
    Program("one number at a time", """
def f(u, kappa):
    for t in MARK(range(9), slots=SLOTS):
        for i in range(1, len(u) - 1):
            u[i] += kappa * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i]
    return np.sum(u * u)
""", (U, 0.2)),
    Program("two arrays in turns", """
def f(u, kappa):
    v = u.copy()
    for t in MARK(range(15), slots=SLOTS):
        v[1:-1] = u[1:-1] + kappa * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        u, v = v, u
    return np.sum(u * u)
""", (U, 0.2)),
    Program("the array of before", """
def f(u, kappa):
    before = u
    for t in MARK(range(12), slots=SLOTS):
        u, before = u + kappa * (u - before) - 0.1 * np.sin(u), u
    return np.sum(u * before)
""", (U, 0.2)),
    Program("break", """
def f(x, n):
    best = None
    y = x
    for t in MARK(range(n), slots=SLOTS):
        y = y * 0.9 + math.sin(x * t)
        if best is None or y > best:
            best = y
        if y > 3:
            break
        z = y * 2
    return best * y + z
""", (0.7, 30)),
    Program("return and continue", """
def f(x, n):
    y = x
    for t in MARK(range(n), slots=SLOTS):
        y = y * 1.1 + math.sin(x * t) * 0.1
        if t % 3 == 0:
            continue
        if y > 3:
            return y * x
        y = y + 0.01
    else:
        y = y * y
    return y
""", (0.7, 50)),
    Program("nested", """
def f(x, n):
    y = x
    for t in MARK(range(n), slots=SLOTS):
        for s in MARK(range(t % 5 + 1), slots=SLOTS):
            y = y + 0.01 * math.sin(y) * x
        y = y * x
    return y * x
""", (0.7, 13)),
    Program("in a function", """
def g(x, w, n):
    for t in MARK(range(n), slots=SLOTS):
        x = math.tanh(w * x + 0.1 * t)
    return x, w
def f(x, w):
    y, v = g(x, w, 9)
    z, _ = g(y, v * y, 4)
    return z * w
""", (0.7, 1.3)),
    Program("items", """
def f(xs, w):
    y = np.zeros(3)
    for x in MARK(xs, slots=SLOTS):
        y = np.tanh(w @ y + x)
    return np.sum(y)
""", (np.arange(30.0).reshape(10, 3) / 30, np.arange(9.0).reshape(3, 3) / 9)),
    Program("items of a list", """
def f(x, y):
    total = 0.0
    for a, b in MARK([(x, y), (y, x), (x * x, 2.0)], slots=SLOTS):
        total = total * a + math.sin(b)
    return total
""", (0.7, 1.3)),
    Program("read from outside", """
def f(forcing, w):
    y = 0.0
    for t in MARK(range(len(forcing)), slots=SLOTS):
        y = math.tanh(w * y + forcing[t]) + forcing[0]
    return y + forcing[1]
""", (np.arange(12.0) / 12, 0.3)),
    Program("containers", """
def f(x, y):
    d = (x, {"a": y}, [x, y])
    for t in MARK(range(6), slots=SLOTS):
        d = (d[1]["a"], {"a": d[0] * x}, [d[2][1], d[2][0] * y])
    return d[0] * d[1]["a"] + d[2][0]
""", (0.7, 1.3)),
    Program("try", """
def f(x, n):
    for t in MARK(range(n), slots=SLOTS):
        try:
            if t % 4 == 3:
                raise ValueError
            x = math.sin(x) + 0.1 * t
        except ValueError:
            x = x * x
    return x
""", (0.7, 9)),
    Program("local functions", """
def f(x, n):
    def step(y, t):
        for _ in range(2):
            y = y * x + t
        return y
    y = x
    for t in MARK(range(n), slots=SLOTS):
        y = 0.1 * step(y, t)
    return y
""", (0.7, 9)),
]
