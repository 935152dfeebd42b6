"""Numbers that vary as keys of dicts, and keys that are read as numbers.

    d[x] = y                        stores a key
    for k, v in d.items(): ...      reads keys: what `k` owes to `x` is not followed

Looking a value up by such a key is fine. A program that does both is refused: of a dict it isn't
followed which of its keys vary.
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, For, Function, Location, Operand, Value, Yield, type_of
from ir.errors import Unsupported
from ir.library.container_facts import DICT_ITEMS, DICT_KEYS
from ir.rewrite import walk
from ir.types import Dict, Mapping, Scalar, Tuple, Type, Union
from ir.types import Iterator as IteratorType
from zyg.compiler.activity import Flow
from zyg.compiler.specialisation import Specialisation

if TYPE_CHECKING:
    from zyg.compiler.specialise import Specialiser

_STORING = (
    primitives.stored, primitives.stored_back, primitives.defaulted, primitives.touched,
    primitives.build_dict,
)
_MAKING = (dict, OrderedDict, Counter, defaultdict)
_READING = (
    dict.keys, dict.items, OrderedDict.keys, OrderedDict.items, list, tuple, set, frozenset, sorted,
    sum, min, max, iter, next, enumerate, zip, map, filter, reversed, dict.popitem,
    primitives.unpack, primitives.unpack_starred, primitives.flatten, itertools.chain,
    itertools.islice, itertools.accumulate, itertools.pairwise, np.array, np.asarray, np.sum,
)
_STORES, _MAKES, _READS = (set(map(id, group)) for group in (_STORING, _MAKING, _READING))


def refuse_keys_read(specialiser: Specialiser, made: Specialisation, active: Flow) -> None:
    """Raises for a program that stores numbers which vary as keys, and reads keys as numbers;
    `active`: the inputs by which it is differentiated."""
    # Helpers go over keys to make dicts with the same ones.
    users = [
        one for one in made.with_callees()
        if not facts.is_helper_module(one.source.globals.get("__name__"))
    ]
    places = [loc for one in users for loc in _reads(one)]
    if places and _stores_varied(specialiser, made, active, set()):
        raise Unsupported(
            "a number with a derivative is a key of a dict, and here keys are read as numbers: how "
            "these depend on it isn't followed", places[0],
            advice="keep such numbers in a list, or in the values of the dict",
        )


def _stores_varied(
    specialiser: Specialiser, made: Specialisation, varied: Flow,
    seen: set[tuple[Specialisation, Flow]],
) -> bool:
    """Whether a function, or what it calls, stores a key that depends on these inputs."""
    if made.heap is not None:
        varied |= {made.heap}
    if (made, varied) in seen:
        return False
    seen.add((made, varied))
    flows = made.flows
    assert flows is not None
    keys = _Keys(made.function)
    for op in walk(made.function.body):
        if not isinstance(op, Call):
            continue
        if any(flows.of(key) & varied for key in keys.stored_by(op)):
            return True
        called = specialiser.inputs_given(op)
        if called is not None and id(_called(op)[0]) not in _MAKES:
            inner, given = called
            inputs = frozenset(
                i for i, operands in enumerate(given) if any(flows.of(o) & varied for o in operands)
            )
            if inputs and _stores_varied(specialiser, inner, inputs, seen):
                return True
    return False


class _Keys:
    """The keys that operations of one function store."""

    def __init__(self, function: Function) -> None:
        self._made_by = {value: op for op in walk(function.body) for value in op.results}

    def stored_by(self, op: Call) -> list[Operand]:
        callee, args = _called(op)
        if callee is primitives.build_dict:
            found = args[::2]
        elif id(callee) in _STORES and _is_dict(type_of(args[0])):
            found = args[1:2]
        elif id(callee) in _MAKES and op.results and has_number_keys(op.results[0].type):
            return [key for arg in args for key in self._keys_of_pairs(arg)]
        else:
            return []
        return [key for key in found if _may_be_inexact(type_of(key))]

    def _keys_of_pairs(self, pairs: Operand) -> list[Operand]:
        """What a dict has as keys that is made of some items; the items, where that isn't told."""
        op = self._made_by.get(pairs) if isinstance(pairs, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is zip:
            return op.args[:1]
        if isinstance(op, For) and isinstance(op.body.exit, Yield):
            yielded = op.body.exit.values[-1]
            pair = self._made_by.get(yielded) if isinstance(yielded, Value) else None
            if isinstance(pair, Call) and isinstance(pair.callee, Const) and (
                pair.callee.value is primitives.build_tuple and len(pair.args) == 2
            ):
                return pair.args[:1]
        return [pairs]


def _reads(made: Specialisation) -> Iterator[Location | None]:
    for op in walk(made.function.body):
        if isinstance(op, For):
            read: list[Operand] = list(op.iterables)
        elif isinstance(op, Call) and id(_called(op)[0]) in _READS:
            read = _called(op)[1]
        else:
            continue
        if any(map(has_number_keys, map(type_of, read))):
            yield op.loc


def _called(op: Call) -> tuple[object, list[Operand]]:
    """What is called, in one that changes what objects hold as well, and with what."""
    callee = op.callee.value if isinstance(op.callee, Const) else None
    if callee is primitives.updating and isinstance(op.args[0], Const):
        return op.args[0].value, op.args[2:]
    return callee, op.args


def _is_dict(type_: Type) -> bool:
    return isinstance(type_, Mapping | Dict)


def has_number_keys(type_: Type) -> bool:
    """Whether the keys of a dict, or what a view of one gives, may be numbers that vary."""
    match type_:
        case Mapping(key=key):
            return _may_be_inexact(key)
        case IteratorType(cls, item) if cls is DICT_KEYS:
            return _may_be_inexact(item)
        case IteratorType(cls, Tuple((key, _))) if cls is DICT_ITEMS:
            return _may_be_inexact(key)
        case _:
            return False


def _may_be_inexact(type_: Type) -> bool:
    match type_:
        case Scalar(cls):
            return issubclass(cls, float | complex | np.inexact)
        case Tuple(items):
            return any(map(_may_be_inexact, items))
        case Union(members):
            return any(map(_may_be_inexact, members))
        case _:
            return False
