"""What inference is told of the user's objects: operators, iteration, what they may hold."""

from __future__ import annotations

import operator
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.binding import bind
from ir.core import Location, Operand, type_of
from ir.derived import base_of
from ir.errors import HeldByError, SourceNotFound, Unsupported
from ir.heap import HEAP, HEAP_NAME, Contents, with_heap
from ir.inference.surroundings import Constructor
from ir.late import MemberOf, late
from ir.memory.held_functions import may_be_memory
from ir.types import (
    BOTTOM,
    TOP,
    Closure,
    Instance,
    Known,
    NamedTuple,
    Top,
    Tuple,
    Type,
    Union,
    class_of,
    members_of,
)
from zyg.compiler.assigned import unless_same
from zyg.compiler.guards import same_function
from zyg.compiler.inference import asked_for_keys, replaced
from zyg.compiler.inference.attribute_surroundings import AttributeSurroundings
from zyg.compiler.inference.constructors import constructor, has_rule_of_user
from zyg.compiler.inference.objects import (
    ERRORS,
    IN_PLACE,
    OPERATORS,
    is_error,
    is_hashable,
    is_place,
    item_of_class,
    iterates,
    iterates_over,
    lookup,
    may_overload,
    overloads_addition,
)
from zyg.compiler.inference.stepping import (
    consumer_at,
    generator_at,
    generator_over_view,
    iterator_class,
    knows_steps,
    read_by,
    reads_plainly,
    step_of,
)
from zyg.compiler.origins import works_on_values
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.held.nested_shadows import Bars, BarTable
from zyg.signature import is_users

if TYPE_CHECKING:
    from zyg.compiler.inference import operator_methods, quiet_methods
    from zyg.compiler.run_time import apart, memory, refusals
    from zyg.held import held_checks, memory_kinds
    from zyg.rules import taking_all
else:  # they are for programs that know classes of objects
    apart = late("zyg.compiler.run_time.apart")
    refusals = late("zyg.compiler.run_time.refusals")
    operator_methods = late("zyg.compiler.inference.operator_methods")
    quiet_methods = late("zyg.compiler.inference.quiet_methods")
    memory = late("zyg.compiler.run_time.memory")
    memory_kinds, held_checks = late("zyg.held.memory_kinds"), late("zyg.held.held_checks")
    taking_all = late("zyg.rules.taking_all")


