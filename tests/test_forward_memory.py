"""Forward mode where programs change memory that objects hold: against differences, and plain runs.

In place of `jvp`, central differences: most of these programs are beyond reverse mode.
"""

import collections
import copy
import functools
import itertools

import numpy as np
import pytest

import zyg
from tests.held_memory_programs import Holder, failing, random_function
from zyg.held.shown_parts import shown_by


def assert_along(function, *args):
    """The value of one plain call, and the derivative along a direction by differences."""
    direction = tuple(0.6 - 1.4 * i for i in range(len(args)))
    h = 1e-6
    ahead, behind = (
        function(*(x + sign * h * d for x, d in zip(args, direction, strict=True)))
        for sign in (1, -1)
    )
    y, y_dot = zyg.jvp(function, args, direction)
    assert y == pytest.approx(function(*args), rel=1e-12)
    assert y_dot == pytest.approx((ahead - behind) / (2 * h), rel=1e-5, abs=1e-6)


# Several names of one memory


def view_and_owner(x):
    a = np.array([x, 2 * x, 3 * x])
    part = Holder(a[1:])
    part.a[0] = x * x
    return a[0] + a[1] * a[2]


def views_that_overlap(x):
    m = np.ones((2, 3)) * x
    turned, row = Holder(m.T), Holder(m[0])
    turned.a[1, 0] = x * x
    row.a *= x
    return np.sum(m * m)


def column_in_the_order_of_fortran(x):
    m = np.zeros((2, 3), order="F")
    m += x
    column = Holder(m[:, 1])
    column.a[1] = x**3
    m[0, 1] = x
    return np.sum(m * m) + column.a[0]


def two_objects_and_a_name(x):
    items = [x]
    first, second = Holder(items), Holder(items)
    first.a.append(x * x)
    second.a[0] = second.a[1] * x
    items.append(first.a[0])
    return sum(first.a) + items[0] * second.a[-1]


def in_a_list_and_alone(x):
    row = np.array([x, x])
    rows, alone = Holder([row, row]), Holder(row)
    rows.a[0][0] = x**3
    alone.a[1] = x * x
    total = sum(np.sum(one) for one in rows.a)
    return total + rows.a[1] @ rows.a[0]


def dict_of_lists(x):
    groups = Holder(collections.defaultdict(list))
    for k, name in enumerate("abca"):
        groups.a[name].append(x**k)
    groups.a["d"] = groups.a["a"]
    groups.a["d"][0] = x * x
    return sum((i + 1) * sum(group) for i, group in enumerate(groups.a.values()))


def values_stay_that_were_computed(x):
    o = Holder(np.array([x, x * x]))
    same, added, scaled, view = o.a, o.a + 0.0, o.a * 1.0, o.a[:]
    copied, negative = o.a.copy(), -o.a
    o.a[0] = x**3
    return (
        same[0] * 2 + added[0] * 3 + scaled[0] * 5 + view[0] * 7 + copied[0] * 11 + negative[0] * 13
    )


def nested_lists(x):
    grid = Holder([[x, x], [x, x]])
    for i in range(2):
        for j in range(2):
            grid.a[i][j] = grid.a[i][j] * x + (i + j) * grid.a[0][0]
    return sum(map(sum, grid.a))


# Walks over what changes meanwhile


def grows_while_walked_over(x):
    o, total = Holder([x, 2 * x]), 0.0
    for item in o.a:
        if len(o.a) < 6:
            o.a.append(item * x)
        total = total + item
    return total


def changed_ahead_of_a_walk(x):
    o, total = Holder([x, x * x, 2 * x]), 0.0
    for i, item in enumerate(o.a):
        if i < 2:
            o.a[i + 1] = o.a[i + 1] * item
        total = total + item
    return total


def changed_ahead_of_two_walks(x):
    first, second, total = Holder([x, x * x]), Holder([2.0 * x, x]), 0.0
    for a, b in zip(first.a, second.a, strict=True):
        first.a[1] = first.a[1] * b
        second.a[1] = second.a[1] * a
        total = total + a * b
    return total


