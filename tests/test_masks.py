"""`np.where`: what the other arm would have had for a derivative doesn't count."""

import numpy as np
import pytest

import zyg
from zyg.arrays.selections import narrowed
from zyg.compiler.reverse.masks import Masks

X = np.array([-1.0, 0.0, 2.0, 3.0])


def guarded_log(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def chain_behind_mask(x):
    return np.sum(np.where(x > 0, np.sqrt(x) * 3 / x, x * x))


def negated_mask(x):
    return np.sum(np.where(x <= 0, 1.0, 1 / x))


def arm_read_twice(x):
    logs = np.log(x + 2)
    return np.sum(np.where(x > 0, logs, 0.0) * logs)


def product_with_an_infinite_factor(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


def mask_in_a_mask(x):
    return np.sum(np.where(x > 0, np.where(x > 2, np.log(x), 1 / x), 0.0))


def mask_of_a_row(x):
    rows = np.ones((2, 4))
    return np.sum(np.where(x != 0, rows / x, 0.0))


def inverse_sine(x):
    return np.sum(np.where(np.abs(x) < 1, np.arcsin(x), 0.0))


def both_arms(x):
    return np.sum(np.where(x > 0, np.log(x), x * x))


def part_of_an_arm(x):
    """What comes of a part, a rearrangement or a loop isn't elementwise."""
    turned = np.where(x > 0, np.sqrt(x)[::-1], 0.0)
    reshaped = np.where(x > 0, np.reshape(np.sqrt(x), (4,)), 0.0)
    return np.sum(turned) + np.sum(reshaped)


def arm_by_a_loop(x):
    y = np.exp(x)
    for _ in range(2):
        y = y * np.abs(x)
    return np.sum(np.where(x > 0, y, 0.0))


def exponential(x):
    if len(x) > 9:
        return x
    return np.exp(x)


def arm_by_a_call(x):
    return np.sum(np.where(x > 0, exponential(x * 2), 0.0))


def stored_and_returned(x, kept):
    """The arm is the result as well, for which the mask doesn't count."""
    y = np.exp(x)
    for i in range(2):
        kept[i] = x[i]
    kept[...] = np.where(x > 0, y, 0.0)
    return y


def arm_is_a_result(x):
    kept = np.zeros(4)
    y = stored_and_returned(x, kept)
    return np.sum(y) + np.sum(kept)


def mask_in_a_loop(x):
    y = np.exp(x)
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.where(x > i, y, 0.0))
    return total


def mask_in_a_branch(x):
    y = np.exp(x)
    z = np.where(x > 0, y, 0.0) if x[0] > 0 else x
    return np.sum(z)


def copied_sign(x):
    """One of the operands has no derivative."""
    return np.sum(np.where(x > 0, np.copysign(np.exp(x), np.sin(x)), 0.0))


def changed_mask(x):
    """The mask is changed between the arm and its selection, and behind it."""
    mask = x > 0
    y = np.exp(x)
    mask[3] = False
    z = np.where(mask, y, 0.0)
    mask[2] = False
    return np.sum(z) + np.sum(np.where(mask, x, 0.0))


EXP = np.exp(X)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (both_arms, [-2.0, 0.0, 1 / 2, 1 / 3]),
        (arm_by_a_loop, EXP * (X * X + 2 * X) * (X > 0)),
        (arm_by_a_call, 2 * EXP**2 * (X > 0)),
        (arm_is_a_result, EXP * (1 + (X > 0))),
        (mask_in_a_loop, EXP * [0, 0, 2, 3]),
        (mask_in_a_branch, np.ones(4)),
        (copied_sign, EXP * np.sign(np.sin(X)) * (X > 0)),
        (changed_mask, EXP * [0, 0, 1, 0]),
        (product_with_an_infinite_factor, [0.0, 0.0, 1 + np.log(2), 1 + np.log(3)]),
        (mask_in_a_mask, [0.0, 0.0, -1 / 4, 1 / 3]),
        (mask_of_a_row, [-2.0, 0.0, -1 / 2, -2 / 9]),
        (inverse_sine, [0.0, 1.0, 0.0, 0.0]),
        (guarded_log, [0.0, 0.0, 1 / 2, 1 / 3]),
        (chain_behind_mask, [-2.0, 0.0, -1.5 * 2**-1.5, -1.5 * 3**-1.5]),
        (negated_mask, [0.0, 0.0, -1 / 4, -1 / 9]),
        (arm_read_twice, [0.0, 0.0, 2 * np.log(4) / 4, 2 * np.log(5) / 5]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradient_behind_mask(f, expected):
    (joint,) = zyg.gradient(f, X)
    _, back = zyg.pullback(f, X)
    np.testing.assert_allclose(joint, expected, rtol=1e-14)
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-14)


P = np.array([0.0, 0.5, 2.0])
COUNTS = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
COLUMN = np.array([[2.0], [3.0]])


def row_beside_a_table(p, counts):
    return np.sum(np.where(p > 0, np.log(p), counts))


def row_in_a_table(p, counts):
    """At 0 every count is 0."""
    return np.sum(np.where(counts > 0, counts * np.log(p), 0.0))


def row_in_what_is_not_selected(p, counts):
    return np.sum(np.where(counts == 0, 1.0, counts * np.log(p)))


def row_and_column(p, counts):
    """The factor of the column is infinite where nothing is selected."""
    return np.sum(np.where(counts > 0, COLUMN * np.sqrt(p) / p, 0.0))


def column_of_sums(p, counts):
    column = np.log(np.sum(counts * p[0], axis=1, keepdims=True))
    return np.sum(np.where(counts > 3, column, 2.0) * p)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (row_beside_a_table, [0.0, 4.0, 1.0]),
        (row_in_a_table, [0.0, 2.0, 2.5]),
        (row_in_what_is_not_selected, [0.0, 2.0, 2.5]),
        (row_and_column, [0.0, -(0.5**-1.5), -2.5 * 2**-1.5]),
        (column_of_sums, [4.0, 4.0, 4.0]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arms_that_are_broadcast(f, expected):
    p_bar, counts_bar = zyg.gradient(f, P, COUNTS)
    np.testing.assert_allclose(p_bar, expected, rtol=1e-14)
    assert np.all(np.isfinite(counts_bar))
    _, back = zyg.pullback(f, P, COUNTS)
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-14)


def squared_again_and_again(x, m):
    """A row beside a table, of which each step reads the one before twice."""
    y = x * 1.0
    y = y * y + y
    y = y * y + y
    y = y * y + y
    y = y * y + y
    y = y * y + y
    y = y * y + y
    y = y * y + y
    y = y * y + y
    return np.where(m > 0, y, m)


def test_what_is_infinite_is_asked_once(monkeypatch):
    asked = []
    may_be_infinite = Masks.may_be_infinite

    def counted(self, operand):
        asked.append(operand)
        return may_be_infinite(self, operand)

    monkeypatch.setattr(Masks, "may_be_infinite", counted)
    zyg.gradient(lambda x, m: np.sum(squared_again_and_again(x, m)), P, COUNTS)
    assert 0 < len(asked) < 100


def test_products_of_matrices_mix_what_is_masked():
    x = np.array([[0.9, 0.3, 0.6], [0.2, 0.8, 0.4], [0.7, 0.1, 0.5]])
    y = np.array([[0.3, 0.5, 0.9], [0.4, 0.8, 0.1], [0.7, 0.2, 0.6]])
    zyg.check_grads(lambda x: np.sum(np.where(x > 0.45, np.matmul(np.sqrt(x), y), 0.0)), x)


def test_sums_of_products_of_stacks():
    z, y = np.arange(12.0).reshape(2, 2, 3) / 7, np.arange(6.0).reshape(3, 2) / 5
    zyg.check_grads(lambda z, y: np.sum(np.sum(np.matmul(z, y), axis=0) ** 3), z, y)


def test_parts_of_arms():
    zyg.check_grads(part_of_an_arm, np.abs(X) + 1)


def test_arms_are_selected_once():
    code = str(zyg.code_gradient(both_arms, X))
    assert code.count("np.where") == 1, code


@pytest.mark.parametrize("scale", [2.0, np.array([0.5, 1.0, 2.0, 3.0])])
def test_factors_of_arms(scale):
    """Of a number the cotangent is a sum of what is selected."""
    def f(x, scale):
        return np.sum(np.where(x > 0, scale * x * np.log(np.abs(x) + 1), scale * x))

    zyg.check_grads(f, X + 0.5, scale)


def sinc(x):
    return np.sum(np.where(x == 0, 1.0, np.sin(x) / x))


def root_read_twice(x):
    root = np.sqrt(x)
    return np.sum(np.where(x > 0, root * np.exp(-root), 0.0))


def root_in_two_arms(x):
    root = np.sqrt(x)
    return np.sum(np.where(root > 0, np.log(root), 0.0) * np.where(x > 2.5, 1 / root, 1.0))


def logs_in_two_arms(x):
    logs = np.log(x)
    inner = np.where(x > 0, logs, 0.0)
    return np.sum(inner * np.where(x > 2.5, logs**2, inner))


def read_outside_as_well(x):
    shifted = x + 3.0
    return np.sum(np.where(x > 0, shifted * np.log(x), shifted) * shifted)


def through_a_function(x):
    return np.sum(np.where(x > 0, saturated(np.sqrt(x)), x))


def saturated(x):
    return x / (1 + x)


@pytest.mark.parametrize("f", [
    sinc, root_read_twice, root_in_two_arms, logs_in_two_arms, read_outside_as_well,
    through_a_function,
])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_an_arm_reads_twice(f):
    """The items before and behind those whose derivatives are infinite are as without them."""
    is_finite, v = X != 0 if f is sinc else X > 0, np.array([0.3, 0.0, -1.1, 0.7])
    finite = X[is_finite]

    def gradient(x):
        return zyg.gradient(f, x)[0]

    def slope(x, v):
        return zyg.jvp(f, (x,), (v,))[1]

    zyg.check_grads(f, finite)
    first = gradient(X)
    assert np.all(np.isfinite(first))
    np.testing.assert_allclose(first[is_finite], gradient(finite), rtol=1e-14)
    second = zyg.hvp(f, finite, v[is_finite])
    for found in (
        zyg.hvp(f, X, v), zyg.pullback(gradient, X)[1](v)[0], zyg.gradient(slope, X, v)[0]
    ):
        assert np.all(np.isfinite(found))
        np.testing.assert_allclose(found[is_finite], second, rtol=1e-12)


def pairs(x):
    difference = x[:, None] - x
    return np.sqrt(difference**2)


def pairs_of_others(x):
    r = pairs(x)
    return np.sum(np.where(~np.eye(len(x), dtype=bool), np.exp(-r) / r, 0.0))


def pairs_with_charges(x, charges):
    """Nothing tells that there are as many charges as places."""
    r, off = pairs(x), ~np.eye(len(charges), dtype=bool)
    product = np.outer(charges, charges)
    return np.sum(np.where(off, product * np.exp(-r) / np.where(off, r, 1.0), 0.0))


@pytest.mark.parametrize(("f", "args"), [
    (pairs_of_others, (X,)), (pairs_with_charges, (X, X + 2.0)),
])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arms_of_which_types_tell_no_sizes(f, args):
    step = 1e-6 * np.arange(4.0)
    others = args[1:]
    found = zyg.gradient(f, *args)[0]
    difference = f(X + step, *others) - f(X - step, *others)
    np.testing.assert_allclose(np.sum(found * step), difference / 2, rtol=1e-7)
    assert np.all(np.isfinite(found))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_arm_that_is_broadcast_along_an_axis_of_unknown_length():
    def f(table):
        return np.sum(np.where(table > 0.5, np.sqrt(table[:, :1]) * table, 0.0))

    (found,) = zyg.gradient(f, np.array([[0.0, 0.2, 0.3], [0.7, 0.8, 0.2]]))
    root = np.sqrt(0.7)
    np.testing.assert_allclose(found[0], 0.0)
    np.testing.assert_allclose(found[1], [1.5 * root + 0.4 / root, root, 0.0])


@pytest.mark.parametrize("mask", [
    np.array(True), np.array([True, False]), np.array([[True, False], [False, False]]),
    np.zeros((3, 2, 2), bool), np.eye(2, dtype=bool)[None],
])
@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 2), (2, 1), (2, 2), (1, 1)])
@pytest.mark.parametrize("is_true", [True, False])
def test_narrowed_masks(mask, shape, is_true):
    whole = np.broadcast_shapes(mask.shape, shape)
    counts = np.broadcast_to(mask if is_true else ~mask, whole)
    places = np.broadcast_to(np.arange(np.prod(shape, dtype=int)).reshape(shape), whole)
    expected = [bool(np.any(counts[places == i])) for i in range(np.prod(shape, dtype=int))]
    found = np.broadcast_to(narrowed(mask, shape, is_true), shape)
    assert np.ravel(found if is_true else ~found).tolist() == expected


