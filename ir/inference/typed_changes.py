"""Calls that change their arguments in place, as calls that give new versions of them.

    change(a, x)  ->  a_1 = updated(change, a, x)
"""

from __future__ import annotations

import types

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.heap import HEAP, HEAP_NAME
from ir.inference.typed_attempts import TypedAttempts
from ir.memory.memory_facts import is_array_like
from ir.memory.place_state import NEW, SHALLOW, Effect, Returned
from ir.types import TOP, Closure, Known, Raised, Tuple, Type, class_of

# What a catching variant returns, if nothing is known of it: the error, or None, and the value.
PAIR = Tuple((Raised(), TOP))


class TypedChanges(TypedAttempts):
    """Appends calls that change what they are given."""

    def _unpacked(
        self, callee: Operand, result: Operand, names: list[str], loc: Location | None
    ) -> list[Operand]:
        raise AssertionError("given by TypedCalls")

    def changing_call(
        self, callee: Const, args: list[Operand], loc: Location | None
    ) -> None:
        """Appends a change in place of memory that an object holds."""
        heap = self.current_heap(loc)
        version = Value(heap.name, heap.type)
        changed = Const((HEAP_NAME,))
        result = Value("_", TOP)
        function: Operand = callee
        attempting = None
        is_plain = class_of(type_of(args[0])) in (list, dict) or is_array_like(type_of(args[0]))
        if self.attempting is not None and not is_plain:
            function, attempting = self._catching(callee, loc, is_known=False)
            result.type = PAIR
        call = Call(
            Const(primitives.updating), [function, changed, *args], {HEAP_NAME: heap},
            [result, version], loc,
        )
        self._define(call)
        if is_plain or attempting is not None:
            self._at_once.add(call)
        if attempting is not None:
            attempting.error = Value("error", Raised())
            value = Value("t", TOP)
            apart = Call(
                Const(primitives.unpack), [result, Const(2)], {}, [attempting.error, value], loc
            )
            self._define(apart)
            self._at_once.add(apart)
            self.attempting = attempting
        assert self.places is not None
        self.places.held.heap_changed(heap, version, loc)

    def _updating(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
        type_: Type,
        changed: list[tuple[int | str, Operand]],
    ) -> list[Operand]:
        """Appends a call that changes some of its arguments, and gives its value."""
        assert self.places is not None
        result = Value(names[0] if len(names) == 1 else "t", type_)
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        inputs, types_ = self.surroundings.updates(
            type_of(callee), tuple(map(type_of, args)), kwtypes
        )
        effects = self.surroundings.effects(type_of(callee), tuple(map(type_of, args)), kwtypes)
        if len(types_) != len(changed):  # of an unknown function, which changes objects alone
            types_ = [type_of(operand) for _, operand in changed]
            effects = [Effect()] * len(changed)
        types_ = [  # of a recursive function nothing is known yet
            HEAP if type_of(operand) == HEAP else known
            for (_, operand), known in zip(changed, types_, strict=True)
        ]
        self.places.passed(callee, args, kwargs, result, changed, types_, effects, loc)
        made = self.definitions[result]
        assert isinstance(made, Call)
        if self._is_catching(callee) or not self.surroundings.may_fail_midway(
            type_of(callee), tuple(map(type_of, args)), kwtypes
        ):
            self._at_once.add(made)
        returned = self._returned_by(made)
        if returned in (NEW, SHALLOW):
            self.places.returned_new[result] = None
            if returned == SHALLOW:
                self.places.contents.copied_by_call(result, [*args, *kwargs.values()])
        if isinstance(returned, int):
            # The function returns what it has changed.
            result = made.results[1 + inputs.index(returned)]
        if len(names) == 1:
            return [result]
        parts = self._unpacked(callee, result, names, loc)
        if isinstance(returned, tuple) and len(returned) == len(parts):
            for part, kind in zip(parts, returned, strict=True):
                if isinstance(part, Value):
                    self._note_new(part, kind, made)
        return parts

    def _note_returned(self, call: Call) -> None:
        """Notes which results of a call are new memory."""
        assert self.places is not None
        if isinstance(call.callee, Const) and call.callee.value is primitives.unpack:
            made = self.definitions.get(call.args[0]) if isinstance(call.args[0], Value) else None
            if isinstance(made, Call) and made.results[0] is call.args[0]:
                whole = self._returned_by(made)
                if isinstance(whole, tuple) and len(whole) == len(call.results):
                    for result, part in zip(call.results, whole, strict=True):
                        self._note_new(result, part, made)
                        self.places.state.lent[result] = None  # the tuple knows it as well
        elif len(call.results) == 1:
            self._note_new(call.result, self._returned_by(call), call)

    def note_new_part(self, part: Operand, whole: Operand) -> None:
        """Notes that a part of what a call returned, which nobody else takes out, is new memory."""
        made = self.definitions.get(whole) if isinstance(whole, Value) else None
        if self.places is not None and isinstance(made, Call) and isinstance(part, Value):
            self._note_new(part, NEW, made)

    def _note_new(self, result: Value, returned: Returned, call: Call) -> None:
        assert self.places is not None
        if returned in (NEW, SHALLOW):
            self.places.returned_new[result] = None
            self.places.state.views.pop(result, None)
            if returned == SHALLOW:
                self.places.contents.copied_by_call(result, [*call.args, *call.kwargs.values()])

    def _returned_by(self, call: Call) -> Returned:
        callee, args = call.callee, call.args
        if isinstance(callee, Const) and callee.value is primitives.updating:
            callee, args = args[0], args[2:]
        callee_type = type_of(callee)
        is_python = isinstance(callee_type, Closure) or (
            isinstance(callee_type, Known) and (
                isinstance(callee_type.value, types.FunctionType)
                or hasattr(callee_type.value, "ir_function")
                or isinstance(getattr(callee_type.value, "__self__", None), type)  # `dict.fromkeys`
            )
        )
        if not is_python:
            return None
        kwargs = {name: type_of(arg) for name, arg in call.kwargs.items()}
        return self.surroundings.returned(callee_type, tuple(map(type_of, args)), kwargs)
