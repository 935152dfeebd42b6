"""Globals and attributes of classes through which derivatives go: against differences, by all that
the memory behind them may be called, and what is refused."""

import functools
import threading

import numpy as np
import pytest

import zyg

LOG = []
OTHER = []
CACHE = {}
BUFFER = np.zeros(3)
number = 0.0
nothing = None


class Held:
    """An object that a global holds."""

    def __init__(self):
        self.items = []
        self.number = 0.0


HELD = Held()


class Base:
    number = 0.0
    items = []

    def get(self):
        return self.number

    def push(self, x):
        self.items.append(x)


class Derived(Base):
    pass


def cleared():
    global LOG, OTHER, BUFFER, number
    LOG, OTHER, BUFFER, number = [], [], np.zeros(3), 0.0
    CACHE.clear()
    HELD.items, HELD.number = [], 0.0
    Base.items, Base.number = [], 0.0
    if "number" in vars(Derived):
        del Derived.number


def state():
    return repr((
        LOG, OTHER, CACHE, BUFFER, number, vars(HELD), Base.items, Base.number,
        vars(Derived).get("number"),
    ))


def differences(f, args, before):
    found = []
    for i in range(len(args)):
        values = []
        for step in (1e-6, -1e-6):
            cleared()
            before()
            values.append(f(*[x + step * (i == j) for j, x in enumerate(args)]))
        found.append((values[0] - values[1]) / 2e-6)
    return found


def check(f, *args, before=lambda: None):
    """Gradients and side effects of each form, from one state on; `back` twice."""
    expected = differences(f, args, before)
    cleared()
    before()
    value = f(*args)
    after = state()
    for form in (zyg.gradient, lambda *xs: zyg.withgradient(*xs)[1]):
        cleared()
        before()
        np.testing.assert_allclose(form(f, *args), expected, rtol=1e-6, atol=1e-8)
        assert state() == after
    cleared()
    before()
    y, back = zyg.pullback(f, *args)
    assert y == pytest.approx(value)
    assert state() == after
    for _ in range(2):
        np.testing.assert_allclose(back(1.0), expected, rtol=1e-6, atol=1e-8)
        assert state() == after
        cleared()  # what the user does to them later is nothing to `back`
        after = state()


def push(x):
    LOG.append(x)


def test_a_second_call_goes_on_with_what_the_first_has_left():
    def f(x, y):
        LOG.append(x * y)
        return sum(LOG) * x

    for left in ([], [1.0], [2], ["text", 3.0][1:], [1.0] * 20):
        check(f, 1.3, 0.7, before=lambda left=left: LOG.extend(left))


def test_a_global_of_another_kind_in_the_next_call():
    def f(x):
        CACHE["x"] = x * x
        return CACHE["x"] * len(CACHE)

    for left in ({}, {"y": "text"}, {1: [2.0]}):
        check(f, 1.3, before=lambda left=left: CACHE.update(left))


def test_numbers_that_others_assign():
    def assign(x):
        global number
        number = number * 2.0 + x

    def f(x, y):
        assign(x)
        before = number
        assign(x * y)
        return before * number

    check(f, 1.3, 0.7)
    check(f, 1.3, 0.7, before=lambda: assign(3.0))


def test_what_only_a_constant_call_changes():
    def change(n):
        for i in range(n):
            BUFFER[i] = 5.0

    def f(x, y):
        product = np.sum(BUFFER) * x
        rows = np.dot(BUFFER, BUFFER * y)
        change(2)
        return product + rows * np.sum(BUFFER)

    check(f, 1.3, 0.7, before=lambda: BUFFER.fill(2.0))


def test_a_global_and_the_attribute_of_an_object():
    def f(x, y):
        HELD.items.append(x)
        OTHER.append(x * y)
        return sum(HELD.items) * OTHER[-1]

    def share():
        global OTHER
        OTHER = HELD.items

    check(f, 1.3, 0.7, before=share)
    check(f, 1.3, 0.7)


def test_a_global_and_an_argument():
    def f(items, x):
        LOG.append(x)
        return sum(items) * x

    cleared()
    assert zyg.gradient(f, [1.0], 2.0) == ([2.0], 1.0)
    with pytest.raises(zyg.NotDifferentiable, match="given as an argument that a global"):
        zyg.gradient(f, LOG, 2.0)
    with pytest.raises(zyg.NotDifferentiable, match="given as an argument that a global"):
        zyg.gradient(lambda rows, x: f(rows[0], x), [LOG], 2.0)


