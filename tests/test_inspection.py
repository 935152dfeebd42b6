"""What `code_ir`, `code_adjoint`, `code_gradient` and `explain` show."""

import inspect
import math

import numpy as np
import pytest

import zyg

RATE = 2.0


def helper(x):
    y = 0.0
    for _ in range(2):
        y = y + math.sin(x) * RATE
    return y * x


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * helper(x)
    return y


def fib(n, x):
    return x if n < 2 else fib(n - 1, x) * fib(n - 2, x)


def unknown(functions, x):
    return functions["f"](x)


def calls_unknown(x):
    return unknown({"f": math.sin, 3: 1}, x) * x


def test_the_ir_has_types():
    listing = str(zyg.code_ir(power, 2.0, 3))
    assert listing.startswith("function power(x: float, n: int):")
    assert "for" in listing and "return y" in listing


def run(code, **names):
    """The functions that a generated text defines where only the user's names are known."""
    namespace = {"RATE": RATE, **names}
    exec(code.source, namespace)
    return namespace


def test_the_source_of_a_pair_runs():
    code = zyg.code_adjoint(power, 2.0, 3)
    assert "def power_forward(x, n):" in code.source
    assert "def power_back(" in code.source
    assert "def helper_back(" in code.source
    assert str(code) == code.source
    found = run(code)
    y, saved = found["power_forward"](2.0, 3)
    expected, back = zyg.pullback(power, 2.0, 3)
    assert y == expected
    assert found["power_back"](saved, 1.0) == back(1.0)[0]


def test_recursion_calls_itself_by_its_name():
    code = zyg.code_adjoint(fib, 5, 1.5)
    assert code.source.count("def ") == 2
    assert "fib_back_1" not in code.source
    found = run(code)
    _, saved = found["fib_forward"](5, 1.5)
    assert found["fib_back"](saved, 1.0) == zyg.gradient(fib, 5, 1.5)[1]


def grown(x):
    for _ in range(2):
        x = x * x + x
    return x


def grown_twice(x, w):
    return np.sum(grown(w)) * grown(x)


def test_two_signatures_of_one_helper_have_two_names():
    code = zyg.code_adjoint(grown_twice, 2.0, np.ones(2))
    assert {"grown_forward", "grown_forward_2"} <= set(code.functions)
    found = run(code)
    y, saved = found["grown_twice_forward"](2.0, np.ones(2))
    assert y == grown_twice(2.0, np.ones(2))
    bars = found["grown_twice_back"](saved, 1.0)
    np.testing.assert_equal(bars, zyg.gradient(grown_twice, 2.0, np.ones(2)))


def test_the_joint_form():
    code = zyg.code_gradient(power, 2.0, 3)
    found = run(code)
    assert found["power_gradient"](2.0, 3) == (zyg.gradient(power, 2.0, 3)[0],)


def test_functions_show_their_source():
    code = zyg.code_adjoint(power, 2.0, 3)
    text = inspect.getsource(code.functions["power_back"])
    assert text.startswith("def power_back(")


def test_display_in_a_notebook():
    text = zyg.code_adjoint(power, 2.0, 3)._repr_html_()
    assert text.startswith("<pre>") and text.endswith("</pre>")
    assert "<b>def</b>" in text and "# test_inspection.py:" in text
    assert "&lt;" not in zyg.code_ir(power, 2.0, 3)._repr_html_().replace("&lt;lambda", "")


def test_nothing_to_explain():
    found = zyg.explain(power, 2.0, 3)
    assert not found
    assert found.calls == ()
    assert str(found).endswith("test_inspection.power(float, int) is known at compile time")


@pytest.mark.parametrize("f", [lambda x: unknown({"f": math.sin, 3: 1}, x), calls_unknown])
def test_what_falls_to_run_time_dispatch(f):
    found = zyg.explain(f, 2.0)
    assert found
    line = unknown.__code__.co_firstlineno + 1
    assert any(call.location is not None and call.location.line == line for call in found.calls)
    assert f"test_inspection.py:{line}, in unknown: " in str(found)
    assert "not known at compile time" in str(found)


def test_errors_are_those_of_the_compiler():
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        zyg.code_adjoint(power, 2.0)
