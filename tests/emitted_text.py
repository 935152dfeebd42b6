"""Whether the trees that are compiled and the texts that are shown are one program, and whether
each of its statements does something."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import CodeType
from typing import Any

import pytest

import zyg
from ir import closures
from ir.load import load_definitions
from zyg.compiler import generated


def collected(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sequence[ast.stmt], str]]:
    """A list that takes the trees that are compiled from now on, all anew, with their texts."""
    found = []

    def collecting(tree: Any, source: Any, **rest: Any) -> Any:
        found.append((tree, source()))
        return load_definitions(tree, source, **rest)

    monkeypatch.setattr(generated, "load_definitions", collecting)
    monkeypatch.setattr(closures, "load_definitions", collecting)
    zyg.cache_clear()
    return found


def content(code: CodeType) -> tuple[object, ...]:
    """All of a code object that running it depends on, and its lines."""
    constants = [content(c) if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    lines = [line for _, _, line in code.co_lines()]
    names = code.co_names, code.co_varnames, code.co_freevars
    return code.co_name, code.co_code, repr(constants), names, lines


def assert_one_program(tree: Sequence[ast.stmt], text: str) -> None:
    from_tree = compile(ast.Module(list(tree), []), "<text>", "exec", dont_inherit=True)
    from_text = compile(text, "<text>", "exec", dont_inherit=True)
    assert content(from_tree) == content(from_text)


def assert_no_bare_names(tree: Sequence[ast.stmt]) -> None:
    statements = (node for top in tree for node in ast.walk(top) if isinstance(node, ast.Expr))
    bare = [node.value.id for node in statements if isinstance(node.value, ast.Name)]
    assert not bare, f"statements that are only a name: {bare}"