def test_second_derivatives_behind_masks():
    zyg.check_grads(lambda x: np.sum(np.where(x > 2.5, np.log(x) * x, x**3)), np.abs(X) + 1)


@pytest.mark.parametrize("f", [
    lambda x, rate: np.sum(np.where(x > 0, np.sqrt(x) * rate, np.exp(x))),
    lambda x, rate: np.sum(np.where(x > 0, rate * np.log(x), 0.0)),
    lambda x, rate: np.sum(np.where(x > 0, np.sqrt(x) / rate + x, x)),
    lambda x, rate: np.sum(np.where(x > 0, x**rate * 2.0, x)),
    lambda x, rate: np.sum(np.where(x > 0, np.sqrt(x * rate), 0.0) * x),
])  # fmt: skip
@pytest.mark.parametrize("rate", [0.5, np.array([0.5, 2.0, 0.7])])
def test_arms_with_an_operand_that_is_broadcast(f, rate):
    """At 0 the derivative is that of the arm that was taken."""
    x = np.array([0.0, 1.0, 4.0])
    near = np.array([-1e-9, 1.0, 4.0])
    with np.errstate(all="ignore"):
        x_bar, rate_bar = zyg.gradient(f, x, rate)
        x_near, rate_near = zyg.gradient(f, near, rate)
    np.testing.assert_allclose(x_bar, x_near, atol=1e-8)
    np.testing.assert_allclose(rate_bar, rate_near, atol=1e-8)


