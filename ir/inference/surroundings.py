"""What inference asks of those who use it: types of globals and attributes, what calls do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from ir.core import Const, For, Function, Location, Operand
from ir.heap import new_object
from ir.inference.contents_asked import ContentsAsked
from ir.inference.errors_asked import ErrorsAsked
from ir.inference.owners_asked import OwnersAsked
from ir.memory.place_state import Effect, Returned
from ir.record import record
from ir.types import Type

if TYPE_CHECKING:
    from ir.inference.infer import Inference
    from ir.inference.typed_calls import TypedCalls
    from ir.rewrite import Mapping


@record
class Inlinable:
    """A function that may be inlined: its IR and the values of its defaults."""

    source: Function
    defaults: tuple[Any, ...]
    kwdefaults: dict[str, Any]
    is_own: bool  # part of a rule, so that its operations stand where the rule's do


# Kinds of attributes of which an object itself may hold one.
STORED = ("stored", "computed once", "missing")


@record
class Member:
    """What an attribute is where it is read, and how it is stored.

    `kind` is stored (in the object), computed (by `getter`), computed once (and stored then),
    missing (computed by `getter`, a `__getattr__`, unless it is stored), method, static or of class
    (the function `getter`), unknown (any of these, or no object of the user's), or other (no object
    of the user's). `store` is plain (into the object), computed (by `setter`) or unknown, where the
    class has no `__setattr__` of its own, which is the `hook`.
    """

    kind: str
    getter: Any = None
    store: str = "unknown"
    setter: Any = None
    hook: Any = None
    # Whether `del` does no more than to take it out of the object.
    is_plainly_deleted: bool = False
    # What stands in the class, where `getter` and `setter` are the methods of it.
    descriptor: Any = None


@record
class Constructor:
    """How an object is made: without contents, then by `init`, if there is one.

    `base` is the container that its class derives from, if it does (`ir.derived`); `maker` gives an
    object without contents.
    """

    init: Any
    base: type | None = None
    maker: Any = new_object


class Surroundings(ContentsAsked, ErrorsAsked, OwnersAsked, Protocol):
    """What inference asks of its caller."""

    def global_type(self, module_globals: dict[str, Any], name: str) -> Type:
        """The type of a global or builtin; whoever answers sees to it that it stays true."""

    def attribute_type(self, owner: object, name: str) -> Type:
        """The type of an attribute of a module or class."""

    def is_assigned(self, owner: object, name: str) -> bool:
        """Whether the program stores into an attribute of a class."""

    def note_assigned(self, owner: object, name: str, type_: Type) -> None:
        """Notes a store into a global, in the dict `owner`, or into an attribute of a class."""

    def is_shared(self, owner: object, name: str) -> bool:
        """Whether a global, in the dict `owner`, or an attribute of a class is one of an object in
        this program (`ir.shared_names`)."""

    def shared_type(self, owner: object, name: str) -> Type:
        """The type of such a name where it is read."""

    def sharing_in_class(self, cls: type | None, name: str) -> str | None:
        """Whether a class or a base of it has such an attribute: "own" where only the class itself
        has one of this name, "found" where the run time has to look."""

    def bases_with(
        self, cls: type | None, name: str, ends: bool, below: type | None = None
    ) -> list[type] | None:
        """The class and its bases, or those behind one, that may have such a name, in order; the
        last one has it, unless it `ends` otherwise. None where that isn't known."""

    def class_with_memory(self, cls: type | None, name: str) -> type | None:
        """The class of which all objects of a class have a list, dict or array, if it is so."""

    def note_read_of_class(self, cls: type | None, name: str) -> None:
        """Notes that an object may be read that has an attribute of its class."""

    def may_change_aside(self, owner: object, name: str) -> bool:
        """Whether what a global holds may be changed as it stands, since nothing is read of it; the
        program is looked at for that when it is known."""

    def note_changed_name(self, owner: object, name: str) -> None:
        """Notes that what a global or an attribute of a class holds is changed in place."""

    def is_class_store(self, cls: type, name: str) -> bool:
        """Whether `cls.name = value` does no more than to replace a plain value."""

    def call_type(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Type:
        """The type of a call of a Python function."""

    def check_call(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> None:
        """Raises `Unsupported` for a call behind which types would not hold."""

    def expanded(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> Operand | None:
        """The result of a call that stands for other operations, which are appended."""

    def inlinable(self, callee: object) -> Inlinable | None:
        """The code of a function whose calls are to be replaced by its body, if it is straight."""

    def is_inlined(self, function: Function) -> bool:
        """Whether calls of a function that is defined here are to be replaced by its body."""

    def updated(
        self, inference: TypedCalls, callee: Operand, args: list[Operand],
        kwargs: dict[str, Operand], loc: Location | None,
    ) -> list[tuple[int | str, Operand]]:
        """What a call of a Python function changes in place: positions or keywords, operands."""

    def updates(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> tuple[tuple[int, ...], list[Type]]:
        """The numbers of the inputs that such a call changes in place, and their types then."""

    def returned(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Returned:
        """What is known of the memory that a call of a Python function returns."""

    def refuse_taken_apart(
        self, inference: TypedCalls, callee: Const, args: list[Operand], loc: Location | None
    ) -> None:
        """Refuses a call that takes an object apart where nothing is differentiated."""

    def works_on_values(self, module_globals: dict[str, Any]) -> bool:
        """Whether the code of a module calls nothing that reads or changes what objects hold."""

    def works_on_objects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        """Whether a call may read or change what objects hold, so that it takes the heap."""

    def may_fail_midway(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        """Whether a call may raise when it has already changed something."""

    def catching(self, callee: Type) -> Type | None:
        """The type of the catching variant of a Python function, if that is known."""

    def member(self, owner: Type, name: str) -> Member:
        """What is known of an attribute of objects of a type."""

    def field_type(self, owner: Operand, name: str) -> Type:
        """The type of what an object holds under a name."""

    def text_of_descriptor(self, descriptor: Any, name: str) -> str | None:
        """The text that an attribute of a descriptor holds, by which it stores into objects; None
        where that is none, or may be changed."""

    def note_store(self, owner: Type | None, name: str, type_: Type) -> None:
        """Notes a store into an object; with None, one into an unknown object."""

    def note_constant(self, container: Any, name: str) -> None:
        """Sees to it that a name means the same object in a module or class."""

    def unless_same(self, value: Any, expected: Any) -> None:
        """Raises, when the program runs, for another object than there was before."""

    def note_lookup(self, cls: type | None, name: str) -> None:
        """Sees to it that a name means in a class what it means now."""

    def is_subclass(self, cls: type, above: type) -> bool:
        """Whether a class is one of an abstract class, now; sees to it that it stays so."""

    def plain_method(self, cls: type | None, name: str) -> Any:
        """The method of a class whose objects have nothing to do with derivatives, or None."""

    def is_made_inside(self, cls: type | None) -> bool:
        """Whether the program makes all objects of a class itself."""

    def has_nothing(self, cls: type | None, name: str) -> bool:
        """Whether neither a class nor any of its objects has an attribute."""

    def is_of_class(self, cls: type | None, name: str) -> bool:
        """Whether no object of a class hides what the class itself has under a name."""

    def above(self, cls: type, below: type, name: str) -> Any:
        """The Python function of this name that a class has above another one in its order."""

    def operator_method(self, callee: object, types: tuple[Type, ...]) -> Any:
        """The method that an operator is certain to call to ask an object, and whether with the
        operands swapped; None if there is none."""

    def iterated(self, callee: object, types: tuple[Type, ...]) -> list[tuple[int, Any]]:
        """The operands of a call that are objects which it iterates over, each with the method
        that is certain to be asked for the items, or None. `callee` is None for a loop."""

    def mappings(
        self, callee: object, types: tuple[Type, ...]
    ) -> list[tuple[int, Any, bool]]:
        """The operands of a call that are objects of which it makes a dict, each with the function
        that makes what takes its place, and whether it is certain that the operand is one."""

    def outlined(
        self, inference: Inference, op: For, iterables: list[Operand], mapping: Mapping
    ) -> list[Operand] | None:
        """The results of a loop that becomes a call of a function of its own, or None."""

    def step_of(self, iterator: Type) -> Any:
        """The function that gives the next step of an iterator which is an object; or None."""

    def may_step(self, iterable: Type) -> bool:
        """Whether an iterable about which little is known may be such an iterator, or give one."""

    def iterator_class(self, items: Type, loc: Location | None) -> Any:
        """The class of the iterators over such a sequence that a place of the program makes."""

    def method_by_class(self, cls: type | None, name: str) -> Any:
        """What chooses a method by the class of its argument, if a class holds that; or None."""

    def generator_over_view(self, callee: object) -> Any:
        """The generator function in the place of a method that gives a view of a dict; or None."""

    def unless_by_steps(self) -> None:
        """Puts off what goes on by steps of an iterator of Python's own, if all of the program may
        have generators in the place of these."""

    def consumer(self, callee: object, types: tuple[Type, ...]) -> Any:
        """The Python function that does what a built-in one does with such iterators; or None."""

    def unsettled(self, callee: object, types: tuple[Type, ...]) -> list[int]:
        """The operands that may be such iterators, of a call that takes all of their items."""

    def stood_in(self, callee: Type, result: Type) -> Any:
        """The function that gives what stands for an object of a library, where a call of a
        function of the user's may give either, or None."""

    def called_method(self, type_: Type) -> Any:
        """The function that is certain to run where an object of a type is called, or None."""

    def may_change_objects(self) -> bool:
        """Whether this program may store into objects."""

    def may_change_memory(self, callee: object, types: list[Type], name: object) -> bool:
        """Whether a method that an operator may call on such operands, or what computes the
        attribute `name`, may change lists, dicts or arrays."""

    def sets_apart(self, callee: Type) -> bool:
        """Whether a call is found at run time, and taken to leave objects alone in this program;
        `unless_on_objects` raises before, and `unless_giving_objects` behind."""

    def is_apart(self) -> bool:
        """Whether what the run time finds is taken to leave objects alone in this program."""

    def names_of_class(self, cls: type | None) -> tuple[str, ...]:
        """The attributes that the program stores into or reads of objects of a class."""

    def unless_known_name(self, obj: Any, name: Any, known: tuple[str, ...]) -> None:
        """Raises, when the program runs, for another attribute."""

    def asks_by_cases(self) -> bool:
        """Whether calls with an operand of one of several classes ask which one it is."""

    def known_function(self, function: Type) -> tuple[Function, tuple[Type, ...]] | None:
        """The code of a Python function that has no rule, and the types of what it has captured;
        whoever answers sees to it that these stay true."""

    def is_arithmetic(self, callee: object, types: list[Type]) -> bool:
        """Whether a call is of a pure function written in C, all of whose operands are numbers and
        arrays: it asks and changes nothing."""

    def is_operator(self, callee: object) -> bool:
        """Whether a call asks the methods of its operands."""

    def unless_choice(self, value: Any, choice: Any) -> None:
        """Raises for a callable of which code knows nothing, where it asks by cases."""

    def unknown_operands(self, callee: object, operands: list[Operand]) -> list[Operand]:
        """The operands of an operator that may ask methods of theirs, which is taken not to
        happen in this program; `unless_operators_of_objects` raises before."""

    def unless_on_objects(self, function: Any, *args: Any, **kwargs: Any) -> None:
        """Raises, when the program runs, for a call that may store into objects."""

    def unless_operators_of_objects(self, *operands: Any) -> None:
        """Raises, when the program runs, for objects whose class answers operators."""

    def unless_giving_objects(self, value: Any) -> None:
        """Raises, when the program runs, for a value that holds objects."""

    def unless_mutable(self, value: Any, symbol: str) -> Any:
        """Raises, when the program runs, for what an augmented assignment changes in place."""

    def may_change_held(self) -> bool:
        """Whether memory that objects hold may be changed in place in this program."""

    def changes_held(self) -> bool:
        """Whether this is known to be a program on objects, and such memory may be changed."""
        return False

    def holds_at_run_time(self) -> bool:
        """Whether the run time follows the memory that objects hold, and its changes."""

    def may_hold(self, type_: Type) -> bool:
        """Whether an object may hold a value of a type, or memory that it holds."""
        return True

    def reads_whole(self, callee: Operand) -> bool:
        """Whether a call that isn't looked through may read what operands hold at any depth."""

    def unless_filled(self, value: Any) -> None:
        """Raises, when the program runs, for a container that isn't empty."""

    def unless_memory(self, value: Any) -> None:
        """Raises, when the program runs, for what is memory or holds some."""

    def unless_items_are_memory(self, items: Any) -> None:
        """Raises, when the program runs, for a container of what is memory or holds some."""

    def is_value_place(self, cls: type) -> bool:
        """Whether objects of a class hold memory as values, which nobody knows by another name."""

    def unless_apart(self) -> None:
        """Puts off what would have to know what the run time finds, if that isn't set apart yet."""

    def unless_settled(self) -> None:
        """Has the program looked at again where types of attributes may still change."""

    def unless_in_cells(self) -> None:
        """Has the program made with memory that is changed in cells, if it can be: some that
        objects hold is changed under a name which may mean memory of the function's own."""

    def note_change_of_array(self) -> None:
        """Notes that an array may be changed in place under a name that is none of an object's,
        and that objects may hold it."""

    def leaves_alone(self, type_: Type) -> bool:
        """Whether nobody changes memory of a type in place which objects may know."""
        return False

    def leaves_arrays(self) -> bool:
        """The same for all arrays."""
        return False

    def note_change_by_call(self) -> None:
        """Notes that a call changes memory that an object holds in place."""

    def note_change_of_held(
        self, owner: Type | None, name: str, type_: Type, keeps_type: bool
    ) -> None:
        """Notes that memory which an object holds is changed in place, and its type behind that."""

    def note_change_of_given(self, type_: Type, before: Type, is_element: bool) -> None:
        """The same for a container which this function has put into objects itself, and of the type
        that it had before; `is_element` if it was taken out of another one."""

    def held_operands(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> tuple[list[Operand], list[Operand]]:
        """The arguments of a call that objects hold behind it, and those that they may hold, since
        nothing is known of what is done with these; the callee stands for what it has captured."""

    def changed_type(self, type_: Type, is_element: bool = False) -> Type:
        """The type of memory that an object may have changed in place meanwhile; `is_element` if it
        was taken out of a container."""

    def unless_lazy(self, items: Any) -> None:
        """Raises, when the program runs, for items that have no positions, and are no dict."""

    def unless_asked_first(self, more: Any) -> None:
        """Raises, when the program runs, if a class says itself what `items += more` is."""

    def unless_walking_held(self, items: Any) -> None:
        """Raises, when the program runs, for a list or array of numbers that an object holds."""

    def unless_held(self, value: Any) -> None:
        """Raises, when the program runs, if an object holds memory that is changed."""

    def unless_holding_held(self, value: Any) -> None:
        """The same for a container whose elements may be changed as well."""

    def unless_rows(self, items: Any) -> None:
        """Raises, when the program runs, for a list or the like of memory that objects hold."""

    def unless_read_later(self, items: Any) -> None:
        """The same, and for a list or array of numbers that an object holds itself."""

    def unless_reading_held(self, view: Any) -> None:
        """Raises, when the program runs, for an iterator that will come to numbers of an object."""

    def captures_memory_now(self, function: Any) -> bool:
        """Whether a function of Python has captured arrays or containers."""
        return False

    def unless_capturing_held(self, function: Any) -> None:
        """Raises, when the program runs, if a function has captured what an object holds."""

    def note_captured(self, value: Any) -> None:
        """Notes, when the program runs, what functions have captured that an object holds."""

    def unless_captured(self, value: Any) -> None:
        """Raises, when the program runs, for memory that such a function has captured."""

    def unless_unfollowed(self, value: Any) -> None:
        """Raises, when the program runs, for memory that no object holds."""

    def unless_holding_contents(self, value: Any) -> None:
        """Raises, when the program runs, for memory for whose contents something stands."""

    def has_rule_of_user(self, callee: object) -> bool:
        """Whether a rule of the user's says what a function does, or a call of a class."""

    def constructor(self, cls: type, names: Iterable[str] = ()) -> Constructor | None:
        """How objects of a class are made that is given these keyword arguments, if it is one of
        those whose objects are places."""

    def written_view(self, items: Any, view: Any, part: Any, *args: Any) -> Any:
        """`primitives.written_view` that raises, when the program runs, for what is no view."""

    def unless_replaced(self, items: Any, method: str) -> None:
        """Raises, when the program runs, for a container with code of its own for a method."""

    def unless_missing(self, items: Any, key: Any, otherwise: Any) -> None:
        """Calls something else, which raises, when the program runs and an item is missing."""

    def hold_in_itself(self, items: Any) -> None:
        """`items.__dict__ = items`, when the program runs."""

    def unless_own(self, items: Any, name: str) -> None:
        """Raises, when the program runs, for an attribute that a container has beside its class."""

    def unless_item_of_dict(self, items: Any, name: str, is_of_class: bool | None) -> None:
        """Raises, when the program runs, unless the attributes of a dict are its items: for a name
        that its class has, one that it hasn't, or (None) one that is stored."""

    def check_view(self, items: Any, view: Any) -> None:
        """Raises, when the program runs, if `view` is a copy of a part of `items`."""

    def check_distinct(self, value: Any, changed: Any) -> None:
        """Raises, when the program runs, if two objects share memory."""

    def refuse_lost_changes(self, error: Any) -> None:
        """Raises, when the program runs, where a call failed that may have changed something."""

    def check_outside(self, value: Any, changed: Any) -> None:
        """Raises, when the program runs, if an object holds another one."""

    def check_separate(self, value: Any, changed: Any) -> None:
        """Raises, when the program runs, if two objects hold memory in common."""

    def check_apart(self, container: Any) -> None:
        """Raises, when the program runs, if a container holds memory in two places."""

    def check_rows_apart(self, container: Any) -> None:
        """The same for one of containers that hold no memory themselves."""

    def effects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> list[Effect]:
        """What a call does to the elements of the inputs that it changes in place."""
