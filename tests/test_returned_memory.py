"""Functions that give back memory that they were given, maybe one of several arrays, and may have
changed: what the caller changes afterwards is seen under each name, or refused."""

import functools
from collections import namedtuple

import numpy as np
import pytest

from tests.random_checks import outcomes, second_outcomes
from tests.random_code import names_of

Pair = namedtuple("Pair", "first second")


class Holder:
    pass


def second(a, b):
    return b


def one_of_two(a, b):
    return b if b[0] > 0.0 else a


def changing(a, b):
    a[0] = b[0] * 2.0
    return b


def changing_one_of_two(a, b):
    a[0] = b[0] * 2.0
    return b if b[0] > 0.0 else a


def in_a_list(a, b):
    return [b] if b[0] > 0.0 else [b, a]


def in_a_loop(a, b):
    for row in (a, b):
        if row is b:
            return row
    return a


def put(q, b):
    q.v = b
    return b


# What gives `b`, maybe in a container; how that is read.
GIVEN = {
    "second": ("second(a, b)", "y"), "one_of_two": ("one_of_two(a, b)", "y"),
    "changing": ("changing(a, b)", "y"), "changing_one_of_two": ("changing_one_of_two(a, b)", "y"),
    "in_a_list": ("in_a_list(a, b)", "y[0]"), "in_a_loop": ("in_a_loop(a, b)", "y"),
    "lambda": ("(lambda c: c)(b)", "y"), "starred": ("(lambda *c: c)(b)", "y[0]"),
    "keywords": ("(lambda **c: c)(k=b)", "y['k']"), "nested": ("same(b)", "y"),
    "one_of_two_nested": ("chosen(b)", "y"), "given_a_function": ("same(same)(b)", "y"),
    "partial": ("functools.partial(second, a)(b)", "y"), "popped": ("[b].pop()", "y"),
    "replaced": ("Pair(b, a)._replace(second=1)", "y[0]"),
    "popped_from_a_dict": ("{0: b}.pop(0)", "y"), "mapped": ("[*map(same, [b])]", "y[0]"),
    "reduced": ("functools.reduce(lambda c, d: c, [b, a])", "y"),
    "method": ("[a, b].__getitem__(1)", "y"), "got": ("{0: b}.get(0)", "y"),
    "put": ("put(q, b)", "y"), "sorted": ("sorted([b], key=len)", "y[0]"),
}
KEPT = {
    "variable": ("y = {0}", "{0}"), "attribute": ("q.w = {0}", "{0}"),
    "closure": ("v = {0}; look = lambda: v", "{0}"), "list": ("v = [{0}]", "{0}"),
}
READ = {"variable": "y", "attribute": "q.w", "closure": "look()", "list": "v[0]"}
CHANGES = {
    "by_its_name": "b[1] = x**3", "by_the_other": "{0}[1] = x**3", "in_a_call": "changing(b, a)",
    "augmented": "b *= x",
}
NAMES = {
    "np": np, "functools": functools, "Pair": Pair, "Holder": Holder, "second": second, "put": put,
    "one_of_two": one_of_two, "changing": changing, "changing_one_of_two": changing_one_of_two,
    "in_a_list": in_a_list, "in_a_loop": in_a_loop,
}


def program(given, kept, change):
    call, read = GIVEN[given]
    read = read.replace("y", READ[kept])
    lines = [
        "def f(x):", "def same(c): return c", "def chosen(c): return c if x > 0 else c * 2.0",
        "q, a, b = Holder(), np.array([x, 0.5 * x]), np.array([0.3 * x, x * x])",
        KEPT[kept][0].format(call), CHANGES[change].format(read),
        f"return np.sum({read} * {read}) + 2.0 * np.sum(a * b)",
    ]
    return names_of(["\n    ".join(lines)], f"<{given} {kept} {change}>", NAMES)["f"]


@pytest.mark.thorough
@pytest.mark.parametrize("given", GIVEN)
def test_none_is_wrong(given):
    for kept in ("variable", "attribute"):
        for change in ("by_its_name", "by_the_other"):
            assert False not in list(outcomes(program(given, kept, change))), (kept, change)


@pytest.mark.thorough
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("kept", KEPT)
def test_none_is_wrong_however_it_is_kept_and_changed(given, kept):
    for change in CHANGES:
        assert False not in list(outcomes(program(given, kept, change))), change


