"""Cotangents of single items of what objects hold, or may hold: changed in place where they go.

    t = one_hot(x_bar, xs, i)
    shadows.add(o, 'xs', t)               ->    add_item(shadows, o, 'xs', x_bar, xs, i)

    t = absorb_item(shadows, seen, i, x_bar)
    t = absorb(shadows, seen, t)
    xs_bar = accumulate(xs_bar, t)        ->    add_rest_into(xs_bar, shadows, seen, i, x_bar)

A loop over the items of a list takes so long as it has items; whole cotangents of lists would take
the square of that.
"""

from __future__ import annotations

from collections.abc import Mapping

from ir.core import Block, Call, Const, If, Op, Operand, Value, Yield, blocks_of
from ir.rewrite import blocks, count_uses
from ir.simplify import is_pure
from zyg.compiler.reverse.ownership import consumes
from zyg.cotangents import cotangent, cotangent_items
from zyg.held import shadow_calls, shadow_items

consumes(shadow_items.add_rest_at, shadow_items.add_rest_into, of_all_types=True)


def add_single_items(body: Block) -> None:
    """Lets a function add what single items get to the item, not to the whole."""
    _Items(body).rewrite(body)


def leave_zeros_out(adjoint: Block) -> None:
    """Puts None in the place of zeros that nothing but a table gets, which tells it as much: what
    they are like need not be saved."""
    uses = count_uses(adjoint)
    made = {value: op for block in blocks(adjoint) for op in block.ops for value in op.results}
    for block in blocks(adjoint):
        for op in block.ops:
            if not isinstance(op, Call) or not isinstance(op.callee, Const):
                continue
            if op.callee.value in (shadow_calls.add, shadow_calls.add_held):
                bar = op.args[3]
                branch = made.get(bar) if isinstance(bar, Value) and uses[bar] == 1 else None
                if isinstance(branch, If) and isinstance(bar, Value):
                    _leave_out(branch, branch.results.index(bar), made, uses)


def _leave_out(
    branch: If, position: int, made: dict[Value, Op], uses: Mapping[Value, int]
) -> None:
    """Lets the arms of a branch yield None in the place of zeros."""
    for block in branch.blocks:
        if not isinstance(block.exit, Yield):
            continue
        value = block.exit.values[position]
        zeros = made.get(value) if isinstance(value, Value) and uses[value] == 1 else None
        if isinstance(zeros, Call) and isinstance(zeros.callee, Const):
            if zeros.callee.value is cotangent.zeros_like and any(zeros is op for op in block.ops):
                block.exit.values[position] = Const(None)
                block.ops.remove(zeros)


class _Items:
    def __init__(self, body: Block) -> None:
        self._uses = count_uses(body)
        self._gone: set[Value] = set()  # what is part of one call now
        self._made: dict[Value, Op] = {
            value: op for block in blocks(body) for op in block.ops for value in op.results
        }

    def rewrite(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Call) and isinstance(op.callee, Const):
                if op.callee.value is shadow_calls.add:
                    self._add(block, op)
                elif op.callee.value is cotangent.accumulate:
                    self._accumulate(block, op)
            for inner in blocks_of(op):
                self.rewrite(inner)
        block.ops = [op for op in block.ops if self._gone.isdisjoint(op.results)]

    def _only_read(self, operand: Operand, callee: object) -> Call | None:
        """The call of a function that makes a value which is read in one place."""
        op = self._made.get(operand) if isinstance(operand, Value) else None
        if not isinstance(op, Call) or not isinstance(op.callee, Const) or op.kwargs:
            return None
        is_it = op.callee.value is callee and self._uses[op.result] == 1
        return op if is_it else None

    def _add(self, block: Block, op: Call) -> None:
        *place, bar = op.args
        hot = self._only_read(bar, cotangent_items.one_hot)
        if hot is not None and _nothing_changes_between(block, hot, op):
            op.callee, op.args = Const(shadow_items.add_item), [*place, *hot.args]
            self._gone.add(hot.result)

    def _accumulate(self, block: Block, op: Call) -> None:
        """The sum of a cotangent with what memory that objects hold leaves of an item's."""
        for total, other in (op.args, op.args[::-1]):
            rest = self._only_read(other, shadow_calls.absorb)
            item = None if rest is None else self._only_read(rest.args[2], shadow_calls.absorb_item)
            if rest is None or item is None or item.args[1] is not rest.args[1]:
                continue
            if not _nothing_changes_between(block, item, op, rest):
                continue
            op.callee, op.args = Const(shadow_items.add_rest_at), [total, *item.args]
            self._gone |= {rest.result, item.result}
            return


def _nothing_changes_between(block: Block, first: Call, last: Call, *known: Call) -> bool:
    """Whether two operations of a block could be one: what else stands between has no effect."""
    places = [i for i, op in enumerate(block.ops) if op is first or op is last]
    if len(places) != 2:
        return False
    between = [op for op in block.ops[places[0] + 1 : places[1]] if all(op is not k for k in known)]
    return all(isinstance(op, Call) and is_pure(op) for op in between)
