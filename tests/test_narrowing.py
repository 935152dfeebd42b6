"""What conditions tell of types: nothing is asked again at run time, and derivatives are right."""

import math

import numpy as np
import pytest

import zyg
from ir.inference.narrowing import narrowed_type
from ir.types import BOTTOM, TOP, Known, Scalar, Tuple, Union, join_all
from tests import random_options
from tests.corpus import options
from tests.random_checks import check_batch

NUMBER, COUNT, NONE, PAIR = Scalar(float), Scalar(int), Known(None), Tuple((Scalar(float),))
BATCH = 20


@pytest.mark.parametrize(
    ("type_", "classes", "expected"),
    [
        (join_all([NONE, NUMBER]), type(None), (NONE, NUMBER)),
        (join_all([NONE, NUMBER, PAIR]), tuple, (PAIR, join_all([NONE, NUMBER]))),
        (join_all([NONE, NUMBER, PAIR]), (tuple, float), (join_all([NUMBER, PAIR]), NONE)),
        (join_all([NUMBER, COUNT]), object, (join_all([NUMBER, COUNT]), BOTTOM)),
        (NUMBER, float, (NUMBER, BOTTOM)),
        (TOP, float, (TOP, TOP)),
    ],
)
def test_types(type_, classes, expected):
    assert (
        narrowed_type(type_, Known(classes), True), narrowed_type(type_, Known(classes), False)
    ) == expected


def test_a_class_that_answers_for_itself_tells_nothing():
    class Asking(type):
        def __instancecheck__(cls, instance):
            return True

    class Anything(metaclass=Asking):
        pass

    some = Union(frozenset([NONE, NUMBER]))
    assert narrowed_type(some, Known(Anything), False) == some


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (options.begun_with_none, ([1.0, 2.0], 0.5)),
        (options.none_is_skipped, (1.3,)),
        (options.none_as_a_default, (1.3, 2.0)),
        (options.numbers_and_pairs, ([1.0, (2.0, 3.0)],)),
        (options.solutions_in_a_dict, (1.3,)),
    ],
)
def test_nothing_is_asked_again(f, args):
    # What is known of no type is asked for its class, or dispatched on, when the code runs.
    text = str(zyg.code_adjoint(f, *args))
    assert "unbroadcast" not in text
    assert "isinstance(t" not in text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.one_version) for n in range(BATCH, 6 * BATCH, BATCH))],
)
def test_random_functions(first):
    check_batch(random_options.random_function, range(first, first + BATCH))


def behind_a_check(x, scale=None):
    if scale is None or math.isnan(x):
        raise ValueError("no scale")
    return scale * x * x


def test_behind_what_raises():
    assert zyg.gradient(behind_a_check, 3.0, 2.0) == (12.0, 9.0)
    with pytest.raises(ValueError, match="no scale"):
        zyg.gradient(behind_a_check, 3.0)


def changed_in_an_arm(x, is_array):
    values = np.array([x, x * x]) if is_array else None
    same = values
    if values is not None:
        values[0] = x * x * x
        same[1] += values[0]
    return x if same is None else values[0] * same[1]


@pytest.mark.parametrize("is_array", [True, False])
def test_memory_keeps_its_names(is_array):
    (slope, _) = zyg.gradient(changed_in_an_arm, 1.3, is_array)
    assert slope == pytest.approx(5 * 1.3**4 + 6 * 1.3**5 if is_array else 1.0)


def caught(x, k):
    other = None if k else 2.0
    same = None
    try:
        x = x * same
    except TypeError:
        x = x * 3.0
    try:
        x + other
    except TypeError:
        x = x * x
    return x


@pytest.mark.parametrize(("k", "slope"), [(0, 3.0), (1, 18.0)])
def test_none_among_numbers_is_refused_by_python(k, slope):
    assert zyg.gradient(caught, 1.0, k) == (slope, 0)
    assert zyg.jvp(caught, (1.0, k), (1.0, None))[1] == slope
