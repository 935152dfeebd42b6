"""Makes a failing program small: the smallest one found that still fails.

Statements are deleted, compound statements replaced by their parts, expressions by their operands
or by a constant, as long as the program still fails in its own way and still ends.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.check import Differentiate, Failure, TookTooLong, check
from tests.fuzz.oracles import by_duals
from tests.fuzz.program import Program, flat, load, with_arrays

MOST_LINES_RUN = 20_000


class RunsTooLong(Exception):
    """A candidate for reduction that may not end."""


def reduced(
    failure: Failure, differentiate: Differentiate | None = None,
    reference: Differentiate = by_duals,
) -> Program:
    """The smallest program found that fails in the same way, at the inputs of this failure.

    One that doesn't end is left as it is: each smaller one would take as long.
    """

    def still_fails(candidate: Program) -> bool:
        found = check(candidate, differentiate, reference)
        return found is not None and found.kind == failure.kind and (
            isinstance(found.expected, tuple) != raises
        )

    raises = not isinstance(failure.expected, tuple)
    best = replace(failure.program, inputs=(failure.inputs,))
    if failure.kind == TookTooLong.__name__:
        return best
    while (smaller := _smaller(best, raises, still_fails)) is not None:
        best = smaller
    return best


def _smaller(
    program: Program, raises: bool, still_fails: Callable[[Program], bool]
) -> Program | None:
    """A program with one or more changes made, or None where each change ends the failure."""
    changed = None
    tree = ast.parse(program.source)
    position = 0
    while True:
        edits = list(_edits(tree))
        if position >= len(edits):
            return changed
        undo = edits[position]()
        candidate = replace(program, source=ast.unparse(tree) + "\n", seed=None)
        if len(candidate.source) < len(ast.unparse(ast.parse(program.source))) and (
            _ends(candidate, raises) and still_fails(candidate)
        ):
            changed = program = candidate
            tree = ast.parse(program.source)
        else:
            undo()
            position += 1


def _ends(program: Program, raises: bool) -> bool:
    """Whether a plain run ends soon, in the way (value or exception) that is wanted."""
    try:
        f = load(program.source)
    except Exception:  # a class statement or decorator may fail in any way
        return False
    previous = sys.gettrace()
    lines_run = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines_run
        lines_run += 1
        if lines_run > MOST_LINES_RUN:
            raise RunsTooLong
        return count

    sys.settrace(count)
    try:
        result = f(*with_arrays(program.inputs[0], flat(program.inputs[0]), float))
    except UnboundLocalError:
        return raises
    except Exception:
        return False
    finally:
        sys.settrace(previous)
    return not raises and isinstance(result, int | float)


Edit = Callable[[], Callable[[], None]]


def _edits(tree: ast.AST) -> Iterator[Edit]:
    """Changes of the tree, largest first; each makes itself and returns how to undo it."""
    nodes = list(ast.walk(tree))
    for node in nodes:
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                for index in range(len(statements)):
                    yield from _statement_edits(node, name, index)
    for node in nodes:
        for name, value in ast.iter_fields(node):
            if name == "func":
                continue
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", _LOAD), ast.Load):
                for other in _simpler(value):
                    yield _set_field(node, name, other)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(item, ast.Starred):
                        for other in _simpler(item):
                            yield _set_item(value, index, [other])
                    if isinstance(item, ast.expr | ast.keyword | ast.comprehension):
                        yield _set_item(value, index, [])


_LOAD = ast.Load()


def _statement_edits(node: ast.AST, name: str, index: int) -> Iterator[Edit]:
    statements = getattr(node, name)
    statement = statements[index]
    # A block keeps one statement; an `else` may go.
    nothing = [] if len(statements) > 1 or name == "orelse" else [ast.Pass()]
    if not isinstance(statement, ast.Pass):
        yield _set_item(statements, index, nothing)
    for part in ("body", "orelse"):
        inner = getattr(statement, part, None)
        if inner and isinstance(inner, list) and not isinstance(statement, ast.FunctionDef):
            yield _set_item(statements, index, inner)
            yield _set_item(statements, index, [s for s in inner if not _leaves_loop(s)] or nothing)
    if getattr(statement, "orelse", None):
        yield _set_field(statement, "orelse", [])


def _leaves_loop(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(statement))


def _simpler(value: ast.expr) -> Iterator[ast.expr]:
    """Expressions to try in the place of this one: a constant, or a part of it."""
    if isinstance(value, ast.Constant):
        return
    yield ast.Constant(1)
    for child in ast.walk(value):
        if child is not value and isinstance(child, ast.expr):
            if isinstance(getattr(child, "ctx", _LOAD), ast.Load):
                yield copy.deepcopy(child)


def _set_field(node: ast.AST, name: str, value: Any) -> Edit:
    def edit() -> Callable[[], None]:
        before = getattr(node, name)
        setattr(node, name, value)
        return lambda: setattr(node, name, before)

    return edit


def _set_item(items: list[Any], index: int, new: list[Any]) -> Edit:
    def edit() -> Callable[[], None]:
        before = list(items)
        items[index : index + 1] = new

        def undo() -> None:
            items[:] = before

        return undo

    return edit
