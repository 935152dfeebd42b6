"""Functions that are differentiated by the code of a substitute: values, and derivatives.

The substitute must give what the callable gives, and the gradient of the compiled call must agree
with differences of the callable itself.
"""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.rule_check import check_differences, differentiable, noise
from tests.rule_row import Row
from tests.rule_rows_composites import ROWS
from zyg.rules import registry


def leaves(x):
    return [leaf for item in x for leaf in leaves(item)] if isinstance(x, (tuple, list)) else [x]


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_substitute(row: Row) -> None:
    substitute = registry.substitute_of(row.callee) or registry.stand_in_of(
        row.callee, row.args, row.kwargs
    )
    assert substitute is not None
    expected, actual = row.call(*row.args), substitute(*row.args, **row.kwargs)
    assert type(actual) is type(expected) or np.ndim(expected) == 0
    for one, other in zip(leaves(actual), leaves(expected), strict=True):
        dtype = np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-6 if dtype == np.float32 else 1e-9)
        assert np.asarray(one).dtype == dtype
    random = np.random.default_rng(7)
    y, back = zyg.pullback(row.callee, *row.args, **row.kwargs)
    seed = noise(y, random)
    pairs = zip(row.args, back(seed), strict=True)
    bars = tuple(bar if differentiable(x, None) else None for x, bar in pairs)
    check_differences(row.call, y, seed, row.args, bars, random)


def test_every_substitute_of_numpy_has_a_row() -> None:
    tested = {id(registry.substitute_of(row.callee)) for row in ROWS}
    modules = ("composites", "linalg_composites", "polynomials")
    found = {
        function.__name__: function for function in registry._substitutes.values()
        if function.__module__ in {f"zyg.rules.{name}" for name in modules}
    }
    elsewhere = {
        "apply_along_axis", "apply_over_axes", "astype", "call_vectorized", "fromfunction",
        "piecewise",
    }
    assert not [name for name, f in found.items() if id(f) not in tested and name not in elsewhere]


def cubed(row):
    return np.outer(row, row) * row[0]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_apply_along_axis(axis):
    def f(a):
        return np.sum(np.apply_along_axis(cubed, axis, a) ** 2) + np.sum(
            np.apply_along_axis(np.sum, axis, a) ** 3
        )

    zyg.check_grads(f, np.arange(1.0, 7.0).reshape(2, 3), order=1)


def test_apply_over_axes():
    def f(a):
        return np.sum(np.apply_over_axes(np.sum, a, (0, 2)) ** 3)

    zyg.check_grads(f, np.arange(1.0, 13.0).reshape(2, 3, 2) / 10, order=1)


def test_piecewise():
    def f(x, c):
        y = np.piecewise(x, [x < 0, x > 1], [lambda u: u**2 * c, 5.0, lambda u: u**3 + c])
        return np.sum(y * y)

    zyg.check_grads(f, np.array([-0.7, 0.3, 0.6, 1.4, -0.2]), 1.3, order=1)


def test_piecewise_with_arguments_for_its_functions():
    def f(x, c):
        return np.sum(np.piecewise(x, [x < 0.4, x > 0.7], [
            lambda u, s: s * u**2, lambda u, s: u * s, lambda u, s: u - s], c) ** 2)

    zyg.check_grads(f, np.array([0.1, 0.5, 0.9]), 0.6, order=1)


def test_fromfunction():
    def f(x):
        return np.sum(np.fromfunction(lambda i, j: (i + x) * (j - x) ** 2, (2, 3)))

    zyg.check_grads(f, 0.7, order=1)


def test_vectorized_functions():
    def smaller(x, y):
        return x * y if x < y else y * y

    vectorized = np.vectorize(smaller)

    def f(x, y):
        return np.sum(vectorized(x, y) ** 2)

    zyg.check_grads(f, np.array([0.5, 1.7, 0.2]), np.array([[1.0], [0.1]]), order=1)


def squares_and_sums(u, v):
    return u * u, np.sum(u * v)


