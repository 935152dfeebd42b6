"""Functions of samples of `scipy.stats`: values as SciPy has them, gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import stats

A = np.array([[0.3, 0.7], [1.1, 0.2], [0.45, 0.9], [0.8, 0.55], [0.6, 1.3]])
B = A[::-1, 0] ** 2 + A[:, 1]

PROGRAMS = [
    lambda a: stats.zscore(a),
    lambda a: stats.zscore(a, axis=None, ddof=1),
    lambda a: stats.zmap(a[:, 0], a[:, 1]),
    lambda a: stats.gmean(a),
    lambda a: stats.gmean(a, axis=1, weights=a * a, keepdims=True),
    lambda a: stats.hmean(a, axis=None),
    lambda a: stats.hmean(a, weights=a),
    lambda a: stats.pmean(a, 2.5),
    lambda a: stats.pmean(a, 0),
    lambda a: stats.entropy(a),
    lambda a: stats.entropy(a, a * a, base=2, axis=1),
    lambda a: stats.moment(a, 3),
    lambda a: stats.moment(a, [2, 4], axis=1),
    lambda a: stats.moment(a, 2, center=0.5),
    lambda a: stats.skew(a),
    lambda a: stats.skew(a, axis=None, bias=False),
    lambda a: stats.kurtosis(a),
    lambda a: stats.kurtosis(a, bias=False, fisher=False, keepdims=True),
    lambda a: stats.sem(a),
    lambda a: stats.sem(a, axis=None, ddof=0),
    lambda a: stats.variation(a, ddof=1),
    lambda a: stats.trim_mean(a, 0.25),
    lambda a: stats.trim_mean(a, 0.25, axis=None),
    lambda a: stats.iqr(a, axis=0),
    lambda a: stats.iqr(a, scale="normal", rng=(10, 70)),
    lambda a: stats.boxcox_llf(a[0, 0], a[:, 1]),
    lambda a: stats.boxcox_llf(0.0, a),
    lambda a: stats.boxcox(a[:, 0], 0.3),
    lambda a: stats.circmean(a),
    lambda a: stats.circmean(a, high=1.5, low=-0.5, axis=0),
    lambda a: stats.circvar(a, axis=1),
    lambda a: stats.circstd(a, high=3.0),
    lambda a: stats.pearsonr(a[:, 0], B)[0],
    lambda a: stats.pearsonr(a[:, 0], B).pvalue,
    lambda a: stats.pearsonr(B, a[:, 1]).statistic,
    lambda a: stats.linregress(a[:, 0], B).slope,
    lambda a: stats.linregress(a[:, 0], a[:, 1] ** 2)[1],
    lambda a: np.stack(list(stats.linregress(a[:, 0], a[:, 1] + B))),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_samples(program):
    value, expected = zyg.pullback(program, A)[0], program(A)
    assert np.shape(value) == np.shape(expected)
    assert np.result_type(value) == np.result_type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-14)
    zyg.check_grads(program, A, order=1)


@pytest.mark.thorough
@pytest.mark.parametrize("program", PROGRAMS)
def test_second_order(program):
    zyg.check_grads(program, A)


@pytest.mark.parametrize("program", PROGRAMS[:20])
def test_single_precision_stays(program):
    a = A.astype(np.float32)
    y, back = zyg.pullback(program, a)
    assert back(np.ones_like(y))[0].dtype == np.float32
    # Of older versions, some give double precision.
    assert np.result_type(y) in (np.float32, np.result_type(program(a)))


def test_integers():
    zyg.check_grads(lambda a, b: stats.gmean(a * b), np.array([2, 3, 4]), 1.5, order=1)
    bars = zyg.gradient(lambda a: stats.skew(a), np.array([2, 3, 7]))
    assert bars[0].dtype == np.float64


def fitted(regress, x, y, count=3):
    for i in range(count):
        if i > 1:
            y = y + 1.0
    return regress(x, y)


def test_results_of_constants():
    def f(t):
        slope, intercept, *_ = fitted(stats.linregress, A[:, 0], B)
        return slope * t + intercept * fitted(stats.pearsonr, A[:, 0], B).statistic

    zyg.check_grads(f, 0.4)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda a: stats.skew(a, nan_policy="omit")[0], "nan_policy='propagate' only"),
        (lambda a: stats.boxcox(a[:, 0])[1], "`lmbda` that is given"),
        (lambda a: stats.pearsonr(a[:, 0], B, alternative="less")[0], "'two-sided' only"),
        (lambda a: stats.linregress(a[:, 0], B).intercept_stderr, "`intercept_stderr` of"),
        (lambda a: stats.spearmanr(a[:, 0], B)[0], "spearmanr has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, A)
