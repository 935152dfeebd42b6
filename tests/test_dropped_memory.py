"""Memory of which the derivative is dropped, and that objects hold.

Where something changes such memory in place, it is known by its identity: it can't have a
derivative under one name, and none under another. Everything else that is dropped is a constant.
"""

import numpy as np
import pytest

import zyg

DROPPED = "derivative.* dropped"


class Filter:
    def __init__(self, x):
        self.x = x * np.array([1.0, 2.0])
        self.rows = [self.x]
        self.log = []
        self.kept = None

    @zyg.nograd
    def state(self):
        return self.x

    @zyg.nograd
    def tail(self):
        return self.x[1:]

    @zyg.nograd
    def column(self):
        return self.x.reshape(2, 1)

    @zyg.nograd
    def converted(self):
        return np.asarray(self.x)

    @zyg.nograd
    def by_function(self):
        return itself(self.x)

    @zyg.nograd
    def taken_out(self):
        return self.rows.pop()

    @zyg.nograd
    def by_name(self):
        return vars(self)["x"]

    @zyg.nograd
    def in_a_list(self):
        return [self.x, self.x * 2.0]

    @zyg.nograd
    def in_a_list_that_grew(self):
        found = []
        found.append(self.x)
        return found

    @zyg.nograd
    def in_a_dict(self):
        return {"x": self.x}

    @zyg.nograd
    def out_of_a_dict(self):
        return {"x": self.x}.get("x")

    @zyg.nograd
    def out_of_a_sum_of_lists(self):
        return ([self.x] * 2)[1]

    @zyg.nograd
    def size(self):
        return np.linalg.norm(self.x)

    @zyg.nograd
    def first(self):
        return self.x[0]

    @zyg.nograd
    def statistics(self):
        found = {"mean": np.mean(self.x), "all": []}
        found["all"] += [max(self.x)]
        return found

    @zyg.nograd
    def normalised(self):
        return self.x / np.linalg.norm(self.x)

    @zyg.nograd
    def copied(self):
        return self.x.copy()

    @zyg.nograd
    def joined(self):
        return np.concatenate([self.x, self.x])

    @zyg.nograd
    def changed_copy(self):
        found = self.x * 2.0
        found[0] = self.x[1]
        return found

    @zyg.nograd
    def squares(self):
        return [v * v for v in self.x]

    @zyg.nograd
    def pair(self):
        return self.x[0], self.x + 1.0

    @zyg.nograd
    def keep(self):
        self.kept = self.x

    @zyg.nograd
    def keep_in_a_list(self):
        self.log.append(self.x)

    @zyg.nograd
    def keep_among_others(self):
        self.log.extend([self.x])
        self.log += [self.x]

    @zyg.nograd
    def scale(self):
        self.x *= 0.5
        self.log += [self.x[0], self.x * 1.0]

    @zyg.nograd
    def keep_copies(self):
        self.kept = [self.x * 2.0, self.x.copy()]
        self.log.append(np.stack([self.x, self.x]))

    @zyg.nograd
    def keep_given(self, h):
        self.kept = h

    @zyg.nograd
    def keep_copy_of_given(self, h):
        self.kept = h * 1.0


@zyg.nograd
def itself(a):
    return a


def check_constant(program, x=1.3):
    """The derivatives of `value * x` are `value`: it is taken as a constant."""
    found = [zyg.gradient(program, x)[0], zyg.jvp(program, (x,), (1.0,))[1]]
    np.testing.assert_allclose(found, [program(x) / x] * 2, rtol=1e-12)


def refused(program, x=1.3):
    for derive in (
        lambda: zyg.gradient(program, x), lambda: zyg.jvp(program, (x,), (1.0,)),
    ):
        with pytest.raises(zyg.NotDifferentiable, match=DROPPED):
            derive()


