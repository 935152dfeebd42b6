"""Bodies of `try` in pieces: a handler that can't fail is entered without raising again."""

import gc
import sys

import pytest

import zyg
from tests.differences import check_gradient

PRICES = {"tea": 2.0, "milk": 3.0}


def counted(prices, names, discount):
    sold = {"tea": 0.0, "milk": 0.0}
    missing = 1
    for name in names:
        try:
            sold[name] += missing * prices[name]
            sold[name] *= discount
        except KeyError:
            missing += 1
    return sold["tea"] * sold["milk"]


NAMES = ["tea", "jam", "milk", "tea", "egg"]


def test_a_handler_that_cannot_fail_is_entered_by_a_branch():
    code = str(zyg.code_adjoint(counted, PRICES, NAMES, 0.5))
    assert "raise" not in code and "except KeyError as" not in code
    check_gradient(counted, (PRICES, NAMES, 0.5), zyg.pullback)


def test_no_variable_of_a_run_keeps_its_traceback():
    for _ in range(5):  # until its code is made, and the path of its repeated calls
        zyg.gradient(counted, PRICES, NAMES, 0.5)
    while gc.collect():  # what other tests have left, and what that leaves
        pass
    gc.disable()
    try:
        zyg.gradient(counted, PRICES, NAMES, 0.5)
        assert gc.collect() == 0
    finally:
        gc.enable()


def chained(prices, names):
    total, seen = 0.0, []
    for name in names:
        try:
            total += prices[name]
            seen.append(name)
            total *= prices[seen[-1]]
        except KeyError:
            total += prices["none"]
    return total


def test_what_a_handler_raises_still_knows_the_error_that_it_handled():
    with pytest.raises(KeyError) as found:
        zyg.gradient(chained, PRICES, NAMES)
    assert found.value.args == ("none",)
    assert found.value.__context__.args == ("jam",)


def by_error(prices, names):
    total, seen = 0.0, []
    for name in names:
        try:
            total += prices[name]
            seen.append(name)
        except KeyError as error:
            total *= 1.0 + len(error.args)
    return total


def test_a_handler_that_reads_the_error_gets_it():
    check_gradient(by_error, (PRICES, NAMES), zyg.pullback)


def of_another_kind(prices, names):
    total, count = 0.0, 0
    for name in names:
        try:
            count += 1
            total += prices[name] / (count - 2)
        except KeyError:
            total *= 2.0
    return total


def test_errors_that_the_handler_does_not_catch_are_raised():
    with pytest.raises(ZeroDivisionError):
        zyg.gradient(of_another_kind, PRICES, ["tea", "milk"])
    check_gradient(of_another_kind, (PRICES, ["tea", "jam", "milk"]), zyg.pullback)


def in_handler(prices, names):
    total, found = 0.0, []
    for name in names:
        try:
            total += prices[name]
            found.append(1)
        except KeyError:
            found.append(sys.exc_info()[0] is KeyError)
            total += 1.0 if found[-1] else 2.0
    return total


def test_a_handler_that_may_look_at_the_error_finds_it():
    assert zyg.withgradient(in_handler, PRICES, NAMES)[0] == in_handler(PRICES, NAMES)
