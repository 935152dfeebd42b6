"""A function for one signature: its typed IR, what its result depends on, and what that rests on.

The compiler looks at the program as it is now: it resolves globals, modules' attributes and
captured functions, and notes each such look as a `Guard`. Code stays valid as long as its guards
hold.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.binding import CannotBind, bind
from ir.bounded_types import LARGE, bounded, size_of
from ir.core import Call, Const, Function, Operand, Try, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP_NAME, attribute_set, attribute_stored, with_heap
from ir.inference.hoisting import hoist
from ir.inference.shared_numbers import share_numbers
from ir.late import late
from ir.outer_cells import (
    assigned_captures,
    captured_owners,
    changes,
    content_of,
    outer_cell,
    unless_known_to_change,
)
from ir.parse import parse_code, parse_in_cells
from ir.rewrite import walk
from ir.types import (
    Closure,
    Dict,
    Known,
    Tuple,
    Type,
    captures_itself,
    class_of,
)
from zyg.compiler.activity import NOTHING, Flow, Flows
from zyg.compiler.guards import CellContents, CellGuard, enter, same_function
from zyg.compiler.inference.object_needs import ObjectNeeds
from zyg.compiler.inference.objects import may_overload
from zyg.compiler.inference.rule_results import declared_result
from zyg.compiler.inference.surroundings import ProgramSurroundings
from zyg.compiler.origins import is_of_zyg, is_program, is_run_time
from zyg.compiler.reverse.lengths import outside
from zyg.compiler.reverse.sizes import Sizes
from zyg.compiler.specialisation import (
    NO_OPS,
    Specialisation,
    Target,
    parameter_type,
    widening,
)
from zyg.rules.registry import is_of_plain_module, rule_of, substitute_of
from zyg.signature import abstract, abstract_captured, is_by_rules, is_for_run_time

if TYPE_CHECKING:
    from ir import lifting
    from zyg.compiler.inference.fields import Fields
    from zyg.held import memory_kinds
else:  # few functions capture themselves, or memory
    lifting, memory_kinds = late("ir.lifting"), late("zyg.held.memory_kinds")
MAX_DEPTH = 60
MAX_ROUNDS = 40
# What a recursion returns may turn out to be nested more deeply in so many rounds, and as long as
# its type isn't large.
UNBOUNDED = 3
# In so many calls inside of each other of one function, its arguments may become larger types.
NESTED = 3
MAX_KNOWN = 4096


class Specialiser(ObjectNeeds):
    """Makes and keeps specialisations; one compilation at a time uses it."""

    def specialise(self, source: Function, inputs: Sequence[Type]) -> Specialisation:
        """The specialisation of a function; its types are final unless it is being made."""
        inputs = self._bounded(source, tuple(map(outside, inputs)))
        is_inner = bool(self._stack) and is_program(source.globals)
        home = self._stack[-1].home if is_inner else source.globals
        key = source, inputs, id(home)
        known = self._known.get(key)
        if not self._stack:
            self._compilation += 1
            self._called.clear()
            self._needing.clear()
        if known is not None and known.is_done:
            if self._reads_shared(known):
                known = None  # it was made for a program that shares less
            elif known.checked_in == self._compilation or (
                all(guard.holds() for guard in known.all_guards())
            ):
                known.checked_in = self._compilation
                self._note(known)
                return known
            else:
                known = None
        if key in self._needing:
            error = self._needing[key]
            raise NeedsHeap(error.what, error.location, error.why, error.advice)
        if known is not None and not known.is_stale:
            self._note(known)
            self._recursions.rest_on(known)
            return known
        made = known or Specialisation(source, inputs, source, home)
        made.checked_in, made.is_stale = self._compilation, False
        self._known[key] = made
        self._note(made)
        try:
            with self._asking(made):
                self._complete(made)
        except BaseException as error:
            self._drop([made, *self._recursions.abandon(made)])
            if isinstance(error, NeedsHeap):
                self._needing[key] = error.with_traceback(None)
            raise
        if len(self._known) > MAX_KNOWN and not self._stack:
            self._known.clear()
            self._raised.clear()
        return made

    def _reads_shared(self, known: Specialisation) -> bool:
        """Whether code that was made before reads a name as it is that the program shares."""
        shared = self.assigned.shared
        return bool(shared) and any(
            name in shared for one in known.with_callees() for name in (*one.names, *one.guards)
        )

    def _bounded(self, source: Function, inputs: tuple[Type, ...]) -> tuple[Type, ...]:
        """The types of a call's inputs, bounded where they grow from call to call of a recursion.

        `f(n - 1, (x, cell))` and `f(n - 1, lambda y: k(y * x))` have new types at each depth.
        """
        opened = [one.inputs for one in self._stack if one.source is source][-NESTED:]
        if len(opened) < NESTED:
            return inputs
        found = list(inputs)
        for i, type_ in enumerate(inputs):
            sizes = [size_of(before[i]) for before in opened]
            if size_of(type_) > sizes[0] and size_of(type_) >= max(sizes):
                found[i] = bounded(opened[-1][i], type_)
        return tuple(found)

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

    def _drop(self, useless: list[Specialisation]) -> None:
        for made in useless:
            key = made.source, made.inputs, id(made.home)
            if self._known.get(key) is made:
                del self._known[key]

    def _complete(self, made: Specialisation) -> None:
        """Infers; where others rest on it and it on none, until nothing changes."""
        count = len(made.source.captured)
        captured, params = list(made.inputs[:count]), list(made.inputs[count:])
        self._stack.append(made)
        try:
            for _ in range(MAX_ROUNDS):
                self._recursions.begin_round(made)
                source, changes = made.source, NO_OPS
                if source.plain is not None:
                    changes = self.specialise(source.plain, made.inputs).changes
                while True:
                    inference = Sizes(ProgramSurroundings(self, made), source.globals)
                    if source.plain is not None:
                        from ir.catching import cut_function  # few functions need it

                        source = cut_function(made.source, changes, inference.cuts)
                    try:
                        function, result = inference.function(
                            source, params, captured, made.source.inputs_are_held
                        )
                    finally:
                        inference.release()
                    if inference.missed <= changes:
                        break
                    changes |= inference.missed
                hoist(function.body)
                share_numbers(function.body)
                if any(isinstance(op, Try) for op in walk(function.body)):
                    from ir.caught_before import enter_handlers

                    enter_handlers(function.body)
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
                made.classes_made = frozenset(inference.classes_made)
                made.takes_apart |= inference.takes_apart
                made.updates, made.returned = inference.updates, inference.returned
                made.effects, made.spoiled = inference.effects, inference.spoiled
                made.held_inputs = inference.held_inputs
                made.lent_inputs = inference.lent_inputs
                made.changes = inference.changes
                made.may_fail_midway = inference.may_fail_midway
                made.flow, made.flows = flows.result, flows
                made.rounds += 1
                if (made.is_recursive or made.rests_on) and (
                    made.rounds > UNBOUNDED or size_of(result) > LARGE
                ):
                    result = bounded(made.result, result)
                made.result = result
                has_changed = made.summary() != before
                if made.rests_on or not made.is_recursive:
                    break
                if not has_changed and not made.has_unsettled:
                    break
            else:
                raise Unsupported(
                    "what this recursion does to its arguments can't be found out",
                    made.source.loc,
                )
        finally:
            self._stack.pop()
        self._drop(self._recursions.close(made, has_changed))

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

    # What calls mean

    def target(self, callee: Type) -> Target | None:
        """The Python function behind a callee of this type, when its code is to be looked at."""
        match callee:
            case Known(types.FunctionType() as function) if substitute_of(function) is None:
                if rule_of(function) is not None or is_run_time(function):
                    return None
                if is_by_rules(function) or is_for_run_time(function):
                    return None
                if is_of_plain_module(function):
                    return None
                return self._function_target(function)
            case Known(value):
                substitute, made = substitute_of(value), getattr(value, "ir_function", None)
                if isinstance(substitute, types.FunctionType):
                    return self._function_target(substitute)
                assert not getattr(value, "is_last", False), value
                return Target(made, (), (), {}, None) if isinstance(made, Function) else None
            case Closure(code, module_globals, captures, defaults, kwdefaults):
                if captures_itself(callee):
                    source = lifting.lifted(callee, self._parse())
                elif isinstance(code, Function):
                    source = code
                else:
                    source = self._parse()(code, module_globals)
                return Target(source, captures, defaults, dict(kwdefaults), None)
            case _:
                return None

    def _parse(self) -> Callable[[types.CodeType, dict[str, Any]], Function]:
        return parse_in_cells if self.in_cells else parse_code

    def _function_target(self, function: types.FunctionType) -> Target | None:
        if function.__code__.co_flags & (0x80 | 0x200):
            return None
        code = function.__code__
        if self._stack and not is_of_zyg(function.__globals__):
            self._stack[-1].guards[id(function)] = same_function(function)
        cells = {
            name: outer_cell(cell, name)
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
            if self._is_outer(code, cell, name)
        }
        source = parse_code(code, function.__globals__, frozenset(cells), bool(self.in_cells))
        captures: list[Type] = []
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name in cells:
                captures.append(Known(cells[name]))
                continue
            try:
                type_ = abstract_captured(cell.cell_contents, name in captured_owners(code))
            except ValueError:
                return None
            captures.append(type_)
            if self._stack:
                self._stack[-1].guards[id(cell)] = CellGuard(cell, type_)
                self._enter(CellContents(cell), 0, type_)
        if any(isinstance(type_, Closure) for type_ in captures):
            type_ = abstract(function)
            if captures_itself(type_):
                captures, source = list(type_.captures), lifting.lifted(type_, self._parse())
        defaults = tuple(map(abstract, function.__defaults__ or ()))
        kwdefaults = {n: abstract(v) for n, v in (function.__kwdefaults__ or {}).items()}
        for i, type_ in enumerate(defaults):
            self._enter(function.__defaults__, i, type_)
        for name, type_ in kwdefaults.items():
            self._enter(function.__kwdefaults__, name, type_)
        return Target(source, tuple(captures), defaults, kwdefaults, function)

    def has_outer_cells(self, function: types.FunctionType) -> bool:
        """Whether all memory that a function has captured is followed by its variables, and what
        functions have captured that it has captured, too."""
        pending, seen = [function], {id(function)}
        while pending:
            current = pending.pop()
            cells = current.__closure__ or ()
            if not cells or current.__defaults__ or current.__kwdefaults__:
                return False
            for name, cell in zip(current.__code__.co_freevars, cells, strict=True):
                if self._is_outer(current.__code__, cell, name):
                    continue
                held = content_of(cell)
                if not memory_kinds.leads_to_memory(held):
                    continue
                if type(held) is not types.FunctionType:
                    return False
                if id(held) not in seen:
                    seen.add(id(held))
                    pending.append(held)
        return True

    def _is_outer(self, code: types.CodeType, cell: types.CellType, name: str) -> bool:
        """Whether programs store into a variable that a function has captured, or change what it
        holds."""
        if name in assigned_captures(code):
            unless_known_to_change(cell, name)
        return changes(cell)

    def _enter(self, container: object, name: str | int, type_: Type) -> None:
        """Notes the objects that a function holds."""
        if self._stack and self.fields is not None:
            enter(self.fields, self._stack[-1].guards, container, name, type_)

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
        return list(map(widening(target.source, self._stack), bound))

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
        if made.is_done:
            made.result = declared_result(made, callee, args, kwargs)
        if self._stack:
            function = target.function
            guarded = () if function is None else (function, *(function.__closure__ or ()))
            guards = self._stack[-1].guards
            self._called[key] = made, {
                id(part): guards[id(part)] for part in guarded if id(part) in guards
            }
        return made

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
        return may_overload(callee, list(map(type_of, call.args)), self.overloading())

    def inputs_given(self, call: Call) -> tuple[Specialisation, list[list[Operand]]] | None:
        """The specialisation that a call goes to, with the operands that each input is bound to."""
        if isinstance(call.callee, Const) and call.callee.value is primitives.updating:
            call = Call(call.args[0], call.args[2:], call.kwargs, call.results, call.loc)
        callee_type = type_of(call.callee)
        if not isinstance(callee_type, Known | Closure):
            return None
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        try:
            made = self.call(callee_type, tuple(map(type_of, call.args)), kwtypes)
        except (Unsupported, SourceNotFound):
            return None
        if made is None or not made.is_done:
            return None
        return made, self._inputs_of(call, callee_type)

    def _flowing(
        self, call: Call, callee: Type, flow: Flow
    ) -> list[Operand]:
        """The operands of a call that the inputs of its callee in `flow` are bound to."""
        inputs = self._inputs_of(call, callee)
        return [o for i in sorted(flow) for o in inputs[i]]

    def _inputs_of(self, call: Call, callee: Type) -> list[list[Operand]]:
        """The operands of a call that each input of its callee is bound to."""
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
        return [[call.callee]] * count + list(bound)


facts.fixed(lambda value: is_by_rules(type(value)))
