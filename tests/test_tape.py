"""The tape: the example of its design document, adjoint programs, replay, and what it refuses."""

from __future__ import annotations

import dataclasses
import gc
import math
import subprocess
import sys
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import ir
import zyg
from zyg import tape
from zyg.errors import NotDifferentiable
from zyg.tape import (
    ArrayWrapper,
    Constant,
    Input,
    Operation,
    RealWrapper,
    Tape,
    TapeMismatch,
    UndifferentiablePrimitive,
    append_adjoint,
    gradient,
    locally_trace,
    replay,
    to_function,
    trace,
)


def operations(t):
    return [str(node.op) for node in t.nodes if isinstance(node, Operation)]


def emitted(t):
    return ir.emit(to_function(t))


# The document


def before_sigmoid():
    """A tape on which `x` is #16 and `sigmoid(x)` is #42, as in the document."""
    t = Tape()
    x = t.input(0.25)
    while len(t) < 17:
        x = x + 0.5 if len(t) == 1 else -x
    for _ in range(25):
        delta = t.input(2.0)
    return t, x, delta


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
        lambda x: np.emath.sqrt(x),
        lambda x: np.histogram(x),
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


# Adjoint programs


def program(w, b, x):
    h = np.tanh(x @ w + b)
    return np.mean(h * h) + np.sum(w[0] * np.exp(-b))


def arguments(seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(3, 4)), random.normal(size=4), random.normal(size=(5, 3))


def check_equal(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b) and np.result_type(a) == np.result_type(b)
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_the_primal_is_left_untouched():
    t = trace(program, *arguments())
    before, shown = list(t.nodes), str(t).splitlines()[:-1]  # without the outputs
    values = list(t.values)
    gradients = append_adjoint(t)
    assert list(t.nodes)[: len(before)] == before
    assert str(t).splitlines()[: len(shown)] == shown
    assert all(a is b for a, b in zip(t.values, values, strict=False))
    assert all(max(node.parents, default=-1) < node.idx for node in t.nodes)
    check_equal([g.val for g in gradients], zyg.gradient(program, *arguments()))
    check_equal(gradient(program, *arguments()), zyg.gradient(program, *arguments()))


def test_any_order_by_appending_again():
    t = trace(lambda x: np.exp(2.0 * x) * x**3, 0.5)
    f = [lambda x: math.exp(2 * x) * x**3]
    x, h = 0.5, 1e-3
    for order in range(1, 5):
        (g,) = append_adjoint(t)
        exact = sum(
            math.comb(order, k) * 2 ** (order - k) * math.exp(2 * x)
            * (math.perm(3, k) * x ** (3 - k) if k <= 3 else 0)
            for k in range(order + 1)
        )  # fmt: skip
        assert g.val == pytest.approx(exact, rel=1e-12)
        assert t.outputs == [g.idx]
    assert len(t.adjoints) == 4
    assert f[0](x + h) > f[0](x)


def test_a_hessian_by_seeds():
    x = np.array([0.3, -0.7, 1.1])

    def f(x):
        return np.sum(np.sin(x) * x[::-1] ** 2)

    t = trace(f, x)
    (g,) = append_adjoint(t)
    assert replay(t, x)[0].tolist() == g.val.tolist()
    rows = []
    for row in np.eye(3):
        t = trace(f, x)
        append_adjoint(t)
        rows.append(append_adjoint(t, [row])[0].val)
    step = 1e-6
    for i in range(3):
        d = np.eye(3)[i] * step
        difference = (zyg.gradient(f, x + d)[0] - zyg.gradient(f, x - d)[0]) / (2 * step)
        np.testing.assert_allclose(rows[i], difference, rtol=1e-6, atol=1e-8)