def test_a_global_and_the_attribute_of_an_argument():
    def f(held, x):
        LOG.append(x)
        held.items.append(x * x)
        return sum(LOG) * held.items[0]

    cleared()
    held = Held()
    held.items = LOG
    LOG.append(3.0)
    (own, slope) = zyg.gradient(f, held, 2.0)
    # (a + x + x^2) a
    assert own["items"] == [12.0]
    assert slope == 15.0


def test_a_part_of_a_global_array_as_an_argument():
    def f(row, x):
        BUFFER[0] = x
        return np.sum(row) * x

    cleared()
    with pytest.raises(zyg.NotDifferentiable, match="given as an argument that a global"):
        zyg.gradient(f, BUFFER[1:], 2.0)
    row, slope = zyg.gradient(f, BUFFER[1:].copy(), 2.0)
    np.testing.assert_array_equal(row, [2.0, 2.0])
    assert slope == 0.0


def test_an_array_that_is_put_into_a_global_and_changed():
    def f(x):
        row = np.array([x, 2.0])
        LOG.append(row)
        row[0] = 3.0 * x
        return LOG[0][0]

    cleared()
    assert zyg.gradient(f, 2.0) == (3.0,)
    np.testing.assert_array_equal(LOG, [[6.0, 2.0]])


def test_functions_found_at_run_time():
    def f(x, y):
        for function in [push, lambda z: LOG.append(z * y)]:
            function(x)
        return LOG[0] * LOG[1]

    check(f, 1.3, 0.7)


class Adder:
    def add(self, x):
        global number
        number = number + x * x
        return x


def test_a_function_found_at_run_time_that_changes_what_was_read():
    def f(x):
        before = number * x
        adder = [Adder(), x, "text", None][int(x) - 2]
        adder.add(x)
        return before + number * x

    cleared()
    with pytest.raises(zyg.NotDifferentiable, match="call it by its name"):
        zyg.gradient(f, 2.0)


def test_a_function_that_can_not_be_read_and_reads_what_is_changed():
    def odd():
        exec("pass")
        return LOG[-1]

    def f(x):
        LOG.append(x)
        return odd() * x

    with pytest.raises(zyg.UnsupportedSyntax, match="exec"):
        zyg.gradient(f, 2.0)


def test_attributes_of_classes_and_their_bases():
    def by_the_derived(x, y):
        Derived.number += x
        Base.number += y
        return Derived.number * Base.number * Derived().get()

    def by_an_object(x, y):
        one, other = Base(), Derived()
        Base.number = x * y
        one.number = one.number * x
        return one.get() * other.get() * Base.number

    def by_a_list_of_the_class(x, y):
        Base().push(x)
        Derived().push(x * y)
        Derived.items.append(y)
        return Base.items[0] * Base.items[1] * Derived().items[2]

    for f in (by_the_derived, by_an_object, by_a_list_of_the_class):
        check(f, 1.3, 0.7)
        check(f, 1.3, 0.7, before=lambda: setattr(Base, "number", 2.0))


def test_what_a_failing_function_has_left():
    def failing(x):
        global number
        number = x * x
        LOG.append(x)
        if x > 1.0:
            raise ValueError
        number = x

    def f(x, y):
        try:
            failing(x)
        except ValueError:
            LOG.append(y)
        return number * LOG[0] * LOG[-1]

    check(f, 1.3, 0.7)
    check(f, 0.3, 0.7)


def test_an_exception_that_nobody_catches_leaves_nothing_behind():
    def f(x):
        LOG.append(x)
        return LOG[3] * x

    cleared()
    for _ in range(2):
        with pytest.raises(IndexError):
            zyg.gradient(f, 2.0)
    assert LOG == [2.0, 2.0]
    assert zyg.gradient(lambda x: x * x, 2.0) == (4.0,)


def test_bound_again_in_the_middle():
    def f(x, y):
        global LOG
        before = LOG
        before.append(x)
        LOG = [y]
        LOG.append(x * y)
        return before[-1] * LOG[-1] * LOG[0]

    check(f, 1.3, 0.7)
    check(f, 1.3, 0.7, before=lambda: push(2.0))


def test_deleted_and_set_anew():
    def f(x, y):
        global number
        number = x
        product = number * y
        del number
        number = product * x
        return number

    check(f, 1.3, 0.7)


