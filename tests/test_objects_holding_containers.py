"""Memory that objects hold, at any depth: random programs, costs, and what is refused."""

import copy
from collections import defaultdict

import numpy as np
import pytest

import zyg
from tests.random_holders import arguments, places, random_function

STEP = 1e-6


def numbers_of(gradient, is_array, is_shared):
    """The gradient at each place of the holders, and of the numbers."""
    p_bar, q_bar, x_bar, y_bar = gradient
    found = {}
    for number, i, j in places(*arguments(is_array, is_shared)[:2]):
        rows = ((p_bar, q_bar)[number] or {}).get("rows")
        found[number, i, j] = 0.0 if rows is None or rows[i] is None else rows[i][j] or 0.0
    return {**found, "x": x_bar, "y": y_bar}


def differences(f, is_array, is_shared):
    def changed(place, step):
        args = list(arguments(is_array, is_shared))
        if place in ("x", "y"):
            args["pqxy".index(place)] += step
        else:
            number, i, j = place
            args[number].rows[i][j] += step
        return f(*args)

    all_places = [*places(*arguments(is_array, is_shared)[:2]), "x", "y"]
    return {
        place: (changed(place, STEP) - changed(place, -STEP)) / (2 * STEP)
        for place in all_places
    }


def held(holder):
    return [list(map(float, row)) for row in holder.rows], list(map(float, holder.log))


def check_random(seed, is_array, is_shared):
    """Right gradients and effects, or a clear refusal."""
    f = random_function(seed, is_array)
    plain = arguments(is_array, is_shared)
    try:
        value = f(*plain)
    except (IndexError, ZeroDivisionError):
        return
    if abs(value) > 1e4:
        return
    args = arguments(is_array, is_shared)
    try:
        y, back = zyg.pullback(f, *args)
    except (zyg.NotDifferentiable, zyg.UnsupportedSyntax):
        return
    assert y == pytest.approx(value)
    assert list(map(held, args[:2])) == list(map(held, plain[:2]))
    expected = differences(f, is_array, is_shared)
    gradient = zyg.gradient(f, *arguments(is_array, is_shared))
    for found in (gradient, back(1.0), back(1.0)):
        assert numbers_of(found, is_array, is_shared) == pytest.approx(
            expected, rel=1e-4, abs=1e-4
        )


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed, is_array):
    check_random(seed, is_array, is_shared=seed % 2 == 1)


@pytest.mark.thorough
@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize("seed", range(4, 16))
def test_more_random_programs(seed, is_array, is_shared):
    check_random(seed, is_array, is_shared)


class Board:
    def __init__(self, rows):
        self.rows = rows


def by_the_rest_of_an_array(x):
    whole = np.ones(4) * x
    board = Board(whole[:2])
    whole[3] = x * x
    return board.rows[0] * whole[3]


def by_what_a_dict_has_made(x):
    board = Board(defaultdict(list))
    board.rows["a"].append(x)
    return board.rows["a"][0]


class Shared:
    rows = [[1.0]]


def in_a_class(x):
    Shared().rows[0][0] = x * x
    return Shared().rows[0][0] * x


def test_what_stands_in_a_class():
    assert zyg.gradient(in_a_class, 2.0) == (12.0,)


def test_memory_that_is_not_known_to_be_held_is_refused():
    with pytest.raises(zyg.NotDifferentiable, match="can't tell which other names"):
        zyg.gradient(by_the_rest_of_an_array, 2.0)


def test_what_a_dict_has_made_is_known():
    assert zyg.gradient(by_what_a_dict_has_made, 2.0) == (1.0,)


def hidden(board, x):
    for row in board.rows:
        row[0] *= x
    return board.rows[0][0]


def test_pullback_of_what_is_changed_later():
    """What the user does to containers behind the call doesn't change what `back` gives."""
    board = Board([[1.0, 2.0], [3.0, 4.0]])
    _, back = zyg.pullback(hidden, board, 2.0)
    del board.rows[0]
    board.rows[0].append(5.0)
    assert back(1.0) == ({"rows": [[2.0, 0.0], [0.0, 0.0]]}, 1.0)


def test_argument_that_an_object_holds_too():
    """Each of two names of one array gets the whole gradient."""
    def f(board, array, x):
        board.rows[0] = board.rows[1] * x
        return board.rows[0] * array[1]

    array = np.array([1.0, 3.0])
    board_bar, array_bar, x_bar = zyg.gradient(f, Board(array), array, 2.0)
    assert board_bar["rows"].tolist() == array_bar.tolist() == [0.0, 12.0]
    assert x_bar == 9.0


class History:
    def __init__(self):
        self.values = []
        self.named = {"loss": []}
        self.table = [[0.0] * 4 for _ in range(4)]


def appended(x, n):
    history = History()
    for _ in range(n):
        history.values.append(x * x)
        history.named["loss"].append(0.5 * history.values[-1])
        x = 0.9 * x
    return history.values[-1] + history.named["loss"][0]


def test_appending_copies_no_contents():
    """Neither what is appended to nor what is read of it is copied, pass by pass."""
    code = str(zyg.code_adjoint(appended, 1.0, 3))
    body = code.split("def appended_forward")[1].split("return")[0]
    assert "append_held" in body and "kept_contents" not in body
    assert zyg.gradient(appended, 1.0, 3)[0] == pytest.approx(2 * 0.81**2 + 1.0)


def test_second_call_of_what_changes_its_argument_is_not_compiled_again():
    def fill(row, value):
        row[0] = value

    def f(board, x):
        for row in board.rows:
            fill(row, x)
        return board.rows[0][0] * board.rows[1][0]

    zyg.gradient(f, Board([[1.0], [2.0]]), 3.0)
    misses = zyg.cache_info().misses
    assert zyg.gradient(f, Board([[1.0], [2.0], [4.0]]), 3.0)[1] == 6.0
    assert zyg.cache_info().misses == misses


def test_deep_copy_of_an_argument_stays_apart():
    def f(board, x):
        other = copy.deepcopy(board)
        other.rows[0][0] *= x
        board.rows[0][0] = 5.0
        return other.rows[0][0] * other.rows[0][1]

    found = zyg.gradient(f, Board([[1.0, 2.0]]), 3.0)
    assert found == ({"rows": [[6.0, 3.0]]}, 2.0)