@pytest.mark.thorough
@pytest.mark.parametrize("given", GIVEN)
def test_no_second_derivative_is_wrong(given):
    for kept in ("variable", "attribute"):
        for change in ("by_its_name", "by_the_other"):
            assert False not in list(second_outcomes(program(given, kept, change))), (kept, change)


def without_objects(given, change):
    call, read = GIVEN[given]
    lines = [
        "def f(x):", "a, b = np.array([x, 0.5 * x]), np.array([0.3 * x, x * x])", f"y = {call}",
        CHANGES[change].format(read), f"return np.sum({read} * {read}) + 2.0 * np.sum(a * b)",
    ]
    return names_of(["\n    ".join(lines)], f"<{given} {change}>", NAMES)["f"]


@pytest.mark.parametrize("given", [name for name, (call, _) in GIVEN.items() if not {
    "same(b)", "chosen(b)", "same(same)(b)", "[*map(same, [b])]", "put(q, b)",
} & {call}])
def test_none_is_wrong_without_objects(given):
    for change in CHANGES:
        assert False not in list(outcomes(without_objects(given, change))), change


@pytest.mark.parametrize("given", ["second", "changing"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_given_back_is_followed(given, change):
    assert list(outcomes(without_objects(given, change))) == [True] * 3


@pytest.mark.parametrize("given", GIVEN)
def test_what_is_changed_by_an_attribute_is_followed(given):
    assert list(outcomes(program(given, "attribute", "by_the_other"))) == [True] * 3


# What gives `b` to each iteration of a loop, which collects it.
COLLECTED = {
    "asarray": "np.asarray(b)", "max": "max([b], key=len)", "reversed": "next(reversed([b]))",
    "reduce": "functools.reduce(lambda c, d: c, [b, a])", "second": "second(a, b)",
    "changing": "changing(a, b)", "same": "same(b)", "lambda": "(lambda c: c)(b)",
    "view": "np.atleast_1d(b)", "reshape": "np.reshape(b, -1)", "get": "{0: b}.get(0)",
    "conditional": "b if x > 0.0 else a", "item": "[b][0]", "item_of_a_dict": "{0: b}[0]",
    "popped": "[b].pop()", "of_a_list_in_a_loop": "[c for c in [b]][-1]",
    "of_a_dict_in_a_loop": "{i: c for i, c in enumerate([a, b])}[1]",
    "of_a_nested_list": "[[a], [b]][1][0]", "of_a_copy": "list([b])[0]",
    "of_an_object": "put(Holder(), b)", "of_zip": "next(zip([b], [a]))[0]",
}
LOOPS = {
    "comprehension": ["ys = [{0} for _ in range(2)]"],
    "loop": ["ys = []", "for _ in range(2): ys.append({0})"],
    "last": ["for _ in range(2): y = {0}", "ys = [y]"],
    "while": ["k = 0", "while k < 2:", "    y, k = {0}, k + 1", "ys = [y]"],
    "nested": ["for _ in range(2):", "    for _ in range(1): y = {0}", "ys = [y]"],
    "in_a_branch": ["y = a", "for i in range(2):", "    if i == 1: y = {0}", "ys = [y]"],
    "branch": ["y = a", "if x > 0.0: y = {0}", "ys = [y]"],
    "left_early": ["for i in range(3):", "    y = {0}", "    if i: break", "ys = [y]"],
}


def collecting(given, loop, change):
    lines = [
        "def f(x):", "def same(c): return c", "q = Holder()",
        "a, b = np.array([x, 0.5 * x]), np.array([0.3 * x, x * x])",
        *[line.format(COLLECTED[given]) for line in LOOPS[loop]], "q.w = ys[0]", change,
        "return np.sum(q.w * q.w) + 2.0 * np.sum(a * b)",
    ]
    return names_of(["\n    ".join(lines)], f"<{given} {loop} {change}>", NAMES)["f"]


@pytest.mark.thorough
@pytest.mark.parametrize("given", COLLECTED)
@pytest.mark.parametrize("loop", LOOPS)
def test_none_is_wrong_in_a_loop(given, loop):
    for change in ("b[1] = x**3", "q.w[1] = x**3"):
        assert False not in list(outcomes(collecting(given, loop, change))), change


@pytest.mark.thorough
@pytest.mark.parametrize("given", COLLECTED)
@pytest.mark.parametrize("loop", LOOPS)
def test_no_second_derivative_is_wrong_in_a_loop(given, loop):
    for change in ("b[1] = x**3", "q.w[1] = x**3"):
        assert False not in list(second_outcomes(collecting(given, loop, change))), change
