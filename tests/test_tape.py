"""The tape: the example of its design document, wrappers, the package, rules traced once."""

from __future__ import annotations

import gc
import math
import operator
import subprocess
import sys
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from tests.tape_programs import arguments, before_sigmoid, check_equal, operations, program
from zyg import tape, tracker
from zyg.errors import NotDifferentiable
from zyg.tape import (
    ArrayWrapper,
    Constant,
    Input,
    Operation,
    RealWrapper,
    Tape,
    TapeMismatch,
    append_adjoint,
    gradient,
    locally_trace,
    replay,
    trace,
)


def test_the_nodes_of_the_document():
    t, x, delta = before_sigmoid()
    y = tape.sigmoid(x)
    assert (x.idx, y.idx) == (16, 42)
    assert str(t.nodes[42]) == "Node #42 { op=sigmoid input=[#16] }"
    new = locally_trace(lambda x: tape.sigmoid(x) * (1 - tape.sigmoid(x)), delta, [x])
    one, first, second, third = range(43, 47)
    assert t.nodes[one] == Constant(t, one)
    assert list(map(str, new)) == [
        f"Node #{first} {{ op=subtract input=[Const(1), #42] }}",
        f"Node #{second} {{ op=multiply input=[#42, #{first}] }}",
        f"Node #{third} {{ op=multiply input=[#{delta.idx}, #{second}] }}",
    ]
    s = 1 / (1 + math.exp(-x.val))
    assert [node.value for node in new] == pytest.approx([1 - s, s * (1 - s), 2 * s * (1 - s)])


def test_local_tracing_takes_nodes_and_finds_what_was_traced_before():
    t, x, delta = before_sigmoid()
    y = tape.sigmoid(x)
    new = locally_trace(lambda s: s * (1 - s), t.nodes[delta.idx], [t.nodes[y.idx]])
    assert [node.op for node in new] == ["subtract", "multiply", "multiply"]
    assert new[1].parents == (42, new[0].idx)
    assert locally_trace(lambda s: s * (1 - s), delta, [y]) == []


def test_the_adjoint_of_sigmoid_reuses_its_node():
    t = trace(tape.sigmoid, 0.25)
    (g,) = append_adjoint(t)
    assert operations(t) == ["sigmoid", "subtract", "multiply"]
    assert t.nodes[g.idx].parents == (1, 3)
    s = 1 / (1 + math.exp(-0.25))
    assert g.val == pytest.approx(s * (1 - s))


def test_local_tracing_unrolls_control_flow():
    t = Tape()
    a, b = t.input(3.0), t.input(2.0)
    new = locally_trace(lambda a, b: a if a > b else b * b, 1.0, [a, b])
    assert [node.op for node in new] == ["greater", "multiply"]
    assert len(t.assumptions) == 1


def test_a_node_stores_one_value_and_indices_of_its_parents():
    t = trace(lambda x, n: x * 2.0 + n, 3.0, 4)
    kinds = [type(node) for node in t.nodes]
    assert kinds == [Input, Input, Constant, Operation, Operation]
    assert [node.idx for node in t.nodes] == [0, 1, 2, 3, 4]
    assert [node.value for node in t.nodes] == [3.0, 4, 2.0, 6.0, 10.0]
    assert [node.parents for node in t.nodes] == [(), (), (), (0, 2), (3, 1)]
    assert [node.op for node in t.nodes] == [None, None, None, "multiply", "add"]
    assert (t.inputs, t.outputs) == ([0, 1], [4])
    assert t.nodes[3].op(5, 6) == 30 and t.nodes[3].op.__name__ == "multiply"


def test_nodes_do_not_change():
    t = trace(lambda x: x * x, 3.0)
    node = t.nodes[1]
    with pytest.raises(AttributeError, match="record it again"):
        node.idx = 2
    with pytest.raises(AttributeError):
        node.value = 2.0
    with pytest.raises(TypeError):
        t.nodes[1] = node


def test_operations_are_named_as_ufuncs():
    def f(x, a):
        return (x + a - x * a) / a**2, -np.sin(a), a @ a, a[0], a.sum(), abs(x)

    names = operations(trace(f, 2.0, np.array([1.0, 2.0])))
    assert names == [
        *("add", "multiply", "subtract", "power", "divide", "sin", "negative", "matmul"),
        *("getitem", "sum", "absolute"),
    ]


# Wrappers


