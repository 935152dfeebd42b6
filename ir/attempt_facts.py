"""What inference knows of the calls that `ir.attempts` puts into a program.

    items = attempted(xs)               items = xs          a list can't fail half way
    error = failure_of(items, error)    error = error
"""

from __future__ import annotations

from ir import primitives
from ir.core import Location, Operand, type_of
from ir.infer import Inference
from ir.special_calls import Folded, special
from ir.types import Instance, Sequence, Top, Tuple, Type, Union


def never_fails(type_: Type) -> bool:
    """Whether iterating over such a value raises nothing."""
    return isinstance(type_, Sequence | Tuple) or bool(getattr(type_, "dims", None))


@special(primitives.attempted)
def _attempted(
    self: Inference, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    return args if never_fails(type_of(args[0])) else None


@special(primitives.failure_of)
def _failure_of(
    self: Inference, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    is_open = isinstance(type_of(args[0]), Top | Union | Instance)
    return None if is_open else args[1:]
