"""An element of what an object holds that is changed in place, and then put into an object under
its own name: the name shows the change."""

import numpy as np
import pytest

from tests.random_checks import outcomes

X = 1.3


class Holder:
    def __init__(self, items):
        self.items = items
        self.last = None


def state(x):
    return np.array([x, x * x])


def row_that_is_appended(x):
    holder = Holder([state(x)])
    row = holder.items[0]
    row += x
    holder.items.append(row)
    return np.sum(row**2)


def part_of_a_tuple_that_is_appended(x):
    holder = Holder([(x, state(x))])
    t, row = holder.items[0]
    row[0] *= t
    holder.items.append((t, row))
    return np.sum(row**2) * t


def row_that_is_stored(x):
    holder = Holder([state(x)])
    row = holder.items[0]
    row += x
    holder.last = row
    return np.sum(row**2)


def list_that_is_stored_in_a_tuple(x):
    holder = Holder((1, [x, x * x]))
    row = holder.items[1]
    row[0] = row[0] * x
    holder.last = (2, row)
    return row[0] * row[1]


def row_that_is_put_and_changed_in_turns(x):
    holder = Holder([state(x)])
    row, total = holder.items[0], 0.0
    for i in range(3):
        row += x * i
        holder.items.append(row)
        total += np.sum(row**2)
    return total


PROGRAMS = [
    row_that_is_appended, part_of_a_tuple_that_is_appended, row_that_is_stored,
    list_that_is_stored_in_a_tuple, row_that_is_put_and_changed_in_turns,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    assert list(outcomes(f)) == [True] * 3
