"""A code object leads back to its own syntax tree, with the positions of the file."""

import argparse
import ast
import doctest
import functools
import importlib
import linecache
import os
import statistics
import subprocess
import sys
import textwrap
import threading
import time
import types
import zipfile
from math import cos as cosine

import pytest

from ir.errors import SourceNotFound
from ir.syntax import locate as locate_module
from ir.syntax.locate import function_code, locate
from ir.syntax.recompile import imported_names, is_function

FUNCTION_NODES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def source_of(function):
    return locate(function.__code__, function.__globals__)


def text_of(function):
    """The text of the file that the found node covers: tests the positions, too."""
    source = source_of(function)
    return ast.get_source_segment("".join(source.lines), source.node)


@pytest.fixture
def quick(monkeypatch):
    """Fails the test if the whole file is parsed."""

    def refuse(*args):
        raise AssertionError("the whole file was parsed")

    monkeypatch.setattr(locate_module, "_find_in_file", refuse)


def module_from(tmp_path, text, name="subject"):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    module = types.ModuleType(name)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    return module


def test_function_in_a_function_with_free_variables(quick, tmp_path):
    module = module_from(
        tmp_path,
        """
        def outer(a):
            count = 0
            def inner(b):
                nonlocal count
                count += a
                return b + count
            return inner
        """,
    )
    inner = module.outer(1)
    assert text_of(inner).startswith("def inner(b):") and text_of(inner).endswith("b + count")
    source = source_of(inner)
    assert (source.node.lineno, source.node.col_offset) == (4, 4)
    assert source.qualname == "outer.<locals>.inner" and source.class_name is None
    assert source.gast_node.name == "inner" and source.gast_node.lineno == 4


def test_methods_private_names_and_super(quick, tmp_path):
    module = module_from(
        tmp_path,
        """
        class Model:
            class __Inner:
                def __get(self):
                    return self.__x

            def __init__(self, __a=1):
                super().__init__()
                self.__x = __a
                self.get = lambda: (self.__x, __a, Model)

            @staticmethod
            def make():
                return Model._Model__Inner
        """,
    )
    model = module.Model()
    assert source_of(module.Model.__init__).class_name == "Model"
    assert text_of(model.get) == "lambda: (self.__x, __a, Model)"
    assert source_of(model.get).class_name == "Model"
    inner = module.Model.make()
    assert source_of(inner._Inner__get).class_name == "__Inner"
    assert text_of(module.Model.make).startswith("def make():")


def test_decorators_text_at_the_margin_and_brackets(quick, tmp_path):
    module = module_from(
        tmp_path,
        '''
        import functools

        if True:
            @functools.lru_cache(
                maxsize=None,
            )
            @functools.wraps(
        len)
            def f(
        a, b=lambda: 0,
            ):
                """Text
        at the margin
        """
        # comment at the margin
                return [
        a,
        ]
            g = 1
        ''',
    )
    f = module.f.__wrapped__
    while hasattr(f, "__wrapped__") and f.__wrapped__ is not len:
        f = f.__wrapped__
    assert text_of(f).startswith("def f(") and text_of(f).endswith("a,\n]")
    assert len(source_of(f).node.decorator_list) == 2
    assert text_of(f.__defaults__[0]) == "lambda: 0"


def test_same_name_defined_twice_and_recursion(quick, tmp_path):
    module = module_from(
        tmp_path,
        """
        def f(n): return n * f(n - 1)
        first = f
        def f(n):
            return n + f(n - 1)
        """,
    )
    assert text_of(module.first).endswith("n * f(n - 1)")
    assert text_of(module.f).endswith("n + f(n - 1)")


def test_imports_change_the_code_of_calls(quick, tmp_path):
    module = module_from(
        tmp_path,
        """
        import os.path
        from math import (
            cos as cosine,
            sin,  # sine
        )
        def f(x):
            return os.getcwd(), cosine.__call__(x), sin(x), x.real.hex()
        """,
    )
    assert text_of(module.f).startswith("def f")


