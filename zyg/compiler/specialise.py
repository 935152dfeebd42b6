"""A function for one signature: its typed IR, what its result depends on, and what that rests on.

The compiler looks at the program as it is now: it resolves globals, modules' attributes and
captured functions, and notes each such look as a `Guard`. Code stays valid as long as its guards
hold.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.binding import CannotBind, bind
from ir.core import Block, Call, Const, Function, Location, Op, Operand, Value, Yield, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import (
    HEAP,
    HEAP_NAME,
    STORES,
    attribute_read,
    attribute_set,
    attribute_stored,
    class_read,
    class_stored,
    with_heap,
)
from ir.infer import Inference
from ir.parse import parse_code
from ir.place_state import Effect, Returned
from ir.record import made, node, record
from ir.rewrite import walk
from ir.surroundings import Inlinable
from ir.typed_calls import TypedCalls
from ir.types import (
    BOTTOM,
    TOP,
    Closure,
    Dict,
    Instance,
    Known,
    Method,
    Top,
    Tuple,
    Type,
    Union,
    class_of,
    widen,
)
from zyg.compiler import memory
from zyg.compiler.activity import NOTHING, Flow, Flows
from zyg.compiler.assigned import Assigned
from zyg.compiler.lengths import outside
from zyg.compiler.mutation import is_harmless, may_change_captured, refuse_mutation
from zyg.compiler.objects import (
    OPERATORS,
    is_class_store,
    is_object_type,
    is_place,
    iterates,
    iterates_over,
    lookup,
    may_overload,
    member,
    operator_method,
    with_source,
)
from zyg.compiler.objects import constructor as constructor_of
from zyg.compiler.stepping import (
    PROGRAMS,
    consumer_at,
    iterator_class,
    knows_steps,
    reads_plainly,
    step_of,
)
from zyg.compiler.wrappers import is_for_run_time
from zyg.numpy_changes import added_at, is_users, written_out
from zyg.rules.registry import (
    Unread,
    is_constant,
    method_of_ufunc,
    rule_of,
    stand_in_of,
    substitute_of,
    takes_pullback,
    without_output,
)
from zyg.shadows import unless_held
from zyg.signature import abstract, is_by_rules

if TYPE_CHECKING:
    from zyg.compiler.fields import Answers, Fields

NO_OPS: frozenset[Op] = frozenset()
MAX_DEPTH = 60
MAX_INLINED_OPS = 30
MAX_ROUNDS = 10
MAX_KNOWN = 4096
MAX_GLOBAL_ITEMS = 8
# Operations that hand on what they are given: calls of them pass derivatives through.
PASSING = {
    id(function)
    for function in (
        primitives.build_tuple, primitives.build_list, primitives.build_dict, primitives.unpack,
        primitives.unpack_starred, primitives.check_bound, primitives.apply, getattr,
    )
}


# Objects that call functions of Python's.
_OF_PYTHON = (functools.partial, types.MethodType, type(functools.lru_cache(lambda: None)))


@record
class Guard:
    """`container[name]` is still the object, or still has the type, that code was made for."""

    container: Any
    name: str
    expected: Any
    by_type: bool = False

    def holds(self) -> bool:
        try:
            value = self.container[self.name]
        except KeyError:
            return False
        return abstract(value) == self.expected if self.by_type else value is self.expected


@record
class CellGuard:
    """A captured variable still holds a value of the type that code was made for."""

    cell: types.CellType
    expected: Type

    def holds(self) -> bool:
        try:
            return abstract(self.cell.cell_contents) == self.expected
        except ValueError:
            return False


@node
class Specialisation:
    """The typed IR of a function for the types of its captured variables and parameters."""

    source: Function
    inputs: tuple[Type, ...]
    function: Function
    result: Type = BOTTOM
    flow: Flow = NOTHING
    flows: Flows | None = None
    guards: dict[object, AnyGuard] = made(dict)
    callees: dict[Specialisation, None] = made(dict)
    # Inputs that it changes in place: it returns their last versions behind its value.
    updates: tuple[int, ...] = ()
    effects: list[Effect] = made(list)
    # Inputs that may be changed without that.
    spoiled: tuple[int, ...] = ()
    # Inputs whose memory objects may hold behind it.
    held_inputs: tuple[int, ...] = ()
    returned: Returned = None
    # Whether it reads or changes what objects hold, or would, had it the heap.
    works_on_objects: bool = False
    reads_objects: bool = False
    # Inputs that may get into objects, as far as the heap is not taken.
    stored: Flow = NOTHING
    # Inputs that get into globals, where their derivatives end.
    lost: Flow = NOTHING
    # The operations of the source that change inputs, and whether one may fail behind that.
    changes: frozenset[Op] = frozenset()
    may_fail_midway: bool = False
    is_done: bool = False
    is_recursive: bool = False
    head: int = 0
    # The compilation in which its guards were looked at.
    checked_in: int = 0
    # What it rests on of what objects hold.
    asked: Answers = made(dict)

    def summary(self) -> object:
        """What callers rest on."""
        return (
            self.result, self.flow, self.updates, tuple(self.effects), self.spoiled,
            self.returned, self.works_on_objects, self.stored, self.lost, self.changes,
            self.may_fail_midway, self.held_inputs,
        )

    @property
    def value_type(self) -> Type:
        """The type of what the function returns to its caller."""
        if not self.updates or not isinstance(self.result, Tuple):
            return self.result
        return self.result.items[0]

    @property
    def heap(self) -> int | None:
        """The number of the input that is the heap."""
        return next((i for i, type_ in enumerate(self.inputs) if type_ == HEAP), None)

    def with_bars(self, active: Flow) -> list[int]:
        """The active inputs that have cotangents of their own: those of objects are in the table
        of the heap."""
        if self.heap is None:
            return sorted(active)
        return [
            i for i in sorted(active - {self.heap}) if not is_object_type(self.inputs[i])
        ]

    @property
    def handed_out(self) -> tuple[int, ...]:
        """The inputs whose last versions generated code returns behind the value.

        The heap is a token, whose versions are the same when the program runs.
        """
        return tuple(i for i in self.updates if self.inputs[i] != HEAP)

    @property
    def returned_type(self) -> Type:
        """The type of what generated code returns: the value, or a tuple with the versions."""
        if not self.handed_out or not isinstance(self.result, Tuple):
            return self.value_type
        types_ = self.result.items[1:]
        kept = [t for i, t in zip(self.updates, types_, strict=True) if i in self.handed_out]
        return Tuple((self.result.items[0], *kept))

    def with_callees(self) -> list[Specialisation]:
        """This function and all that it calls."""
        seen: dict[Specialisation, None] = {}
        pending = [self]
        while pending:
            current = pending.pop()
            if current not in seen:
                seen[current] = None
                pending += current.callees
        return list(seen)

    def all_guards(self) -> list[AnyGuard]:
        """The guards of this function and of all that it calls."""
        found: dict[object, AnyGuard] = {}
        for one in self.with_callees():
            found.update(one.guards)
        return list(found.values())


@node
class Target:
    """A Python function that a call can be resolved to, with its captured variables' types."""

    source: Function
    captures: tuple[Type, ...]
    defaults: tuple[Type, ...]
    kwdefaults: dict[str, Type]
    function: types.FunctionType | None