@pytest.mark.parametrize("f", [
    lambda x, w: np.nansum((x - w) ** 2),
    lambda x, w: np.nansum(x * w, axis=0),
    lambda x, w: np.nanmean((x - w) ** 2, keepdims=True)[0],
    lambda x, w: np.sum(np.where(np.isnan(x * w), 0, x * w)),
    lambda x, w: np.sum(np.nanmean((x - w[:, None]) ** 2, axis=1)),
])  # fmt: skip
def test_what_is_missing_has_no_part_in_derivatives(f):
    """Also where the mask is asked of what is masked: a number in its place has a derivative."""
    missing, w = np.array([1.0, np.nan, 3.0]), np.array([0.5, 2.0, 0.7])
    x_bar, w_bar = zyg.gradient(f, missing, w)
    assert x_bar[1] == 0 and np.all(np.isfinite(x_bar))

    def of_w(w):
        return f(missing, w)

    zyg.check_grads(of_w, w)
    np.testing.assert_allclose(zyg.gradient(of_w, w)[0], w_bar)
    np.testing.assert_allclose(zyg.jvp(of_w, (w,), (w,))[1], w_bar @ w)


@pytest.mark.parametrize(("f", "slopes"), [
    (lambda p: np.sum(np.nan_to_num(p * np.log(p))), lambda p: np.log(p) + 1),
    (lambda p: np.sum(np.nan_to_num(1 / p, posinf=0.0)), lambda p: -1 / p**2),
    (lambda p: np.sum(np.nan_to_num(np.sqrt(p - 0.1))), lambda p: 0.5 / np.sqrt(p - 0.1)),
])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_replaced_has_no_part(f, slopes):
    p, along = np.array([0.0, 0.3, 0.7]), np.array([0.2, -0.1, 0.4])
    expected = np.array([0.0, *slopes(p[1:])])
    assert np.allclose(zyg.gradient(f, p)[0], expected)
    assert np.isclose(zyg.jvp(f, (p,), (along,))[1], expected @ along)
    second = (slopes(p[1:] + 1e-6) - slopes(p[1:] - 1e-6)) / 2e-6 * along[1:]
    assert np.allclose(zyg.hvp(f, p, along), [0.0, *second], rtol=1e-5)


