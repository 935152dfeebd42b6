"""Objects that `dict`, `**` and patterns ask for their keys and items."""

from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict

import pytest

import zyg
from tests.corpus.abstract_collections import Powers


class Columns:
    def __init__(self, x):
        self.x = x

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, name):
        return self.x ** (1 + (name == "b"))


class Pairs:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter([("a", self.x), ("b", self.x**3)])


def product(a, b):
    return a * b


def merged(x):
    found = {"b": 3.0, **Powers(x), "c": x, **Columns(x)}
    return found["a"] * found["b"] * found["c"]


def copied(x):
    return dict(Columns(x))["b"] * dict(Powers(x), d=x)["b"] * dict(Pairs(x))["b"]


def keywords(x):
    return product(**Columns(x)) + product(**Powers(x)) + product(2.0, b=Powers(x)["b"])


def updated(x):
    found = {"a": 1.0, "c": x}
    found.update(Powers(x))
    found |= Columns(found["b"])
    found.update(Pairs(found["a"]), d=x)
    return found["a"] * found["b"] * found["c"] * found["d"]


def of_collections(x):
    ordered, counted = OrderedDict(Powers(x)), Counter(Powers(x))
    return ordered["a"] * counted["b"] + defaultdict(float, Columns(x))["b"]


def of_users(x):
    user = UserDict(a=x, b=x * x)
    return {**user}["a"] * dict(user)["b"] + product(**user)


def matched(x):
    match Powers(x):
        case {"a": a, **rest}:
            return a * rest["b"]


def one_of_two(x):
    found = Powers(x) if x > 1.0 else {"a": x, "b": x}
    return dict(found)["b"] * {**found}["a"]


def found_at_run_time(x):
    makers = [dict, len, "text"]
    return makers[int(x) - 1](Powers(x))["b"] * x


PROGRAMS = [
    merged, copied, keywords, updated, of_collections, of_users, matched, one_of_two,
    found_at_run_time,
]


def slope(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("f", PROGRAMS)
def test_objects_asked_for_keys(f):
    (found,) = zyg.gradient(f, 1.3)
    y, along = zyg.jvp(f, (1.3,), (2.0,))
    assert y == f(1.3)
    assert found == pytest.approx(slope(f, 1.3), rel=1e-7)
    assert along == pytest.approx(2.0 * slope(f, 1.3), rel=1e-7)


@pytest.mark.parametrize("f", [merged, copied, of_collections])
def test_second_order(f):
    (found,) = zyg.gradient(lambda x: zyg.gradient(f, x)[0], 1.3)
    assert found == pytest.approx(slope(lambda x: zyg.gradient(f, x)[0], 1.3), rel=1e-6)


def class_of_doubled():
    class Doubled(UserDict):
        def __getitem__(self, name):
            return 2.0 * self.data[name]

    return Doubled


CLASSES = {"doubled": class_of_doubled()}  # which nothing here has a name for


def unknown(x):
    """An object of such a class among other things."""
    made = CLASSES["doubled"]({"a": x, "b": x * x})
    return {"n": 1.0, "s": "text", "o": made, "l": [1, None]}


def rest_of_a_match(table):
    match table["o"]:
        case {"a": a, **rest}:
            return a * rest["b"]


@pytest.mark.parametrize("f", [
    lambda table: dict(table["o"])["b"], lambda table: {**table["o"]}["b"],
    lambda table: product(**table["o"]), lambda table: OrderedDict(table["o"])["b"],
    lambda table: Counter(table["o"])["b"], lambda table: dict(table["o"], c=1.0)["b"],
    lambda table: ({"c": 1.0} | {**table["o"]})["b"], rest_of_a_match,
    lambda table: sum(table["o"].values()), lambda table: sorted(table["o"].items())[1][1],
])
def test_unknown_classes_are_followed_or_refused(f):
    def of_number(x):
        return f(unknown(x))

    for derivative in (
        lambda: zyg.gradient(of_number, 1.3)[0], lambda: zyg.jvp(of_number, (1.3,), (1.0,))[1],
    ):
        try:
            found = derivative()
        except zyg.NotDifferentiable:
            pass
        else:
            assert found == pytest.approx(slope(of_number, 1.3), rel=1e-7)


def test_items_of_unknown_classes():
    def f(x):
        return unknown(x)["o"]["b"] * x

    assert zyg.gradient(f, 1.3)[0] == pytest.approx(slope(f, 1.3), rel=1e-7)


def over_a_chain(x):
    return sum(ChainMap({"a": x}, {"b": x * x}).values())


@pytest.mark.parametrize("derivative", [
    lambda f, x: zyg.gradient(lambda x: zyg.gradient(f, x)[0], x)[0],
    lambda f, x: zyg.jvp(lambda x: zyg.gradient(f, x)[0], (x,), (1.0,))[1],
])
def test_steps_that_an_adjoint_comes_to(derivative):
    assert derivative(over_a_chain, 1.3) == pytest.approx(2.0)
