"""Abstract interpretation: a copy of a function for given argument types, with a type everywhere.

    f(x: float, flag: =True)             f(x: float)
        t_1 = truth(flag)                    t_1: float = math.sin(x)
        if t_1: ... load_global('math')      return t_1

On the way, what types decide is decided: callees that are found through globals, modules and
methods become constants, branches on known conditions disappear, tuples are taken apart. A loop is
run again until the types that it carries cover what its body yields.
"""

from __future__ import annotations

import operator
import types
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from ir import facts, primitives
from ir.binding import CannotBind, bind
from ir.builder import Builder
from ir.closures import Maker
from ir.contents import holds_memory
from ir.core import (
    Block,
    Branch,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    guarded,
    type_of,
)
from ir.errors import NeedsHeap, Unsupported
from ir.failing import Cuts, changes_of, may_fail, may_lose_changes
from ir.heap import HEAP_NAME, is_heap, new_object
from ir.loop_memory import LoopMemory
from ir.places import (
    NEW,
    SHALLOW,
    UNPACKING,
    Effect,
    ItemChanged,
    Places,
    Returned,
    State,
    is_mutable,
)
from ir.primitives import UNBOUND
from ir.record import record
from ir.rewrite import Mapping, clone_exit, count_uses, defined
from ir.special_attributes import bound_method
from ir.special_calls import is_literal, literal_keys, special_of
from ir.steps import consumed, loop_by_steps, settled_operands, stepping
from ir.types import (
    BOTTOM,
    TOP,
    Bottom,
    Closure,
    Instance,
    Iterator,
    Known,
    Raised,
    Scalar,
    Sequence,
    Top,
    Tuple,
    Type,
    Union,
    class_of,
    join,
    join_all,
    widen,
)

IN_PLACE = {
    getattr(operator, f"i{plain.__name__.strip('_')}"): plain
    for plain in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
        operator.mod, operator.pow, operator.matmul, operator.lshift, operator.rshift,
        operator.and_, operator.or_, operator.xor,
    )
}
_PLAIN = {id(in_place): plain for in_place, plain in IN_PLACE.items()}
IMMUTABLE = (Scalar, Tuple)
VALUES, ITEMS = (dict.values, OrderedDict.values), (dict.items, OrderedDict.items)
MAX_ROUNDS = 8
# What a catching variant returns, if nothing is known of it: the error, or None, and the value.
PAIR = Tuple((Raised(), TOP))
# Makes a branch of its two arms and its results.
MakeBranch: TypeAlias = Callable[[Block, Block, list[Value]], Branch]
MAX_INLINED = 12
MAX_FOLDED_SIZE = 1000


@record
class Inlinable:
    """A function that may be inlined: its IR and the values of its defaults."""

    source: Function
    defaults: tuple[Any, ...]
    kwdefaults: dict[str, Any]
    is_own: bool  # part of a rule, so that its operations stand where the rule's do


@record
class Member:
    """What an attribute is where it is read, and how it is stored.

    `kind` is stored (in the object), computed (by `getter`), method, static or of class (the
    function `getter`), unknown (any of these, or no object of the user's), or other (no object of
    the user's). `store` is plain (into the object), computed (by `setter`) or unknown, where the
    class has no `__setattr__` of its own, which is the `hook`.
    """

    kind: str
    getter: Any = None
    store: str = "unknown"
    setter: Any = None
    hook: Any = None
    # Whether `del` does no more than to take it out of the object.
    is_plainly_deleted: bool = False


class Attempting:
    """A call whose error is to be a value: the error, once it is known."""

    def __init__(self) -> None:
        self.error: Operand | None = None


@record
class Constructor:
    """How an object is made: without contents, then by `init`, if there is one."""

    init: Any


