"""What inference knows of the calls that `ir.syntax.attempts` puts into a program.

    items = attempted(xs)               items = xs          a list can't fail half way
    error = failure_of(items, error)    error = error
"""

from __future__ import annotations

from ir import facts, try_primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special, typed
from ir.inference.typed_calls import TypedCalls
from ir.types import TOP, Known, Sequence, Tuple, Type, Union

facts.pure(try_primitives.catching, try_primitives.catching_found)


def never_fails(type_: Type) -> bool:
    """Whether iterating over such a value raises nothing."""
    match type_:
        case Known(value):
            return isinstance(value, tuple | list | str | bytes | range)
        case Union(members):
            return all(map(never_fails, members))
        case _:
            pass
    return isinstance(type_, Sequence | Tuple) or bool(getattr(type_, "dims", None))


def _never_fails(inference: TypedCalls, items: Operand) -> bool:
    if never_fails(type_of(items)):
        return True
    made = inference.definitions.get(items) if isinstance(items, Value) else None
    if not isinstance(made, Call) or not isinstance(made.callee, Const) or made.kwargs:
        return False
    is_lazy = any(made.callee.value is function for function in (zip, enumerate, reversed))
    return is_lazy and all(_never_fails(inference, arg) for arg in made.args)


@special(try_primitives.attempted)
def _attempted(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    return args if _never_fails(self, args[0]) else None


@special(try_primitives.catching)
def _catching(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    variant = self.surroundings.catching(type_of(args[0]))
    return typed(self, try_primitives.catching, args, names, loc, variant or TOP)


@special(try_primitives.catching_found)
def _catching_found(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    return typed(self, try_primitives.catching_found, args, names, loc, TOP)


@special(try_primitives.failure_of)
def _failure_of(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    return args[1:] if _never_fails(self, args[0]) else None
