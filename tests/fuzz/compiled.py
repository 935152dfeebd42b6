"""The compiler's derivative of a random program: the primitives have rules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import zyg
from ir import facts
from ir.types import TOP, Type
from tests.fuzz import field
from tests.fuzz.field import P
from tests.fuzz.oracles import Derivatives, Run
from tests.fuzz.program import Inputs, Program, flat, loaded, outputs, with_arrays
from zyg.array_type import Array


@zyg.adjoint(field.add)
def _add(a, b):
    return field.add(a, b), lambda c: (c % P, c % P)


@zyg.adjoint(field.sub)
def _sub(a, b):
    return field.sub(a, b), lambda c: (c % P, -c % P)


@zyg.adjoint(field.mul)
def _mul(a, b):
    return field.mul(a, b), lambda c: (c % P * (b % P) % P, c % P * (a % P) % P)


@zyg.adjoint(field.neg)
def _neg(a):
    return field.neg(a), lambda c: -c % P


residue = zyg.nograd(field.residue)
chosen = zyg.nograd(field.chosen)


# Cotangents are reduced by primitives too, so that derivatives of these rules stay exact.


def fitted(bar: Any, operand: Any) -> Any:
    """The cotangent of the second operand, which may be a number that all items were combined
    with."""
    return field.reduced(bar) if np.ndim(operand) else np.sum(bar) % P


@zyg.adjoint(field.plus)
def _plus(x, y):
    return field.plus(x, y), lambda c: (field.reduced(c), fitted(c, y))


@zyg.adjoint(field.minus)
def _minus(x, y):
    return field.minus(x, y), lambda c: (field.reduced(c), fitted(-c, y))


@zyg.adjoint(field.times)
def _times(x, y):
    return field.times(x, y), lambda c: (field.times(c, y), fitted(field.times(c, x), y))


@zyg.adjoint(field.reduced)
def _reduced(x):
    return field.reduced(x), lambda c: field.reduced(c)


ON_ARRAYS = field.plus, field.minus, field.times, field.reduced
facts.pure(*ON_ARRAYS)
facts.fresh(*ON_ARRAYS)


@facts.result(*ON_ARRAYS)
def _array_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if isinstance(args[0], Array) else TOP


@contextmanager
def by_zyg(program: Program) -> Iterator[Run]:
    """Compiles the program anew, once for all its inputs."""
    zyg.cache_clear()
    with loaded(program.source, residue=residue, chosen=chosen) as f:

        def run(inputs: Inputs) -> Derivatives:
            arguments = with_arrays(inputs, flat(inputs), float)
            value, back = zyg._pullback(f, *arguments)
            left = tuple(outputs(value, arguments))
            first, second = (flat_bars(back(1.0), inputs) for _ in range(2))
            assert first == second, f"called again, back gives {second}, not {first}"
            assert left == tuple(outputs(value, arguments)), "back changes an argument"
            return left, first

        yield run


def flat_bars(bars: Any, inputs: Inputs) -> tuple[Any, ...]:
    _, *derivatives = bars
    return tuple(flat(
        (None,) * np.size(x) if bar is None else tuple(np.ravel(bar).tolist())
        for bar, x in zip(derivatives, inputs, strict=True)
    ))
