"""Rules of changes in place, and the memory behind names that zyg follows."""

import copy

import numpy as np
import pytest

import zyg
from ir import primitives
from tests.differences import check_gradient
from zyg.facts.numpy_changes import added_at_each

VECTOR = np.array([1.0, 2.0, 3.0, 4.0])
CASES = [
    (primitives.stored, (VECTOR, 1, 2.0)),
    (primitives.stored, (VECTOR, slice(1, 3), np.array([2.0, 5.0]))),
    (primitives.stored, (VECTOR, ..., 2.0)),
    (primitives.stored, (VECTOR, [0, 2, 0], np.array([7.0, 8.0, 9.0]))),
    (primitives.stored, (VECTOR, VECTOR > 2, 0.5)),
    (primitives.stored, ([1.0, 2.0], -1, 3.0)),
    (primitives.stored, ({"a": 1.0}, "b", 3.0)),
    (primitives.stored, ({"a": 1.0}, "a", 3.0)),
    (primitives.stored_back, (VECTOR, [1, 1], np.array([2.0, 5.0]))),
    (primitives.spliced, ([1.0, 2.0, 3.0], slice(1, 2), [4.0, 5.0, 6.0])),
    (primitives.spliced, ([1.0, 2.0, 3.0], slice(None, None, 2), [4.0, 5.0])),
    (primitives.spliced, ([1.0, 2.0, 3.0], slice(5, 1), [4.0])),
    (primitives.overwritten, (VECTOR, VECTOR * 2)),
    (primitives.written, (VECTOR, slice(2), VECTOR[:2] * 1.0)),
    (primitives.added_at, (VECTOR, slice(1, 3), 2.0)),
    (primitives.subtracted_at, (VECTOR, 0, 2.0)),
    (added_at_each, (VECTOR, [0, 0, 1], np.array([1.0, 2.0, 3.0]))),
    (primitives.deleted, ([1.0, 2.0, 3.0], 1)),
    (primitives.deleted, ([1.0, 2.0, 3.0], slice(0, 2))),
    (primitives.appended, ([1.0, 2.0], 3.0)),
    (primitives.extended, ([1.0, 2.0], [3.0, 4.0])),
    (primitives.inserted, ([1.0, 2.0], -1, 3.0)),
    (primitives.inserted, ([1.0, 2.0], 9, 3.0)),
    (primitives.item_to_pop, ([1.0, 2.0], -1)),
]


@pytest.mark.parametrize(("change", "args"), CASES)
def test_rule(change, args):
    if change is primitives.written:  # its part is in the whole already
        args = (args[0], args[1], args[0][args[1]] * 1.0)
        _, back = zyg.pullback(change, *copy.deepcopy(args))
        assert [g.tolist() for g in (back(VECTOR)[0], back(VECTOR)[2])] == [[0, 0, 3, 4], [1, 2]]
        return
    check_gradient(lambda items, *rest: change(items.copy(), *rest), args, zyg.pullback)


def test_last_writer_takes_it_all():
    def store(v):
        a = np.zeros(1)
        a[[0, 0]] = v
        return a[0]

    (gradient,) = zyg.gradient(store, np.array([2.0, 3.0]))
    assert gradient.tolist() == [0.0, 1.0]


def two_names(a, b):
    a[0] = 5.0
    return a[0] * b[0]


@pytest.mark.parametrize("start", [0, 1])
def test_arguments_may_overlap_in_some_calls(start):
    whole = np.array([3.0, 4.0, 6.0, 7.0])
    calls = [
        ((whole[::2], whole[1::2]), [0.0, 5.0, 0.0, 0.0]),
        ((whole, whole[:3]), [0.0] * 4),  # 25, whatever stood there
        ((whole[1:], whole[::-1]), [0.0, 0.0, 0.0, 5.0]),
        ((whole[1:], whole[1:]), [0.0] * 4),
    ]
    for (a, b), expected in calls[start:] + calls[:start]:
        before = whole.copy()
        found = np.zeros(4)
        for part, bar in zip((a, b), zyg.gradient(two_names, a, b), strict=True):
            holder = np.zeros(4)
            view = np.lib.stride_tricks.as_strided(
                holder[_first_of(part, whole):], part.shape, part.strides
            )
            view += bar
            found += holder
        assert found.tolist() == expected
        assert a[0] == 5.0
        whole[:] = before


def _first_of(part, whole):
    start = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return start // whole.itemsize


def held_by_list(x):
    a = np.zeros(2)
    rows = [a, a]
    a[0] = x
    return rows[1][0]


def buffer_of_branch(a, x):
    b = a if x > 0 else np.zeros(2)
    b[0] = x
    return a[0] * b[0]


def keeps_first_buffer(a, x):
    first, current = a.copy(), a
    current = first
    for _ in range(2):
        current[0] = x
        current = current * 1.0
    return first[0] * current[1]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (held_by_list, (2.0,)),
        (buffer_of_branch, (np.ones(2), 2.0)),
        (keeps_first_buffer, (np.ones(2), 2.0)),
    ],
)
def test_hidden_names_of_memory(f, args):
    check_gradient(f, args, zyg.pullback)
    check_gradient(f, args, zyg.pullback)


