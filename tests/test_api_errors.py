"""Errors of the public functions: what, where, and the user's own lines in both passes."""

import math
import os
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import zyg

ROOT = Path(__file__).parent.parent
LIBRARY = (str(ROOT / "zyg") + os.sep, str(ROOT / "ir") + os.sep)


def raised(call, *args):
    """The error of a call."""
    try:
        call(*args)
    except BaseException as error:
        return error
    raise AssertionError("no error")


def lines(error):
    """The source lines that a traceback shows, without those of this module's machinery."""
    frames = traceback.extract_tb(error.__traceback__)
    assert not [frame for frame in frames if frame.filename.startswith(LIBRARY)], frames
    assert not [frame for frame in frames if frame.filename.startswith("<")], frames
    return [frame.line for frame in frames if frame.name not in ("raised", "<lambda>", "backwards")]


def backwards(f, *args, seed=1.0):
    _, back = zyg.pullback(f, *args)
    back(seed)


# The user's own errors


def reciprocal(x):
    y = 1.0
    for _ in range(1):
        y = y / x
    return y


def summed(xs):
    total = 0.0
    for x in xs:
        total = total + reciprocal(x)
    return total


@pytest.mark.parametrize("call", [zyg.gradient, zyg.withgradient, zyg.pullback, zyg._pullback])
def test_in_the_primal_of_a_helper_in_a_loop(call):
    error = raised(call, summed, [1.0, 0.0])
    assert type(error) is ZeroDivisionError
    assert str(error) == str(raised(summed, [1.0, 0.0]))
    assert lines(error) == ["total = total + reciprocal(x)", "y = y / x"]


def test_columns_of_the_line():
    error = raised(zyg.pullback, summed, [1.0, 0.0])
    text = "".join(traceback.format_exception(error))
    assert "y = y / x\n        ~~^~~\n" in text
    # How a call is marked depends on the version of Python.
    assert marks(error)[-2:] == marks(raised(summed, [1.0, 0.0]))[-2:]


def marks(error):
    """The lines of a traceback that mark columns."""
    printed = "".join(traceback.format_exception(error)).splitlines()
    return [line for line in printed if line.strip() and set(line) <= set(" ~^")]


def fragile(x):
    return x * 2.0


@zyg.adjoint(fragile)
def fragile_rule(x):
    def back(y_bar):
        return y_bar * {1.0: 2.0}[x]

    return x * 2.0, back


def uses_fragile(x):
    y = x + 1.0
    return fragile(y) * 3.0


def test_in_the_back_function_of_a_rule():
    for call in (zyg.gradient, backwards):
        error = raised(call, uses_fragile, 1.0)
        assert type(error) is KeyError
        assert "return fragile(y) * 3.0" in lines(error)


def descend(n, x):
    if n == 0:
        return math.sqrt(x)
    return descend(n - 1, x - 1.0)


def test_in_a_recursion():
    error = raised(zyg.pullback, descend, 3, 1.0)
    assert type(error) is ValueError
    assert lines(error) == ["return descend(n - 1, x - 1.0)"] * 3 + ["return math.sqrt(x)"]


def interrupted(x):
    if x > 0:
        raise KeyboardInterrupt
    return x


def test_interrupts_pass_untouched():
    error = raised(zyg.gradient, interrupted, 1.0)
    assert type(error) is KeyboardInterrupt
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    assert any(name.startswith("<zyg") for name in frames) or any(
        name.startswith(LIBRARY) for name in frames
    )


def raises_chained(x):
    if x > 0:
        raise RuntimeError("outer") from ValueError("inner")
    return x


def test_causes_are_kept():
    error = raised(zyg.gradient, raises_chained, 1.0)
    assert isinstance(error, RuntimeError)
    assert isinstance(error.__cause__, ValueError)


# Arguments, seeds, results


def test_a_wrong_number_of_arguments_is_pythons_error():
    def f(x, y):
        return x * y

    for args in [(), (1.0,), (1.0, 2.0, 3.0)]:
        assert str(raised(zyg.gradient, f, *args)) == str(raised(f, *args))
    assert "unexpected keyword argument 'z'" in str(raised(lambda: zyg.gradient(f, 1.0, z=2.0)))
    assert type(raised(zyg.gradient, f)) is TypeError


def test_something_that_can_not_be_called():
    assert str(raised(zyg.gradient, 3.0, 1.0)) == "'float' object is not callable"