class Specialiser:
    """Makes and keeps specialisations; one compilation at a time uses it."""

    def __init__(self) -> None:
        self._known: dict[object, Specialisation] = {}
        # Counts compilations: no guard ceases to hold while one goes on.
        self._compilation = 0
        # Specialisations by the calls that were found to go to them, with the guards of these.
        self._called: dict[object, tuple[Specialisation, dict[object, AnyGuard]]] = {}
        self._stack: list[Specialisation] = []
        self._provisional: list[Specialisation] = []
        self._raised: dict[Specialisation, Flow] = {}
        # Operands that get into globals, in the function that is being made.
        self._lost: list[Operand] = []
        # Functions that were found to work on objects when their adjoints were made.
        self.needs_heap: set[Function] = set()
        # What objects hold, in code that works on objects and is all known.
        self.fields: Fields | None = None
        # Set by the compiler, which stands above: derivatives inside differentiated code.
        self.derived: Any = None
        self.expand: Any = None
        # What the program assigns that code looks up; shared with the other specialisers.
        self.assigned = Assigned()

    def specialise(self, source: Function, inputs: Sequence[Type]) -> Specialisation:
        """The specialisation of a function; its types are final unless it is being made."""
        inputs = tuple(map(outside, inputs))
        key = source, inputs
        known = self._known.get(key)
        if not self._stack:
            self._compilation += 1
            self._called.clear()
        if known is not None and known.is_done:
            if known.checked_in == self._compilation or (
                all(guard.holds() for guard in known.all_guards())
            ):
                known.checked_in = self._compilation
                self._note(known)
                return known
            known = None
        if known is not None:  # recursion: what is known so far
            self._note(known)
            known.is_recursive = True
            for open_ in self._stack[known.head :]:
                open_.head = min(open_.head, known.head)
            return known
        made = Specialisation(source, inputs, source)
        made.checked_in = self._compilation
        self._known[key] = made
        self._note(made)
        try:
            with self._asking(made):
                self._complete(made)
        except BaseException:
            self._known.pop(key, None)
            raise
        if len(self._known) > MAX_KNOWN and not self._stack:
            self._known.clear()
            self._raised.clear()
        return made

    @contextmanager
    def _asking(self, made: Specialisation) -> Iterator[None]:
        """Notes what is asked meanwhile about the attributes of objects."""
        fields = self.fields
        if fields is None:
            yield
            return
        outer, fields.asked = fields.asked, made.asked
        try:
            yield
        finally:
            fields.asked = outer

    def take_over(self, other: Specialiser, fields: Fields) -> None:
        """Goes on with those specialisations of another one that rest on what is still so."""
        holds = {
            made: fields.still_answers(made.asked)
            for made in {m for one in other._known.values() for m in one.with_callees()}
        }
        self._known = {
            key: made for key, made in other._known.items()
            if made.is_done and all(holds[callee] for callee in made.with_callees())
        }

    def _note(self, callee: Specialisation) -> None:
        if self._stack:
            self._stack[-1].callees[callee] = None

    def _complete(self, made: Specialisation) -> None:
        """Infers until nothing changes; with recursion, the functions in between anew each time.

        `head` is the depth of the outermost open specialisation that one rests on: what is below
        it is provisional until that one is stable.
        """
        count = len(made.source.captured)
        captured, params = list(made.inputs[:count]), list(made.inputs[count:])
        depth = made.head = len(self._stack)
        self._stack.append(made)
        try:
            for _ in range(MAX_ROUNDS):
                self._forget_provisional(depth)
                source, changes = made.source, NO_OPS
                if source.plain is not None:
                    changes = self.specialise(source.plain, made.inputs).changes
                while True:
                    inference = Inference(_Surroundings(self, made), source.globals)
                    if source.plain is not None:
                        from ir.catching import cut_function  # few functions need it

                        source = cut_function(made.source, changes, inference.cuts)
                    try:
                        function, result = inference.function(source, params, captured)
                    finally:
                        inference.release()
                    if inference.missed <= changes:
                        break
                    changes |= inference.missed
                made.function = function
                outer, self._lost = self._lost, []
                is_unsure = inference.works_on_objects and made.heap is None
                flows = Flows(
                    function, self.sources, self.payload, self.stored if is_unsure else None
                )
                self._note_varied(function, flows)
                before = made.summary()
                made.lost = NOTHING.union(*map(flows.of, self._lost))
                self._lost = outer
                made.works_on_objects, made.stored = inference.works_on_objects, flows.stored
                made.reads_objects = inference.reads_objects
                made.updates, made.returned = inference.updates, inference.returned
                made.effects, made.spoiled = inference.effects, inference.spoiled
                made.held_inputs = inference.held_inputs
                made.changes = inference.changes
                made.may_fail_midway = inference.may_fail_midway
                made.result, made.flow, made.flows = result, flows.result, flows
                if made.summary() == before or not made.is_recursive:
                    break
            else:
                made.result = TOP
        finally:
            self._stack.pop()
        if made.head < depth:
            self._provisional.append(made)
            return
        made.is_done = True
        for inner in self._provisional:
            inner.is_done = inner.is_done or inner.head >= depth
        self._provisional = [inner for inner in self._provisional if not inner.is_done]

    def _note_varied(self, function: Function, flows: Flows) -> None:
        """Notes the attributes into which a function stores what depends on its inputs."""
        if self.fields is None:
            return
        for op in walk(function.body):
            if isinstance(op, Call) and isinstance(op.callee, Const) and (
                op.callee.value in (attribute_stored, attribute_set)
            ):
                _, obj, name, value = op.args
                assert isinstance(name, Const)
                if flows.of(value):
                    self.fields.vary(class_of(type_of(obj)), name.value)

    def _forget_provisional(self, depth: int) -> None:
        for inner in self._provisional:
            if inner.head >= depth:
                self._known.pop((inner.source, inner.inputs), None)
        self._provisional = [inner for inner in self._provisional if inner.head < depth]

    # What calls mean

    def target(self, callee: Type) -> Target | None:
        """The Python function behind a callee of this type, when its code is to be looked at."""
        match callee:
            case Known(types.FunctionType() as function) if substitute_of(function) is None:
                if rule_of(function) is not None or _is_run_time(function):
                    return None
                if is_by_rules(function) or is_for_run_time(function):
                    return None
                return self._function_target(function)
            case Known(value):
                substitute, made = substitute_of(value), getattr(value, "ir_function", None)
                if isinstance(substitute, types.FunctionType):
                    return self._function_target(substitute)
                return Target(made, (), (), {}, None) if isinstance(made, Function) else None
            case Closure(code, module_globals, captures, defaults, kwdefaults):
                source = code if isinstance(code, Function) else parse_code(code, module_globals)
                return Target(source, captures, defaults, dict(kwdefaults), None)
            case _:
                return None

    def _function_target(self, function: types.FunctionType) -> Target | None:
        if function.__code__.co_flags & (0x80 | 0x200):
            return None
        source = parse_code(function.__code__, function.__globals__)
        captures = []
        for cell in function.__closure__ or ():
            try:
                type_ = abstract(cell.cell_contents)
            except ValueError:
                return None
            captures.append(type_)
            if self._stack:
                self._stack[-1].guards[id(cell)] = CellGuard(cell, type_)
        defaults = tuple(map(abstract, function.__defaults__ or ()))
        kwdefaults = {n: abstract(v) for n, v in (function.__kwdefaults__ or {}).items()}
        return Target(source, tuple(captures), defaults, kwdefaults, function)

    def bound_types(
        self, target: Target, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> list[Type] | None:
        """The types of a target's parameters for a call; None where the call must fail."""
        try:
            bound = bind(
                target.source, args, kwargs, target.defaults, target.kwdefaults,
                lambda items: Tuple(tuple(items)), lambda items: Dict(tuple(items.items())),
            )
        except CannotBind:
            return None
        return [parameter_type(type_) for type_ in bound]

    def call(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Specialisation | None:
        """The specialisation that a call goes to, if it can be known."""
        if len(self._stack) > MAX_DEPTH:
            return None
        # Inference asks several times about a call, and so do those who go on with its result.
        key = self._compilation, callee, args, tuple(kwargs.items())
        known = self._called.get(key) if self._stack else None
        if known is not None and known[0].is_done:
            self._note(known[0])
            self._stack[-1].guards.update(known[1])
            return known[0]
        target = self.target(callee)
        if target is None:
            return None
        if HEAP_NAME in kwargs:
            target.source = with_heap(target.source)
        bound = self.bound_types(target, args, kwargs)
        if bound is None:
            return None
        made = self.specialise(target.source, [*map(parameter_type, target.captures), *bound])
        if self._stack:
            cells = (target.function and target.function.__closure__) or ()
            guards = self._stack[-1].guards
            self._called[key] = made, {id(cell): guards[id(cell)] for cell in cells}
        return made

    def works_on_objects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        """Whether a call may read or change what objects hold."""
        if self._stack and _works_on_values(self._stack[-1].source.globals):
            return False
        if isinstance(callee, Union):
            return any(self.works_on_objects(one, args, kwargs) for one in callee.members)
        if isinstance(callee, Known) and not self._has_needed_heap(callee):
            function = callee.value
            if function is primitives.apply:
                return self._applies_to_objects(args[0])
            rule = rule_of(function)
            if is_constant(function) and isinstance(function, types.FunctionType):
                is_ours = function.__module__.startswith(("zyg.", "ir."))
                if self.fields is not None and not is_ours:
                    self.fields.is_open = True  # it may do anything with objects
            if id(function) in CALLING:
                self._refuse_hidden_stores(function, args, kwargs)
            if is_constant(function) or rule is not None:
                if rule is not None and takes_pullback(rule):
                    if function is map and len(args) > 1:
                        items = tuple(map(facts.item_of, args[1:]))
                        return self.works_on_objects(args[0], items, {})
                    return True
                return self._may_be_method(function, args)
            if isinstance(function, types.FunctionType):
                if _works_on_what_it_gets(function):
                    return False
                if is_by_rules(function) and substitute_of(function) is None:
                    return any(_is_code(type_) for type_ in (*args, *kwargs.values()))
            elif substitute_of(function) is None:
                if isinstance(function, type):
                    return is_place(function)
                return is_place(type(function)) or isinstance(function, _OF_PYTHON)
        elif not isinstance(callee, Known | Closure):
            return True
        try:
            target = self.target(callee)
            if target is None or target.source in self.needs_heap:
                return True
            made = self.call(callee, args, kwargs)
        except NeedsHeap:
            return True
        except (Unsupported, SourceNotFound):
            # What reads an iterator changes it, and nobody would notice.
            classes = [class_of(type_) for type_ in (*args, *kwargs.values())]
            return any(cls is not None and step_of(cls) is not None for cls in classes)
        if made is None:  # a call that fails, for one: what it is given may be changed before
            return any(map(_is_of_place, args))
        return made.works_on_objects

    def _applies_to_objects(self, callee: Type) -> bool:
        """The same for `callee(*args, **kwargs)`, where the arguments aren't known."""
        if not isinstance(callee, Known):
            return True
        if is_constant(callee.value):
            return False
        function = callee.value
        if isinstance(function, types.FunctionType) and rule_of(function) is None:
            return not _works_on_what_it_gets(function)
        return self.works_on_objects(callee, (), {})

    def _has_needed_heap(self, callee: Known) -> bool:
        """Whether a function that stands for a callee worked on objects when its adjoint was
        made."""
        plain = substitute_of(callee.value)
        if not isinstance(plain, types.FunctionType):
            return False
        return parse_code(plain.__code__, plain.__globals__) in self.needs_heap

    def _refuse_hidden_stores(
        self, caller: Any, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> None:
        """Refuses a function that changes objects where it is called and not differentiated."""
        items = [item for item in map(facts.item_of, args) if item != TOP]
        for function in (*args, *kwargs.values()):
            given = [*items, TOP][:1]
            if isinstance(function, Method) and isinstance(function.function, Known):
                given = [function.self, *given]
                function = function.function
            if not isinstance(function, Closure) and not (
                isinstance(function, Known) and isinstance(function.value, types.FunctionType)
            ):
                continue
            try:
                made = self.call(function, tuple(given), {HEAP_NAME: HEAP})
            except (Unsupported, SourceNotFound):
                continue
            if made is None or _may_store(made.function.body):
                raise Unsupported(
                    f"the function that {caller.__name__} is given may change objects",
                    advice="call it in a list comprehension before",
                )

    def stored(self, call: Call) -> list[Operand]:
        """The operands that a call may put into objects, where the caller has no heap."""
        types_ = tuple(map(type_of, call.args))
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        callee = type_of(call.callee)
        try:
            if not self.works_on_objects(callee, types_, kwtypes):
                return []
        except NeedsHeap:
            raise
        except Unsupported as error:
            where = error.location or call.loc
            raise Unsupported(error.what, where, error.why, error.advice) from None
        if isinstance(callee, Known) and callee.value is getattr:
            return []
        try:
            made = self.call(callee, types_, kwtypes)
        except (Unsupported, SourceNotFound):
            made = None
        if made is None:
            return [call.callee, *call.args, *call.kwargs.values()]
        return self._flowing(call, callee, made.stored)

    def _may_be_method(self, function: object, args: tuple[Type, ...]) -> bool:
        if not self._stack:
            return False
        return may_overload(function, list(args), self._stack[-1].source.globals)

    def sources(self, call: Call) -> list[Operand]:
        """The operands whose derivatives a call's results depend on."""
        if isinstance(call.callee, Const) and call.callee.value is primitives.updating:
            call = Call(call.args[0], call.args[2:], call.kwargs, call.results, call.loc)
        # What a call leaves in objects hangs together with what they held before.
        heap = [operand for name, operand in call.kwargs.items() if name == HEAP_NAME]
        return [*self._sources_of_value(call), *heap]

    def _sources_of_value(self, call: Call) -> list[Operand]:
        if isinstance(call.callee, Const):
            callee = call.callee.value
            if is_global_store(call) and not is_exact(type_of(call.args[-1])):
                self._lost.append(call.args[-1])
            if is_constant(callee):
                return list(call.args) if self._is_overloaded(callee, call) else []
            if callee is class_read or (
                callee is attribute_read and not self._may_field_vary(call)
            ):
                return []
            if id(callee) in PASSING or rule_of(callee) is not None:
                return [*call.args, *call.kwargs.values()]
        types_ = tuple(map(type_of, call.args))
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        callee_type = type_of(call.callee)
        if isinstance(callee_type, Known | Closure):
            try:
                specialisation = self.call(callee_type, types_, kwtypes)
            except (Unsupported, SourceNotFound):
                specialisation = None
            if specialisation is not None:
                if specialisation.lost:
                    self._lost += self._flowing(call, callee_type, specialisation.lost)
                return self._flowing(call, callee_type, specialisation.flow)
        return [call.callee, *call.args, *call.kwargs.values()]

    def _may_field_vary(self, read: Call) -> bool:
        _, obj, name, *_ = read.args
        if self.fields is None or not isinstance(name, Const):
            return True
        if member(type_of(obj), name.value).kind != "stored":
            return True
        return bool(self.fields.ask("may_vary", class_of(type_of(obj)), name.value))

    def _raised_by(self, made: Specialisation) -> Flow:
        """The inputs that exceptions which a function raises may hold."""
        known = self._raised.get(made)
        if known is None:
            # A recursion may raise what it is given.
            self._raised[made] = frozenset(range(len(made.inputs)))
            assert made.flows is not None
            with self._asking(made):
                known = self._raised[made] = made.flows.raised_in(made.function.body)
        return known

    def payload(self, call: Call) -> list[Operand]:
        """The operands that an exception which a call raises may hold."""
        if isinstance(call.callee, Const) and call.callee.value is primitives.updating:
            call = Call(call.args[0], call.args[2:], call.kwargs, call.results, call.loc)
        types_ = tuple(map(type_of, call.args))
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        callee_type = type_of(call.callee)
        if isinstance(callee_type, Known):
            callee = callee_type.value
            if not isinstance(callee, types.FunctionType) or rule_of(callee) is not None:
                return []  # what is not Python raises texts, keys and the like
        if isinstance(callee_type, Known | Closure):
            try:
                made = self.call(callee_type, types_, kwtypes)
            except (Unsupported, SourceNotFound):
                made = None
            if made is not None and made.is_done and made.flows is not None:
                return self._flowing(call, callee_type, self._raised_by(made))
        return [call.callee, *call.args, *call.kwargs.values()]

    def _is_overloaded(self, callee: object, call: Call) -> bool:
        """Whether an operator may be one of a user's class, which can return anything."""
        if not self._stack:
            return False
        module_globals = self._stack[-1].source.globals
        return may_overload(callee, list(map(type_of, call.args)), module_globals)

    def _flowing(
        self, call: Call, callee: Type, flow: Flow
    ) -> list[Operand]:
        """The operands of a call that the inputs of its callee in `flow` are bound to."""
        target = self.target(callee)
        assert target is not None
        if HEAP_NAME in call.kwargs:
            target.source = with_heap(target.source)
        count = len(target.captures)
        # Defaults of a closure are part of the function object.
        default = [call.callee] if isinstance(callee, Closure) else []
        bound = bind(
            target.source, [[arg] for arg in call.args],
            {name: [arg] for name, arg in call.kwargs.items()},
            [default for _ in target.defaults], dict.fromkeys(target.kwdefaults, default),
            lambda items: [operand for item in items for operand in item],
            lambda items: [operand for item in items.values() for operand in item],
        )
        inputs: list[list[Operand]] = [[call.callee]] * count + bound
        return [o for i in sorted(flow) for o in inputs[i]]


def parameter_type(type_: Type) -> Type:
    """The type under which an argument is passed on: literals other than flags are widened."""
    match type_:
        case Known(value) if value is None or isinstance(value, bool | str):
            return type_
        case Tuple(items):
            return Tuple(tuple(map(parameter_type, items)))
        case _:
            return canonical(widen(type_))


def canonical(type_: Type) -> Type:
    """A type as the signature of a callee has it (symbols of sizes are renumbered there)."""
    return type_


class _Surroundings:
    """Answers the questions of inference for one specialisation, and notes the guards."""

    def __init__(self, specialiser: Specialiser, made: Specialisation) -> None:
        self._specialiser = specialiser
        self._made = made
        self.ruled: list[object] = []  # the rules that are being looked into

    def is_assigned(self, owner: object, name: str) -> bool:
        return self._specialiser.assigned.is_stored(owner, name)

    def note_assigned(self, owner: object, name: str, type_: Type) -> None:
        self._specialiser.assigned.store(owner, name, type_)

    is_class_store = staticmethod(is_class_store)

    def global_type(self, module_globals: dict[str, Any], name: str) -> Type:
        for container in (module_globals, vars(builtins)):
            if name in container:
                type_, guard = observed(container, name)
                known = self._specialiser.assigned.read(container, name, type_)
                if known != type_:
                    return known
                cls = class_of(type_)
                if cls is not None and is_place(cls):
                    self.note_store(None, "", TOP)  # it holds what no argument tells
                if _is_ours(module_globals):
                    return type_
                if guard is not None:
                    self._made.guards[id(container), name] = guard
                if container is not module_globals:
                    # A global of this name would hide the builtin.
                    self._made.guards[id(module_globals), name] = Absent(module_globals, name)
                return type_
        return TOP

    def attribute_type(self, owner: object, name: str) -> Type:
        container = vars(owner)
        if name not in container:
            value = getattr(owner, name, None)  # lazy modules fill in what is asked for
            if name not in vars(owner):
                return Known(value) if isinstance(value, types.FunctionType | type) else TOP
        type_, guard = observed(container, name)
        known = self._specialiser.assigned.read(owner, name, type_)
        if known != type_:
            return known
        if guard is not None and not getattr(owner, "__name__", "").startswith("zyg."):
            self._made.guards[id(owner), name] = guard
        if isinstance(owner, type) and (
            not isinstance(type_, Known) or isinstance(type_.value, classmethod | staticmethod)
        ):
            return TOP
        if isinstance(owner, type) and isinstance(type_, Known):
            if isinstance(type_.value, types.FunctionType):
                return Known(with_source(type_.value, owner))
        return type_

    def expanded(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> Operand | None:
        method = method_by_rules(callee.value) if isinstance(callee, Const) else None
        if method is not None:
            function, owner = method
            return inference.typed_call(
                Const(function), [Const(owner), *args], kwargs, ["t"], loc
            )[0]
        # Without places, `check_call` was asked about the call before.
        if inference.places is not None and isinstance(callee, Const) and not is_users(callee):
            others, rest, out = without_output(callee.value, args, kwargs)
            where = kwargs.get("where")
            if isinstance(where, Const) and where.value is True:
                plain_call = {name: arg for name, arg in kwargs.items() if name != "where"}
                return inference.typed_call(callee, args, plain_call, ["t"], loc)[0]
            written = (
                added_at(inference, callee.value, args, kwargs, loc) if out is None
                else self._written_out(inference, callee.value, others, rest, out, loc)
            )
            if written is not None:
                return written[0]
        if isinstance(callee, Const):
            found = _python_code(callee.value, args, kwargs)
            if found is not None:
                plain, args = found
                return inference.typed_call(Const(plain), args, kwargs, ["t"], loc)[0]
        if inference.places is not None and isinstance(callee, Const) and (
            kwargs or not is_harmless(callee)
        ):
            refuse_mutation(inference, callee, args, kwargs, loc)
        expanded: Operand | None = self._specialiser.expand(
            self._specialiser, inference, callee, args, kwargs, loc
        )
        return expanded

    def _written_out(
        self,
        inference: TypedCalls,
        callee: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        out: Operand,
        loc: Location | None,
    ) -> list[Operand] | None:
        masked = None
        if "where" in kwargs and isinstance(callee, np.ufunc):
            masked = stand_in_of(callee, args, kwargs)
            if masked is None:
                return None
        return written_out(inference, callee, args, kwargs, out, masked, ["t"], loc)

    def check_call(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> None:
        refuse_mutation(inference, callee, args, kwargs, loc)

    def updates(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> tuple[tuple[int, ...], list[Type]]:
        made = self._specialiser.call(callee, args, kwargs)
        if made is None:
            return (), []
        if made.result == BOTTOM:  # as far as is known by now, it doesn't come to its end
            return made.updates, [made.inputs[i] for i in made.updates]
        final = made.result.items[1:] if isinstance(made.result, Tuple) else ()
        return made.updates, list(final or [TOP] * len(made.updates))

    def returned(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Returned:
        try:
            made = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return None
        return None if made is None else made.returned

    def works_on_objects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        return self._specialiser.works_on_objects(callee, args, kwargs)

    def may_fail_midway(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        if not isinstance(callee, Known | Closure):
            return True
        if isinstance(callee, Known) and is_constant(callee.value):
            return True
        try:
            made = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return True
        return made is None or made.may_fail_midway

    def catching(self, callee: Type) -> Type | None:
        if isinstance(callee, Known) and is_constant(callee.value):
            return None
        target = self._specialiser.target(callee)
        if target is None or target.source.plain is not None:
            return None
        from ir.catching import catching  # few functions need it

        source = catching(target.source)
        return Closure(
            source, source.globals, target.captures, target.defaults,
            tuple(target.kwdefaults.items()),
        )

    def field_type(self, owner: Operand, name: str) -> Type:
        fields = self._specialiser.fields
        cls = class_of(type_of(owner))
        if fields is None or cls is None:
            return TOP
        if isinstance(owner, Const):  # no argument, but an object of the compile time
            fields.is_open = True
        type_: Type = fields.ask("type_of", cls, name)
        return type_

    def note_store(self, owner: Type | None, name: str, type_: Type) -> None:
        fields = self._specialiser.fields
        if fields is not None:
            fields.is_stored = True
            fields.store(None if owner is None else class_of(owner), name, type_)

    def may_change_objects(self) -> bool:
        """Whether the program may store into objects."""
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("may_be_stored"))

    def may_change_held(self) -> bool:
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("may_be_held"))

    def note_change_of_held(
        self, owner: Type | None, name: str, type_: Type, keeps_type: bool
    ) -> None:
        fields = self._specialiser.fields
        if fields is not None:
            cls = None if owner is None else class_of(owner)
            fields.change_held(cls, name, type_, keeps_type)

    def note_change_of_given(self, type_: Type) -> None:
        if self._specialiser.fields is not None:
            self._specialiser.fields.change_given(type_)

    def held_operands(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> list[Operand]:
        plain = {name: operand for name, operand in kwargs.items() if name != HEAP_NAME}
        given = [*args, *plain.values()]
        callee_type = type_of(callee)
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            made = self._specialiser.call(callee_type, types_, kwtypes)
        except (Unsupported, SourceNotFound):
            return given
        target = self._specialiser.target(callee_type)
        if made is None or target is None:
            return given
        count = len(target.captures)
        bound: list[list[Operand]] = bind(
            with_heap(target.source), [[arg] for arg in args],
            {name: [arg] for name, arg in kwargs.items()},
            [[] for _ in target.defaults], {name: [] for name in target.kwdefaults},
            lambda items: [operand for item in items for operand in item],
            lambda items: [operand for item in items.values() for operand in item],
        )
        return [o for i in made.held_inputs if i >= count for o in bound[i - count]]

    def changed_type(self, type_: Type) -> Type:
        fields = self._specialiser.fields
        cls = class_of(type_)
        if cls is None or facts.copies_items(cls):
            return type_
        if fields is None:
            from zyg.compiler.fields import of_anything  # few programs work on objects

            return of_anything(type_)
        changed: Type = fields.ask("changed_type", type_)
        return changed

    unless_held = staticmethod(unless_held)

    def note_lookup(self, cls: type | None, name: str) -> None:
        for base in () if cls is None else cls.__mro__:
            container = vars(base)
            if name in container:
                value = container[name]
                self._made.guards[id(base), name] = Guard(container, name, value)
                return
            if base is not object:
                self._made.guards[id(base), name] = Absent(container, name)

    def is_of_class(self, cls: type | None, name: str) -> bool:
        fields = self._specialiser.fields
        return fields is not None and bool(fields.ask("is_never_stored", cls, name))

    def above(self, cls: type, below: type, name: str) -> Any:
        bases = cls.__mro__
        if below not in bases:
            return None
        for base in bases[bases.index(below) + 1 :]:
            container = vars(base)
            if name in container:
                found = container[name]
                if base is object and name in ("__init__", "__init_subclass__", "__setattr__"):
                    return found
                self._made.guards[id(base), name] = Guard(container, name, found)
                return with_source(found, base) if isinstance(found, types.FunctionType) else None
            if base is not object:
                self._made.guards[id(base), name] = Absent(container, name)
        return None

    def operator_method(self, callee: object, types_: tuple[Type, ...]) -> Any:
        found = operator_method(callee, types_)
        if found is None:
            return None
        name, method = found
        self.note_lookup(class_of(types_[0]), name)
        return method

    def called_method(self, type_: Type) -> Any:
        cls = class_of(type_)
        if not isinstance(type_, Instance) or cls is None or not is_place(cls):
            return None
        method = lookup(cls, "__call__")
        if not isinstance(method, types.FunctionType):
            return None
        self.note_lookup(cls, "__call__")
        return method

    def iterated(
        self, callee: object, types_: tuple[Type, ...]
    ) -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        if callee is not None and not iterates(callee):  # most callees
            return found
        for i, type_ in enumerate(types_):
            if callee is not None and not iterates_over(callee, i, len(types_)):
                continue
            if not may_overload(iter, [type_], self._made.source.globals):
                continue
            method = operator_method(iter, (type_,))
            if method is not None:
                self.note_lookup(class_of(type_), "__iter__")
            found.append((i, None if method is None else method[1]))
        return found

    def step_of(self, iterator: Type) -> Any:
        cls = class_of(iterator)
        step = None if cls is None or not is_place(cls) else step_of(cls)
        if step is not None:
            self.note_lookup(cls, "__next__")
        return step

    def iterator_class(self, items: Type, loc: Location | None) -> Any:
        cls = class_of(items)
        return None if cls is None or loc is None else iterator_class(cls, loc)

    def may_step(self, iterable: Type) -> bool:
        if not isinstance(iterable, Top) and not (
            isinstance(iterable, Union) and any(map(self._is_step, iterable.members))
        ):
            return False
        fields = self._specialiser.fields
        if fields is not None and fields.ask("may_step"):
            return True
        return knows_steps(self._made.source.globals)

    def _is_step(self, type_: Type) -> bool:
        return isinstance(type_, Top) or self.step_of(type_) is not None

    def consumer(self, callee: object, types: tuple[Type, ...]) -> Any:
        found = consumer_at(callee)
        if found is None:
            if reads_plainly(callee) and any(self.step_of(type_) is not None for type_ in types):
                name = getattr(callee, "__name__", callee)
                raise Unsupported(
                    f"`{name}` of a generator, or of an iterator of a user's class", None,
                    advice="make a list of its items, and pass that",
                )
            return None
        plain, positions, is_lazy = found
        for i in range(len(types)) if positions is None else positions:
            if i < len(types) and (
                self.step_of(types[i]) is not None or (is_lazy and self.may_step(types[i]))
            ):
                return plain
        return None

    def unsettled(self, callee: object, types: tuple[Type, ...]) -> list[int]:
        found = consumer_at(callee)
        positions = None if found is None else found[1]
        return [i for i in positions or () if i < len(types) and self.may_step(types[i])]

    member = staticmethod(member)
    constructor = staticmethod(constructor_of)

    written_view = staticmethod(memory.written_view)
    check_view = staticmethod(memory.check_view)
    check_distinct = staticmethod(memory.check_distinct)
    refuse_lost_changes = staticmethod(memory.refuse_lost_changes)
    check_outside = staticmethod(memory.check_outside)
    check_separate = staticmethod(memory.check_separate)
    check_apart = staticmethod(memory.check_apart)

    def effects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> list[Effect]:
        made = self._specialiser.call(callee, args, kwargs)
        return [] if made is None else made.effects

    def inlinable(self, callee: object) -> Inlinable | None:
        """Helpers of rules, and small functions of the user's without control flow."""
        if not isinstance(callee, types.FunctionType) or _is_run_time(callee):
            return None
        if rule_of(callee) is not None or is_constant(callee) or callee.__closure__:
            return None
        if facts.has_effect(callee) or is_by_rules(callee):
            return None
        module = str(callee.__module__)
        is_own = module.startswith("zyg.rules.") and module not in PROGRAMS
        if callee.__code__.co_flags & (0x80 | 0x200):
            return None
        try:
            source = parse_code(callee.__code__, callee.__globals__)
        except (Unsupported, SourceNotFound):
            return None
        if not is_own and not _is_small(source):
            return None
        return Inlinable(
            source, callee.__defaults__ or (), callee.__kwdefaults__ or {}, is_own
        )

    def call_type(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Type:
        if isinstance(callee, Known) and rule_of(callee.value) is not None:
            is_python = isinstance(callee.value, types.FunctionType)
            if callee.value not in self.ruled or not is_python or _is_run_time(callee.value):
                return rule_result(self, callee.value, args, kwargs)
            if is_by_rules(callee.value):
                return TOP
            # The rule of a Python function gives the value by calling that function.
            callee = Closure(callee.value.__code__, callee.value.__globals__, ())
            if self._made.source.code is callee.code or callee.code.co_freevars:
                return TOP
        try:
            specialisation = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return TOP  # an error only where the call has to be differentiated
        return TOP if specialisation is None else specialisation.value_type

    def updated(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> list[tuple[int | str, Operand]]:
        unknown: list[tuple[int | str, Operand]] = [
            (name, operand) for name, operand in kwargs.items() if name == HEAP_NAME
        ]
        found = self._updated(inference, callee, args, kwargs, loc, unknown)
        if unknown and found is unknown:
            self.note_store(None, "", TOP)
        return found

    def _updated(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
        unknown: list[tuple[int | str, Operand]],
    ) -> list[tuple[int | str, Operand]]:
        """The same; `unknown` for a call of which that can't be told."""
        callee_type = type_of(callee)
        if not isinstance(callee_type, Known | Closure):
            return unknown
        if isinstance(callee_type, Known) and is_constant(callee_type.value):
            return unknown
        if not self._specialiser.target(callee_type):
            return unknown
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            made = self._specialiser.call(callee_type, types_, kwtypes)
        except Unsupported:
            # It will run as it is, and nobody would see what it changes.
            if may_change_captured(callee_type):
                raise
            return unknown
        except SourceNotFound:
            return unknown
        if made is None:
            return unknown
        if not (made.updates or made.spoiled):
            return []
        target = self._specialiser.target(callee_type)
        assert target is not None
        if HEAP_NAME in kwargs:
            target.source = with_heap(target.source)
        count = len(target.captures)
        bound: list[Any] = bind(
            target.source, list(range(len(args))), {name: name for name in kwargs},
            [None] * len(target.defaults), dict.fromkeys(target.kwdefaults),
            lambda items: None, lambda items: None,
        )
        assert inference.places is not None
        for i in made.spoiled:
            position = None if i < count else bound[i - count]
            if position is None:
                raise Unsupported("a call may change in place what it has captured", loc)
            operand = kwargs[position] if isinstance(position, str) else args[position]
            inference.places.spoil(operand, loc)
        found: list[tuple[int | str, Operand]] = []
        for i in made.updates:
            position = None if i < count else bound[i - count]
            if position is None:
                raise Unsupported(
                    "a call changes in place what it was not passed as an argument of its own: a "
                    "captured variable, a default, one of `*args`", loc,
                    advice="pass it as an argument",
                )
            operand = kwargs[position] if isinstance(position, str) else args[position]
            found.append((position, operand))
        return found


@record
class Absent:
    """A global that would hide a builtin has not appeared."""

    container: Any
    name: str

    def holds(self) -> bool:
        return self.name not in self.container


def _is_small(source: Function) -> bool:
    """Whether a function is a few operations in a row."""
    ops = source.body.ops
    return len(ops) <= MAX_INLINED_OPS and all(isinstance(op, Call) for op in ops) and (
        isinstance(source.body.exit, Yield)
    )


def is_of_ir(function: types.FunctionType) -> bool:
    return str(function.__module__).startswith("ir.")


def _is_run_time(function: types.FunctionType) -> bool:
    """Whether a function belongs to what generated code is made of, not to the user's program."""
    return str(function.__module__).startswith(
        ("ir.", "zyg.cotangent", "zyg.keeping", "zyg.tangent", "zyg.iterators", "zyg.compiler")
    )


def _works_on_what_it_gets(function: types.FunctionType) -> bool:
    """Whether a function is a part of rules or of generated code, which read no objects."""
    if substitute_of(function) is not None:
        return False
    is_ours = str(function.__module__).startswith(("ir.", "zyg."))
    return _is_run_time(function) or (is_ours and function.__module__ not in PROGRAMS)


def _is_of_place(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and is_place(cls)


def _python_code(
    callee: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> tuple[Any, list[Operand]] | None:
    """The Python code that stands for a method of a ufunc, or for options that a rule hasn't.

    With it the arguments that it takes.
    """
    if type(callee) is types.MethodDescriptorType and callee.__objclass__ is np.ufunc:
        ufunc = args[0].value if args and isinstance(args[0], Const) else None
        plain = method_of_ufunc(ufunc, callee.__name__)
        return None if plain is None else (plain, args)
    known = {name: _known_or_unread(arg) for name, arg in kwargs.items()}
    plain = stand_in_of(callee, [_known_or_unread(arg) for arg in args], known)
    if plain is not None and isinstance(callee, np.ufunc):
        args = [Const(callee), *args]
    return None if plain is None else (plain, args)


def _known_or_unread(operand: Operand) -> Any:
    if isinstance(operand, Const):
        return operand.value
    type_ = operand.type
    return type_.value if isinstance(type_, Known) else Unread(class_of(type_))


def method_by_rules(callee: Any) -> tuple[Any, Any] | None:
    """The code that stands for a method of a library's object, or for its call, and the object."""
    function: Any
    if isinstance(callee, types.MethodType) and is_by_rules(callee.__func__):
        function, owner = callee.__func__, callee.__self__
    elif not isinstance(callee, type) and is_by_rules(type(callee)):
        function, owner = lookup(type(callee), "__call__"), callee
    else:
        return None
    substitute = substitute_of(function)
    return None if substitute is None else (substitute, owner)


facts.fixed(lambda value: is_by_rules(type(value)))


def _is_code(type_: Type) -> bool:
    """Whether a value may be a function of the user's, or hold one."""
    if isinstance(type_, Tuple):
        return any(map(_is_code, type_.items))
    return isinstance(type_, Closure) or (isinstance(type_, Known) and callable(type_.value))


def _may_store(body: Block) -> bool:
    """Whether code may change objects, other than by operators of unknown operands."""
    for op in walk(body):
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            continue
        if op.callee.value in STORES:
            return True
        if op.callee.value is primitives.updating:
            callee = op.args[0]
            if not isinstance(callee, Const) or id(callee.value) not in OPERATORS:
                return True
    return False


def is_global_store(op: Call) -> bool:
    """Whether an operation stores into a global, or into an attribute of a class."""
    return isinstance(op.callee, Const) and (
        op.callee.value in (primitives.store_global, class_stored)
    )


def is_exact(type_: Type) -> bool:
    """Whether values of a type are whole numbers: counts, of which nobody takes a derivative."""
    cls = class_of(type_)
    return cls is not None and issubclass(cls, int | np.integer)


# These call a function that decides, and pass on what they were given.
CALLING = {
    id(function) for function in (
        sorted, filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile,
        itertools.groupby,
    )
}

AnyGuard: TypeAlias = Guard | CellGuard | Absent


def _works_on_values(module_globals: dict[str, Any]) -> bool:
    """Whether code is a rule of ours that calls no function of the user's."""
    name = str(module_globals.get("__name__"))
    calling = ("zyg.rules.functional", "zyg.rules.composites", *PROGRAMS)
    return _is_ours(module_globals) and name not in calling


def _is_ours(module_globals: dict[str, Any]) -> bool:
    """Whether code is a rule of ours: its globals never change."""
    return str(module_globals.get("__name__")).startswith(("zyg.rules.", "zyg.cotangent"))


def observed(container: Any, name: str) -> tuple[Type, Guard | None]:
    """The type of a global as it is now, and the guard that keeps it."""
    value = container[name]
    if callable(value) or isinstance(value, types.ModuleType) or name == "__match_args__":
        return Known(value), Guard(container, name, value)
    if type(value) in (list, dict, set) and (
        type(value) is set or len(value) > MAX_GLOBAL_ITEMS
    ):
        return TOP, None  # too long to look at on each call
    type_ = widen(abstract(value))
    return type_, Guard(container, name, type_, by_type=True)


def rule_result(
    surroundings: _Surroundings, callee: object, args: tuple[Type, ...], kwargs: dict[str, Type]
) -> Type:
    """The type of the value that a rule returns for such arguments."""
    rule = rule_of(callee)
    if not isinstance(rule, types.FunctionType) or callee in surroundings.ruled:
        return TOP
    surroundings.ruled.append(callee)
    try:
        return _rule_result(surroundings, rule, args, kwargs)
    finally:
        surroundings.ruled.pop()


def _rule_result(
    surroundings: _Surroundings,
    rule: types.FunctionType,
    args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> Type:
    try:
        source = parse_code(rule.__code__, rule.__globals__)
        operands: list[Operand] = [_operand(type_) for type_ in args]
        keywords = {name: _operand(type_) for name, type_ in kwargs.items()}
        inference = Inference(surroundings, rule.__globals__)
        bound = bind_operands(inference, source, operands, keywords, rule)
    except Exception:  # the call itself will say what is wrong
        return TOP
    if source.captured:
        return TOP
    exit = inference.inline(source.body, dict(zip(source.params, bound, strict=True)))
    values = getattr(exit, "values", None)
    parts = inference.parts(values[0]) if values else None
    return widen(type_of(parts[0])) if parts is not None and len(parts) == 2 else TOP


def _operand(type_: Type) -> Operand:
    return Const(type_.value) if isinstance(type_, Known) else Value("x", type_)


def read_defaults(
    inference: TypedCalls, function: Operand, target: Target
) -> tuple[list[Operand], dict[str, Operand]]:
    """The defaults of a function object's parameters, and of the keyword-only ones by name."""
    kinds, params = target.source.signature, target.source.params
    first = kinds.positional_only + kinds.positional - len(target.defaults)
    return [
        inference.call(
            primitives.read_default, function, Const(params[first + i].name), Const(i)
        )
        for i in range(len(target.defaults))
    ], {
        name: inference.call(primitives.read_default, function, Const(name))
        for name in target.kwdefaults
    }


def bind_operands(
    inference: TypedCalls,
    source: Function,
    args: Sequence[Operand],
    kwargs: dict[str, Operand],
    like: types.FunctionType | None,
    defaults: Sequence[Operand] | None = None,
    kwdefaults: dict[str, Operand] | None = None,
) -> list[Operand]:
    """The operands of a function's parameters; defaults are those of `like`, unless given."""
    if defaults is None:
        defaults = [Const(v) for v in (like.__defaults__ or ())] if like else []
    if kwdefaults is None:
        known = (like.__kwdefaults__ or {}) if like else {}
        kwdefaults = {name: Const(value) for name, value in known.items()}

    def make_dict(items: Any) -> Operand:
        pairs = [part for name, value in items.items() for part in (Const(name), value)]
        return inference.call(primitives.build_dict, *pairs)

    return bind(
        source, args, kwargs, defaults, kwdefaults,
        lambda items: inference.call(primitives.build_tuple, *items), make_dict,
    )


