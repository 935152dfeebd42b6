"""Containers of values of several kinds, changed in place: derivatives are right, or refused."""

import itertools
import types

import pytest

import zyg
from ir.memory.changes import stored_type
from ir.types import Dict, Known, Scalar, join, members_of
from zyg.errors import NotDifferentiable, UnsupportedSyntax

X = 2.0


class Items:
    def __init__(self, *items):
        self.items = list(items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value


class Sum:
    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        pairs = itertools.zip_longest(self.parts, other.parts, fillvalue=0.0)
        return Sum(*[a + b for a, b in pairs])


def rows_beside_a_number(x):
    a = [x, [[x]]]
    for row in a[1]:
        row[0] = row[0] * 2
    return a[1][0][0]


def rows_beside_a_row(x):
    a = [[x], [[x]]]
    for row in a[1]:
        row[0] = row[0] * 2
    return a[1][0][0]


def rows_that_another_list_holds(x):
    rows = [[x]]
    a = ["rows", rows]
    for i in range(len(rows)):
        rows[i][0] = rows[i][0] * x
    return a[1][0][0]


def dict_of_lists_under_another_name(x):
    a = {1: [x], 2: [[x]]}
    b = {"m": a}["m"]
    b[1][0] *= x
    return a[1][0]


def object_beside_a_list(x):
    a = [[x], [[None, x], types.SimpleNamespace(c=x)]]
    a[1][0][1] += a[1][1].c
    return a[1][0][1]


def object_in_a_list_in_a_dict(x):
    a = ["s", Items(x)]
    d = {"k": a}
    a[1][0] = a[1][0] + x * x
    return d["k"][1][0]


def object_in_a_dict_of_two_names(x):
    d = {"k": Items([types.SimpleNamespace(c=x)], x)}
    e = d
    d["k"][1] = d["k"][1] * x
    return e["k"][0][0].c * e["k"][1]


def moved_by_an_insertion(x):
    a = [[x, types.SimpleNamespace(c=x), [x]], "s"]
    a[0][2][0] = a[0][1].c * x
    a.insert(0, "first")
    return a[1][2][0]


def new_key_of_a_dict_in_a_list(x):
    whole = {"a": [{"a": "s"}, "s"], "b": None}
    listed = [(each, number)[0] for number, each in enumerate([whole])]
    listed[0]["a"][0]["z"] = [x, x * x]
    again = listed
    return again[0]["a"][0]["z"][1] * 5.0


def new_key_and_an_insertion(x):
    a = [{"a": {"a": x * x, "b": x}}]
    a[0]["a"]["a"] *= x
    a[0]["a"]["z"] = [x, x * x]
    a.insert(0, x * 3)
    return a[1]["a"]["z"][1] * 5.0


def accumulated_objects(x):
    return list(itertools.accumulate([Sum(x), Sum(x * x), Sum(x)]))[2].parts[0]


PROGRAMS = [
    rows_beside_a_number, rows_beside_a_row, rows_that_another_list_holds,
    dict_of_lists_under_another_name, object_beside_a_list, object_in_a_list_in_a_dict,
    object_in_a_dict_of_two_names, moved_by_an_insertion, new_key_of_a_dict_in_a_list,
    new_key_and_an_insertion, accumulated_objects,
]
REFUSED = {object_in_a_dict_of_two_names, moved_by_an_insertion, accumulated_objects}


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradient_is_right_or_refused(f):
    if f in REFUSED:
        with pytest.raises((NotDifferentiable, UnsupportedSyntax)):
            zyg.gradient(f, X)
        return
    h = 1e-6
    difference = (f(X + h) - f(X - h)) / (2 * h)
    assert zyg.gradient(f, X) == (pytest.approx(difference, rel=1e-7),)


def test_type_behind_a_store_into_one_of_several():
    text, number = Scalar(str), Scalar(float)
    before = join(text, Dict((("a", text),)))
    after = stored_type(before, Known("z"), number)
    assert set(members_of(after)) == {text, Dict((("a", text), ("z", number)))}
