"""Tracebacks show the user's file, line and columns in the place of generated code."""

import gc
import sys
import traceback
import weakref

import pytest

from ir.core import Location
from ir.load import load
from ir.tracebacks import relocate, relocated

USER_TEXT = """\
def scale(x, factor):
    y = x
    return y + x / factor

def outer(x):
    return scale(x, 0)
"""


@pytest.fixture
def model(tmp_path):
    """The path of a user's file."""
    path = tmp_path / "model.py"
    path.write_text(USER_TEXT)
    return str(path)


def load_at(source, locations, module_globals=None, **environment):
    return load(
        source,
        name="text",
        module_globals={"__name__": "model"} if module_globals is None else module_globals,
        environment=environment,
        locations=locations,
    )


def divide_at(path):
    return Location(path, 3, 3, 15, 25, "scale")


def load_scale(path, **environment):
    """Generated code whose third line fails with x_bar and factor zero."""
    source = "def scale_back(y_bar, factor):\n    x_bar = y_bar\n    return x_bar / factor\n"
    return load_at(source, {3: divide_at(path)}, **environment)["scale_back"]


def caught(function, *args, hide=()):
    try:
        function(*args)
    except BaseException as exception:
        return relocated(exception, hide)
    raise AssertionError("no exception")


def places(exception):
    return [(frame.name, frame.lineno) for frame in traceback.extract_tb(exception.__traceback__)]


def test_the_users_line_and_carets_are_shown(model):
    exception = caught(load_scale(model), 1.0, 0.0)
    shown = "".join(traceback.format_exception(exception))
    assert f'File "{model}", line 3, in scale\n    return y + x / factor\n' in shown
    (caret_line,) = [line for line in shown.splitlines() if set(line) & {"^"} and "~" in line][-1:]
    assert caret_line == "    " + " " * 11 + "~~^~~~~~~~"
    assert "<zyg" not in shown
    assert type(exception) is ZeroDivisionError
    assert exception.__context__ is None
    frame = exception.__traceback__.tb_next.tb_frame
    assert frame.f_code.co_qualname == "scale"
    assert frame.f_globals["__name__"] == "model"


def test_other_frames_are_kept(model):
    def callback():
        raise KeyError("missing")

    run = load_at("def run(f):\n    return f()\n", {2: divide_at(model)})["run"]
    exception = caught(run, callback)
    assert places(exception)[1:] == [
        ("scale", 3),
        ("callback", callback.__code__.co_firstlineno + 1),
    ]


def test_machinery_is_hidden_and_a_bare_raise_adds_no_frame(model):
    directory = "/nowhere/machinery/"
    machinery = {"relocate": relocate}
    text = (
        "def boundary(f, *args):\n"
        "    try:\n"
        "        return call(f, *args)\n"
        "    except BaseException as exception:\n"
        f"        relocate(exception, [{directory!r}])\n"
        "        raise\n"
        "def call(f, *args):\n"
        "    return f(*args)\n"
        "def fail():\n"
        "    raise RuntimeError\n"
    )
    exec(compile(text, directory + "api.py", "exec"), machinery)
    with pytest.raises(ZeroDivisionError) as info:
        machinery["boundary"](load_scale(model), 1.0, 0.0)
    assert places(info.value)[-1] == ("scale", 3)
    assert len(places(info.value)) == 2

    with pytest.raises(RuntimeError) as info:
        machinery["boundary"](machinery["fail"])
    assert [name for name, _ in places(info.value)][-3:] == ["boundary", "call", "fail"]


def test_helpers_on_the_same_line_show_once_but_recursion_is_kept(model):
    here, there = divide_at(model), Location(model, 6, 6, 11, 22, "outer")
    forward = load_scale(model)
    helper = load_at("def helper(x):\n    return f(x, 0)\n", {2: here}, f=forward)["helper"]
    outer = load_at("def outer(x):\n    return f(x)\n", {2: there}, f=helper)["outer"]
    assert places(caught(outer, 1))[1:] == [("outer", 6), ("scale", 3)]

    source = "def f(n):\n    return 1 / n + f(n - 1)\n"
    recursive = load_at(source, {2: here})["f"]
    assert places(caught(recursive, 3))[1:] == [("scale", 3)] * 4


def test_lines_without_a_place_take_the_one_before(model):
    source = "def f(x):\n    y = x\n    return (y /\n        x)\n\ndef g(x):\n    return x / 0\n"
    functions = load_at(source, {2: divide_at(model)})
    assert places(caught(functions["f"], 0))[1:] == [("scale", 3)]
    # No line of `g` is known: its frame is left out.
    assert len(places(caught(functions["g"], 0))) == 1


