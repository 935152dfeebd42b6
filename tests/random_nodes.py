"""Random functions whose own lists, dicts and arrays have several names: nodes that are linked, the
row at hand, one of two buffers, views, and functions that choose or change what they are given.

    def f(t):
        a, b, u = [t, 0.5], [0.3, t * t], np.array([t, 0.5, 1.0 - t])
        row, w, rows, head = a, u, [a, b], new_node(t)
        node = head
        for i in range(2):
            node["next"] = new_node(total * 0.3)
            node = node["next"]
            row = rows[-1] if t > 0.5 else b
            row.append(w[0])
        pick(u, v, row[0])[1] = head["value"]
        return total + sum_of(head) + sum(a) + np.sum(u * v)

No object holds any of it; in half of the functions of `random_holding_function`, those of some
names are attributes of an object: `row = o.rows[-1]`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_code import BlockWriter, names_of


def new_node(value: Any) -> dict[str, Any]:
    return {"value": value, "next": None, "items": [0.5 * value]}


def sum_of(node: Any) -> Any:
    total = 0.0
    while node is not None:
        total += node["value"] + 0.3 * sum(node["items"])
        node = node["next"]
    return total


def fill(row: Any, value: Any) -> None:
    row[0] = value
    row[1] = 0.5 * row[1] + value


def pick(first: Any, second: Any, value: Any) -> Any:
    return first if value > 0.4 else second


def grown(row: Any, value: Any) -> Any:
    row.append(value)
    return row


class _Writer(BlockWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(t):")
        self.put(1, "a, b, u = [t, 0.5], [0.3, t * t], np.array([t, 0.5, 1.0 - t])")
        self.put(1, "v, row, w, rows, head, total = 0.7 * u, a, u, [a, b], new_node(t), 0.0")
        self.put(1, "node, table = head, {'p': u, 'q': v}")

    def number(self, depth: int = 0) -> str:
        if depth < 2 and self.random.random() < 0.3:
            return f"math.tanh({self.number(depth + 1)} * {self.number(depth + 1)})"
        return self.one(
            "t", "total * 0.1", "row[0]", "a[-1]", "b[1]", "rows[0][0]", "rows[-1][-1]", "u[1]",
            "w[0]", "v[-1]", "head['value']", "node['value']", "node['items'][0]", "len(row) * 0.1",
            "sum(row) * 0.2", "np.sum(w) * 0.2", "table['p'][1]", "head['items'][-1]",
        )

    def list_(self) -> str:
        return self.one(
            "a", "b", "row", "row", "rows[0]", "rows[-1]", "(a if t > 0.5 else b)",
            f"pick(a, row, {self.number()})", "node['items'] + [0.1]",
        )

    def array(self) -> str:
        return self.one(
            "u", "v", "w", "w", "table['p']", "table['q']", "w[::-1]", "(u if t > 0.5 else v)",
            f"pick(v, w, {self.number()})", "w * 0.9",
        )

    def statement(self, depth: int) -> None:
        if depth < 3 and self.random.random() < 0.25:
            self.nested(depth)
            return
        n = self.number()
        self.put(depth, self.one(
            f"row = {self.list_()}", f"row = {self.list_()}", f"w = {self.array()}",
            f"w = {self.array()}", "u, v = v, u", "a, b = b, a", f"row[0] = {n}",
            f"row[-1] += {n}", f"row.append({n})", f"fill(row, {n})", f"fill(w, {n})",
            f"w[0] = {n}", f"w *= {n}", f"w[1:] += {n}", f"w += {self.array()} * 0.1",
            f"pick(u, v, {n})[1] = {self.number()}", f"rows.append({self.list_()})",
            f"rows.append([{n}, 0.2])", f"rows.insert(0, {self.list_()})", "rows = rows[::-1]",
            f"row = grown(row, {n})", f"rows[0] = {self.list_()}", f"rows[-1][0] = {n}",
            f"table['p'] = {self.array()}", f"table['q'][0] = {n}", f"total += {n}",
            f"total = total + {n}", f"for r in rows: r[0] += {n}",
            f"for z in table.values(): z[1] += {n}", f"node['value'] += {n}",
            f"node['items'].append({n})", f"node['items'] = {self.list_()}", "node = head",
            f"node['next'] = new_node({n})", "node = node['next'] or node",
            f"node['next'] = new_node({n}); node = node['next']",
            f"node['next'] = new_node({n}); node = node['next']",
        ))

    def nested(self, depth: int) -> None:
        kind = self.one("for", "for", "if", "if", "while", "try")
        if kind == "if":
            self.branch(depth, f"{self.number()} > {self.one('0.3', '0.5', '-1.0')}")
        elif kind == "for":
            self.put(depth, f"for i{depth} in range({self.one('1', '2', '3')}):")
            self.block(depth + 1)
        elif kind == "while":
            self.put(depth, f"k{depth} = 0")
            self.put(depth, f"while k{depth} < {self.one('1', '2')}:")
            self.put(depth + 1, f"k{depth} += 1")
            self.block(depth + 1)
        else:
            self.put(depth, "try:")
            self.block(depth + 1)
            self.put(depth + 1, f"rows[{self.one('0', '99')}]")
            self.put(depth, "except IndexError:")
            self.block(depth + 1)


class Holder:
    pass


def random_holding_function(seed: int) -> Callable[[float], float]:
    return random_function(seed, holds=True)


def random_function(seed: int, holds: bool = False) -> Callable[[float], float]:
    writer = _Writer(seed)
    for _ in range(writer.random.randrange(3, 9)):
        writer.statement(1)
    writer.put(1, "total += sum_of(head) + sum(a) * 0.4 + sum(row) + np.sum(u * v) + np.sum(w)")
    writer.put(1, "return total + sum(sum(r) for r in rows) * 0.2 + np.sum(table['p']) * 0.3")
    if holds:
        variables = "a b u v row w rows head node table".split()
        held = [name for name in variables if writer.random.random() < 0.4]
        pattern = re.compile(rf"(?<!['\w])({'|'.join(held or ['w'])})(?!['\w])")
        writer.lines[1:] = [pattern.sub(r"o.\1", line) for line in writer.lines[1:]]
        writer.lines.insert(1, "    o = Holder()")
    names = {
        "Holder": Holder, "new_node": new_node, "sum_of": sum_of, "fill": fill, "pick": pick,
        "grown": grown, "np": np, "math": math,
    }
    file = f"<{'held ' if holds else ''}nodes {seed}>"
    found: Callable[[float], float] = names_of(writer.lines, file, names)["f"]
    return found
