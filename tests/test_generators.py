"""Generators where the corpus doesn't look: errors, refusals, second calls of `back`."""

import contextlib
import itertools
import traceback
from collections import Counter

import numpy as np
import pytest

import ir
import zyg
from ir.generators import Generator
from tests.differences import check_gradient
from tests.round_trip import rebuilt


def powers(x, n):
    for i in range(n):
        yield x**i


def guarded(log, x):
    try:
        log.append("begin")
        yield x
        yield 2.0 * x
    except ValueError as error:
        log.append(str(error))
        yield -x
    else:
        log.append("else")
    finally:
        log.append("end")


def driven(f):
    """What a generator does that is closed, thrown at, and read to its end."""
    log = []
    results = [list(f(log, 1.0))]
    generator = f(log, 2.0)
    results += [next(generator), generator.throw(ValueError("thrown")), list(generator)]
    generator = f(log, 3.0)
    next(generator)
    generator.close()
    results.append(list(generator))
    generator = f(log, 4.0)
    next(generator)
    with contextlib.suppress(KeyError):
        generator.throw(KeyError("missing"))
    results.append(next(generator, None))
    return log, results


def test_rebuilt_generators_are_closed_and_thrown_at():
    assert driven(rebuilt(guarded)) == driven(guarded)


def test_rebuilt_generators_give_their_value():
    def counting(n):
        yield from range(n)
        return "done"

    generator = rebuilt(counting)(1)
    assert isinstance(generator, Generator)
    assert next(generator) == 0
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    assert stopped.value.value == "done"
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    assert stopped.value.value is None


def failing(x):
    yield x
    yield math_domain(x)


def math_domain(x):
    raise ArithmeticError("no such number")


def sum_of_failing(x):
    return sum(failing(x))


def test_tracebacks_show_the_lines_of_the_generator():
    with pytest.raises(ArithmeticError) as caught:
        zyg.gradient(sum_of_failing, 2.0)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "yield math_domain(x)" in lines
    assert lines[-1] == 'raise ArithmeticError("no such number")'


def squares_of(x):
    total = 0.0
    for power in powers(x, 4):
        total += power * power
    return total


def test_back_gives_the_same_twice():
    value, back = zyg.pullback(squares_of, 2.0)
    assert value == 85.0
    assert back(1.0) == back(1.0) == (228.0,)


def test_a_failed_generator_has_ended():
    def once(x):
        yield x
        raise KeyError(x)

    def f(x):
        items = once(x)
        total = next(items)
        with contextlib.suppress(KeyError):
            print(len(str(total)))
        return total + sum(next_or_zero(items) for _ in range(1))

    def next_or_zero(items):
        return next(items, 0.0)

    with pytest.raises(KeyError):
        zyg.gradient(f, 2.0)


@zyg.nograd
def total_of(items):
    return sum(items)


def test_stop_iteration_inside_of_a_generator_is_never_taken_for_its_end():
    def items(x):
        yield x
        yield next(iter(()))

    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        zyg.gradient(lambda x: sum(items(x)), 2.0)


def test_a_reader_without_derivative_reads_them_all():
    def f(x):
        return total_of(powers(x, 3)) * x

    assert zyg.gradient(f, 2.0) == (total_of(powers(2.0, 3)),)


def test_plain_readers_are_refused():
    def f(x):
        return len(Counter(powers(x, 3))) * x

    with pytest.raises(zyg.NotDifferentiable, match="read by what isn't differentiated"):
        zyg.gradient(f, 2.0)


class Multiples:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i == 3:
            raise StopIteration
        self.i += 1
        return self.x * self.i


@pytest.mark.parametrize(
    "read",
    [
        lambda items: itertools.combinations(items, 2),
        lambda items: itertools.product(items, items),
        lambda items: itertools.tee(items)[0],
        lambda items: itertools.islice(itertools.cycle(items), 5),
        lambda items: [key for key, _ in itertools.groupby(items)],
        np.array,
    ],
)
@pytest.mark.parametrize("make", [Multiples, lambda x: powers(x, 3)])
def test_other_readers_are_never_wrong(read, make):
    def f(x):
        total = x
        for item in read(make(x)):
            total += item[0] if isinstance(item, tuple) else item
        return total

    with pytest.raises((zyg.ZygError, TypeError)):
        zyg.gradient(f, 2.0)


