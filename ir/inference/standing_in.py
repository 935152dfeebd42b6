"""Operations that stand for one call of the source: branches on what one of its operands is.

    t = hit(shape, ray)     =>     c = type(shape) is Plane
                                   t = if c: yield hit(shape, ray)
                                       else: yield hit(shape, ray)

What they change is changed by that call (`ir.catching` cuts the source behind it). Where its error
is to be a value, that of each branch is one:

                                   error, t = if c: e, u = attempt(hit, shape, ray); yield e, u
                                              else: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir import try_primitives
from ir.core import Block, Call, Const, If, Op, Operand, Raise, Value, Yield
from ir.errors import Unsupported
from ir.primitives import UNBOUND
from ir.rewrite import Mapping

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

NONE = Const(None)


def standing_in(
    self: TypedCalls, ops: list[Op], mapping: Mapping, results: list[Value]
) -> list[Operand]:
    """The results of operations that are appended in the place of the call that is typed: unbound
    ones where all of them raise."""
    attempting, self.attempting = self.attempting, None
    is_standing_in, self.is_standing_in = self.is_standing_in, True
    error: Operand = NONE
    try:
        if attempting is not None and len(results) == 1:
            ops, error = _attempted(ops, results[0])
        if any(self.op(op, mapping) is not None for op in ops):
            return [Const(UNBOUND) for _ in results]
    finally:
        self.attempting, self.is_standing_in = attempting, is_standing_in
    failed = mapping.get(error, error) if isinstance(error, Value) else error
    if isinstance(failed, Value):
        assert attempting is not None
        if attempting.error is not None:
            raise Unsupported(
                "one operation calls several functions that change something and may fail, where "
                "a handler goes on", ops[-1].loc, advice="call them in statements of their own",
            )
        attempting.error = failed
    return [mapping[result] for result in results]


def _attempted(ops: list[Op], result: Value) -> tuple[list[Op], Operand]:
    """The operations, the last of which gives an error or None beside its result."""
    match ops:
        case [*before, Call(callee, args, kwargs, [made], loc)] if made is result:
            error = Value("error")
            attempt = Const(try_primitives.attempt)
            return [*before, Call(attempt, [callee, *args], kwargs, [error, made], loc)], error
        case [*before, If(cond, _, _, [made], loc) as op] if made is result:
            error = Value("error")
            then, orelse = map(_arm, op.blocks)
            return [*before, If(cond, then, orelse, [error, made], loc)], error
    return ops, NONE


def _arm(block: Block) -> Block:
    match block.exit:
        case Yield([Value() as value]):
            ops, error = _attempted(block.ops, value)
            return Block(block.params, ops, Yield([error, value]))
        case Yield([value]):
            return Block(block.params, block.ops, Yield([NONE, value]))
        case exit:
            assert isinstance(exit, Raise)
            return block
