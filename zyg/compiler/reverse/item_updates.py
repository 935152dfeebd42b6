"""Fewer updates of the items of a buffer that an adjoint owns, where it writes in place.

    a_bar[i] = 0; a_bar[i] += v                       ->    a_bar[i] = v
    t = -v; a_bar[i] += t                             ->    a_bar[i] -= v
    insert_place(a_bar, -1, 0.0); a_bar[-1] += v      ->    a_bar.append(v)

    if c: a_bar[i] = 0; ...                                 if c: ...
    else: a_bar[i] = 0; ...                           ->    else: ...
    a_bar[i] += v                                           a_bar[i] = v
"""

from __future__ import annotations

import operator
from collections import Counter

from ir import facts
from ir.core import Block, Call, Const, If, Op, Operand, Value, Yield, operands_of, type_of
from ir.inference.typed_branches import is_same_operand as same
from ir.rewrite import blocks, count_uses, substitute, walk
from ir.types import Scalar
from zyg.compiler.reverse.consuming import (
    accumulate_into,
    add_in_into,
    add_item_into,
    append_into,
    clear_into,
    set_in_into,
    set_item_into,
    subtract_item_into,
)
from zyg.compiler.reverse.cotangent_types import is_inexact
from zyg.cotangents.cotangent_items import insert_place, taken

_UPDATES = frozenset(map(id, (add_item_into, clear_into, insert_place, set_in_into, set_item_into)))


def shorten_updates(body: Block) -> None:
    found = {
        op.callee.value for op in walk(body)
        if type(op) is Call and type(op.callee) is Const and id(op.callee.value) in _UPDATES
    }
    if not found:
        return
    uses = count_uses(body)
    if clear_into in found or set_item_into in found:
        # From inside out: what all arms clear is cleared behind them.
        for block in reversed(blocks(body)):
            _clear_behind_arms(block, uses)
    for block in blocks(body):
        if clear_into in found or set_item_into in found:
            _set_cleared(block, uses)
        if set_in_into in found:
            _set_cleared_in_rows(block, uses)
        if add_item_into in found:
            _subtract_negated(block, uses)
        if insert_place in found:
            _append_last(block, uses)


def _append_last(block: Block, uses: Counter[Value]) -> None:
    """Appends what is added to a place at the end that was made for it."""
    for made, addition in list(zip(block.ops, block.ops[1:], strict=False)):
        if not isinstance(made, Call) or not isinstance(addition, Call):
            continue
        is_added = _calls(addition, add_item_into) or _calls(addition, accumulate_into)
        if not is_added or not _calls(made, insert_place) or uses[made.result] != 1:
            continue
        is_same = addition.args[0] is made.result
        if is_same and _is_last(made.args[1]) and _is_last(addition.args[1]):
            addition.callee, addition.args = Const(append_into), [made.args[0], addition.args[2]]
            block.ops.remove(made)


def _is_last(index: Operand) -> bool:
    return isinstance(index, Const) and index.value == -1


def _subtract_negated(block: Block, uses: Counter[Value]) -> None:
    fresh = {
        op.result for op in block.ops
        if isinstance(op, Call) and facts.is_fresh(op) and uses[op.result] == 1
    }
    # What is subtracted is read later than it was: its memory must be nobody else's.
    negated = {
        op.result: op for op in block.ops
        if isinstance(op, Call) and _calls(op, operator.neg) and uses[op.result] == 1
        and (op.args[0] in fresh or isinstance(type_of(op.args[0]), Scalar))
    }
    gone = set()
    for op in block.ops:
        if isinstance(op, Call) and _calls(op, add_item_into) and op.args[2] in negated:
            negation = negated[op.args[2]]
            if is_inexact(type_of(negation.args[0])):
                op.callee = Const(subtract_item_into)
                op.args = [*op.args[:2], negation.args[0]]
                gone.add(negation)
    block.ops = [op for op in block.ops if op not in gone]