class Surroundings(Protocol):
    """What inference asks of its caller."""

    def global_type(self, module_globals: dict[str, Any], name: str) -> Type:
        """The type of a global or builtin; whoever answers sees to it that it stays true."""

    def attribute_type(self, owner: object, name: str) -> Type:
        """The type of an attribute of a module or class."""

    def is_assigned(self, owner: object, name: str) -> bool:
        """Whether the program stores into an attribute of a class."""

    def note_assigned(self, owner: object, name: str, type_: Type) -> None:
        """Notes a store into a global, in the dict `owner`, or into an attribute of a class."""

    def is_class_store(self, cls: type, name: str) -> bool:
        """Whether `cls.name = value` does no more than to replace a plain value."""

    def call_type(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Type:
        """The type of a call of a Python function."""

    def check_call(
        self,
        inference: Inference,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> None:
        """Raises `Unsupported` for a call behind which types would not hold; asked where changes in
        place are not followed."""

    def expanded(
        self,
        inference: Inference,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> Operand | None:
        """The result of a call that stands for other operations, which are appended."""

    def inlinable(self, callee: object) -> Inlinable | None:
        """The code of a function whose calls are to be replaced by its body, if it is straight."""

    def updated(
        self, inference: Inference, callee: Operand, args: list[Operand],
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

    def note_store(self, owner: Type | None, name: str, type_: Type) -> None:
        """Notes a store into an object; with None, one into an unknown object."""

    def note_lookup(self, cls: type | None, name: str) -> None:
        """Sees to it that a name means in a class what it means now."""

    def is_of_class(self, cls: type | None, name: str) -> bool:
        """Whether no object of a class hides what the class itself has under a name."""

    def above(self, cls: type, below: type, name: str) -> Any:
        """The Python function of this name that a class has above another one in its order."""

    def operator_method(self, callee: object, types: tuple[Type, ...]) -> Any:
        """The method of an object's class that an operator is certain to call, with the operands
        as they are."""

    def iterated(self, callee: object, types: tuple[Type, ...]) -> list[tuple[int, Any]]:
        """The operands of a call that are objects which it iterates over, each with the method
        that is certain to be asked for the items, or None. `callee` is None for a loop."""

    def step_of(self, iterator: Type) -> Any:
        """The function that gives the next step of an iterator which is an object; or None."""

    def may_step(self, iterable: Type) -> bool:
        """Whether an iterable about which little is known may be such an iterator, or give one."""

    def iterator_class(self, items: Type, loc: Location | None) -> Any:
        """The class of the iterators over such a sequence that a place of the program makes."""

    def consumer(self, callee: object, types: tuple[Type, ...]) -> Any:
        """The Python function that does what a built-in one does with such iterators; or None."""

    def unsettled(self, callee: object, types: tuple[Type, ...]) -> list[int]:
        """The operands that may be such iterators, of a call that takes all of their items."""

    def called_method(self, type_: Type) -> Any:
        """The function that is certain to run where an object of a type is called, or None."""

    def may_change_objects(self) -> bool:
        """Whether this program may store into objects."""

    def may_change_held(self) -> bool:
        """Whether memory that objects hold may be changed in place in this program."""

    def note_change_of_held(
        self, owner: Type | None, name: str, type_: Type, keeps_type: bool
    ) -> None:
        """Notes that memory which an object holds is changed in place, and its type behind that."""

    def note_change_of_given(self, type_: Type) -> None:
        """The same for a container which this function has put into objects itself."""

    def held_operands(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> list[Operand]:
        """The arguments of a call that objects may hold behind it."""

    def changed_type(self, type_: Type) -> Type:
        """The type of memory that an object may have changed in place meanwhile."""

    def unless_held(self, value: Any) -> None:
        """Raises, when the program runs, if an object holds memory that is changed."""

    def constructor(self, cls: type) -> Constructor | None:
        """How objects of a class are made, if it is one of those whose objects are places."""

    def written_view(self, items: Any, view: Any, part: Any, *args: Any) -> Any:
        """`primitives.written_view` that raises, when the program runs, for what is no view."""

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

    def effects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> list[Effect]:
        """What a call does to the elements of the inputs that it changes in place."""


class Inference(Builder):
    """Builds the typed copy: appended operations are typed, resolved and folded at once."""

    def __init__(self, surroundings: Surroundings, module_globals: dict[str, Any]) -> None:
        super().__init__()
        self.surroundings = surroundings
        self.globals = module_globals
        # The globals that generated code runs in; inlined code may come from another module.
        self.home = module_globals
        self.definitions: dict[Value, Op] = {}
        self.methods: dict[Value, tuple[Const, Operand]] = {}
        # The last branch or loop that was begun: where what a block ends with is read.
        self._statement: Location | None = None
        self._source: Block | None = None
        # Code that is inlined into other code takes its place there.
        self.place: Location | None = None
        self._inlining: list[object] = []
        # What changes in place do; None where the operations are values only already.
        self.places: Places | None = None
        self.updates: tuple[int, ...] = ()
        self.effects: list[Effect] = []
        self.spoiled: tuple[int, ...] = ()
        self.held_inputs: tuple[int, ...] = ()
        self.returned: Returned = None
        # The contents of all objects, where the function takes them (`ir.heap`).
        self.heap: Value | None = None
        self.works_on_objects = False
        # Whether it reads what is stored in an object of a class that is known.
        self.reads_objects = False
        # The call whose error is to be a value (`ir.catching`).
        self.attempting: Attempting | None = None
        self.cuts = Cuts()
        # Changes behind which pieces would have to be cut again.
        self.missed: frozenset[Op] = frozenset()
        # Calls by the one of the source that they were made for; calls of functions that either
        # fail or make their changes.
        self._at: Op | None = None
        self._made_for: dict[Op, Op] = {}
        self._at_once: set[Op] = set()
        # The operations of the source that change something, and whether one fails behind that.
        self.changes: frozenset[Op] = frozenset()
        self.may_fail_midway = False

    # Blocks

    def function(
        self, function: Function, params: list[Type], captured: list[Type]
    ) -> tuple[Function, Type]:
        """The typed copy of a function and the type of what it returns."""
        mapping: Mapping = {}
        places = self.places = Places(self)
        new_captured = [self._param(v, t, mapping) for v, t in
                        zip(function.captured, captured, strict=True)]
        new_params = [self._param(v, t, mapping) for v, t in
                      zip(function.params, params, strict=True)]
        places.inputs.update(dict.fromkeys([*new_captured, *new_params]))
        self.heap = next((param for param in new_params if param.name == HEAP_NAME), None)
        places.state.born.update(places.inputs)
        places.held.expose([*new_captured, *new_params])
        body = self.inner_block(function.body, [], mapping)
        body.ops[:0] = places.entry
        changes = changes_of(body, places)
        self.changes = self._in_source(changes)
        self.may_fail_midway = may_lose_changes(body, changes, self._at_once)
        self.updates = self._finish_updates(places, [*new_captured, *new_params], body)
        result = type_of(body.exit.values[0]) if isinstance(body.exit, Yield) else BOTTOM
        typed = Function(
            function.name, new_params, new_captured, body, function.loc, function.signature,
            function.defaults, function.kwdefaults, function.globals, function.code,
            function.docstring,
        )
        return typed, result

    def release(self) -> None:
        """Has what was only needed on the way freed at once: it refers to this in turn."""
        if self.places is not None:
            self.places.release()
            self.places = None

    def _in_source(self, ops: set[Op]) -> frozenset[Op]:
        """The operations of the source that these were made for."""
        found: set[Op] = set()
        for op in ops:
            op = self._made_for.get(op, op)
            while op in self.cuts.made_for:
                op = self.cuts.made_for[op]
            found.add(op)
        return frozenset(found)

    def _finish_updates(
        self, places: Places, inputs: list[Value], body: Block
    ) -> tuple[int, ...]:
        """Lets a function that changes inputs in place return their last versions too."""
        self.ops, outer = body.ops, self.ops
        finals = {value: places.latest(value) for value in inputs if places.is_written(value)}
        self.ops = outer
        self.spoiled = tuple(
            i for i, value in enumerate(inputs)
            if value not in finals and holds_memory(value.type) and places.is_spoiled(value)
        )
        given = places.held.given
        self.held_inputs = tuple(i for i, v in enumerate(inputs) if places.storage(v) in given)
        updates = tuple(i for i, value in enumerate(inputs) if value in finals)
        self.effects = [places.effect(inputs[i]) for i in updates]
        if isinstance(body.exit, Yield):
            self.returned = places.returned(body.exit.values[0], inputs)
        if updates and isinstance(body.exit, Yield):
            parts = [*body.exit.values, *finals.values()]
            whole = Value("t", Tuple(tuple(map(type_of, parts))))
            body.ops.append(Call(Const(primitives.build_tuple), list(parts), {}, [whole]))
            body.exit.values = [whole]
        return updates

    def _param(self, value: Value, type_: Type, mapping: Mapping) -> Value:
        new = Value(value.name, type_)
        mapping[value] = Const(type_.value) if isinstance(type_, Known) else new
        return new

    def inner_block(self, block: Block, params: list[Value], mapping: Mapping) -> Block:
        """A typed copy of a block, with new parameters."""
        outer, self.ops = self.ops, []
        mapping = {**mapping, **dict(zip(block.params, params, strict=True))}
        exit = self.inline(block, mapping)
        done, self.ops = Block(params, self.ops, exit), outer
        return done

    def inline(self, block: Block, mapping: Mapping) -> Yield | Raise:
        """Appends the operations of a block; gives its exit, in terms of what was appended."""
        outer, self._source = self._source, block
        try:
            for op in block.ops:
                if not isinstance(op, Call):
                    self._statement = op.loc or self._statement
                if self.op(op, mapping) is not None:
                    return Raise(None, None)
        finally:
            self._source = outer
        exit = clone_exit(block.exit, mapping)
        if self.places is not None and self.places.is_watching and isinstance(exit, Yield):
            loc = self.loc or self._statement
            exit.values = [self.places.read(value, loc) for value in exit.values]
        return exit

    def op(self, op: Op, mapping: Mapping) -> Raise | None:
        """Appends the typed copy of an operation; gives an exit where nothing comes behind it."""
        if isinstance(op, Call):
            self._copy_call(op, mapping)
            return None

        def new(operand: Operand) -> Operand:
            return mapping.get(operand, operand) if isinstance(operand, Value) else operand

        match op:
            case If():
                return self._branch(op, new(op.cond), mapping)
            case Try() if self._cannot_fail(op, mapping):
                rest = op.body.ops[len(guarded(op)) + 1 :]
                exit = self.inline(Block([], rest, op.body.exit), mapping)
                if isinstance(exit, Raise):
                    self._always_raised(op, exit, mapping)
                    return None
                mapping.update(zip(op.results, exit.values, strict=True))
            case Try():
                return self._attempt(op, mapping)
            case For():
                iterables = [self._latest(new(i), op) for i in op.iterables]
                if self.places is not None:
                    iterables = self._items_of_objects(None, iterables, op.loc)
                self._for(op, iterables, [self._latest(new(i), op) for i in op.init], mapping)
            case While():
                self._while(op, [self._latest(new(i), op) for i in op.init], mapping)
            case Lambda():
                self._lambda(op, new, mapping)
        return None

    def _attempt(self, op: Try, mapping: Mapping) -> Raise | None:
        """Appends a `Try`; in pieces where its body may change something, and fail then."""
        catches = [
            _known(mapping.get(cls, cls) if isinstance(cls, Value) else cls) for cls in op.catches
        ]
        mark, tried = len(self.ops), dict(mapping)
        state = dict(self.definitions), dict(self.methods)
        memory = self.places.state.copy() if self.places is not None else None
        lost = self._merge_arms(op, tried, lambda body, handler, results: Try(
            body, handler, catches, results, op.loc
        ))
        found = self._in_source(lost)
        if op in self.cuts.pieces:
            self.missed |= found
        if not lost or op in self.cuts.pieces:
            mapping.update(tried)
            return None
        assert self.places is not None and memory is not None
        from ir.catching import cut_try  # few functions need it

        outer = self.missed
        while True:
            del self.ops[mark:]
            self.definitions, self.methods = dict(state[0]), dict(state[1])
            self.places.state = memory.copy()
            tried, self.missed = dict(mapping), frozenset()
            exits = [self.op(piece, tried) for piece in cut_try(op, found, self.cuts)]
            if self.missed <= found:
                break
            found |= self.missed
        self.missed = outer
        mapping.update(tried)
        return next(filter(None, exits), None)

    def _latest(self, operand: Operand, op: Op) -> Operand:
        if self.places is None:
            return operand
        return self.places.read(operand, self.place or op.loc or self.loc)

    def _copy_call(self, op: Call, mapping: Mapping) -> None:
        if not self._inlining:
            self._at = op
        new: Any = mapping.get  # which has no constants
        args = [new(arg, arg) for arg in op.args]
        kwargs = {name: new(arg, arg) for name, arg in op.kwargs.items()} if op.kwargs else {}
        loc = self.place or op.loc or self.loc
        callee = new(op.callee, op.callee)
        if len(op.results) == 1:
            (value,) = op.results
            decided = None
            if not kwargs and isinstance(callee, Const):
                decided = self._decided(callee, args, value, loc)
            if decided is None:
                (made,) = self.typed_call(callee, args, kwargs, [value.name], loc)
            else:
                made = decided
            mapping[value] = made
            if value.type is not TOP and isinstance(made, Value) and made.type == TOP:
                made.type = value.type  # what a pass knew that typed it before
            return
        names = [value.name for value in op.results]
        results = self.typed_call(callee, args, kwargs, names, loc)
        for value, made in zip(op.results, results, strict=True):
            mapping[value] = made
            if value.type is not TOP and isinstance(made, Value) and made.type == TOP:
                made.type = value.type  # what a pass knew that typed it before

    def _decided(
        self, callee: Const, args: list[Operand], result: Value, loc: Location | None
    ) -> Operand | None:
        """The value of a call that types make one of its operands, or a constant.

        Most of what rules ask and do is such a call, so this comes before all else.
        """
        decided = _answer(callee.value, args)
        if decided is None and self.places is None:
            fold = facts.fold_of(callee.value)
            simpler = None if fold is None else fold(Call(callee, args, {}, [result], loc))
            return None if isinstance(simpler, Call) else simpler
        return decided

    def _branch(self, op: If, cond: Operand, mapping: Mapping) -> Raise | None:
        if isinstance(cond, Const):
            chosen = op.then if cond.value else op.orelse
            inner = dict(mapping)
            exit = self.inline(chosen, inner)
            if isinstance(exit, Raise):
                self._always_raised(op, exit, mapping)
            else:
                mapping.update(zip(op.results, exit.values, strict=True))
            return None
        self._merge_arms(
            op, mapping, lambda then, orelse, results: If(cond, then, orelse, results, op.loc)
        )
        return None

    def _always_raised(self, op: Branch, exit: Raise, mapping: Mapping) -> None:
        """Nothing behind this point runs; a branch that always raises says so."""
        last = Block([], [], exit)
        self.ops.append(If(Const(True), last, Block([], [], exit), [], op.loc))
        mapping.update((value, Const(UNBOUND)) for value in op.results)

    def _cannot_fail(self, op: Try, mapping: Mapping) -> bool:
        """Appends what a `Try` guards, if types tell that it raises nothing."""
        first = guarded(op)
        if len(first) == len(op.body.ops):
            return False
        mark, tried = len(self.ops), dict(mapping)
        state = dict(self.definitions), dict(self.methods)
        memory = self.places.state.copy() if self.places is not None else None
        if self._inline_unless_failing(Block([], first, Yield([])), tried):
            mapping.update(tried)
            return True
        del self.ops[mark:]
        self.definitions, self.methods = state
        if self.places is not None and memory is not None:
            self.places.state = memory
        return False

    def _inline_unless_failing(self, block: Block, mapping: Mapping) -> bool:
        """Appends the operations of a block up to one that may fail; whether there was none."""
        outer, self._source = self._source, block
        try:
            for op in block.ops:
                mark = len(self.ops)
                if not isinstance(op, Call):
                    self._statement = op.loc or self._statement
                if self.op(op, mapping) is not None or any(map(may_fail, self.ops[mark:])):
                    return False
        finally:
            self._source = outer
        return True

    def _merge_arms(
        self, op: Branch, mapping: Mapping, make: MakeBranch
    ) -> set[Op]:
        """Appends a branch with typed arms; `mapping` learns its results.

        Gives the changes of which a failure may lose some.
        """
        blocks, changed, origins, memory, lost = self._arms(op, mapping)
        yields = [block.exit.values for block in blocks if isinstance(block.exit, Yield)]
        results: list[Value] = []
        kept: list[int] = []
        same: dict[Value, Value] = {}
        for i, result in enumerate(op.results):
            operands = [values[i] for values in yields]
            if operands and all(_same(operands[0], other) for other in operands[1:]) and (
                self._is_outer(operands[0], blocks)
            ):
                mapping[result] = operands[0]
                continue
            (origin, *others) = {names[i] for names in origins} or {None}
            if origin is not None and not others:
                same[result] = origin
                continue
            value = Value(result.name, join_all(map(type_of, operands)))
            mapping[result] = value
            results.append(value)
            kept.append(i)
            if self.places is not None:
                self.places.cover(value, [values[i] for values in memory])
        versions = [
            Value(first.name, join_all(type_of(values[len(op.results) + i]) for values in yields))
            for i, first in enumerate(changed)
        ]
        kept += range(len(op.results), len(op.results) + len(changed))
        for values in yields:
            values[:] = [values[i] for i in kept]
        self._define(make(blocks[0], blocks[1], [*results, *versions]))
        for first, version in zip(changed, versions, strict=True):
            assert self.places is not None
            self.places.replace(first, version)
        for result, first in same.items():
            assert self.places is not None
            mapping[result] = self.places.latest(first)
        if self.places is not None:
            for result in results:
                self.places.merged(result)
        return lost

    def _arms(
        self, op: Branch, mapping: Mapping
    ) -> tuple[
        list[Block], list[Value], list[list[Value | None]], list[list[Operand]], set[Op]
    ]:
        """The typed arms of a branch, which also yield the versions of what one of them changes.

        Beside them, for each arm that yields, the first names of the versions that it yields, and
        the memory of what it yields; and the changes of which a failure may lose some.
        """
        places = self.places
        if places is None:
            arms = [
                self.inner_block(block, _like_params(block), mapping) for block in op.blocks
            ]
            return arms, [], [], [], set()
        before = places.state
        start = before.copy()
        blocks: list[Block] = []
        states: list[State] = []
        for block in op.blocks:
            places.state = before.copy()
            blocks.append(self.inner_block(block, _like_params(block), mapping))
            states.append(places.state)
        lost: set[Op] = set()
        if isinstance(op, Try):
            places.state = states[0]
            lost = self._lost_changes(op, blocks)
        inside = [defined(block) for block in blocks]
        changed: dict[Value, None] = {}
        for block, state, local in zip(blocks, states, inside, strict=True):
            places.state = state
            if state.writes and isinstance(block.exit, Yield):
                changed.update((v, None) for v in places.changed_since(before) if v not in local)
        origins: list[list[Value | None]] = []
        memory: list[list[Operand]] = []
        for block, state, local in zip(blocks, states, inside, strict=True):
            if isinstance(block.exit, Yield):
                places.state = state
                names = [
                    places.origin(v) if isinstance(v, Value) and is_mutable(v.type) else None
                    for v in block.exit.values
                ]
                origins.append([None if name in local else name for name in names])
                # A version made in the arm is a name of older memory that only the arm knows.
                memory.append([
                    places.storage(v) if isinstance(v, Value) and is_mutable(v.type) else v
                    for v in block.exit.values
                ])
                block.exit.values += [
                    state.current.get(v, before.current.get(v, v)) for v in changed
                ]
            places.state = state
            places.leave_arm(before, local, start)
            before = places.state
        return blocks, list(changed), origins, memory, lost

    def _lost_changes(self, op: Try, blocks: list[Block]) -> set[Op]:
        """The changes of a body that its handler would not see, where that goes on.

        Where the body is in pieces already, the handler raises if it comes to that.
        """
        body, handler = blocks
        assert self.places is not None
        changes = changes_of(body, self.places)
        if not isinstance(handler.exit, Yield):
            return set()
        if not may_lose_changes(body, changes, self._at_once):
            return set()
        if op in self.cuts.pieces:
            outer, self.ops = self.ops, handler.ops
            self._append(
                Const(self.surroundings.refuse_lost_changes), [handler.params[0]], {}, ["_"],
                op.loc,
            )
            self.ops = outer
        return changes

    def _is_outer(self, operand: Operand, blocks: list[Block]) -> bool:
        return isinstance(operand, Const) or not any(
            operand in block.params or any(operand in op.results for op in block.ops)
            for block in blocks
        )

    def _define(self, op: Op) -> None:
        self.ops.append(op)
        if self._at is not None and isinstance(op, Call):
            self._made_for[op] = self._at
        for value in op.results:
            self.definitions[value] = op
            if self.places is not None:
                self.places.state.born[value] = None
                self.places.fresh(value)
        if self.places is not None and isinstance(op, Call):
            self.places.defined(op)

    def _for(
        self, op: For, iterables: list[Operand], init: list[Operand], mapping: Mapping
    ) -> None:
        if not op.backwards:
            iterator = stepping(self, iterables, op.loc)
            if iterator is not None:
                loop_by_steps(self, op, iterator, init, mapping)
                return
        iterables, split = self._split_zip(op, iterables)
        items = [facts.item_of(type_of(iterable)) for iterable in iterables]
        names = [f"{value.name}" for value in op.items] if split is None else split

        def params() -> list[Value]:
            return [Value(name, item) for name, item in zip(names, items, strict=True)]

        body = op.body
        if split is not None:
            # `for a, b in zip(x, y)`: the pair is made, to be taken apart again at once.
            parts = [Value(name) for name in names]
            pair = Call(Const(primitives.build_tuple), list(parts), {}, [op.items[0]])
            body = Block([*parts, *op.carried], [pair, *op.body.ops], op.body.exit)
        outer = self.ops, self.places.state.copy() if self.places is not None else None
        definitions, methods = dict(self.definitions), dict(self.methods)
        given = list(init)
        tried: dict[Value, int] = {}

        def items_of_try() -> list[Value]:
            made = params()
            tried.update((value, i) for i, value in enumerate(made))
            return made

        try:
            new_body, results = self._loop(op, body, items_of_try, init, mapping, iterables)
            if self.places is not None and outer[1] is not None:
                position = self.places.changed_iterable(iterables, outer[1], op.loc)
                if position is not None:
                    raise ItemChanged(new_body.params[position])
        except ItemChanged as change:
            position = tried.get(change.item)
            if position is None or self.places is None or op.backwards:
                raise
            self.ops, self.places.state = outer  # type: ignore[assignment]
            self.definitions, self.methods = definitions, methods
            body = Block(list(body.params), list(body.ops), body.exit)
            self._by_position(body, position, iterables, op)
            again = For(iterables, given, body, op.results, False, op.loc)
            self._for(again, iterables, given, mapping)
            return
        if any(is_heap(param) for param in new_body.params):
            self._check_interleaved(iterables, op.loc)
        self._define(For(iterables, init, new_body, results, op.backwards, op.loc))
        if self.places is not None:
            for iterable in iterables:
                self.places.iterated(iterable, op.loc)

    def _check_interleaved(self, iterables: list[Operand], loc: Location | None) -> None:
        """Refuses a loop that changes objects in turns with the functions of its iterator."""
        for iterable in iterables:
            made = self.definitions.get(iterable) if isinstance(iterable, Value) else None
            if not isinstance(made, Call) or not isinstance(type_of(iterable), Iterator):
                continue
            if isinstance(made.callee, Const) and made.callee.value is primitives.updating:
                raise Unsupported(
                    "a loop that changes objects reads an iterator which calls functions that may "
                    "work on objects, too", loc, advice="make a list of its items, and read that",
                )
            self._check_interleaved(made.args, loc)

    def _by_position(
        self, body: Block, position: int, iterables: list[Operand], op: For
    ) -> None:
        """Lets a loop over a sequence walk over positions, and read the items in its body."""
        sequence, item = iterables[position], body.params[position]
        enumerated = self._enumerated(sequence)
        made = self.definitions.get(sequence) if isinstance(sequence, Value) else None
        if enumerated is not None:
            # `for i, x in enumerate(xs)`: the pair is made, to be taken apart again at once.
            sequence, index, part = enumerated, Value("i"), Value("t")
            pair = Call(Const(primitives.build_tuple), [index, part], {}, [item])
            read = Call(Const(operator.getitem), [sequence, index], {}, [part])
            iterables[position] = self.call(range, self.call(len, sequence))
            body.params[position] = index
            body.ops[:0] = [read, pair]
            if len(op.iterables) == 1 and self.is_made_for(op) and made in self.ops:
                self.ops.remove(made)
            return
        if isinstance(made, Call) and self._by_key(body, made, position, iterables):
            return
        if not _has_positions(type_of(sequence)):
            # With the heap, the items may be those of an iterator that goes on by steps.
            refuse = NeedsHeap if self.works_on_objects and self.heap is None else Unsupported
            raise refuse(
                "a loop changes in place what it iterates over", op.loc,
                advice="iterate over the positions, or over a list of the items",
            )
        length = self.call(len, sequence)
        iterables[position] = self.call(range, length)
        index = Value("i")
        body.params[position] = index
        read = Call(Const(operator.getitem), [sequence, index], {}, [item])
        body.ops.insert(0, read)

    def _by_key(
        self, body: Block, made: Call, position: int, iterables: list[Operand]
    ) -> bool:
        """Lets a loop over the values of a mapping, or over its items, walk over the keys."""
        callee = made.callee.value if isinstance(made.callee, Const) else None
        if callee not in VALUES and callee not in ITEMS:
            return False
        mapping, item = made.args[0], body.params[position]
        key, value = Value("key"), item if callee in VALUES else Value("t")
        iterables[position] = mapping
        body.params[position] = key
        body.ops.insert(0, Call(Const(operator.getitem), [mapping, key], {}, [value]))
        if callee in ITEMS:
            body.ops.insert(1, Call(Const(primitives.build_tuple), [key, value], {}, [item]))
        return True

    def _enumerated(self, iterable: Operand) -> Operand | None:
        """What `enumerate` counts, if it has positions and the count starts with zero."""
        op = self.definitions.get(iterable) if isinstance(iterable, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is enumerate:
            if len(op.args) == 1 and not op.kwargs and _has_positions(type_of(op.args[0])):
                return op.args[0]
        return None

    def _split_zip(
        self, op: For, iterables: list[Operand]
    ) -> tuple[list[Operand], list[str] | None]:
        """Iterates over the parts of a `zip` or `enumerate` themselves."""
        if len(iterables) != 1 or op.backwards or not isinstance(iterables[0], Value):
            return iterables, None
        source = self.definitions.get(iterables[0])
        if not isinstance(source, Call) or not isinstance(source.callee, Const):
            return iterables, None
        strict = source.kwargs.get("strict", Const(False))
        is_plain_zip = source.callee.value is zip and source.args and (
            isinstance(strict, Const) and strict.value is False
        )
        if is_plain_zip and self.is_made_for(op) and source in self.ops:
            self.ops.remove(source)
            return list(source.args), [f"{op.items[0].name}" for _ in source.args]
        return iterables, None

    def is_made_for(self, op: For) -> bool:
        """Whether an iterator is made just before the loop, and nobody else reads it."""
        made, block = op.iterables[0], self._source
        assert block is not None and isinstance(made, Value)
        is_near = any(made in other.results for other in block.ops)
        return is_near and count_uses(block)[made] == 1

    def _while(self, op: While, init: list[Operand], mapping: Mapping) -> None:
        body, results = self._loop(op, op.body, list, init, mapping, [])
        self._define(While(init, body, results, op.loc))

    def _loop(
        self,
        op: For | While,
        body: Block,
        make_items: Callable[[], list[Value]],
        init: list[Operand],
        mapping: Mapping,
        iterables: list[Operand],
    ) -> tuple[Block, list[Value]]:
        carried = op.carried
        types = [widen(type_of(operand)) for operand in init]
        memory = LoopMemory(self.places, init) if self.places is not None else None
        for round_number in range(MAX_ROUNDS):
            new_carried = [Value(v.name, t) for v, t in zip(carried, types, strict=True)]
            state = dict(self.definitions), dict(self.methods)
            items = make_items()
            if memory is not None:
                memory.enter(items, iterables, new_carried)
            new_body = self.inner_block(body, [*items, *new_carried], mapping)
            exit = new_body.exit
            yields = exit.values if isinstance(exit, Yield) else None
            if self.places is not None and yields is not None:
                self.places.collect(yields[1 + len(carried) :])
            is_settled = memory is None or memory.is_settled(new_body, new_carried, op.loc)
            found = types if yields is None else [
                join(t, widen(type_of(value)))
                for t, value in zip(types, yields[1:], strict=False)
            ]
            if found == types and is_settled:
                break
            types = [TOP] * len(types) if round_number == MAX_ROUNDS - 2 else found
            self.definitions, self.methods = state
        else:
            raise Unsupported(
                "a loop changes something in place that has other names in each iteration", op.loc,
                advice="change a copy, or use one name for it",
            )
        results = [Value(r.name, t) for r, t in zip(op.results, types, strict=False)]
        for i, result in enumerate(op.results[len(carried) :], start=1 + len(carried)):
            item = BOTTOM if yields is None else widen(type_of(yields[i]))
            results.append(Value(result.name, Sequence(list, item)))
        mapping.update(zip(op.results, results, strict=True))
        if memory is not None:
            collected = [] if yields is None else yields[1 + len(carried) : 1 + len(op.results)]
            memory.leave(new_body, init, results, len(carried), list(collected))
        return new_body, results

    def _lambda(self, op: Lambda, new: Callable[[Operand], Operand], mapping: Mapping) -> None:
        captures = [self._latest(new(operand), op) for operand in op.captures]
        defaults = [self._latest(new(operand), op) for operand in op.defaults]
        kwdefaults = {
            name: self._latest(new(operand), op) for name, operand in op.kwdefaults.items()
        }
        type_ = Closure(
            op.function,
            op.function.globals,
            tuple(widen(type_of(o)) if not _is_static(o) else type_of(o) for o in captures),
            tuple(map(type_of, defaults)),
            tuple((name, type_of(operand)) for name, operand in kwdefaults.items()),
        )
        result = Value(op.result.name, type_)
        mapping[op.result] = result
        made = Lambda(op.function, captures, defaults, kwdefaults, result, op.loc)
        self._define(made)
        if self.places is not None:
            self.places.captured(made)

    # What is known of operands

    def parts(self, operand: Operand) -> list[Operand] | None:
        """The items of a tuple or list that was built from them just before."""
        if isinstance(operand, Const) and type(operand.value) is tuple:
            return [Const(item) for item in operand.value]
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                return list(op.args)
            if op.callee.value is primitives.build_list and not self._is_lent(op.result):
                return list(op.args)
        return None

    def _is_lent(self, made: Value) -> bool:
        """Whether a list or dict was passed to a call that may have changed it."""
        return self.places is not None and made in self.places.state.lent

    def is_tuple(self, operand: Operand) -> bool:
        return isinstance(type_of(operand), Tuple)

    def keywords(self, operand: Operand) -> dict[str, Operand] | None:
        """The items of a dict with literal string keys that was built just before."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return None
        if op.callee.value is not primitives.build_dict or self._is_lent(op.result):
            return None
        names, values = literal_keys(op.args[::2]), op.args[1::2]
        if names is None:
            return None
        return dict(zip(names, values, strict=True))

    # Calls

    def call(  # type: ignore[override]
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
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; gives an operand for each result."""
        places = self.places
        if type(callee) is Const and callee.value is primitives.attempt:
            return self._attempted(args[0], args[1:], kwargs, names[1], loc)
        if places is not None and places.is_watching:
            is_apart = type(callee) is Const and callee.value in UNPACKING
            args = [
                arg if is_apart and places.parts(arg) else places.read(arg, loc) for arg in args
            ]
            kwargs = {name: places.read(arg, loc) for name, arg in kwargs.items()}
        if type(callee) is not Const or callee.value is not primitives.check_bound:
            # What a variable is where it is bound doesn't tell whether it is.
            args = [_known(arg) if type(arg) is Value else arg for arg in args]
        kwargs = {name: _known(arg) for name, arg in kwargs.items()} if kwargs else {}
        if type(callee) is Value:
            callee = _known(callee)
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
        if type(callee) is not Const:
            return self._append(callee, args, kwargs, names, loc)
        value = callee.value
        if isinstance(value, Maker):
            return self._make(value, args, kwargs, names, loc)
        if places is not None and args and isinstance(type_of(args[0]), Instance):
            types_ = tuple(map(type_of, args))
            method = None if kwargs else self.surroundings.operator_method(value, types_)
            if method is not None:
                return self.typed_call(Const(method), args, {}, names, loc)
        if places is not None and (self.heap is not None or not self.works_on_objects):
            args = self._items_of_objects(value, args, loc)
            try:
                consumer = self.surroundings.consumer(value, tuple(map(type_of, args)))
            except Unsupported as error:
                raise Unsupported(error.what, loc, error.why, error.advice) from None
            if consumer is not None:
                return consumed(self, consumer, args, kwargs, names, loc)
            if self.heap is not None:
                args = settled_operands(self, value, args, loc)
        special = special_of(value)
        if special is not None:
            folded = special(self, args, kwargs, names, loc)
            if folded is not None:
                return folded
        plain = _PLAIN.get(id(value))
        if plain is not None and _is_immutable(widen(type_of(args[0]))):
            callee, value = Const(plain), plain
        if len(names) != 1:
            # For what it refuses: what it gives is one value.
            self.surroundings.expanded(self, callee, args, kwargs, loc)
            return self._append(callee, args, kwargs, names, loc)
        constant = self._fold_constants(value, args, kwargs)
        if constant is not None:
            return [constant]
        expanded = self.surroundings.expanded(self, callee, args, kwargs, loc)
        if expanded is not None:
            return [expanded]
        if self.heap is not None and isinstance(value, type):
            constructor = self.surroundings.constructor(value)
            if constructor is not None:
                return [self._construct(callee, constructor, args, kwargs, names[0], loc)]
        if isinstance(value, types.FunctionType):
            inlined = self._inline_call(value, args, kwargs, names, loc)
            if inlined is not None:
                return inlined
        return self._append(callee, args, kwargs, names, loc)

    def _items_of_objects(
        self, callee: object, operands: list[Operand], loc: Location | None
    ) -> list[Operand]:
        """The operands of a call or loop, with the iterators of objects in their place."""
        found = self.surroundings.iterated(callee, tuple(map(type_of, operands)))
        if not found:
            return operands
        self.works_on_objects = True
        if self.heap is None:
            return operands
        operands = list(operands)
        for i, method in found:
            if method is None and self.surroundings.may_step(type_of(operands[i])):
                continue  # see `ir.steps`
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
        """A class method or static method that is looked up in its class."""
        found = self.surroundings.member(Instance(owner.value), name)
        if found.kind not in ("static", "of class"):
            return None
        self.surroundings.note_lookup(owner.value, name)
        if found.kind == "static":
            return [Const(found.getter)]
        return bound_method(self, found.getter, owner, [owner, Const(name)], names, loc)

    def _of_super(self, owner: Operand, name: str) -> tuple[Any, Operand] | None:
        """The function that `super(cls, obj).name` is a method of, and the object."""
        op = self.definitions.get(owner) if isinstance(owner, Value) else None
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return None
        if op.callee.value is not super or len(op.args) != 2:
            return None
        first, obj = op.args
        cls = obj.value if isinstance(obj, Const) else class_of(type_of(obj))
        if not isinstance(first, Const) or not isinstance(cls, type):
            return None
        function = self.surroundings.above(cls, first.value, name)
        return None if function is None else (function, obj)

    def _construct(
        self,
        cls: Const,
        constructor: Constructor,
        args: list[Operand],
        kwargs: dict[str, Operand],
        name: str,
        loc: Location | None,
    ) -> Operand:
        """Makes an object as `cls(*args, **kwargs)` does."""
        made = Value(name, Instance(cls.value))
        self._define(Call(Const(new_object), [cls], {}, [made], loc))
        if constructor.init is not None:
            self.typed_call(Const(constructor.init), [made, *args], kwargs, ["_"], loc)
        elif args or kwargs:
            self._append(Const(object.__init__), [made, *args], kwargs, ["_"], loc)
        return made

    def _inline_call(
        self,
        callee: types.FunctionType,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> list[Operand] | None:
        """The result of a call in terms of the callee's own operations, where these are straight.

        Where the types leave a branch open, the call stays, with the type found on the way.
        """
        if len(self._inlining) > MAX_INLINED or callee in self._inlining:
            return None
        code = self.surroundings.inlinable(callee)
        if code is None or (self.attempting is not None and not code.is_own):
            return None
        state = self.ops, self.globals, self.place
        known = len(self.definitions), len(self.methods)
        self.ops, self.globals = [], code.source.globals
        self.place = (self.place or loc) if code.is_own else self.place
        self._inlining.append(callee)
        try:
            bound = bind(
                code.source, args, kwargs, list(map(Const, code.defaults)),
                {name: Const(value) for name, value in code.kwdefaults.items()},
                lambda items: self.call(primitives.build_tuple, *items),
                self._make_dict,
            )
            mapping = dict(zip(code.source.params, bound, strict=True))
            exit = self.inline(code.source.body, mapping)
            inlined = self.ops
        except CannotBind:
            return None
        finally:
            self._inlining.pop()
            self.ops, self.globals, self.place = state
        if isinstance(exit, Yield) and all(isinstance(op, Call) for op in inlined):
            result = exit.values[0]
            if isinstance(result, Value) and result.name == "t":
                result.name = names[0]
            self.ops += inlined
            return [result]
        # What was defined there is not kept: it came last.
        while len(self.definitions) > known[0]:
            self.definitions.popitem()
        while len(self.methods) > known[1]:
            self.methods.popitem()
        if not code.is_own:
            return None
        result_type = widen(type_of(exit.values[0])) if isinstance(exit, Yield) else BOTTOM
        made = Value(names[0], result_type)
        self._define(Call(Const(callee), args, kwargs, [made], loc))
        return [made]

    def _make_dict(self, items: Any) -> Operand:
        pairs = [part for name, value in items.items() for part in (Const(name), value)]
        return self.call(primitives.build_dict, *pairs)

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
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
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
        if self.places is not None and not (self.heap is None and self.works_on_objects):
            if HEAP_NAME not in kwargs and self._calls_for_objects(callee, args, kwargs, loc):
                self.works_on_objects = True
                if self.heap is not None:
                    kwargs = {**kwargs, HEAP_NAME: self.current_heap(loc)}
        type_ = self._result_type(callee, args, kwargs)
        if self.places is not None:
            changed = self.surroundings.updated(self, callee, args, kwargs, loc)
            is_of_held = self.heap is not None and self.places.held.is_changed_by(changed)
            if changed and self.attempting is not None:
                found = self._caught(callee, args, kwargs, names, loc, is_of_held)
                if found is not None:
                    return found
            if is_of_held:
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
        if len(results) == 1 and isinstance(type_, Known) and _may_drop(callee):
            self.ops.pop()
            return [Const(type_.value)]
        return list(results)

    def _calls_for_objects(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> bool:
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            return self.surroundings.works_on_objects(
                type_of(callee), tuple(map(type_of, args)), kwtypes
            )
        except NeedsHeap:
            raise
        except Unsupported as error:
            raise Unsupported(error.what, error.location or loc, error.why, error.advice) from None

    def _attempted(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], name: str,
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; gives its error, or None, and its value."""
        outer, self.attempting = self.attempting, Attempting()
        try:
            (value,) = self.typed_call(callee, args, kwargs, [name], loc)
            return [self.attempting.error or Const(None), value]
        finally:
            self.attempting = outer

    def _caught(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None, is_of_held: bool,
    ) -> list[Operand] | None:
        """The value of a call that changes something, if it may fail then: its error is kept."""
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        if not self.surroundings.may_fail_midway(type_of(callee), types_, kwtypes):
            return None
        if is_of_held or self.surroundings.catching(type_of(callee)) is None:
            return self.unknown_call(callee, args, names, loc, kwargs)
        function, attempting = self._catching(callee, loc)
        error, value = self._append(function, args, kwargs, ["error", names[0]], loc)
        self.attempting = attempting
        attempting.error = error
        if len(names) == 1:
            return [value]
        count = Const(len(names))
        return self.typed_call(Const(primitives.unpack), [value, count], {}, names, loc)

    def _is_catching(self, callee: Operand) -> bool:
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        return isinstance(made, Call) and isinstance(made.callee, Const) and (
            made.callee.value in (primitives.catching, primitives.catching_found)
        )

    def _catching(
        self, callee: Operand, loc: Location | None, is_known: bool = True
    ) -> tuple[Value, Attempting]:
        """The catching variant of what is called, and the attempt that its error is for."""
        attempting, self.attempting = self.attempting, None
        assert attempting is not None
        if attempting.error is not None:
            raise Unsupported(
                "one operation calls several functions that change something and may fail, where "
                "a handler goes on", loc, advice="call them in statements of their own",
            )
        made = primitives.catching if is_known else primitives.catching_found
        (function,) = self.typed_call(Const(made), [callee], {}, ["caught"], loc)
        assert isinstance(function, Value)
        return function, attempting

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

    def current_heap(self, loc: Location | None) -> Value:
        """The version of the heap that holds what objects hold here."""
        if self.heap is None or self.places is None:
            raise NeedsHeap(
                "this works on objects, in a function that is differentiated more than once", loc,
                advice="let it work on numbers, arrays and containers",
            )
        return self.places.latest(self.heap)

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
            isinstance(callee_type, Known) and isinstance(callee_type.value, types.FunctionType)
        )
        if not is_python:
            return None
        kwargs = {name: type_of(arg) for name, arg in call.kwargs.items()}
        return self.surroundings.returned(callee_type, tuple(map(type_of, args)), kwargs)

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


def _is_missing(args: list[Operand]) -> bool:
    """Whether one of the operands is never there, as far as is known by now."""
    return any(type(arg) is Value and arg.type == BOTTOM for arg in args)


def _answer(callee: object, args: list[Operand]) -> Const | None:
    """What a rule asks most often about its operands, where their classes tell."""
    if callee is operator.truth:
        (arg,) = args
        return arg if isinstance(arg, Const) and type(arg.value) is bool else None
    if callee is not isinstance or len(args) != 2:
        return None
    value, classes = args
    if type(value) is not Value or not isinstance(classes, Const):
        return None
    cls, choices = class_of(value.type), classes.value
    if cls is None or type(choices) is not tuple or not all(type(c) is type for c in choices):
        return None
    return Const(issubclass(cls, choices))


def is_array_like(type_: Type) -> bool:
    """Whether items and parts are stored into a value of this type by copying them."""
    cls = class_of(type_)
    return cls is not None and facts.copies_items(cls)


def _is_immutable(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_immutable, type_.members))
    return isinstance(type_, IMMUTABLE)


def _same(a: Operand, b: Operand) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return Known(a.value) == Known(b.value)
    return a is b


def _known(operand: Operand) -> Operand:
    """A value whose type says which object it is, as a constant."""
    if type(operand) is Value and isinstance(operand.type, Known):
        return Const(operand.type.value)
    return operand


def _is_static(operand: Operand) -> bool:
    return isinstance(operand, Const)


def _may_drop(callee: Operand) -> bool:
    """Whether a call whose result is known need not run."""
    return isinstance(callee, Const) and (
        facts.is_pure(callee.value) or callee.value in (getattr, primitives.load_global)
    )


def _like_params(block: Block) -> list[Value]:
    return [Value(param.name, param.type) for param in block.params]


def _part(type_: Type, index: int) -> Type:
    match type_:
        case Tuple(items) if index < len(items):
            return items[index]
        case Bottom():
            return BOTTOM
        case _:
            return TOP


def _has_positions(type_: Type) -> bool:
    return is_array_like(type_) or (
        isinstance(type_, Sequence | Tuple) and class_of(type_) in (list, deque, tuple)
    )
