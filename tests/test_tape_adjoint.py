"""Adjoint programs on a tape: gradients of any order, and primitives with rules of their own."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from tests.tape_programs import arguments, check_equal, operations, program
from zyg import tape
from zyg.errors import NotDifferentiable
from zyg.tape import (
    TapeMismatch,
    UndifferentiablePrimitive,
    append_adjoint,
    gradient,
    replay,
    trace,
)


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
        trace(np.histogram2d, np.ones(3), np.ones(3))
    with pytest.raises(NotDifferentiable, match="has no rule"):
        tape.record(np.histogram2d, 3, 3)


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
