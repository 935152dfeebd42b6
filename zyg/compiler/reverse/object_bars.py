"""Cotangents of numbers that objects hold: attributes of records in the place of calls of a table.

    t_bar = heap_bar.take(b, 'v', 0.0)        b_bar = body_bars[b]
    heap_bar.add(b, 'v', t_bar)          ->   t_bar = b_bar.v
    heap_bar.add(b, 'x', t_bar * dt)          b_bar.x += t_bar * dt

The record of an object is looked up once, where the object is at hand. In between, what a record
holds is followed as values are: what is taken and given back stands still, and contributions are
summed up before they are added. Another object of the class may be the same one, so that each
comes to an end where the other begins.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ir import facts
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Location,
    Op,
    Operand,
    Try,
    Value,
    Yield,
    blocks_of,
    type_of,
)
from ir.heap import Cell
from ir.record import made, node
from ir.rewrite import substitute, walk
from ir.simplify import eliminate_dead, is_pure
from ir.types import Instance, Known, Scalar, Type, class_of, widen
from zyg.compiler.inference.fields import Fields
from zyg.compiler.reverse.cotangent_types import bar_name
from zyg.held import shadow_calls
from zyg.held.shadow_records import Record, Records

FLOAT = Scalar(float)
ZERO = Const(0.0)


@facts.quiet(getattr)
def reads_record(types: tuple[Type, ...]) -> bool:
    """Whether the attribute is a slot, which has a value."""
    return class_of(types[0]) is Record



def use_records(adjoint: Block, fields: Fields) -> None:
    """Rewrites an adjoint in place; `fields` tell which attributes hold numbers."""
    rewriting = _Rewriting(fields)
    if any(isinstance(op, Call) and rewriting.is_of_number(op) for op in walk(adjoint)):
        rewriting.block(adjoint, is_arm=True)
        eliminate_dead(adjoint, is_pure)


@node
class _Place:
    """What is known of an attribute of a record: what it holds, and what it should hold.

    Where neither is known, `added` is what is still to be added.
    """

    record: Value
    cls: type
    name: str
    loc: Location | None
    held: Operand | None = None
    wanted: Operand | None = None
    added: Operand | None = None


@node
class _Frame:
    """A block that is being rewritten: the operations so far, and the records found in it."""

    is_arm: bool
    values: set[Value]
    ops: list[Op] = made(list)
    records: dict[Operand, Value] = made(dict)
    tables: dict[tuple[Operand, type], Value] = made(dict)
    places: dict[tuple[Value, str], _Place] = made(dict)

    def append(self, op: Op) -> None:
        self.ops.append(op)
        self.values.update(op.results)

    def call(self, callee: object, args: list[Operand], result: Value, loc: Any) -> Value:
        self.append(Call(Const(callee), args, {}, [result], loc))
        return result


class _Rewriting:
    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._frames: list[_Frame] = []
        self._mapping: dict[Value, Operand] = {}
        self._negated: dict[Operand, Operand] = {}
        self._classes: dict[Value, type] = {}
        # What stands for calls that may change records, as long as it has no name of its own.
        self._of_calls: set[Operand] = set()

    def is_of_number(self, op: Call) -> bool:
        """Whether this adds to, or takes, the cotangent of a number that an object holds."""
        if not _is_of_table(op):
            return False
        obj, name = op.args[1:3]
        cls = class_of(type_of(obj))
        if not isinstance(obj, Value) or not isinstance(name, Const) or cls is None:
            return False
        if issubclass(cls, Cell) or not self._is_number(cls, name.value):
            return False
        return _callee(op) is shadow_calls.take or widen(type_of(op.args[3])) == FLOAT

    def block(self, block: Block, is_arm: bool) -> None:
        frame = _Frame(is_arm, set(block.params))
        self._frames.append(frame)
        for op in block.ops:
            self._op(op, frame)
        self._settle(frame, lambda place: True)
        self._frames.pop()
        block.ops = frame.ops
        substitute(block, self._mapping)

    def _op(self, op: Op, frame: _Frame) -> None:
        match op:
            case Call() if self.is_of_number(op):
                self._access(op, frame)
                return
            case Call() if _is_of_table(op):
                cls, name = _class_and_name(op)
                self._settle(frame, lambda p: p.name == name and p.cls in (cls, object))
            case Call() if is_pure(op):
                if _callee(op) is operator.neg:
                    self._negated[op.result] = op.args[0]
                if any(operand in self._of_calls for operand in op.args):
                    self._of_calls.update(op.results)
            case _:
                self._settle(frame, lambda place: True)
                if isinstance(op, Call):
                    self._of_calls.update(op.results)
        for inner in blocks_of(op):
            self.block(inner, isinstance(op, If | Try))
        carried = self._carried(op) if isinstance(op, For) else []
        frame.append(op)
        for place, total in carried:
            self._add(place.record, place.cls, place.name, total, op.loc, frame)

    def _carried(self, op: For) -> list[tuple[_Place, Value]]:
        """Lets a loop add up in variables of its own what it would add to records from outside.

        Gives the places, and what is to be added to them behind the loop. A place that the loop
        reads, or that may be that of another object there, is left alone.
        """
        added: dict[tuple[Value, str], Call] = {}
        others: set[tuple[type, str]] = set()
        inside = {value for inner in walk(op.body) for value in inner.results}
        exit = op.body.exit
        assert isinstance(exit, Yield)
        for inner in walk(op.body):
            if not isinstance(inner, Call) or is_pure(inner):
                continue
            if _is_of_table(inner):
                others.add(_class_and_name(inner))
                continue
            record, *rest = inner.args
            if not isinstance(record, Value) or record not in self._classes:
                return []  # a call that may do anything with the table
            name = rest[0].value if isinstance(rest[0], Const) else ""
            is_sum = _callee(inner) is shadow_calls.increase_bar and record not in inside
            if is_sum and (record, name) not in added and inner in op.body.ops:
                added[record, name] = inner
            else:
                others.add((self._classes[record], name))
        found: list[tuple[_Place, Value]] = []
        for (record, name), call in added.items():
            cls = self._classes[record]
            same = [key for key in added if key[1] == name and self._classes[key[0]] is cls]
            if (cls, name) in others or (object, name) in others or len(same) > 1:
                continue
            before, after, total = (Value(f"{name}_bar", FLOAT) for _ in range(3))
            combine, bar = self._signed(call.args[2])
            op.body.ops[op.body.ops.index(call)] = Call(
                Const(combine), [before, bar], {}, [after], call.loc
            )
            exit.values.insert(1 + len(op.init), after)
            op.results.insert(len(op.init), total)
            op.init.append(ZERO)
            op.body.params.append(before)
            found.append((_Place(record, cls, name, op.loc), total))
        return found

    def _add(
        self, record: Value, cls: type, name: str, bar: Operand, loc: Location | None,
        frame: _Frame,
    ) -> None:
        place = self._place(record, cls, name, loc, frame)
        if place.wanted is None:
            place.added = self._sum(place.added, bar, place, frame)
        else:
            place.wanted = self._sum(place.wanted, bar, place, frame)

    def _place(
        self, record: Value, cls: type, name: str, loc: Location | None, frame: _Frame
    ) -> _Place:
        """The place of an attribute, behind all that was done to the ones that may be the same."""
        self._settle(
            frame, lambda p: p.name == name and p.cls is cls and p.record is not record
        )
        place = frame.places.get((record, name))
        if place is None:
            place = frame.places[record, name] = _Place(record, cls, name, loc)
        place.loc = loc
        return place

    def _access(self, op: Call, frame: _Frame) -> None:
        """Adds to a place, or takes what it holds."""
        heap_bar, obj = op.args[:2]
        cls, name = _class_and_name(op)
        record = self._record(heap_bar, obj, cls, op.loc)
        if _callee(op) is shadow_calls.take:
            place = self._place(record, cls, name, op.loc, frame)
            self._take(place, op.result, frame)
        else:
            self._add(record, cls, name, self._resolved(op.args[3]), op.loc, frame)

    def _take(self, place: _Place, result: Value, frame: _Frame) -> None:
        if place.wanted is None:
            held = Value(result.name, FLOAT)
            frame.call(shadow_calls.bar_of, [place.record, Const(place.name)], held, place.loc)
            place.held = place.wanted = held
            if place.added is not None:
                place.wanted = self._sum(held, place.added, place, frame)
                place.added = None
        self._mapping[result] = place.wanted
        place.wanted = ZERO

    def _settle(self, frame: _Frame, which: Callable[[_Place], bool]) -> None:
        """Lets records hold what they should; nothing is known of them from then on."""
        for key, place in list(frame.places.items()):
            if not which(place):
                continue
            del frame.places[key]
            operands: list[Operand] = [place.record, Const(place.name)]
            nothing = Value(place.record.name, Known(None))
            if place.added in self._of_calls:
                # `b_bar.x += f_back(...)` would read `b_bar.x` before the call changes it.
                held, total = Value(place.name, FLOAT), Value("t", FLOAT)
                frame.call(shadow_calls.bar_of, operands, held, place.loc)
                frame.call(operator.add, [place.added, held], total, place.loc)
                frame.call(shadow_calls.set_bar, [*operands, total], nothing, place.loc)
            elif place.added is not None:
                frame.call(shadow_calls.increase_bar, [*operands, place.added], nothing, place.loc)
            elif place.wanted is not None and place.wanted is not place.held:
                frame.call(shadow_calls.set_bar, [*operands, place.wanted], nothing, place.loc)

    def _sum(
        self, left: Operand | None, right: Operand, place: _Place, frame: _Frame
    ) -> Operand:
        if left is None or left is ZERO:
            return right
        combine, right = self._signed(right)
        total = frame.call(combine, [left, right], Value("t", FLOAT), place.loc)
        if left in self._of_calls or right in self._of_calls:
            self._of_calls.add(total)
        return total

    def _signed(self, bar: Operand) -> tuple[object, Operand]:
        """How a contribution is added, and what: what was negated is subtracted."""
        positive = self._negated.get(bar)
        if positive is None:
            return operator.add, bar
        return operator.sub, self._resolved(positive)

    def _resolved(self, operand: Operand) -> Operand:
        return self._mapping.get(operand, operand) if isinstance(operand, Value) else operand

    # Records

    def _record(self, heap_bar: Operand, obj: Operand, cls: type, loc: Location | None) -> Value:
        """The record of an object, looked up where the object is known first."""
        for frame in self._frames:
            if obj in frame.records:
                return frame.records[obj]
        table = self._table(heap_bar, cls, loc)
        home = self._home(obj)
        found = Value(bar_name(obj), Instance(Record))
        home.records[obj] = home.call(shadow_calls.record, [table, obj], found, loc)
        self._classes[found] = cls
        return found

    def _table(self, heap_bar: Operand, cls: type, loc: Location | None) -> Value:
        for frame in self._frames:
            if (heap_bar, cls) in frame.tables:
                return frame.tables[heap_bar, cls]
        home = self._home(heap_bar)
        operands = [heap_bar, Const(cls), Const(self._numbers(cls))]
        found = Value(f"{cls.__name__.lower()}_bars", Instance(Records))
        home.tables[heap_bar, cls] = home.call(shadow_calls.records, operands, found, loc)
        return found

    def _numbers(self, cls: type) -> tuple[str, ...]:
        """The attributes of a class that hold numbers: the same ones in all of the program."""
        return tuple([
            name for owner, name in self._fields.types
            if owner is cls and self._is_number(cls, name)
        ])

    def _is_number(self, cls: type, name: str) -> bool:
        is_printed = name.isidentifier() and not name.startswith("__")
        return is_printed and self._fields.is_number(cls, name)

    def _home(self, operand: Operand) -> _Frame:
        """The outermost block where a value is known, and from where it is certain to be one: a
        branch hands out other things in the place of values of the arm that it didn't take."""
        for frame in reversed(self._frames):
            if frame.is_arm or operand in frame.values:
                return frame
        return self._frames[0]


def _callee(op: Call) -> object:
    return op.callee.value if isinstance(op.callee, Const) else None


def _class_and_name(op: Call) -> tuple[type, str]:
    cls, name = class_of(type_of(op.args[1])), op.args[2]
    assert isinstance(name, Const)
    return cls or object, name.value


def _is_of_table(op: Call) -> bool:
    callee = _callee(op)
    return callee is shadow_calls.add or callee is shadow_calls.take
