"""The types of calls in the table of rules: each covers what the call gives.

A row is a program, `y = callee(...)`, whose type inference finds: by the facts of the callee, by
its rule or by the code that stands for it. The value is looked at that compiled code computes, and
that of the callee itself. The facts are also asked about arrays of unknown sizes, of other dtypes
and of one item or none, which most rules that find types by example have to get right.
"""

from __future__ import annotations

import itertools
import linecache
import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import zyg
from ir import facts
from ir.core import type_of
from ir.types import TOP, Known, Tuple, Type
from tests import (
    rule_rows_composites,
    rule_rows_scipy_linalg,
    rule_rows_scipy_signal,
    rule_rows_special,
    rule_rows_stats,
)
from tests.abstract_values import covers
from tests.compiled_row import is_inexact, written
from tests.rule_row import Row
from tests.rule_table import ROWS
from zyg.array_type import ANY, Array
from zyg.facts.numpy_example import BY_VALUE
from zyg.signature import abstract

_numbers = itertools.count()

TABLES = (
    "rule_rows_composites sums polynomials rearranged sets of_matrices",
    "rule_rows_scipy_linalg solutions banded equations matrices factorisations composites",
    "rule_rows_scipy_signal transforms convolutions filters",
    "rule_rows_special of_one of_one_more of_several with_parameters with_more_parameters "
    "at_other_places",
    "rule_rows_stats continuous discrete vectors",
)
MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        rule_rows_composites, rule_rows_scipy_linalg, rule_rows_scipy_signal, rule_rows_special,
        rule_rows_stats,
    )
}


def rows_of(table: str) -> list[Row]:
    module, *names = table.split()
    return [row for name in names for row in getattr(MODULES[module], name)()]


GROUPS: dict[str, list[Row]] = defaultdict(list)
for _row in itertools.chain(ROWS, *map(rows_of, TABLES)):
    GROUPS[str(_row).partition("(")[0]].append(_row)


def program(row: Row) -> tuple[Any, list[Any]]:
    """The row as a function of what has a derivative."""
    parameters: dict[str, Any] = {}
    names: dict[str, Any] = {"callee": row.callee}

    def argument(place: str, x: Any) -> str:
        """Lists stand where a user would write them."""
        if isinstance(x, list | tuple) and is_inexact(x):
            items = "".join(argument(f"{place}_{i}", item) + ", " for i, item in enumerate(x))
            return f"[{items}]" if type(x) is list else f"({items})"
        if is_inexact(x):
            parameters[place] = x
            return place
        return written(x, names)

    arguments = [argument(f"x{i}", x) for i, x in enumerate(row.args)]
    arguments += [f"{key}={written(x, names)}" for key, x in row.kwargs.items()]
    is_call = callable(row.callee)
    call = f"callee({', '.join(arguments)})" if is_call else f"x0.{row.callee.__name__}"
    text = f"def f({', '.join(parameters)}):\n    return {call}\n"
    file = f"<row {next(_numbers)}: {row}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["f"], list(parameters.values())


def described(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value), [described(item) for item in value]
    return type(value), getattr(value, "dtype", None), np.shape(value)


# Rows of which nothing is known, and why.
BY_NUMBERS = "numbers decide whether the result is real"
BY_SIZES = "of how many dimensions the result is, sizes decide"
COTANGENTS = "of cotangents that may be containers, or none"
UNKNOWN: dict[str, str] = {
    "math.prod": "of numbers of several classes",
    "numpy.arctan2": "a list of integers may be empty, and is then an array of floats",
    "numpy.cross": "of two or three components, which the sizes don't tell",
    "numpy.cov": BY_SIZES,
    "numpy.poly": BY_NUMBERS,
    "numpy.roots": BY_NUMBERS,
    "scipy.signal._signaltools.fftconvolve": "of nothing it gives an array of one dimension",
    "scipy.signal._signaltools.oaconvolve": "of nothing it gives an array of one dimension",
    "zyg.cotangents.cotangent.filled": COTANGENTS,
    "zyg.cotangents.cotangent.sum_over": COTANGENTS,
    "zyg.cotangents.cotangent.owned": COTANGENTS,
    "zyg.cotangents.cotangent.materialised": COTANGENTS,
    "zyg.compiler.reverse.returned.real_scalar": COTANGENTS,
    "zyg.compiler.reverse.returned.loss_and_rest": COTANGENTS,
}
if hasattr(math, "sumprod"):  # of Python 3.12
    UNKNOWN["math.sumprod"] = "of nothing it gives an integer"