def changed_behind_a_walk(x):
    o, total = Holder([x, x * x, 2 * x]), 0.0
    for item in reversed(o.a):
        o.a[0] = o.a[0] * item
        total = total + item
    return total


def values_that_change(x):
    o, total = Holder({"a": x, "b": x * x}), 0.0
    for key, value in o.a.items():
        o.a["b"] = o.a["b"] * value
        total = total + value * len(key)
    for value in o.a.values():
        o.a["b"] = o.a["b"] + value
        total = total + value
    return total


def changed_by_what_is_mapped(x):
    o = Holder([x, x * x, 2 * x])

    def scaled(item):
        o.a[2] = o.a[2] * item
        return item

    return sum(map(scaled, o.a))


def rows_that_change(x):
    o, total = Holder(np.array([[x, x * x], [x, 2 * x]])), 0.0
    for row in o.a:
        o.a[1] *= x
        total = total + np.sum(row)
    return total


# Each way to change


def ways_to_change_a_list(x):
    o = Holder([x, 2 * x, x * x])
    o.a.sort(reverse=True)
    o.a.remove(2 * x)
    o.a *= 2
    o.a += [x**3]
    o.a.insert(1, x + 1)
    o.a[1:2] = [x, x**4]
    del o.a[0]
    o.a.reverse()
    o.a.extend(o.a)
    last = o.a.pop()
    return last + sum((i + 1) * item for i, item in enumerate(o.a))


def ways_to_change_a_dict(x):
    o = Holder({"a": x})
    o.a.update(b=x * x)
    o.a |= {"c": x**3}
    taken, kept = o.a.pop("b"), o.a.setdefault("z", x)
    o.a.setdefault("a", 5.0)
    o.a["c"] *= x
    return taken * 2 + kept * 3 + sum(o.a.values()) + o.a.get("q", x)


def ways_to_change_a_deque(x):
    o = Holder(collections.deque([x, x * x], maxlen=3))
    o.a.append(x**3)
    o.a.append(x**4)
    o.a.appendleft(2 * x)
    o.a.rotate(1)
    first = o.a.popleft()
    return first * 3 + o.a[0] * 2 + sum(o.a)


def ways_to_change_an_array(x):
    o = Holder(np.array([x, -x, 2 * x]))
    o.a[o.a < 0] = x * x
    o.a[[0, 0]] += x
    np.add.at(o.a, [1, 1], x)
    np.multiply(o.a, x, out=o.a)
    o.a[1:] = o.a[:-1]
    o.a.sort()
    return np.sum(o.a * np.array([1.0, 10.0, 100.0]))


def arrays_of_other_kinds(x):
    counts, points = Holder(np.zeros(3, int)), Holder(np.zeros(2, complex))
    counts.a[0] = x * 3  # rounded: no derivative
    points.a[0] = x * (1 + 2j)
    points.a[1] = points.a[0] * x * 1j
    return abs(points.a[1]) + points.a[0].imag + np.sum(counts.a) * x


def errors_between(x):
    o = Holder([x])
    for k in range(3):
        try:
            o.a.append(x * k)
            if k == 1:
                failing(o, x * x)
            o.a[0] = o.a[0] * x
        except ValueError:
            o.a.pop(0)
        finally:
            o.a[-1] = o.a[-1] + x
    return sum(o.a)


def longest_common(x):
    memo = {}

    def best(i, j):
        if i == 0 or j == 0:
            return x
        if (i, j) not in memo:
            memo[i, j] = 0.5 * best(i - 1, j) * x + 0.25 * best(i, j - 1)
        return memo[i, j]

    return best(4, 4)


def copies_in_depth(x):
    o = Holder([x, [x * x]])
    other = copy.deepcopy(o)
    other.a[1].append(x**3)
    o.a[1][0] = x
    return sum(o.a[1]) + 2 * sum(other.a[1]) + other.a[0]


def keys_of_groups(x):
    items = [x, x * x, 3.0, x + 5, x + 6]
    groups = itertools.groupby(items, key=lambda v: 2.0 * x if v > 4 else x)
    return sum(key * sum(group) for key, group in groups)


