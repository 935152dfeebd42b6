"""Errors show the user's line and say what to do."""

import linecache
import pickle
import traceback

import pytest

from ir.core import Location
from ir.errors import IRError, SourceNotFound, Unsupported

LINES = ["def shorten(x):\n", "    é = 'é'; del x[0]\n", "    y = [x,\n", "      x]\n"]


class PackageError(Exception):
    pass


class UnsupportedSyntax(PackageError, Unsupported):
    pass


@pytest.fixture(autouse=True)
def text():
    linecache.cache["<model>"] = (1, None, LINES, "<model>")
    yield
    del linecache.cache["<model>"]


def error_at(line, end_line, column, end_column):
    location = Location("<model>", line, end_line, column, end_column, "shorten")
    return UnsupportedSyntax("`del` is not supported", location, "it is mutation", "use a slice")


def test_prints_like_a_syntax_error():
    shown = "".join(traceback.format_exception_only(error_at(2, 2, 15, 23)))
    assert shown.startswith('  File "<model>", line 2\n')
    assert "    é = 'é'; del x[0]\n             ^^^^^^^^\n" in shown
    assert shown.endswith(
        "UnsupportedSyntax: `del` is not supported; it is mutation; use a slice\n"
    )


def test_str_tells_the_same():
    assert str(error_at(2, 2, 15, 23)) == (
        "`del` is not supported; it is mutation; use a slice\n"
        "  <model>:2, in shorten\n"
        "    é = 'é'; del x[0]\n"
        "             ^^^^^^^^"
    )


def test_a_range_over_several_lines_is_cut_at_the_first():
    assert str(error_at(3, 4, 8, 8)).endswith("    y = [x,\n        ^^^")
    assert "y = [x,\n        ^^^\n" in "".join(
        traceback.format_exception_only(error_at(3, 4, 8, 8))
    )


def test_without_text_or_location():
    linecache.cache["<model>"] = (0, None, [], "<model>")
    assert str(error_at(2, 2, 13, 21)).endswith("<model>:2, in shorten")
    assert str(Unsupported("no", why="because")) == "no; because"


def test_kinds_and_pickling():
    error = error_at(2, 2, 15, 23)
    assert isinstance(error, PackageError) and isinstance(error, IRError)
    assert isinstance(error, SyntaxError) and (error.filename, error.lineno) == ("<model>", 2)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is UnsupportedSyntax and str(copy) == str(error)
    missing = SourceNotFound("f", "it has none", "write it down")
    assert str(missing) == "the source of `f` is needed, but it has none; write it down"
    assert str(pickle.loads(pickle.dumps(missing))) == str(missing)
