"""Which values carry a derivative while the forward pass is made, and what calls keep of others."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Lambda, Location, Operand, Try, Value, type_of
from ir.errors import SourceNotFound, Unsupported
from ir.heap import (
    HEAP_NAME,
    IDENTITY,
    attribute_read,
    class_stored,
    contents_read,
    found_attribute,
    without_heap,
)
from ir.late import late
from ir.library.builtin_facts import IN_PLACE
from ir.memory.held_functions import may_be_memory
from ir.memory.memory_facts import CHANGING
from ir.rewrite import Mapping, walk
from ir.types import TOP, Method, Scalar, class_of, members_of, widen
from zyg.compiler.activity import Flow
from zyg.compiler.forward.forward_steps import ChangeStep, OpaqueStep, Step, StructureStep
from zyg.compiler.forward.forwarding import Contents
from zyg.compiler.inference.objects import (
    adds_unknown,
    is_computed,
    is_place,
    is_unknown,
    may_overload,
    unknown_operands,
)
from zyg.compiler.inference.plain_operands import (
    OF_MATRICES,
    knows_defaults,
    knows_sparse,
    unless_items_overloaded,
    unless_iterating,
    unless_overloaded,
    unless_overloaded_by_users,
    unless_own_items,
    unless_product_of_matrices,
)
from zyg.compiler.inference.replaced import ADVICE, is_passed_over, what_is_passed_over
from zyg.compiler.origins import is_program
from zyg.compiler.overwriting.mutation import MUTATING_METHODS, refuse_mutation, unsupported
from zyg.compiler.overwriting.unseen_changes import is_known_memory
from zyg.compiler.reverse.lengths import Lengths
from zyg.compiler.specialisation import Specialisation, is_exact
from zyg.compiler.specialise import Specialiser
from zyg.rules.registry import is_constant
from zyg.signature import BACK, is_users

if TYPE_CHECKING:
    from zyg.compiler.run_time import refusals
    from zyg.held import held_item_changes
else:  # for programs on objects, and for calls that are found at run time
    held_item_changes = late("zyg.held.held_item_changes")
    refusals = late("zyg.compiler.run_time.refusals")

# Gives the pair of generated functions for a specialisation, its active inputs, and those of its
# inputs that the function object holds.
PairOf: TypeAlias = Callable[[Specialisation, Flow, Flow], Any]


# What exceptions hold for those who print them.
OF_ERRORS = {"__class__", "__traceback__", "__notes__", "add_note", "with_traceback"}


class Variation(Lengths):
    """Knows which of the values made so far vary with what is differentiated."""

    def __init__(
        self,
        specialiser: Specialiser,
        surroundings: Any,
        made: Specialisation,
        active: Flow,
        pair_of: PairOf,
    ) -> None:
        super().__init__(surroundings, made.function.globals)
        assert made.flows is not None
        self._specialiser = specialiser
        self._function = made.source
        self._typed = made.function
        self._home = made.home
        self._callees = made.callees
        self._flows = made.flows
        self._active = active
        self._pair_of = pair_of
        # Whether this is for a gradient inside of differentiated code: the run time refuses there
        # what works on objects (`zyg.compiler.nested.found_calls`).
        self.is_inner = False
        self.steps: list[Step] = []
        self.varied: set[Value] = set()
        # Values of unknown class that have been looked at, in the block at hand and around it, by
        # what has looked at them.
        self._checked: set[tuple[Callable[..., None], Operand]] = set()
        self._contents = Contents()
        # What is defined in the loop at hand, and reads there that give the same in each iteration.
        self._in_loop: set[Value] | None = None
        # What calls were given that nobody looks into (`unseen_changes`), as the source has it.
        self._unseen: list[Value] = []
        self.steady: set[Value] = set()
        self.dispatched: list[tuple[Location | None, str]] = []

    def _in_place(
        self, callee: Any, args: list[Operand], loc: Location | None
    ) -> tuple[Operand, list[Operand]]:
        raise AssertionError("given by Augmenter")

    def _dynamic_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        raise AssertionError("given by ForwardCalls")

    def _varies(self, values: list[Value]) -> bool:
        return any(not self._flows.of(value).isdisjoint(self._active) for value in values)

    def is_varied(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.varied

    def _note_results(self, old: list[Value], new: list[Value], mapping: Mapping) -> None:
        for before, after in zip(old, new, strict=True):
            mapping[before] = after
            if self._varies([before]):
                self.varied.add(after)

    def _follow_error(self, op: Try) -> None:
        """Asks for the heap, if a handler reads what the exception holds that it gets, and that
        varies."""
        if not self._varies([op.error]):
            return
        caught: set[Operand] = {op.error}
        for inner in walk(op.handler):
            if not isinstance(inner, Call) or caught.isdisjoint(inner.args):
                continue
            callee = inner.callee.value if isinstance(inner.callee, Const) else None
            if callee is contents_read:
                caught.update(inner.results)
            elif callee is getattr or callee is attribute_read:
                names = [arg.value for arg in inner.args if isinstance(arg, Const)]
                if not OF_ERRORS.issuperset(names):
                    self.surroundings.follow_errors(inner.loc)

    def _iterated(self, iterable: Operand, known: Operand, loc: Location | None) -> Operand:
        """What an object of a user's class gives to iterate over.

        `known` is what inference has typed: a rule in the place of a call may say less.
        """
        if not self.is_varied(iterable):
            return iterable
        if not all(may_overload(iter, [type_of(x)], self.overloading()) for x in (iterable, known)):
            self._check_container(iterable, loc)
            return iterable
        items = Value("items", TOP)
        call = Call(Const(iter), [iterable], {}, [items], loc)
        if self._is_made_by_us([known]) and self._needs_heap(call, Const(iter), [iterable], {}):
            self.call(unless_iterating, iterable, loc=loc)
            return iterable
        mapping: Mapping = {}
        self._dynamic_call(call, call.callee, call.args, {}, mapping)
        return mapping[items]

    # Calls

    def checked(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> tuple[Operand, list[Operand]]:
        """Refuses changes in place; where types can't tell, the run time will."""
        refuse_mutation(self, callee, args, kwargs, loc)
        if isinstance(callee, Value):
            return callee, args
        cls = class_of(type_of(args[0])) if args else None
        if cls is not None and is_passed_over(callee.value, cls):
            raise unsupported(what_is_passed_over(callee.value, cls), loc, ADVICE)
        value = callee.value
        is_read = value is getattr and self.heap is None  # with it, the run time knows better
        if is_read and isinstance(args[1], Const) and args[1].value in MUTATING_METHODS:
            known = facts.attribute_of(widen(type_of(args[0])), args[1].value)
            if not isinstance(args[0], Const) and not isinstance(known, Method):
                name = args[1]
                owner = self.call(refusals.unless_builtin_container, args[0], name, loc=loc)
                return callee, [owner, name]
        if isinstance(value, types.BuiltinFunctionType) and value in IN_PLACE:
            return self._in_place(value, args, loc)
        return callee, args

    def _pass_through(self, operand: Operand, result: Value, loc: Location | None) -> None:
        self.varied.add(result)
        call = Call(Const(primitives.check_bound), [operand, Const("")], {}, [result], loc)
        self.steps.append(StructureStep(call))

    def _refuse_lost(self, op: Call, args: list[Operand]) -> None:
        """Refuses a derivative that would get lost in a global or in an attribute of a class."""
        assert isinstance(op.callee, Const)
        *_, owner, name, value = args
        assert isinstance(owner, Const) and isinstance(name, Const)
        is_of_class = op.callee.value is class_stored
        place = f"the global `{name.value}`"
        if is_of_class:
            place = f"the attribute `{name.value}` of the class {owner.value.__name__}"
        if not isinstance(value, Value) or is_exact(value.type):
            return
        if value in self.varied or not isinstance(value.type, Scalar):
            self._specialiser.assigned.change(
                owner.value if is_of_class else owner.value.contents, name.value
            )
            raise unsupported(
                f"a derivative would get lost in {place}", op.loc,
                "pass the value on by arguments, or drop its derivative with zyg.dropgrad",
            )

    def _read(self, op: Call, args: list[Operand], mapping: Mapping) -> Value:
        """Reads an attribute that is stored in an object."""
        result = Value(op.result.name, op.result.type)
        self._define(Call(Const(getattr), args[1:], {}, [result], op.loc))
        self._contents.note_read(op, args, result)
        mapping[op.result] = result
        if self._in_loop is not None and self._in_loop.isdisjoint(op.args[:2]):
            self.steady.add(result)
        return result

    def _is_method_of_place(self, op: Call, callee: Operand, args: list[Operand]) -> bool:
        """Whether a method is read of an object, of one of several classes perhaps: its cotangents
        are in the table."""
        if self.heap is None or not isinstance(callee, Const) or callee.value is not getattr:
            return False
        classes = map(class_of, members_of(type_of(args[0])))
        return isinstance(op.result.type, Method) and all(
            cls is not None and is_place(cls) for cls in classes
        )

    def _is_of_object(self, callee: object, args: list[Operand]) -> bool:
        """Whether an operator or attribute may be what a user's class makes of it."""
        types_ = list(map(type_of, args))
        if callee is getattr:
            name = args[1].value if isinstance(args[1], Const) else None
            refusals.refuse_attribute_of_rule(types_[0], name)
            return not isinstance(name, str) or is_computed(types_[0], name, self.globals)
        return may_overload(callee, types_, self.overloading())

    def overloading(self) -> dict[str, Any]:
        """The globals whose classes may be those of operands of which nothing is known."""
        if self._specialiser.sets_apart:
            return {}
        return self._home if is_program(self.globals) else self.globals

    def _check_operands(self, callee: object, args: list[Operand]) -> None:
        """Looks once at each operand of unknown class; what plain operands give is plain."""
        if callee is operator.getitem:
            self._check_container(args[0], self.loc)
        unknown = [
            args[i] for i in unknown_operands(callee, list(map(type_of, args)))
            if (unless_overloaded, args[i]) not in self._checked
        ]
        if adds_unknown(callee, list(map(type_of, args))):
            self.call(unless_items_overloaded, args[0], loc=self.loc)
        if unknown and callee is operator.matmul:
            self.call(unless_overloaded_by_users, *unknown, loc=self.loc)
        elif unknown and callee in OF_MATRICES and knows_sparse(self.globals):
            self.call(unless_product_of_matrices, Const(callee), *args, loc=self.loc)
        elif unknown:
            self.call(unless_overloaded, *unknown, loc=self.loc)
            self._checked.update((unless_overloaded, operand) for operand in unknown)

    def _may_make_item(self, container: Operand) -> bool:
        """Whether reading an item may change a container that objects hold: a defaultdict makes
        what is missing."""
        return self.heap is not None and is_unknown(type_of(container)) and (
            knows_defaults(self._home)
        )

    def may_give_matrix(self, callee: object) -> bool:
        """Whether what an operator gives may be a sparse matrix, whose operators are looked at."""
        return callee in (*OF_MATRICES, operator.matmul) and knows_sparse(self.globals)

    def _check_container(self, items: Operand, loc: Location | None) -> None:
        """Looks once at a container of unknown class, whose items are taken as those it holds."""
        if is_unknown(type_of(items)) and (unless_own_items, items) not in self._checked:
            self.call(unless_own_items, items, loc=loc)
            self._checked.add((unless_own_items, items))

    def _structure(
        self, op: Call, callee: Const, args: list[Operand], mapping: Mapping
    ) -> None:
        names, mark = [value.name for value in op.results], len(self.ops)
        found = self.typed_call(callee, args, {}, names, op.loc)
        mapping.update(zip(op.results, found, strict=True))
        made = self.definitions.get(found[0]) if isinstance(found[0], Value) else None
        # Else it is what stood there before, which has a step of its own.
        is_new = any(made is appended for appended in self.ops[mark:])
        if is_new and isinstance(made, Call) and made.results == found:
            self.varied.update(made.results)
            self.steps.append(StructureStep(made))

    def _note_collected(self, mark: int) -> None:
        """The tuple and dict of further arguments, made since then, pass derivatives through."""
        for op in self.ops[mark:]:
            if isinstance(op, Call) and any(map(self.is_varied, op.args)):
                self.varied.update(op.results)
                self.steps.append(StructureStep(op))

    def _is_local(self, callee: Operand) -> bool:
        return isinstance(callee, Value) and isinstance(self.definitions.get(callee), Lambda)

    def _unknown_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        """A call of what is found at run time, which may do anything with objects."""
        value, heap = op.results
        before = kwargs[HEAP_NAME]
        assert isinstance(before, Value)
        kwargs = without_heap(kwargs)
        single = Call(callee, args, kwargs, [value], op.loc)
        if not kwargs and self._change_of_held(single, callee, args, mapping):
            mapping[heap] = before
            self._contents.note_change(op.kwargs[HEAP_NAME], heap)
            return
        self._dynamic_call(single, callee, args, kwargs, mapping)
        step = self.steps[-1]
        assert isinstance(step, OpaqueStep)
        mapping[heap] = before
        step.changes_objects = True
        if isinstance(callee, Const) and id(callee.value) in CHANGING and may_be_memory(
            type_of(args[0])
        ) and class_of(type_of(args[0])) is not None:
            # What is changed is known by its identity, and has no cotangent of its own.
            step.targets = [
                (Const(None) if target is args[0] else target, keyword)
                for target, keyword in step.targets
            ]

    def _change_of_held(
        self, op: Call, callee: Operand, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A change of one item of memory that objects hold, of a class that is known."""
        if self.is_inner or not isinstance(callee, Const) or id(callee.value) not in CHANGING:
            return False
        found = held_item_changes.change_of(callee.value, list(map(type_of, args)))
        if found is None:
            return False
        make_change, bar_of = found
        change = Value("change", IDENTITY)
        self._define(Call(Const(make_change), args, {}, [change], op.loc))
        mapping[op.result] = args[0]  # what is changed is known by its identity
        value = args[-1] if held_item_changes.puts_value(bar_of) else None
        self.steps.append(ChangeStep(value, change, bar_of, op.loc))
        return True

    def _is_made_by_us(self, args: list[Operand]) -> bool:
        """Whether an operation stands in generated code, with operands of unknown classes.

        There, what may be an object is called by the run time, and what is left are numbers.
        """
        return self._function.is_generated and all(
            (cls := class_of(type_of(arg))) is None or not is_users(cls) for arg in args
        )

    def _needs_heap(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> bool:
        """Whether a call, that takes no heap, would have to."""
        if self.heap is not None or self.is_inner or self._is_item_of_number(callee):
            return False
        return self._works_on_objects(op, callee, args, kwargs)

    def _is_item_of_number(self, callee: Operand) -> bool:
        """Whether what is called is taken out of a number, as far as types tell: code for what one
        arm has saved is given what the other one has, and isn't run."""
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        return isinstance(made, Call) and isinstance(made.callee, Const) and (
            made.callee.value is primitives.unpack
            and class_of(type_of(made.args[0])) in (float, int, np.float64)
        )

    def _works_on_objects(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> bool:
        """Whether a call may work on objects, by what is known of its operands here or there
        where types were found."""
        if isinstance(callee, Const) and callee.value is getattr:
            return True  # of an attribute that is computed
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        found: bool = self.surroundings.works_on_objects(
            type_of(callee), tuple(map(type_of, args)), kwtypes
        )
        if found and len(op.args) == len(args):
            known = op.callee if isinstance(op.callee, Value) else callee
            found = self.surroundings.works_on_objects(
                type_of(known), tuple(map(type_of, op.args)), kwtypes
            )
        return found

    def _varied_and_changed(self, callee: Operand, args: list[Operand]) -> tuple[int, ...]:
        """The arguments on which derivatives depend, if they are memory and some is changed in
        place by a function of the user's that is declared to give constants."""
        function = callee.value if isinstance(callee, Const) else None
        if not isinstance(function, types.FunctionType) or not is_constant(function):
            return ()
        places = tuple([
            i for i, arg in enumerate(args)
            if self.is_varied(arg) and is_known_memory(type_of(arg))
        ])
        try:
            changed, _ = self.surroundings.updates(
                type_of(callee), tuple(map(type_of, args)), {}
            ) if places else ((), [])
        except (Unsupported, SourceNotFound):
            return ()
        return places if changed else ()

    def _is_apart(self, op: Call) -> bool:
        """Whether a call leaves objects alone, though the run time finds what it does."""
        kwtypes = {name: type_of(arg) for name, arg in op.kwargs.items()}
        if isinstance(op.callee, Const) and op.callee.value in (
            getattr, attribute_read, found_attribute
        ):
            cls = class_of(type_of(op.args[0]))
            return op.callee.value is getattr and cls is not None and not is_users(cls)
        return HEAP_NAME not in kwtypes and not self.surroundings.works_on_objects(
            type_of(op.callee), tuple(map(type_of, op.args)), kwtypes
        )

    def _opaque_call(
        self,
        op: Call,
        function: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        targets: list[tuple[Operand, str | None]],
        mapping: Mapping,
    ) -> None:
        result, back = Value(op.result.name, op.result.type), Value("back", BACK)
        self._define(Call(Const(function), args, kwargs, [result, back], op.loc))
        mapping[op.result] = result
        self.varied.add(result)
        works_on_objects = self.heap is not None and not (self.is_inner and self._is_apart(op))
        step = OpaqueStep(result, targets, back, op.loc, works_on_objects)
        if isinstance(op.callee, Const) and op.callee.value is attribute_read and len(op.args) == 3:
            cls = class_of(type_of(op.args[1]))
            if cls is None or not is_place(cls):
                step.read = args[1], args[2]
        self.steps.append(step)
