"""Reads and stores of what objects hold, in the forward pass."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.generators import Generator
from ir.heap import (
    HEAP,
    HEAP_NAME,
    IDENTITY,
    STORES,
    attribute_read,
    attribute_stored,
    class_attribute,
    class_read,
    class_stored,
    contents_read,
    found_attribute,
    object_read,
    without_heap,
)
from ir.inference.surroundings import STORED
from ir.late import late
from ir.memory.contents import holds_memory
from ir.memory.held_functions import captures_memory, is_view, may_be_memory
from ir.memory.held_types import item_held
from ir.rewrite import Mapping
from ir.types import BOTTOM, Known, Type, class_of
from zyg.compiler.forward.forward_rules import ForwardRules, callee_name
from zyg.compiler.forward.forward_steps import (
    ContentsStep,
    ItemStep,
    ReadStep,
    SeenStep,
    Step,
    StoreStep,
)
from zyg.compiler.inference.constructors import has_rule_of_user
from zyg.compiler.inference.objects import holds_no_objects, is_object_type
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.specialisation import Specialisation

if TYPE_CHECKING:
    from zyg.held import held_memory
else:
    held_memory = late("zyg.held.held_memory")


class ForwardObjects(ForwardRules):
    """Appends what reads and changes the contents of objects."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What was read of memory that objects may hold: its identity, and in which block.
        self._held_here: dict[Value, tuple[Value, list[Step]]] = {}
        # The steps of arms of branches, with those of the block that the branch stands in.
        self._around: list[tuple[list[Step], list[Step]]] = []
        # What is given to calls that know no table: what objects held then.
        self.seen_here: dict[Value, Value] = {}

    def _without_heap(self, values: list[Value], mapping: Mapping) -> list[Value]:
        """The values but for versions of the heap, all of which are one token."""
        if self.heap is not None:
            mapping.update((value, self.heap) for value in values if value.type == HEAP)
        return [value for value in values if value.type != HEAP]

    def _without_token(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> tuple[Operand, list[Operand], dict[str, Operand], Call]:
        """A call that is made as it is, in terms of what runs: without the heap."""
        function: Any = callee.value if isinstance(callee, Const) else None
        heaps = [value for value in op.results if value.type == HEAP]
        mapping.update((value, self.heap) for value in heaps if self.heap is not None)
        results = [value for value in op.results if value.type != HEAP] or [
            Value("_", Known(None))
        ]
        if function is attribute_read or function is found_attribute:
            callee, args = Const(getattr), args[1:]
        elif function is class_read:
            callee, args = Const(class_attribute), args[1:]
        elif function in (contents_read, object_read):
            callee, args = Const(primitives.alias), args[1:]
        elif any(function is store for store in STORES):
            callee, args = Const(STORES[function]), args[1:]
        elif function is primitives.updating and heaps:
            changed = args[1]
            assert isinstance(changed, Const)
            rest = tuple(position for position in changed.value if position != HEAP_NAME)
            if rest:
                args = [args[0], Const(rest), *args[2:]]
            else:
                callee, args = args[0], args[2:]
        return callee, args, without_heap(kwargs), Call(
            op.callee, op.args, op.kwargs, results, op.loc
        )

    def _heap_call(
        self, op: Call, callee: Const, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A read or store of what an object holds; False for another call."""
        if callee.value is attribute_read:
            heap, obj, name, *default = args
            assert isinstance(heap, Value)
            if default or not isinstance(name, Const) or (
                self.surroundings.member(type_of(obj), name.value).kind not in STORED
            ):
                self._dynamic_call(op, Const(getattr), args[1:], {}, mapping)
                return True
            result = self._read(op, args, mapping)
            if _is_count(obj, name.value):
                return True
            self.varied.add(result)
            known = self._contents.memory(op, args) if is_array(result.type) else None
            if isinstance(known, Value) and known in self._held_here:
                held: Value | None = self._held_here[known][0]
            else:
                held = self._held(result, op.loc)
            if held is not None:
                self._held_here[result] = held, self.steps
                self._contents.note_memory(op, args, result)
            self.steps.append(ReadStep(result, obj, name.value, op.loc, held))
            return True
        if callee.value is found_attribute:
            self._dynamic_call(op, Const(getattr), args[1:], {}, mapping)
            return True
        if callee.value is contents_read:
            value = args[1]
            held = self._held(value, op.loc)
            if not isinstance(value, Value) or held is None:
                mapping[op.result] = value  # a call may give less than inference has seen
                return True
            result = Value(op.result.name, op.result.type)
            self._define(Call(Const(primitives.alias), [value], {}, [result], op.loc))
            mapping[op.result] = result
            self.varied.add(result)
            self.varied.add(value)
            self._held_here[result] = held, self.steps
            self.steps.append(ContentsStep(result, value, held, op.loc))
            return True
        if callee.value is object_read:
            is_object = is_object_type(type_of(args[1]))
            if not is_object and not self.surroundings.may_change_objects():
                mapping[op.result] = args[1]
                return True
            result = Value(op.result.name, op.result.type)
            self._define(Call(Const(primitives.alias), [args[1]], {}, [result], op.loc))
            mapping[op.result] = result
            self.varied.add(result)
            if self.surroundings.may_change_objects():
                from zyg.compiler.run_time.seen_objects import see  # few programs need it

                seen = self.seen_here[result] = Value(result.name, IDENTITY)
                self._define(Call(Const(see), [args[1]], {}, [seen], op.loc))
                self.steps.append(SeenStep(result, args[1], seen, op.loc))
            return True
        plain = STORES.get(callee.value) if callable(callee.value) else None
        if plain is None:
            return False
        heap, obj, name, *values = args
        assert isinstance(name, Const)
        if callee.value is class_stored:
            self._refuse_lost(op, args)
        self._define(Call(Const(plain), args[1:], {}, [Value("_", Known(None))], op.loc))
        mapping[op.result] = heap
        if callee.value is class_stored:
            return True
        if callee.value is attribute_stored and (
            self._contents.holds(op, args, self._aliased(values[0]))
        ):  # `o.a += b` puts there what is there
            assert isinstance(op.args[0], Value | Const)
            self._contents.note_change(op.args[0], op.result)
            return True
        self._contents.note_store(op, args)
        fields = self._specialiser.fields
        if _is_count(obj, name.value):
            return True
        if fields is not None and not fields.may_vary(class_of(type_of(obj)), name.value):
            return True
        stored = values[0] if values else None
        step = StoreStep(obj, name.value, stored, op.loc)
        if stored is not None:
            self._note_held(step, stored)
        self.steps.append(step)
        return True

    def _aliased(self, operand: Operand) -> Operand:
        """What an operand is another name of."""
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        while isinstance(made, Call) and isinstance(made.callee, Const) and (
            made.callee.value is primitives.alias
        ):
            operand = made.args[0]
            made = self.definitions.get(operand) if isinstance(operand, Value) else None
        return operand

    def _note_held(self, step: StoreStep, stored: Operand) -> None:
        """Notes what a store makes an object hold that none held before."""
        step.held = self._held(stored, step.loc)
        if step.held is not None:
            step.newly = Value("newly", IDENTITY)
            self._define(Call(Const(held_memory.hold), [step.held], {}, [step.newly], step.loc))

    def _item_of_held(
        self, op: Call, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A read of an item of memory that objects may hold; False for another one.

        Where a loop reads items of what was read before it, their cotangents add up in the loop.
        """
        container, index = args
        found = self._held_here.get(container) if isinstance(container, Value) else None
        if found is None or not self._is_here(found[1]) or not _is_plain_key(type_of(index)):
            return False
        result = Value(op.result.name, op.result.type)
        self._define(Call(op.callee, args, {}, [result], op.loc))
        mapping[op.result] = result
        self.varied.add(result)
        assert isinstance(container, Value)
        item = self._held(result, op.loc)
        if item is not None:
            self._held_here[result] = item, self.steps
        self.steps.append(ItemStep(result, container, index, found[0], item, op.loc))
        return True

    def _is_here(self, steps: list[Step]) -> bool:
        """Whether these are the steps of this block, or of one in an arm of which it stands."""
        here = self.steps
        for arm, around in reversed(self._around):
            if here is steps:
                return True
            here = around if here is arm else here
        return here is steps

    def _read_again(
        self, op: Call, callee: Operand, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A read of what is at hand, or of what never varies; False for another call."""
        if not isinstance(callee, Const) or callee.value is not attribute_read:
            return False
        is_plain = len(args) == 3 and isinstance(args[2], Const) and (
            self.surroundings.member(type_of(args[1]), args[2].value).kind in STORED
        )
        known = self._contents.known(op, args) if is_plain else None
        if known is not None:
            mapping[op.result] = known
            return True
        if not is_plain or self._varies(op.results):
            return False
        self._read(op, args, mapping)
        return True

    def _held(self, value: Operand, loc: Location | None) -> Value | None:
        """A name for memory that objects may hold and change in place: what is saved of it is its
        identity, not its contents."""
        if not isinstance(value, Value) or not self._may_be_held(value):
            return None
        held = Value(value.name, IDENTITY)
        seen: type[held_memory.Seen] = held_memory.Seen
        if is_array(value.type):
            seen = held_memory.SeenArray
        elif _holds_numbers(value.type):
            seen = held_memory.SeenNumbers
        self._define(Call(Const(seen), [value], {}, [held], loc))
        return held

    def _may_be_held(self, value: Value) -> bool:
        """Whether a value may be memory that objects hold and change in place."""
        type_ = value.type
        is_any = may_be_memory(type_) or captures_memory(type_) or is_view(type_)
        return is_any and bool(
            self.surroundings.holds_at_run_time() and self.surroundings.may_hold(type_)
            and not self.surroundings.leaves_alone(type_)
        )

    def _apart_from_heap(
        self, op: Call, specialisation: Specialisation, inputs: list[Operand], mapping: Mapping
    ) -> list[Value]:
        """The results that generated code returns; the heap stays what it is."""
        number = specialisation.heap
        if number is None or number not in specialisation.updates:
            return op.results
        position = 1 + specialisation.updates.index(number)
        mapping[op.results[position]] = inputs[number]
        return [value for i, value in enumerate(op.results) if i != position]

    def _unless_given_objects(
        self, callee: Const, operands: list[Operand], loc: Location | None
    ) -> None:
        """Looks when the program runs whether a rule of the user's is given objects, whose
        cotangents have to go to the table, among operands of which types tell nothing."""
        if self.heap is None or not has_rule_of_user(callee.value):
            return
        unknown = [operand for operand in operands if not holds_no_objects(type_of(operand))]
        if unknown:
            from zyg.compiler.run_time.rule_objects import unless_objects  # few programs need it

            self.call(unless_objects, Const(callee_name(callee)), *unknown, loc=loc)


def without_heap_operand(values: list[Operand], of: list[Value]) -> list[Operand]:
    return [value for value, like in zip(values, of, strict=True) if like.type != HEAP]


def _is_plain_key(type_: Type) -> bool:
    """Whether what is read by this index is one item, of an array or another container."""
    cls = class_of(type_)
    return cls is not None and issubclass(cls, int | str | np.integer) and cls is not bool


def _is_count(obj: Operand, name: str) -> bool:
    """Whether an attribute says how far an iterator has come: it has no derivative."""
    cls = class_of(type_of(obj))
    return cls is not None and issubclass(cls, Generator) and name in cls.counts


def _holds_numbers(type_: Type) -> bool:
    """Whether this is a list or dict of what can't be changed in place."""
    if class_of(type_) not in (list, dict, deque):
        return False
    item = item_held(type_)
    return item != BOTTOM and not holds_memory(item)
