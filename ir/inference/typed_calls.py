"""Typed calls: resolved, folded, inlined or taken apart as far as their types tell."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ir import facts, primitives, try_primitives
from ir.closures import Maker
from ir.core import Block, Call, Const, Lambda, Location, Op, Operand, Raise, Value, Yield, type_of
from ir.derived import base_of, found_in, is_asked
from ir.errors import NeedsHeap, Unsupported
from ir.heap import HEAP_NAME
from ir.inference.computed_attributes import bound_method
from ir.inference.constructing import constructed
from ir.inference.enumerations import called_method, members_of
from ir.inference.inlining import inlined_call, inlined_closure
from ir.inference.narrowing import unless_none
from ir.inference.special_calls import special_of
from ir.inference.typed_builder import known_operand
from ir.inference.typed_changes import PAIR, TypedChanges
from ir.late import late
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import READING_LATER, UNPACKING
from ir.memory.place_state import Effect
from ir.rewrite import Mapping
from ir.types import (
    BOTTOM,
    TOP,
    Bottom,
    Instance,
    Known,
    Method,
    Scalar,
    Tuple,
    Type,
    Union,
    class_of,
    has_item,
    widen,
)

if TYPE_CHECKING:
    from ir.inference import case_by_case, setting_apart, steps
    from ir.memory import held_iterators
else:
    held_iterators, steps = late("ir.memory.held_iterators"), late("ir.inference.steps")
    setting_apart = late("ir.inference.setting_apart")
    case_by_case = late("ir.inference.case_by_case")

_PLAIN = {id(in_place): plain for in_place, plain in IN_PLACE.items()}
IMMUTABLE = (Scalar, Tuple)
MAX_INLINED = 12


class TypedCalls(TypedChanges):
    """Appends calls as what their types make of them."""

    def inline(self, block: Block, mapping: Mapping) -> Yield | Raise:
        raise AssertionError("given by Inference")

    def op(self, op: Op, mapping: Mapping) -> Raise | None:
        raise AssertionError("given by Inference")

    def _lambda(self, op: Lambda, new: Callable[[Operand], Operand], mapping: Mapping) -> None:
        raise AssertionError("given by Inference")

    # Calls

    def call(
        self,
        callee: Any,
        *args: Operand,
        name: str = "t",
        loc: Location | None = None,
        **kwargs: Operand,
    ) -> Operand:
        """Appends a call of one result, unless it folds to something known."""
        if not isinstance(callee, Value | Const):
            callee = Const(callee)
        (result,) = self.typed_call(callee, list(args), kwargs, [name], loc or self.loc)
        return result

    def typed_call(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; gives an operand for each result."""
        places = self.places
        if type(callee) is Const and callee.value is try_primitives.attempt:
            return self._attempted(args[0], args[1:], kwargs, names[1], loc)
        if places is not None and places.is_watching:
            is_apart = type(callee) is Const and callee.value in UNPACKING
            args = [
                arg if is_apart and places.parts(arg) else places.read(arg, loc) for arg in args
            ]
            kwargs = {name: places.read(arg, loc) for name, arg in kwargs.items()}
            if type(callee) is Value and callee not in self.methods:
                callee = places.read(callee, loc)
            callee = known_operand(places.held.read_callee(callee, loc))
            called = callee
            if type(callee) is Value and callee in self.methods:
                called, _ = self.methods[callee]
            args, kwargs = places.held.operands_of(called, args, kwargs, loc)
        if type(callee) is not Const or callee.value is not primitives.check_bound:
            # What a variable is where it is bound doesn't tell whether it is.
            args = [known_operand(arg) if type(arg) is Value else arg for arg in args]
        kwargs = {name: known_operand(arg) for name, arg in kwargs.items()} if kwargs else {}
        if type(callee) is Value:
            callee = known_operand(callee)
        if places is None:
            self.surroundings.check_call(self, callee, args, kwargs, loc)
        if type(callee) is Value:
            if callee in self.methods:
                function, self_operand = self.methods[callee]
                if places is not None:
                    self_operand = places.read(self_operand, loc)
                callee, args = function, [self_operand, *args]
            elif places is not None:
                method = self.surroundings.called_method(callee.type)
                if method is not None:
                    return self.typed_call(Const(method), [callee, *args], kwargs, names, loc)
                method = None if self.heap is None else _function_of_method(callee.type)
                if method is not None:
                    owner = self.call(primitives.owner_of, callee, name="self", loc=loc)
                    return self.typed_call(Const(method), [owner, *args], kwargs, names, loc)
                cases = case_by_case.by_methods(self, callee, args, kwargs, names, loc)
                if cases is None:
                    cases = case_by_case.by_functions(self, callee, args, kwargs, names, loc)
                if cases is None:
                    cases = case_by_case.called_by_cases(self, callee, args, kwargs, names, loc)
                if cases is not None:
                    return cases
        if type(callee) is not Const:
            inlined = inlined_closure(self, callee, args, kwargs, names, loc)
            return inlined or self._standing_in(callee, args, kwargs, names, loc)
        value = callee.value
        if not kwargs and len(names) == 1:
            made = self._asking_nothing(callee, args, names[0], loc)
            if made is not None:
                return [made]
        args = args if places is None else unless_none(self, value, args, loc)
        of_member = called_method(value)
        if of_member is not None:
            return self.typed_call(Const(of_member), [callee, *args], kwargs, names, loc)
        if isinstance(value, Maker):
            return self._make(value, args, kwargs, names, loc)
        plain = _PLAIN.get(id(value))
        if plain is not None and _is_immutable(widen(type_of(args[0]))):
            return self.typed_call(Const(plain), args, kwargs, names, loc)
        if places is not None and (self.heap is not None or self.surroundings.is_apart()):
            cases = case_by_case.asked_by_cases(self, callee, args, kwargs, names, loc)
            if cases is not None:
                return cases
        if places is not None and any(is_asked(type_of(arg)) for arg in args[:2]):
            types_ = tuple(map(type_of, args))
            found = None if kwargs else self.surroundings.operator_method(value, types_)
            if found is not None:
                method, is_swapped = found
                given = args[::-1] if is_swapped else args
                return self.typed_call(Const(method), given, {}, names, loc)
        if places is not None and (self.heap is not None or not self.works_on_objects):
            if id(value) in READING_LATER:
                args = held_iterators.operands_of_lazy(self, value, args, kwargs, loc)
            args = self._items_of_objects(value, args, loc)
            try:
                consumer = self.surroundings.consumer(value, tuple(map(type_of, args)))
            except Unsupported as error:
                raise Unsupported(error.what, loc, error.why, error.advice) from None
            if consumer is not None:
                return steps.consumed(self, consumer, args, kwargs, names, loc)
            if self.heap is not None:
                taken = steps.consumed_by_cases(self, value, args, kwargs, names, loc)
                if taken is not None:
                    return taken
                args = steps.settled_operands(self, value, args, loc)
        special = special_of(value)
        if special is not None:
            folded = special(self, args, kwargs, names, loc)
            if folded is not None:
                return folded
        if len(names) != 1:  # for what it refuses: what it gives is one value
            self.surroundings.expanded(self, callee, args, kwargs, loc)
            return self._append(callee, args, kwargs, names, loc)
        constant = self._fold_constants(value, args, kwargs)
        if constant is not None:
            return [constant]
        expanded = self.surroundings.expanded(self, callee, args, kwargs, loc)
        if expanded is not None:
            return [expanded]
        if self.places is not None and isinstance(value, type):
            made = constructed(self, callee, args, kwargs, names[0], loc)
            if made is not None:
                return [made]
        if isinstance(value, types.FunctionType):
            inlined = inlined_call(self, value, args, kwargs, names, loc)
            if inlined is not None:
                return inlined
        return self._standing_in(callee, args, kwargs, names, loc)

    def _standing_in(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """What a call gives, with what stands for an object of a library in the place of that."""
        found = self._append(callee, args, kwargs, names, loc)
        if self.places is None or len(found) != 1:
            return found
        stood_in = self.surroundings.stood_in(type_of(callee), type_of(found[0]))
        return found if stood_in is None else [self.call(stood_in, found[0], loc=loc)]

    def _items_of_objects(
        self, callee: object, operands: list[Operand], loc: Location | None
    ) -> list[Operand]:
        """The operands of a call or loop, with the iterators of objects in their place."""
        found = self.surroundings.iterated(callee, tuple(map(type_of, operands)))
        members = {i: all_members for i, _ in found if (all_members := members_of(operands[i]))}
        operands = [members.get(i, operand) for i, operand in enumerate(operands)]
        mappings = self.surroundings.mappings(callee, tuple(map(type_of, operands)))
        if len(found) == len(members) and not mappings:
            return operands
        found = [(i, method) for i, method in found if i not in members]
        self.works_on_objects = True
        if self.heap is None:
            return operands
        operands = list(operands)
        for i, function, is_certain in mappings:
            given = [operands[i]]
            if is_certain:
                (operands[i],) = self.typed_call(Const(function), given, {}, ["items"], loc)
            else:
                (operands[i],) = self.unknown_call(Const(function), given, ["items"], loc)
        for i, method in found:
            if method is None and self.surroundings.may_step(type_of(operands[i])):
                continue  # see `ir.inference.steps`
            if method is None:
                (operands[i],) = self.unknown_call(Const(iter), [operands[i]], ["items"], loc)
            else:
                (operands[i],) = self.typed_call(
                    Const(method), [operands[i]], {}, ["items"], loc
                )
        return operands

    def _of_class(
        self, owner: Const, name: str, names: list[str], loc: Location | None
    ) -> list[Operand] | None:
        """A class method, static method or property that is looked up in its class."""
        if base_of(owner.value) is not None:
            from ir.inference.special_derived import read_of_class  # few programs need it

            return read_of_class(self, owner, name, names, loc)
        found = self.surroundings.member(Instance(owner.value), name)
        plain = found_in(owner.value, name)
        if found.kind == "computed" and type(plain) is property:
            self.surroundings.note_lookup(owner.value, name)
            return [Const(plain)]
        if found.kind not in ("static", "of class"):
            return None
        self.surroundings.note_lookup(owner.value, name)
        if found.kind == "static":
            return [Const(found.getter)]
        return bound_method(self, found.getter, owner, [owner, Const(name)], names, loc)

    def asks_above(self, owner: Operand) -> tuple[type, type, Operand] | None:
        """The class of the object, the class and the object of `super(cls, obj)`."""
        match self.definitions.get(owner) if isinstance(owner, Value) else None:
            case Call(Const(callee), [Const(type() as below), obj]) if callee is super:
                cls = obj.value if isinstance(obj, Const) else class_of(type_of(obj))
                return (cls, below, obj) if isinstance(cls, type) else None
            case _:
                return None

    def _of_super(self, owner: Operand, name: str) -> tuple[Any, Operand] | None:
        """The function that `super(cls, obj).name` is a method of, and the object."""
        asked = self.asks_above(owner)
        if asked is None:
            return None
        cls, below, obj = asked
        function = self.surroundings.above(cls, below, name)
        return None if function is None else (function, obj)

    def _make(
        self, maker: Maker, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """Emitted code that is parsed again: what makes a function object is a `Lambda`."""
        defaults = self.parts(kwargs["defaults"]) if "defaults" in kwargs else []
        keywords = self.keywords(kwargs["kwdefaults"]) if "kwdefaults" in kwargs else {}
        assert defaults is not None and keywords is not None
        made = Lambda(maker.function, args, defaults, keywords, Value(names[0]), loc)
        mapping: Mapping = {}
        self._lambda(made, lambda operand: operand, mapping)
        return [mapping[made.result]]

    def _append(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        fold = facts.fold_of(callee.value) if isinstance(callee, Const) else None
        if fold is not None and len(names) == 1:
            simpler = fold(Call(callee, args, kwargs, [Value(names[0])], loc))
            if isinstance(simpler, Call):
                return self.typed_call(
                    simpler.callee, simpler.args, simpler.kwargs, names, loc
                )
            if simpler is not None:
                return [simpler]
        is_apart = False
        if self.places is not None and not (self.heap is None and self.works_on_objects):
            if HEAP_NAME not in kwargs and self._calls_for_objects(callee, args, kwargs, loc):
                self.works_on_objects = True
                if self.heap is not None:
                    kwargs = {**kwargs, HEAP_NAME: self.current_heap(loc)}
            elif self.heap is not None:
                is_apart = setting_apart.set_apart(self, callee, args, kwargs, loc)
        type_ = self._result_type(callee, args, kwargs)
        if self.places is not None:
            changed = self.surroundings.updated(self, callee, args, kwargs, loc)
            is_of_held = self.heap is not None and self.places.held.is_changed_by(changed, loc)
            if changed and self.attempting is not None:
                found = self._caught(callee, args, kwargs, names, loc, is_of_held)
                if found is not None:
                    return found
            if is_of_held:
                self.surroundings.note_change_by_call()
                return self.unknown_call(callee, args, names, loc, kwargs)
            if changed:
                return self._updating(callee, args, kwargs, names, loc, type_, changed)
        if len(names) == 1:
            results = [Value(names[0], type_)]
        else:
            results = [Value(name, _part(type_, i)) for i, name in enumerate(names)]
        call = Call(callee, args, kwargs, results, loc)
        self._define(call)
        if self.places is not None:
            self._note_returned(call)
            if is_apart:
                setting_apart.check_given(self, results, loc)
        if len(results) == 1 and isinstance(type_, Known) and _may_drop(callee, args):
            self.ops.pop()
            return [Const(type_.value)]
        return list(results)

    def _calls_for_objects(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> bool:
        if self._inlining and self.surroundings.works_on_values(self.globals):
            return False
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            return self.surroundings.works_on_objects(
                type_of(callee), tuple(map(type_of, args)), kwtypes
            )
        except NeedsHeap:
            raise
        except Unsupported as error:
            place = error.location or loc
            raise type(error)(error.what, place, error.why, error.advice) from None

    def unknown_call(
        self, callee: Operand, args: list[Operand], names: list[str], loc: Location | None,
        kwargs: dict[str, Operand] | None = None,
    ) -> list[Operand]:
        """Appends a call about which the run time will tell what it does with objects."""
        assert self.places is not None
        heap = self.current_heap(loc)
        if self.attempting is not None:
            function, attempting = self._catching(callee, loc, is_known=False)
            pair = self.unknown_call(function, args, ["error", names[0]], loc, kwargs)
            self.attempting = attempting
            attempting.error, value = pair
            if len(names) == 1:
                return [value]
            count = Const(len(names))
            return self.typed_call(Const(primitives.unpack), [value, count], {}, names, loc)
        changed: list[tuple[int | str, Operand]] = [(HEAP_NAME, heap)]
        result = Value(names[0], PAIR if self._is_catching(callee) else TOP)
        self.surroundings.note_store(None, "", TOP)
        self.places.passed(
            callee, args, {**(kwargs or {}), HEAP_NAME: heap}, result, changed, [heap.type],
            [Effect()], loc,
        )
        if self._is_catching(callee):
            self._at_once.add(self.definitions[result])
        if len(names) == 1:
            return [result]
        return self._unpacked(callee, result, names, loc)

    def _unpacked(
        self, callee: Operand, result: Operand, names: list[str], loc: Location | None
    ) -> list[Operand]:
        """What a call returned, taken apart."""
        count = Const(len(names))
        parts = self.typed_call(Const(primitives.unpack), [result, count], {}, names, loc)
        if self._is_catching(callee):
            self._at_once.update(
                self.definitions[part] for part in parts if isinstance(part, Value)
            )
        return parts


def _function_of_method(type_: Type) -> types.FunctionType | None:
    """The function of a method of an object, which was read elsewhere."""
    if not isinstance(type_, Method) or not isinstance(type_.function, Known):
        return None
    function = type_.function.value
    is_python = isinstance(function, types.FunctionType)
    return function if is_python and isinstance(type_.self, Instance) else None


def _is_immutable(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_immutable, type_.members))
    return isinstance(type_, IMMUTABLE)


def _may_drop(callee: Operand, args: list[Operand]) -> bool:
    """Whether a call whose result is known need not run. Of an item, the type says what it is if it
    is there."""
    if not isinstance(callee, Const):
        return False
    if callee.value is operator.getitem:
        return has_item(*map(type_of, args))
    return facts.is_pure(callee.value) or callee.value in (getattr, primitives.load_global)


def _part(type_: Type, index: int) -> Type:
    match type_:
        case Tuple(items) if index < len(items):
            return items[index]
        case Bottom():
            return BOTTOM
        case _:
            return TOP
