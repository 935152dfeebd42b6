"""Where a number that varies is a key: what refuses to find it in a dict from before the program.

    y = MEMO[x]          unless_outer(MEMO, x); y = MEMO[x]
    MEMO[x] = y          note_keys(MEMO); MEMO[x] = y
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict
from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.memory.memory_facts import CHANGING
from ir.types import Scalar, Sequence, Tuple
from zyg.array_type import Array
from zyg.held.outer_keys import note_keys, unless_outer
from zyg.rules.registry import constant

if TYPE_CHECKING:
    from zyg.compiler.forward.augment import Augmenter

_READING = (
    operator.getitem, primitives.augmented_item, dict.get, dict.__getitem__, dict.pop,
    dict.setdefault,
)
_OTHERS = (operator.contains, primitives.stored, primitives.stored_back, primitives.defaulted)
_CHECKS = {id(f): unless_outer for f in _READING} | {id(f): note_keys for f in _OTHERS}
_MAKING = {
    id(f) for f in (
        primitives.build_dict, dict, defaultdict, OrderedDict, Counter, dict.copy, dict.fromkeys
    )
}


def look_up(augmenter: Augmenter, callee: Operand, args: list[Operand]) -> None:
    """Appends what notes or refuses such a key."""
    if isinstance(callee, Const) and callee.value is primitives.updating:
        callee, args = args[0], args[2:]
    check = _CHECKS.get(id(callee.value)) if isinstance(callee, Const) else None
    if check is None or len(args) < 2 or not augmenter.is_varied(args[1]):
        return
    if isinstance(type_of(args[0]), Array | Scalar | Sequence | Tuple) or _is_new(
        augmenter, args[0]
    ):
        return
    augmenter.call(check, *args[: 2 if check is unless_outer else 1], loc=augmenter.loc)


def _is_new(augmenter: Augmenter, items: Operand) -> bool:
    """Whether a dict was made by the code at hand."""
    while isinstance(items, Value):
        op = augmenter.definitions.get(items)
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        if id(op.callee.value) in _MAKING:
            return True
        if id(op.callee.value) not in CHANGING:
            return False
        items = op.args[0]
    return False


constant(note_keys, unless_outer)
