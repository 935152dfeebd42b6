"""Items of a dict by keys that are put together: only those that can be meant have a part in the
type of what is read."""

import numpy as np
import pytest

from tests.scalar_checks import check_first

X = 1.3


def by_prefix(x):
    table = {"w1": x * np.ones(2), "w2": x * x * np.ones(2), "b": x}
    total = 0.0
    for i in (1, 2):
        total += table[f"w{i}"].sum()
    return total


def by_suffix(x):
    table = {"slow_rate": x, "fast_rate": x * x, "names": ("slow", "fast")}
    total = 0.0
    for name in table["names"]:
        total += table[name + "_rate"] ** 2
    return total


def by_both_ends(x):
    table = {"aba": x * np.ones(3), "ab_ba": x, "ab__ba": x * x}
    return sum([table["ab" + middle + "ba"] * 2.0 for middle in ("_", "__")])


def by_whole(x):
    table = {"ab": x * x, "abab": np.array([x, x])}
    return np.sum(table[f"ab"])


def by_format(x):
    table = {"w1": x * np.ones(2), "w2": x * x * np.ones(2), "b": x}
    return sum([np.prod(table["w%d" % i]) for i in (1, 2)])


def by_escaped_format(x):
    table = {"%1": x * np.ones(2), "%2": x * x * np.ones(2), "b": x}
    return sum([np.prod(table["%%%d" % i]) for i in (1, 2)])


def by_percent_of_width(x):
    table = {"1%": x * np.ones(2), "2%": x * x * np.ones(2), "b": x}
    return sum([np.prod(table["%d%%" % i]) for i in (1, 2)])


class Other:
    def __radd__(self, text):
        return "b"


def by_another_addition(x):
    table = {"w1": x * np.ones(2), "w2": x * x * np.ones(2), "b": x}
    return np.sum(table["w" + Other()])


def by_a_missing_key(x):
    table = {"w1": x, "w2": x * x, "b": np.array([x])}
    for name in ("wa", "w2"):
        try:
            x = x + table[f"w{name[1:]}"]
        except KeyError:
            x = x * 3.0
    return x


FUNCTIONS = [by_prefix, by_suffix, by_both_ends, by_whole, by_format, by_escaped_format]
FUNCTIONS += [by_percent_of_width, by_another_addition, by_a_missing_key]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_computed_keys(f):
    check_first(f, X)
