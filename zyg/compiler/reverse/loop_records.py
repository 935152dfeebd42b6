"""What the adjoint of a loop walks over backwards: records of each iteration, made as it runs.

    for x in xs:               for x in xs:            for x, y in zip(xs, ys), backwards:
        y = f(x)        ->         y = f(x)                the adjoint, which reads x and y
                                   ys.append(y)

What is cheap is done again, what the loop itself walks over is walked over again, and of what is
the same in each iteration the last is enough.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from ir import primitives
from ir.core import Block, Call, Const, For, Op, Operand, Value, While, Yield, operands_of, type_of
from ir.rewrite import clone_op, count_uses, defined, free_values, substitute, walk
from ir.types import Scalar, Sequence, Tuple
from zyg.compiler.overwriting.restoring import Restoring
from zyg.compiler.reverse.cotangent_types import NONE, is_array, is_integer
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.cotangents import cotangent


class LoopRecords(Restoring):
    """Decides what reversed loops read of each iteration."""

    # What stands for the records of a loop that is run again
    # (`zyg.compiler.checkpoints.checkpoint_loops`).
    replay: Callable[[For | While, Block], tuple[list[Operand], list[Value]] | None] | None = None

    # What is done again

    def _recomputed(self, adjoint: Block, forward: Block, inside: set[Value]) -> list[Value]:
        """The values of a forward block that its adjoint reads and can't cheaply do again."""
        available = set(forward.params)
        needed = [value for value in free_values(adjoint) if value in inside]
        definitions = {value: op for op in forward.ops for value in op.results}
        kept: list[Value] = []
        again: dict[Value, None] = {}
        for value in needed:
            if self._is_cheap(value, definitions, available, again):
                continue
            if _is_of_known_floats(definitions.get(value), set(needed), inside):
                again[value] = None
                continue
            kept.append(value)
        for value in list(again):
            for operand in operands_of(definitions[value]):
                if operand in available and operand not in kept and operand not in again:
                    kept.append(operand)
        mapping: dict[Value, Operand] = {}
        copies = []
        for op in forward.ops:
            if any(value in again for value in op.results):
                copies.append(clone_op(op, mapping))
                for value in copies[-1].results:
                    self.definitions[value] = copies[-1]
        substitute(adjoint, mapping)
        adjoint.ops[:0] = copies
        return kept

    def _is_cheap(
        self,
        value: Value,
        definitions: dict[Value, Op],
        available: set[Value],
        again: dict[Value, None],
    ) -> bool:
        """Whether a value is made of integers at hand: an index, a slice, a condition."""
        op = definitions.get(value)
        if not isinstance(op, Call) or len(op.results) != 1 or not isinstance(op.callee, Const):
            return False
        is_number = op.callee.value in _CHEAP and is_integer(value.type)
        if not is_number and op.callee.value not in (primitives.build_tuple, slice):
            return False
        for operand in [*op.args, *op.kwargs.values()]:
            if isinstance(operand, Value) and operand in definitions:
                if not self._is_cheap(operand, definitions, available, again):
                    return False
            elif isinstance(operand, Value) and operand in available:
                if not is_integer(operand.type):
                    return False
        again[value] = None
        return True

    def _records(
        self,
        op: For | While,
        adjoint: Block,
        iterables: list[Operand],
    ) -> tuple[list[Operand], list[Value]]:
        """What the adjoint of a loop walks over backwards, and the items that it reads there."""
        replayed = None if self.replay is None else self.replay(op, adjoint)
        if replayed is not None:
            return replayed
        assert isinstance(op.body.exit, Yield)
        stop = op.body.exit.values[0]
        is_whole = isinstance(stop, Const) and not stop.value
        needed = self._recomputed(adjoint, op.body, defined(op.body))
        read: list[Value] = []
        mapping: dict[Value, Operand] = {}
        for value in needed:
            if value in self._steady:
                mapping[value] = self._last(op, value)
                continue
            again = self._walkable(op, value) if is_whole else None
            item = Value(value.name, value.type)
            if again is None:
                value = self._lean(op, adjoint, value)
                records = Value(f"{value.name}s" if value.name != "t" else "records",
                                Sequence(list, value.type))
                op.results.append(records)
                op.body.exit.values.append(value)
                self.definitions[records] = op
                self.exported.add(records)
                again = records
            iterables.append(again)
            read.append(item)
            mapping[value] = item
        substitute(adjoint, mapping)
        if not iterables:
            iterables.append(self._trips(op, is_whole))
            read.append(Value("_", Scalar(int)))
        return iterables, read

    def _last(self, op: For | While, value: Value) -> Value:
        """What a value was in the last iteration, where it is the same in all of them."""
        assert isinstance(op.body.exit, Yield)
        result = Value(value.name, value.type)
        op.body.exit.values.insert(1 + len(op.init), value)
        op.results.insert(len(op.init), result)
        op.init.append(NONE)
        op.body.params.append(Value(value.name, value.type))
        self.definitions[result] = op
        return result

    def _lean(self, op: For | While, adjoint: Block, value: Value) -> Value:
        """The prototype of an array, where the adjoint of an iteration reads just its shape."""
        if not is_array(value.type) or not reads_only_metadata(adjoint, value):
            return value
        if self._call_of(value, cotangent.prototype) is not None:
            return value
        made = Value(value.name, value.type)
        call = Call(Const(cotangent.prototype), [value], {}, [made], op.loc)
        at = next((i + 1 for i, o in enumerate(op.body.ops) if value in o.results), 0)
        op.body.ops.insert(at, call)
        self.definitions[made] = call
        substitute(adjoint, {value: made})
        return made

    def _walkable(self, op: For | While, value: Value) -> Operand | None:
        """The iterable that gave an item, where it can be walked over again, backwards."""
        if not isinstance(op, For) or len(op.iterables) != 1 or value is not op.items[0]:
            return None
        iterable = op.iterables[0]
        if op.backwards:
            return None  # it would have to be walked the other way than the records
        return iterable if isinstance(type_of(iterable), Sequence | Tuple) else None

    def _trips(self, op: For | While, is_whole: bool) -> Operand:
        """Something as long as the loop has run."""
        assert isinstance(op.body.exit, Yield)
        if isinstance(op, For) and is_whole and len(op.iterables) == 1:
            type_ = type_of(op.iterables[0])
            if isinstance(type_, Sequence | Tuple):
                return op.iterables[0]
        count = len(op.init)
        param, total = Value("trips", Scalar(int)), Value("trips", Scalar(int))
        following = Value("trips", Scalar(int))
        op.body.ops.append(
            Call(Const(operator.add), [param, Const(1)], {}, [following], op.loc)
        )
        op.init.append(Const(0))
        op.body.params.append(param)
        op.body.exit.values.insert(1 + count, following)
        op.results.insert(count, total)
        self.definitions[total] = op
        return self.call(range, total)


