"""Random programs that change memory which several objects hold, some of it shared."""

import copy
import linecache
import random

import numpy as np


class Holder:
    def __init__(self, a):
        self.a = a

    def push(self, value):
        self.a.append(value)

    def scale(self, i, value):
        self.a[i] = self.a[i] * value

    def part(self):
        return self.a[1:]


def push_to(items, value):
    items.append(value)


def change_first(w, value):
    w[0] = w[0] * value


def failing(holder, value):
    holder.a.append(value)
    raise ValueError


NUMBERS = [
    *("x", "y", "t", "t * x", "o.a[0]", "h.a[-1]", "p.a[0]", "s.a[1] * x", 'memo.a["k"]', "xs[0]"),
    *("len(o.a) * y", "get()", "np.sum(p.a) * 0.1", "sum(q.a) * 0.2", "p.part()[0]", "g.a[0][1]"),
    *("float(np.sin(p.a[2]))", 'd.get("z", y)', "p.x", "min(o.a)", "sorted(o.a)[0]"),
    "(p.a * s.a)[1]",
]
STATEMENTS = [
    "o.push({v})", "h.a.append({v})", "q.scale(0, {v})", "p.a[{i}] += {v}", "s.a[{i}] = {v}",
    "p.a[1:] = p.a[:-1] * {v}", "p.a *= 0.5 * {v}", 'memo.a["k"] = memo.a["k"] * {v}',
    'memo.a["z"] = {v}', "note({v})", "t = t * 0.5 + {v}", "push_to(o.a, {v})",
    "change_first(p.a, {v})", "p.x = {v}", "o.a = o.a[:2] + [{v}]", "g.a[0][1] = {v}",
    "g.a[1].append({v})", "xs.insert(0, {v})", "o.a.reverse()", "q.a.sort()", "h.a.append(t)",
    "for e in list(o.a):\n    if len(o.a) < 8: o.a.append(e * {v} * 0.1)",
    "for i, e in enumerate(o.a):\n    o.a[i] = e * 0.5\n    t = t + e * {v} * 0.1",
    "if len(o.a) > 2: del o.a[1]",
    "if len(h.a) > 2: t = t + h.a.pop() * {v}",
    "try:\n    o.a.append({v})\n    failing(q, {v})\nexcept ValueError:\n    q.a[0] = q.a[0] * t",
    "h.b = o.a\nh.b[0] = {v}",
    "z = copy.deepcopy(o)\nz.a.append({v})\nt = t + sum(z.a) * 0.1",
    "view = p.a[1:3]\nview[0] = {v}\nt = t + view[1]",
    "for name, e in memo.a.items(): t = t + e * {v} * 0.1",
    "old = p.a + 0.0\np.a[0] = {v}\nt = t + old[0] * 0.3",
    "same = p.a\np.a[1] = {v}\nt = t + same[1] * 0.3",
    "o.a[0], o.a[1] = o.a[1], o.a[0] * {v}",
    "if {v} > {v}:\n    o.a[0] = {v}\nelse:\n    p.a[0] = {v}",
    "for i in range(3):\n    h.push({v})\n    p.a[i] = {v}",
]


def random_function(seed):
    """A function of two numbers that changes what several objects hold, some of it shared."""
    choose = random.Random(seed)
    lines = [
        "def f(x, y):",
        "o = Holder([x, y, x * y]); q = Holder([y, y * x])",
        "p = Holder(np.array([x, y, x + y, 1.0]))",
        "p.x = 1.0; s = Holder(p.a); d = {'k': x}; memo = Holder(d); xs = [x, y]; t = x",
        "g = Holder([[x, y], [y, x]])",
        choose.choice(["h = Holder(o.a)", "h = Holder([1.0, 2.0, 3.0])"]),
        choose.choice(["q.a = o.a", "q.b = o.a", "q.b = q.a"]),
        "h.b = o.a",
        choose.choice(["def note(v): xs.append(v * x)", "def note(v): xs[0] = xs[0] * v"]),
        "def get(): return o.a[0] + xs[-1]",
    ]
    for _ in range(choose.randrange(3, 9)):
        text = choose.choice(STATEMENTS)
        while "{v}" in text:
            text = text.replace("{v}", choose.choice(NUMBERS), 1)
        lines += text.replace("{i}", str(choose.randrange(4))).split("\n")
    lines.append(
        "return (t + sum(o.a) + sum(h.a) * 2 + sum(q.a) * 3 + np.sum(p.a * np.arange(1.0, 5.0))"
        " + np.sum(s.a) + sum(memo.a.values()) + sum(xs) + d['k'] + sum(g.a[0]) + sum(g.a[1])"
        " + p.x + h.b[0])"
    )
    source = "\n    ".join(lines) + "\n"
    file = f"<held memory {seed}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    names = {**globals(), "copy": copy, "np": np}
    exec(compile(source, file, "exec"), names)
    return names["f"]
