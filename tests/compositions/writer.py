"""Writes a random composition: a function of a number, a vector and a matrix."""

from __future__ import annotations

import ast
import random
import re

from tests.compositions.templates import EXPRESSIONS, STATEMENTS

DEEPEST = 2
# What needs no parentheses as an operand.
WHOLE = (ast.Call, ast.Subscript, ast.Attribute, ast.Name, ast.Constant)
HOLE = re.compile(r"\{(n|v|m|d|new)\}")


class Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = {"n": ["n", "0.7"], "v": ["v", "w"], "m": ["m", "k"]}
        self._lines = ["w = 1.1 * v + 0.2", "k = 0.5 * m + 0.1"]
        self._count = 0

    def program(self) -> str:
        for _ in range(self._random.randint(2, 5)):
            self._statement()
        terms = [
            f"np.sum({name} * {self._random.uniform(0.3, 2.0):.2f})"
            for kind in "nvm" for name in self._names[kind][-2:]
        ]
        body = "\n    ".join([*self._lines, f"return {' + '.join(terms)}"])
        return f"def f(n, v, m):\n    {body}\n"

    def _statement(self) -> None:
        weights = [5 if name == "a_call" else 1 for name in STATEMENTS]
        (name,) = self._random.choices(list(STATEMENTS), weights)
        kind, text = self._random.choice(STATEMENTS[name])
        self._count += 1
        new = f"{kind}{self._count}"
        written = HOLE.sub(
            lambda hole: new if hole[1] == "new" else self._expression(hole[1], 1), text
        )
        self._lines += written.splitlines()
        self._names[kind].append(new)

    def _expression(self, kind: str, depth: int) -> str:
        is_leaf = kind != "d" and (depth > DEEPEST or self._random.random() < 0.5 * (depth - 1))
        if is_leaf:
            return self._random.choice(self._names[kind][-4:])
        text = self._random.choice(EXPRESSIONS[kind])
        found = HOLE.sub(lambda hole: self._expression(hole[1], depth + 1), text)
        is_whole = isinstance(ast.parse(found, mode="eval").body, WHOLE)
        return found if is_whole else f"({found})"


def written(seed: int) -> str:
    """The text of a program, the same for the same seed."""
    return Writer(seed).program()