def test_wrappers_keep_their_type():
    t = Tape()
    assert repr(t.input(3)) == "RealWrapper{int}(3, #0)"
    assert type(t.input(np.float32(2)) * 2).__name__ == "RealWrapper"
    assert type((t.input(np.float32(2)) * 2).val) is np.float32
    assert type((t.input(2) * 3).val) is int
    assert (t.input(np.ones(2, np.float32)) * 2).val.dtype == np.float32
    assert repr(t.input(np.array([1.0, 2.0])))[:33] == "ArrayWrapper{float64,1}([1., 2.],"


def test_an_integer_still_indexes_and_counts():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total = total + x[i] * [10.0, 20.0, 30.0][i]
        return total + x[n] * n

    x = np.array([1.0, 2.0, 3.0])
    assert gradient(f, x, 2)[0].tolist() == [10.0, 20.0, 2.0]
    t = trace(f, x, 2)
    assert replay(t, 2 * x, 2) == 2 * f(x, 2)
    with pytest.raises(TapeMismatch, match="was 2 when it was recorded, and is 1"):
        replay(t, x, 1)


def test_shapes_are_plain():
    t = Tape()
    x = t.input(np.ones((2, 3)))
    assert (x.shape, x.ndim, x.size, len(x), np.shape(x)) == ((2, 3), 2, 6, 2, (2, 3))
    assert len(t) == 1


@pytest.mark.parametrize("operate", [operator.add, operator.mul, operator.matmul, np.multiply])
@pytest.mark.parametrize("value", [2.0, np.ones(2)])
def test_tape_and_tracker_do_not_mix(operate, value):
    x, y = Tape().input(value), tracker.param(value)
    for operands in ((x, y), (y, x)):
        with pytest.raises(TypeError):
            operate(*operands)


def test_two_tapes_do_not_mix():
    x, y = Tape().input(1.0), Tape().input(2.0)
    for mixed in (lambda: x * y, lambda: np.stack([x, y]), lambda: x > y):
        with pytest.raises(TypeError, match="two tapes"):
            mixed()
    with pytest.raises(TypeError, match="two tapes"):
        trace(lambda x: trace(lambda y: x * y, 2.0), 3.0)
    with pytest.raises(TypeError, match="no input of another"):
        trace(lambda x: trace(lambda y: y, x), 3.0)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: math.sin(x[0]),
        lambda x: float(x[0]) * x[1],
        lambda x: complex(x[0]),
        lambda x: np.asarray(x),
        lambda x: np.array([x[0], x[1]]),
        lambda x: np.full(3, x[0]),
        lambda x: np.zeros(2).__setitem__(0, x[0]),
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.sort(),
        lambda x: np.add(x, x, out=np.zeros(2)),
        lambda x: np.copyto(np.zeros(2), x),
        lambda x: np.add.at(np.zeros(2), [0, 1], x),
        lambda x: np.zeros(2).__iadd__(x),
        lambda x: {x[0]: 1},
        lambda x: np.histogram2d(x, x),
        lambda x: x.view(int),
        lambda x: "a" + x[0],
    ],
)
def test_nothing_leaves_a_tape_silently(use):
    with pytest.raises(TypeError):
        trace(use, np.array([1.0, 2.0]))


def test_in_place_operators_of_arrays_are_refused():
    def f(x):
        y = x
        y += 1.0
        return np.sum(y)

    with pytest.raises(NotDifferentiable, match="written in place"):
        gradient(f, np.ones(2))


@pytest.mark.parametrize("name", ["real", "imag", "shape"])
def test_attributes_of_arrays_are_not_stored(name):
    def f(x):
        setattr(x, name, 1.0)
        return np.sum(x)

    with pytest.raises(NotDifferentiable, match="written in place"):
        gradient(f, np.ones(2))


# The package


def test_a_tape_is_freed_with_its_last_wrapper():
    gc.disable()
    try:
        t = trace(program, *arguments())
        append_adjoint(t)
        gone = weakref.ref(t)
        del t
        assert gone() is None
    finally:
        gc.enable()


def test_zyg_does_not_import_the_tape():
    code = "import sys, zyg; assert not [m for m in sys.modules if m.startswith('zyg.tape')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_wrappers_are_what_they_say():
    t = Tape()
    x, a = t.input(1.5), t.input(np.ones(2))
    assert isinstance(x, RealWrapper) and isinstance(a, ArrayWrapper)
    assert (x.val, x.tape, x.idx) == (1.5, t, 0)
    assert f"{x:.3f}" == "1.500"


# Rules that were traced once


