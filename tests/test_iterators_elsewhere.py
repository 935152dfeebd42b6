"""Iterators and views that are made in one place and read in another, behind a change of what they
come to: what they give has the right derivative, or is refused."""

import itertools

import numpy as np
import pytest

import zyg
from tests.random_checks import outcomes, second_outcomes
from tests.random_code import names_of


class Holder:
    pass


class Keeper:
    def __init__(self, value):
        self.value = value


def last(item):
    return item[-1] if isinstance(item, tuple) else item


def total(items):
    t = 0.0
    for item in items:
        t = t + last(item)
    return t


def total_of_list(items):
    return sum(last(item) for item in list(items))


KINDS = {
    "zip": "zip(xs, xs)", "zip_of_arrays": "zip(a, a)", "zip_of_all": "zip(xs, a, d.values())",
    "enumerate": "enumerate(xs)", "enumerate_map": "enumerate(map(lambda z: z * x, xs))",
    "map": "map(lambda z: z * x, xs)", "map_of_array": "map(lambda z: z * x, a)",
    "map_of_values": "map(lambda z: z * x, d.values())", "filter": "filter(lambda z: z > 0.0, xs)",
    "reversed": "reversed(xs)", "reversed_array": "reversed(a)",
    "reversed_values": "reversed(d.values())", "reversed_items": "reversed(d.items())",
    "iter": "iter(xs)", "iter_of_array": "iter(a)", "iter_of_values": "iter(d.values())",
    "values": "d.values()", "items": "d.items()", "flat": "a.flat", "slice": "a[:]",
    "generator": "(z * x for z in xs)", "generator_of_values": "(z * x for z in d.values())",
    "chain": "itertools.chain(xs, xs)", "islice": "itertools.islice(xs, 2)",
    "accumulate": "itertools.accumulate(xs)", "pairwise": "itertools.pairwise(xs)",
    "takewhile": "itertools.takewhile(lambda z: z > 0.0, a)", "tee": "itertools.tee(xs)[1]",
    "cycle": "itertools.islice(itertools.cycle(xs), 3)", "product": "itertools.product(xs, a)",
    "ndenumerate": "np.ndenumerate(a)", "ravel": "zip(range(2), np.ravel(a))",
}
# How it gets to where it is read: what keeps it, and how it is read from there.
WAYS = {
    "variable": ("v = {0}", "v"), "attribute": ("q.v = {0}", "q.v"), "list": ("v = [{0}]", "v[0]"),
    "held_list": ("q.v = [{0}]", "q.v[0]"), "appended": ("q.v = []; q.v.append({0})", "q.v[0]"),
    "dict": ("v = {{'k': {0}}}", "v['k']"), "closure": ("v = {0}; look = lambda: v", "look()"),
    "constructor": ("k = Keeper({0})", "k.value"),
}
MEMORY = "xs, d, a = [x, 2.0 * x], {'a': x, 'n': 2.0 * x}, np.array([x, x * x])"
HELD = "q.xs, q.d, q.a = [x, 2.0 * x], {'a': x, 'n': 2.0 * x}, np.array([x, x * x])"
OF_HELD = "xs, d, a = q.xs, q.d, q.a"
NAMES = {
    "np": np, "itertools": itertools, "Holder": Holder, "Keeper": Keeper, "total": total,
    "total_of_list": total_of_list,
}
# Those of which iterators are read as they are, by steps or as views.
BY_STEPS = {
    "iter", "iter_of_array", "values", "items", "flat", "slice", "generator",
    "generator_of_values", "chain", "islice", "accumulate", "filter", "pairwise", "map",
    "map_of_array", "enumerate_map", "takewhile",
}


def program(kind, way, reader, is_held):
    prefix = "q." if is_held else ""
    change = f"{prefix}xs[1] = x**3; {prefix}d['n'] = x**4; {prefix}a[1] = x**5"
    keep, read = WAYS[way]
    lines = [
        "def f(x):", "q = Holder()", *([HELD, OF_HELD] if is_held else [MEMORY]),
        keep.format(KINDS[kind]), change, f"return {reader}({read})",
    ]
    return names_of(["\n    ".join(lines)], f"<{kind} {way} {reader} {is_held}>", NAMES)["f"]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_held", [True, False], ids=["held", "local"])
