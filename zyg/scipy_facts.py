"""What inference knows about SciPy's linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.types import TOP, Type
from zyg.numpy_example import by_example
from zyg.permissions import keep_arguments


def typed_like(function: Any, of_numpy: Any, data: int) -> None:
    """Results have the type that NumPy's function of the same meaning has, for `data` arrays."""
    result_of = facts.result_of(of_numpy)
    assert result_of is not None

    def result(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        return result_of(args[:data], {}) if len(args) >= data else TOP

    facts.pure(function)
    facts.fresh(function)
    facts.result(function)(result)


def of_linear_algebra(linalg: Any) -> None:
    keep_arguments(vars(linalg).values())
    for function in (linalg.solve, linalg.solve_triangular):
        typed_like(function, np.linalg.solve, 2)
    for function in (linalg.inv, linalg.cholesky, linalg.expm):
        typed_like(function, np.linalg.inv, 1)
    facts.pure(linalg.det)
    facts.result(linalg.det)(by_example(linalg.det))