def count_trips(forward: list[Op], adjoint: Block) -> bool:
    """Lets reversed loops that read nothing of their records walk over something that is there.

    Says whether there was such a loop.
    """
    loops = {
        value: op for op in forward if isinstance(op, For) and len(op.iterables) == 1
        for value in op.results[len(op.init) :]
    }
    found = False
    for op in walk(adjoint):
        if not isinstance(op, For) or not op.backwards or len(op.iterables) != 1:
            continue
        records = op.iterables[0]
        producer = loops.get(records) if isinstance(records, Value) else None
        if producer is None or count_uses(op.body)[op.items[0]]:
            continue
        exit = producer.body.exit
        stop = exit.values[0] if isinstance(exit, Yield) else None
        is_whole = isinstance(stop, Const) and not stop.value
        if is_whole and isinstance(type_of(producer.iterables[0]), Sequence | Tuple):
            op.iterables = list(producer.iterables)
            found = True
    return found


_CHEAP = (
    operator.add, operator.sub, operator.mul, operator.neg, operator.lt, operator.le, operator.gt,
    operator.ge, operator.eq, operator.ne, operator.not_, operator.truth,
)


def _is_of_known_floats(op: Op | None, needed: set[Value], inside: set[Value]) -> bool:
    """Whether a value is a sum or product of floats that are at hand in the adjoint anyway."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    if op.callee.value not in (operator.add, operator.sub, operator.mul, operator.neg):
        return False
    return all(
        isinstance(arg, Const) or ((arg in needed or arg not in inside)
        and type_of(arg) == Scalar(float)) for arg in op.args
    )
