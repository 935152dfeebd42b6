"""Which calls change memory, hold it, unpack it, copy it, keep it as it is or read it later."""

from __future__ import annotations

import bisect
import heapq
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Op, Value
from ir.derived import container_class, derived
from ir.heap import STORES
from ir.library.builtin_facts import IN_PLACE
from ir.memory.contents import is_immutable_class
from ir.types import (
    NUMBERS,
    Closure,
    Known,
    Raised,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
)

# Calls that put their operands into a container, which knows them by another name.
HOLDING = {
    id(f) for f in (primitives.build_list, primitives.build_dict, primitives.build_set)
}
# Calls that take a tuple apart, and keep nothing of it.
UNPACKING = (primitives.unpack, operator.getitem, len)
# Calls that make a new container of what others hold.
COPYING = {id(f) for f in (
    list, dict, set, sorted, list.copy, dict.copy, primitives.merge_dicts, primitives.flatten,
    deque, deque.copy, OrderedDict, OrderedDict.copy, defaultdict, defaultdict.copy, Counter,
    derived,
)}
# Calls that never give one of their operands: what arithmetic gives is new, or an object.
ARITHMETIC = {id(f) for f in (*IN_PLACE.values(), operator.neg, operator.pos, operator.invert)}
# Calls that change their first operand; the values that they put into it stand behind.
CHANGING = {
    id(f) for f in (
        primitives.stored, primitives.spliced, primitives.overwritten, primitives.stored_back,
        primitives.written, primitives.written_view, primitives.added_at, primitives.subtracted_at,
        primitives.deleted, primitives.appended, primitives.extended, primitives.inserted,
        primitives.updating, primitives.defaulted, primitives.touched, primitives.pushed,
        primitives.pushed_left, primitives.rotated, primitives.emptied, primitives.moved_to_end,
        primitives.regrouped, primitives.cycled, *STORES,
    )
}

# These take items as somebody asks for them: by the positions of what they take them of (None for
# all); and these do so, too, and have no steps.
LAZY: dict[int, slice] = {
    **{
        id(callee): slice(0, 1)
        for callee in (
            vars(itertools.chain)["from_iterable"], itertools.islice, itertools.accumulate,
            itertools.pairwise,
        )
    },
    **{
        id(callee): slice(1, None)
        for callee in (
            map, filter, itertools.takewhile, itertools.dropwhile, itertools.starmap,
        )
    },
    id(itertools.chain): slice(None),
}
WITHOUT_STEPS = {
    id(callee) for callee in (
        itertools.cycle, itertools.compress, itertools.filterfalse, itertools.groupby,
        itertools.tee,
    )
}
READING_LATER = frozenset([*LAZY, *WITHOUT_STEPS, id(reversed)])

# Methods that change their object in place, by name.
CHANGING_METHODS = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
    "setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft", "rotate",
    "fill", "put", "partition", "resize", "move_to_end", "subtract", "difference_update",
    "intersection_update", "symmetric_difference_update", "__setitem__", "__delitem__",
}
# Functions of the standard library that change their first argument in place.
CHANGING_FUNCTIONS = {
    id(f) for f in (
        operator.setitem, operator.delitem, heapq.heapify, heapq.heappop, heapq.heappush,
        heapq.heappushpop, heapq.heapreplace, bisect.insort_left, bisect.insort_right,
    )
}


# The methods by which dicts are walked over.
VALUES, ITEMS = (dict.values, OrderedDict.values), (dict.items, OrderedDict.items)


def has_positions(type_: Type) -> bool:
    """Whether the items of a container are read by positions, in the order of these."""
    return is_array_like(type_) or (
        isinstance(type_, Sequence | Tuple) and container_class(type_) in (list, deque, tuple)
    )


def changed_by(op: Op) -> list[Value]:
    """The operands that an operation changes in place.

    Compiler-made functions say by `changes` which of their arguments these are.
    """
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return []
    callee = op.callee.value
    if callee is primitives.updating:
        positions = op.args[1]
        assert isinstance(positions, Const), "made so by `passed`"
        found = [op.kwargs[i] if isinstance(i, str) else op.args[2 + i] for i in positions.value]
    elif id(callee) in CHANGING:
        found = op.args[:1]
    else:
        found = [op.args[i] for i in getattr(callee, "changes", ())]
    return [operand for operand in found if isinstance(operand, Value)]


def is_change(op: Op) -> bool:
    """Whether an operation changes an operand in place."""
    return bool(changed_by(op))


def is_mutable(type_: Type) -> bool:
    """Whether a value of this type may be changed in place, or be a name of what may."""
    if type(type_) is Scalar and type_.cls in NUMBERS:  # most values
        return False
    if isinstance(type_, Known | Closure | Raised):
        return False
    if isinstance(type_, Union):
        return any(map(is_mutable, type_.members))
    cls = class_of(type_)
    return cls is None or not is_immutable_class(cls)


# Changes that leave the elements of containers where they are.
KEEPING = {
    id(f) for f in (primitives.overwritten, primitives.written, primitives.written_view,
                    primitives.added_at, primitives.subtracted_at, primitives.stored_back,
                    primitives.defaulted, primitives.touched, primitives.moved_to_end)
}


def keeps_places(callee: Any) -> bool:
    return id(callee) in KEEPING


# Stores under known keys change no keys: a loop over these may change the items.
KEYS: type = type({}.keys())


def is_array_like(type_: Type) -> bool:
    """Whether items and parts are stored into a value of this type by copying them."""
    cls = class_of(type_)
    return cls is not None and facts.copies_items(cls)