def selected(x):
    return np.sum(np.select([x < 0, x < 2.5], [x**2, np.sqrt(x - 1.0)], np.log(x - 2.5)))


def selected_by_keywords(x):
    masks = x < 0, x > 2.5
    return np.sum(np.select(choicelist=(x, np.log(x)), condlist=masks, default=0.5) * x)


def selected_without_a_default(x):
    return np.sum(np.select([x > 0], [x * np.log(x)]))


@pytest.mark.parametrize(("f", "x"), [
    (selected, [-1.0, 2.0, 3.0]), (selected_by_keywords, [-1.0, 2.0, 3.0]),
    (selected_without_a_default, [-1.0, 0.0, 3.0]),
])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_selected_has_no_part(f, x):
    x, along = np.array(x), np.array([0.2, 0.0, 0.4])
    (gradient,) = zyg.gradient(f, x)
    step = 1e-6 * along
    assert np.isclose(gradient @ along, (f(x + step) - f(x - step)) / 2e-6)
    assert np.isclose(zyg.jvp(f, (x,), (along,))[1], gradient @ along)
    second = (zyg.gradient(f, x + step)[0] - zyg.gradient(f, x - step)[0]) / 2e-6
    assert np.allclose(zyg.hvp(f, x, along), second, rtol=1e-5)