def test_seeds_must_fit():
    t = trace(lambda x: (x * 2.0, np.sum(x)), np.ones(3))
    with pytest.raises(TypeError, match="2 outputs"):
        append_adjoint(t)
    with pytest.raises(ValueError, match="1 seeds for 2 outputs"):
        append_adjoint(t, [1.0])
    with pytest.raises(ValueError, match="a seed of shape"):
        append_adjoint(t, [1.0, 1.0])
    (g,) = append_adjoint(t, [[1.0, 2.0, 3.0], None])
    assert g.val.tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(TypeError, match=r"shape \(3,\)"):
        append_adjoint(t)
    with pytest.raises(TypeError, match="complex"):
        append_adjoint(trace(lambda x: x * 1j, 2.0))


def test_nested_gradients_stand_on_one_tape():
    def slope(x):
        (g,) = gradient(lambda y: y**3 * x, x)
        return g

    # d/dx (3 x² x) = 9 x²
    assert gradient(slope, 2.0) == (36.0,)
    t = trace(slope, 2.0)
    assert replay(t, 3.0) == 81.0
    third = gradient(lambda x: gradient(lambda x: gradient(np.exp, x)[0], x)[0], 1.0)
    assert third[0] == pytest.approx(math.e)


def test_an_inner_gradient_does_not_see_outer_uses():
    """The classic confusion of perturbations: d/dx (x * d/dy (x + y)) = 1."""
    assert gradient(lambda x: x * gradient(lambda y: x + y, 1.0 * x)[0], 1.0) == (1.0,)
    assert gradient(lambda x: x * gradient(lambda a, b: a * b, x, x)[0], 3.0) == (6.0,)


def test_arguments_may_be_containers_and_objects():
    class Pair(NamedTuple):
        a: float
        b: np.ndarray

    @dataclasses.dataclass(frozen=True)
    class Layer:
        w: np.ndarray
        name: str = "first"

    def f(pair, layer, options):
        scale = options["scale"] if options["flag"] else 1.0
        return pair.a * np.sum(pair.b * layer.w) * scale

    args = (Pair(2.0, np.ones(2)), Layer(np.array([1.0, 3.0])), {"scale": 0.5, "flag": True})
    pair, layer, options = gradient(f, *args)
    assert type(pair) is Pair and pair.a == 2.0 and pair.b.tolist() == [1.0, 3.0]
    assert layer["w"].tolist() == [1.0, 1.0] and options == {"scale": 8.0, "flag": None}
    t = trace(f, *args)
    assert replay(t, *args) == f(*args)
    with pytest.raises(TapeMismatch, match="flags"):
        replay(t, *args[:2], {"scale": 0.5, "flag": False})
    append_adjoint(t)
    assert replay(t, *args)[0].a == 2.0


def test_results_have_the_kind_of_the_arguments():
    def f(x, n, a, k):
        return x * n * np.sum(a * k)

    args = (2.0, 3, np.ones(2, np.float32), np.array([1, 2]))
    check_equal(gradient(f, *args), zyg.gradient(f, *args))
    t = trace(f, *args)
    check_equal([g.val for g in append_adjoint(t)], zyg.gradient(f, *args))
    assert gradient(lambda x, flag: x * x if flag else x, 3.0, True) == (6.0, None)
    assert gradient(lambda x, y: 2.0 * y, 3.0, 1.0) == (0.0, 2.0)
    assert gradient(lambda x: 5.0, 3.0) == (0.0,)


def test_several_results_of_one_call():
    a = np.array([[2.0, 0.3], [0.3, 1.0]])

    def f(a):
        values, vectors = np.linalg.eigh(a + a.T)
        return np.sum(values**2) + values[0] * vectors[0, 0] ** 2

    check_equal(gradient(f, a), zyg.gradient(f, a))
    t = trace(f, a)
    append_adjoint(t)
    check_equal(replay(t, a + 0.1), zyg.gradient(f, a + 0.1))


