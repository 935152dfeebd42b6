"""Iterators over memory that objects hold, and that changes before or while they are read."""

import functools
import itertools
import operator

import numpy as np
import pytest

import zyg
from tests.random_checks import is_followed


class Holder:
    def __init__(self, x):
        self.a = np.array([x, x * x])
        self.b = np.array([2.0 * x, x])
        self.rows = [self.a, self.b]
        self.xs = [x, 2.0 * x]


def first_times(x):
    return lambda row: row[0] * x


def times(x):
    return lambda number: number * x


def first_of(q):
    return lambda i: q.rows[i][0]


ITERATORS = {
    "map": lambda q, w, x: map(first_times(x), w),
    "map_of_numpy": lambda q, w, x: map(np.sum, w),
    "map_of_two": lambda q, w, x: map(lambda r, s: r[0] * s[1], w, q.rows),
    "map_of_rows": lambda q, w, x: map(first_times(x), q.rows),
    "map_of_numbers": lambda q, w, x: map(times(x), q.xs),
    "map_of_an_iterator": lambda q, w, x: map(first_times(x), iter(w)),
    "map_of_positions": lambda q, w, x: map(first_of(q), range(2)),
    "map_of_values": lambda q, w, x: map(first_times(x), dict(enumerate(w)).values()),
    "map_of_a_method": lambda q, w, x: map(np.ndarray.sum, w),
    "map_of_a_getter": lambda q, w, x: map(operator.itemgetter(0), w),
    "filter": lambda q, w, x: map(np.sum, filter(lambda r: r[0] > 0, w)),
    "starmap": lambda q, w, x: itertools.starmap(lambda r, s: r[0] * s, [(r, x) for r in w]),
    "accumulate": lambda q, w, x: map(np.sum, itertools.accumulate(w)),
    "chain": lambda q, w, x: map(np.sum, itertools.chain(w, w)),
    "islice": lambda q, w, x: map(np.sum, itertools.islice(w, 2)),
    "takewhile": lambda q, w, x: map(np.sum, itertools.takewhile(lambda r: r[0] > 0, w)),
    "pairwise": lambda q, w, x: (a[0] * b[0] for a, b in itertools.pairwise(w)),
    "product": lambda q, w, x: (a[0] * b[0] for a, b in itertools.product(w, w)),
    "combinations": lambda q, w, x: (a[0] * b[0] for a, b in itertools.combinations(w, 2)),
    "zip": lambda q, w, x: (r[0] * s[1] for r, s in zip(w, w, strict=True)),
    "enumerate": lambda q, w, x: (r[0] * i for i, r in enumerate(w, 1)),
    "reversed": lambda q, w, x: (r[0] for r in reversed(w)),
    "cycle": lambda q, w, x: (r[0] for r, _ in zip(itertools.cycle(w), range(3))),
    "generator": lambda q, w, x: (r[0] * x for r in w),
    "generator_of_numbers": lambda q, w, x: (y * x for y in q.xs),
}
# These are refused where something changes in front of the loop, or in the loop.
REFUSED = {
    "before": {"map_of_values", "reversed", "cycle"},
    "meanwhile": {"reversed", "map_of_values", "map_of_positions", "cycle"},
}


def changed_before(made):
    def program(x):
        q = Holder(x)
        items = made(q, [q.a, q.b], x)
        q.b[0] = x**3
        q.a[0] = x**4
        q.xs[1] = x**5
        return sum(items)

    return program


def changed_meanwhile(made):
    def program(x):
        q = Holder(x)
        total = 0.0
        for y in made(q, [q.a, q.b], x):
            total = 0.3 * total * x + y
            q.b[0] = total * x
            q.rows[1][1] = total
            q.xs[1] = total
        return total + q.b[0]

    return program


@pytest.mark.thorough
@pytest.mark.parametrize("name", ITERATORS)
def test_changed_before(name):
    assert is_followed(changed_before(ITERATORS[name])) == (name not in REFUSED["before"])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ITERATORS)
def test_changed_meanwhile(name):
    assert is_followed(changed_meanwhile(ITERATORS[name])) == (name not in REFUSED["meanwhile"])


def of_all_at_once(x):
    q = Holder(x)
    q.a[0] = x**3
    total = sum(map(np.sum, q.rows)) + list(itertools.accumulate(q.rows))[-1][1]
    q.b *= total
    total += sum(map(np.sum, filter(lambda r: r[0] > 0, q.rows)))
    return total + functools.reduce(lambda s, r: s * r[0], q.rows, x)


def of_two_at_once(x):
    q = Holder(x)
    q.a[0] = x**3
    first, second = list(itertools.islice(q.rows, 2))
    return first[0] * second[1]


def of_a_list_of_its_own(x):
    q = Holder(x)
    totals = map(np.sum, [q.a, q.b])
    q.a *= x
    return sum(totals)


def numbers_of_a_view(x):
    q = Holder(x)
    q.numbers = {"a": x, "b": 2.0}
    values = q.numbers.values()
    q.numbers["a"] = x**3
    return sum(values)


@pytest.mark.parametrize(
    "program", [of_all_at_once, of_two_at_once, of_a_list_of_its_own, numbers_of_a_view]
)
def test_in_one_function(program):
    assert is_followed(program)


def numbers_of_two_lists(x):
    q = Holder(x)
    pairs = zip(q.xs, q.a, strict=True)
    q.xs[0] = x**3
    return sum([a * b for a, b in pairs])


def test_what_was_made_before_a_change_is_refused():
    with pytest.raises(zyg.UnsupportedSyntax, match="may have changed since it was made"):
        zyg.gradient(numbers_of_two_lists, 1.3)


def test_what_takes_all_at_once_has_an_iterator_of_python():
    assert "Each_list" not in str(zyg.code_adjoint(of_two_at_once, 1.3))
