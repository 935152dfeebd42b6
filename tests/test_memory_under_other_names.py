"""Local arrays that are kept under another name, and changed afterwards: what is kept shows the
change. The derivative is right, or refused."""

import functools
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

import zyg
from tests.random_checks import outcomes
from tests.random_code import names_of


class Holder:
    def __init__(self, value=None):
        self.value = value


def squares(value):
    match value:
        case Holder():
            return squares(value.value)
        case dict():
            return sum(squares(value[key]) for key in value)
        case list() | tuple() | deque():
            return sum(squares(item) for item in value)
    return np.sum(value() * value()) if callable(value) else np.sum(value * value)


NAMES = {
    "asarray": "np.asarray(a)", "ascontiguousarray": "np.ascontiguousarray(a)",
    "atleast_2d": "np.atleast_2d(a)", "broadcast_to": "np.broadcast_to(a, (2, 4))",
    "real": "a.real", "rot90": "np.rot90(a.reshape(2, 2))", "split": "np.hsplit(a, 2)[0]",
    "diagonal": "np.diagonal(a.reshape(2, 2))", "slice": "a[1:]", "view": "a.reshape(2, 2).T",
    "windows": "np.lib.stride_tricks.sliding_window_view(a, 2)", "where": "np.where(a > 0, a, 0)",
    "roll": "np.roll(a, 1)", "ordered": "OrderedDict(k=a)", "missing": "defaultdict(list, k=a)",
    "zipped": "list(zip([a], [1]))", "tuple": "(a,)", "nested": "[[a]]", "deque": "deque([a])",
    "partial": "functools.partial(np.sum, a)", "method": "a.sum", "lambda": "lambda: a",
    "object": "Holder(a)",
}
KEPT = {
    "attribute": ("q.v = {0}", "q.v"), "variable": ("v = {0}", "v"), "list": ("v = [{0}]", "v[0]"),
    "closure": ("v = {0}; look = lambda: v", "look()"), "constructor": ("k = Holder({0})", "k"),
}
CHANGES = {
    "stored": "a[1] = x**3", "by_an_attribute": "q.w = a; q.w[1] = x**3",
    "out": "np.multiply(a, x, out=a)",
}
NAMESPACE = {
    "np": np, "Holder": Holder, "squares": squares, "functools": functools, "deque": deque,
    "OrderedDict": OrderedDict, "defaultdict": defaultdict,
}


def program(name, kept, change):
    keep, read = KEPT[kept]
    lines = [
        "def f(x):", "q, a = Holder(), np.array([x, x * x, 2.0 * x, 1.0])",
        keep.format(NAMES[name]), CHANGES[change], f"return squares({read})",
    ]
    return names_of(["\n    ".join(lines)], f"<{name} {kept} {change}>", NAMESPACE)["f"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_none_is_wrong(name):
    for kept in ("attribute", "closure"):
        f = program(name, kept, "stored")
        assert False not in list(outcomes(f)), kept
    assert False not in list(outcomes(program(name, "list", "by_an_attribute")))


@pytest.mark.thorough
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("name", NAMES)
def test_none_is_wrong_however_it_is_kept_and_changed(name, kept):
    for change in CHANGES:
        assert False not in list(outcomes(program(name, kept, change))), change


@pytest.mark.parametrize("name", ["slice", "view", "tuple", "nested", "broadcast_to", "windows"])
def test_what_is_changed_by_an_attribute_is_seen(name):
    assert list(outcomes(program(name, "attribute", "by_an_attribute"))) == [True] * 3


def test_the_error_says_what_to_do():
    with pytest.raises(zyg.NotDifferentiable, match="change it by the attribute, or change a copy"):
        zyg.gradient(program("ascontiguousarray", "attribute", "stored"), 1.3)


def a_copy(x):
    q = Holder()
    a = np.array([x, x * x, 2.0 * x])
    q.value = np.ascontiguousarray(a[::2])
    a[0] = x**3
    return np.sum(q.value) * np.sum(a)


def test_copies_are_not_refused():
    assert list(outcomes(a_copy)) == [True] * 3


def values_before_a_change(x):
    q = Holder()
    a = np.array([x, x * x])
    rows = [np.where(a > 0.0, a, 0.0)]
    q.value = a
    q.value[1] = x**3
    return np.sum(rows[0] * rows[0])


def test_expressions_stay_before_what_changes_them():
    assert list(outcomes(values_before_a_change)) == [True] * 3
