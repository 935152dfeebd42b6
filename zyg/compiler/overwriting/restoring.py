"""How an adjoint follows the replicas of arrays that have a log (`zyg.compiler.overwriting.undo`).

A replica is carried like a cotangent. Where the adjoint passes a change, it is taken back; what a
back function captured of an array is read from the replica, which then holds just that version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ir.core import Block, Branch, Call, Const, For, Loop, Operand, Value, While, Yield
from ir.rewrite import count_uses, substitute
from ir.types import Type
from zyg.compiler.reverse.accumulation import Accumulation
from zyg.compiler.reverse.cotangent_types import bar_name
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.held import keeping

if TYPE_CHECKING:
    from zyg.compiler.overwriting.undo import Log
    from zyg.compiler.overwriting.versions import Chain

Made = TypeVar("Made")


class NeedsLog(Exception):
    """Some arrays are to be logged, or not to be: code has to be made again."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(numbers)
        self.numbers = numbers


def with_log(make: Callable[[list[int] | None], Made]) -> Made:
    """What `make` gives for the numbers of the arrays that get a log; None: not decided yet."""
    numbers = None
    while True:
        try:
            return make(numbers)
        except NeedsLog as decision:
            numbers = decision.numbers


class Restoring(Accumulation):
    """Keeps the replicas among the cotangents."""

    log: Log | None = None

    def begin(self, block: Block) -> None:
        """Makes the replicas of the arrays of a block, whose adjoint begins here."""
        if self.log is None:
            return
        for chain in self.log.started_in(block):
            key = self.log.keys[chain]
            self.bars[key] = self._typed(key.type, self.call(
                keeping.kept, chain.final, name=key.name
            ))
            self.log.held[chain] = chain.final

    def _typed(self, type_: Type, operand: Operand) -> Operand:
        if isinstance(operand, Value):
            operand.type = type_
        return operand

    def take_back(self, result: Value) -> None:
        """Takes back the change that made a version."""
        found = None if self.log is None else self.log.change(result)
        if self.log is None or found is None:
            return
        chain, change = found
        key = self.log.keys[chain]
        outer_loc, self.loc = self.loc, change.loc
        self.bars[key] = self._typed(
            key.type, self.log.taken_back(change, self.bars[key], self._named_call)
        )
        self.loc = outer_loc
        self.log.held[chain] = change.args[0]

    def _named_call(self, callee: object, *args: Operand) -> Operand:
        made = self.call(callee, *args)
        if isinstance(made, Value) and isinstance(args[0], Value):
            made.name = args[0].name
        return made

    def crossing(self, op: Branch | For | While) -> list[Chain]:
        return [] if self.log is None else self.log.crossing(op)

    def replicas(
        self, crossing: list[Chain], bars: dict[Value, Operand]
    ) -> dict[Value, Operand]:
        """The replicas that a loop has nothing to do with, for its body to read."""
        if self.log is None:
            return {}
        keys = [key for chain, key in self.log.keys.items() if chain not in crossing]
        return {key: bars[key] for key in keys if key in bars}

    def enter(self, op: Branch | For | While, crossing: list[Chain], arm: int) -> None:
        """Notes the versions at the end of a block, where its adjoint begins."""
        if self.log is not None:
            for chain in crossing:
                end = chain.crossings[op].yielded[arm]
                assert end is not None, "a block that raises has no adjoint"
                self.log.held[chain] = end
            self.begin(op.body if isinstance(op, Loop) else op.blocks[arm])

    def leave(self, op: Branch | For | While, crossing: list[Chain]) -> None:
        """Checks that the adjoint of a block has taken back all that the block does."""
        if self.log is not None:
            for chain in crossing:
                known = chain.crossings[op]
                start = known.before if known.param is None else known.param
                if self.log.held[chain] is not start:
                    self.log.give_up(chain)

    def left(self, op: Branch | For | While, crossing: list[Chain]) -> None:
        if self.log is not None:
            self.log.held.update((chain, chain.crossings[op].before) for chain in crossing)

    def own_keys(self, block: Block) -> set[Value]:
        """The keys of replicas of which nobody outside of a block knows."""
        if self.log is None:
            return set()
        return {self.log.keys[chain] for chain in self.log.started_in(block)}

    def is_key(self, value: Value) -> bool:
        return self.log is not None and value in self.log.keys.values()

    def name_of_bar(self, value: Value) -> str:
        return value.name if self.is_key(value) else bar_name(value)

    def read_from_replicas(
        self, mark: int, bars: list[Operand], stand_ins: dict[Value, Value]
    ) -> list[Operand]:
        """Puts what is read from replicas in the place of stand-ins, in operations since a mark.

        Where the shape is all that is read, the value itself does: its prototype is saved.
        """
        log = self.log
        assert log is not None
        made = Block([], self.ops[mark:], Yield(list(bars)))
        uses = count_uses(made)
        outer, self.ops = self.ops, []
        mapping: dict[Value, Operand] = {}
        for value, stand_in in stand_ins.items():
            found = log.source(value)
            if found is None or not uses[stand_in] or reads_only_metadata(made, stand_in):
                mapping[stand_in] = value
                continue
            chain, path = found
            operand = self.bars[log.keys[chain]]
            for call in path:
                again = Value(value.name, call.result.type)
                args = [operand, *call.args[1:]]
                self._define(Call(call.callee, args, dict(call.kwargs), [again], self.loc))
                operand = again
            kept = Value(value.name, value.type)
            self._define(Call(Const(keeping.kept), [operand], {}, [kept], self.loc))
            mapping[stand_in] = kept
        substitute(made, mapping)
        outer[mark:mark] = self.ops
        self.ops = outer
        assert isinstance(made.exit, Yield)
        return made.exit.values

    def stand_ins(self, captures: list[Operand]) -> dict[Value, Value]:
        """Stand-ins for what a back function captured of arrays that have replicas."""
        if self.log is None:
            return {}
        return {
            value: Value(value.name, value.type) for value in captures
            if isinstance(value, Value) and self.log.source(value) is not None
        }