def test_items_of_one_array_cost_one_operation():
    def f(x):
        total = 0.0
        for i in range(len(x)):
            total = total + x[i] * x[len(x) - 1 - i] ** 2
        return total

    x = np.linspace(0.1, 1.0, 50)
    check_equal(gradient(f, x), zyg.gradient(f, x))
    t = trace(f, x)
    (g,) = append_adjoint(t)
    assert operations(t).count("scatter_items") == 1
    np.testing.assert_allclose(g.val, zyg.gradient(f, x)[0])
    append_adjoint(t, [np.ones(50)])
    expected = np.array([4 * x[-1 - i] + 2 * x[i] for i in range(50)])
    exact = t.nodes[t.outputs[0]].value
    step = 1e-6
    difference = (zyg.gradient(f, x + step)[0] - zyg.gradient(f, x - step)[0]) / (2 * step)
    np.testing.assert_allclose(exact, difference, rtol=1e-6)
    assert expected.shape == exact.shape


def test_an_error_in_a_rule_leaves_the_tape_sound():
    def fails(d, y, x):
        raise RuntimeError("in the vjp")

    broken = tape.primitive(lambda x: x * 2.0, fails)
    t = trace(lambda x: broken(x) + x * x, 3.0)
    outputs = list(t.outputs)
    with pytest.raises(RuntimeError, match="in the vjp"):
        append_adjoint(t)
    assert t.outputs == outputs and t.known is None and t.own is None
    assert replay(t, 4.0) == 24.0


# Primitives


def test_a_primitive_may_branch_and_so_may_its_vjp():
    def larger(x, y):
        return x if x > y else y

    maximum = tape.primitive(larger, lambda d, y, a, b: (d, 0.0 * d) if a > b else (0.0 * d, d))
    assert maximum(2.0, 3.0) == 3.0
    t = trace(lambda x, y: maximum(x, y) ** 2, 2.0, 3.0)
    assert operations(t) == ["larger", "power"]
    assert [g.val for g in append_adjoint(t)] == [0.0, 6.0]
    assert replay(t, 2.0, 4.0) == (0.0, 8.0)
    with pytest.raises(TapeMismatch):
        replay(t, 5.0, 4.0)


def test_a_primitive_without_vjp():
    opaque = tape.primitive(lambda x: x + 1.0, None)
    assert trace(opaque, 2.0).nodes[1].value == 3.0
    with pytest.raises(UndifferentiablePrimitive, match="undifferentiable primitive error"):
        gradient(opaque, 2.0)
    with pytest.raises(UndifferentiablePrimitive):
        append_adjoint(trace(opaque, 2.0))
    assert gradient(lambda x, y: opaque(x.val) * y, 2.0, 5.0) == (0.0, 3.0)


def test_a_derivative_that_is_no_primitive_has_no_second_one():
    integrate = pytest.importorskip("scipy.integrate")

    def f(b):
        return tape.record(integrate.quad, lambda x: x**2, 0.0, b)[0]

    assert gradient(f, 2.0)[0] == pytest.approx(4.0)
    t = trace(f, 2.0)
    assert append_adjoint(t)[0].val == pytest.approx(4.0)
    assert replay(t, 3.0)[0] == pytest.approx(9.0)
    with pytest.raises(UndifferentiablePrimitive, match="back_of_quad"):
        append_adjoint(t)


def test_a_function_without_rule_raises():
    with pytest.raises(NotDifferentiable, match="has no rule"):
        trace(np.histogram, np.ones(3))
    with pytest.raises(NotDifferentiable, match="has no rule"):
        tape.record(np.histogram, 3)


def test_rules_of_the_user_are_used():
    def cube(x):
        return x**3

    @zyg.adjoint(cube)
    def cube_rule(x):
        return x**3, lambda y_bar: 3 * x**2 * y_bar

    t = trace(lambda x: tape.record(cube, x), 2.0)
    assert operations(t) == ["cube"]
    assert append_adjoint(t)[0].val == 12.0
    assert append_adjoint(t)[0].val == 12.0


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


def test_graphs():
    t = trace(lambda x, y: np.sin(x) * y + 1, 0.5, 2.0)
    dot, mermaid = tape.to_graphviz(t), tape.to_mermaid(t)
    assert 'n2 [label="#2 sin"]' in dot and "n0 -> n2" in dot and "n2 -> n3" in dot
    assert 'n0["#0 input"]' in mermaid and "n3 --> n5" in mermaid and "#5 add Const(1)" in mermaid


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
