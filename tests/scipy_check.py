"""Checks one row of the tables of SciPy: by its rule, and by what the compiler makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np

import zyg
from tests.rule_check import check_differences, check_rule, differentiable, noise
from tests.rule_row import Row
from zyg.rules import registry


def check_row(row: Row) -> None:
    """Raises AssertionError where the derivatives of a call are not those of differences."""
    rule = registry.rule_of(row.callee)
    if rule is not None:
        check_rule(rule, row.call, row.args, row.kwargs)
    check_compiled(row)


def check_compiled(row: Row) -> None:
    """What the compiler makes of a call: its value, and the gradients."""
    y, back = zyg.pullback(lambda *args: row.callee(*args, **row.kwargs), *row.args)
    check_close(y, row.call(*row.args))
    random = np.random.default_rng(7)
    seed = noise(y, random)
    pairs = zip(row.args, back(seed), strict=True)
    bars = tuple(bar if differentiable(x, None) else None for x, bar in pairs)
    check_differences(row.call, y, seed, row.args, bars, random)


def check_close(y: Any, expected: Any) -> None:
    if isinstance(y, tuple):
        for one, other in zip(y, expected, strict=True):
            check_close(one, other)
    else:
        assert np.shape(y) == np.shape(expected) and np.result_type(y) == np.result_type(expected)
        np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-14)
