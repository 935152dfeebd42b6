"""Tangents by the back functions of rules, which are differentiated themselves when a program runs.

    y, back = rule(x)            y_dot = the transpose of `back`, of x_dot

A back function is linear: its own pullback is its transpose, which is the map that forward mode
needs. One call of that takes the time of one call of `back`, however many numbers the value has.

Nothing but the rule says that its back function is linear, and does what its code shows. So what
both sides know is compared: the product of y_dot with a cotangent is that of x_dot with what the
back function makes of this cotangent. Where that differs, there is no tangent of this kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.compiler.run_time.rule_backs import RuleBack
from zyg.cotangents.cotangent import inexact_dtype, project, rebuilt
from zyg.cotangents.cotangent_returned import NO_SLOT
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.tangents.tangent import inner_product

Values = tuple[Any, ...]
# A value of fewer numbers is asked number by number: that needs no code.
FEW = 25


def transposed(back: RuleBack, zero: Any, dots: Values) -> Any:
    """The tangent of a call whose rule gave `back`, in the structure of the tangent `zero`.

    None where only one number after the other can tell.
    """
    if _count(zero) < FEW or not all(map(_is_numeric, dots)):
        return None
    probe = _probe(zero, np.random.default_rng(0))
    pull: Any
    try:
        bars, pull = back.nested().pullback(probe)
        given = [_as_returned(dot, bar) for dot, bar in zip(dots, bars, strict=False)]
        given += [None] * (len(bars) - len(given))
        found = project(pull(tuple(given))[1], zero)
    except (NotDifferentiable, UnsupportedSyntax):
        return None
    expected = sum(map(inner_product, bars, given))
    scale = sum(map(_size, bars, given)) + _size(probe, found)
    is_right = abs(inner_product(probe, found) - expected) <= _precision(zero, *given) * scale
    return found if is_right and np.isfinite(scale) else None


def _count(zero: Any) -> int:
    if isinstance(zero, list | tuple):
        return sum(map(_count, zero))
    return zero.size if isinstance(zero, np.ndarray) else 1


def _is_numeric(dot: Any) -> bool:
    if isinstance(dot, list | tuple):
        return all(map(_is_numeric, dot))
    return dot is None or isinstance(dot, int | float | complex | np.number | np.ndarray)


def _probe(zero: Any, generator: np.random.Generator) -> Any:
    """A cotangent in which no number is like another one."""
    if zero is None:
        return None
    if isinstance(zero, list | tuple):
        return rebuilt(zero, [_probe(part, generator) for part in zero])
    found = np.asarray(generator.uniform(0.5, 1.5, np.shape(zero)))
    if np.iscomplexobj(zero):
        found = found + 1j * generator.uniform(0.5, 1.5, np.shape(zero))
    found = found.astype(inexact_dtype(zero))
    return found if isinstance(zero, np.ndarray) else found[()]


def _as_returned(dot: Any, bar: Any) -> Any:
    """A tangent as the back function gives the cotangent: that of a list may be an array."""
    if dot is None or bar is None or bar is NO_SLOT:
        return None
    if isinstance(bar, np.ndarray) and isinstance(dot, list | tuple):
        return np.array([
            np.zeros_like(of_part) if part is None else _as_returned(part, of_part)
            for part, of_part in zip(dot, bar, strict=True)
        ])
    if isinstance(bar, list | tuple):
        return rebuilt(bar, list(map(_as_returned, dot, bar)))
    return dot


def _size(bar: Any, dot: Any) -> float:
    """How large a product of the two can be."""
    if dot is None or bar is None:
        return 0.0
    if isinstance(bar, list | tuple):
        return sum(map(_size, bar, dot))
    return float(np.sum(np.abs(bar) * np.abs(dot)))


def _precision(*parts: Any) -> float:
    """How far two products of such numbers may differ, as a part of their size."""
    found = 0.0
    for part in parts:
        if isinstance(part, list | tuple):
            found = max(found, _precision(*part))
        elif part is not None:
            found = max(found, 1000 * float(np.finfo(inexact_dtype(part)).eps))
    return found