@pytest.mark.parametrize(
    ("vectorized", "shapes"),
    [
        (np.vectorize(lambda u, v: np.sum(u * v), signature="(n),(n)->()"), [(2, 3), (3,)]),
        (np.vectorize(lambda a, u: a @ u, signature="(m,n),(n)->(m)"), [(2, 3), (4, 1, 3)]),
        (np.vectorize(squares_and_sums, signature="(n),(n)->(n),()"), [(3,), (2, 3)]),
        (np.vectorize(np.polyval, excluded=[0]), [(3,), (2, 2)]),
        (np.vectorize(lambda x, p: np.polyval(p, x), excluded={"p"}), [(2,), (3,)]),
        (np.vectorize(lambda u, f: f * np.cumsum(u), signature="(n)->(n)", excluded=[1]),
         [(2, 3), (1,)]),
    ],
)
def test_parts_of_vectorized_functions(vectorized, shapes):
    args = [np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape) / 5 for shape in shapes]
    is_named = "p" in vectorized.excluded

    def f(x, y):
        return vectorized(x, p=y) if is_named else vectorized(x, y)

    zyg.check_grads(f, *args, order=1)  # of the value, too


def test_what_vectorized_functions_captured():
    def f(x, c):
        scaled = np.vectorize(lambda u, *, power: np.sum(c * u**power), signature="(n),()->()")
        return np.sum(scaled(x, power=2))

    zyg.check_grads(f, np.array([[0.5, 1.7, 0.2], [0.1, 0.3, 0.4]]), 0.7, order=1)
    with pytest.raises(ValueError, match="inconsistent size"):
        zyg.gradient(lambda x: np.sum(np.vectorize(
            lambda u, v: u @ v, signature="(n),(n)->()")(x, np.ones(2))), np.ones(3))


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.2.0", reason="np.trim_zeros has had axes since 2.2"
)
@pytest.mark.parametrize(
    "trimmed",
    [
        lambda x: np.trim_zeros(np.pad(x, ((1, 2), (0, 1)))),
        lambda x: np.trim_zeros(np.pad(x, ((1, 2), (0, 1))), "b"),
        lambda x: np.trim_zeros(np.pad(x, ((1, 2), (0, 1))), axis=-1),
        lambda x: np.trim_zeros(0 * x, axis=(1, 0)),
    ],
)
def test_zeros_around_matrices(trimmed):
    x = np.array([[0.3, 0.7], [0.2, 1.1]])
    np.testing.assert_array_equal(zyg.pullback(trimmed, x)[0], trimmed(x))
    zyg.check_grads(trimmed, x, order=1)


def test_results_of_vectorized_functions_are_of_the_first_type():
    whole_first = np.vectorize(lambda x: 0 if x < 0 else x * x)
    single = np.vectorize(lambda x: (x * x, x), otypes="fd")
    for x in (np.array([-1.0, 2.5, 0.3]), np.array([0.3, -1.0])):
        y, _ = zyg.pullback(lambda x: whole_first(x), x)
        np.testing.assert_array_equal(y, whole_first(x), strict=True)
        both, _ = zyg.pullback(lambda x: single(x), x)
        for found, expected in zip(both, single(x), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)
    (bar,) = zyg.gradient(lambda x: np.sum(whole_first(x)), np.array([0.3, -1.0, 2.0]))
    assert bar.tolist() == [0.6, 0.0, 4.0]
    of_numbers = np.vectorize(lambda x: x if type(x) is float else 0.0 * x, otypes="d")
    assert zyg.gradient(lambda x: np.sum(of_numbers(x)), np.ones(2))[0].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="size 0"):
        zyg.pullback(whole_first, np.zeros(0))


@pytest.mark.skipif(not hasattr(np, "astype"), reason="NumPy 1")
def test_astype():
    def f(x):
        return np.sum(np.astype(x, np.float32) ** 2)

    assert zyg.gradient(f, np.array([1.0, 2.0]))[0].tolist() == [2.0, 4.0]