@pytest.mark.parametrize("others", [[1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
def test_zip_that_asks_for_equal_lengths(others):
    def f(x):
        return sum([a * b for a, b in zip(powers(x, 3), others, strict=True)])

    def g(x):
        return sum([a * b * c for a, b, c in zip(others, powers(x, 3), others, strict=True)])

    for function in (f, g):
        if len(others) == 3:
            check_gradient(function, (2.0,), zyg.pullback)
            continue
        with pytest.raises(ValueError, match="argument") as plain:
            function(2.0)
        with pytest.raises(ValueError, match="argument") as found:
            zyg.gradient(function, 2.0)
        assert str(found.value) == str(plain.value)


def test_yield_in_finally_is_refused_with_its_line():
    def gives_last(x):
        try:
            yield x
        finally:
            yield x

    with pytest.raises(ir.Unsupported, match="`yield` in `finally`"):
        ir.parse(gives_last)


def test_generators_that_have_to_be_closed(capsys):
    def items(x):
        try:
            yield x
            yield x * x
        finally:
            print("closed")

    def left_open(x):
        generator = items(x)
        return next(generator)

    def closed(x):
        generator = items(x)
        first = next(generator)
        generator.close()
        return first

    with pytest.raises(zyg.NotDifferentiable, match="nobody closes it"):
        zyg.gradient(left_open, 2.0)
    capsys.readouterr()
    assert zyg.gradient(closed, 2.0) == (1.0,)
    assert capsys.readouterr().out == "closed\n"


class Held:
    def __init__(self, values):
        if len(values) > 1:
            self.values = values


def changed_after_it_was_put_into_an_object(x):
    values = [x, 3.0]
    held = Held(values)
    values[0] = x * x
    return x + held.values[0]


class Growing:
    def __init__(self, values):
        self.values = values

    def grow(self, x):
        self.values.append(x)


def read_by_the_name_that_it_had_before(x):
    values = []
    Growing(values).grow(x)
    return values[0] * x


def put_into_an_object_and_returned(x):
    def made(held):
        values = [x, 1.0]
        if len(values) > 1:
            held.values = values
        return values

    held = Held([])
    made(held)[0] = x * x
    return held.values[0] * x


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (changed_after_it_was_put_into_an_object, 5.0),
        (read_by_the_name_that_it_had_before, 4.0),
        (put_into_an_object_and_returned, 12.0),
    ],
)
def test_memory_that_calls_put_into_objects(f, slope):
    assert zyg.gradient(f, 2.0) == (slope,)


def test_memory_that_an_object_holds_from_a_later_iteration_on():
    def f(x):
        values = [x, 3.0]
        held = []
        total = 0.0
        for i in range(3):
            values[0] = values[0] * x
            if i == 0:
                held.append(Held(values))
            total += held[0].values[0] * values[0]
        return total

    h = 1e-6
    slope = (f(1.3 + h) - f(1.3 - h)) / (2 * h)
    assert zyg.gradient(f, 1.3)[0] == pytest.approx(slope, rel=1e-8)
    assert zyg.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-8)


def test_arrays_are_given_away_as_they_are():
    def rows(table):
        for i in range(len(table)):
            yield table[i]

    def f(table):
        table = table * 1.0
        for row in rows(table):
            row[0] = row[0] * row[1]
        return np.sum(table)

    (slope,) = zyg.gradient(f, np.array([[2.0, 3.0], [5.0, 7.0]]))
    assert slope.tolist() == [[3.0, 3.0], [7.0, 6.0]]


class Counted:
    def __init__(self):
        self.numbers = []


def counted_rows(table, factor):
    counted, total = Counted(), 0.0
    for i, row in enumerate(row * factor for row in table):
        counted.numbers.append(i)
        total = total + row[0] * row[-1]
    return total * len(counted.numbers)


def test_arrays_that_an_iterator_gives_in_pairs():
    """Behind the last pair there is none, of which parts would have cotangents."""
    table = np.arange(1.0, 7.0).reshape(3, 2)
    check_gradient(counted_rows, (table, 0.5), zyg.pullback)
    check_gradient(counted_rows, ([table[0], table[1]], 0.5), zyg.pullback)


def test_neighbours_of_arrays_that_a_generator_gives():
    def f(x):
        arrays = (np.array([x, k * x * x]) for k in range(1, 4))
        return np.sum([a * b for a, b in itertools.pairwise(arrays)][1])

    check_gradient(f, (1.3,), zyg.pullback)
