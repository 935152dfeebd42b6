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
    check_gradient(f, (2.0,), zyg.pullback)


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
        return x * np.i0(x)
    except Exception:
        return 0.0


def without_rule_at_run_time(functions, x):
    try:
        return functions[0](np.array([[x]]))[0]
    except TypeError:
        return x


def test_handlers_do_not_see_errors_of_zyg():
    with pytest.raises(zyg.NotDifferentiable, match="i0"):
        zyg.gradient(without_rule, 2.0)
    with pytest.raises(zyg.NotDifferentiable, match="i0"):
        zyg.gradient(without_rule_at_run_time, [np.i0], 2.0)


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


def test_a_callee_that_fails_half_way():
    check_gradient(filled, ([1.0, 2.0], 3.0), zyg.pullback)
    check_gradient(filled, ([1.0, 2.0, 3.0], 3.0), zyg.pullback)


class Total:
    def __init__(self):
        self.total = 0.0

    def add(self, value):
        self.total += value
        if value > 2.0:
            raise ValueError(value)
        return value


def summed_by_map(values):
    total = Total()
    try:
        y = sum(map(total.add, values))
    except ValueError:
        y = 0.0
    return y + total.total


def multiplied_by_map(values):
    total = Total()
    try:
        y = math.prod(map(total.add, values))
    except ValueError:
        y = 0.0
    return y + total.total


def test_a_map_of_what_changes_objects_and_may_fail():
    """What takes all items at once is a loop over calls; what takes an iterator is refused."""
    check_gradient(summed_by_map, ([1.0, 1.5],), zyg.pullback)
    check_gradient(summed_by_map, ([1.0, 3.0, 5.0],), zyg.pullback)
    assert zyg.gradient(summed_by_map, [1.0, 3.0, 5.0]) == ([1.0, 1.0, 0.0],)
    with pytest.raises(zyg.UnsupportedSyntax, match="several functions that change something"):
        zyg.gradient(multiplied_by_map, [1.0, 2.0])


def fails_in_total(value):
    total = Total()
    try:
        total.add(value)
    except ValueError as error:
        return error.args[0] * total.total
    return total.total


def test_what_an_exception_of_a_callee_that_changed_something_holds():
    assert zyg.gradient(fails_in_total, 1.0) == (1.0,)
    check_gradient(fails_in_total, (3.0,), zyg.pullback)


def passes(value):
    total = Total()
    try:
        total.add(value)
    except KeyError:
        total.total = 0.0
    return total.total


def test_the_exception_of_a_callee_is_the_one_that_was_raised():
    assert zyg.gradient(passes, 1.0) == (1.0,)
    with pytest.raises(ValueError, match=r"3\.0") as caught:
        zyg.gradient(passes, 3.0)
    assert any(entry.name == "add" for entry in caught.traceback)


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


def sum_of_inverses(xs):
    total = 0.0
    try:
        for x in xs:
            with contextlib.nullcontext():
                total += 1.0 / x
    except ZeroDivisionError:
        pass
    return total


def test_the_error_that_ends_a_loop_has_a_name_of_its_own():
    # Python unbinds the name behind the handler, which leaves the loop.
    dot = zyg.jvp(sum_of_inverses, ([1.0, 2.0, 0.0, 4.0],), ([1.0, 1.0, 1.0, 1.0],))
    assert dot == (1.5, -1.25)


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


def stores_one_by_one(x):
    a, b = np.zeros(2), x * 1.0
    for i in range(4):
        try:
            b, a[i] = b * x, b + x
        except IndexError:
            b = b * 3.0
    return b * np.sum(a)


def stores_in_a_chain(x):
    a, b = np.zeros(2), x * 1.0
    try:
        b = a[2] = x * x
    except IndexError:
        b = b * 3.0
    return b + a[0]


def stores_under_a_star(x):
    items, first, rest = {}, x * 1.0, [x]
    try:
        first, *rest, items["a"]["b"] = x * 2, x * 3, x * 4, x * 5
    except KeyError:
        first = first * x
    return first * rest[0] * len(rest)


@pytest.mark.parametrize("f", [stores_one_by_one, stores_in_a_chain, stores_under_a_star])
def test_variables_that_are_bound_before_a_store_fails(f):
    check_gradient(f, (1.5,), zyg.pullback)


def iterator_made_before(values):
    total = Total()
    items = map(total.add, values)
    try:
        y = sum(items)
    except ValueError:
        y = 0.0
    return y + total.total


def iterator_read_by_a_loop(values):
    total, y = Total(), 0.0
    items = map(total.add, values)
    try:
        for item in items:
            y += item
    except ValueError:
        y = y * 2.0
    return y + total.total


def iterator_read_once(values):
    total, y = Total(), 0.0
    items = map(total.add, values)
    for _ in values:
        try:
            y += next(items)
        except ValueError:
            y = y * 2.0
    return y + total.total


def test_iterators_whose_functions_change_something():
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        zyg.gradient(iterator_read_by_a_loop, [1.0, 3.0])
    for f in (iterator_made_before, iterator_read_once):
        check_gradient(f, ([1.0, 3.0],), zyg.pullback)
        check_gradient(f, ([1.0, 1.5],), zyg.pullback)


class Cleared:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return self.k

    def __exit__(self, *exception):
        self.k += 1.0
        return False


class Grown:
    def __init__(self, size):
        self.size = size

    def by(self, factor):
        self.size *= factor
        if self.size > 1.0:
            raise OverflowError


def raised_again_by_with(x):
    grown = Grown(x)
    try:
        with Cleared(x) as k:
            grown.by(0.3)
        x = x + k
    except Exception:
        x = x * 2.0
    return x + grown.size


def overwritten_behind_an_attempt(a, t):
    try:
        if t < 0.15:
            pass
    except ArithmeticError:
        pass
    else:
        a[0] = a[0] * t
        a[1] = a[2] * 0.6 + t
    finally:
        t = -0.7 - a[1]
    return t


def finally_reads_an_array(x):
    a = np.array([x, 2 * x, 3 * x])
    try:
        x = overwritten_behind_an_attempt(a, x)
    except KeyError:
        x = overwritten_behind_an_attempt(a, x)
    return np.sum(a) + x


@pytest.mark.parametrize("x", [0.1, 2.0, 5.0])
@pytest.mark.parametrize("f", [raised_again_by_with, finally_reads_an_array])
def test_attempts_in_attempts(f, x):
    check_gradient(f, (x,), zyg.pullback)
