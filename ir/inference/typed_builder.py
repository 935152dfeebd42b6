"""What is known of the operands of a typed copy while it is made (`ir.inference.infer`), and what
is known of a result before anything is appended: its type, or a constant.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from ir import facts, primitives
from ir.builder import Operations
from ir.core import Block, Call, Const, Location, Op, Operand, Value, type_of
from ir.derived import derived, is_named_tuple
from ir.errors import NeedsHeap
from ir.inference.special_calls import is_literal, literal_keys, special_of
from ir.inference.surroundings import Surroundings
from ir.memory.failing import Cuts
from ir.memory.memory_facts import changed_by
from ir.memory.place_state import Effect, Returned
from ir.memory.places import Places
from ir.rewrite import Mapping
from ir.types import BOTTOM, TOP, Closure, Known, Top, Tuple, Type, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_FOLDED_SIZE = 1000


class Attempting:
    """A call whose error is to be a value: the error, once it is known."""

    def __init__(self) -> None:
        self.error: Operand | None = None


class TypedBuilder(Operations):
    """Knows the operands of what it appends: their definitions, parts and keys."""

    def __init__(self, surroundings: Surroundings, module_globals: dict[str, Any]) -> None:
        super().__init__()
        self.surroundings = surroundings
        self.globals = module_globals
        # The globals that generated code runs in; inlined code may come from another module.
        self.home = module_globals
        self.definitions: dict[Value, Op] = {}
        self.methods: dict[Value, tuple[Const, Operand]] = {}
        # Versions of memory, and what they are called in this block, where more is known of them.
        self.narrowed: list[tuple[Value, Value]] = []
        # The last branch or loop that was begun: where what a block ends with is read.
        self._statement: Location | None = None
        self._source: Block | None = None
        # The body of the function or loop, as the source has it, which that is a part of.
        self._whole_source: Block | None = None
        # Code that is inlined into other code takes its place there.
        self.place: Location | None = None
        self._inlining: list[object] = []
        # What stands for attributes that have been read, among the names that a block knows.
        self.fields_read: dict[tuple[Operand, Operand, str], Value] = {}
        # The operands of one of several classes that branches at hand ask for theirs.
        self.asked_here: list[Operand] = []
        # What changes in place do; None where the operations are values only already.
        self.places: Places | None = None
        # In the latter case, what was changed in place, so that another value stands for it.
        self._consumed: set[Operand] = set()
        self.updates: tuple[int, ...] = ()
        self.effects: list[Effect] = []
        self.spoiled: tuple[int, ...] = ()
        self.held_inputs: tuple[int, ...] = ()
        self.lent_inputs: tuple[int, ...] = ()
        self.returned: Returned = None
        # The contents of all objects, where the function takes them (`ir.heap`).
        self.heap: Value | None = None
        self.works_on_objects = False
        # Whether it gives objects to what isn't written in Python, and doesn't take their contents.
        self.takes_apart = False
        # Whether it reads what is stored in an object of a class that is known.
        self.reads_objects = False
        # The user's classes of which it makes objects, without the heap, and exceptions.
        self.classes_made: set[type] = set()
        # The classes that each `except` clause catches, by the exception that its handler gets.
        self.caught: dict[Value, tuple[Any, ...]] = {}
        # The exceptions that are handled around the operation at hand.
        self.handling: list[Value] = []
        # The call whose error is to be a value (`ir.catching`).
        self.attempting: Attempting | None = None
        # Whether it is code of the user's: no rule, and no adjoint.
        self.is_of_user = True
        self.is_generated = False
        self.cuts = Cuts()
        # Changes behind which pieces would have to be cut again.
        self.missed: frozenset[Op] = frozenset()
        # Calls by the one of the source that they were made for; calls of functions that either
        # fail or make their changes.
        self._at: Op | None = None
        # Whether several operations are appended in its place (`ir.inference.standing_in`).
        self.is_standing_in = False
        # The call of the source that is typed, and what its operands are here.
        self.copied: tuple[Call, Mapping] | None = None
        self._made_for: dict[Op, Op] = {}
        self._at_once: set[Op] = set()
        # The operations of the source that change something, and whether one fails behind that.
        self.changes: frozenset[Op] = frozenset()
        self.may_fail_midway = False

    def _latest(self, operand: Operand, op: Op) -> Operand:
        if self.places is None:
            return operand
        return self.places.read(operand, self.place or op.loc or self.loc)

    def _define(self, op: Op) -> None:
        self.ops.append(op)
        if self._at is not None and isinstance(op, Call):
            self._made_for[op] = self._at
        for value in op.results:
            self.definitions[value] = op
            if self.places is not None:
                self.places.state.born[value] = None
                self.places.fresh(value)
        if isinstance(op, Call):
            if self.places is not None:
                self.places.defined(op)
            else:
                self._consumed.update(changed_by(op))
                # These may change what they are given.
                if not isinstance(op.callee, Const) or facts.may_change_unseen(op.callee.value):
                    self._consumed.update(self._with_items([*op.args, *op.kwargs.values()]))

    def typed_call(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        raise AssertionError("given by TypedCalls")

    # What is known of operands

    def parts(self, operand: Operand) -> list[Operand] | None:
        """The items of a tuple or list that was built from them just before."""
        if isinstance(operand, Const) and type(operand.value) is tuple:
            return [Const(item) for item in operand.value]
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                return list(op.args)
            if op.callee.value is primitives.build_list and self._is_as_built(op):
                return list(op.args)
            if op.callee.value is derived and is_named_tuple(class_of(type_of(operand))):
                return self.parts(op.args[1])
        return None

    def _is_as_built(self, made: Call) -> bool:
        """Whether no call may have changed a list or dict, and its items are known by the names
        that it was built from."""
        if self.places is not None:
            return made.result not in self.places.state.lent
        return self._consumed.isdisjoint([*made.args, *made.results])

    def _with_items(self, operands: list[Operand]) -> list[Operand]:
        """Operands, and what the displays among them, and in these, were built from."""
        found = list(operands)
        for operand in operands:
            op = self.definitions.get(operand) if isinstance(operand, Value) else None
            if isinstance(op, Call) and isinstance(op.callee, Const) and (
                op.callee.value in (primitives.build_tuple, primitives.build_list)
            ):
                found += self._with_items(op.args)
        return found

    def is_tuple(self, operand: Operand) -> bool:
        return isinstance(type_of(operand), Tuple)

    def keywords(self, operand: Operand) -> dict[str, Operand] | None:
        """The items of a dict with literal string keys that was built just before."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return None
        if op.callee.value is not primitives.build_dict or not self._is_as_built(op):
            return None
        names, values = literal_keys(op.args[::2]), op.args[1::2]
        if names is None:
            return None
        return dict(zip(names, values, strict=True))

    def current_heap(self, loc: Location | None) -> Value:
        """The version of the heap that holds what objects hold here."""
        if self.heap is None or self.places is None:
            raise NeedsHeap(
                "this works on objects, in a function that is differentiated more than once", loc,
                advice="let it work on numbers, arrays and containers",
            )
        return self.places.latest(self.heap)

    def _result_type(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Type:
        arg_types = tuple(map(type_of, args))
        kwarg_types = {name: type_of(arg) for name, arg in kwargs.items()} if kwargs else {}
        callee_type = type_of(callee)
        if isinstance(callee_type, Known):
            result_of = facts.result_of(callee_type.value)
            if result_of is not None:
                found = result_of(arg_types, kwarg_types)
                is_unknown = isinstance(found, Top) and facts.is_pure(callee_type.value)
                return BOTTOM if is_unknown and _is_missing(args) else found
        if isinstance(callee_type, Known | Closure):
            return self.surroundings.call_type(callee_type, arg_types, kwarg_types)
        return TOP

    def _fold_constants(
        self, callee: Any, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Const | None:
        """The value of a pure call of literals, where it is a literal again."""
        if kwargs or not args or not facts.is_pure(callee):
            return None
        values = []
        for arg in args:
            if not isinstance(arg, Const) or not is_literal(arg.value):
                return None
            values.append(arg.value)
        try:
            value = callee(*values)
        except Exception:  # it will be raised when the program runs
            return None
        small = not isinstance(value, str | tuple | bytes) or len(value) < MAX_FOLDED_SIZE
        big_int = type(value) is int and abs(value) > 2**64
        return Const(value) if is_literal(value) and small and not big_int else None

    def _asking_nothing(
        self, callee: Const, args: list[Operand], name: str, loc: Location | None
    ) -> Operand | None:
        """Appends a call that looks up a name in a module, or is of numbers and arrays, which most
        are: about these there is nothing to ask. None for other calls."""
        value = callee.value
        is_lookup = _is_lookup(value, args)
        if not is_lookup and (
            (self.places is not None and self.heap is not None)
            or not self.surroundings.is_arithmetic(value, [type_of(arg) for arg in args])
        ):
            return None
        special = special_of(value)
        if special is not None:
            folded = special(cast("TypedCalls", self), args, {}, [name], loc)
            if folded is not None:
                return folded[0]
        return None if is_lookup else self._arithmetic(callee, args, name, loc)

    def _arithmetic(
        self, callee: Const, args: list[Operand], name: str, loc: Location | None
    ) -> Operand:
        """Appends a call of numbers and arrays, unless it folds to something known."""
        value = callee.value
        constant = self._fold_constants(value, args, {})
        if constant is not None:
            return constant
        fold = facts.fold_of(value)
        if fold is not None:
            simpler = fold(Call(callee, args, {}, [Value(name)], loc))
            if isinstance(simpler, Call):
                return self.typed_call(
                    simpler.callee, simpler.args, simpler.kwargs, [name], loc
                )[0]
            if simpler is not None:
                return cast(Operand, simpler)
        made = Value(name, self._result_type(callee, args, {}))
        self._define(Call(callee, args, {}, [made], loc))
        if isinstance(made.type, Known):
            self.ops.pop()
            return Const(made.type.value)
        return made


def _is_lookup(callee: object, args: list[Operand]) -> bool:
    """Whether a call asks a module for a name."""
    if callee is primitives.load_global:
        return True
    if callee is not getattr or len(args) != 2 or type(args[0]) is not Const:
        return False
    return isinstance(args[0].value, ModuleType)


def _is_missing(args: list[Operand]) -> bool:
    """Whether one of the operands is never there, as far as is known by now."""
    return any(type(arg) is Value and arg.type == BOTTOM for arg in args)


def known_operand(operand: Operand) -> Operand:
    """A value whose type says which object it is, as a constant."""
    if type(operand) is Value and isinstance(operand.type, Known):
        return Const(operand.type.value)
    return operand
