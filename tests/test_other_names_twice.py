"""Second derivatives of programs that make an object, which may hold an array or not: the array is
changed by itself, a view or a call, and read by another name."""

import functools

import numpy as np
import pytest

from tests.random_checks import second_outcomes
from tests.random_code import names_of
from tests.random_places import NAMES

NAMED = {
    "given_back": "t = pick(b, s)", "call_of_numpy": "t = np.asarray(s)",
    "chosen": "t = s if x > 1.0 else b", "in_a_loop": "for i in range(2): t = s",
    "collected": "l = [r for r in (s, b)]\nt = l[0]", "of_several": "t = max([s, b], key=len)",
    "in_a_list": "l = [s, b]\nl.append(c)\nt = l[0]", "of_a_tuple": "t = (lambda s: s[0])((s, b))",
    "in_a_dict": "d = {k: r for k, r in enumerate((s, b))}\nt = d[0]",
}
CHANGED = {
    "item": "s[1] = x**3", "slice": "s[1:] = x**3", "view": "v = s[1:]\nv[0] = x**3",
    "call": "change(s, x**3)", "call_with_a_view": "change(s[:], x**3)",
    "out": "np.add(s, x, out=s)",
}
HEAD = "a, b, c = arrays(x)\nn = Node(c)\nif x > 5.0: n.v = a"
# Where that is done: in place, or in a function that works on objects and is given the array, or
# what is perhaps a view.
WHERE = {
    "here": "s = a\n{0}\nreturn np.sum(t * b)",
    "given": "def g(s, q):\n    q.n = None\n    {1}\n    return np.sum(t * b)\nreturn g(a, n)",
    "given_a_view": (
        "def g(s, q):\n    q.n = None\n    {1}\n    return np.sum(t * b)\nreturn g(a[:], n)"
    ),
}


def program(named, changed, where):
    body = f"{NAMED[named]}\n{CHANGED[changed]}"
    lines = f"{HEAD}\n{WHERE[where].format(body, body.replace(chr(10), chr(10) + '    '))}"
    source = "def f(x):\n    " + lines.replace("\n", "\n    ")
    return names_of([source], f"<{named} {changed} {where}>", {**NAMES, "np": np})["f"]


@functools.cache
def found(named, changed, where):
    return list(second_outcomes(program(named, changed, where)))


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("changed", CHANGED)
@pytest.mark.parametrize("named", NAMED)
@pytest.mark.thorough
def test_none_is_wrong(named, changed, where):
    assert False not in found(named, changed, where)


@pytest.mark.thorough
@pytest.mark.parametrize("changed", ["item", "view", "call"])
@pytest.mark.parametrize("named", ["given_back", "chosen", "collected"])
def test_what_no_object_holds_is_followed(named, changed):
    assert found(named, changed, "here") == [True] * 3


@pytest.mark.parametrize("named", ["given_back", "call_of_numpy"])
def test_what_a_function_is_given_is_followed(named):
    assert found(named, "item", "given") == [True] * 3


@pytest.mark.parametrize(("named", "outcome"), [("given_back", None), ("call_of_numpy", True)])
def test_a_view_that_is_given_and_has_another_name(named, outcome):
    assert found(named, "item", "given_a_view") == [outcome] * 3
