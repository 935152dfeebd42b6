"""`check_grads` passes right gradients, and fails on each kind of wrong one."""

import numpy as np
import pytest

import zyg
from zyg.errors import GradientMismatch

ROW = np.array([1.0, 2.0, 3.0])
MATRIX = np.arange(6.0).reshape(2, 3) / 7 + 0.3


def check(f, *args, **kwargs):
    zyg.check_grads(f, *args, order=1, **kwargs)


def test_numbers_and_arrays():
    check(lambda x, y: x * y, 2.0, 3.0)
    check(lambda x, y: np.sum(np.sin(x) * y), MATRIX, ROW)
    check(lambda x: np.exp(x), ROW)
    check(lambda x, n: x**n, 2.0, 3)
    check(lambda x: np.sum(x**2), np.float32([1.0, 2.0]))


def test_structures():
    check(lambda p: p["w"] * p["b"], {"w": 2.0, "b": 3.0})
    check(lambda p: (p[0] * p[1], [p[0]]), (2.0, ROW))
    check(lambda layers: [w * b for w, b in layers], [(ROW, 2.0), (2 * ROW, 3.0)])


def test_complex_arguments():
    check(lambda z: np.sum(np.real(z) * np.imag(z)), np.array([1 + 2j, 3 - 1j]))
    check(lambda z: z * z, np.array([1 + 2j, 3 - 1j]))


def changes_a_list(numbers, more):
    numbers[0] = numbers[0] * numbers[1]
    numbers.append(numbers[0])
    more["a"][0] = numbers[0]
    return sum(numbers) + more["a"][1] * numbers[1]


def changes_an_array(a, factor):
    a[0] *= a[1] * factor[0]
    factor += 1.0
    a += 1.0
    return np.sum(a * a) * factor[0]


def test_arguments_that_are_changed():
    numbers, more = [2.0, 3.0], {"a": [1.0, 2.0]}
    check(changes_a_list, numbers, more)
    assert (numbers, more) == ([2.0, 3.0], {"a": [1.0, 2.0]})
    a, factor = np.array([2.0, 3.0]), np.array([0.5])
    check(changes_an_array, a, factor)
    assert a.tolist() == [2.0, 3.0] and factor == 0.5


def test_arguments_by_keyword_that_are_changed():
    more, factor = {"a": [1.0, 2.0]}, np.array([0.5])
    check(changes_a_list, [2.0, 3.0], more=more)
    check(changes_an_array, np.array([2.0, 3.0]), factor=factor)
    assert more == {"a": [1.0, 2.0]} and factor == 0.5


def test_text_and_flags_are_left_alone():
    check(lambda x, how: x * 2.0 if how == "double" else x, 2.0, "double")


def test_the_worst_component_is_named():
    def square(x):
        return x * x

    @zyg.adjoint(square)
    def _(x):
        return x * x, lambda y_bar: y_bar * 2 * x * np.array([1.0, 1.5, 1.1])

    with pytest.raises(GradientMismatch, match=r"argument 0\[\(1,\)\] has"):
        check(square, ROW)


def with_rule(back):
    """A new function x, y -> x * y of arrays with this adjoint."""

    def multiply(x, y):
        return x * y

    @zyg.adjoint(multiply)
    def rule(x, y):
        return x * y, lambda z_bar: back(z_bar, x, y)

    return multiply


def matching_axis(z_bar, x, y):
    return z_bar * y, np.sum(z_bar * x, axis=0)


WRONG = {
    "factor": lambda z_bar, x, y: (z_bar * y * 1.01, np.sum(z_bar * x, axis=0)),
    "sign": lambda z_bar, x, y: (z_bar * y, -np.sum(z_bar * x, axis=0)),
    "left out": lambda z_bar, x, y: (z_bar * y, None),
    "axis": lambda z_bar, x, y: (z_bar * y, np.repeat(np.sum(z_bar * x, axis=1), 2)[:3]),
    "broadcast": lambda z_bar, x, y: (z_bar * y, np.mean(z_bar * x, axis=0)),
    "infinite": lambda z_bar, x, y: (z_bar * y, np.sum(z_bar * x, axis=0) * np.nan),
}


def test_a_right_rule_passes():
    check(with_rule(matching_axis), MATRIX, ROW)


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_rule_fails(how):
    with pytest.raises(GradientMismatch):
        check(with_rule(WRONG[how]), MATRIX, ROW)


def test_a_rule_with_another_value_fails():
    def exponential(x):
        return np.exp(x)

    @zyg.adjoint(exponential)
    def wrong(x):
        return np.exp(x) + 1e-3, lambda y_bar: y_bar * np.exp(x)

    with pytest.raises(GradientMismatch, match="the value is wrong"):
        check(exponential, ROW)