def test_names_that_are_read_only_stay_what_they_are():
    code = str(zyg.code_gradient(lambda x: np.sum(BUFFER * x) * LOG[0] + Base.number, 2.0))
    assert "shadows" not in code


def test_code_for_others_is_not_concerned():
    def read(x):
        return LOG[0] * x

    def write(x):
        LOG.append(x)
        return LOG[0] * x

    cleared()
    LOG.append(3.0)
    assert zyg.gradient(read, 2.0) == (3.0,)
    assert zyg.gradient(write, 2.0) == (3.0,)
    assert zyg.gradient(read, 2.0) == (3.0,)
    assert "shadows" not in str(zyg.code_gradient(read, 2.0))


def test_what_is_logged_beside():
    def f(x):
        y = x
        for i in range(3):
            y = y * x
            LOG.append((i, float(y)))
            LOG.append(f"{y:.2f}")
            CACHE["last"] = {"step": i, "value": y}
        return y * CACHE["last"]["value"]

    check(f, 1.3)


CURVES = {"count": 0}


def last():
    return LOG[-1]


def test_a_log_that_is_read_by_whatever_way():
    def by_another(x, y):
        LOG.append(x * y)
        return last() * y

    def by_a_lambda(x, y):
        LOG.append(x * y)
        return (lambda z: z * LOG[-1])(y)

    def by_what_a_rule_calls(x, y):
        LOG.append(x)
        return functools.reduce(lambda a, b: a * LOG[-1] + b, [x, y])

    def by_a_function_found_at_run_time(x, y):
        LOG.append(x)
        return [last, x, "text", None][int(x) - 1]() * y

    def by_another_name(x, y):
        OTHER.append(x)
        return CACHE["log"][-1] * y

    def by_its_length(x, y):
        LOG.append(x)
        product = len(LOG) * x
        LOG.append(y)
        return product * len(LOG)

    def in_two_roles(x, y):
        CURVES["count"] += 1
        product = x * CURVES["count"]
        CURVES["count"] += 1
        return product * CURVES["count"] * y

    for f in (
        by_another, by_a_lambda, by_what_a_rule_calls, by_a_function_found_at_run_time,
        by_another_name, by_its_length, in_two_roles,
    ):
        check(f, 1.3, 0.7, before=lambda: (CACHE.update(log=OTHER), CURVES.update(count=0)))


def test_threads():
    def f(x):
        items = OTHER
        LOG.append(x * x)
        HELD.number = x
        return LOG[-1] * x + len(items)

    # One writes at a time: lists of Python's are shared by threads as they are.
    lock, found = threading.Lock(), []

    def run(x):
        for _ in range(5):
            with lock:
                found.append((x, zyg.gradient(f, x)[0]))

    cleared()
    threads = [threading.Thread(target=run, args=(x,)) for x in (1.0, 2.0, 3.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted((x, 3 * x * x) for x in (1.0, 2.0, 3.0) for _ in range(5))


def test_forward_mode_of_numbers():
    def f(x, y):
        global number
        number = x * y
        Base.number = number * x
        return Base.number * number

    cleared()
    _, slope = zyg.jvp(f, (1.3, 0.7), (1.0, 1.0))
    assert slope == pytest.approx(sum(zyg.gradient(f, 1.3, 0.7)))
    assert zyg.jvp(lambda x: (LOG.append(x), LOG[-1])[1], (1.3,), (1.0,)) == (1.3, 1.0)


def test_a_captured_object():
    held = Held()

    def f(x):
        held.items.append(x * x)
        return held.items[-1] * x

    assert zyg.gradient(f, 2.0) == (12.0,)
    assert held.items == [4.0]


@functools.lru_cache
def squared(x):
    CACHE[x] = x
    return x * x


def test_a_cached_function_that_changes_a_global():
    cleared()
    assert zyg.gradient(lambda x: squared(x) * squared(x), 2.0) == (32.0,)
    assert CACHE == {2.0: 2.0}


def test_code_that_is_made_again_because_a_rule_was_added():
    def running(x):
        global number
        number = 1.0

        def multiply(y):
            global number
            number = number * y

        multiply(x)
        multiply(x * 1.5)
        return number

    cleared()
    assert zyg.gradient(running, 1.5) == (4.5,)
    zyg.adjoint(lambda x: x)(lambda x: (x, lambda x_bar: x_bar))
    assert zyg.gradient(running, 1.5) == (4.5,)  # it gave 0