def remembered(x, y):
    @functools.lru_cache
    def product(u, v):
        return u * v * x

    return product(x, y) + 3 * product(y, x) + product(x, y) * product(y, y)


ONE = [
    view_and_owner, views_that_overlap, column_in_the_order_of_fortran, two_objects_and_a_name,
    in_a_list_and_alone, dict_of_lists, values_stay_that_were_computed, nested_lists,
    grows_while_walked_over, changed_ahead_of_a_walk, changed_ahead_of_two_walks,
    changed_behind_a_walk, values_that_change, changed_by_what_is_mapped, rows_that_change,
    ways_to_change_a_list, ways_to_change_a_dict, ways_to_change_a_deque, ways_to_change_an_array,
    arrays_of_other_kinds, errors_between, longest_common, copies_in_depth, keys_of_groups,
]


@pytest.mark.parametrize("function", ONE)
def test_along_a_direction(function):
    assert_along(function, 1.3)


def test_remembered_values():
    assert_along(remembered, 1.3, 0.7)


VIEWS = [view_and_owner, views_that_overlap, values_stay_that_were_computed]


@pytest.mark.parametrize("function", VIEWS)
def test_both_modes_agree_on_views(function):
    """An object that holds a view holds a part of an array, whose rest is the program's alone."""
    assert zyg.gradient(function, 1.3)[0] == pytest.approx(zyg.jvp(function, (1.3,), (1.0,))[1])


# Arguments


def test_arguments_that_hold_one_memory():
    def doubled(first, second):
        first.a *= 2
        return np.sum(second.a**2)

    def holders():
        w = np.arange(4.0)
        return Holder(w[:3]), Holder(w[1:])

    dots = {"a": np.array([1.0, 2.0, 3.0])}, {"a": np.array([2.0, 3.0, 4.0])}
    assert zyg.jvp(doubled, holders(), dots) == (29.0, 88.0)
    with pytest.raises(zyg.NotDifferentiable, match="different tangents"):
        zyg.jvp(doubled, holders(), (dots[0], {"a": np.array([2.0, 9.0, 4.0])}))

    def replaced(holder, a):
        holder.a[0] = 7.0
        return a[0] * a[1]

    a = np.array([1.0, 2.0])
    with pytest.raises(zyg.NotDifferentiable, match="different tangents"):
        zyg.jvp(replaced, (Holder(a), a), (None, np.ones(2)))
    dot = np.array([1.0, 0.5])
    assert zyg.jvp(replaced, (Holder(a), a), ({"a": dot}, dot)) == (14.0, 3.5)


def test_tangents_that_were_given_stay():
    def changed(holder, x):
        holder.a[0] = holder.a[0] * x
        holder.a.append(x)
        return holder

    holder, dot = Holder([1.0, 2.0]), {"a": [1.0, 0.5]}
    y, y_dot = zyg.jvp(changed, (holder, 3.0), (dot, 1.0))
    assert y.a == [3.0, 2.0, 3.0] and y_dot == {"a": [4.0, 0.5, 1.0]}
    assert dot == {"a": [1.0, 0.5]}


def test_results_that_objects_hold():
    def held(x):
        first = Holder([x])
        second = Holder(first.a)
        second.a.append(x * x)
        return [first, second, (first.a, x)]

    _, y_dot = zyg.jvp(held, (3.0,), (1.0,))
    assert y_dot == [{"a": [1.0, 6.0]}, {"a": [1.0, 6.0]}, ([1.0, 6.0], 1.0)]


# Functions that remember


@functools.cache
def cube(x):
    return x**3


def test_equal_arguments_with_different_tangents():
    def product(x, y):
        return cube(x) * cube(y)

    for direction, expected in ((1.0, 0.0), 96.0), ((0.0, 1.0), 96.0), ((1.0, 1.0), 192.0):
        assert zyg.jvp(product, (2.0, 2.0), direction) == (64.0, expected)


