"""Reads, stores and changes of what objects hold, run backwards: by the table of cotangents.

    y = o.x           heap_bar.add(o, 'x', y_bar)
    o.x = v           v_bar = heap_bar.take(o, 'x')
    o.xs.append(v)    v_bar = appended_bar(heap_bar, change)
"""

from __future__ import annotations

from typing import Any

from ir import primitives
from ir.core import Call, Const, Op, Operand, Value, type_of
from zyg.compiler.forward.forward_steps import (
    ChangeStep,
    ContentsStep,
    HeapStep,
    ItemStep,
    SeenStep,
    StoreStep,
)
from zyg.compiler.reverse.branches import BranchTransposer
from zyg.compiler.reverse.cotangent_types import bar_name, tangent_type
from zyg.cotangents import cotangent, cotangent_items
from zyg.held import shadow_calls, shadow_items


class HeapTransposer(BranchTransposer):
    """Builds the adjoints of what is done with objects."""

    def _heap_step(self, step: HeapStep) -> None:
        self.loc = step.loc
        if isinstance(step, StoreStep):
            if self._counts_what_is_stored():
                self._store_step(step)
            return
        if isinstance(step, ChangeStep):
            self._change_step(step)
            return
        bar = self.bars.pop(step.result, None)
        if bar is None:
            return
        if isinstance(step, ItemStep):
            if step.item is not None:
                bar = self.call(shadow_calls.absorb, self.heap_bar(), step.item, bar)
            operands = [step.held, step.index, bar]
            rest = self.call(shadow_calls.absorb_item, self.heap_bar(), *operands)
            known = self.bars.get(step.container)
            # None where an object holds it, which those know who have read it.
            self.bars[step.container] = rest if known is None else self.call(
                cotangent.accumulate, known, rest
            )
            return
        if isinstance(step, ContentsStep):
            rest = self.call(shadow_calls.absorb, self.heap_bar(), step.held, bar)
            self.add(step.value, rest)
            return
        if isinstance(step, SeenStep):
            self.add(step.value, self.leave_to_objects(step.seen, bar))
            return
        place = [step.obj, Const(step.name)]
        if step.held is None:
            self.call(shadow_calls.add, self.heap_bar(), *place, bar)
            return
        hot = self._taken_back(bar) if self.surroundings.holds_at_run_time() else None
        if hot is None:
            self.call(shadow_calls.add_held, self.heap_bar(), *place, bar, step.held)
        else:
            item_bar, _, index = hot.args
            operands = [*place, item_bar, step.held, index]
            self.call(shadow_items.add_held_item, self.heap_bar(), *operands)

    def _taken_back(self, bar: Operand) -> Call | None:
        """The call that has made the cotangent of a container of that of an item, just now and for
        nobody else: it isn't needed."""
        end = len(self.ops)
        while end and _is_call(self.ops[end - 1], primitives.build_tuple, bar):
            end -= 1  # what the rule gave, of which the parts were taken
        op = self.ops[end - 1] if end else None
        if not isinstance(op, Call) or not _is_call(op, cotangent_items.one_hot):
            return None
        if bar is not op.result or any(other is bar for other in self.bars.values()):
            return None
        del self.ops[end - 1 :]
        return op

    def _counts_what_is_stored(self) -> bool:
        """Whether something is read behind a store, or memory is known from it by its identity."""
        return self.heap in self.bars or self.surroundings.holds_at_run_time()

    def _store_step(self, step: StoreStep) -> None:
        value = step.value
        place = [self.heap_bar(), step.obj, Const(step.name)]
        if step.held is not None and step.newly is not None and value is not None:
            operands = [*place, step.held, step.newly]
            self.add(value, self.call(shadow_calls.release, *operands, name=bar_name(value)))
        elif value is None:
            self.call(shadow_calls.take, *place, name="t")
        else:
            self._take(value, shadow_calls.take, place)

    def _change_step(self, step: ChangeStep) -> None:
        operands: list[Operand] = [self.heap_bar(), step.change]
        if step.value is None:
            self.call(step.bar_of, *operands)
        else:
            self._take(step.value, step.bar_of, operands)

    def _take(self, value: Operand, function: Any, operands: list[Operand]) -> None:
        """Takes the cotangent of what was put there, by a function that gives its last operand
        where there is none: the zero of a number."""
        zero = self.zero(value)
        # A tuple of numbers may come with a part that nobody has added to.
        is_number = isinstance(zero, Const) and isinstance(zero.value, int | float | complex)
        default = [zero] if is_number else []
        taken = self.call(function, *operands, *default, name=bar_name(value))
        if is_number and isinstance(taken, Value):
            taken.type = tangent_type(type_of(value))
        self.add(value, taken)


def _is_call(op: Op, callee: object, *args: Operand) -> bool:
    """Whether an operation is a call of a function, with these among its operands."""
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee and (
        all(any(arg is own for own in op.args) for arg in args)
    )
