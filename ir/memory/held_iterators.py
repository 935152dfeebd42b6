"""Iterators over memory that objects hold: what they give is read when somebody asks for it.

    areas = map(np.sum, self.rows)         items = iterated(self.rows)
    self.rows[1][0] = v                    areas = map(np.sum, items)        an object by now
    return sum(areas)                      (it goes on by steps: `ir.inference.steps`)

What takes all items at once, before anything can change, is given an iterator of Python's.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, OrderedDict, deque
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Block, Call, Const, For, Lambda, Location, Op, Operand, Value, type_of
from ir.errors import Unsupported
from ir.generators import iterated
from ir.memory.held_functions import captures_memory, may_be_memory
from ir.memory.held_walks import CALLING, function_called, is_walked_ahead, operands_of_calling
from ir.memory.memory_facts import LAZY, WITHOUT_STEPS
from ir.memory.place_state import check_call
from ir.rewrite import Mapping, count_uses
from ir.types import TOP, Iterator, Known, Tuple, Type, Union

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# These take all items before they return, and call nothing that could change any.
_AT_ONCE = {
    id(callee) for callee in (
        list, tuple, set, frozenset, dict, OrderedDict, Counter, deque, sum, max, min, sorted, any,
        all, next, math.fsum, math.prod, primitives.unpack, primitives.unpack_starred,
        *(
            itertools.combinations, itertools.permutations, itertools.product,
            itertools.combinations_with_replacement,
        ),
    )
}


def _may_read_later(self: TypedCalls) -> bool:
    """Whether what objects hold may change before an iterator reads it, here or in a caller."""
    if self.heap is None:
        return self.surroundings.changes_held()
    return self.surroundings.may_change_held()


def operands_of_lazy(
    self: TypedCalls, callee: object, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> list[Operand]:
    """The operands of what may read items later, with iterators that go on by steps in the place
    of what may have changed by then."""
    if not args or not _may_read_later(self):
        return args
    if id(callee) in CALLING and self.heap is not None:
        args = operands_of_calling(self, callee, args, kwargs, loc)
    function = function_called(callee, args, kwargs) if id(callee) in CALLING else None
    is_asking = function is not None and _reads_objects(self, callee, function, args)
    taken = args[LAZY.get(id(callee), slice(None))]
    rows = [arg for arg in taken if _may_change_later(self, arg)]
    if not rows and not is_asking:
        return args
    is_changing = is_asking and _works_on_objects(self, callee, function, args)
    if not is_changing and _is_taken_at_once(self, callee):
        return args
    if self.heap is None:
        self.works_on_objects = True
        return args
    if callee is reversed and _is_taken_by_loop(self):
        return args
    if id(callee) in (*WITHOUT_STEPS, id(reversed)) and not any(map(_has_known_rows, rows)):
        # Numbers are what loops look after (`ir.memory.held_walks`).
        is_of_loop = _is_taken_by_loop(self)
        check = self.surroundings.unless_rows if is_of_loop else self.surroundings.unless_read_later
        self.ops += [check_call(check, [arg], loc) for arg in rows if _has_rows(arg)]
        return args
    if id(callee) in (*WITHOUT_STEPS, id(reversed)) or kwargs:
        raise Unsupported(
            "an iterator over arrays or containers that objects hold, and may change before it has "
            "come to them", loc, advice="make a list of the items, and read that",
        )
    return [
        self.typed_call(Const(iterated), [arg], {}, ["items"], loc)[0]
        if any(arg is one for one in (rows or taken[:1])) else arg
        for arg in args
    ]


def _works_on_objects(
    self: TypedCalls, callee: object, function: Operand | None, args: list[Operand]
) -> bool:
    """Whether the function that an iterator calls may change what it will come to."""
    assert function is not None
    items = tuple(facts.item_of(type_of(arg)) for arg in args if arg is not function)
    if callee is itertools.starmap:
        items = items[0].items if items and isinstance(items[0], Tuple) else (TOP, TOP)
    elif callee is itertools.accumulate:
        items = items[:1] * 2
    return self.surroundings.works_on_objects(type_of(function), items, {})


def _reads_objects(
    self: TypedCalls, callee: object, function: Operand, args: list[Operand]
) -> bool:
    """Whether what an iterator calls may read something that changes."""
    if type_of(function) == Known(None):
        return False
    captures = captures_memory(type_of(function))
    return captures or _works_on_objects(self, callee, function, args)


def _may_change_later(self: TypedCalls, operand: Operand) -> bool:
    """Whether objects may change what a value gives until it is asked for."""
    if not isinstance(operand, Value) or self.places is None:
        return False
    if isinstance(operand.type, Iterator):
        return _has_rows(operand)
    if self.heap is not None and not self.places.held.is_exposed(operand):
        return False
    return is_walked_ahead(self, operand) or _has_rows(operand)


def _has_rows(operand: Operand) -> bool:
    """Whether the items of a value may be memory."""
    return _holds_rows(facts.item_of(type_of(operand)))


def _has_known_rows(operand: Operand) -> bool:
    item = facts.item_of(type_of(operand))
    return item != TOP and _holds_rows(item)


def _holds_rows(type_: Type) -> bool:
    if isinstance(type_, Union):
        return any(map(_holds_rows, type_.members))
    if isinstance(type_, Tuple):
        return any(map(_holds_rows, type_.items))
    return type_ == TOP or may_be_memory(type_)


def _is_taken_at_once(self: TypedCalls, callee: object) -> bool:
    """Whether the next thing that happens to what is made here is that all its items are taken."""
    if self.copied is None or self._source is None:
        return False
    op, mapping = self.copied
    return _known(op.callee, mapping) is callee and _are_all_taken(op, self._source, mapping)


def _is_taken_by_loop(self: TypedCalls) -> bool:
    """Whether a loop of this function reads what is made here, one item after the other."""
    if self.copied is None or self._source is None:
        return False
    op, mapping = self.copied
    made = op.results[:1]
    for reader in self._source.ops:
        if isinstance(reader, For) and made[0] in reader.iterables:
            return True
        if isinstance(reader, Call) and made[0] in reader.args:
            if _known(reader.callee, mapping) in (zip, enumerate):
                made = reader.results[:1]
    return False


def _are_all_taken(op: Call, block: Block, mapping: Mapping) -> bool:
    made = op.results[0]
    at = next((i for i, other in enumerate(block.ops) if other is op), None)
    if at is None or len(op.results) != 1 or count_uses(block)[made] != 1:
        return False
    for reader in block.ops[at + 1 :]:
        if isinstance(reader, Call) and any(arg is made for arg in reader.args):
            known = _known(reader.callee, mapping)
            if id(known) in _AT_ONCE:
                return not reader.kwargs
            is_lazy = id(known) in LAZY or known in (zip, enumerate)
            return is_lazy and _are_all_taken(reader, block, mapping)
        if not _is_quiet(reader):
            return False
    return False


def _is_quiet(op: Op) -> bool:
    """Whether an operation can't change what objects hold."""
    if isinstance(op, Lambda):
        return True
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    return any(
        op.callee.value is one
        for one in (primitives.load_global, primitives.build_tuple, primitives.build_list)
    )


def _known(operand: Operand, mapping: Mapping) -> Any:
    known = mapping.get(operand, operand) if isinstance(operand, Value) else operand
    return known.value if isinstance(known, Const) else None