def test_future_annotations_and_asynchronous_functions(quick, tmp_path):
    module = module_from(
        tmp_path,
        """
        from __future__ import annotations
        def f():
            async def g(x: int) -> int:
                return x
            return g
        """,
    )
    assert isinstance(source_of(module.f()).node, ast.AsyncFunctionDef)
    assert text_of(module.f).endswith("return g")


def test_this_module_although_pytest_rewrote_it():
    def with_assertion(x):
        def inner():
            return x

        assert inner() == x, "message"
        return cosine(x)

    def other(y):
        assert y
        return cosine(y)

    assert "@py_assert" in str(with_assertion.__code__.co_varnames)
    assert text_of(with_assertion).endswith("return cosine(x)")
    source = source_of(with_assertion)
    assert set(source.nested.values()) <= set(with_assertion.__code__.co_consts)
    moved = other.__code__.replace(
        co_firstlineno=with_assertion.__code__.co_firstlineno, co_name="with_assertion"
    )
    with pytest.raises(SourceNotFound):
        locate(moved, globals())


def test_lambdas_on_one_line(quick):
    fs = [lambda a: a + 1, lambda a: a + 2, lambda: lambda: 1, *(lambda: i for i in "a")]
    texts = ["lambda a: a + 1", "lambda a: a + 2", "lambda: lambda: 1", "lambda: i"]
    assert [text_of(f) for f in fs] == texts
    assert text_of(fs[2]()) == "lambda: 1"


def test_equal_lambdas_on_one_line_are_told_apart_by_position(quick):
    x = 1
    _é, f, g = "é", lambda: x * x, lambda: x * x
    column = [source_of(function).node.col_offset for function in (f, g)]
    line = source_of(f).lines[f.__code__.co_firstlineno - 1].encode()
    assert all(line[c:].startswith(b"lambda: x * x") for c in column)
    if f.__code__ is not g.__code__:
        assert column[0] < column[1]


def test_lambdas_over_several_lines(quick):
    def call(*functions, **named_functions):
        return [*functions, *named_functions.values()]

    f, g, h, i = call(
        lambda a, b="):,": (
            a,  # ) comment
            b,
        ),
        lambda a: a
        + 1,
        key=lambda a: {"x": a}[
            "x"
        ],
        other=lambda: [x for x in range(3)
                       if x] or """
:""",
    )  # fmt: skip
    assert text_of(f).endswith("b,\n        )")
    assert text_of(g) == "lambda a: a\n        + 1"
    assert text_of(h).endswith("]") and text_of(h).startswith('lambda a: {"x"')
    assert text_of(i).endswith('"""\n:"""')


def test_lambdas_in_headers_dictionaries_slices_and_class_bodies(quick):
    found = []
    for f in sorted([lambda: 1], key=lambda f: f()):
        found += [f]
    if (g := lambda: 2)():
        found.append(g)
    found += {"a": lambda: 3, "b": lambda: 4}.values()

    class Holder:
        private = lambda self: self.__name

    found.append(Holder.private); found.append(lambda: 5)  # fmt: skip
    texts = ["lambda: 1", "lambda: 2", "lambda: 3", "lambda: 4"]
    assert [text_of(f) for f in found] == [*texts, "lambda self: self.__name", "lambda: 5"]
    assert source_of(Holder.private).class_name == "Holder"


def test_nested_functions_are_related_to_their_code():
    def outer(x):
        def inner():
            return x

        return inner, lambda: x + 1, lambda: x + 2, [lambda: y for y in [x]][0]

    source = source_of(outer)
    functions = outer(1)
    for tree in (source.node, source.gast_node):
        nodes = [node for node in walk(tree) if id(node) in source.nested]
        assert len(nodes) == 4
        for node in nodes:
            code = source.nested[id(node)]
            assert text_of_code(source, code) == ast.get_source_segment("".join(source.lines), node)
    assert {f.__code__ for f in functions} == set(source.nested.values())


def walk(tree):
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending += ast.iter_child_nodes(node)