def test_reshaped_copy_is_no_view():
    def write(m):
        flat = m.T.reshape(-1)
        flat[0] = 3.0
        return m.sum() * flat[1]

    given = np.arange(6.0).reshape(2, 3)
    check_gradient(lambda m: write(m * 1.0), (given,), zyg.pullback)
    check_gradient(lambda m: write(m.T * 1.0), (given,), zyg.pullback)


def test_back_can_be_called_again_and_keeps_out_of_the_users_memory():
    def f(a):
        a *= a
        a[0] += a[1]
        return a

    given = np.array([2.0, 3.0])
    y, back = zyg.pullback(f, given)
    assert y is given and given.tolist() == [13.0, 9.0]
    first = back(np.ones(2))[0].tolist()
    given[:] = 100.0
    assert back(np.ones(2))[0].tolist() == first == [4.0, 12.0]
    assert given.tolist() == [100.0, 100.0]


def test_linear_stencil_keeps_nothing_per_step():
    def steps(u, n):
        u = u.copy()
        for _ in range(n):
            u[1:-1] += 0.1 * (u[:-2] + u[2:])
        return u.sum()

    held = [repr(zyg.pullback(steps, np.ones(50), n)[1]) for n in (2, 20)]
    assert held[0] == held[1]


def iterator_made_before(xs, x):
    pairs = zip(xs, [x, 2.0], strict=True)
    xs[0] = x * x
    return sum(a * b for a, b in pairs)


def dict_view_made_before(x):
    d = {"a": x}
    values = d.values()
    d["a"] = x * x
    return sum(values)


def grows_while_it_iterates(xs, x):
    for item in xs:
        if len(xs) < 4:
            xs.append(item * x)
    return xs[-1]


def container_holds_views(a, x):
    parts = [a[i:] for i in range(2)]
    a *= x
    return parts[0][0] * parts[1][0]


def held_in_the_iteration_before(a, x):
    history = []
    for _ in range(2):
        a *= x
        history.append(a)
    return history[0].sum()


def fill_from(a, b):
    for i, x in enumerate(a):
        b[i] = 2.0 * x + b[0]
    return b.sum()


def one_argument_under_two_names(a, x):
    return fill_from(a, a) * x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (dict_view_made_before, (2.0,)),
        (grows_while_it_iterates, ([1.0, 3.0], 2.0)),
        (container_holds_views, (np.ones(2), 2.0)),
        (held_in_the_iteration_before, (np.ones(2), 2.0)),
        (one_argument_under_two_names, (np.ones(2), 2.0)),
    ],
)
def test_what_reads_changed_memory_later(f, args):
    check_gradient(f, args, zyg.pullback)


def test_an_iterator_over_what_changes_later_is_refused():
    with pytest.raises(zyg.UnsupportedSyntax, match=r"test_changes\.py"):
        zyg.gradient(iterator_made_before, [1.0, 3.0], 2.0)


def test_iterated_argument_may_overlap_a_changed_one():
    def f(whole, start):
        return fill_from(whole[:2], whole[start:] * 1.0 if start > 1 else whole[start:])

    check_gradient(f, (np.array([1.0, 2.0, 3.0, 5.0]), 2), zyg.pullback)
    check_gradient(f, (np.array([1.0, 2.0, 3.0, 5.0]), 0), zyg.pullback)


def test_item_of_an_integer_array_is_rounded_as_numpy_does():
    def f(counts, x):
        counts[0] += x
        return counts.sum() * x

    counts = np.array([1, 2])
    y, back = zyg.pullback(f, counts, 2.5)
    assert counts.tolist() == [3, 2] and y == 12.5
    assert back(1.0)[1] == 5.0


def test_second_derivative_of_a_sum_that_broadcasts():
    def f(u):
        return np.sum(u * np.sum(u, axis=0, keepdims=True))

    _, back = zyg.pullback(lambda u: zyg.gradient(f, u)[0], np.ones(3))
    assert back(np.array([1.0, 0.0, 0.0]))[0].tolist() == [2.0, 2.0, 2.0]


def squares_of_list(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


def squares_of_dict(d):
    total = 0.0
    for key in d:
        total += d[key] * d[key]
    return total


@pytest.mark.parametrize(
    ("f", "given"), [(squares_of_list, [1.0, 2.0]), (squares_of_dict, {0: 1.0, 1: 2.0})]
)
def test_back_does_not_see_later_changes_of_containers(f, given):
    _, back = zyg.pullback(f, given)
    expected = copy.deepcopy(back(1.0))
    given[0] = 50.0
    assert back(1.0) == expected
    given.clear()
    assert back(1.0) == expected


def scale(a, v):
    for i in range(len(a)):
        a[i] = a[i] * v


def read_later(a):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.sin(a))
    return total


def changed_by_a_call(a, x):
    b = a * x
    s = np.sum(np.sin(b))
    scale(b, x)
    return s + np.sum(b * b)


def changed_by_calls_in_a_loop(a, x):
    b = a * 2.0
    s = 0.0
    for _ in range(3):
        s = s + np.sum(np.sin(b)) * x
        scale(b, x)
    return s


