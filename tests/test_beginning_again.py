"""Programs that find when they run that names mean the same memory: they begin again, unseen, or
raise."""

import copy
import functools
from collections import Counter, deque

import numpy as np
import pytest

import zyg
from tests.corpus.derived_containers import filled_by_an_init
from tests.differences import same_contents


def slope(f, x):
    step = 1e-6
    return (f(x + step) - f(x - step)) / (2 * step)


def dict_of_one_row():
    row = [1.0, 2.0]
    return {"rows": [row, row]}


def in_a_dict(named, x):
    rows = named["rows"]
    rows[0][0] += x
    named["new"] = rows
    rows[1][0] *= rows[0][0]
    return sum(row[0] for row in named["new"])


def queue_of_one_array():
    a = np.array([1.0, 2.0])
    return deque([a, a])


def in_a_queue(queue, x):
    a, b = queue
    a[0] += x
    b[1] *= a[0]
    queue.append(a)
    return np.sum(queue[2] * b)


def counts_of_one_list():
    items = [1.0]
    return [Counter(a=2), items, items]


def with_counts(held, x):
    held[0]["a"] += 1
    held[1].append(x)
    held[2][0] *= x
    return sum(held[1]) * held[0]["a"]


WAYS = {
    "gradient": lambda f, x: zyg.gradient(f, x)[0],
    "pullback": lambda f, x: zyg.pullback(f, x)[1](1.0)[0],
    "withgradient": lambda f, x: zyg.withgradient(f, x)[1][0],
    "jvp": lambda f, x: zyg.jvp(f, (x,), (1.0,))[1],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("make", "f"), [
    (dict_of_one_row, in_a_dict), (queue_of_one_array, in_a_queue),
    (counts_of_one_list, with_counts),
], ids=lambda case: case.__name__)
def test_arguments_are_changed_once(make, f, way):
    plain, given = make(), make()
    f(plain, 1.5)
    expected = slope(lambda x: f(make(), x), 1.5)
    assert WAYS[way](lambda x: f(given, x), 1.5) == pytest.approx(expected)
    assert same_contents(given, plain)
    given = make()
    zyg.gradient(f, given, 1.5)
    assert same_contents(given, plain)


def test_arrays_that_cannot_be_written_stay():
    def f(a, b, writes, x):
        if writes:
            b[0] = x
        a[0] = x * x
        return np.sum(a * b)

    whole = np.array([1.0, 2.0, 3.0])
    fixed = whole.view()
    fixed.flags.writeable = False
    assert zyg.gradient(f, whole, fixed, False, 2.0)[3] == pytest.approx(2 * 4.0 * 4.0)
    assert whole.tolist() == [4.0, 2.0, 3.0]


def names_meet(x):
    a = [x, 1.0]
    rows = [a, a]
    rows[0][0] = x * x
    return rows[1][0]


def first_of(row):
    print("first")
    return row[0]


def added(a, b):
    print("added")
    return a + b


def printed_before(x):
    print("begun")
    return names_meet(x)


def printed_by_map(x):
    list(map(print, ["mapped"]))
    return names_meet(x)


def printed_by_a_key(x):
    return sorted([[2.0], [1.0]], key=first_of)[0][0] * names_meet(x)


def printed_by_a_lambda(x):
    return max([[2.0], [1.0]], key=lambda row: print("asked") or row[0])[0] * names_meet(x)


def printed_by_a_fold(x):
    return functools.reduce(added, [1.0, 2.0]) * names_meet(x)


def printed_by_one_of_several(x):
    functions = [print, str]
    functions[0]("called")
    return names_meet(x)


def printed_by_a_starred_call(x):
    print(*["a", "b"])
    return names_meet(x)


def drawn(x):
    return names_meet(x) * np.random.default_rng().normal()


def taken(x):
    items = iter([2.0, 3.0])
    return next(items) * names_meet(x)


@pytest.mark.parametrize("f", [
    printed_before, printed_by_map, printed_by_a_key, printed_by_a_lambda, printed_by_a_fold,
    printed_by_one_of_several, printed_by_a_starred_call,
])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_printed_is_printed_once(f, way, capsys):
    """Such a program may be code with cells from the start, or is refused."""
    f(1.5)
    plain = capsys.readouterr().out
    try:
        assert WAYS[way](f, 1.5) == pytest.approx(slope(f, 1.5))
        capsys.readouterr()
        WAYS[way](f, 1.5)
    except zyg.UnsupportedSyntax:
        found = capsys.readouterr().out
        assert found == plain
        return
    assert capsys.readouterr().out == plain