def text_of_code(source, code):
    found = locate(code, globals())
    return ast.get_source_segment("".join(found.lines), found.node)


def test_text_registered_by_hand():
    text = "def f(x):\n    return x\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    namespace = {}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert text_of(namespace["f"]) == text.strip()
    del linecache.cache["<cell 1>"]


def test_doctest():
    """
    >>> f = lambda x: x + 1
    >>> source = source_of(f)
    >>> source.node.lineno, source.node.col_offset
    (1, 4)
    """


def test_the_doctest_above():
    finder = doctest.DocTestFinder()
    (example,) = finder.find(test_doctest, "test_doctest", globs=globals())
    result = doctest.DocTestRunner().run(example)
    assert result.attempted == 3 and result.failed == 0


def test_module_from_a_zip_file(tmp_path, monkeypatch):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped_subject.py", "def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(str(archive))
    module = importlib.import_module("zipped_subject")
    assert text_of(module.f) == "def f(x):\n    return x"


@pytest.mark.parametrize("option", [["-c"], ["-Wignore", "-Bc"], ["-X", "dev", "-c"]])
def test_command_line(option):
    text = (
        "import ast, sys\n"
        "from ir.syntax.locate import locate\n"
        "f = lambda x: x + 1\n"
        "print(ast.unparse(locate(f.__code__, globals()).node), sys.argv[1:])\n"
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(locate_module.__file__)))
    run = subprocess.run(
        [sys.executable, *option, text, "-c"], cwd=root, capture_output=True, text=True
    )
    assert run.stdout == "lambda x: x + 1 ['-c']\n", run.stderr