def test_none_is_wrong(kind, is_held):
    for way in ("attribute", "closure"):
        assert False not in list(outcomes(program(kind, way, "total", is_held))), way


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_held", [True, False], ids=["held", "local"])
def test_none_is_wrong_whichever_way_it_goes(kind, is_held):
    for way in WAYS:
        for reader in ("total", "total_of_list"):
            assert False not in list(outcomes(program(kind, way, reader, is_held))), way


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_held", [True, False], ids=["held", "local"])
def test_no_second_derivative_is_wrong(kind, is_held):
    for way in ("variable", "attribute", "closure"):
        assert False not in list(second_outcomes(program(kind, way, "total", is_held))), way


@pytest.mark.parametrize("kind", sorted(BY_STEPS))
def test_what_objects_hold_is_read_as_it_is(kind):
    assert list(outcomes(program(kind, "variable", "total", True))) == [True] * 3


UNTYPED = {"dict": lambda x: {"a": x, "n": 2.0 * x}, "list": lambda x: [x, 2.0 * x]}


def in_a_helper(x):
    q = Holder()
    q.xs = [x, x * x]
    pairs = zipped(q)
    t = 0.0
    for a, b in pairs:
        t += a * b
    return t


def zipped(q):
    return zip(q.xs, q.xs, strict=True)


def kept_by_an_object(x):
    q = Holder()
    q.xs, q.d = [x, x * x], {"a": x}
    q.pairs, q.values = enumerate(q.xs), q.d.values()
    return total(q.pairs) * total(q.values)


def grown(x):
    q = Holder()
    q.d = {"a": x, "b": x * x}
    values = q.d.values()
    q.d["c"] = x**3
    del q.d["a"]
    return total(values)


def changed_where_it_stands(x):
    q = Holder()
    q.d, q.t = UNTYPED["dict"](x), 0.0
    for key, value in q.d.items():
        q.t += value * value
        q.d[key] = value * 2.0
    return q.t + total(q.d.values())


def left_before_its_end(x):
    q = Holder()
    q.d, t = UNTYPED["dict"](x), 0.0
    for value in q.d.values():
        t += value * value
        if t > 1.0:
            break
        q.d["n"] = q.d["n"]
    return t


@pytest.mark.parametrize(
    "f", [in_a_helper, kept_by_an_object, grown, changed_where_it_stands, left_before_its_end]
)
def test_what_is_not_changed_before_it_is_read(f):
    assert list(outcomes(f)) == [True] * 3


def changed_ahead(x):
    q = Holder()
    q.d, t = UNTYPED["dict"](x), 0.0
    for value in q.d.values():
        q.d["n"] = x**3
        t += value
    return t


def changed_between(x):
    q = Holder()
    q.d = UNTYPED["dict"](x)
    values = iter(q.d.values())
    first = next(values)
    q.d["n"] = x**3
    return first * next(values)


def of_a_local_dict(x):
    d = UNTYPED["dict"](x)
    items = iter(d.items())
    next(items)
    d["n"] = x**3
    return next(items)[1]


def in_a_table(x):
    q = Holder()
    q.d = UNTYPED["dict"](x)
    views = [q.d.values(), q.d.items()]
    q.d["n"] = x**3
    return total(views[0]) + total(views[1])


@pytest.mark.parametrize("f", [changed_ahead, changed_between, of_a_local_dict, in_a_table])
def test_what_has_no_types_is_not_wrong(f):
    assert False not in list(outcomes(f))


def test_the_errors_say_what_was_changed():
    with pytest.raises(zyg.NotDifferentiable, match="a dict that an object holds and that was"):
        zyg.gradient(program("map_of_values", "attribute", "total", True), 1.3)
    with pytest.raises(zyg.NotDifferentiable, match="a list that an object holds and that was"):
        zyg.gradient(program("zip", "attribute", "total", True), 1.3)
