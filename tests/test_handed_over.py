"""Cotangents that back functions hand over to each other, and change in place."""

import numpy as np
import pytest

import zyg
from ir.core import Block, Call, Const, Value, Yield
from ir.types import Scalar, Sequence, Tuple
from tests import differences, random_handed_over
from tests.growing_programs import solved
from tests.random_checks import check_batch
from zyg.compiler.reverse.handing_over import HandedOver
from zyg.compiler.reverse.ownership import reuse_buffers
from zyg.compiler.reverse.table_ownership import reuse_tables

BATCH = 15


@pytest.mark.thorough
@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.one_version) for n in range(BATCH, 5 * BATCH, BATCH))],
)
def test_random_functions(first):
    check_batch(random_handed_over.random_function, range(first, first + BATCH))


def summed_from(xs, i):
    if i == len(xs):
        return 0.0
    return xs[i] * xs[i - 1] + 0.5 * summed_from(xs, i + 1)


def paired(xs, ys, i):
    if i == 0:
        return xs[0] * ys[1]
    return xs[i] * ys[i] + paired(ys, xs, i - 1)


def of_one_list_twice(xs):
    return paired(xs, xs, 2) + summed_from(xs, 1)


def of_captured(x):
    xs = [x * k for k in range(4)]

    def item(i):
        if i == 0:
            return xs[0]
        return xs[i] * item(i - 1) + summed_from(xs, i)

    return item(3)


def with_a_default(x):
    xs = [x, x * x, 2.0 * x]

    def item(i, values=xs):
        if i == 0:
            return values[1]
        return values[i] * item(i - 1) * values[0]

    return item(2) + sum(xs)


def handed_out_too(xs):
    total = summed_from(xs, 0)
    return xs, total, [total, *xs]


def of_a_dict_that_is_used_behind(x):
    found = {}
    first = solved(x, 9, found)
    return first * found[4] + solved(x * first, 14, found) + sum(found.values())


@pytest.mark.parametrize(
    ("f", "argument"),
    [
        (lambda xs: summed_from(xs, 0), [1.0, 2.0, 0.5]),
        (lambda xs: summed_from(xs, 0), np.array([1.0, 2.0, 0.5])),
        (of_one_list_twice, [1.0, 2.0, 0.5]),
        (of_one_list_twice, np.array([1.0, 2.0, 0.5])),
        (of_captured, 1.1),
        (with_a_default, 1.1),
        (of_a_dict_that_is_used_behind, 1.1),
    ],
)
def test_of_first_and_second_order(f, argument):
    differences.check_gradient(f, (argument,), zyg.pullback)
    differences.check_gradient(lambda x: zyg.gradient(f, x)[0], (argument,), zyg.pullback)


def test_seeds_stay_as_they_are():
    xs = [1.0, 2.0, 0.5]
    _, back = zyg.pullback(handed_out_too, xs)
    seed = [1.0, 2.0, 3.0], 1.0, [1.0, 0.5, 0.25, 0.125]
    given = [1.0, 2.0, 3.0], 1.0, [1.0, 0.5, 0.25, 0.125]
    first, again = back(seed), back(seed)
    assert seed == given
    assert first == again


def test_nothing_is_made_for_all_items():
    text = str(zyg.code_adjoint(summed_from, [1.0, 2.0], 0))
    assert "xs_bar[i] +=" in text
    assert "one_hot" not in text


def cotangent_of_an_unknown_tuple(bars):
    """The adjoint of a call in which the seed is a tuple that nobody has built just before."""
    class Back:
        handed = HandedOver((), ((1, 1),), (0,))

    bar = Sequence(list, Scalar(float))
    given, result = Value("given", Tuple((Scalar(float), bar))), Value("t", bar)
    call = Call(Const(Back()), [Const(None), given], {}, [result])
    body = Block([given], [call], Yield([result]))
    for reuse in (reuse_tables, reuse_buffers):
        reuse(body, set(), ())
    copies = [op for op in body.ops if op is not call]
    assert [op.result for op in copies] == [call.args[1]]
    (copy,) = copies
    return copy.callee.value(bars)


def test_parts_of_a_tuple_that_others_know_are_copied():
    bars = 1.0, [2.0, 3.0]
    found = cotangent_of_an_unknown_tuple(bars)
    assert found == bars
    assert found[1] is not bars[1]
