"""Which accumulations may write into their first operand.

    x_bar = zeros_like(x)              x_bar = np.zeros_like(x)
    for i in reversed(range(n)):       for i in reversed(range(n)):
        x_bar = add_at(x_bar, i, v)        x_bar[i] += v

Cotangents are values; a sum makes a new one. Where the old one is read by nothing else and its
memory belongs to the adjoint alone, the sum takes it over. A buffer that a loop accumulates into is
copied once, before the loop, if it isn't the adjoint's own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Branch,
    Call,
    Const,
    For,
    If,
    Lambda,
    Loop,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.rewrite import blocks, count_uses
from ir.types import Known, Mapping, Scalar, Sequence, Type, Union, class_of
from zyg.array_type import is_basic_index
from zyg.arrays.quotients import power_part, power_part_into
from zyg.compiler.reverse.consuming import (
    accumulate_into,
    add_in_into,
    add_into,
    add_item_into,
    clear_at_into,
    clear_into,
    clear_key_to_into,
    clear_to_into,
    drop_key_into,
    drop_last_into,
    drop_place_into,
    insert_place_into,
    set_in_into,
    set_item_into,
    subtract_into,
)
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.handing_over import NOTHING, HandedOver
from zyg.cotangents import cotangent, cotangent_items, cotangent_places
from zyg.facts.cotangent_facts import holds_numbers, is_place_of_number, is_sum_of_numbers
from zyg.rules.operators import power_base_bar, power_exponent_bar, power_exponent_bar_into

CONSUMING = {
    cotangent.add: add_into,
    cotangent.subtract: subtract_into,
    cotangent_items.add_at: accumulate_into,
    cotangent_items.cleared: clear_at_into,
    cotangent_items.without_last: drop_last_into,
    cotangent_items.with_place: cotangent_items.insert_place,
    cotangent_items.before_push: cotangent_items.take_push_back,
    cotangent_items.cycled_back: cotangent_items.cycle_back,
    cotangent_places.cleared_to: clear_to_into,
    cotangent_places.without_key: drop_key_into,
}
_CONSUMED = set(map(id, CONSUMING))
_OF_ALL_TYPES: set[int] = set()
_OWNED = (
    add_item_into, clear_into, set_item_into, cotangent.owned, add_in_into, set_in_into,
    cotangent_places.add_in, cotangent_places.cleared_in, clear_key_to_into,
    drop_place_into, insert_place_into,
    cotangent_places.without_place_in, cotangent_places.with_place_in,
)
# What reads a part of an array and keeps none of its memory.
LOOKING: list[Any] = [cotangent_items.taken, cotangent_places.item_in]


def consumes(callee: Any, in_place: Any, of_all_types: bool = False) -> None:
    """Declares what writes into its first operand in the place of a call, where that dies; one
    `of_all_types` looks at run time whether it can."""
    CONSUMING[callee] = in_place
    _CONSUMED.add(id(callee))
    if of_all_types:
        _OF_ALL_TYPES.add(id(callee))


consumes(power_part, power_part_into, of_all_types=True)
consumes(power_exponent_bar, power_exponent_bar_into, of_all_types=True)
LOOKING.append(power_base_bar)


def reuse_buffers(body: Block, taken: set[Value], gives: tuple[int, ...]) -> None:
    """Lets accumulations of a function write in place, where nobody can tell.

    `taken` is what its caller has handed over; results that it `gives` are the caller's own.
    """
    ownership = Ownership(body, taken)
    ownership.convert(body)
    ownership.hand_over(body, gives)
    ownership.insert_copies(body)
    _add_to_lists(body)


def _add_to_lists(block: Block) -> None:
    """Lets a loop that only adds single elements to a vector add them to a list.

        x_bar = np.zeros_like(x)            x_bar = [0.0] * len(x)
        for i in ...: x_bar[i] += v   ->    for i in ...: x_bar[i] += v
                                            x_bar = np.array(x_bar)
    """
    made = {value: op for op in block.ops for value in op.results}
    uses = count_uses(block)
    ops: list[Op] = []
    for op in block.ops:
        ops.append(op)
        if not isinstance(op, Loop):
            continue
        for i, param in enumerate(op.carried):
            before = op.init[i]
            start = made.get(before) if isinstance(before, Value) else None
            if not isinstance(start, Call) or not isinstance(start.callee, Const):
                continue
            is_zeros = start.callee.value is cotangent.zeros_like and uses[start.result] == 1
            if is_zeros and _is_vector(param.type) and _adds_elements(op, i, param):
                start.callee = Const(cotangent.zeros_list)
                items, whole = Value(op.results[i].name), op.results[i]
                op.results[i] = items
                ops.append(Call(Const(np.array), [items], {}, [whole], op.loc))
    block.ops = ops


def _is_vector(type_: Type) -> bool:
    dtype, dims = getattr(type_, "dtype", None), getattr(type_, "dims", None)
    return dtype == np.dtype(float) and dims is not None and len(dims) == 1


def _adds_elements(op: For | While, i: int, param: Value) -> bool:
    """Whether all that a loop body does to a carried vector is to add single numbers to items."""
    if not isinstance(op.body.exit, Yield):
        return False
    current: Operand = param
    uses = count_uses(op.body)
    for inner in op.body.ops:
        if isinstance(inner, Call) and inner.args[:1] == [current]:
            is_addition = isinstance(inner.callee, Const) and inner.callee.value is add_item_into
            if not is_addition or uses[param] != 1:
                return False
            index, value = type_of(inner.args[1]), type_of(inner.args[2])
            if not _is_index(index) or not _is_number(value):
                return False
            current = inner.result
            param = inner.result
    return current is op.body.exit.values[i + 1] and current is not op.carried[i] and (
        uses[param] == 1
    )


def _is_index(type_: Type) -> bool:
    return (isinstance(type_, Known) and type(type_.value) is int) or (
        isinstance(type_, Scalar) and issubclass(type_.cls, int) and type_.cls is not bool
    )


def _is_number(type_: Type) -> bool:
    match type_:
        case Known(value):
            return type(value) in (int, float)
        case Scalar(cls):
            return cls in (float, np.float64)
        case Union(members):
            return all(map(_is_number, members))
        case _:
            return False


def _may_be_number(type_: Type) -> bool:
    """Whether a value may be a number of NumPy: sums of arrays without dimensions are."""
    return is_array(type_) and not getattr(type_, "dims", None)


def zero_of(type_: Type) -> complex:
    """The zero of cotangents that are numbers of this type."""
    cls = class_of(type_)
    return 0j if cls is complex else 0 if cls is int else 0.0


class Ownership:
    """Whose memory a cotangent is: that of the list, dict or array itself, whatever that holds."""

    copy: Any = staticmethod(cotangent.owned)

    def __init__(self, body: Block, taken: set[Value]) -> None:
        self._taken = taken
        self._uses = count_uses(body)
        self._calls: dict[Value, Call] = {}
        self._branches: dict[Value, tuple[Branch, int]] = {}
        self._results: dict[Value, tuple[For | While, int]] = {}
        self._params: dict[Value, tuple[For | While, int]] = {}
        self._home: dict[Value, Block] = dict.fromkeys(taken, body)
        self._read_in: dict[Operand, Block] = {}  # the last block that reads a value
        self._scan(body)
        self._copied: dict[tuple[For | While, int], None] = {}  # in the order of the program
        # What is handed over as the operand of a call, and isn't the adjoint's own.
        self._shared: dict[Op, dict[int, None]] = {}

    def _scan(self, block: Block) -> None:
        for op in block.ops:
            self._read_in.update(dict.fromkeys(operands_of(op), block))
            for i, value in enumerate(op.results):
                self._home[value] = block
                match op:
                    case Call():
                        self._calls[value] = op
                    case If() | Try():
                        self._branches[value] = op, i
                    case For() | While():
                        if i < len(op.init):
                            self._results[value] = op, i
                    case Lambda():
                        pass
            match op:
                case If() | Try():
                    for inner in op.blocks:
                        self._scan(inner)
                case For() | While():
                    for i, param in enumerate(op.carried):
                        self._params[param] = op, i
                        self._home[param] = op.body
                    self._scan(op.body)
        self._read_in.update(dict.fromkeys(exit_operands(block.exit), block))

    def convert(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Call) and isinstance(op.callee, Const):
                self._convert_call(op)
            for inner in blocks_of(op):
                self.convert(inner)

    def hand_over(self, body: Block, gives: tuple[int, ...]) -> None:
        """Notes what calls of back functions take over, and the results of this one that its caller
        may change, where these aren't the adjoint's own."""
        for block in blocks(body):
            for op in block.ops:
                for argument, part in handed_by(op).takes:
                    assert isinstance(op, Call)
                    self._own(op, argument, part)
        if not gives or not isinstance(body.exit, Yield):
            return
        whole = body.exit.values[0]
        made = self._calls.get(whole) if isinstance(whole, Value) else None
        if made is not None and _is_tuple(made):
            for position in gives:
                self._own_operand(made, position)
        elif self._is_shared(whole):
            copy = Value("t", type_of(whole))
            body.ops.append(Call(Const(self.copy), [whole], {}, [copy]))
            body.exit.values[0] = copy

    def _own(self, call: Call, argument: int, part: int | None) -> None:
        if part is None:
            self._own_operand(call, argument)
            return
        whole = call.args[argument]
        made = self._calls.get(whole) if isinstance(whole, Value) else None
        if made is not None and _is_tuple(made) and self._uses[made.result] == 1:
            self._own_operand(made, part)
        elif self.looks_after(type_of(whole)):
            self._shared.setdefault(call, {})[argument] = None

    def _own_operand(self, call: Call, position: int) -> None:
        operand = call.args[position]
        if not self._is_shared(operand):
            return
        self._shared.setdefault(call, {})[position] = None

    def _is_shared(self, operand: Operand) -> bool:
        """Whether this is memory that others may know, of the kind that is looked after here."""
        return self.looks_after(type_of(operand)) and not (
            self._is_owned(operand, frozenset()) and self._is_linear(operand)
        )

    def looks_after(self, type_: Type) -> bool:
        return holds_numbers(type_) or is_array(type_)

    def insert_copies(self, block: Block) -> None:
        """Copies what loops start with: at last, as what stands behind a loop may need that too."""
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.insert_copies(inner)
            if isinstance(op, Loop):
                ops += self._copies(op)
            for position in self._shared.get(op, ()):
                assert isinstance(op, Call)
                copy = Value("t", type_of(op.args[position]))
                ops.append(Call(Const(self.copy), [op.args[position]], {}, [copy], op.loc))
                op.args[position] = copy
            ops.append(op)
        block.ops = ops

    def _convert_call(self, op: Call) -> None:
        callee = op.callee.value  # type: ignore[union-attr]
        if id(callee) not in _CONSUMED:
            return
        buffer = op.args[0]
        if not isinstance(buffer, Value):
            return
        if not self._is_mutable(type_of(buffer)) and id(callee) not in _OF_ALL_TYPES:
            return
        if not self._is_linear(buffer) or not self._is_owned(buffer, frozenset()):
            return
        if id(callee) in _OF_ALL_TYPES:
            op.callee = Const(CONSUMING[callee])
            return
        if type_of(op.result) != type_of(buffer):
            return
        if len(op.args) > 1 and callee not in (cotangent.add, cotangent.subtract) and (
            _may_be_number(type_of(buffer))
        ):
            return
        op.callee = Const(CONSUMING[callee])
        if len(op.args) > 1:
            self._convert_item(op, callee, type_of(buffer), type_of(op.args[1]))

    def _convert_item(self, op: Call, callee: Any, bars: Type, index: Type) -> None:
        """Statements that change a single place are printed as such."""
        holds_number = is_place_of_number(bars, index)
        if callee is cotangent_items.add_at:
            is_number_added = holds_number and is_sum_of_numbers(type_of(op.args[2]))
            if is_number_added or (is_array(bars) and is_basic_index(index)):
                op.callee = Const(add_item_into)
        elif callee is cotangent_items.cleared and holds_number:
            assert isinstance(bars, Sequence | Mapping)
            op.callee, op.args = Const(set_item_into), [*op.args, Const(zero_of(bars.item))]
        elif callee is cotangent_items.cleared and getattr(bars, "dims", None):
            op.callee = Const(clear_into)
        elif callee is cotangent_places.cleared_to and isinstance(bars, Mapping):
            op.callee = Const(clear_key_to_into)

    def _is_mutable(self, type_: Type) -> bool:
        is_container = isinstance(type_, Sequence | Mapping) and type_.cls in (list, dict)
        return is_container or is_array(type_)

    def _copies(self, op: For | While) -> list[Op]:
        """Copies of initial values that a loop writes into, and that aren't the adjoint's own."""
        copies: list[Op] = []
        for loop, i in list(self._copied):
            if loop is op:
                value = Value(op.carried[i].name, type_of(op.init[i]))
                copies.append(Call(Const(self.copy), [op.init[i]], {}, [value], op.loc))
                op.init[i] = value
        return copies

    def _is_owned(self, operand: Operand, assumed: frozenset[Value]) -> bool:
        """Whether the memory of a value is reached through this value alone."""
        if not isinstance(operand, Value):
            return False
        if operand in assumed or operand in self._taken:
            return True
        if operand in self._calls:
            call = self._calls[operand]
            if call.results.index(operand) in handed_by(call).gives:
                return True
            return self._is_made(call, assumed)
        if operand in self._branches:
            op, i = self._branches[operand]
            return all(
                isinstance(block.exit, Yield)
                and self._is_owned(block.exit.values[i], assumed)
                and self._is_linear(block.exit.values[i])
                for block in op.blocks
            )
        if operand in self._params:
            return self._is_loop_owned(*self._params[operand], assumed)
        if operand in self._results:
            return self._is_loop_owned(*self._results[operand], assumed)
        return False

    def _is_made(self, call: Call, assumed: frozenset[Value]) -> bool:
        """Whether what a call returns is reached through its result alone."""
        callee = call.callee
        return isinstance(callee, Const) and (
            (facts.is_fresh(call) and not call.kwargs)
            or any(callee.value is f for pair in CONSUMING.items() for f in pair)
            or callee.value in _OWNED
        )

    def _is_loop_owned(self, op: For | While, i: int, assumed: frozenset[Value]) -> bool:
        param = op.carried[i]
        if not self._is_linear(param) or not isinstance(op.body.exit, Yield):
            return False
        following = op.body.exit.values[i + 1]
        if following is not param and not (
            self._is_owned(following, assumed | {param}) and self._is_linear(following)
        ):
            return False
        init = op.init[i]
        is_none = isinstance(init, Const) and init.value is None  # the tangent of a name not set
        if not is_none and not (self._is_owned(init, assumed) and self._is_linear(init)):
            self._copied[op, i] = None
        return True

    def _is_linear(self, operand: Operand) -> bool:
        """Whether a value is read at most once on every way through the program."""
        if not isinstance(operand, Value):
            return False
        home = self._home.get(operand)
        if home is None:
            return False
        if self._uses[operand] == 1 and self._read_in[operand] is home:
            return True
        return _uses_on_path(home, operand, self.only_looks) <= 1

    def only_looks(self, op: Op) -> bool:
        """Whether an operation keeps nothing of the memory that it reads."""
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        callee = op.callee.value
        if any(callee is function for function in LOOKING) or facts.is_metadata(callee):
            return True
        if callee is not operator.getitem:
            return False
        source, index = map(type_of, op.args)
        if isinstance(source, Sequence) and source.cls is list and _is_index(index):
            return True  # sums replace the items of a list, and don't change them
        return isinstance(op.result.type, Scalar | Union) and (
            is_array(source) or holds_numbers(source)
        )


def _is_tuple(call: Call) -> bool:
    return isinstance(call.callee, Const) and call.callee.value is primitives.build_tuple


def handed_by(op: Op) -> HandedOver:
    """What a call of a back function takes over, and gives."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return NOTHING
    found = getattr(op.callee.value, "handed", None)
    return found if isinstance(found, HandedOver) else NOTHING


def _uses_on_path(
    block: Block, value: Value, only_looks: Callable[[Op], bool], before: int = 0
) -> int:
    """How often a value is read up to the end of a block, on the way that reads it most often.

    Before the first such use, what only looks at a number or at the shape doesn't count.
    """
    total = before
    for op in block.ops:
        # Values and constants are equal only if they are the same.
        count = operands_of(op).count(value)
        if count and (total or not only_looks(op)):
            total += count
        match op:
            case Try():
                for inner in op.blocks:
                    total = _uses_on_path(inner, value, only_looks, total)
            case If():
                total = max(_uses_on_path(inner, value, only_looks, total) for inner in op.blocks)
            case For() | While():
                total += 2 * (_uses_on_path(op.body, value, only_looks, total) - total)
            case _:
                pass
    return total + exit_operands(block.exit).count(value)
