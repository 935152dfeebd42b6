"""What a forward function saves for its adjoint, and how it is handed over.

    return y, (x, ys)        x, ys = saved        one value alone without the tuple

Arrays of which only the shape is read are saved as prototypes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir import facts, primitives
from ir.core import Block, Call, Const, If, Op, Operand, Try, Value, Yield, type_of
from ir.rewrite import substitute, walk
from ir.shared_names import ASIDE
from ir.types import Known, Sequence, Tuple, Type, class_of
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.cotangents import cotangent


def close_forward(forward: Block, outputs: list[Operand]) -> None:
    """Lets a forward block return its value and the tuple of what is saved."""
    value, *saved = outputs
    packed: Operand
    if len(saved) == 1:
        packed = saved[0]
    else:
        packed = _append(forward, primitives.build_tuple, saved)
    forward.exit = Yield([_append(forward, primitives.build_tuple, [value, packed])])


def _append(block: Block, callee: Callable[..., Any], args: list[Operand]) -> Value:
    result = Value("t", Tuple(tuple(map(type_of, args))))
    block.ops.append(Call(Const(callee), args, {}, [result]))
    return result


def open_adjoint(adjoint: Block, saved: list[Value]) -> None:
    """Lets an adjoint block take what was saved from its first parameter."""
    if len(saved) == 1:
        adjoint.params = [saved[0]]
    elif saved:
        whole = Value("saved", Tuple(tuple(value.type for value in saved)))
        adjoint.ops.insert(0, Call(Const(primitives.unpack), [whole, Const(len(saved))], {}, saved))
        adjoint.params = [whole]


def in_program_order(saved: list[Value], inputs: list[Value], forward: Block) -> list[Value]:
    """What is saved in the order of the program: forward and adjoint give it the same names."""
    order = {value: i for i, value in enumerate(inputs)}
    for op in walk(forward):
        for value in op.results:
            order.setdefault(value, len(order))
    return sorted(saved, key=lambda value: order.get(value, -1))


def as_prototypes(forward: Block, adjoint: Block, saved: list[Value]) -> list[Value]:
    """Saves, of arrays whose shape is all that the adjoint reads, just that."""
    result = []
    prototypes = {
        op.result for op in forward.ops
        if isinstance(op, Call) and isinstance(op.callee, Const)
        and op.callee.value is cotangent.prototype
    }
    for value in saved:
        is_array = type(value.type).__name__ == "Array" and value not in prototypes
        if is_array and reads_only_metadata(adjoint, value):
            made = Value(value.name, value.type)
            forward.ops.append(Call(Const(cotangent.prototype), [value], {}, [made]))
            substitute(adjoint, {value: made})
            value = made
        result.append(value)
    return result


def shared_with_user(forward: Block, saved: list[Value], result: Operand) -> tuple[int, ...]:
    """The positions of saved values that may be memory which the user can reach and change."""
    makers = {value: op for op in walk(forward) for value in op.results}
    is_handed_out = any(map(_hands_out_memory, makers.values()))
    return tuple(
        i for i, value in enumerate(saved)
        if is_handed_out or _may_be_shared(value, makers, result)
    )


def _hands_out_memory(op: Op) -> bool:
    """Whether an operation puts arrays into what a global holds, where the user can reach them."""
    return (
        isinstance(op, Call) and isinstance(op.callee, Const)
        and any(op.callee.value is aside for aside in ASIDE.values())
        and any(holds_memory(type_of(operand)) for operand in op.args[1:])
    )


def _may_be_shared(value: Operand, makers: dict[Value, Op], result: Operand) -> bool:
    """Whether a saved value may be memory that the user can reach and change."""
    if not isinstance(value, Value):
        return False
    made = makers.get(value)
    if not holds_memory(value.type):
        # Numbers in a list or dict of the user's.
        return class_of(value.type) in (list, dict) and (made is None or value is result)
    if value is result:
        return True
    if isinstance(made, If | Try):
        i = made.results.index(value)
        return any(
            _may_be_shared(block.exit.values[i], makers, result)
            for block in made.blocks if isinstance(block.exit, Yield)
        )
    if isinstance(made, Call) and isinstance(made.callee, Const):
        if made.callee.value is primitives.build_tuple:
            return any(_may_be_shared(arg, makers, result) for arg in made.args)
        return not facts.is_fresh(made) and made.callee.value is not (
            cotangent.prototype
        )
    return True


def holds_memory(type_: Type) -> bool:
    match type_:
        case Known():
            return False
        case Tuple(items):
            return any(map(holds_memory, items))
        case Sequence(_, item):
            return holds_memory(item)
        case _:
            return not hasattr(type_, "cls") or type(type_).__name__ == "Array"
