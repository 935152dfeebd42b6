"""What must not get lost where something fails: errors, effects, derivatives, tracebacks."""

import contextlib
import math
import traceback

import numpy as np
import pytest

import ir
import zyg
from tests.differences import check_gradient
from tests.round_trip import rebuilt


class Found(Exception):
    """Holds what was found."""

    def __init__(self, value):
        super().__init__(value)
        self.value = value


def find(x):
    raise Found(x * x)


def uses_what_a_callee_raised(x):
    try:
        find(x)
    except Found as found:
        return found.args[0] * x


def uses_an_attribute(x):
    try:
        raise Found(x * 3)
    except Found as found:
        return found.value * x


@pytest.mark.parametrize("f", [uses_what_a_callee_raised, uses_an_attribute])
def test_what_an_exception_holds_does_not_lose_its_derivative(f):
    with pytest.raises(zyg.NotDifferentiable, match="in another way than in an exception"):
        zyg.gradient(f, 2.0)


def uses_a_constant(x):
    try:
        raise Found(2.0)
    except Found as found:
        return found.args[0] * x


def compares_what_was_found(x):
    try:
        find(x)
    except Found as found:
        return x * x if found.args[0] > 3 else x


def test_what_carries_no_derivative_can_be_used():
    assert zyg.gradient(uses_a_constant, 2.0) == (2.0,)
    assert zyg.gradient(compares_what_was_found, 2.0) == (4.0,)


def without_rule(x):
    try:
        return x * np.linalg.eig(np.array([[x, 1.0], [0.0, 2.0]]))[0][0]
    except Exception:
        return 0.0


def without_rule_at_run_time(functions, x):
    try:
        return functions[0](np.array([[x]]))[0]
    except TypeError:
        return x


def test_handlers_do_not_see_errors_of_zyg():
    with pytest.raises(zyg.NotDifferentiable, match="eig"):
        zyg.gradient(without_rule, 2.0)
    with pytest.raises(zyg.NotDifferentiable, match="eigvals"):
        zyg.gradient(without_rule_at_run_time, [np.linalg.eigvals], 2.0)


def fill(a, values):
    for i, value in enumerate(values):
        a[i] = value * value


def filled(values, x):
    a = np.zeros(2)
    try:
        fill(a, values)
    except IndexError:
        a[0] = a[0] * x
    return np.sum(a) * x


def test_a_callee_that_fails_half_way_is_refused_where_it_fails():
    check_gradient(filled, ([1.0, 2.0], 3.0), zyg.pullback)
    with pytest.raises(zyg.NotDifferentiable, match="IndexError may have changed something"):
        zyg.gradient(filled, [1.0, 2.0, 3.0], 3.0)


def raised_again_behind_changes(values):
    a = np.zeros(2)
    try:
        fill(a, values)
    except IndexError:
        print("too many")
        raise
    return np.sum(a)


def test_a_callee_that_fails_half_way_may_raise(capsys):
    with pytest.raises(IndexError, match="out of bounds"):
        zyg.gradient(raised_again_behind_changes, [1.0, 2.0, 3.0])


def quotient(x):
    try:
        y = x / (x - 1.0)
    except ZeroDivisionError:
        y = x * x * x
    return y * x


@pytest.mark.parametrize(("x", "expected"), [(3.0, 0.25), (1.0, 12.0)])
def test_second_derivative(x, expected):
    def slope(x):
        return zyg.gradient(quotient, x)[0]

    assert zyg.gradient(slope, x)[0] == pytest.approx(expected)


def in_context(x):
    with contextlib.nullcontext(x * x) as y:
        return y * x


def test_what_a_manager_hands_out_is_differentiated():
    assert zyg.gradient(in_context, 3.0) == (27.0,)


@contextlib.contextmanager
def announced():
    print("in")
    yield 5.0
    print("out")


@contextlib.contextmanager
def scaled(x):
    yield x * 2


def timed(x):
    with announced() as factor:
        y = x * factor
    return y * x


def with_active_generator(x):
    with scaled(x) as y:
        return y


def test_generator_based_managers(capsys):
    assert zyg.gradient(timed, 3.0) == (30.0,)
    assert capsys.readouterr().out == "in\nout\n"
    assert zyg.gradient(with_active_generator, 3.0) == (2.0,)


def interrupted(x):
    try:
        y = x * x
        if y > 1:
            raise KeyboardInterrupt
    except Exception:
        y = 3.0
    return y


def test_an_interrupt_is_no_exception():
    with pytest.raises(KeyboardInterrupt):
        zyg.gradient(interrupted, 3.0)


class UpToNegative:
    """Fails in the midst of an iteration."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            if item < 0:
                raise ValueError("negative")
            yield item


def summed(items, factor):
    total = 0.0
    try:
        for item in items:
            total = total + item * factor
    except ValueError:
        total = total * 10
    return total


def test_an_iterator_that_fails():
    items = UpToNegative([1.0, 2.0, -1.0, 5.0])
    assert rebuilt(summed)(items, 2.0) == summed(items, 2.0) == 60.0
    assert zyg.gradient(lambda factor: summed(items, factor), 2.0) == (30.0,)
    with pytest.raises(zyg.NotDifferentiable, match="iterate over a list"):
        zyg.gradient(summed, items, 2.0)


def raised_behind_a_cut(x):
    y = x
    try:
        y = y * 2
        y = y / (x - x)
        y = y * 3
    except ZeroDivisionError:
        y = y * 5
        raise
    return y


def passed_on(x):
    y = x
    try:
        y = y * 2
        y = y / (x - x)
    except ValueError:
        y = 1.0
    return y


@pytest.mark.parametrize("f", [raised_behind_a_cut, passed_on])
def test_tracebacks_show_the_line_that_failed(f):
    with pytest.raises(ZeroDivisionError) as caught:
        zyg.gradient(f, 2.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].line == "y = y / (x - x)"
    assert frames[-1].name == f.__name__


class Passing:
    def __enter__(self):
        return 2.0

    def __exit__(self, *args):
        return None


def within(x):
    y = x
    with Passing() as factor:
        y = y * factor
        y = y * x
    return y * y


def test_a_manager_that_never_suppresses_needs_no_cut():
    assert ir.emit(ir.parse(within)).count("try:") == 1
    assert zyg.gradient(within, 3.0) == (4 * 2.0**2 * 3.0**3,)


def plain(x):
    try:
        a = math.sqrt(x)
        b = a * x
        y = a / b
    except (ValueError, ZeroDivisionError):
        y = 0.0
    return y


def test_a_body_of_which_nobody_sees_a_part_is_one_try():
    text = str(zyg.code_adjoint(plain, 2.0))
    assert text.count("try:") == 1
    assert "except (ValueError, ZeroDivisionError):" in text
    assert "ZygError" not in text


def test_verify_asks_for_the_exception_of_a_handler():
    function = ir.parse(plain)
    (op,) = (op for op in function.body.ops if isinstance(op, ir.Try))
    ir.verify(function)
    op.handler.params, kept = [], op.handler.params
    try:
        with pytest.raises(ir.IRError, match="takes the exception"):
            ir.verify(function)
    finally:
        op.handler.params = kept
