"""The algebra of cotangents."""

from __future__ import annotations

import doctest
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import zyg.cotangents.cotangent
import zyg.rules.digamma
from zyg.cotangents.cotangent import accumulate, conj, project, unbroadcast, zeros_like
from zyg.cotangents.cotangent_items import accumulate_at, one_hot, scatter
from zyg.errors import NotDifferentiable

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize("module", [zyg.cotangents.cotangent, zyg.rules.digamma])
def test_examples(module: Any) -> None:
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0 and results.failed == 0


def test_accumulate_is_fieldwise_and_pure() -> None:
    a, b = {"p": [1.0, None]}, {"p": [2.0, 3.0], "q": Point(1.0, 2.0)}
    assert accumulate(a, b) == {"p": [3.0, 3.0], "q": Point(1.0, 2.0)}
    assert a == {"p": [1.0, None]} and accumulate(None, None) is None
    assert type(accumulate(Point(1.0, 2.0), (1.0, None))) is Point
    array = np.ones(2)
    assert accumulate(array, array) is not array and array.tolist() == [1.0, 1.0]


def test_accumulate_at_collects_repeated_indices() -> None:
    buffer = np.zeros(3)
    assert accumulate_at(buffer, [0, 0, 2], np.ones(3)) is buffer
    assert buffer.tolist() == [2.0, 0.0, 1.0]
    accumulate_at(buffer, slice(1, 3), 1.0)
    accumulate_at(buffer, np.array([True, False, False]), 5.0)
    assert buffer.tolist() == [7.0, 1.0, 2.0]
    assert accumulate_at([None, 1.0], 0, 2.0) == [2.0, 1.0]
    assert accumulate_at([1.0, 2.0], slice(0, 2), [1.0, None]) == [2.0, 2.0]


def test_one_hot() -> None:
    assert one_hot(2.0, (1, 2.0, "a"), 1) == (0, 2.0, None)
    assert one_hot(2.0, Point(1.0, 2.0), 0) == Point(2.0, 0.0)
    assert one_hot((2.0,), (1.0, 2.0), slice(1, 2)) == (0.0, 2.0)
    bar = one_hot(np.float64(2.0), np.ones(2, np.float32), 1)
    assert bar.dtype == np.float32 and bar.tolist() == [0.0, 2.0]
    assert one_hot(1.0, np.arange(2), 0).dtype == float
    assert scatter(np.float32(1.0), (2,), 0).dtype == np.float32


@pytest.mark.parametrize("kind", [np.float64, np.float32, complex])
@pytest.mark.parametrize("places", [[0, 2, 2, 1], [0, -1, 2, -3], [1, 1, 1, 1]])
def test_places_named_several_times_collect_all(places: list[int], kind: Any) -> None:
    values = np.arange(1.0, 5.0).astype(kind)
    expected = np.zeros(3, kind)
    for place, value in zip(places, values, strict=True):
        expected[place] += value
    for index in (np.array(places), (np.array(places),), np.array(places, np.int8), places):
        for found in (scatter(values, (3,), index), one_hot(values, np.ones(3, kind), index)):
            assert found.dtype == kind
            np.testing.assert_array_equal(found, expected)


def test_places_outside_of_the_array_are_refused() -> None:
    for place in (3, -4):
        with pytest.raises(IndexError):
            scatter(np.ones(1), (3,), np.array([place]))


def test_unbroadcast_kinds() -> None:
    assert type(unbroadcast(np.ones((2, 3)), 1.0)) is float
    assert type(unbroadcast(np.ones(2, np.float32), 1)) is float
    assert unbroadcast(1 + 2j, 1.0) == 1.0
    assert unbroadcast(np.ones(2) * 1j, 1j) == 2j
    assert unbroadcast(np.ones((2, 3)), np.ones((1, 3))).shape == (1, 3)
    assert unbroadcast(np.ones((2, 3)), np.ones(1)).tolist() == [6.0]
    assert unbroadcast(np.ones((2, 3)), np.array(0.5)).shape == ()
    assert unbroadcast(2.0, np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    assert unbroadcast(np.ones((0, 3)), np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    same = np.ones(3)
    assert unbroadcast(same, np.zeros(3)) is same


def test_zeros_like_and_conj() -> None:
    assert type(zeros_like(3)) is int and type(zeros_like(np.float32(1))) is np.float32
    assert zeros_like(np.arange(2)).dtype == float
    assert zeros_like({"a": [1.0, None], "b": "text"}) == {"a": [0.0, None], "b": None}
    assert zeros_like(True) is None
    array = np.ones(2)
    assert conj(array) is array and conj(1 + 2j) == 1 - 2j


@pytest.mark.parametrize(
    ("bar", "x", "expected"),
    [
        (None, 1.5, 0.0),
        (np.float64(2.0), 1.5, 2.0),
        (np.array(2.0), 1.5, 2.0),
        (3, 2, 3),
        (np.float64(3.0), 2, 3.0),
        (None, 2, 0),
        (1 + 2j, 1.5, 1.0),
        (2.0, 1j, 2 + 0j),
        (2.0, np.float32(1), np.float32(2.0)),
        (None, np.int64(1), np.float64(0.0)),
        (None, "text", None),
        (None, True, None),
        (None, len, None),
        ([1.0, None], (1.0, 2.0), (1.0, 0.0)),
        ((1.0, None), Point(1.0, "text"), Point(1.0, None)),
        ({"a": 1.0}, {"a": 1, "b": 2.0, "c": None}, {"a": 1.0, "b": 0.0, "c": None}),
        (np.ones(2), [1.0, 2.0], [1.0, 1.0]),
    ],
)
def test_project(bar: Any, x: Any, expected: Any) -> None:
    projected = project(bar, x)
    assert projected == expected and type(projected) is type(expected)


def test_project_arrays() -> None:
    assert project(None, np.arange(3)).dtype == float
    assert project(np.ones(3), np.ones(3, np.float32)).dtype == np.float32
    assert project(np.ones(3) * 1j, np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    assert project(2.0, np.array(1.0)).shape == ()
    view = np.broadcast_to(1.0, (3,))
    assert project(view, np.ones(3)).flags.writeable


@pytest.mark.parametrize(
    "x",
    [
        np.ma.masked_array([1.0, 2.0], [True, False]),
        np.zeros(2, [("a", float)]),
        np.array([1.0, None], object),
        np.matrix([[1.0]]),
    ],
    ids=["masked", "structured", "object", "matrix"],
)
def test_refused_by_name(x: Any) -> None:
    with pytest.raises(NotDifferentiable) as caught:
        project(None, x)
    assert isinstance(caught.value, TypeError)