def _set_cleared(block: Block, uses: Counter[Value]) -> None:
    """Stores the first contribution to an item that was cleared, ahead of those to other items.

        a_bar[i] = 0                   a_bar[i] = v
        v = ...                  ->    a_bar[j] += w
        a_bar[j] += w
        a_bar[i] += v

    What stands there already isn't stored.
    """
    for clear in list(block.ops):
        if not isinstance(clear, Call) or not _clears(clear):
            continue
        chain = _additions(block, clear.result, uses)
        at = next((k for k, op in enumerate(chain) if same(op.args[1], clear.args[1])), None)
        if at is None:
            continue
        first, addition = chain[0], chain[at]
        made = {value for op in block.ops[: block.ops.index(first)] for value in op.results}
        later = {value for op in block.ops for value in op.results} - made
        if addition.args[2] in later or addition.args[2] is clear.result:
            continue
        store = Call(Const(set_item_into), [clear.args[0], *addition.args[1:]], {},
                     [clear.result], addition.loc)
        ops = [op for op in block.ops if op is not clear and op is not addition]
        is_stored = not _is_as_it_was(store, ops)
        if is_stored and at == 0:
            ops.insert(block.ops.index(addition) - 1, store)
        elif is_stored:
            ops.insert(next(k for k, op in enumerate(ops) if op is first), store)
        block.ops = ops
        added, cleared = addition.args[0], clear.args[0]
        assert isinstance(added, Value) and isinstance(cleared, Value)
        substitute(block, {addition.result: added})
        uses[added] = uses[addition.result]
        if not is_stored:
            substitute(block, {clear.result: cleared})
            uses[cleared] += uses[clear.result] - 1


def _is_as_it_was(store: Call, ops: list[Op]) -> bool:
    """Whether what is stored into an item was read from there, and a copy."""
    buffer, index, value = store.args
    made = next((op for op in ops if value in op.results), None)
    return isinstance(made, Call) and _calls(made, taken) and not made.kwargs and (
        made.args[0] is buffer and same(made.args[1], index)
    )


def _clear_behind_arms(block: Block, uses: Counter[Value]) -> None:
    """Clears an item behind a branch whose arms all end by that, where it is added to next."""
    for branch in [op for op in block.ops if isinstance(op, If)]:
        for result in branch.results:
            addition = next(iter(_additions(block, result, uses)), None)
            ends = [] if addition is None else _last_clears(branch, result, uses)
            if addition is None or not ends:
                continue
            if not all(same(clear.args[1], addition.args[1]) for _, clear in ends):
                continue
            for arm, clear in ends:
                arm.ops.remove(clear)
                substitute(arm, {clear.result: clear.args[0]})
            first, cleared = ends[0][1], Value(result.name, result.type)
            operands = [result, addition.args[1], *first.args[2:]]
            addition.args[0], uses[cleared] = cleared, 1
            clear = Call(first.callee, operands, {}, [cleared], first.loc)
            block.ops.insert(block.ops.index(branch) + 1, clear)


def _last_clears(branch: If, result: Value, uses: Counter[Value]) -> list[tuple[Block, Call]]:
    """What the arms of a branch do last to a buffer that they hand out, if all clear an item."""
    found: list[tuple[Block, Call]] = []
    for arm in branch.blocks:
        if not isinstance(arm.exit, Yield):
            return []
        buffer = arm.exit.values[branch.results.index(result)]
        last = next((op for op in arm.ops if buffer in op.results), None)
        if last is None or not isinstance(buffer, Value) or uses[buffer] != 1:
            return []
        if isinstance(last, If):
            inner = _last_clears(last, buffer, uses)
            if not inner:
                return []
            found += inner
        elif isinstance(last, Call) and _clears(last):
            found.append((arm, last))
        else:
            return []
    return found


def _set_cleared_in_rows(block: Block, uses: Counter[Value]) -> None:
    """The same in tables, where the first change behind is the addition.

        bar[i][j] = 0.0
        bar[i][j] += v      ->    bar[i][j] = v
    """
    cleared: dict[Value, Call] = {}
    for op in list(block.ops):
        if not isinstance(op, Call):
            continue
        before = op.args[0] if _calls(op, add_in_into) else None
        clear = cleared.get(before) if isinstance(before, Value) else None
        if clear is not None and all(map(same, clear.args[2:], op.args[2:])):
            op.callee, op.args = clear.callee, [clear.args[0], *op.args[1:]]
            block.ops.remove(clear)
        elif _calls(op, set_in_into) and uses[op.result] == 1:
            cleared[op.result] = op


def _clears(op: Call) -> bool:
    if _calls(op, set_item_into):
        return isinstance(op.args[2], Const) and op.args[2].value == 0
    return _calls(op, clear_into)


def _additions(block: Block, buffer: Value, uses: Counter[Value]) -> list[Call]:
    """The additions to items of a buffer that nothing else reads in between."""
    found: list[Call] = []
    for op in block.ops:
        if any(operand is buffer for operand in operands_of(op)):
            if not isinstance(op, Call) or not _calls(op, add_item_into) or uses[buffer] != 1:
                break
            found.append(op)
            buffer = op.result
    return found


def _calls(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee
