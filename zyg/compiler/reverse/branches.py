"""The adjoint of a branch: the adjoints of its arms, of which that runs whose arm has run.

    if c: z = y * x                  if c: x_bar += z_bar * y; y_bar = z_bar * x
    else: z = y                      else: y_bar = z_bar

What an adjoint arm reads of its forward arm is handed out as a further result of the branch.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ir.core import Block, Branch, Call, Const, If, Op, Operand, Raise, Try, Value, Yield, type_of
from ir.late import late
from ir.rewrite import defined, substitute
from ir.types import Scalar, Type, class_of, join, widen
from zyg.compiler.forward.forward_steps import BranchStep, touches_heap, works_on_heap
from zyg.compiler.reverse.cotangent_types import NONE
from zyg.compiler.reverse.loops import LoopTransposer

if TYPE_CHECKING:
    from zyg.compiler.run_time import refusals
else:  # it is for calls that are found at run time
    refusals = late("zyg.compiler.run_time.refusals")


def may_grow(type_: Type) -> bool:
    """Whether a value is a container whose length changes in place."""
    return class_of(type_) in (list, deque)


class BranchTransposer(LoopTransposer):
    """Builds the adjoints of `if` and `try`."""

    def _branch_step(self, step: BranchStep) -> None:
        op = step.op
        seeds = [
            (i, self.bars.pop(result)) for i, result in enumerate(op.results)
            if result in self.bars
        ]
        crossing = self.crossing(op)
        if not seeds and not crossing and not any(map(works_on_heap, step.arms)):
            return
        if self.heap is not None and any(map(touches_heap, step.arms)):
            self.heap_bar()  # of which the arms take no copy of their own
        outer_ops, outer_bars = self.ops, self.bars
        arms: list[tuple[Block, list[Op], dict[Value, Operand]]] = []
        for arm, (block, steps) in enumerate(zip(op.blocks, step.arms, strict=True)):
            if isinstance(block.exit, Raise):
                continue
            self.ops, self.bars = [], dict(outer_bars)
            self.enter(op, crossing, arm)
            for i, bar in seeds:
                self.add(block.exit.values[i], bar)
            self.transpose(steps)
            self.leave(op, crossing)
            for param in block.params:  # the exception that a handler gets
                held = self.bars.pop(param, None)
                if held is not None:
                    self.surroundings.follow_errors(op.loc)
                    self.call(refusals.refuse_payload, held)
            inside = defined(block) | self.own_keys(block)
            changed = {
                value: bar for value, bar in self.bars.items()
                if value not in inside and outer_bars.get(value) is not bar
            }
            arms.append((block, self.ops, changed))
        self.ops, self.bars = outer_ops, outer_bars
        self.left(op, crossing)
        if len(arms) == 1:
            self._only_arm(op, *arms[0])
            return
        targets = list(dict.fromkeys(value for _, _, changed in arms for value in changed))
        yields: list[list[Operand]] = []
        blocks: list[Block] = []
        for _, ops, changed in arms:
            self.ops = ops
            values = [
                changed.get(v) or self.bars.get(v) or self._zero_in_arm(op, v) for v in targets
            ]
            blocks.append(Block([], self.ops, Yield(values)))
            yields.append(values)
        self.ops = outer_ops
        if not targets and not any(block.ops for block in blocks):
            return
        self._export_arms(op, [block for block, _, _ in arms], blocks)
        results = [
            Value(self.name_of_bar(v), join(widen(type_of(a)), widen(type_of(b))))
            for v, a, b in zip(targets, *yields, strict=True)
        ]
        cond = op.cond if isinstance(op, If) else self._completed(op)
        self._define(If(cond, blocks[0], blocks[1], results, op.loc))
        self.bars.update(zip(targets, results, strict=True))

    def _zero_in_arm(self, op: Branch, value: Value) -> Operand:
        """What an arm gives a value that it doesn't read. Memory whose contents are followed is
        read by what stands for these, and has no cotangent: one of another time might be longer.
        """
        if (
            isinstance(op, If) and self.heap is not None and may_grow(value.type)
            and not self.surroundings.holds_at_run_time()
        ):
            made = self.definitions.get(op.cond) if isinstance(op.cond, Value) else None
            callee = made.callee if isinstance(made, Call) else None
            if isinstance(callee, Const) and callee.value is self.surroundings.is_followed:
                return NONE
        return self.zero(value)

    def _completed(self, op: Try) -> Value:
        """Whether the body has come to its end; handed out for the adjoint to read."""
        completed = Value("completed", Scalar(bool))
        op.results.append(completed)
        self.exported.add(completed)
        self.definitions[completed] = op
        for block, value in zip(op.blocks, (True, False), strict=True):
            if isinstance(block.exit, Yield):
                block.exit.values.append(Const(value))
        return completed

    def _only_arm(
        self, op: Branch, block: Block, ops: list[Op], changed: dict[Value, Operand]
    ) -> None:
        """The other arm raised: this one has run, and nothing needs to be told apart."""
        adjoint = Block([], ops, Yield(list(changed.values())))
        self._export_arms(op, [block], [adjoint])
        self.ops += adjoint.ops
        assert isinstance(adjoint.exit, Yield)
        self.bars.update(zip(changed, adjoint.exit.values, strict=True))

    def _export_arms(self, op: Branch, arms: list[Block], adjoints: list[Block]) -> None:
        """Hands what adjoint arms read of their forward arms out of the branch, slot by slot."""
        slots: list[Value] = []
        for arm, adjoint in zip(arms, adjoints, strict=True):
            taken: set[Value] = set()
            inside = defined(arm)
            needed = self._recomputed(adjoint, arm, inside)
            mapping: dict[Value, Operand] = {}
            for value in needed:
                slot = next((s for s in slots if s not in taken and s.type == value.type), None)
                if slot is None:
                    slot = Value(value.name, value.type)
                    slots.append(slot)
                    self.exported.add(slot)
                    op.results.append(slot)
                    self.definitions[slot] = op
                    for block in op.blocks:
                        if isinstance(block.exit, Yield):
                            block.exit.values.append(NONE)
                taken.add(slot)
                mapping[value] = slot
                index = op.results.index(slot)
                assert isinstance(arm.exit, Yield)
                arm.exit.values[index] = value
            substitute(adjoint, mapping)
