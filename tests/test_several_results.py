"""Functions of NumPy that give several arrays as a named tuple: each has a type of its own."""

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

RANDOM = np.random.default_rng(11)
A = RANDOM.uniform(0.2, 1.0, (4, 4))
SYMMETRIC = A @ A.T + np.diag([1.0, 2.0, 3.0, 4.0])
TALL = RANDOM.uniform(0.2, 1.0, (5, 3))


def values_changed(a):
    w, v = np.linalg.eigh(a)
    w[2:] += 1.0
    return np.sum(w * w) + np.sum((v * v) @ w)


def only_values_changed(a):
    w = np.linalg.eigh(a)[0]
    w[2:] *= np.sum(a)
    return np.sum(w * w)


def values_by_name(a):
    return np.sum(np.linalg.svd(a).S ** 3) + np.sum(np.linalg.svd(a, full_matrices=False)[0] ** 4)


def factors_of(a):
    return np.linalg.svd(a, full_matrices=False)


def factors_of_a_call(a):
    u, s, vh = factors_of(a)
    s *= 2.0
    return np.sum((u * s) @ vh * a) + np.sum(s**2)


def rows_of_factors(a):
    q, r = np.linalg.qr(a)
    r[0] = 3.0
    for i in range(3):
        q[i] += r[i]
    return np.sum(q**3) * np.sum(r)


def sign_and_logarithm(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign * logarithm**2


def of_one_branch(a):
    pair = np.linalg.eigh(a) if a[0, 0] > 0.0 else np.linalg.eigh(2.0 * a)
    return np.sum(pair[0] ** 2) + np.sum(pair[1] ** 4)


def carried(a):
    pair = np.linalg.eigh(a)
    for _ in range(2):
        w, v = pair
        pair = np.linalg.eigh((v * np.sin(w)) @ v.T + a)
    return np.sum(pair[0] ** 3)


PROGRAMS = [
    (values_changed, SYMMETRIC), (only_values_changed, SYMMETRIC), (values_by_name, A),
    (factors_of_a_call, A), (factors_of_a_call, TALL), (rows_of_factors, A),
    (rows_of_factors, TALL), (sign_and_logarithm, A), (sign_and_logarithm, SYMMETRIC),
    (of_one_branch, SYMMETRIC), (carried, SYMMETRIC),
]


@pytest.mark.parametrize(("program", "a"), PROGRAMS)
def test_gradients(program, a):
    check_gradient(program, (a,), zyg.pullback)
    _, back = zyg.pullback(program, a)
    np.testing.assert_allclose(zyg.gradient(program, a)[0], back(1.0)[0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("program", "a"), PROGRAMS)
def test_tangents(program, a):
    direction = RANDOM.uniform(-1.0, 1.0, a.shape)
    _, dot = zyg.jvp(program, (a,), (direction,))
    (bar,) = zyg.gradient(program, a)
    np.testing.assert_allclose(dot, np.sum(bar * direction), rtol=1e-9)


@pytest.mark.parametrize("program", [values_changed, of_one_branch, sign_and_logarithm])
def test_second_derivatives(program):
    zyg.check_grads(program, SYMMETRIC)


@pytest.mark.parametrize(
    ("program", "types"),
    [
        (values_changed, "(float64[N2], float64[N2, N2])"),
        (sign_and_logarithm, "(float64, float64)"),
    ],
)
def test_types(program, types):
    assert types in str(zyg.code_ir(program, SYMMETRIC))


def square_of_all(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * w) ** 2)


def values_of_all(a):
    u, s, vh = np.linalg.svd(a)
    return np.sum(s**2) + np.sum(u**4) + np.sum(vh**4)


@pytest.mark.parametrize("program", [square_of_all, values_of_all, sign_and_logarithm])
def test_adjoints_ask_for_no_kinds(program):
    code = str(zyg.code_gradient(program, SYMMETRIC))
    assert "from_items" not in code and "unbroadcast" not in code, code


def test_what_is_unread_has_no_part():
    """Equal values have no derivative of their vectors."""
    (bar,) = zyg.gradient(lambda a: np.sum(np.linalg.eigh(a)[0] ** 2), np.eye(3))
    np.testing.assert_allclose(bar, 2 * np.eye(3))
    (bar,) = zyg.gradient(lambda a: np.sum(np.linalg.svd(a)[1] ** 2), np.eye(3))
    np.testing.assert_allclose(bar, 2 * np.eye(3))


def test_refusals_stay_where_rules_are_written_out():
    a = RANDOM.uniform(0.2, 1.0, (3, 3)) + 1j * RANDOM.uniform(0.2, 1.0, (3, 3))
    for function in (np.linalg.svd, lambda a: np.linalg.eigh(a + np.conj(a.T))[::-1]):
        with pytest.raises(zyg.NotDifferentiable, match="phase"):
            zyg.gradient(lambda a, function=function: np.sum(np.imag(function(a)[0] * a)), a)


def test_items_of_lists_made_of_arrays():
    def ends(x):
        (a, _), (_, b) = x.tolist()
        return a * b

    def large(x):
        return sum(row[0] * row[-1] for row in x.tolist() if row[0] > 1)

    square = np.array([[0.7, 2.0], [3.0, 5.0]])
    (bar,) = zyg.gradient(ends, square)
    assert bar.tolist() == [[5.0, 0.0], [0.0, 0.7]]
    (bar,) = zyg.gradient(large, square)
    assert bar.tolist() == [[0.0, 0.0], [5.0, 3.0]]
    zyg.check_grads(ends, square)
    y, back = zyg.pullback(np.ndarray.tolist, np.zeros((2, 0, 3)))
    assert y == [[], []] and back(y)[0].shape == (2, 0, 3)