@pytest.mark.parametrize(
    ("f", "points"),
    [
        (lambda x, y: np.sum(np.maximum(x, y) * x), [[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]]),
        (lambda x, y: np.sum(np.abs(x) ** y), [[1.0, 2.0], [0.0, 2.0], [0.0, 1.0], [-1.0, 1.0]]),
        (lambda x, y: np.sum(np.hypot(x, y) * y), [[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]]),
        (lambda x, y: np.sum(np.clip(x, 1.0, y)) * y.sum(), [[2.0, 3.0], [0.5, 4.0], [3.0, 3.0]]),
        (lambda x, y: np.max(x) * np.prod(y), [[2.0, 3.0], [2.0, 2.0], [0.0, 0.0], [0.0, 1.0]]),
    ],
)
def test_rules_look_at_values_again(f, points):
    """What a rule appends for one pair of arrays is not appended where its conditions differ."""
    points = [np.array(point) for point in points]
    for _ in range(3):
        for x in points:
            for y in points:
                with np.errstate(all="ignore"):
                    t = trace(f, x, y)
                    found = [g.val for g in append_adjoint(t)]
                    expected = gradient(f, x, y)
                    check_equal(found, expected)
                    check_equal(replay(t, x, y), expected)


def test_constants_belong_to_what_was_traced():
    for exponent in (2, 3, 2, 3, 2, 3, 2.0, 0.5, 2.0, 0.5, 2.0, 0.5):
        t = trace(lambda x, p=exponent: np.sin(x) ** p, 0.5)
        expected = exponent * math.sin(0.5) ** (exponent - 1) * math.cos(0.5)
        assert append_adjoint(t)[0].val == pytest.approx(expected)
    for _ in range(4):
        for same in (True, False):
            t = trace(lambda x, s=same: np.sin(x) * np.sin(x if s else 2 * x), 0.5)
            (g,) = append_adjoint(t)
            expected = math.sin(1.0) if same else (
                math.cos(0.5) * math.sin(1.0) + 2 * math.sin(0.5) * math.cos(1.0)
            )
            assert g.val == pytest.approx(expected)


def test_no_call_writes_into_a_node():
    linalg = pytest.importorskip("scipy.linalg")
    a = np.asfortranarray([[4.0, 1.0], [1.0, 3.0]])

    def f(a):
        b = a * 1.0
        x = tape.record(linalg.inv, b, overwrite_a=True)
        y = tape.record(linalg.inv, b, True)
        return np.sum(x * y) + np.sum(np.nan_to_num(b, copy=False)) + np.sum(b**2)

    def plain(a):
        return np.sum(linalg.inv(a) ** 2) + np.sum(a) + np.sum(a**2)

    t = trace(f, a)
    assert t.nodes[t.outputs[0]].value == pytest.approx(plain(a))
    check_equal(gradient(f, a), zyg.gradient(plain, a))
    assert replay(t, a) == pytest.approx(plain(a))


def test_operators_of_named_tuples_are_their_own():
    class Dual(NamedTuple):
        value: float
        slope: float

        def __rmul__(self, x):
            return Dual(self.value * x, self.slope * x)

    assert gradient(lambda x: (x * Dual(2.0, 3.0)).slope * x, 5.0) == (30.0,)


METHODS_OF_UFUNCS = {
    "reduce": lambda x: np.logaddexp.reduce(x),
    "reduce_one_axis": lambda x: np.hypot.reduce(x, axis=1, keepdims=True),
    "reduce_in_order": lambda x: np.divide.reduce(x, axis=1) * np.subtract.reduce(x),
    "accumulate": lambda x: np.maximum.accumulate(x * x, axis=1),
    "reduceat": lambda x: np.add.reduceat(x * x, [0, 2, 1]) * np.multiply.reduceat(x, [0, 2, 1]),
    "outer": lambda x: np.multiply.outer(x[0], x[1]),
}


@pytest.mark.parametrize("f", METHODS_OF_UFUNCS.values(), ids=METHODS_OF_UFUNCS)
def test_methods_of_ufuncs(f):
    x = np.array([[1.0, 2.0, 3.0], [0.5, 1.5, 0.7], [2.0, 3.0, 4.0]])

    def squares(x):
        return np.sum(f(x) ** 2)

    np.testing.assert_allclose(tape.replay(tape.trace(squares, x), x + 0.1), squares(x + 0.1))
    np.testing.assert_allclose(
        tape.gradient(squares, x)[0], zyg.gradient(squares, x)[0], rtol=1e-12
    )