@pytest.mark.parametrize(
    ("result", "seed", "message"),
    [
        (1.0, np.ones(3), r"result is a number, but the seed has the shape \(3,\)"),
        (np.ones(3), 1.0, r"shape \(3,\), but the seed has \(\)"),
        (np.ones(3), np.ones((3, 1)), r"shape \(3,\), but the seed has \(3, 1\)"),
        ((1.0, 2.0), (1.0,), "tuple of 2 items, but the seed is 1 items"),
        ([1.0, 2.0], 1.0, "list of 2 items, but the seed is float"),
        ({"a": 1.0}, [1.0], "dict, but the seed a list"),
        ({"a": 1.0}, {"b": 1.0}, "no key 'b'"),
    ],
)
def test_a_seed_that_does_not_fit(result, seed, message):
    _, back = zyg.pullback(lambda y: y, result)
    with pytest.raises(ValueError, match=message):
        back(seed)


@pytest.mark.parametrize(
    ("result", "what"),
    [(np.ones(3), r"an array of shape \(3,\)"), (1j, "complex"), ("text", "str"), (None, "None")],
)
def test_results_that_have_no_gradient(result, what):
    with pytest.raises(TypeError, match=what) as info:
        zyg.gradient(lambda x: result if x > 0 else x, 1.0)
    assert "zyg.jacobian" in str(info.value)


def two(x, y):
    return x * y


@zyg.adjoint(two)
def two_rule(x, y):
    return x * y, lambda z_bar: (z_bar, z_bar, z_bar)


def test_a_rule_that_returns_too_many_gradients():
    for call in (zyg.gradient, backwards):
        for f in (two, lambda x, y: two(x, y), lambda x, y: [two][0](x, y)):
            error = raised(call, f, 1.0, 2.0)
            assert isinstance(error, zyg.NotDifferentiable)
            assert "`two`" in str(error) and "3 gradients for 2 arguments" in str(error)


@pytest.mark.parametrize(
    ("argument", "what"),
    [
        (np.ma.masked_array([1.0]), "masked arrays"),
        (np.array([1.0], object), "dtype object"),
        (np.zeros(2, [("a", float)]), "structured array"),
    ],
)
def test_arrays_without_gradients_are_refused_by_name(argument, what):
    for wrapped in (argument, [argument], {"a": argument}):
        with pytest.raises(zyg.NotDifferentiable, match=what):
            zyg.gradient(lambda x: 1.0, wrapped)


# zyg's own errors


def counted(a):
    counts, _, _ = np.histogram2d(a[0], a[1])
    return counts[0]


def test_a_c_function_without_a_rule():
    error = raised(zyg.gradient, counted, np.eye(2))
    assert isinstance(error, zyg.NotDifferentiable)
    text = str(error)
    assert "numpy.histogram2d has no rule" in text
    assert "@zyg.adjoint(numpy.histogram2d)" in text
    assert "zyg.dropgrad" in text
    line = counted.__code__.co_firstlineno + 1
    assert f"test_api_errors.py:{line}, in counted" in text
    assert "counts, _, _ = np.histogram2d(a[0], a[1])" in text


def test_a_c_function_without_a_rule_is_called_for_constants():
    assert zyg.gradient(lambda x: x * np.histogram(np.eye(2))[0][0], 2.0) == (2.0,)


def looks_at_its_frame(x):
    y = x
    z = locals()["y"]
    return y * z


def test_unsupported_syntax_shows_line_and_caret():
    error = raised(zyg.gradient, looks_at_its_frame, 1.0)
    assert isinstance(error, zyg.UnsupportedSyntax)
    text = "".join(traceback.format_exception(error))
    assert f"line {looks_at_its_frame.__code__.co_firstlineno + 2}" in text
    assert "locals()" in text and "^^^" in text


def changes_what_an_iterator_comes_to(xs):
    doubled = zip(xs, xs, strict=True)
    xs[0] = xs[1] * xs[1]
    return sum(a * b for a, b in doubled)


def test_changes_in_place_show_line_and_caret():
    error = raised(zyg.gradient, changes_what_an_iterator_comes_to, [1.0, 2.0])
    assert isinstance(error, zyg.UnsupportedSyntax)
    assert "doubled" in str(error) and "^^^" in str(error)
    assert f":{changes_what_an_iterator_comes_to.__code__.co_firstlineno + 3}" in str(error)


def test_code_without_source():
    namespace = {}
    exec("def f(x): return x", namespace)
    error = raised(zyg.gradient, namespace["f"], 1.0)
    assert isinstance(error, zyg.ZygError)
    assert "source of `f`" in str(error)


def test_a_foreign_ir_is_refused(tmp_path):
    (tmp_path / "ir.py").write_text("")
    program = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import zyg"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode != 0
    assert "ImportError: zyg needs its own package `ir`" in run.stderr
    assert str(tmp_path / "ir.py") in run.stderr
    assert "rename" in run.stderr
