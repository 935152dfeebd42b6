"""The IR that is kept beside bytecode is the IR that parsing gives, or it isn't used."""

import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import ir
from ir import facts, stored
from ir.parse import _store, parse_code, parse_source
from ir.rewrite import blocks
from ir.syntax.locate import locate
from zyg.rules import registry

TEXT = """
import math

def scale(x, offset=None):
    y = math.sin(x) * {factor}
    def back(y_bar):
        return y_bar * math.cos(x) * {factor}, (lambda: None)()
    while y > 2.0 if offset is None else y < 1.0:
        y = y / 2.0
    return y, back
"""


@pytest.fixture
def module_of(tmp_path, monkeypatch):
    """Gives the module of a text, which counts as a helper; its bytecode folder exists."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(stored, "_entries", {})
    monkeypatch.setattr(sys.modules["ir.parse"], "_helpers", {})
    monkeypatch.setattr(facts, "_helper_modules", [*facts._helper_modules, "stored_subject"])

    def load(text):
        path = tmp_path / "stored_subject.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("stored_subject", path)
        module = importlib.util.module_from_spec(spec)
        exec(compile(text, path, "exec"), vars(module))
        stored._entries.clear()
        return module

    return load


def found(function):
    return stored.find(function.__code__, function.__globals__)


def file_of(module):
    return Path(stored._path(vars(module)))


def kept(module):
    """Parses and writes; the next `found` reads the file."""
    function = parse_source(locate(*of(module)), vars(module))
    stored.write([function])
    stored._entries.clear()
    return function


def test_what_was_written_is_found(module_of):
    module = module_of(TEXT.format(factor=2.0))
    function = kept(module)
    again = found(module.scale)
    assert again is not function
    assert str(again) == str(function)
    assert again.code is module.scale.__code__ and again.globals is vars(module)
    assert again.loc == function.loc
    ir.verify(again)


def test_nothing_is_found_before_it_is_written(module_of):
    assert found(module_of(TEXT.format(factor=2.0)).scale) is None


def test_an_edited_file_is_seen(module_of):
    kept(module_of(TEXT.format(factor=2.0)))
    edited = module_of(TEXT.format(factor=3.0))
    assert found(edited.scale) is None
    kept(edited)
    assert "3.0" in str(found(edited.scale))


def test_an_edit_that_leaves_time_and_size_is_seen(module_of):
    module = module_of(TEXT.format(factor=2.0))
    kept(module)
    before = os.stat(module.__file__)
    edited = module_of(TEXT.format(factor=3.0))
    os.utime(edited.__file__, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file_of(edited).exists()
    assert found(edited.scale) is None


def test_a_changed_front_end_is_seen(module_of, monkeypatch):
    module = module_of(TEXT.format(factor=2.0))
    kept(module)
    monkeypatch.setattr(stored, "_front_end", lambda: ())
    assert found(module.scale) is None


@pytest.mark.parametrize("damage", [
    lambda content: b"",
    lambda content: b"no marshalled data",
    lambda content: content[: len(content) // 2],
    lambda content: content.replace(b"ir.core", b"ir.nowhere"[:7]),
    lambda content: content[:-200] + bytes(200),
])  # fmt: skip
def test_a_damaged_file_is_ignored(module_of, damage):
    module = module_of(TEXT.format(factor=2.0))
    function = kept(module)
    path = file_of(module)
    path.write_bytes(damage(path.read_bytes()))
    assert found(module.scale) is None
    stored.write([function])
    stored._entries.clear()
    assert str(found(module.scale)) == str(function)


def test_a_folder_that_cannot_be_written_is_left(module_of):
    module = module_of(TEXT.format(factor=2.0))
    path = file_of(module)
    path.parent.write_text("a file where the folder should be")
    kept(module)
    assert found(module.scale) is None


def test_what_is_written_comes_from_the_text_of_the_code(module_of):
    """A helper that was loaded again is parsed from lines that Python remembers: not these."""
    parse_code(*of(module_of(TEXT.format(factor=2.0))))
    edited = module_of(TEXT.format(factor=3.0))
    parse_code(*of(edited))
    _store()
    stored._entries.clear()
    assert "3.0" in str(found(edited.scale))


def of(module):
    return module.scale.__code__, vars(module)


def test_nothing_is_written_where_bytecode_is_not(module_of, monkeypatch):
    module = module_of(TEXT.format(factor=2.0))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    parse_code(*of(module))
    _store()
    assert not file_of(module).exists()


def test_functions_of_users_are_not_kept(module_of, monkeypatch):
    module = module_of(TEXT.format(factor=2.0))
    module.__name__ = "some_module_of_a_user"
    parse_code(*of(module))
    _store()
    assert not file_of(module).exists()


RULES_IN_A_NEW_PROCESS = """
import math, sys
import zyg
print(zyg.gradient(lambda x: math.sin(x) ** 2, 1.0))
print(sum(bool(entries) for entries in sys.modules["ir.stored"]._entries.values()) > 0)
"""


def new_processes(tmp_path, *commands, **environment):
    """What Python prints, which keeps its bytecode in a folder that starts empty."""
    (tmp_path / "program.py").write_text(RULES_IN_A_NEW_PROCESS)
    root = Path(registry.__file__).parents[2]
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    folders = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONPATH": str(root)}
    return [
        subprocess.run(
            [sys.executable, *command], cwd=root, check=True, text=True,
            capture_output=True, env={**inherited, **folders, **environment},
        ).stdout.splitlines()
        for command in commands
    ]


def test_a_later_process_uses_what_an_earlier_one_wrote(tmp_path):
    program = [tmp_path / "program.py"]
    first, second = new_processes(tmp_path, program, program)
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("False", "True")


@pytest.mark.thorough
def test_processes_that_write_nothing_use_what_was_precompiled(tmp_path):
    program, precompile = [tmp_path / "program.py"], ["-m", "zyg.precompile"]
    before, said, after = new_processes(
        tmp_path, program, precompile, program, PYTHONDONTWRITEBYTECODE="1"
    )
    assert (before[1], after[1]) == ("False", "True")
    assert before[0] == after[0] and said == []
    assert len(list(tmp_path.rglob("*.pyc"))) > len(list(tmp_path.rglob("*.ir"))) > 50


def test_all_rules_are_found_as_they_were_parsed(module_of):
    """Writing and reading changes nothing, whatever a rule consists of."""
    rules = {
        rule for rule in registry._rules.values()
        # Other tests register rules of their own.
        if hasattr(rule, "__code__") and str(rule.__module__).startswith("zyg.")
    }
    for rule in rules:
        function = parse_source(locate(rule.__code__, rule.__globals__), rule.__globals__)
        entry = stored._Writer(function).entry()
        known, content = stored.marshal.loads(entry)
        assert stored._same(known, rule.__code__)
        again = stored._Reader(rule.__code__, rule.__globals__, content).load()
        assert str(again) == str(function)


def test_names_are_found_in_the_module_of_the_reader(module_of):
    module = module_of(TEXT.format(factor=2.0))
    assert "load_global" not in str(kept(module))
    module.math = types.SimpleNamespace(sin=abs)  # no module: what it holds may change
    assert found(module.scale) is None


def test_names_that_are_gone_are_not_found(module_of):
    module = module_of(TEXT.format(factor=2.0))
    kept(module)
    del module.math
    assert found(module.scale) is None


LINKED = """
import math
import numpy as np

LIMIT = 3

def scale(x):
    if isinstance(x, (list, tuple)) or isinstance(x, (list, tuple)) and x is not Ellipsis:
        return np.linalg.norm(x), LIMIT, math.pi, missing, (list, tuple)
    return [len(item) for item in x]
"""


def test_what_is_linked(module_of):
    module = module_of(LINKED)
    function = kept(module)
    text = str(function)
    assert "numpy.linalg.norm(x)" in text and "len(" in text and "'len'" not in text
    # Data of a module, its numbers, and what it doesn't have are looked up when the code runs.
    for name in ("LIMIT", "missing"):
        assert f"load_global('{name}')" in text
    assert "'pi'" in text
    asked = [
        op.args[1].value for block in blocks(function.body) for op in block.ops
        if isinstance(op, ir.core.Call) and getattr(op.callee, "value", None) is isinstance
    ]
    assert asked == [(list, tuple), (list, tuple)] and asked[0] is asked[1]
    again = found(module.scale)
    assert str(again) == text
    ir.verify(again)