def printed_and_changed(a, b):
    print("changed")
    a[0] = 2.0 * b[0]
    return np.sum(a * b)


def drawn_and_changed(a, b):
    a[0] = 2.0 * b[0] + np.random.default_rng(3).normal()
    return np.sum(a * b)


def logged_and_changed(a, rows):
    print("changed")
    rows[0][1] = a[0] * a[1]
    return np.sum(rows[0] * a)


@pytest.mark.parametrize(("f", "given"), [
    (printed_and_changed, lambda w: (w[:3], w[1:])),
    (printed_and_changed, lambda w: (w, w)),
    (drawn_and_changed, lambda w: (w[::2], w[:2])),
    (logged_and_changed, lambda w: (w, [w])),
])
def test_what_can_not_begin_again_looks_first_at_what_it_is_given(f, given, capsys):
    """Each number of the memory has its derivative in one of the gradients."""
    w = np.array([1.0, 2.0, 3.0, 4.0])
    first, second = given(w)
    zyg.gradient(f, first.copy(), copy.deepcopy(second))
    capsys.readouterr()
    f(*given(w.copy()))
    plain = capsys.readouterr().out
    found = np.zeros(4)
    for place, bar in zip(given(found), zyg.gradient(f, *given(w.copy())), strict=True):
        if isinstance(bar, list):
            (place,), (bar,) = place, bar
        place += bar
    assert capsys.readouterr().out == plain
    slopes = [
        slope(lambda x, i=i: f(*given(np.where(np.arange(4) == i, x, w))), w[i]) for i in range(4)
    ]
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)


class State:
    def __init__(self, u):
        self.u = u
        self.log = []


def objects_of_its_own(x):
    state = State(np.zeros(3))
    state.log.append(x)
    a = np.zeros(3)
    b = a if x > 0.0 else np.ones(3)
    a[0] = x
    state.u[1] = b[0] * state.log[0]
    return state.u[1] + b[0]


SEEN = State(np.zeros(2))


def an_object_from_before(x):
    SEEN.u[0] += 1.0
    return objects_of_its_own(x)


@pytest.mark.parametrize("way", WAYS)
def test_programs_on_objects_of_their_own_begin_again(way):
    assert WAYS[way](objects_of_its_own, 1.5) == pytest.approx(slope(objects_of_its_own, 1.5))


@pytest.mark.parametrize("way", WAYS)
def test_objects_from_before_are_changed_once(way):
    SEEN.u[0] = 0.0
    try:
        assert WAYS[way](an_object_from_before, 1.5) == pytest.approx(4.0)
    except zyg.UnsupportedSyntax:
        return
    assert SEEN.u[0] == 1.0


@pytest.mark.parametrize("f", [drawn, taken])
def test_what_draws_or_takes_is_refused(f):
    with pytest.raises(zyg.UnsupportedSyntax, match="stands there twice"):
        zyg.gradient(f, 1.5)


def chooses(a, b, x):
    return a


def through_a_helper(x):
    a, b = np.array([x, 1.0]), np.array([2.0, x])
    c = chooses(a, b, x)
    c[0] = x * x
    return np.sum(a * b)


def test_a_helper_that_means_another_function(monkeypatch):
    expected = [slope(through_a_helper, 1.5)]
    found = [zyg.gradient(through_a_helper, 1.5)[0]]
    for helper in (lambda a, b, x: b, lambda a, b, x: a * x, lambda a, b, x: a):
        monkeypatch.setitem(globals(), "chooses", helper)
        expected.append(slope(through_a_helper, 1.5))
        found.append(zyg.gradient(through_a_helper, 1.5)[0])
    assert found == pytest.approx(expected)


def of_a_polynomial(values, x):
    """Refused with memory in cells."""
    return filled_by_an_init(x, values[0])


def with_helpers(x):
    values = [x, 2.0 * x]
    chosen = chooses(values, [x], x)
    chosen[0] = x * x
    return values[0] * reads(values, x)


def reads(values, x):
    return values[1]


def test_a_helper_that_cells_refuse(monkeypatch):
    """Code that was made with cells gives way to what the new function can have."""
    monkeypatch.setitem(globals(), "chooses", lambda a, b, x: a if x > 1.0 else b)
    assert zyg.gradient(with_helpers, 1.5)[0] == pytest.approx(slope(with_helpers, 1.5))
    monkeypatch.setitem(globals(), "chooses", lambda a, b, x: [a[1], x])
    monkeypatch.setitem(globals(), "reads", of_a_polynomial)
    assert zyg.gradient(with_helpers, 1.5)[0] == pytest.approx(slope(with_helpers, 1.5))
