"""Replays: the program, or an error where it would go another way; dead nodes and pictures."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import ir
import zyg
from tests.tape_programs import arguments, check_equal, emitted, operations, program
from zyg import tape
from zyg.errors import NotDifferentiable
from zyg.tape import (
    Constant,
    Tape,
    TapeMismatch,
    append_adjoint,
    gradient,
    replay,
    to_function,
    trace,
)

# Replay


def test_replay_is_the_program():
    t = trace(program, *arguments())
    for seed in (1, 2):
        assert replay(t, *arguments(seed)) == pytest.approx(program(*arguments(seed)), rel=1e-14)
    append_adjoint(t)
    check_equal(replay(t, *arguments(3)), zyg.gradient(program, *arguments(3)))


@pytest.mark.parametrize("x", [0.5, -0.5])
def test_replay_sees_another_branch(x):
    t = trace(lambda x: x * x if x > 0 else -x, x)
    append_adjoint(t)
    assert replay(t, 2 * x) == (2.0 if x > 0 else -1.0,) or x > 0
    with pytest.raises(TapeMismatch, match="record it again"):
        replay(t, -x)


@pytest.mark.parametrize(
    ("f", "x", "same", "other"),
    [
        (lambda x: x[x > 0].sum(), [1.0, -1.0, 2.0], [3.0, -2.0, 1.0], [1.0, 1.0, 1.0]),
        (lambda x: x[np.argmax(x)] ** 2, [1.0, 3.0], [4.0, 2.0], None),
        (lambda x: [5.0, 7.0][np.argmax(x)] * x[0], [1.0, 3.0], [1.0, 2.0], [3.0, 1.0]),
        (lambda x: np.arange(2.0)[x > 1] @ x[x > 1], [1.5, 3.0], [2.0, 2.0], [3.0, 0.5]),
        (lambda x: np.maximum(x, 1.0).sum(), [0.5, 3.0], [4.0, 2.0], [1.0, 2.0]),
        (lambda x: x[0] if x[0] else x[1], [0.5, 3.0], [4.0, 2.0], [0.0, 2.0]),
        (lambda x: x[0] * int(x[1]), [0.5, 3.0], [4.0, 3.5], [0.0, 2.0]),
        (lambda x: max(x), [0.5, 3.0], [0.7, 2.0], [5.0, 2.0]),
        (lambda x: np.nonzero(x)[0].size * x[0], [0.0, 3.0], [0.0, 2.0], [5.0, 2.0]),
        (lambda x: np.where(x > 1, x, 2 * x).sum(), [0.5, 3.0], [5.0, 0.5], None),
        (lambda x: np.floor(x[0]) * x[1], [0.5, 3.0], [5.5, 0.5], None),
        (lambda x: (x[0] > x[1]) * x[1], [0.5, 3.0], [5.5, 0.5], None),
        (lambda x: np.sort(x)[0], [0.5, 3.0], [5.5, 0.5], None),
        (lambda x: sorted(x)[0] * 2, [0.5, 3.0], [0.1, 0.5], [2.0, 1.0]),
        (lambda x: np.abs(x).sum(), [0.5, -3.0], [-5.5, 0.5], None),
        (lambda x: float(np.argmax(x)) * x[0], [0.5, 3.0], [0.1, 0.5], [2.0, 1.0]),
        (lambda x: {1: 2.0, 0: 3.0}[np.argmax(x)] * x[0], [0.5, 3.0], [0.1, 0.5], [2.0, 1.0]),
    ],
)
def test_replay_never_takes_a_value_for_granted(f, x, same, other):
    """Other values flow, or raise where the program depends on them otherwise."""
    x, same = np.array(x), np.array(same)
    t = trace(f, x)
    assert replay(t, same) == pytest.approx(f(same))
    append_adjoint(t)
    np.testing.assert_allclose(replay(t, same)[0], zyg.gradient(f, same)[0])
    if other is not None:
        with pytest.raises(TapeMismatch):
            replay(t, np.array(other))


@pytest.mark.parametrize(
    ("f", "scale"),
    [
        (lambda x: np.sum(np.arctan2(x, 2.0) * np.hypot(x, 3.0)), 1e200),
        (lambda x: np.sum(np.arctan2(x, 2.0 * x)), 1e200),
        (lambda x: np.sum(np.power(x, [2.0, 3.0, 1.5])), 0.0),
        (lambda x: np.sum(np.power([0.5, 1.5, 2.0], x) + np.power(x, x)), 0.0),
    ],
)
def test_slopes_that_are_computed_in_another_way(f, scale):
    """Rules try what is fast, which may overflow: another input may need what is safe."""
    x = np.array([1.0, 2.0, 3.0])
    far = x * [scale, 1.0, 1.0]
    for point in (x, x, x, far, x, far):  # what the rules append is known soon
        t = trace(f, point)
        (bar,) = append_adjoint(t)
        (expected,) = zyg.gradient(f, point)
        np.testing.assert_allclose(bar.val, expected, rtol=1e-13)
        np.testing.assert_array_equal(replay(t, point)[0], bar.val)
    t = trace(f, x)
    append_adjoint(t)
    with pytest.raises(TapeMismatch, match="record it again"):
        replay(t, far)


def test_powers_that_become_complex():
    t = trace(lambda x, y: x**y, 2.0, 0.5)
    assert replay(t, 4.0, 0.5) == 2.0
    with pytest.raises(TapeMismatch, match="float when"):
        replay(t, -4.0, 0.5)


def test_replay_takes_the_same_shapes_only():
    t = trace(lambda x, n: np.sum(x) * n, np.ones(3), 2)
    assert replay(t, np.array([1.0, 2.0, 3.0]), 3) == 18.0
    for wrong in (
        *((np.ones(4), 2), (np.ones(3), 2.5), (np.ones(3),), (np.ones(3) * 1j, 2)),
        *(([1.0, 1.0, 1.0], 2), (np.ones(3), True), (np.ones(3, int), 2), (np.ones(3), None)),
    ):
        with pytest.raises(TapeMismatch):
            replay(t, *wrong)
    with pytest.raises(TapeMismatch):
        replay(t, np.ones(3), "2")
    t = trace(lambda x: x * x, 2.0)
    assert replay(t, np.float64(3.0)) == 9.0
    with pytest.raises(TapeMismatch, match="a int was given"):
        replay(t, 3)


def test_replay_sees_that_a_call_no_longer_fails():
    def f(x, a):
        try:
            y = 1.0 / x
        except ZeroDivisionError:
            y = 7.0
        try:
            b = np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            b = a * 2.0
        return np.sum(b) * y

    good, bad = np.eye(2), -np.eye(2)
    t = trace(f, 0.0, bad)
    assert replay(t, 0.0, bad * 3.0) == f(0.0, bad * 3.0)
    for args in ((1.0, bad), (0.0, good)):
        with pytest.raises(TapeMismatch):
            replay(t, *args)
    t = trace(f, 2.0, good)
    with pytest.raises(ZeroDivisionError):
        replay(t, 0.0, good)


def test_a_refusal_is_not_lost_in_a_handler():
    def f(x):
        try:
            return math.sin(x)
        except TypeError:
            return x * 100.0

    for refusing in (lambda: trace(f, 1.0), lambda: gradient(f, 1.0)):
        with pytest.raises(NotDifferentiable, match="float"):
            refusing()
    with pytest.raises(NotDifferentiable):
        gradient(lambda x: gradient(f, x)[0], 1.0)


def test_classes_are_those_of_plain_values():
    def f(x, a):
        assert isinstance(x, float) and isinstance(a, np.ndarray) and not isinstance(x, int)
        return x * np.sum(a)

    assert gradient(f, 2.0, np.ones(2))[0] == 2.0
    assert isinstance(Tape().input(2), int)


@pytest.mark.parametrize(
    "argument", [{1.5}, iter([1.0]), [iter([1.0])], np.array([1.0, None], object), "f".join]
)
def test_arguments_that_hide_numbers(argument):
    if callable(argument):
        assert gradient(lambda x, f: x * 2.0, 1.0, argument) == (2.0, None)
        return
    with pytest.raises(NotDifferentiable):
        gradient(lambda x, y: x * 2.0, 1.0, argument)


def test_objects_of_all_kinds():
    class Slotted:
        __slots__ = ("__hidden", "a")

        def __init__(self, a):
            self.a, self.__hidden = a, 2.0 * a

        def total(self):
            return self.a * self.__hidden

    class Called:
        def __init__(self, w):
            self.w = w
            self.me = self

        def __call__(self, x):
            return self.me.w * x

    class Numbers(list):
        pass

    def f(slotted, called, numbers, shared):
        return slotted.total() + called(shared.w) * sum(numbers)

    called = Called(3.0)
    args = Slotted(1.5), called, Numbers([1.0, 2.0]), called
    first, second, third, fourth = gradient(f, *args)
    assert first == {"_Slotted__hidden": 1.5, "a": 3.0} and third == [9.0, 9.0]
    assert second["w"] == fourth["w"] == 18.0
    t = trace(f, *args)
    assert replay(t, *args) == f(*args)
    assert (called.w, args[2]) == (3.0, [1.0, 2.0])


def test_what_was_recorded_is_not_changed_from_outside():
    x, constant = np.ones(2), np.array([1.0, 2.0])
    t = trace(lambda x: np.sum(x * constant), x)
    x[0], constant[0] = 5.0, 7.0
    assert replay(t, np.ones(2)) == 3.0
    assert append_adjoint(t)[0].val.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        t.nodes[0].value[0] = 1.0


def test_a_constant_that_changes_between_two_reads():
    def f(x):
        buffer = np.array([1.0, 2.0])
        y = np.sum(x * buffer)
        buffer[0] = 10.0
        return y + np.sum(x * buffer) + np.sum(x * buffer)

    t = trace(f, np.ones(2))
    assert append_adjoint(t)[0].val.tolist() == [21.0, 6.0]
    assert sum(isinstance(node, Constant) for node in t.nodes[:8]) == 2


def test_results_are_not_shared():
    x = np.ones(2)
    y = replay(trace(lambda x: x, np.ones(2)), x)
    assert y is not x and not np.shares_memory(y, x)
    a, b = gradient(lambda a, b: np.sum(a + b), x, x)
    a[0] = 5.0
    assert b[0] == 1.0
    t = trace(lambda a, b: np.sum(a + b), x, x)
    append_adjoint(t)
    a, b = replay(t, x, x)
    a[0] = 5.0
    assert b[0] == 1.0 and replay(t, x, x)[0][0] == 1.0


def test_emitted_code_is_straight_line_python():
    t = trace(lambda x, y: np.sin(x) * y + x**2, 0.5, 2.0)
    append_adjoint(t)
    function = to_function(t, "slope")
    ir.verify(function)
    namespace = {"np": np}
    exec(ir.emit(function), namespace)
    assert namespace["slope"](0.3, 4.0) == pytest.approx(replay(t, 0.3, 4.0))
    assert emitted(t) == """\
