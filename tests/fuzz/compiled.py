"""The compiler's derivative of a random program: the primitives have rules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import zyg
from tests.fuzz import field
from tests.fuzz.field import P
from tests.fuzz.oracles import Derivatives, Run
from tests.fuzz.program import Program, loaded


@zyg.adjoint(field.add)
def _add(a, b):
    return field.add(a, b), lambda c: (c % P, c % P)


@zyg.adjoint(field.sub)
def _sub(a, b):
    return field.sub(a, b), lambda c: (c % P, -c % P)


@zyg.adjoint(field.mul)
def _mul(a, b):
    return field.mul(a, b), lambda c: (c * b % P, c * a % P)


@zyg.adjoint(field.neg)
def _neg(a):
    return field.neg(a), lambda c: -c % P


residue = zyg.nograd(field.residue)


@contextmanager
def by_zyg(program: Program) -> Iterator[Run]:
    """Compiles the program anew, once for all its inputs."""
    zyg.cache_clear()
    with loaded(program.source, residue=residue) as f:

        def run(inputs: tuple[int, ...]) -> Derivatives:
            value, back = zyg._pullback(f, *inputs)
            _, *derivatives = back(1)
            return value, tuple(derivatives)

        yield run
