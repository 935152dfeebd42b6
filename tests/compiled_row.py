"""A row of the tables as a program for the compiler, which differentiates it twice.

    np.sum(float64[2, 3], 1, keepdims=True)

    def total(a):
        y = callee(a, 1, keepdims=True)
        return np.sum(seeds[0] * y)
    def slopes(a):
        return zyg.gradient(total, a)

What has a derivative is a parameter, the rest stands where a user would write it. A pullback of
`slopes` for fixed weights is reverse mode over reverse mode: the derivative of the sum of all first
derivatives with these weights.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import zyg
from tests.rule_row import Row

LITERALS = (bool, int, str, type(None), type(Ellipsis), slice)
_numbers = itertools.count()


def slopes_of(row: Row, seed: Any) -> Callable[..., Any] | None:
    """The gradients of the sum of a row's results with `seed`, or None if it has no derivative."""
    names, text = {"zyg": zyg, "np": np, "callee": row.callee}, []
    arguments, parameters = [], []
    for i, x in enumerate(row.args):
        if is_inexact(x):
            parameters.append(f"x{i}")
        arguments.append(f"x{i}" if is_inexact(x) else written(x, names))
    arguments += [f"{key}={written(x, names)}" for key, x in row.kwargs.items()]
    terms = list(terms_of("y", seed, names))
    if not terms or not parameters:
        return None
    is_call = callable(row.callee)
    call = f"callee({', '.join(arguments)})" if is_call else f"x0.{row.callee.__name__}"
    given = ", ".join(parameters)
    text = f"""def total({given}):
    y = {call}
    return {" + ".join(terms)}
def slopes({given}):
    return zyg.gradient(total, {given})
"""
    file = f"<program {next(_numbers)} of {row}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["slopes"]


def is_inexact(x: Any) -> bool:
    """Whether a value is, or holds, numbers that have a derivative."""
    return next(leaves_of(x), None) is not None


def leaves_of(x: Any) -> Iterator[Any]:
    """The arrays and numbers in a value that have a derivative."""
    if isinstance(x, (list, tuple)):
        for item in x:
            yield from leaves_of(item)
    elif isinstance(x, (float, complex, np.inexact, np.ndarray)):
        if np.result_type(x).kind in "fc":
            yield x


def written(x: Any, names: dict[str, Any]) -> str:
    """A constant as a user writes it: a literal, or the name of a global."""
    if isinstance(x, (list, tuple)):
        items = [written(item, names) for item in x]
        if type(x) is list:
            return f"[{', '.join(items)}]"
        return f"({', '.join(items)}{',' * (len(items) == 1)})"
    if x is ...:
        return "..."
    if isinstance(x, LITERALS) and not isinstance(x, np.generic):
        return repr(x)
    name = f"c{len(names)}"
    names[name] = x
    return name


def terms_of(place: str, seed: Any, names: dict[str, Any]) -> Iterator[str]:
    """The sum of a result's numbers with weights, a term for each array or number."""
    if isinstance(seed, (list, tuple)):
        for i, part in enumerate(seed):
            yield from terms_of(f"{place}[{i}]", part, names)
    elif seed is not None:
        product = f"{written(seed, names)} * {place}"
        if np.iscomplexobj(seed):
            product = f"np.real({written(np.conj(seed), names)} * {place})"
        yield f"np.sum({product})" if np.ndim(seed) else product