GIVING = {
    Filter.state: np.sum,
    Filter.tail: np.sum,
    Filter.column: np.sum,
    Filter.converted: np.sum,
    Filter.by_name: np.sum,
    Filter.in_a_list: lambda found: np.sum(found[0]),
    Filter.in_a_list_that_grew: lambda found: np.sum(found[0]),
    Filter.in_a_dict: lambda found: np.sum(found["x"]),
    Filter.out_of_a_dict: np.sum,
    Filter.out_of_a_sum_of_lists: np.sum,
}
CALLING = {Filter.by_function: np.sum, Filter.taken_out: np.sum}
NEW = {
    Filter.size: np.sum,
    Filter.first: np.sum,
    Filter.statistics: lambda found: found["mean"] + found["all"][0],
    Filter.normalised: np.sum,
    Filter.copied: np.sum,
    Filter.joined: np.sum,
    Filter.squares: sum,
    Filter.pair: lambda found: found[0] + np.sum(found[1]),
}


@pytest.mark.parametrize(
    "read", [read for read, number in [*GIVING.items(), *NEW.items()] if number is np.sum]
)
def test_results_are_constants_where_nobody_changes_memory(read):
    check_constant(lambda x: np.sum(read(Filter(x))) * x)


def test_items_of_results_are_constants_where_nobody_changes_memory():
    check_constant(lambda x: x * (
        np.sum(Filter(x).in_a_list()[0]) + np.sum(Filter(x).in_a_list_that_grew()[0])
        + np.sum(Filter(x).in_a_dict()["x"]) + Filter(x).pair()[0] + Filter(x).squares()[1]
    ))


@pytest.mark.parametrize(("read", "number"), [*GIVING.items(), *CALLING.items()])
def test_memory_that_an_object_holds_is_not_given_away_where_it_is_changed(read, number):
    def program(x):
        held = Filter(x)
        found = read(held)
        held.x *= 2.0
        held.log.append(x)
        return number(found) * x

    refused(program)


@pytest.mark.parametrize(("read", "number"), NEW.items())
def test_what_is_new_is_a_constant_and_may_be_kept(read, number):
    def program(x):
        held = Filter(x)
        found = read(held)
        held.kept = found
        held.x *= 2.0
        held.log.append(x)
        return number(found) * x

    check_constant(program)


def test_an_array_that_was_changed_before_is_a_constant_and_may_be_kept():
    def program(x):
        held = Filter(x)
        found = held.changed_copy()
        held.kept = found
        held.x *= 2.0
        held.log.append(x)
        return np.sum(found) * x

    check_constant(program)


@pytest.mark.parametrize("keep", [Filter.keep, Filter.keep_in_a_list, Filter.keep_among_others])
def test_memory_is_not_stored_under_a_name_without_derivative(keep):
    def program(x):
        held = Filter(x)
        keep(held)
        held.x *= 2.0
        return np.sum(held.log[0] if held.log else held.kept) * x

    refused(program)


def scaled(held):
    held.scale()
    return np.sum(held.x) + held.log[0] + np.sum(held.log[1])


def copies_kept(held):
    held.keep_copies()
    held.x *= 2.0
    copies = np.sum(held.kept[0]) + np.sum(held.kept[1]) + np.sum(held.log[0])
    return copies + np.sum(held.x * 0.0)


@pytest.mark.parametrize("stored", [scaled, copies_kept])
def test_memory_that_is_changed_stays_where_it_is_and_copies_are_stored(stored):
    check_constant(lambda x: stored(Filter(x)) * x)


def test_an_argument_is_not_stored_while_its_derivative_is_used():
    def program(x):
        held = Filter(x)
        h = x * np.array([1.0, 3.0])
        held.keep_given(h)
        held.x *= 2.0
        return np.sum(h) * x

    refused(program)


def test_a_copy_of_an_argument_is():
    def program(x):
        held = Filter(x)
        h = x * np.array([1.0, 3.0])
        held.keep_copy_of_given(h)
        held.x *= 2.0
        return x * (np.sum(held.kept) + 0.0 * np.sum(h))

    check_constant(program)


