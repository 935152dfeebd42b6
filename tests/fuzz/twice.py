"""Second derivatives of random programs: the compiler's, and those of dual numbers of dual numbers.

Both are of a weighted sum of the first derivatives, by all inputs. Numbers are whole ones, in
floats, so that gradients are differentiated as they are of any program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import zyg
from ir import facts
from ir.types import Scalar, Type
from tests.fuzz import field
from tests.fuzz.compiled import chosen, flat_bars
from tests.fuzz.field import P
from tests.fuzz.oracles import DUAL_PRIMITIVES, Derivatives, Dual, Run
from tests.fuzz.program import ENTRY, Inputs, Program, flat, load, loaded, with_arrays

OUTER = "weighted_slopes"


def weight(i: int) -> int:
    """What the derivative by the number `i` of the inputs is multiplied by."""
    return 3 * i + 1


@contextmanager
def by_nested_duals(program: Program) -> Iterator[Run]:
    f = load(program.source, **DUAL_PRIMITIVES)

    def run(inputs: Inputs) -> Derivatives:
        numbers = flat(inputs)
        none = (0,) * len(numbers)
        duals = [
            Dual(
                Dual(x, tuple(int(i == j) for j in range(len(numbers)))), (Dual(weight(i), none),)
            )
            for i, x in enumerate(numbers)
        ]
        result = f(*with_arrays(inputs, duals, object))
        along = result.tangent[0] if isinstance(result, Dual) else 0
        if not isinstance(along, Dual):
            return (along % P,), none
        return (along.value % P,), along.tangent

    yield run


def add(a: float, b: float) -> float:
    return float(field.add(a, b))


def sub(a: float, b: float) -> float:
    return float(field.sub(a, b))


def mul(a: float, b: float) -> float:
    return float(field.mul(a, b))


def neg(a: float) -> float:
    return float(field.neg(a))


@zyg.adjoint(add)
def _add(a, b):
    return add(a, b), lambda c: (c, c)


@zyg.adjoint(sub)
def _sub(a, b):
    return sub(a, b), lambda c: (c, neg(c))


@zyg.adjoint(mul)
def _mul(a, b):
    return mul(a, b), lambda c: (mul(c, b), mul(c, a))


@zyg.adjoint(neg)
def _neg(a):
    return neg(a), lambda c: neg(c)


ON_NUMBERS = add, sub, mul, neg
facts.pure(*ON_NUMBERS)
residue = zyg.nograd(field.residue)
facts.pure(residue)


@facts.result(*ON_NUMBERS)
def _number_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Scalar(float)


PRIMITIVES = {f.__name__: f for f in (*ON_NUMBERS, residue, chosen)}


@contextmanager
def by_zyg_twice(program: Program) -> Iterator[Run]:
    """The derivative of the derivative, as the compiler makes it of one program."""
    zyg.cache_clear()
    with loaded(f"{program.source}\n\n{outer(program)}", OUTER, zyg=zyg, **PRIMITIVES) as f:

        def run(inputs: Inputs) -> Derivatives:
            arguments = with_arrays(inputs, map(float, flat(inputs)), float)
            value, back = zyg._pullback(f, *arguments)
            return (int(value) % P,), flat_bars(back(1.0), inputs)

        yield run


def outer(program: Program) -> str:
    """The source of a function that sums up the derivatives of a program."""
    inputs = program.inputs[0]
    names = "abcxy"[: len(inputs)]
    lines = [f"def {OUTER}({', '.join(names)}):", "    total = 0.0"]
    lines.append(f"    bars = zyg.gradient({ENTRY}, {', '.join(names)})")
    number = 0
    for i, item in enumerate(inputs):
        for place in [f"[{k}]" for k in range(len(item))] if isinstance(item, tuple) else [""]:
            lines.append(f"    total += mul({weight(number)}, bars[{i}]{place})")
            number += 1
    return "\n".join([*lines, "    return total", ""])
