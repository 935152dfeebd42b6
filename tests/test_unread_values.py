"""Shapes without the items: they are those of the results, and gradients stay what they were."""

import numpy as np
import pytest

import zyg
import zyg.facts.numpy_transforms  # which adds the shapes of transforms
from tests.differences import check_gradient
from zyg.facts.numpy_result_shapes import SHAPES

RANDOM = np.random.default_rng(3)
WEIGHTS = RANDOM.uniform(0.2, 1.0, 5)
ONE = np.array([0.7])


def real(*shape):
    return RANDOM.uniform(0.2, 1.0, shape)


CALLS = [
    *[(np.diff, (real(4, 3), n, axis), {}) for n in (0, 1, 2, 5) for axis in (0, 1, -1)],
    *[
        (np.convolve, (real(n), real(m), mode), {})
        for n in (1, 3, 6) for m in (1, 4) for mode in ("full", "same", "valid")
    ],
    *[
        (function, (real(4, 5), *settings), {})
        for function in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)
        for settings in ((), (3,), (8, 0), (7, -1), (None, 0))
    ],
    (np.linalg.svd, (real(4, 3),), {"compute_uv": False}),
    (np.linalg.svd, (real(2, 3, 5), False, False), {}),
    *[(np.tile, (real(2, 3), reps), {}) for reps in (0, 2, (2,), (3, 1, 2), (1, 2))],
]


@pytest.mark.parametrize(("callee", "args", "options"), CALLS)
def test_shapes(callee, args, options):
    shape_of, count = SHAPES[callee]
    shapes = map(np.shape, args[:count])
    assert shape_of(*shapes, *args[count:], **options) == callee(*args, **options).shape


def test_each_function_has_calls():
    assert {callee for callee, *_ in CALLS} == set(SHAPES)


def filtered(x):
    return np.sum(WEIGHTS * np.fft.irfft(np.fft.rfft(x) * ONE, WEIGHTS.size) ** 2)


def differences_by_one(x, c):
    return np.sum(c * np.diff(x)) + np.sum(np.diff(x[:2]) * c)


def smooth(x, c):
    return np.sum(np.convolve(x, c, "same") * np.tile(ONE, 3)) * np.sum(np.linalg.svd(
        np.outer(x, x) + np.diag(WEIGHTS[:3]), compute_uv=False
    ) * WEIGHTS[:3])


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (filtered, (real(5),)),
        (differences_by_one, (real(4), real(3))),
        (differences_by_one, (real(2), real(3))),
        (differences_by_one, (real(4), real(1))),
        (smooth, (real(3), real(2))),
    ],
)
def test_gradients(program, args):
    check_gradient(program, args, zyg.pullback)
    expected = zyg.pullback(program, *args)[1](1.0)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for found, known in zip(zyg.gradient(program, *args), expected, strict=True):
        np.testing.assert_allclose(found, known, rtol=1e-12)


def test_operands_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        zyg.gradient(differences_by_one, real(5), real(3))


def test_items_that_nobody_reads_are_not_computed():
    text = str(zyg.code_gradient(lambda x, c: np.sum(c * np.diff(x)), real(4), real(4)))
    assert "* np.diff(" not in text
    text = str(zyg.code_gradient(lambda x: np.sum(WEIGHTS * np.diff(x)), real(6)))
    assert "np.diff(" not in text


def of_a_product(x):
    y = x * x
    total = 0.0
    for _ in range(3):
        total = total + np.sum(y)
    return total


def of_a_root_in_a_branch(x):
    y = np.sqrt(x)
    total = 0.0
    for i in range(3):
        if i != 1:
            total = total + np.sum(y) * i
    return total


@pytest.mark.parametrize("program", [of_a_product, of_a_root_in_a_branch])
def test_shapes_are_known_before_the_loops_that_read_them(program):
    x = np.array([0.5, 2.0])
    (joint,) = zyg.gradient(program, x)
    _, back = zyg.pullback(program, x)
    np.testing.assert_allclose(joint, back(1.0)[0], rtol=1e-14)
    check_gradient(program, (x,), zyg.pullback)
