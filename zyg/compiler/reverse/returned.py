"""What a differentiated function returns: its value, checked where it is a loss, and its gradients.

A function that changes what it is given returns the last versions of that behind its value.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Block, Call, Const, Operand, Value, Yield, operands_of, type_of
from ir.rewrite import count_uses
from ir.types import Known, Tuple, Type, Union
from zyg.array_type import Array
from zyg.compiler.activity import Flow
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.forward.forward_steps import StructureStep
from zyg.compiler.reverse.cotangent_types import seed_type, tangent_type
from zyg.compiler.reverse.saving import holds_memory
from zyg.compiler.reverse.transpose import Transposer
from zyg.compiler.specialisation import Specialisation
from zyg.cotangents import cotangent, cotangent_items
from zyg.held.keeping import kept
from zyg.rules.registry import adjoint, constant


def inputs_without_heap(
    made: Specialisation, augmenter: Augmenter, result: Operand
) -> tuple[bool, Operand]:
    """Whether a function changes objects, and what it returns beside the heap."""
    if made.heap is None or made.heap not in made.updates or not isinstance(result, Value):
        return False, result
    parts = augmenter.parts(result)
    assert parts is not None, "the body ends in the tuple of the value and the versions"
    parts.pop(1 + made.updates.index(made.heap))
    if len(parts) == 1:
        return True, parts[0]
    whole = Value(result.name, made.returned_type)
    call = Call(Const(primitives.build_tuple), parts, {}, [whole])
    augmenter._define(call)
    augmenter.varied.add(whole)
    augmenter.steps.append(StructureStep(call))
    return True, whole


def value_of(transposer: Transposer, result: Operand) -> Operand:
    """The value of a function that returns the last versions of what it changes behind it."""
    if not isinstance(result, Value):
        return result  # it always raises
    parts = transposer.parts(result)
    assert parts is not None, "the body ends in the tuple of the value and the versions"
    return parts[0]


def bar_of_input(
    made: Specialisation, transposer: Transposer, value: Value, number: int,
    is_begun: bool = False,
) -> Operand:
    """The cotangent of an input that a back function gives: no structural zero of a number."""
    bar = transposer.bars.get(value)
    whole = transposer.zero(value) if bar is None else bar
    return transposer.completed(whole, value, is_begun or _gives_container(made, number))


def _gives_container(made: Specialisation, number: int) -> bool:
    """Whether there are none in a list or dict either: in one that the function changes, since it
    is given such a one for what stood there behind the call."""
    return made.heap is None and number in made.handed_out


def bar_type(made: Specialisation, number: int) -> Type:
    """The type of the cotangent that a back function gives for an input."""
    typed = seed_type if _gives_container(made, number) else tangent_type
    return typed(made.inputs[number])


# What gives a new array, or changes one that nobody else knows.
_SUMS = (cotangent.add, cotangent.subtract, cotangent_items.add_at)


def in_own_memory(transposer: Transposer, bar: Operand) -> Operand:
    """A gradient that shares no memory with anything: the user may change what `gradient` gives."""
    if not isinstance(bar, Value) or not holds_memory(bar.type):
        return bar
    made = transposer.definitions.get(bar)
    if isinstance(made, Call) and isinstance(made.callee, Const):
        is_array = type(bar.type).__name__ == "Array"
        if is_array and (facts.is_fresh(made) or made.callee.value in _SUMS):
            return bar
    return transposer.call(kept, bar)


def new_arrays(
    body: Block, differentiated: Specialisation, active: Flow, wants_value: bool
) -> frozenset[int]:
    """The numbers of those gradients of a joint form that are new arrays of the dtype and rank of
    their inputs, which nothing else reads: the user can have them, if their shapes are right."""
    made = {value: op for op in body.ops for value in op.results}

    def parts(operand: Operand) -> list[Operand]:
        op = made.get(operand) if isinstance(operand, Value) else None
        is_tuple = isinstance(op, Call) and type_of(op.callee) == Known(primitives.build_tuple)
        return operands_of(op)[1:] if op is not None and is_tuple else []

    bars = parts(body.exit.values[0]) if isinstance(body.exit, Yield) else []
    if wants_value and bars:
        bars = parts(bars[-1])
    if not bars:  # no tuple that was built here
        return frozenset()
    inputs = [differentiated.inputs[i] for i in differentiated.with_bars(active)]
    uses = count_uses(body)

    def is_new(bar: Operand, like: Type) -> bool:
        call = made.get(bar) if isinstance(bar, Value) and uses[bar] == 1 else None
        type_ = type_of(bar)
        return (
            isinstance(call, Call) and facts.is_fresh(call)
            and isinstance(type_, Array) and isinstance(like, Array)
            and type_.dims is not None and like.dims is not None
            and len(type_.dims) == len(like.dims) > 0 and type_.dtype == like.dtype
        )

    return frozenset(i for i, pair in enumerate(zip(bars, inputs, strict=True)) if is_new(*pair))


def versions_behind_of(transposer: Transposer, result: Operand) -> list[Operand]:
    parts = transposer.parts(result) if isinstance(result, Value) else None
    return [] if parts is None else parts[1:]


def checked_loss(
    transposer: Transposer, result: Operand, wants_value: bool
) -> tuple[Operand, Operand]:
    """The value of a function whose gradient is asked for, checked, and the seed of its adjoint.

    With the value, a tuple is a loss and what else the function wants to tell.
    """
    type_ = type_of(result)
    if _is_real_scalar(type_):
        return result, Const(1.0)
    if wants_value and isinstance(type_, Tuple) and type_.items:
        loss = transposer.call(operator.getitem, result, Const(0))
        if not _is_real_scalar(type_of(loss)):
            transposer.call(real_scalar, loss)
        rest = [Const(None)] * (len(type_.items) - 1)
        return result, transposer.call(primitives.build_tuple, Const(1.0), *rest)
    if wants_value:
        value = transposer.call(loss_and_rest, result)
        return value, transposer.call(unit_seed, result)
    return transposer.call(real_scalar, result), Const(1.0)


def seed_name(result: Operand) -> str:
    if isinstance(result, Value):
        return "y_bar" if result.name == "t" else f"{result.name}_bar"
    return "_" if result.value is None else "y_bar"


def _is_real_scalar(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_real_scalar, type_.members))
    cls = getattr(type_, "cls", type(type_.value) if isinstance(type_, Known) else None)
    return cls in (float, int) or (isinstance(cls, type) and issubclass(cls, np.floating))


# What generated code asks where types did not tell.


def loss_and_rest(y: Any) -> Any:
    """A result whose first entry, or which itself, is a real scalar."""
    real_scalar(y[0] if isinstance(y, tuple) and y else y)
    return y


def unit_seed(y: Any) -> Any:
    """The seed of a loss: one, and the structural zero for what else was returned."""
    return (1.0, *[None] * (len(y) - 1)) if isinstance(y, tuple) else 1.0


@adjoint(loss_and_rest)
def _loss_and_rest_rule(y: Any) -> Any:
    return loss_and_rest(y), lambda y_bar: (y_bar,)


def real_scalar(y: Any) -> Any:
    """The result of a function whose gradient is asked for: a real number or 0-d array."""
    if isinstance(y, int | float | np.integer | np.floating) and not isinstance(y, bool):
        return y
    if isinstance(y, np.ndarray) and y.ndim == 0 and y.dtype.kind in "fiu":
        return y
    kind = f"an array of shape {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
    raise TypeError(
        f"gradient needs a function that returns a real scalar, this one returned {kind}; "
        "use zyg.jacobian, or zyg.pullback with a seed of that shape"
    )


@adjoint(real_scalar)
def _real_scalar_rule(y: Any) -> Any:
    return real_scalar(y), lambda y_bar: y_bar


constant(unit_seed)