def array_held(held, x):
    held.x *= 2.0
    return np.sum(zyg.dropgrad(held.x))


def part_of_it(held, x):
    held.x *= 2.0
    return np.sum(zyg.dropgrad(held.x[1:]))


def list_held(held, x):
    held.log.append(x)
    return sum(zyg.dropgrad(held.log))


def tuple_of_it(held, x):
    held.x *= 2.0
    return np.sum(zyg.dropgrad((held.x, x))[0])


def found_when_the_program_runs(held, x):
    held.x *= 2.0
    drop = {"drop": zyg.dropgrad, "len": len}["drop" if x > 0 else "len"]
    return np.sum(drop(held.x))


def handed_on(held, x):
    held.x *= 2.0
    return np.sum(list(map(zyg.dropgrad, [held.x, held.x]))[1])


def kept_later(held, x):
    a = x * np.array([1.0, 3.0])
    found = zyg.dropgrad(a)
    held.kept = a
    held.x *= 2.0
    return np.sum(found)


def part_kept_whole_later(held, x):
    a = x * np.array([1.0, 3.0])
    found = zyg.dropgrad(a[1:])
    held.kept = a
    held.x *= 2.0
    return np.sum(found)


def other_name_kept_later(held, x):
    a = x * np.array([1.0, 3.0])
    found = zyg.dropgrad(np.asarray(a))
    held.kept = a
    held.x *= 2.0
    return np.sum(found)


def captured_later(held, x):
    a = x * np.array([1.0, 3.0])
    found = zyg.dropgrad(a)
    held.kept = lambda: a
    held.x *= 2.0
    return np.sum(found) + 0.0 * np.sum(held.kept())


@pytest.mark.parametrize(
    "program",
    [
        array_held, part_of_it, list_held, tuple_of_it, found_when_the_program_runs, handed_on,
        kept_later, part_kept_whole_later, other_name_kept_later, captured_later,
    ],
)
def test_memory_that_objects_hold_is_not_dropped_where_it_is_changed(program):
    refused(lambda x: program(Filter(x), x) * x)


def numbers_of_it(held, x):
    held.x *= 2.0
    return np.sum(np.array([zyg.dropgrad(v) for v in held.x])) + zyg.dropgrad(np.sum(held.x))


def copy_kept(held, x):
    held.x *= 2.0
    held.kept = zyg.dropgrad(held.x.copy())
    held.kept[0] = 2.0
    return np.sum(held.kept)


def new_array_kept(held, x):
    held.kept = zyg.dropgrad(x=x * np.array([1.0, 3.0]))
    held.x *= 2.0
    return np.sum(held.kept)


def memory_of_another_kind(held, x):
    held.log.append(x)
    return np.sum(zyg.dropgrad(held.x))


@pytest.mark.parametrize(
    "program", [numbers_of_it, copy_kept, new_array_kept, memory_of_another_kind]
)
def test_what_has_no_other_name_is_dropped(program):
    check_constant(lambda x: program(Filter(x), x) * x)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.sum(zyg.dropgrad(Filter(x)).x),
        lambda x: zyg.dropgrad(Filter(x).state)()[0],
        lambda x: sum(zyg.dropgrad(v for v in [x, x])),
        lambda x: sum(zyg.dropgrad(iter([x, x]))),
        lambda x: zyg.dropgrad([Filter(x)])[0].x[0],
    ],
)
def test_derivatives_of_objects_and_iterators_are_not_dropped(program):
    for derive in (lambda: zyg.gradient(program, 1.3), lambda: zyg.jvp(program, (1.3,), (1.0,))):
        with pytest.raises(zyg.NotDifferentiable, match="be dropped, only that of numbers"):
            derive()


def test_functions_are_dropped():
    assert zyg.gradient(lambda x: zyg.dropgrad(lambda: x * 2.0)() * x, 3.0) == (6.0,)
    assert zyg.gradient(lambda x: zyg.dropgrad(abs)(x) * x, 3.0) == (6.0,)
