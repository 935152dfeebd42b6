"""Items of a list that a loop walks over stand in its records, where it has some anyway."""

import numpy as np

import zyg
from tests.differences import check_gradient


def waves(xs, w):
    total = 0.0
    for x in xs:
        y = np.sin(x) * w
        total += np.sum(y * y) * np.sum(x)
    return total


def example():
    return [np.arange(1.0, 4.0), np.arange(2.0, 5.0)]


def test_the_reversal_walks_over_records_alone():
    assert "zip" not in str(zyg.code_adjoint(waves, example(), 2.0))
    check_gradient(waves, (example(), 2.0), zyg.pullback)


def test_what_the_caller_changes_between_the_passes_does_not_matter():
    xs = example()
    _, back = zyg.pullback(waves, xs, 2.0)
    before = back(1.0)
    xs[0][:] = 100.0
    xs[1] = None
    after = back(1.0)
    assert after[1] == before[1]
    assert all(map(np.array_equal, after[0], before[0]))


def test_items_that_the_loop_changes_are_those_of_the_forward_pass():
    def scaled(rows, w):
        total = 0.0
        for row in rows:
            y = w * row[0]
            total += y * y * row[1]
            row[0] = y
        return total + rows[0][0]

    check_gradient(scaled, ([[1.0, 2.0], [3.0, 4.0]], 2.0), zyg.pullback)


def test_a_loop_that_ends_early_has_records_of_what_it_came_to():
    def until(xs, limit):
        total = 0.0
        for x in xs:
            y = x * x
            if y > limit:
                break
            total += y * x
        return total

    check_gradient(until, ([0.5, 1.5, 3.0, 2.0], 4.0), zyg.pullback)