class ObjectSurroundings(AttributeSurroundings):
    """Answers questions about objects, and notes what the answers rest on."""

    # What needs nothing of the compilation.
    has_rule_of_user = staticmethod(has_rule_of_user)
    unless_held = MemberOf(held_checks)
    unless_lazy = MemberOf(held_checks)
    unless_rows = MemberOf(held_checks)
    unless_read_later = MemberOf(held_checks)
    unless_reading_held = MemberOf(held_checks)
    unless_walking_held = MemberOf(held_checks)
    unless_holding_held = MemberOf(held_checks)
    written_view = MemberOf(memory)
    check_view = MemberOf(memory)
    unless_same = staticmethod(unless_same)
    unless_replaced = staticmethod(replaced.unless_replaced)
    unless_missing = staticmethod(replaced.unless_missing)
    unless_asked_first = staticmethod(replaced.unless_asked_first)
    unless_own = staticmethod(replaced.unless_own)
    hold_in_itself = staticmethod(replaced.hold_in_itself)
    unless_item_of_dict = staticmethod(replaced.unless_item_of_dict)
    check_distinct = MemberOf(memory)
    refuse_lost_changes = MemberOf(memory)
    check_outside = MemberOf(memory)
    check_separate = MemberOf(memory)
    check_apart = MemberOf(memory)
    check_rows_apart = MemberOf(memory)

    def constructor(self, cls: type, names: Iterable[str] = ()) -> Constructor | None:
        if is_error(cls) and not self._specialiser.follows_errors():
            return None  # nobody asks what exceptions hold
        found = constructor(cls, names)
        if found is not None:
            for name in "__new__", "__init__", "__post_init__":
                self.note_lookup(cls, name)
            made_from = lookup(cls, "__init__")
            if isinstance(made_from, types.FunctionType) and made_from is not found.init:
                self._made.guards[id(made_from)] = same_function(made_from)
        return found

    def follow_errors(self, loc: Location | None) -> None:
        """Asks for the heap, where what an exception holds is used by what catches it."""
        specialiser = self._specialiser
        if not specialiser.follows_errors() and not specialiser.refuses_errors:
            specialiser.needs_heap.add(ERRORS)
            raise HeldByError("a number that an exception holds is used", loc)

    def errors_made(self, caught: tuple[Any, ...]) -> tuple[type, ...]:
        fields = self._specialiser.fields
        is_inner = self.is_apart() or self._specialiser.inner_gradients > 0
        if fields is None or not is_inner or not all(isinstance(cls, type) for cls in caught):
            return ()
        made = dict.fromkeys(cls for cls, _ in fields.types if cls is not None and is_error(cls))
        return tuple(cls for cls in made if issubclass(cls, caught))

    def may_change_objects(self) -> bool:
        """Whether the program may store into objects."""
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("may_be_stored"))

    def sets_apart(self, callee: Type) -> bool:
        return self._specialiser.sets_apart and apart.is_found(callee)

    unless_on_objects: Any = MemberOf(apart)
    unless_operators_of_objects: Any = MemberOf(apart)
    unless_giving_objects: Any = MemberOf(apart)
    unless_choice: Any = MemberOf(apart)
    unless_made: Any = MemberOf(apart)
    unless_known_name: Any = MemberOf(apart)
    unless_known_owner: Any = MemberOf(apart)
    unless_mutable: Any = MemberOf(refusals)
    is_error = staticmethod(is_error)

    def classes_with(self, name: str) -> tuple[type, ...]:
        fields = self._specialiser.fields
        return () if fields is None else tuple(fields.ask("classes_with", name))

    def names_of_class(self, cls: type | None) -> tuple[str, ...]:
        fields = self._specialiser.fields
        return () if fields is None else tuple(fields.ask("names_of", cls))

    def asks_by_cases(self) -> bool:
        return self._specialiser.fields is not None

    def is_apart(self) -> bool:
        return self._specialiser.sets_apart

    def is_operator(self, callee: object) -> bool:
        return id(callee) in OPERATORS or (is_hashable(callee) and callee in IN_PLACE)

    def unknown_operands(self, callee: object, operands: list[Operand]) -> list[Operand]:
        if not self._specialiser.sets_apart:
            return []
        return apart.unknown_operands(callee, operands, self._made.home)

    def may_change_held(self) -> bool:
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("may_be_held"))

    def changes_held(self) -> bool:
        return self._specialiser.fields is not None and self.may_change_held()

    def holds_at_run_time(self) -> bool:
        """Whether the run time follows the memory that objects hold."""
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("holds_at_run_time"))

    def may_hold(self, type_: Type) -> bool:
        """Whether an object may hold a value, or memory that it holds."""
        fields = self._specialiser.fields
        return fields is None or bool(fields.ask("may_hold", type_))

    def follows_contents(self) -> bool:
        fields = self._specialiser.fields
        return fields is not None and fields.follows_contents

    def follows_views(self) -> bool:
        fields = self._specialiser.fields
        return fields is not None and fields.follows_views

    def unless_views(self) -> None:
        """Begins anew with views of arrays followed, if they aren't yet."""
        from zyg.compiler.nested.inner_gradients import HoldsViews  # few programs come here

        if not self.follows_views():
            raise HoldsViews

    def unless_settled(self) -> None:
        """Puts off what rests on types of attributes that may still change."""
        from zyg.compiler.nested.inner_gradients import Unsettled  # few programs work on objects

        fields = self._specialiser.fields
        if fields is not None and fields.is_open:
            self.unless_apart()
        if fields is not None and fields.state() != self._specialiser.known_of_objects:
            raise Unsettled

    def unless_in_cells(self) -> None:
        from zyg.compiler.nested.inner_gradients import MayBeLocal  # few programs work on objects

        specialiser, fields = self._specialiser, self._specialiser.fields
        # An inner gradient follows less of what it is given if that is held by objects.
        is_nested = specialiser.inner_gradients > 0 or (fields and fields.is_of_nested())
        if specialiser.in_cells is None and not is_nested:
            raise MayBeLocal

    def unless_apart(self) -> None:
        """Begins anew with what the run time finds set apart, if it isn't yet."""
        from zyg.compiler.nested.inner_gradients import Opened  # few programs work on objects

        fields = self._specialiser.fields
        if fields is not None and not fields.sets_apart:
            raise Opened

    def is_value_place(self, cls: type) -> bool:
        return issubclass(cls, Contents | Bars | BarTable)

    def note_change_of_held(
        self, owner: Type | None, name: str, type_: Type, keeps_type: bool
    ) -> None:
        fields = self._specialiser.fields
        if fields is not None:
            cls = None if owner is None else class_of(owner)
            fields.change_held(cls, name, type_, keeps_type)

    def note_change_of_given(self, type_: Type, before: Type, is_element: bool) -> None:
        if self._specialiser.fields is not None:
            self._specialiser.fields.change_given(type_, before, is_element)

    def note_change_by_call(self) -> None:
        if self._specialiser.fields is not None:
            self._specialiser.fields.changes_held = self._specialiser.fields.changes_arrays = True

    def note_change_of_array(self) -> None:
        if self._specialiser.fields is not None:
            self._specialiser.fields.changes_arrays = True

    def leaves_alone(self, type_: Type) -> bool:
        return is_array(type_) and self.leaves_arrays()

    def leaves_arrays(self) -> bool:
        """Whether no array is changed in place that objects may know."""
        fields = self._specialiser.fields
        return fields is not None and bool(fields.ask("leaves_arrays"))

    def held_operands(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> tuple[list[Operand], list[Operand]]:
        plain = {name: operand for name, operand in kwargs.items() if name != HEAP_NAME}
        unknown: tuple[list[Operand], list[Operand]] = [], [*args, *plain.values()]
        callee_type = type_of(callee)
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            made = self._specialiser.call(callee_type, types_, kwtypes)
        except (Unsupported, SourceNotFound):
            return unknown
        target = self._specialiser.target(callee_type)
        if made is None or target is None:
            return unknown
        count = len(target.captures)
        bound: list[list[Operand]] = bind(
            with_heap(target.source), [[arg] for arg in args],
            {name: [arg] for name, arg in kwargs.items()},
            [[] for _ in target.defaults], {name: [] for name in target.kwdefaults},
            lambda items: [operand for item in items for operand in item],
            lambda items: [operand for item in items.values() for operand in item],
        )
        held, lent = [
            [o for i in inputs for o in ([callee] if i < count else bound[i - count])]
            for inputs in (made.held_inputs, made.lent_inputs)
        ]
        return held, lent

    def changed_type(self, type_: Type, is_element: bool = False) -> Type:
        fields = self._specialiser.fields
        cls = class_of(type_)
        if cls is None or facts.copies_items(cls):
            return type_
        if isinstance(type_, Tuple):
            return Tuple(tuple(
                self.changed_type(item, True) if may_be_memory(item) else item
                for item in type_.items
            ))
        if fields is None:
            from zyg.compiler.inference.changed_types import (
                of_anything,  # few programs work on objects
            )

            return of_anything(type_)
        changed: Type = fields.ask("changed_type", type_, is_element)
        return changed

    def operator_method(self, callee: object, types_: tuple[Type, ...]) -> Any:
        if callee is operator.getitem and isinstance(types_[0], Known) and (
            isinstance(types_[0].value, type)
        ):
            return self._item_of_class(types_[0].value)
        found = operator_methods.operator_method(callee, types_)
        if found is not None:
            name, method = found
            self.note_lookup(class_of(types_[0]), name)
            return method, False
        for cls, name, method, is_swapped in operator_methods.methods_asked(callee, types_):
            declines = self._declines(method, types_[::-1] if is_swapped else types_)
            if declines is None:
                return None
            self.note_lookup(cls, name)
            if not declines:
                return method, is_swapped
        return None

    def _item_of_class(self, cls: type) -> Any:
        """What answers `cls[key]`: a method of a metaclass of the user's, or of the class."""
        method = lookup(type(cls), "__getitem__")
        if isinstance(method, types.FunctionType) and is_users(type(cls)):
            self.note_lookup(type(cls), "__getitem__")
            return method, False
        plain = item_of_class(cls)
        if plain is not None:
            self.note_lookup(cls, "__class_getitem__")
        return None if plain is None else (plain, False)

    def _declines(self, method: Any, types_: tuple[Type, ...]) -> bool | None:
        """Whether a method of an operator gives NotImplemented; None if it may or may not."""
        if not isinstance(method, types.FunctionType):
            return None
        if not operator_methods.names_not_implemented(method):
            return False
        try:
            made = self._specialiser.call(Known(method), types_, {HEAP_NAME: HEAP})
        except (Unsupported, SourceNotFound):
            return None
        if made is None or made.value_type in (TOP, BOTTOM):
            return None
        members = made.value_type.members if isinstance(made.value_type, Union) else (
            (made.value_type,)
        )
        declining = [class_of(member) is type(NotImplemented) for member in members]
        return declining[0] if len(set(declining)) == 1 else None

    def may_change_memory(self, callee: object, types: list[Type], name: object) -> bool:
        home = self._made.home
        return quiet_methods.may_change_memory(callee, types, name, home)

    def stood_in(self, callee: Type, result: Type) -> Any:
        if not isinstance(result, NamedTuple) or not result.cls.__module__.startswith("zyg.rules."):
            return None
        match callee:
            case Closure(_, module_globals):
                module = module_globals.get("__name__")
            case Known(types.FunctionType() as function):
                module = function.__module__
            case _:
                return None
        is_ours = str(module).startswith(("zyg.", "ir."))
        return None if is_ours else vars(result.cls)["stood_in"].__func__

    def called_method(self, type_: Type) -> Any:
        cls = class_of(type_)
        if cls is None or not (isinstance(type_, NamedTuple) or base_of(cls) is not None or (
            isinstance(type_, Instance) and is_place(cls)
        )):
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
            if self._made.source.is_generated and isinstance(type_, Top):
                continue  # what may be an object was asked before
            if not may_overload(iter, [type_], self._made.home):
                continue
            method = operator_methods.operator_method(iter, (type_,))
            if method is not None:
                self.note_lookup(class_of(type_), "__iter__")
            found.append((i, None if method is None else method[1]))
        return found

    def mappings(
        self, callee: object, types: tuple[Type, ...]
    ) -> list[tuple[int, Any, bool]]:
        return asked_for_keys.mappings_of(callee, types)

    def step_of(self, iterator: Type) -> Any:
        cls = class_of(iterator)
        step = None if cls is None or not is_place(cls) else step_of(cls)
        if step is not None:
            self.note_lookup(cls, "__next__")
        return step

    def iterator_class(self, items: Type, loc: Location | None) -> Any:
        cls = class_of(items)
        return None if cls is None or loc is None else iterator_class(cls, loc)

    generator_over_view = staticmethod(generator_over_view)

    def may_step(self, iterable: Type) -> bool:
        if self._made.source.is_generated or works_on_values(self._made.source.globals):
            return False
        if not isinstance(iterable, Top) and not (
            isinstance(iterable, Union) and any(map(self._is_step, iterable.members))
        ):
            return False
        fields = self._specialiser.fields
        if fields is not None and fields.ask("may_step"):
            return True
        return knows_steps(self._made.home)

    def _is_step(self, type_: Type) -> bool:
        return isinstance(type_, Top) or self.step_of(type_) is not None

    def consumer(self, callee: object, types: tuple[Type, ...]) -> Any:
        fields = self._specialiser.fields
        if fields is not None and fields.goes_by_steps and self._made.heap is not None:
            generator = generator_at(callee, class_of(types[0]) if types else None)
            if generator is not None:
                return generator
        if callee is sum and types:
            item = facts.item_of(types[0])
            members = members_of(item) if self.is_apart() else [item]  # it is asked which each is
            if any(map(overloads_addition, members)):
                return taking_all.added_of
        found = read_by(callee, len(types))
        if found is None:
            if reads_plainly(callee) and any(self.step_of(type_) is not None for type_ in types):
                name = getattr(callee, "__name__", callee)
                raise Unsupported(
                    f"`{name}` of a generator, or of an iterator of a user's class", None,
                    advice="make a list of its items, and pass that",
                )
            return None
        positions, is_lazy = found
        for i in range(len(types)) if positions is None else positions:
            if i < len(types) and (
                self.step_of(types[i]) is not None or (is_lazy and self.may_step(types[i]))
            ):
                return consumer_at(callee)
        return None

    def unless_by_steps(self) -> None:
        """Begins anew with generators in the place of Python's own iterators, where what a step of
        one does has to be known."""
        fields = self._specialiser.fields
        if fields is not None and fields.sets_apart and not fields.goes_by_steps:
            from zyg.compiler.nested.inner_gradients import Stepped  # few programs come here

            raise Stepped

    def unsettled(self, callee: object, types: tuple[Type, ...]) -> list[int]:
        found = read_by(callee, len(types))
        positions = None if found is None else found[0]
        return [i for i in positions or () if i < len(types) and self.may_step(types[i])]
