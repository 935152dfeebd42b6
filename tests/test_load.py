"""Generated text becomes functions of the user's module, and is forgotten with them."""

import gc
import inspect
import linecache
import types

import pytest

from ir.core import Location
from ir.load import generated, load
from ir.parse import parse

PLACE = Location("model.py", 3, 3, 4, 9, "scale")


def load_text(source, module_globals=None, **environment):
    if module_globals is None:
        module_globals = {"__name__": "model"}
    return load(
        source,
        name="text",
        module_globals=module_globals,
        environment=environment,
        locations={2: PLACE},
    )


def test_environment_and_globals_are_both_seen_and_globals_stay_clean():
    module_globals = {"__name__": "model", "offset": 10}
    before = dict(module_globals)
    functions = load_text("def f(x):\n    return x * factor + offset\n", module_globals, factor=2)
    assert functions["f"](3) == 16
    assert module_globals == before
    module_globals["offset"] = 20
    assert functions["f"](3) == 26
    assert functions["f"].__globals__ is module_globals
    assert functions["f"].__module__ == "model"


def test_environment_shadows_globals_and_builtins():
    functions = load_text("def f():\n    return len, a\n", {"a": 1}, len=5, a=2)
    assert functions["f"]() == (5, 2)


def test_cells_are_used_as_they_are_and_can_be_filled_later():
    later = types.CellType()
    even = load_text("def even(n):\n    return n == 0 or odd(n - 1)\n", odd=later)["even"]
    odd = load_text("def odd(n):\n    return n != 0 and even(n - 1)\n", even=even)["odd"]
    later.cell_contents = odd
    assert even(10) and not even(7)
    assert later in even.__closure__


def test_functions_see_each_other_and_themselves():
    functions = load_text(
        "def even(n):\n    return n == 0 or odd(n - 1)\n\n\n"
        "def odd(n):\n    return n != 0 and even(n - 1)\n"
    )
    assert list(functions) == ["even", "odd"]
    assert functions["even"](10) and functions["odd"](3)


def test_a_function_fills_the_cell_of_its_name():
    cell = types.CellType()
    functions = load_text("def f(n):\n    return n if n < 1 else f(n - 1)\n", f=cell)
    assert cell.cell_contents is functions["f"]
    assert functions["f"](3) == 0


def test_names_and_defaults_are_those_of_a_module():
    functions = load_text(
        "def f(x, n=three, *, k=4):\n    def g():\n        return x\n    return g\n", three=3
    )
    f = functions["f"]
    assert (f.__name__, f.__qualname__) == ("f", "f")
    assert f.__defaults__ == (3,) and f.__kwdefaults__ == {"k": 4}
    assert f(1).__qualname__ == "f.<locals>.g"


def test_class_cell_serves_super():
    class Base:
        def value(self):
            return 1

    class Derived(Base):
        pass

    source = "def value(self):\n    return super().value() + 1\n"
    value = load_text(source, __class__=Derived)["value"]
    assert value(Derived()) == 2


@pytest.mark.parametrize("source", ["x = 1\n", "", "def f(): pass\nx = 1\n"])
def test_only_definitions_are_loaded(source):
    with pytest.raises(ValueError, match="function definitions"):
        load_text(source)


def test_getsource_shows_each_function():
    first = "def f(x):\n    return x\n"
    second = "def g(x):\n    h = lambda: (\n        x)\n    return h\n"
    functions = load_text(first + "\n\n" + second)
    assert inspect.getsource(functions["f"]) == first
    assert inspect.getsource(functions["g"]) == second
    linecache.checkcache()
    assert inspect.getsource(functions["f"]) == first
    assert inspect.getsource(functions["g"](1)).strip() == "h = lambda: (\n        x)"


def test_getsource_in_a_module_that_exists():
    functions = load_text("def f(x):\n    return x\n", globals())
    assert inspect.getsource(functions["f"]) == "def f(x):\n    return x\n"


def test_text_is_forgotten_with_its_last_code_object():
    functions = load_text("def f(x):\n    return lambda: f(x)\n\ndef g():\n    return f\n")
    file = functions["f"].__code__.co_filename
    assert file.startswith("<zyg text ")
    assert generated(file).locations == {2: PLACE}
    inner_code = functions["f"](1).__code__
    del functions
    gc.collect()
    assert generated(file) is not None and linecache.getlines(file)
    del inner_code
    gc.collect()
    assert generated(file) is None and file not in linecache.cache


def test_same_name_gives_different_files():
    first, second = (load_text("def f():\n    return 1\n")["f"] for _ in range(2))
    assert first.__code__.co_filename != second.__code__.co_filename


def test_text_is_found_when_the_cache_of_lines_was_cleared():
    text = "def f(x):\n    return x * 2\n"
    (function,) = load_text(text).values()
    kept = dict(linecache.cache)
    try:
        linecache.clearcache()
        assert parse(function).name == "f"
        assert inspect.getsource(function) == text
    finally:
        linecache.cache.update(kept)