def test_the_arms_of_several_masks_are_one_selection():
    source = zyg.code_adjoint(selected, X).source
    forward, back = source.split("def selected_back")
    assert forward.count("np.where(") == back.count("np.where(") == 2


@pytest.mark.parametrize("x", [0.0, np.float64(0.0)])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.where(x > 0, np.log(x), 0.0) * 2.0,
        lambda x: np.where(x > 0, np.log10(x) * x, 0.0) * 2.0,
        lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)),
        lambda x: np.where(x != 0, np.sin(x) / np.float64(x), 0.0) * 2.0,
        lambda x: np.where(x > 5, np.arctanh(x + 1), 0.0) * 2.0,
        lambda x: np.where(x > 5, np.divide(1.0, x), 0.0) * 2.0,
        lambda x: np.sum(np.where(np.array([-1.0, -2.0]) > x, np.log(x), 0.0)),
        lambda x: np.where(x > 0, np.where(x > 1, np.log(x), 1 / np.float64(x)), 0.0) * 2.0,
    ],
)
def test_numbers_of_which_the_other_arm_was_selected(f, x):
    def slope(x):
        return zyg.gradient(f, x)[0]

    with np.errstate(all="ignore"):
        assert f(x) == 0.0
        assert zyg.gradient(f, x) == zyg.gradient(f, np.array(x)) == (0.0,)
        assert zyg.jvp(f, (x,), (1.0,))[1] == 0.0
        assert zyg.gradient(slope, x) == (0.0,)
        assert zyg.jvp(slope, (x,), (1.0,))[1] == 0.0


@pytest.mark.parametrize("x", [0.0, 0])
@pytest.mark.parametrize("f", [np.log, np.log2, np.log10])
def test_an_infinite_slope_of_a_number_of_python(f, x):
    with np.errstate(all="ignore"):
        assert zyg.gradient(f, x) == (np.inf,)
        assert zyg.gradient(np.log1p, x - 1) == zyg.gradient(np.arctanh, x + 1) == (np.inf,)
