"""Random functions that put an array into a container, take it, or what holds it, out of there,
have an object hold that, change the array by one of these names and read it by another.

    def f(x):
        a, b, c = arrays(x)
        for i in range(2): t = ([b], a)        how `t` is made
        y = t[0]                               what is taken
        q.w = (1.0, y)                         what an object holds
        q.w[1][0][1] += x**3                   how the array is changed
        return np.sum(a * b) + np.sum(b * b)   and read
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import re
from collections import namedtuple
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from tests.random_code import names_of

Pair = namedtuple("Pair", "first second")


class Holder:
    pass


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v


def arrays(x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array([x, 0.5 * x]), np.array([0.3 * x, x * x]), np.array([1.0, 2.0 * x])


# What is put together of {0}, which is `b`, or `c` where there is a choice, and {1}, which is `a`;
# how {0} is read of that.
TOGETHER = {
    "{0}": "", "({1}, {0})": "[1]", "[{1}, {0}]": "[1]", "([{0}], {1})": "[0][0]",
    "[{1}, [{0}]]": "[1][0]", "(({1}, ({0}, 1.0)), [{1}])": "[0][1][0]", "[[{0}], [{1}]]": "[0][0]",
    "{{'k': [{0}]}}": "['k'][0]", "{{'k': ({1}, {0})}}": "['k'][1]",
    "Pair([{0}], {1})": ".first[0]", "[({1}, {0})]": "[0][1]", "Box({0})": ".v",
    "Box([{0}])": ".v[0]", "[Box({0})]": "[0].v",
    "(Box({0}), {1})": "[0].v", "([({0},)], {1})": "[0][0][0]", "Box(({1}, {0}))": ".v[1]",
}
# How `t` becomes one of these, or one of two.
MADE = [
    "t = {0}", "for i in range(2): t = {0}", "t = {1}\nfor i in range(2): t = {0}",
    "if x > 0.0: t = {0}\nelse: t = {1}", "t = {0} if x > 0.0 else {1}",
    "for i in range(2):\n    if i == 1: t = {0}\n    else: t = {1}",
    "i = 0\nwhile i < 2:\n    i += 1\n    t = {0}", "try:\n    t = {0}\nexcept ValueError: t = {1}",
    "t = [{0} for i in range(2)][1]", "t = (lambda a, b: {0})(a, b)", "for t in [{1}, {0}]: pass",
    "t = 1.0\nfor i in range(2): t = (t, {0})\nt = t[1]",
    "t = 1.0\nfor i in range(2): t = [t, {0}]\nt = t[1]",
    "ts = []\nfor i in range(2): ts.append({0})\nt = ts[1]",
    "t = {1}\nfor i in range(2): t, s = {0}, t", "t, s = {1}, {0}\nfor i in range(3): t, s = s, t",
    "d = {{}}\nfor i in range(2): d[i] = {0}\nt = d[1]",
    "for i in range(3):\n    t = {0}\n    if i: break",
]
# How a container `t` comes to hold `b` at 1.
FILLED = [
    "t = [a]\nt.append(b)", "t = [a]\nt.extend([b, c])", "t = [a]\nt += [b]", "t = [a, b].copy()",
    "t = [a, None]\nt[1] = b", "t = [a]\nt.insert(1, b)", "t = [a] + [b]", "t = (a,) + (b,)",
    "t = [r for r in (a, b)]", "t = [c, a, b][1:]", "t = list((a, b))", "t = [a, b] * 2",
    "t = sorted([b, a], key=lambda r: r[0] > 0.5)", "t = list(reversed([b, a]))",
    "t = [r for r, s in zip((a, b), (1, 2))]", "t = list(map(lambda r: r, (a, b)))",
    "t = list(filter(lambda r: True, (a, b)))", "t = list({'p': a, 'r': b}.values())",
    "t = []\nfor r in (a, b): t.append(r)", "t = [*(a, b)]", "t = (lambda *r: r)(a, b)",
    "t = collections.deque([a, b])", "if x > 1.0: t = [a, b]\nelse: t = [a, c]",
    "t = [a, b if x > 1.0 else c]", "t = list(itertools.chain([a], [b]))", "t = [a, (s := b)]",
    "t = [r for k, r in enumerate([a, b])]", "t = list(r for r in (a, b))", "t = [[a, b]][0]",
    "for t in [[a, b]]: pass", "t, s = [a, b], 1.0", "t = [b, a]\nt[0], t[1] = t[1], t[0]",
    "t = [b, a]\nt.reverse()", "t = {0: a}\nt.setdefault(1, b)", "t = {0: a, 1: b}",
    "t = {k: r for k, r in enumerate((a, b))}", "t = dict([(0, a), (1, b)])", "t = Pair(a, b)",
    "t = {0: a}\nt.update({1: b})", "t = {0: a} | {1: b}", "t = Pair(a, a)._replace(second=b)",
    "t = collections.defaultdict(list)\nt[1] = b", "o = Box([a, b])\nt = o.v",
    "o = Box([a])\no.v.append(b)\nt = o.v", "o = Box(b)\nt = [a, o.v]", "t = (lambda: [a, b])()",
    "t = np.stack([a, b])\nb = t[1]", "m = np.stack([a, b])\nt = [r for r in m]\nb = m[1]",
    "m = np.stack([a, b])\nt = list(m)\nb = m[1]", "t = [a, b.reshape(2)]", "t = [a, b[:]]",
    "t = (a, b.T)", "t = (a, np.asarray(b))", "t = [a, b.ravel()]",
]
# How `y` is taken of {0}.
TAKEN = [
    "y = {0}", "for k in range(2): y = {0}", "y = {0} if x > 1.0 else {0}", "for y in [{0}]: pass",
    "y = ({0}, 1.0)[0]", "y = Box({0}).v", "y = (lambda s: s)({0})", "q.h = {0}\ny = q.h",
    "try: y = {0}\nexcept KeyError: y = a", "y = next(r for r in [{0}])", "y = {0}\ny = y",
    "for k in range(2):\n    if k == 1: y = {0}\n    else: y = c", "y = c\nif x > 0.0: y = {0}",
    "y = [{0} for k in range(2)][1]", "k = 0\nwhile k < 2:\n    y = {0}\n    k += 1",
]
# How `y` is taken of a container `t`, which holds it at 1.
PICKED = [
    "i = 1\ny = t[i]", "for k in range(2): y = t[k]",
    "k = 0\nwhile k < 2:\n    y = t[k]\n    k += 1",
    "y = t[1] if x > 1.0 else t[0]", "y = (lambda s: s[1])(t)", "q.h = t\ny = q.h[1]",
    "q.h = t\nfor k in range(2): y = q.h[k]",
    "y = t[0]\nfor k in range(2):\n    z = y\n    y = t[1]",
    "y = (t, 1.0)[0][1]", "y = [t][0][1]", "y = Box(t).v[1]", "y = [t[k] for k in range(2)][1]",
    "for k in range(2): y = (lambda s, k: s[k])(t, k)", "for y in list(t)[1::-1]:\n    break",
    "y = t[-1]", "for y in t: pass", "_, y = t[:2]", "for k, y in enumerate(t): pass",
    "for y, k in zip(t, (0, 1)): pass", "y = list(t).pop(1)", "s = iter(t)\nnext(s)\ny = next(s)",
    "for y in t:\n    if y is t[1]: break", "y = [r for r in t][1]", "y, *z = list(t)[1:]",
    "y = functools.reduce(lambda r, s: s, list(t)[:2])", "y = copy.copy(list(t))[1]",
    "ys = []\nfor r in t: ys.append(r)\ny = ys[1]",
]
# How an object comes to hold {0}, and how it is read there.
HELD = [
    ("q.w = {0}", "q.w"), ("q.w = [{0}]", "q.w[0]"), ("q.w = (1.0, {0})", "q.w[1]"),
    ("q.w = []\nq.w.append({0})", "q.w[0]"), ("for j in range(2): q.w = {0}", "q.w"),
    ("q.w = Box({0})", "q.w.v"), ("if x > 1.0: q.w = {0}\nelse: q.w = None", "q.w"),
    ("q.w = {{'z': {0}}}", "q.w['z']"), ("(lambda r, s: setattr(r, 'w', s))(q, {0})", "q.w"),
]
# How {0}, which an object holds, or {1}, which is a name, is changed.
CHANGED = [
    "{0}[1] = x**3", "{0}[1] += x**3", "{1}[1] = x**3", "b[1] = x**3", "{0} *= x",
    "for m in range(2): {0}[m] = x**(3 + m)", "{0}[1] = x**3\n{1}[0] = x * x",
]
READ = [
    "np.sum(a * b) * 2.0 + np.sum(b * b)", "np.sum(a * {0}) * 2.0 + np.sum({0} * b)",
    "np.sum(a * {1}) * 2.0 + np.sum({1} * {0})",
]
NAMES = {
    "np": np, "copy": copy, "collections": collections, "functools": functools,
    "itertools": itertools, "Pair": Pair, "Holder": Holder, "Box": Box, "arrays": arrays,
}


def random_function(seed: int) -> Callable[[float], float]:
    random = Random(seed)
    together, held = random.choice(list(TOGETHER)), random.choice(HELD)
    path: list[str] = []
    if random.random() < 0.5:
        path = re.findall(r"\[[^\]]*\]|\.\w+", TOGETHER[together])
        one, other = together.format("b", "a"), together.format("c", "a")
        begun, taken = random.choice(MADE).format(one, other), random.choice(TAKEN)
    else:
        begun, taken = random.choice(FILLED), random.choice(PICKED)
    cut = random.randrange(len(path) + 1)
    rest = "".join(path[cut:])
    of_object, name = held[1] + rest, f"y{rest}"
    lines = [
        "q = Holder()", "a, b, c = arrays(x)", begun,
        taken.format("".join(["t", *path[:cut]])) if "{0}" in taken else taken,
        held[0].format("y"), random.choice(CHANGED).format(of_object, name),
        f"return {random.choice(READ).format(of_object, name)}",
    ]
    body = "\n".join(lines).replace("\n", "\n    ")
    return names_of([f"def f(x):\n    {body}"], f"<random {seed}>", NAMES)["f"]
