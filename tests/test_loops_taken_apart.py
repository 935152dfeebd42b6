"""Loops over `enumerate`, `zip` and the items of dicts, which walk over the parts themselves."""

import itertools
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import zyg
from tests import differences

XS = [1.5, 2.5, 0.5]


def counted_from(w, xs, start):
    s = 0.0
    for i, x in enumerate(xs, start):
        s += w**i * x
    return s


def counted_pairs(w, xs, ys):
    s = 0.0
    for i, (x, y) in enumerate(zip(xs, ys, strict=False), start=2):
        s += w * x * y * i
    return s


def nested_counts(w, xs):
    s = 0.0
    for i, (j, x) in enumerate(enumerate(xs)):
        s += w * x * i * j
    return s


def in_comprehensions(w, xs):
    return sum(w**i * x for i, x in enumerate(xs)) + max([i * x * w for i, x in enumerate(xs)])


def with_an_else(w, xs):
    for i, x in enumerate(xs):
        if x > 9.0:
            break
        w = w * x + i
    else:
        w = w + i * w
    return w


def kept_pair(w, xs):
    last = None
    for pair in enumerate(xs):
        last = pair
    return last[1] * w * w + last[0]


def gone_on_with(w, xs):
    counted = enumerate(xs)
    _, x = next(counted)
    s = x * w
    for i, x in counted:
        s += w**i * x
    return s


def changed_ahead(w, xs):
    xs = list(xs)
    for i, x in enumerate(xs):
        if i + 1 < len(xs):
            xs[i + 1] = xs[i + 1] * w + x
    return sum(xs)


def grown(w, xs):
    xs = list(xs)
    s = 0.0
    for i, x in enumerate(xs):
        s += w * x * (i + 1)
        if len(xs) < 5:
            xs.append(x * w)
    return s


def shrunk(w, xs):
    xs = list(xs)
    s = 0.0
    for i, x in enumerate(xs):
        s += w * w * x * (i + 1)
        xs.pop()
    return s


def by_halves(w, xs):
    s = 0.0
    for t, x in zip(itertools.count(1.5), xs, strict=False):
        s += w * w * t * x
    return s


def items_of(w, params):
    s = 0.0
    for name, value in params.items():
        s += w * np.sum(value**2) * len(name)
    return s


def replaced_items(w, params):
    params = dict(params)
    for name, value in params.items():
        params[name] = value * w * value
    return sum(params.values())


def other_dicts(w, params):
    sums, ordered = defaultdict(float), OrderedDict(params)
    for i in range(4):
        sums[i % 2] += w * i
    ordered.move_to_end("a")
    s = 1.0
    for key, value in sums.items():
        s += value * value * key
    for value, (name, other) in zip(sums.values(), ordered.items(), strict=True):
        s = s * other + value * len(name)
    return s


PARAMS = {"a": 1.5, "bb": 0.5}
CASES = [
    (counted_from, (1.3, XS, 3)), (counted_from, (1.3, tuple(XS), 0)),
    (counted_from, (1.3, np.array(XS), 1)), (counted_from, (1.3, [], 1)),
    (counted_pairs, (1.3, XS, XS[:2])), (counted_pairs, (1.3, XS, np.array(XS))),
    *[(f, (1.3, XS)) for f in (
        nested_counts, in_comprehensions, with_an_else, kept_pair, gone_on_with, changed_ahead,
        grown, shrunk, by_halves,
    )],
    *[(f, (1.3, PARAMS)) for f in (items_of, replaced_items, other_dicts)],
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradient(f, args):
    differences.check_gradient(f, args, zyg.pullback)


@pytest.mark.parametrize(("f", "args"), CASES)
def test_second_derivative(f, args):
    def slope(w):
        return zyg.grad(lambda w: f(w, *args[1:]))(w)

    _, along = zyg.jvp(lambda w: f(w, *args[1:]), (1.3,), (1.0,))
    assert along == pytest.approx(slope(1.3), rel=1e-12)
    by_differences = (slope(1.3 + 1e-6) - slope(1.3 - 1e-6)) / 2e-6
    assert zyg.grad(slope)(1.3) == pytest.approx(by_differences, abs=1e-6)


def of_the_first_positions(w, xs, push):
    s = 0.0
    for i, _ in zip(range(len(xs)), xs, strict=False):
        s += w * (i + 1)
        if len(xs) < 6:
            push(1.0)
    return s


def of_all_positions(w, xs, push):
    s = 0.0
    for i, _ in enumerate(xs, 1):
        s += w * i
        if len(xs) < 6:
            push(1.0)
    return s


def of_all_pairs(w, xs, push):
    s = 0.0
    for i, (_, y) in enumerate(zip(xs, [1.0] * 9, strict=False), 1):
        s += w * i * y
        if len(xs) < 6:
            push(1.0)
    return s


@pytest.mark.parametrize(("f", "slope"), [
    (of_the_first_positions, 6.0), (of_all_positions, 21.0), (of_all_pairs, 21.0),
])
def test_a_list_that_grows_unseen(f, slope):
    """The same loops as Python's: those over a range end with it, and the others don't."""
    xs = [1.0, 2.0, 3.0]
    _, back = zyg.pullback(lambda w: f(w, xs, xs.append), 1.3)
    assert back(1.0) == (pytest.approx(slope),)
    xs = [1.0, 2.0, 3.0]
    _, along = zyg.jvp(lambda w: f(w, xs, xs.append), (1.3,), (1.0,))
    assert along == pytest.approx(slope)


def test_what_is_counted_is_printed_so():
    code = zyg.code_gradient(counted_from, 1.3, XS, 3).source
    assert "for i, x in enumerate(xs, start):" in code
    assert "column" not in code and "count" not in code.replace("counted", "")
    code = zyg.code_gradient(counted_pairs, 1.3, XS, XS).source
    assert "for i, (x, y) in enumerate(zip(xs, ys), 2):" in code
