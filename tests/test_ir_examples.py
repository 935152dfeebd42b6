"""What `examples` builds on `ir` alone: small enough to read, and right."""

import inspect
import math

import pytest

import ir
from examples import call_logger, miniature_reverse


@pytest.mark.parametrize("example", [call_logger, miniature_reverse])
def test_examples_are_below_a_hundred_lines(example):
    lines = inspect.getsource(example).splitlines()
    assert sum(bool(line.strip()) for line in lines) < 100
    assert "zyg" not in inspect.getsource(example)


def test_call_logger_sees_every_call_in_order(capsys):
    lines = call_logger.main()
    assert capsys.readouterr().out.splitlines() == lines
    assert lines[:4] == [
        "range(2) = range(0, 2)",
        "operator.mul(2.0, 2.0) = 4.0",
        "math.isclose(4.0, 2.0, rel_tol=1e-09) = False",
        "operator.truediv(2.0, 2.0) = 1.0",
    ]


def test_call_logger_leaves_the_function_alone():
    before = str(ir.parse(call_logger.newton))
    call_logger.main()
    assert str(ir.parse(call_logger.newton)) == before
    assert call_logger.newton(2.0, 30) == pytest.approx(math.sqrt(2.0))


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def polynomial(x, y):
    z = x * y + x
    return z * z * 3.0 + y


def early_return(x, y):
    if x > y:
        return x * x
    if x > 1.0:
        x = x * y
    return x + y


def while_loop(x, y):
    steps = 0
    while x < 10.0:
        if steps > 5:
            break
        steps = steps + 1
        if x > 5.0:
            x = x + y
            continue
        x = x * x + y
    else:
        x = x * 3.0
    return x * steps


def rotation(x, n):
    a = x
    b = x * x
    c = 1.0
    for _ in range(n):
        first = a
        a = b
        b = c
        c = first
    return a + b * 2.0


def nested_loops(x, y):
    total = 0.0
    for _ in range(3):
        term = x
        for _ in range(2):
            term = term * y + total
        total = total + term * x
    return total


def return_in_loops(x, y):
    for _ in range(10):
        for _ in range(2):
            x = x * y
            if x > 20.0:
                return x * y
    return x


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (power, (3.0, 4)), (power, (3.0, 0)), (polynomial, (2.0, 3.0)),
        (early_return, (3.0, 2.0)), (early_return, (2.0, 3.0)), (early_return, (0.5, 3.0)),
        (while_loop, (1.1, 0.7)), (while_loop, (0.1, 0.01)), (while_loop, (11.0, 0.1)),
        (rotation, (3.0, 2)), (rotation, (3.0, 3)), (nested_loops, (1.1, 0.7)),
        (return_in_loops, (1.0, 1.3)), (return_in_loops, (1.0, 0.9)),
    ],
)
def test_miniature_reverse_mode_is_right(function, args):
    made = miniature_reverse.gradient(function)
    ir.verify(made)
    found = ir.load(made, like=function)(*args)
    for i, arg in enumerate(args):
        if isinstance(arg, float):
            def shifted(h, i=i, arg=arg):
                return function(*args[:i], arg + h, *args[i + 1 :])

            step = 1e-6 * max(1.0, abs(arg))
            difference = (shifted(step) - shifted(-step)) / (2.0 * step)
            assert found[i] == pytest.approx(difference, rel=1e-6, abs=1e-8)


def test_miniature_reverse_mode_prints_its_example(capsys):
    miniature_reverse.main()
    assert "for record in reversed(records):" in capsys.readouterr().out


def sine(x):
    return math.sin(x)


def over_items(xs):
    y = 1.0
    for x in xs:
        y = y * x
    return y


def raising(x):
    if x > 0.0:
        y = x
    else:
        raise ValueError
    return y * x


def comprehension(x):
    return sum([x * i for i in range(3)])


@pytest.mark.parametrize("function", [sine, over_items, raising, comprehension])
def test_miniature_reverse_mode_says_what_it_does_not_cover(function):
    with pytest.raises(ir.Unsupported):
        miniature_reverse.gradient(function)
