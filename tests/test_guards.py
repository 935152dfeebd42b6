"""Guards that are compiled hold where the guards themselves do."""

import itertools
from collections import OrderedDict

import numpy as np
import pytest

import zyg
from zyg.calls.guards import compiled
from zyg.compiler.guards import MAX_STATES, observed


class Text(str):
    """A string of a class of its own."""


VALUES = [
    1.0, 1, True, None, "a", 1j, np.float64(1.0), np.float32(1.0), range(3),
    np.ones(3), np.ones((3, 1)), np.ones((3, 2)), np.ones(3, int),
    [], [1.0], [1.0, 2.0], [1], [1, 2.0], [True], ["a", "b"], [[1.0]], [np.ones(3)],
    (), (1.0,), (1.0, 2), (1, 2), (1.0, (2, "a")), (1.0, (2, None)), (np.ones(3),),
    {}, {"a": 1.0}, {"a": 1}, {"b": 1.0}, {"a": 1.0, "b": 2}, {"b": 2, "a": 1.0}, {1: 1.0},
    {Text("a"): 1.0}, {"a": [1.0]}, {"a": [1]}, {"a": {"b": "c"}}, {"a": {"b": 1}}, {"a": None},
    OrderedDict(a=1.0), {"a": (1.0, 2)}, {"a": (1.0, 2.0)},
]


@pytest.mark.parametrize("before", VALUES, ids=repr)
def test_a_compiled_guard_agrees_with_the_guard(before):
    names = {"data": before}
    _, guard = observed(names, "data")
    check = compiled([guard])
    assert check()
    for now in VALUES:
        names["data"] = now
        assert check() == guard.holds(), now
    names.clear()
    assert not check()


def test_names_of_items_do_not_meet():
    names = {"data": {"a": (1.0, [2.0])}, "more": {"a": (1, [2])}}
    guards = [observed(names, name)[1] for name in names]
    check = compiled(guards)
    for name, value in itertools.product(names, VALUES):
        kept = names[name]
        names[name] = value
        assert check() == all(guard.holds() for guard in guards)
        names[name] = kept
    assert check()


RATES = {"fast": 2.0, "slow": 0.5}


def scaled(x, name):
    return x * RATES[name]


def test_code_is_made_anew_where_a_global_dict_has_other_keys(monkeypatch):
    for _ in range(6):
        assert zyg.gradient(scaled, 3.0, "slow")[0] == 0.5
    monkeypatch.setitem(globals(), "RATES", {"slow": np.float64(4.0)})
    assert zyg.gradient(scaled, 3.0, "slow")[0] == 4.0
    monkeypatch.setitem(globals(), "RATES", {"slow": 8})
    assert zyg.gradient(scaled, 3.0, "slow")[0] == 8.0


class Cache:
    def __init__(self):
        self.scale = 3.0
        self.hits = {}


CACHE = Cache()


def scaled_by_cache(x):
    return x * x * CACHE.scale


def test_code_is_not_made_in_each_call_for_a_global_object_that_gets_new_keys():
    def misses_of(keys):
        before = zyg.cache_info().misses
        for key in keys:
            CACHE.hits[str(key)] = 1.0
            assert zyg.gradient(scaled_by_cache, 2.0) == (12.0,)
        return zyg.cache_info().misses - before

    assert misses_of(range(MAX_STATES + 1)) > 0
    misses_of(range(100, 102))  # which may import rules, with which code is made anew
    assert misses_of(range(200, 220)) == 0
    CACHE.scale = 5.0
    assert zyg.gradient(scaled_by_cache, 2.0) == (20.0,)