@pytest.mark.parametrize(
    "back",
    [
        lambda z_bar, x, y: ((z_bar * y).astype(np.float32), np.sum(z_bar * x, axis=0) + 0j),
        lambda z_bar, x, y: (np.multiply(z_bar, y, out=np.empty_like(x)), (z_bar * x).sum(0)),
    ],
)
def test_dtype_and_memory_of_what_a_rule_returns_are_put_right(back):
    multiply = with_rule(back)
    check(multiply, MATRIX, ROW)
    bars = zyg.gradient(lambda x, y: np.sum(multiply(x, y)), MATRIX, ROW)
    assert [bar.dtype for bar in bars] == [float, float]


def test_a_rule_that_hands_its_cotangent_on_shares_no_memory():
    def added(x, y):
        return x + y

    @zyg.adjoint(added)
    def sharing(x, y):
        return x + y, lambda z_bar: (z_bar, z_bar)

    check(added, ROW, 2 * ROW)
    _, back = zyg.pullback(added, ROW, 2 * ROW)
    seed = ROW.copy()
    x_bar, y_bar = back(seed)
    assert not any(np.shares_memory(a, b) for a, b in ((x_bar, y_bar), (x_bar, seed)))


def test_a_missing_conjugate_fails():
    z = np.array([1 + 2j, 3 - 1j])
    check(with_rule(lambda z_bar, x, y: (z_bar * np.conj(y), z_bar * np.conj(x))), z, z + 1j)
    with pytest.raises(GradientMismatch):
        check(with_rule(lambda z_bar, x, y: (z_bar * y, z_bar * x)), z, z + 1j)


def gradients_as(gradients):
    """A pullback that ignores its seed."""
    return lambda f, *args, **kwargs: (f(*args, **kwargs), lambda seed: gradients(*args))


@pytest.mark.parametrize(
    ("gradients", "message"),
    [
        (lambda x: (np.float32(2 * x),), "is float32 of shape"),
        (lambda x: (np.array([2 * x]),), "shape"),
        (lambda x: (2.0,), "no array"),
        (lambda x: (x,), "share their memory"),
    ],
)
def test_gradients_of_another_form_fail(monkeypatch, gradients, message):
    monkeypatch.setattr("zyg.api.pullback", gradients_as(gradients))
    with pytest.raises(GradientMismatch, match=message):
        check(lambda x: np.sum(x * x), ROW)


def test_a_back_that_changes_fails(monkeypatch):
    calls = []

    def gradients(x):
        calls.append(None)
        return (2 * x * len(calls),)

    monkeypatch.setattr("zyg.api.pullback", gradients_as(gradients))
    with pytest.raises(GradientMismatch, match="called again"):
        check(lambda x: np.sum(x * x), ROW)


def test_a_back_that_hands_out_what_it_holds_fails(monkeypatch):
    held = 2 * ROW
    monkeypatch.setattr("zyg.api.pullback", gradients_as(lambda x: (held,)))
    with pytest.raises(GradientMismatch, match="called again"):
        check(lambda x: np.sum(x * x), ROW)


def test_mismatch_is_an_assertion_error_and_one_of_zyg():
    assert issubclass(GradientMismatch, AssertionError)
    assert issubclass(GradientMismatch, zyg.ZygError)


def test_only_orders_one_and_two():
    with pytest.raises(ValueError, match="order 1 or 2"):
        zyg.check_grads(lambda x: x, 1.0, order=3)


def squares(*values, factor=2.0):
    total = 0.0
    for value in values:
        total = total + factor * np.sum(value * value * value)
    return total


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: x * x * x, (3.0,)),
        (lambda a: np.sum(np.sin(a)), (np.array([0.3, 0.7]),)),
        (lambda a, n: np.sum(a**n), (np.array([0.3, 0.7]), 3)),
        (lambda a, b: np.exp(a @ b), (np.array([0.3, 0.7]), np.array([0.5, 0.1]))),
        (lambda pair: pair[0] * pair[1] ** 2, ((0.3, 0.7),)),
        (lambda values: values[0] * values[1] ** 2, ([0.3, 0.7],)),
        (lambda table: table["a"] ** 3 * table["b"], ({"a": 0.3, "b": 0.7},)),
        (lambda z: np.abs(z) ** 4, (0.3 + 0.4j,)),
        (squares, (0.5, 0.7)),
    ],
)
def test_the_second_order_is_checked(f, args):
    zyg.check_grads(f, *args)


def test_wrong_second_derivatives_are_found():
    def curved(x):
        return x * x * x

    @zyg.adjoint(curved)
    def wrong(x):
        # Right as a number, but its derivative is 0.
        return x * x * x, lambda y_bar: y_bar * 3 * zyg.dropgrad(x) ** 2

    zyg.check_grads(curved, 2.0, order=1)
    with pytest.raises(zyg.GradientMismatch, match="second derivative"):
        zyg.check_grads(curved, 2.0)


def test_gradients_of_functions_with_starred_parameters():
    def slopes(x, y):
        first, second = zyg.gradient(squares, x, y)
        return first * np.sum(second)

    x, y = 0.5, np.array([0.3, 0.7])
    bars = zyg.gradient(slopes, x, y)
    assert bars[0] == pytest.approx(12 * x * np.sum(6 * y**2))
    np.testing.assert_allclose(bars[1], 6 * x**2 * 12 * y)