def program(x, y):
    t2 = np.sin(x)
    return float(2 * x + y * np.cos(x)), float(t2)
"""


def test_names_of_inputs_are_those_of_parameters():
    def f(first, pair, *rest):
        return first * pair[0] + pair[1] * rest[0]

    t = trace(f, 1.0, (2.0, 3.0), 4.0)
    assert emitted(t).startswith("def program(first, pair_0, pair_1, x3):")


@pytest.mark.parametrize("count", [600, 2600])
def test_long_programs_are_interpreted(count):
    def f(x):
        for _ in range(count):
            x = x * 1.001 if x > 0 else x + 1.0
        return x

    t = trace(f, 1.0)
    assert replay(t, 2.0) == f(2.0)
    append_adjoint(t)
    assert replay(t, 2.0)[0] == pytest.approx(1.001**count)
    with pytest.raises(TapeMismatch):
        replay(t, -1.0)


def test_a_long_chain_neither_recurses_nor_is_quadratic():
    def chain(x):
        for _ in range(20_000):
            x = -x
        return x

    assert gradient(chain, 2.0) == (1.0,)
    t = trace(chain, 2.0)
    assert append_adjoint(t)[0].val == 1.0


# Dead nodes and pictures


def test_a_tape_can_be_pickled():
    t = tape.trace(lambda x: np.sin(x) * 2.0, 1.0)
    tape.append_adjoint(t)
    assert tape.replay(t, 0.5) == (2.0 * np.cos(0.5),)
    again = pickle.loads(pickle.dumps(t))
    assert tape.replay(again, 0.5) == (2.0 * np.cos(0.5),)
    (slope,) = tape.append_adjoint(again)
    assert slope.val == -2.0 * np.sin(1.0)
    x = pickle.loads(pickle.dumps(slope))
    assert (type(x), x.idx, (x + 1.0).val) == (type(slope), slope.idx, slope.val + 1.0)


def test_dead_nodes_go():
    def f(x):
        np.exp(x)
        return x * x

    t = trace(f, 3.0)
    append_adjoint(t)
    pruned = tape.without_dead_nodes(t)
    assert operations(t) == ["exp", "multiply", "add"]
    assert operations(pruned) == ["add"]
    assert replay(pruned, 5.0) == replay(t, 5.0) == (10.0,)
    (g,) = append_adjoint(pruned)
    assert g.val == 2.0


def test_conditions_stay_alive():
    t = trace(lambda x: 2.0 * x if x > 0 else x, 3.0)
    pruned = tape.without_dead_nodes(t)
    assert operations(pruned) == ["greater", "multiply"]
    with pytest.raises(TapeMismatch):
        replay(pruned, -1.0)


def test_a_tape_prints():
    t = trace(lambda x: np.sum(np.where(x > 0, x, 0.0), axis=0), np.ones(2))
    append_adjoint(t)
    assert str(t) == """\
Node #0 { input=float64[2] }
Node #2 { op=greater input=[#0, Const(0)] }
Node #4 { op=where input=[#2, #0, Const(0.0)] }
Node #5 { op=sum input=[#4] axis=0 }
// adjoint program 1
Node #7 { op=where input=[#2, Const(float64[2]), Const(0)] }
output=[#7]"""
    assert str(trace(lambda x: (x, 5.0), 3.0)).endswith("output=[#0, Const(5.0)]")


def test_graphs():
    t = trace(lambda x, y: np.sin(x) * y + 1, 0.5, 2.0)
    dot, mermaid = tape.to_graphviz(t), tape.to_mermaid(t)
    assert 'n2 [label="#2 sin"]' in dot and "n0 -> n2" in dot and "n2 -> n3" in dot
    assert 'n0["#0 input"]' in mermaid and "n3 --> n5" in mermaid and "#5 add Const(1)" in mermaid
