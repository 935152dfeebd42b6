"""Local containers of memory that objects hold, stored into objects behind a change of that."""

import numpy as np
import pytest

from tests.random_checks import is_followed, second_outcomes


class Holder:
    pass


def held(x):
    q = Holder()
    q.a = np.array([x, 1.0])
    return q


def whole(x):
    q = held(x)
    rows = [q.a, np.array([1.0, 2.0])]
    q.a[0] = x**3
    q.b = rows
    return np.concatenate(rows)[0] * sum(rows)[0]


def an_element(x):
    q = held(x)
    rows = [q.a, np.array([1.0, 2.0])]
    q.a[0] = x**3
    q.b = rows[-1]
    return np.concatenate(rows)[0] * sum(rows)[0]


def in_another_list(x):
    q = held(x)
    rows = [q.a, np.array([1.0, 2.0])]
    q.a[0] = x**3
    q.b = [rows]
    return np.concatenate(rows)[0] * sum(rows)[0]


def of_a_tuple(x):
    q = held(x)
    rows = (q.a, np.array([1.0, 2.0]))
    q.a[0] = x**3
    q.b = rows[1]
    return np.concatenate(rows)[0] * sum(rows)[0]


def of_a_dict(x):
    q = held(x)
    rows = {"a": q.a, "b": np.array([1.0, 2.0])}
    q.a[0] = x**3
    q.b, q.c = rows["b"], rows
    return np.concatenate(list(rows.values()))[0] * sum(rows.values())[0]


def captured(x):
    q = held(x)
    rows, names = [q.a, np.array([1.0, 2.0])], {"a": 1.0}

    def look():
        return names["a"]

    q.a[0] = x**3
    names["a"] = rows[-1]
    return np.concatenate(rows)[0] * look()[1]


def given_by_a_closure(x):
    q = held(x)
    rows = [q.a, np.array([1.0, 2.0])]

    def last():
        return rows[-1]

    q.a[0] = x**3
    other = np.array([2.0, x])
    q.b = last()
    rows[1] = other
    return np.concatenate(rows)[0] * sum(rows)[0]


def in_a_loop(x):
    q, p = held(x), held(0.5 * x)
    rows = [q.a, p.a]
    for i in range(3):
        q.a[0] = q.a[0] * x + i
        p.b = rows[i % 2]
        p.b[1] += np.sum(rows[0])
    return np.concatenate(rows)[0] * sum(rows)[1]


PROGRAMS = [
    whole, an_element, in_another_list, of_a_tuple, of_a_dict, captured, given_by_a_closure,
    in_a_loop,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_they_hold_is_read_as_it_is(program):
    assert is_followed(program)


@pytest.mark.thorough
@pytest.mark.one_version
def test_second_derivatives_are_right_or_refused():
    found = {program: list(second_outcomes(program)) for program in PROGRAMS}
    assert [program for program, ways in found.items() if False in ways] == []
    assert sum(ways.count(True) for ways in found.values()) == 21