def test_reloaded_module_whose_old_text_is_cached(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "reloaded_subject.py"
    path.write_text("def f(x):\n    return x\n")
    module = importlib.import_module("reloaded_subject")
    assert text_of(module.f).endswith("return x")
    path.write_text("def f(x):\n    return x + 1000\n")
    importlib.invalidate_caches()
    importlib.reload(module)
    assert text_of(module.f).endswith("return x + 1000")


def test_changed_file(tmp_path):
    module = module_from(tmp_path, "def f(x):\n    return x\n\ng = lambda: 1.0\n")
    (tmp_path / "subject.py").write_text("def f(x):\n    return -x\n\ng = lambda: -0.0\n")
    for function in (module.f, module.g):
        with pytest.raises(SourceNotFound, match="changed since it was imported"):
            source_of(function)
    (tmp_path / "subject.py").write_text("def f(x:\n")
    with pytest.raises(SourceNotFound, match=r"subject\.py:1 is not the text"):
        source_of(module.f)
    (tmp_path / "subject.py").unlink()
    with pytest.raises(SourceNotFound, match="can't be read"):
        source_of(module.f)


@pytest.mark.parametrize(("before", "after"), [("1", "1.0"), ("0.0", "-0.0"), ("(1,)", "(True,)")])
def test_constants_are_compared_by_type_and_sign(tmp_path, before, after):
    module = module_from(tmp_path, f"def f():\n    return {before}\n")
    (tmp_path / "subject.py").write_text(f"def f():\n    return {after}\n")
    with pytest.raises(SourceNotFound):
        source_of(module.f)


def test_code_without_text():
    namespace = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(SourceNotFound, match=r"`f` is needed, but .*<string>.*define it in a file"):
        source_of(namespace["f"])


def test_what_is_not_a_function():
    for thing, why in [
        (len, "builtin_function_or_method"),
        (int, "is a class"),
        (functools.partial(len), "partial"),
        (functools.lru_cache(len), "_lru_cache_wrapper"),
        (3, "int"),
    ]:
        with pytest.raises(SourceNotFound, match=why):
            function_code(thing)
    with pytest.raises(SourceNotFound, match="not a function"):
        locate((i for i in "").gi_code, globals())
    class_code = compile("class A: pass", "", "exec").co_consts[0]
    with pytest.raises(SourceNotFound, match="not a function"):
        locate(class_code, {})
    assert function_code(doctest.DocTestFinder().find) is doctest.DocTestFinder.find.__code__


@pytest.mark.parametrize("module", [argparse, statistics, doctest, textwrap, ast])
@pytest.mark.parametrize("by_whole_file", [False, True])
def test_all_functions_of_a_module(module, by_whole_file, monkeypatch):
    if by_whole_file:
        monkeypatch.setattr(locate_module, "_find_definition", lambda text, code, is_trusted: None)
        monkeypatch.setattr(locate_module, "_find_lambda", lambda text, code: None)
    with open(module.__file__, encoding="utf-8") as file:
        text = file.read()
    expected = {(first_line(node), name_of(node)) for node in function_nodes(ast.parse(text))}
    found = set()
    for code in function_codes(compile(text, module.__file__, "exec", dont_inherit=True)):
        source = locate(code, vars(module))
        place = first_line(source.node), name_of(source.node)
        assert place == (code.co_firstlineno, code.co_name)
        inner = [node for node in function_nodes(source.node) if node is not source.node]
        body = {id(node) for statement in body_of(source.node) for node in ast.walk(statement)}
        assert all(id(node) in source.nested for node in inner if id(node) in body)
        found.add(place)
    assert found == expected


def function_nodes(tree):
    return [node for node in ast.walk(tree) if isinstance(node, FUNCTION_NODES)]


def body_of(node):
    return node.body if isinstance(node.body, list) else [node.body]


def first_line(node):
    return (getattr(node, "decorator_list", None) or [node])[0].lineno


def name_of(node):
    return getattr(node, "name", "<lambda>")


def function_codes(code):
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            if is_function(const):
                yield const
            yield from function_codes(const)


def test_a_file_of_5000_lines_is_not_parsed(quick, tmp_path):
    function = "def f{0}(x, y):\n    z = x * y\n    if z > {0}:\n        z = z - y\n    return z\n"
    module = module_from(tmp_path, "".join(function.format(n) for n in range(1000)))
    linecache.clearcache()
    start = time.perf_counter()
    source = source_of(module.f777)
    elapsed = time.perf_counter() - start
    assert source.node.name == "f777" and source.node.lineno == 777 * 5 + 1
    assert elapsed < 0.1  # takes 5 ms; parsing it all would take 60


def test_warnings_of_the_text_are_not_repeated(tmp_path, recwarn):
    module = module_from(tmp_path, 'def f(x):\n    return "\\d", x is 3\n')
    recwarn.clear()
    source_of(module.f)
    assert not recwarn.list


def test_threads():
    found = []
    codes = [f.__code__ for f in vars(ast).values() if isinstance(f, types.FunctionType)]

    def run():
        found.append([locate(code, vars(ast)).node.lineno for code in codes])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(lines == found[0] for lines in found)


def test_traced_code_still_compares_equal(quick, tmp_path):
    module = module_from(tmp_path, "def f(n):\n    return [i + 1.0 for i in range(n) if i]\n")
    before = sys.gettrace()
    sys.settrace(lambda *event: None)
    try:
        # Often enough that the interpreter also specialises the instructions.
        for _ in range(100):
            module.f(10)
        assert text_of(module.f).startswith("def f(n)")
    finally:
        sys.settrace(before)


def test_gast_node_of_a_lambda():
    node = source_of(lambda x: x + 1).gast_node
    assert type(node).__name__ == "Lambda" and type(node.args.args[0]).__name__ == "Name"


def test_names_that_a_file_imports():
    lines = [
        "import a, b.c as d\n", "from e import (  # several\n", "    f,\n", "    g as h,\n", ")\n",
        "import i, \\\n", "    j\n", "importance = from_k = 1\n", "def f():\n", "    import l\n",
        "from m import *\n", "import n; import o\n",
    ]
    assert imported_names(lines) == {"a", "d", "f", "h", "i", "j", "n", "o"}
    assert imported_names(["from a import (b,\n"]) == frozenset()  # no end
