"""Programs of the corpus, each changed at random in a few places: right derivatives, or refused.

    python -m tests.mutants --seed 1000 --count 500 --save FOLDER

A change keeps what a program means (a value is wrapped, a statement put into a block, a name given
to a value twice) or doesn't (a statement is repeated, a name swapped for another one): it is
compared with differences of what the changed program computes.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import inspect
import io
import pathlib
import random
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

import zyg
from tests import corpus, differences
from tests.fuzz.check import TookTooLong, time_limit
from tests.random_code import names_of

Change: TypeAlias = Callable[[ast.FunctionDef, random.Random], None]
# Seconds for the program itself, and for all that is asked of its derivatives.
PLAIN, ALL = 2, 60
LARGEST = 1e6


def _same(value: Any) -> Any:
    return value


class _Box:
    """An object that holds one value."""

    def __init__(self, value: Any) -> None:
        self.value = value


NAMES = {"_same": _same, "_Box": _Box, "_quiet": contextlib.nullcontext}
WRAPPED = (
    "_same(E)", "(lambda value: value)(E)", "(E, 0.0)[0]", "[E][0]", "{'key': E}['key']",
    "next(iter([E]))", "(E if True else 0.0)", "_Box(E).value", "[v for v in [E]][0]",
    "(lambda: E)()", "max([E], key=id)",
)  # fmt: skip
BLOCKS = (
    "if True:\n    S", "for _ in range(1):\n    S", "while True:\n    S\n    break",
    "try:\n    S\nfinally:\n    pass", "with _quiet():\n    S",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed program with an input."""

    name: str
    source: str
    f: Callable[..., Any]
    args: tuple[Any, ...]


class _Filled(ast.NodeTransformer):
    """A template with an expression in the place of `E`, or statements in that of `S`."""

    def __init__(self, expression: ast.expr | None, statement: ast.stmt | None) -> None:
        self._expression = expression
        self._statement = statement

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._expression if node.id == "E" and self._expression else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        is_place = isinstance(node.value, ast.Name) and node.value.id == "S"
        if is_place and self._statement is not None:
            return self._statement
        return self.generic_visit(node)


class _Replaced(ast.NodeTransformer):
    """A tree with another node in the place of one."""

    def __init__(self, old: ast.AST, new: ast.AST | list[ast.stmt]) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else self.generic_visit(node)


def _loads(function: ast.FunctionDef) -> list[ast.expr]:
    """The expressions of the function itself that read something."""
    found = []
    for statement in function.body:
        for node in ast.walk(statement):
            is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if is_read or isinstance(node, ast.Call | ast.BinOp):
                found.append(node)
    return found


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    return [
        node for statement in function.body for node in ast.walk(statement)
        if isinstance(node, ast.stmt)
    ]


def _leaves_a_loop(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(statement))


def wrap(function: ast.FunctionDef, source: random.Random) -> None:
    """One expression is handed through something that gives it back."""
    old = source.choice(_loads(function))
    template = ast.parse(source.choice(WRAPPED), mode="eval").body
    _Replaced(old, _Filled(old, None).visit(template)).visit(function)


def enclose(function: ast.FunctionDef, source: random.Random) -> None:
    """One statement is put into a block that runs once."""
    old = source.choice([s for s in _statements(function) if not _leaves_a_loop(s)])
    template = ast.parse(source.choice(BLOCKS)).body[0]
    _Replaced(old, _Filled(None, old).visit(template)).visit(function)


def alias(function: ast.FunctionDef, source: random.Random) -> None:
    """What is bound to a name gets another one, and a later read takes that."""
    bound = [
        s for s in _statements(function)
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
    ]
    statement = source.choice(bound)
    name = statement.targets[0].id  # type: ignore[attr-defined]
    reads = [
        node for node in _loads(function)
        if isinstance(node, ast.Name) and node.id == name and node.lineno > statement.lineno
    ]
    other = f"{name}_too"
    source.choice(reads).id = other
    _Replaced(statement, [statement, *ast.parse(f"{other} = {name}").body]).visit(function)


def repeat(function: ast.FunctionDef, source: random.Random) -> None:
    """One statement runs twice, one after the other or in a loop."""
    old = source.choice([
        s for s in _statements(function)
        if isinstance(s, ast.AugAssign | ast.Expr | ast.Assign) and not _leaves_a_loop(s)
    ])
    if source.random() < 0.5:
        new: Any = [old, copy.deepcopy(old)]
    else:
        new = _Filled(None, old).visit(ast.parse("for _ in range(2):\n    S").body[0])
    _Replaced(old, new).visit(function)