def is_known(type_: Type) -> bool:
    """Whether code behind a call knows what it is given."""
    return type_ != TOP and not (isinstance(type_, Array) and type_.dims is None)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.filterwarnings("ignore")
def test_values_of_programs(name: str) -> None:
    for row in GROUPS[name]:
        f, given = program(row)
        if not given:
            continue
        made = zyg.code_ir(f, *given).function
        sizes: dict[Any, int] = {}
        for parameter, x in zip(made.params, given, strict=True):
            assert covers(parameter.type, x, sizes)
        found = type_of(made.body.exit.values[0])
        computed, _ = zyg.pullback(f, *given)
        # Containers of cotangents may be of another class in generated code.
        own = [] if name.startswith("zyg.") else [row.call(*row.args)]
        for value in (*own, computed):
            assert covers(found, value, dict(sizes)), (str(row), found, described(value))
        # NumPy 1 let values decide about more dtypes.
        assert is_known(found) or name in UNKNOWN or BY_VALUE, (str(row), found)


def test_what_is_unknown_is_so() -> None:
    for name in UNKNOWN:
        found = []
        for row in GROUPS[name]:
            f, given = program(row)
            made = zyg.code_ir(f, *given).function
            found.append(type_of(made.body.exit.values[0]))
        assert not all(map(is_known, found)), name


def unnamed(type_: Type) -> Type:
    """The same of arrays whose sizes aren't known."""
    if isinstance(type_, Array) and type_.dims is not None:
        return Array(type_.dtype, (ANY,) * len(type_.dims))
    return Tuple(tuple(map(unnamed, type_.items))) if isinstance(type_, Tuple) else type_


def abstracted(x: Any) -> Type:
    """The type of an argument of a row; what a program has as a literal is known."""
    if isinstance(x, bool | int | str | slice | None | type) and not isinstance(x, np.generic):
        return Known(x)
    if isinstance(x, tuple):
        return Tuple(tuple(map(abstracted, x)))
    return unnamed(abstract(x))


def changed(x: Any, change: Any) -> Any:
    if isinstance(x, np.ndarray):
        return change(x)
    return type(x)(changed(item, change) for item in x) if type(x) in (list, tuple) else x


def cut(size: int) -> Any:
    return lambda x: x[(slice(size),) * x.ndim]


CHANGES = {
    "itself": lambda x: x,
    "of one item": cut(1),
    "of none": cut(0),
    "single": lambda x: x.astype(np.complex64 if x.dtype.kind == "c" else np.float32),
    "whole": lambda x: x if x.dtype.kind == "c" else np.ceil(x).astype(int),
    "one less": lambda x: x[0] if x.ndim and len(x) else x,
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.filterwarnings("ignore")
def test_facts_of_other_arrays(name: str) -> None:
    for row in GROUPS[name]:
        result_of = facts.result_of(row.callee)
        if result_of is None or not callable(row.callee):
            continue
        for kind, change in CHANGES.items():
            if kind == "whole" and name.startswith("zyg."):
                continue  # cotangents are no integers
            args = [changed(x, change) for x in row.args]
            options = {key: changed(x, change) for key, x in row.kwargs.items()}
            types_ = tuple(map(abstracted, args))
            named = {key: abstracted(x) for key, x in options.items()}
            found = result_of(types_, named)
            if found == TOP:
                continue
            try:
                with np.errstate(all="ignore"):
                    value = row.callee(*args, **options)
            except Exception:
                continue
            assert covers(found, value, {}), (str(row), types_, named, found, described(value))
