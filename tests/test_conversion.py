"""The quick conversion gives the trees of gast's own, for all files of the repository."""

import ast
from pathlib import Path

import gast
import pytest

from ir.syntax.conversion import to_gast

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("ir", "zyg", "tests") for path in (ROOT / folder).rglob("*.py"))


def same(left, right):
    if type(left) is not type(right):
        return False
    if isinstance(left, ast.AST):
        ours, theirs = vars(left), vars(right)
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_trees_are_those_of_gast(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert same(to_gast(tree), gast.ast_to_gast(tree))


def test_the_argument_stays_as_it_is():
    tree = ast.parse("def f(x: int, *, y=1):\n    return [x for x in y if x]")
    before = ast.dump(tree, include_attributes=True)
    to_gast(tree)
    assert ast.dump(tree, include_attributes=True) == before