def swap(function: ast.FunctionDef, source: random.Random) -> None:
    """One read takes another variable of the function."""
    names = [node for node in _loads(function) if isinstance(node, ast.Name)]
    source.choice(names).id = source.choice(names).id


CHANGES: tuple[Change, ...] = (wrap, wrap, enclose, enclose, alias, repeat, swap)


def mutant(seed: int) -> Mutant | None:
    """A program of the corpus with one to three changes; None where it has no source of its own."""
    chance = random.Random(seed)
    program = chance.choice(corpus.all)
    args = chance.choice(program.inputs)
    f = program.f
    if not inspect.isfunction(f) or f.__closure__ or hasattr(f, "__wrapped__"):
        return None
    function = ast.parse(textwrap.dedent(inspect.getsource(f))).body[0]
    if not isinstance(function, ast.FunctionDef) or len(function.decorator_list) != 1:
        return None
    function.decorator_list = []
    for _ in range(chance.randrange(1, 4)):
        with contextlib.suppress(IndexError):  # nothing that can be changed so
            chance.choice(CHANGES)(function, chance)
    source = ast.unparse(ast.fix_missing_locations(function))
    try:
        defined = names_of(source.splitlines(), f"<mutant {seed}>", {**f.__globals__, **NAMES})
    except SyntaxError:
        return None
    return Mutant(f"{seed} of {program}", source, defined[function.name], args)


def runs(found: Mutant) -> bool:
    """Whether a mutant gives the same tame value twice, which moves smoothly with its inputs."""

    def plain(*args: Any) -> Any:
        return found.f(*copy.deepcopy(args))

    try:
        with time_limit(PLAIN):
            value = plain(*found.args)
            numbers = differences.floats(value)
            if not differences.same(plain(*found.args), value) or not numbers.size:
                return False
            size = differences.floats(found.args).size
            return bool(np.all(np.abs(numbers) < LARGEST)) and _is_smooth(plain, found.args, size)
    except (Exception, TookTooLong):
        return False


def _is_smooth(f: Callable[..., Any], args: tuple[Any, ...], size: int) -> bool:
    for direction in differences.directions(size, np.random.default_rng(0)):
        slope = differences.directional(f, args, direction)
        bound = 1e-4 * max(1.0, float(np.max(np.abs(slope))))
        for side, sign in ((direction, 1.0), (-direction, -1.0)):
            apart = np.abs(sign * differences.one_sided(f, args, side) - slope)
            if not np.all(apart <= bound):
                return False
    return True


def outcome(found: Mutant) -> str:
    """What there is to say of its derivatives: "right", "refused: ..." or "wrong: ..."."""
    try:
        with time_limit(ALL):
            differences.check_gradient(found.f, found.args, zyg.pullback)
            _check_forward(found)
    except zyg.ZygError as error:
        return f"refused: {type(error).__name__}: {str(error).splitlines()[0]}"
    except (Exception, TookTooLong) as error:
        return f"wrong: {type(error).__name__}: {error}"
    return "right"


def _check_forward(found: Mutant) -> None:
    """The forward mode along one direction."""
    direction = np.random.default_rng(1).uniform(-1.0, 1.0, differences.floats(found.args).size)
    dots = differences.with_attributes(differences.with_floats(found.args, direction))

    def plain(*args: Any) -> Any:
        return found.f(*copy.deepcopy(args))

    expected = differences.directional(plain, found.args, direction)
    value, dot = zyg.jvp(found.f, copy.deepcopy(found.args), _without_others(dots))
    slope = differences.gradient_floats(dot, value)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-5)


def _without_others(dots: Any) -> Any:
    """Tangents of a structure: None where it holds no floats."""
    if isinstance(dots, tuple) and hasattr(dots, "_make"):
        return type(dots)._make(map(_without_others, dots))
    if isinstance(dots, tuple | list):
        return type(dots)(map(_without_others, dots))
    if isinstance(dots, dict):
        return {key: _without_others(dot) for key, dot in dots.items()}
    return dots if differences.floats(dots).size else None


def outcomes(seeds: range) -> Iterator[tuple[Mutant, str]]:
    """The mutants that run, with what is found of each."""
    for seed in seeds:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            found = mutant(seed)
            if found is None or not runs(found):
                continue
            said = outcome(found)
        yield found, said


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--save", type=pathlib.Path, help="a folder for what fails")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for found, said in outcomes(range(options.seed, options.seed + options.count)):
        kind = said.split(":")[0]
        counts[kind] += 1
        if kind == "wrong":
            print(f"{found.name}: {said[:300]}\n{found.source}\n", flush=True)
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"{found.name.split()[0]}.py").write_text(found.source)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
