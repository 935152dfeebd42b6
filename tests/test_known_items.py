"""Items whose type says what they are, if they are there: a read that fails does so in zyg, too."""

import enum
import math

import pytest

import zyg
from tests.scalar_checks import check_first

X = 1.3


class State(enum.Enum):
    IDLE = 1
    RUN = 2


def key_seen_before(x):
    seen, total = {}, 0.0
    for key in "abab":
        try:
            seen[key]
        except KeyError:
            seen[key] = None
            total += x
        else:
            total *= x
    return total


def function_by_name(x):
    for name in ["sin", "other"]:
        try:
            f = {"sin": math.sin}[name]
        except KeyError:
            f = math.cos
        x = f(x)
    return x


def place_in_a_tuple(x, i=3):
    try:
        (State.IDLE, State.IDLE)[i]
    except IndexError:
        return x * x
    return x


def place_in_a_list(x):
    total, items = 0.0, [None] * 3
    for i in range(5):
        try:
            items[i]
        except IndexError:
            total += x * x
    return total


def bound_and_not_used(x):
    seen, total = {}, x
    for key in "aba":
        try:
            value = seen[key]
            total += x * x
        except KeyError:
            seen[key] = None
            total *= 2.0
            value = 1
    return total if value is None else x


def machine(x):
    moves = {("idle", "go"): State.RUN}
    state = "idle"
    for event in ["go", "halt"]:
        try:
            found = moves[state, event]
        except KeyError:
            x = x + 1.0
        else:
            x = x * 2.0 if found is State.RUN else x
    return x * x


@pytest.mark.parametrize("f", [
    key_seen_before, function_by_name, place_in_a_tuple, place_in_a_list, bound_and_not_used,
    machine,
])
def test_errors_are_caught(f):
    check_first(f, X)


def missing_key(x):
    moves = {"go": State.RUN}
    for event in ["go", "tick"]:
        if moves[event] is State.RUN:
            x = x * 2
    return x


def missing_place(x):
    items, i = [None], 1
    for _ in range(2):
        if items[i] is None:
            x = x * 2
    return x


@pytest.mark.parametrize("f", [missing_key, missing_place])
def test_errors_come_out(f):
    with pytest.raises(LookupError) as plain:
        f(X)
    for call in zyg.gradient, lambda f, x: zyg.jvp(f, (x,), (1.0,)):
        with pytest.raises(plain.type):
            call(f, X)
