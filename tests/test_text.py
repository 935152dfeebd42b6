"""The tree that is compiled and the text that is shown are one program, line by line."""

import ast
import copy
import linecache
import sys
from collections import deque
from types import CodeType

import pytest

import zyg
from ir import closures
from ir.load import load_definitions
from tests import corpus
from tests.golden_programs import PROGRAMS
from tests.test_corpus_itself import each_input
from zyg.compiler import assemble
from zyg.entry import entry_for


@pytest.fixture
def texts(monkeypatch):
    """Collects the trees that are compiled, with their texts."""
    found = []

    def collecting(tree, source, **rest):
        found.append((tree, source()))
        return load_definitions(tree, source, **rest)

    monkeypatch.setattr(assemble, "load_definitions", collecting)
    monkeypatch.setattr(closures, "load_definitions", collecting)
    zyg.cache_clear()
    return found


def content(code):
    """All of a code object that running it depends on, and its lines."""
    constants = [content(c) if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    lines = [line for _, _, line in code.co_lines()]
    names = code.co_names, code.co_varnames, code.co_freevars
    return code.co_name, code.co_code, repr(constants), names, lines


def assert_one_program(tree, text):
    from_tree = compile(ast.Module(list(tree), []), "<text>", "exec", dont_inherit=True)
    from_text = compile(text, "<text>", "exec", dont_inherit=True)
    assert content(from_tree) == content(from_text)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
def test_tree_and_text_of_the_corpus(program, args, texts, capsys):
    zyg.pullback(program.f, *copy.deepcopy(args))
    assert texts
    for tree, text in texts:
        assert_one_program(tree, text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.function.__name__)
def test_tree_and_text_of_the_golden_programs(program, texts):
    zyg.pullback(program.function, *program.args)
    assert texts
    for tree, text in texts:
        assert_one_program(tree, text)


@pytest.fixture
def no_trees(monkeypatch):
    """Forgets what was emitted before."""
    monkeypatch.setattr(sys.modules["ir.emit"], "_with_trees", deque())


def test_text_is_rendered_when_it_is_asked_for(monkeypatch, no_trees):
    asked = []
    original = assemble.Emitted.source.fget
    monkeypatch.setattr(
        assemble.Emitted, "source", property(lambda self: asked.append(self) or original(self))
    )
    zyg.cache_clear()
    _, back = zyg.pullback(lambda x: x * x, 3.0)
    assert back(1.0) == (6.0,) and not asked
    file = next(name for name in reversed(linecache.cache) if name.startswith("<zyg"))
    linecache.checkcache(file)
    assert not asked
    assert "return" in "".join(linecache.getlines(file)) and asked


def test_only_the_latest_trees_are_kept(monkeypatch, no_trees):
    monkeypatch.setattr(sys.modules["ir.emit"], "MAX_TREES", 2)
    functions = [
        lambda x: x * 1.5,
        lambda x: x * 2.5,
        lambda x: x * 3.5,
        lambda x: x * 4.5,
    ]
    zyg.cache_clear()
    emitted = [entry_for("gradient", f, (2.0,), {}).code.emitted for f in functions]
    assert [item._tree is None for item in emitted] == [True, True, False, False]
    for i, item in enumerate(emitted, start=1):
        (definition,) = item.definitions
        assert f"{i}.5" in item.source and f"{i}.5" in ast.unparse(definition)
