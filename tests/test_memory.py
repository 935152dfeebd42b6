"""What a pullback keeps, as `zyg.memory` lists it, and what the joint form lets go on its way."""

import math
import pickle
import tracemalloc

import numpy as np
import pytest

import zyg


def helper(u, k):
    for _ in range(3):
        u = np.sin(u) * k
    return u


def program(u, kappa, functions):
    for t in range(20):
        v = np.exp(-u)
        u = u + kappa * v * u
        if t % 2:
            u = np.tanh(u)
    w = helper(u, kappa)
    for function in functions:
        w = function(w)
    for _ in zyg.checkpoints(range(9), slots=3):
        w = w * kappa + np.cos(w)
    return np.sum(zyg.checkpointed(helper, w, 2.0)) + np.sum(w[1:] * w[:-1])


def rows(table, text):
    """The rows whose line holds a text, by name: how many values and bytes."""
    return {row.name: (row.count, row.bytes) for row in table if text in row.code}


def test_each_line_says_what_is_kept_of_it():
    u = np.linspace(0.0, 1.0, 100)
    _, back = zyg.pullback(program, u, 0.1, [np.sin, np.cos])
    table = zyg.memory(back)
    assert rows(table, "v = np.exp(-u)") == {"v": (20, 20 * u.nbytes)}
    assert rows(table, "u = np.tanh(u)")["u"] == (10, 10 * u.nbytes)
    assert rows(table, "u = np.sin(u) * k")["(temporary)"] == (3, 3 * u.nbytes)
    # Three states, and the one before the last iteration, from which the argument of the
    # checkpointed call is computed again.
    assert rows(table, "zyg.checkpoints")["w"] == (4, 4 * u.nbytes)
    assert table.bytes == sum(row.bytes for row in table)
    assert f"{table.bytes} bytes" in repr(back)
    assert all(row.file == __file__ for row in table if row.line)


def test_the_table_prints_well():
    _, back = zyg.pullback(helper, np.ones(4), 2.0)
    lines = repr(zyg.memory(back)).splitlines()
    assert lines[0].endswith("helper(float64[N1], float): 200 bytes")
    assert lines[1].split() == ["bytes", "what", "value", "line"]
    assert any("3 x float64[4]" in line and "u = np.sin(u) * k" in line for line in lines)


def test_shared_memory_counts_once():
    def f(x):
        y = np.exp(x)
        for _ in range(5):
            x = x * y
        return np.sum(x) + np.sum(y[1:] * y[1:])

    x = np.ones(50)
    _, back = zyg.pullback(f, x)
    arrays = {}
    for row in zyg.memory(back):
        arrays.setdefault(row.what, 0)
        arrays[row.what] += row.bytes
    assert arrays["float64[50]"] <= 6 * x.nbytes


class Decay:
    def __init__(self, level):
        self.level = level
        self.history = []

    def step(self, rate):
        self.level = self.level - rate * self.level
        self.history.append(self.level)


def test_of_programs_on_objects():
    def decay(rate):
        model = Decay(1.0)
        for _ in range(5):
            model.step(rate)
        return sum(model.history)

    _, back = zyg.pullback(decay, 0.1)
    rows = {(row.code, row.what): row.count for row in zyg.memory(back)}
    assert rows["self.level = self.level - rate * self.level", "float"] == 5
    assert rows["self.history.append(self.level)", "Change"] == 5


def test_of_a_pickled_pullback_the_lines_are_not_known():
    _, back = zyg.pullback(helper, np.ones(4), 2.0)
    table = zyg.memory(pickle.loads(pickle.dumps(back)))
    assert table.bytes == zyg.memory(back).bytes
    assert {row.line for row in table} == {0}


def test_only_pullbacks_have_such_a_table():
    with pytest.raises(TypeError, match=r"what zyg\.pullback returns"):
        zyg.memory(math.sin)


def test_a_joint_form_lets_records_go_on_its_way():
    def f(u, ws):
        for w in ws:
            u = np.sin(u * w)
        return np.sum(u)

    u, ws = np.ones(20_000), [np.ones(20_000) for _ in range(40)]
    zyg.gradient(f, u, ws)
    tracemalloc.start()
    try:
        zyg.gradient(f, u, ws)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Two arrays of each iteration are recorded. The gradient of `ws` takes their place.
    assert peak < 90 * u.nbytes
    assert "records.pop()" in str(zyg.code_gradient(f, u, ws))
    assert "records.pop()" not in str(zyg.code_adjoint(f, u, ws))


def test_second_derivatives_of_loops_with_such_records():
    def f(u):
        for _ in range(4):
            u = np.sin(u * u)
        return np.sum(u)

    zyg.check_grads(f, np.linspace(0.3, 0.9, 3), order=2)
