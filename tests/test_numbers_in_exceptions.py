"""Exceptions that hold numbers with derivatives, and those of which nobody knows what they hold."""

import copy
import gc
import sys
import weakref

import numpy as np
import pytest

import zyg
from tests import differences


class Stop(Exception):
    pass


class OutOfRange(ValueError):
    def __init__(self, *held):
        super().__init__(*held)
        self.value = held[0]

    @property
    def distance(self):
        return self.args[0] - self.args[1]

    def scaled(self, factor):
        return self.args[0] * factor

    def get(self):
        return self.value


READS = [
    lambda error, x: error.distance * x,
    lambda error, x: error.scaled(x),
    lambda error, x: error.get() * x,
    lambda error, x: error.value * x,
    lambda error, x: error.args[0] * x,
]


def fail(y):
    raise OutOfRange(y * y, 1.0)


def caught_at_once(read):
    def f(x):
        try:
            fail(x)
        except OutOfRange as error:
            return read(error, x)

    return f


def caught_behind_map(read):
    def f(x):
        try:
            list(map(fail, [x]))
        except OutOfRange as error:
            return read(error, x)

    return f


def caught_and_kept(read):
    def f(x):
        errors = []
        try:
            fail(x)
        except OutOfRange as error:
            errors.append(error)
        return read(errors[0], x)

    return f


def found_at_run_time(read):
    def f(x):
        try:
            {"fail": fail, "print": print}["fail" if x > 0.0 else "print"](x)
        except OutOfRange as error:
            return read(error, x)

    return f


@zyg.nograd
def fail_unseen(y):
    raise OutOfRange(y * y, 1.0)


def made_unseen(read):
    def f(x):
        try:
            fail_unseen(x)
        except OutOfRange as error:
            return read(error, x)

    return f


DERIVATIVES = [lambda f: zyg.jvp(f, (1.3,), (1.0,))[1], lambda f: zyg.gradient(f, 1.3)[0]]


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("catching", [caught_at_once, caught_behind_map, caught_and_kept])
def test_gradient(catching, read):
    f = catching(read)
    differences.check_gradient(f, (1.3,), zyg.pullback)
    assert zyg.gradient(f, 1.3) == zyg.gradient(f, 1.3)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    "catching", [caught_at_once, caught_behind_map, caught_and_kept, found_at_run_time]
)
@pytest.mark.parametrize("derive", DERIVATIVES)
def test_derivative_is_right_or_refused(derive, catching, read):
    """jvp gave the derivative of a constant, where a method read what a caught exception holds."""
    f = catching(read)
    h = 1e-6
    difference = (f(1.3 + h) - f(1.3 - h)) / (2 * h)
    try:
        found = derive(f)
    except zyg.ZygError:
        # `read` is found when the program runs.
        is_forward = derive is DERIVATIVES[0]
        assert is_forward or catching in (caught_and_kept, found_at_run_time)
    else:
        assert found == pytest.approx(difference, rel=1e-7)


@pytest.mark.parametrize("read", READS)
def test_what_a_function_without_derivative_raises_holds_constants(read):
    error, h = OutOfRange(1.3 * 1.3, 1.0), 1e-6
    difference = (read(error, 1.3 + h) - read(error, 1.3 - h)) / (2 * h)
    assert zyg.gradient(made_unseen(read), 1.3)[0] == pytest.approx(difference, rel=1e-7)


def raised_again(x):
    try:
        try:
            raise Stop(x * x)
        except Stop:
            raise
    except Stop as stopped:
        return stopped.args[0]


def refuse():
    raise ValueError("another")


def raised_while_another_is_handled(x):
    try:
        try:
            raise Stop(x * x)
        except Stop:
            refuse()
    except ValueError as error:
        return error.__context__.args[0]


def asked_of_sys(x):
    try:
        raise Stop(x * x)
    except Stop:
        return sys.exc_info()[1].args[0] * x


def asked_of_sys_by_another_name(x):
    try:
        raise Stop(x * x)
    except Stop:
        return sys.exception().args[0] * x


@pytest.mark.parametrize("f", [
    raised_again, raised_while_another_is_handled, asked_of_sys,
    asked_of_sys_by_another_name,
])
def test_raised_again(f):
    """It was taken to hold nothing that varies."""
    differences.check_gradient(f, (1.3,), zyg.pullback)


class Box:
    pass


def doubled(box):
    box.x = box.x * 2.0
    if box.x > 1.0:
        raise ValueError("too large")
    box.x = box.x * 3.0


