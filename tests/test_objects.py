"""Objects, decorated functions and `match` beyond the corpus: redefinition, caches, memory."""

import functools
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import zyg
from zyg.errors import UnsupportedSyntax

SCALE = 2.0


class Pair:
    __match_args__ = ("first", "second")

    def __init__(self, first, second):
        self.first = first
        self.second = second

    @property
    def product(self):
        return self.first * self.second

    def __add__(self, other):
        return self.first * other.first

    def __lt__(self, other):
        return self.first < other.first


def matched(pair):
    match pair:
        case Pair(x, _):
            return x * x


def test_new_match_args_are_seen(monkeypatch):
    assert zyg.gradient(matched, Pair(2.0, 3.0)) == ({"first": 4.0},)
    monkeypatch.setattr(Pair, "__match_args__", ("second", "first"))
    assert zyg.gradient(matched, Pair(2.0, 3.0)) == ({"second": 6.0},)


def test_a_new_property_is_seen(monkeypatch):
    def f(pair):
        return pair.product

    assert zyg.gradient(f, Pair(2.0, 3.0)) == ({"first": 3.0, "second": 2.0},)
    monkeypatch.setattr(Pair, "product", property(lambda self: self.first**2))
    assert zyg.gradient(f, Pair(2.0, 3.0)) == ({"first": 4.0},)


def test_a_new_operator_is_seen(monkeypatch):
    def f(a, b):
        return a + b

    assert zyg.gradient(f, Pair(2.0, 0.0), Pair(3.0, 0.0)) == ({"first": 3.0}, {"first": 2.0})
    monkeypatch.setattr(Pair, "__add__", lambda self, other: self.first - other.first)
    assert zyg.gradient(f, Pair(2.0, 0.0), Pair(3.0, 0.0)) == ({"first": 1.0}, {"first": -1.0})


def test_objects_are_ordered_by_their_own_comparison():
    def f(pairs):
        return sorted(pairs)[0].second + max(pairs).second ** 2

    gradient = zyg.gradient(f, [Pair(2.0, 5.0), Pair(1.0, 3.0)])
    assert gradient == ([{"second": 10.0}, {"second": 1.0}],)


def test_an_operator_that_nobody_expects_is_refused():
    box = SimpleNamespace(pair=Pair(2.0, 3.0), others=list(range(100)))
    elsewhere = {"__name__": "elsewhere", "box": box}

    def f(x):
        global box
        return (box.pair + box.pair) * x

    foreign = type(f)(f.__code__, elsewhere)
    with pytest.raises(zyg.NotDifferentiable, match="import Pair"):
        zyg.gradient(foreign, 2.0)
    elsewhere["Pair"] = Pair
    assert zyg.gradient(foreign, 2.0) == (4.0,)


def test_back_after_a_change_of_the_object():
    def f(pair):
        return np.sum(pair.product)

    pair = Pair(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    _, back = zyg.pullback(f, pair)
    pair.first[:] = 0.0
    (gradient,) = back(1.0)
    np.testing.assert_array_equal(gradient["second"], [1.0, 2.0])


def of_property(pair):
    return pair.product + pair.first


def test_a_pullback_through_a_property_can_be_pickled():
    _, back = zyg.pullback(of_property, Pair(2.0, 3.0))
    assert pickle.loads(pickle.dumps(back))(1.0) == ({"first": 4.0, "second": 2.0},)


@functools.lru_cache
def cached(x):
    print("body")
    return SCALE * x * x


def test_a_cached_function_runs_once_and_not_for_the_next_call(capsys, monkeypatch):
    def f(x):
        return cached(x) * cached(x)

    assert zyg.gradient(f, 3.0) == (4 * SCALE**2 * 27.0,)
    assert capsys.readouterr().out == "body\n"
    monkeypatch.setitem(globals(), "SCALE", 1.0)
    assert zyg.gradient(f, 3.0) == (4 * 27.0,)
    assert capsys.readouterr().out == "body\n"


def test_a_cached_function_tells_an_int_from_a_float():
    cached.cache_clear()

    def f(x, y):
        return cached(x) + cached(y)

    assert zyg.gradient(f, 2, 2.0) == (8.0, 8.0)


def test_a_cached_property_is_computed_once(capsys):
    class Disc:
        def __init__(self, radius):
            self.radius = radius

        @functools.cached_property
        def area(self):
            print("area")
            return math.pi * self.radius**2

    disc = Disc(1.0)
    expected = ({"radius": 4 * math.pi**2},)
    for _ in range(2):
        assert zyg.gradient(lambda disc: disc.area**2, disc) == expected
    assert disc.area == math.pi
    assert capsys.readouterr().out == "area\n"


def test_what_an_unused_property_does_need_not_be_understood():
    class Named:
        def __init__(self, value):
            self.value = value

        @property
        def label(self):
            try:
                return f"{self.value:.1f}"
            finally:
                pass

    assert zyg.gradient(lambda named: named.value * len(named.label), Named(2.0)) == (
        {"value": 3.0},
    )


def test_defaults_of_functions_that_are_looked_up_at_run_time():
    def f(x, y):
        functions = [lambda a, s=x: a * s, lambda a, *, s=x * x: a * s]
        return sum([g(y) for g in functions])

    assert zyg.gradient(f, 2.0, 3.0) == (3.0 + 12.0, 6.0)


def test_a_sum_of_objects_that_nobody_expects_is_refused():
    elsewhere = {"__name__": "elsewhere", "box": SimpleNamespace(pair=Pair(2.0, 3.0))}

    def f(x):
        global box
        return sum([x, box.pair])

    with pytest.raises(zyg.NotDifferentiable, match="import Pair"):
        zyg.gradient(type(f)(f.__code__, elsewhere), 2.0)


def test_an_object_that_a_function_converts_is_no_number():
    class Length:
        def __init__(self, meters):
            self.meters = meters

        def __float__(self):
            return self.meters

    with pytest.raises((zyg.NotDifferentiable, UnsupportedSyntax), match=r"float\(x\)"):
        zyg.gradient(math.sqrt, Length(4.0))
    with pytest.raises((zyg.NotDifferentiable, UnsupportedSyntax), match=r"float\(x\)"):
        zyg.gradient(lambda box: math.sqrt(box.side), SimpleNamespace(side=Length(4.0)))
    assert zyg.gradient(lambda x: math.sqrt(float(x)), Length(4.0)) == ({"meters": 0.25},)


class Asynchronous:
    """What reads its attribute holds what zyg doesn't know."""

    def __init__(self, x):
        self.x = x

    def doubled(self):
        async def later():
            pass

        return self.x * 2.0


HELD = Asynchronous(1.0)


def doubled_of_held():
    async def later():
        pass

    return HELD.x * 2.0


def stored_and_read_by_a_function(x):
    HELD.x = x
    return doubled_of_held()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Asynchronous(x).doubled(),
        lambda x: [Asynchronous(x)][0].doubled(),
        lambda x: sum(map(Asynchronous.doubled, [Asynchronous(x)])),
        stored_and_read_by_a_function,
    ],
)
def test_what_a_function_without_code_reads_of_objects_is_no_constant(f):
    with pytest.raises(zyg.UnsupportedSyntax, match="async function"):
        zyg.gradient(f, 2.0)