def constant_changed_by_a_call(a, x):
    w = np.ones(3) * 2.0
    s = np.sum(w * a) * x
    scale(w, 0.0)
    return s


def changed_behind_a_call_that_reads(a, x):
    b = a * x
    s = read_later(b)
    b[0] = x
    s += read_later(b)
    b *= 2.0
    return s + np.sum(b)


def changed_behind_calls_in_a_loop(a, x):
    b = a * x
    s = 0.0
    for i in range(3):
        s += read_later(b) * x
        b[i] = s
    return s


def changed_behind_an_unknown_call(a, x):
    b = a * x
    s = 0.0
    for function in [read_later, np.sum]:
        s += function(b)
        b[0] = s
    return s


@pytest.mark.parametrize(
    "f",
    [
        changed_by_a_call, changed_by_calls_in_a_loop, constant_changed_by_a_call,
        changed_behind_a_call_that_reads, changed_behind_calls_in_a_loop,
        changed_behind_an_unknown_call,
    ],
)
def test_contents_before_a_change_by_or_behind_a_call(f):
    args = np.array([0.3, 0.5, 0.7]), 1.3
    check_gradient(f, args, zyg.pullback)
    _, back = zyg.pullback(f, *args)
    np.testing.assert_allclose(zyg.gradient(f, *args)[0], back(1.0)[0], rtol=1e-12)


def starred_call(function, items):
    return function(*items) * items[0]


def test_back_of_a_starred_call_does_not_see_later_changes():
    def total(*items):
        return sum(x * x for x in items)

    items = [1.0, 2.0]
    _, back = zyg.pullback(lambda xs: starred_call(total, xs), items)
    expected = copy.deepcopy(back(1.0))
    items[1] = 50.0
    items.append(1.0)
    assert back(1.0) == expected == ([7.0, 4.0],)


class Held:
    def __init__(self, x):
        self.x = x

    def second(self, a):
        return self.x[1]


class Negative(Held):
    def second(self, a):
        np.negative(a, out=self.x)
        return super().second(a)


def written_into_what_a_method_reads(a):
    held = Negative(np.array([a, a]))
    return held.second(a * a) * a


def written_into_one_of_a_dict(a):
    buffers, x = {"first": np.zeros(2), "name": "text"}, np.array([a, 2 * a])
    key = "first" if a > 0 else "name"
    np.multiply(x, x, out=buffers[key])
    np.add(buffers[key], 1.0, out=buffers[key])
    return np.sum(buffers[key] * x)


def written_into_one_of_a_list(a):
    buffers, x = [np.zeros(2), None, 3.0], np.array([a, 2 * a])
    np.multiply(x, x, buffers[0])
    return np.sum(buffers[0])


@pytest.mark.parametrize(
    "f", [
        written_into_what_a_method_reads, written_into_one_of_a_dict, written_into_one_of_a_list,
    ],
)
def test_results_written_where_nothing_is_known(f):
    check_gradient(f, (2.0,), zyg.pullback)
    y, y_dot = zyg.jvp(f, (2.0,), (1.0,))
    assert y == f(2.0) and y_dot == pytest.approx(zyg.gradient(f, 2.0)[0])


def test_a_list_that_a_called_function_changes_is_not_looked_through():
    def relax(distances, i, weight):
        if distances[i - 1] + weight < distances[i]:
            distances[i] = distances[i - 1] + weight

    def f(weights):
        distances = [0.0] + [2.5] * len(weights)
        for i, weight in enumerate(weights):
            relax(distances, i + 1, weight)
        return sum([x * x for x in distances])

    weights = [0.5, 1.5, 2.0, 0.25]
    check_gradient(f, (weights,), zyg.pullback)
    zyg.check_grads(f, weights, order=2)
    code = str(zyg.code_adjoint(f, weights))
    assert "relax_back(" in code
    assert "completed_container(" not in code and "shell(" not in code


def summed_from_zero(x):
    total, product = 0.0, 1
    for i in range(3):
        total += x * i
        product *= total + 2.0
    total[0] = product[1]
    return np.sum(total * product)


def before_it_grows(x):
    total, others = 0.0, 0.0
    for i in range(4):
        before = total
        total += x ** (i + 1)
        others = others + np.sum(before) * (i + 1)
    return others + np.sum(total**2)


@pytest.mark.parametrize("f", [summed_from_zero, before_it_grows])
def test_sums_that_begin_with_a_number(f):
    """Of the first iteration the array is new; from then on it is changed in place."""
    x = np.array([0.5, 1.5, 0.7])
    zyg.check_grads(f, x)
    value, dot = zyg.jvp(f, (x,), (x,))
    assert value == f(x)
    assert dot == pytest.approx(zyg.gradient(f, x)[0] @ x)


def test_a_sum_that_begins_with_a_number_and_is_kept_elsewhere():
    def f(x):
        total, kept = 0.0, []
        for i in range(3):
            total += x * i
            kept.append(total)
        return np.sum(kept[0] * kept[2]) + np.sum(total)

    check_gradient(f, (np.array([1.5, 2.0]),), zyg.pullback)
