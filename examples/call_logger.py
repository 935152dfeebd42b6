"""A function that tells what it calls: `ir` used alone, for something other than derivatives.

    def mean(x, y):                      def mean(x, y):
        return (x + y) / 2                   t = x + y
                                             note(operator.add, (x, y), t)
                                             t_2 = t / 2
                                             note(operator.truediv, (t, 2), t_2)
                                             return t_2

Everything computed is a `Call` in the IR, operators and items included, so that one loop over
the blocks of a function reaches all of it. Run it with `python -m examples.call_logger`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import ir
from ir import primitives
from ir.builder import Builder
from ir.core import Call, Op, Value, named
from ir.rewrite import blocks, clone

# Calls that stand for the syntax of names and conditions.
SYNTAX = (primitives.load_global, getattr, operator.truth)


def logged(function: FunctionType, write: Callable[[str], object]) -> FunctionType:
    """A copy of a function that writes each call that it makes, with operands and result.

    The calls inside the functions that it calls, or that it defines, are not its own.
    """

    def note(callee: Any, args: Any, kwargs: Any, result: Any) -> None:
        operands = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
        write(f"{named(callee)}({', '.join(operands)}) = {result!r}")

    # What `parse` gives is shared by all who parse the function: only a clone may be changed.
    copied = clone(ir.parse(function))
    for block in blocks(copied.body):
        block.ops = [new for op in block.ops for new in with_note(op, note)]
    ir.verify(copied)
    return ir.load(copied, like=function)


def with_note(op: Op, note: Callable[..., None]) -> list[Op]:
    """An operation, and after a call the call that notes it."""
    if not isinstance(op, Call) or getattr(op.callee, "value", None) in SYNTAX:
        return [op]
    after = Builder()
    after.loc = op.loc
    args = after.call(primitives.build_tuple, *op.args)
    pairs = [part for name, arg in op.kwargs.items() for part in (ir.Const(name), arg)]
    kwargs = after.call(primitives.build_dict, *pairs)
    # Several results are the items of a tuple that was unpacked.
    result = op.results[0] if len(op.results) == 1 else after.call(
        primitives.build_tuple, *op.results
    )
    after.calls(note, [op.callee, args, kwargs, result], [Value("noted")])
    return [op, *after.ops]


def newton(square: float, steps: int) -> float:
    """The square root by Newton's method: what `main` looks into."""
    root = square
    for _ in range(steps):
        if math.isclose(root * root, square, rel_tol=1e-9):
            break
        root = (root + square / root) / 2
    return root


def main() -> list[str]:
    """Prints and gives what `newton(2.0, 2)` calls."""
    lines: list[str] = []
    newton_logged = logged(newton, lines.append)
    assert newton_logged(2.0, 2) == newton(2.0, 2)
    print("\n".join(lines))
    return lines


if __name__ == "__main__":
    main()