def test_what_remembers_runs_once_or_not_at_all():
    def counted(x, y):
        calls = Holder([0])

        @functools.lru_cache
        def square(u):
            calls.a[0] += 1
            return u * u

        return square(x) * square(y) * calls.a[0]

    assert zyg.jvp(counted, (2.0, 2.0), (1.0, 1.0)) == (16.0, 32.0)
    with pytest.raises(zyg.NotDifferentiable, match="equal arguments"):
        zyg.jvp(counted, (2.0, 2.0), (1.0, 0.0))


# More than one derivative


@pytest.mark.parametrize("function", [two_objects_and_a_name, longest_common, dict_of_lists])
def test_derivatives_of_forward_mode(function):
    def slope(x):
        return zyg.jvp(function, (x,), (1.0,))[1]

    expected = (slope(1.3 + 1e-6) - slope(1.3 - 1e-6)) / 2e-6
    assert zyg.jvp(slope, (1.3,), (1.0,)) == (slope(1.3), pytest.approx(expected, 1e-6, 1e-6))
    assert zyg.gradient(slope, 1.3)[0] == pytest.approx(expected, 1e-6, 1e-6)


@pytest.mark.parametrize("function", [two_objects_and_a_name, longest_common, dict_of_lists])
def test_forward_over_reverse_mode(function):
    def slope(x):
        return zyg.gradient(function, x)[0]

    expected = (slope(1.3 + 1e-6) - slope(1.3 - 1e-6)) / 2e-6
    assert zyg.jvp(slope, (1.3,), (1.0,)) == (slope(1.3), pytest.approx(expected, 1e-6, 1e-6))


# Views


def test_the_part_that_a_view_shows():
    owner = np.arange(24, dtype=np.float32).copy()
    view = owner[2:20].reshape(3, 6)[::-2, 1::2]
    wide, flags = np.arange(24.0), np.zeros(24, bool)
    assert np.array_equal(shown_by(view, owner, wide), view)
    shown_by(view, owner, flags)[...] = True
    assert flags.sum() == view.size and np.array_equal(np.flatnonzero(flags), np.sort(view.ravel()))


# Random programs


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    assert_along(random_function(seed), 0.7, 1.1)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6, 70))
def test_more_random_programs(seed):
    assert_along(random_function(seed), 0.7, 1.1)


def test_sets_beside_objects():
    def seen_by_name(x):
        o, seen = Holder(set()), set()
        log = Holder([])
        for k in (1, 2, 1, 3):
            if k not in seen:
                seen.add(k)
                o.a.add(k)
                log.a.append(x**k)
        seen.discard(2)
        return sum(log.a) * len(seen) * len(o.a)

    assert_along(seen_by_name, 1.3)


SPECTRA = {"first": np.ones(3)}


def test_array_in_a_table_that_is_scaled_first_in_forward_mode():
    def scaled(a):
        SPECTRA["first"] *= a
        SPECTRA["first"][0] = a[1]
        return np.sum(SPECTRA["first"] ** 2)

    SPECTRA["first"][:] = 1.0, 2.0, 3.0
    y, slope = zyg.jvp(scaled, (np.array([2.0, 3.0, 1.0]),), (np.array([1.0, 0.5, 1.0]),))
    assert (y, slope) == (9.0 + 36.0 + 9.0, 2 * (3.0 * 0.5 + 6.0 * 1.0 + 3.0 * 3.0))
    assert SPECTRA["first"].tolist() == [3.0, 6.0, 3.0]


@pytest.mark.parametrize("largest", [np.max, np.median, np.ptp, lambda x, axis: np.prod(x, axis)])
def test_the_tangent_of_a_number_is_no_memory(largest):
    """It would be changed under both names."""

    def f(x):
        first = largest(x, axis=0)
        last = first * 1.0
        for _ in range(2):
            last = last - 0.1 * last**2
        return first * 0.5 + last * 1.3

    x, direction = np.array([0.3, 0.9, 0.5]), np.array([0.2, -1.0, 0.4])
    slope = zyg.jvp(f, (x,), (direction,))[1]
    np.testing.assert_allclose(slope, zyg.gradient(f, x)[0] @ direction, rtol=1e-12)