def test_chained_exceptions_are_relocated(model):
    scale = load_scale(model)

    def chained():
        try:
            scale(1, 0)
        except ZeroDivisionError as error:
            raise ValueError("bad") from error

    def suppressed():
        try:
            scale(1, 0)
        except ZeroDivisionError:
            raise ValueError("bad") from None

    def grouped():
        try:
            scale(1, 0)
        except ZeroDivisionError as error:
            raise ExceptionGroup("both", [error, KeyError()])

    assert places(caught(chained).__cause__)[-1] == ("scale", 3)
    assert places(caught(suppressed).__context__)[-1] == ("scale", 3)
    assert places(caught(grouped).exceptions[0])[-1] == ("scale", 3)


def test_relocation_is_idempotent(model):
    exception = caught(load_scale(model), 1, 0)
    before = places(exception)
    assert places(relocated(exception)) == before


def test_several_lines_qualified_names_and_bytes_in_columns(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("class Ä:\n    def m(self):\n        return ('ä' /\n                1)\n")
    location = Location(str(path), 3, 4, 16, 17, "Ä.m")
    run = load_at("def run(x):\n    return x / 1\n", {2: location})["run"]
    exception = caught(run, "ä")
    shown = "".join(traceback.format_exception(exception))
    assert f'File "{path}", line 3, in m\n' in shown
    assert exception.__traceback__.tb_next.tb_frame.f_code.co_qualname == "Ä.m"
    # A range that ends before it starts must not prevent the report.
    odd = Location(str(path), 3, 1, 16, 0, "m")
    assert places(caught(load_at("def f():\n    1 / 0\n", {2: odd})["f"]))[-1] == ("m", 3)


def test_the_exception_is_freed_without_the_garbage_collector(model):
    class Marked(Exception):
        pass

    marks = []

    def fail():
        error = Marked()
        marks.append(weakref.ref(error))
        try:
            raise error
        finally:
            del error

    run = load_at("def run(f):\n    return f()\n", {2: divide_at(model)})["run"]

    def report():
        try:
            run(fail)
        except Marked as exception:
            relocate(exception)

    gc.disable()
    try:
        report()
        assert marks[0]() is None
    finally:
        gc.enable()


def test_deep_recursion_keeps_its_frames(model):
    run = load_at("def f(n):\n    return f(n + 1)\n", {2: divide_at(model)})["f"]
    exception = caught(run, 0)
    assert type(exception) is RecursionError
    frames = places(exception)[1:]
    assert len(frames) > 500 and set(frames) == {("scale", 3)}


def test_no_room_for_a_frame_keeps_the_exception(model):
    scale = load_scale(model)
    found = []

    def descend():
        try:
            scale(1, 0)
        except ZeroDivisionError as error:
            found.append(type(relocated(error)))
        descend()

    with pytest.raises(RecursionError):
        descend()
    assert set(found) == {ZeroDivisionError}


def test_globals_stay_clean(model):
    module_globals = {"__name__": "model"}
    run = load_at("def run():\n    1 / 0\n", {2: divide_at(model)}, module_globals)["run"]
    caught(run)
    assert module_globals == {"__name__": "model"}


def test_sys_excepthook_output(model, capsys):
    exception = caught(load_scale(model), 1.0, 0.0)
    sys.excepthook(type(exception), exception, exception.__traceback__)
    shown = capsys.readouterr().err
    assert "    return y + x / factor\n               ~~^~~~~~~~\n" in shown


def test_code_made_from_generated_code_shows_the_users_lines(model):
    middle = load_at("def middle():\n    1 / 0\n", {2: divide_at(model)})["middle"]
    place = Location(middle.__code__.co_filename, 2, 4, 2, 9, "middle")
    outer = load_at("def outer():\n    1 / 0\n", {2: place})["outer"]
    (_, frame) = traceback.extract_tb(relocated(caught(outer)).__traceback__)
    assert (frame.filename, frame.lineno, frame.name) == (model, 3, "scale")


def test_frames_of_generated_code_of_hidden_files_are_dropped(model, tmp_path):
    rules = str(tmp_path / "rules.py")
    inner = load_at("def inner():\n    1 / 0\n", {2: Location(rules, 7, 0, 7, 9, "add")})["inner"]
    outer = load_at("def outer():\n    inner()\n", {2: divide_at(model)}, inner=inner)["outer"]
    try:
        outer()
    except ZeroDivisionError as error:
        found = relocated(error, hide=[rules])
    assert [frame.name for frame in traceback.extract_tb(found.__traceback__)][1:] == ["scale"]
