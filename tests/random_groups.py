"""Random functions that fill and change dicts of lists and of dicts.

    def f(x):
        d = defaultdict(list)
        e = {k: [x, 0.5] for k in range(3)}
        for i in range(3):
            d[i % 2].append(math.sin(total(e, 1)))
            if len(e[1]) > 1:
                x += 0.5 * (e[1].pop())
            if i not in e:
                e[i] = []
            e.setdefault(i + 1, []).append(x)
        return x + total_of_all(d) + total_of_all(e)
"""

from __future__ import annotations

import math
from collections import defaultdict

from tests.random_code import BlockWriter, names_of

STARTS = (
    "defaultdict(list)", "{}", "{k: [] for k in range(3)}", "{k: [x, 0.5 * k] for k in range(3)}",
    "defaultdict(list, {1: [x]})", "{0: [x], 2: [1.0, x]}",
)
STARTS_OF_DICTS = ("defaultdict(dict)", "{k: {} for k in range(3)}", "{0: {1: x}}")


class _Writer(BlockWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(x):")

    def key(self) -> str:
        return self.one(str(self.random.randrange(4)), *[f"{i} % 3" for i in self.loops * 2])

    def number(self) -> str:
        read = self.one(
            "x", f"total(d, {self.key()})", f"total(e, {self.key()})", "total_of_all(d)",
            f"sum(d.get({self.key()}, [x]))", "sum([len(v) for v in e.values()]) * x",
            f"sum([w * (k + 1) for k in d for w in d[k]]) + {self.key()}",
            f"sum([w for _, w in p.get({self.key()}, [])])",
            f"q.get({self.key()}, {{}}).get({self.key()}, x)",
        )
        return self.one(f"math.sin({read})", f"0.5 * ({read})", f"math.tanh({read})")

    def store(self, depth: int) -> None:
        t, k, j = self.one("d", "d", "e"), self.key(), self.key()
        new = self.one(
            f"[{self.number()}, x]", "[]", f"[math.sin(v) for v in {t}.get({k}, [])]",
            f"list({t}.get({k}, [x]))", "[x] * 3",
        )
        lines = self.random.choice([
            *[[f"{t}.setdefault({k}, []).append({self.number()})"]] * 3,
            *[[f"if {k} not in {t}:", f"    {t}[{k}] = {new}", f"{t}[{k}].append(x)"]] * 2,
            *[[f"if {t}.get({k}):", f"    {t}[{k}][{self.one('0', '-1')}] "
               f"{self.one('=', '+=', '*=')} {self.number()}"]] * 3,
            *[[f"if len({t}.get({k}, [])) > 1:",
               f"    x += 0.5 * {t}[{k}].pop({self.one('', '0')})"]] * 2,
            [f"if {t}.get({k}):", f"    del {t}[{k}][{self.one('0', '-1')}]"],
            [f"if {t}.get({k}):", f"    {t}[{k}].insert({self.one('0', '1')}, {self.number()})"],
            [f"{t}[{k}] = {new}"],
            [f"{t}.pop({k}, None)"],
            [f"if {k} in {t}:", f"    del {t}[{k}]"],
            [f"for k in {t}:", f"    x += 0.1 * total({t}, k)"],
            [f"for k, row in {t}.items():", "    x += 0.1 * sum(row) * k"],
            [f"for k in sorted({t}):", f"    {t}[k].append({self.number()})"],
            [f"for row in {t}.values():", "    x += 0.1 * sum(row)"],
            [f"e = {{k: [v * x for v in row] for k, row in {t}.items()}}"],
            [f"add({t}, {k}, {self.number()})"],
            [f"x = x + {self.number()}"],
            *[[f"p.setdefault({k}, []).append(({j}, {self.number()}))"]] * 2,
            [f"if p.get({k}):", f"    x += 0.3 * p[{k}].pop()[1]"],
            [f"for j, w in p.get({k}, []):", f"    {t}.setdefault(j, []).append(w * x)"],
            *[[f"if {k} not in q:", f"    q[{k}] = {{}}", f"q[{k}][{j}] = {self.number()}"]] * 2,
            [f"if {j} in q.get({k}, {{}}):", f"    q[{k}][{j}] += {self.number()}"],
            [f"q.pop({k}, None)"],
        ])
        for line in lines:
            self.put(depth, line)

    def statement(self, depth: int) -> None:
        kind = self.random.random() if depth < 4 and len(self.lines) < 18 else 1.0
        if kind < 0.35:
            name = "ijk"[len(self.loops)]
            self.put(depth, f"for {name} in range({self.one('3', '2', '1, 4')}):")
            self.loops.append(name)
            self.block(depth + 1)
            self.loops.pop()
        elif kind < 0.45:
            condition = f"{self.loops[-1]} % 2 == 0" if self.loops else "len(d) > 1"
            self.branch(depth, condition)
        else:
            self.store(depth)


def total(table, key):
    return sum(table[key]) * 0.5 if key in table else 0.0


def total_of_all(table):
    result = 0.0
    for k, row in table.items():
        for i, v in enumerate(row):
            result += v * (i + k + 1.5)
    return result


def add(table, key, value):
    table.setdefault(key, []).append(value)


def random_function(seed: int):
    """A function of a number, which fills and changes dicts."""
    writer = _Writer(seed)
    writer.put(1, f"d = {writer.one(*STARTS)}")
    writer.put(1, f"e = {writer.one(*STARTS)}")
    writer.put(1, f"p = {writer.one('defaultdict(list)', '{}', '{0: [(1, x)]}')}")
    writer.put(1, f"q = {writer.one(*STARTS_OF_DICTS)}")
    for _ in range(3):
        writer.block(1)
    pairs = "sum([w * j for row in p.values() for j, w in row])"
    writer.put(1, f"y = {pairs} + sum([sum(row.values()) for row in q.values()])")
    writer.put(1, "return x + y + 0.1 * total_of_all(d) + 0.1 * total_of_all(e)")
    names = {
        "math": math, "defaultdict": defaultdict, "__name__": "groups",
        "total": total, "total_of_all": total_of_all, "add": add,
    }
    return names_of(writer.lines, f"<groups {seed}>", names)["f"]