def scaled(box):
    box.x = box.x * 5.0
    raise KeyError("x")


def one_of_two_that_fail(x):
    box = Box()
    box.x = x
    try:
        {"doubled": doubled, "scaled": scaled}["doubled" if x > 0.0 else "scaled"](box)
    except ValueError:
        return box.x * x
    except KeyError:
        return box.x
    return box.x


@pytest.mark.parametrize("x", [0.3, 1.3, -0.4])
def test_one_of_two_functions_that_fail(x):
    """The compiler cut the `try` again and again."""
    differences.check_gradient(one_of_two_that_fail, (x,), zyg.pullback)


def printed(x):
    try:
        raise Stop("stopped", x)
    except Stop as stopped:
        return x * x * len(stopped.args)


def test_what_needs_no_derivative():
    assert zyg.gradient(printed, 1.5) == (6.0,)
    assert zyg.jvp(printed, (1.5,), (1.0,)) == (4.5, 6.0)


def what_methods_give(x):
    try:
        fail(x)
    except OutOfRange as error:
        return error.distance * error.scaled(x) + error.get()


def test_methods_in_forward_mode():
    (slope,) = zyg.gradient(what_methods_give, 1.3)
    assert zyg.jvp(what_methods_give, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)


def more_is_stored(x):
    try:
        fail_unseen(x)
    except OutOfRange as error:
        error.more = x
        return error.args[0] * error.more


def copied(x):
    try:
        fail(x)
    except OutOfRange as error:
        return copy.copy(error).args[0] * x


def test_refused():
    with pytest.raises(zyg.NotDifferentiable, match="hand the number on in another way"):
        zyg.gradient(copied, 1.3)
    with pytest.raises(zyg.NotDifferentiable, match="hand the number on in another way"):
        zyg.jvp(copied, (1.3,), (1.0,))


def test_what_is_stored_into_an_exception_without_derivative():
    assert zyg.gradient(more_is_stored, 1.3) == pytest.approx((1.3**2,), rel=1e-12)
    assert zyg.jvp(more_is_stored, (1.3,), (1.0,)) == pytest.approx((1.3**3, 1.3**2), rel=1e-12)


class Joined(ValueError, OSError):
    pass


def made_by_keywords(x):
    try:
        raise Stop(value=x)
    except TypeError:
        return x * x
    except Stop as stopped:
        return stopped.args[0]


def made_of_several_classes(x):
    try:
        raise Joined(x * x)
    except ValueError as error:
        return x * len(error.args)


class Several(Exception):
    def __init__(self, *held):
        self.count = len(held)


def made_of_any_number(x):
    try:
        raise Several(*[x] * int(2 * x))
    except Several as error:
        return x * len(error.args) * error.count


def warned(x):
    try:
        raise UserWarning(x * x)
    except Warning as warning:
        return warning.args[0] * x


@pytest.mark.parametrize("f", [made_of_several_classes, warned])
def test_classes_of_python(f):
    differences.check_gradient(f, (1.3,), zyg.pullback)


@pytest.mark.parametrize("f", [made_by_keywords, made_of_any_number])
def test_what_the_run_time_makes(f):
    """They were made without what they were given, or where Python refuses to."""
    with pytest.raises(zyg.NotDifferentiable):
        zyg.gradient(f, 1.3)
    assert zyg.pullback(lambda x: zyg.dropgrad(f(zyg.dropgrad(x))), 1.3)[0] == f(1.3)


def test_copies_that_are_printed():
    def f(x):
        try:
            fail(x)
        except OutOfRange as error:
            return x * len(repr(copy.copy(error))[:3])

    assert zyg.gradient(f, 1.3) == (3.0,)


def test_no_variant_is_made_for_nothing():
    assert "catching(" not in str(zyg.code_adjoint(caught_at_once(READS[3]), 1.3))


WATCHED = []


@zyg.nograd
def watch(rows):
    WATCHED.append(weakref.ref(rows))


def fail_beside_rows(x):
    rows = np.ones(3)
    watch(rows)
    raise Stop(x * x)


def caught_beside_rows(x):
    try:
        fail_beside_rows(x)
    except Stop as stopped:
        return stopped.args[0]


def test_what_frames_held_is_freed():
    """A traceback holds frames, and these their variables."""
    WATCHED.clear()
    _, back = zyg.pullback(caught_beside_rows, 1.3)
    gc.collect()
    assert [rows() for rows in WATCHED] == [None]
    assert back(1.0) == (2.6,)
