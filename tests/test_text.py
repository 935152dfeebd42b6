"""The tree that is compiled and the text that is shown are one program, line by line.

tests/test_corpus.py sees to it for the programs of the corpus.
"""

import ast
import linecache
from collections import deque

import pytest

import zyg
from ir.emit import text as texts_of_code
from tests.emitted_text import assert_one_program, collected
from tests.golden_programs import PROGRAMS
from zyg.calls.entry import entry_for


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.function.__name__)
def test_tree_and_text_of_the_golden_programs(program, monkeypatch):
    texts = collected(monkeypatch)
    zyg.pullback(program.function, *program.args)
    assert texts
    for tree, text in texts:
        assert_one_program(tree, text)


@pytest.fixture
def no_trees(monkeypatch):
    """Forgets what was emitted before."""
    monkeypatch.setattr(texts_of_code, "_with_trees", deque())


def test_text_is_rendered_when_it_is_asked_for(monkeypatch, no_trees):
    asked = []
    original = texts_of_code.Text.source.fget
    monkeypatch.setattr(
        texts_of_code.Text, "source", property(lambda self: asked.append(self) or original(self))
    )
    zyg.cache_clear()
    _, back = zyg.pullback(lambda x: x * x, 3.0)
    assert back(1.0) == (6.0,) and not asked
    file = next(name for name in reversed(linecache.cache) if name.startswith("<zyg"))
    linecache.checkcache(file)
    assert not asked
    assert "return" in "".join(linecache.getlines(file)) and asked


def test_only_the_latest_trees_are_kept(monkeypatch, no_trees):
    monkeypatch.setattr(texts_of_code, "MAX_TREES", 2)
    functions = [
        lambda x: x * 1.5,
        lambda x: x * 2.5,
        lambda x: x * 3.5,
        lambda x: x * 4.5,
    ]
    zyg.cache_clear()
    emitted = [entry_for("gradient", f, (2.0,), {}).code.emitted.text for f in functions]
    assert [item._tree is None for item in emitted] == [True, True, False, False]
    for i, item in enumerate(emitted, start=1):
        (definition,) = item.definitions
        assert f"{i}.5" in item.source and f"{i}.5" in ast.unparse(definition)
