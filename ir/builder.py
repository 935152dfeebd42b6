"""Appends operations to a block: the one way in which passes make IR."""

from __future__ import annotations

from typing import Any

from ir.core import Block, Call, Const, Location, Op, Operand, Value, Yield
from ir.types import TOP, Type


class Operations:
    """Collects the operations of one block."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.loc: Location | None = None

    def calls(
        self,
        callee: Any,
        args: tuple[Operand, ...] | list[Operand],
        results: list[Value],
        *,
        loc: Location | None = None,
        kwargs: dict[str, Operand] | None = None,
    ) -> None:
        """Appends a call with the given results."""
        if not isinstance(callee, Value | Const):
            callee = Const(callee)
        self.append(Call(callee, list(args), kwargs or {}, results, loc or self.loc))

    def append(self, op: Op) -> None:
        self.ops.append(op)

    def block(self, params: list[Value], values: list[Operand]) -> Block:
        """The block of all that was appended, which yields these values."""
        return Block(params, self.ops, Yield(values))


class Builder(Operations):
    """Appends calls as they are, of results of given types."""

    def call(
        self,
        callee: Any,
        *args: Operand,
        name: str = "t",
        type: Type = TOP,
        loc: Location | None = None,
        **kwargs: Operand,
    ) -> Value:
        """Appends a call of one result; a callee that is no operand becomes a `Const`."""
        result = Value(name, type)
        self.calls(callee, args, [result], loc=loc, kwargs=kwargs)
        return result
