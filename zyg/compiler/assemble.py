"""Puts forward and adjoint together: as a pair of functions, or jointly as one.

    def f(x):                            def f_gradient(x):
        y = math.sin(x)                      return math.cos(x)
        return y, x

    def f_back(saved, y_bar):
        x = saved
        return y_bar * math.cos(x)

What the pair's adjoint reads of the forward's values becomes `saved`. In the joint form nothing is
saved, and forward work that only served the value is dropped where the value isn't wanted.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.closures import replace_lambdas
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    If,
    Location,
    Op,
    Operand,
    Parameters,
    Try,
    Value,
    Yield,
    type_of,
)
from ir.emit import Emitted, emit_functions
from ir.errors import Unsupported
from ir.heap import HEAP
from ir.late import late
from ir.load import load_definitions
from ir.memory_facts import is_change
from ir.place_state import NEW
from ir.record import made, node
from ir.rewrite import clone, free_values, substitute, walk
from ir.shared_names import ASIDE
from ir.simplify import eliminate_dead, is_pure, is_silent, share_common
from ir.types import TOP, Known, Sequence, Tuple, Type, Union, class_of
from ir.verify import verify
from zyg import cotangent, cotangent_items
from zyg.compiler.activity import Flow
from zyg.compiler.arms import join_branches, pack_arms
from zyg.compiler.assigned import Assigned
from zyg.compiler.augment import Augmenter
from zyg.compiler.checkpoint_loops import RunAgain
from zyg.compiler.forward_steps import StructureStep
from zyg.compiler.freeing import free_records
from zyg.compiler.item_updates import shorten_updates
from zyg.compiler.looking import read_buffers_in_place
from zyg.compiler.loops import count_trips
from zyg.compiler.metadata import reads_only_metadata, shapes_from_operands
from zyg.compiler.nesting import Derived, Unsettled, expanded
from zyg.compiler.ownership import reuse_buffers
from zyg.compiler.preserve import preserve, preserve_held
from zyg.compiler.records import pack_records
from zyg.compiler.replica import read_in_place
from zyg.compiler.specialisation import Specialisation
from zyg.compiler.specialise import Specialiser
from zyg.compiler.surroundings import ProgramSurroundings
from zyg.compiler.tangents import tangent_type
from zyg.compiler.transpose import Transposer
from zyg.compiler.undo import decide, new_log, with_log
from zyg.compiler.versions import Versions
from zyg.keeping import kept
from zyg.nested_shadows import TABLE, new_table

if TYPE_CHECKING:
    from zyg.compiler import dynamic
    from zyg.compiler.fields import Fields
else:  # it is for calls that are found at run time
    dynamic = late("zyg.compiler.dynamic")

MAX_ROUNDS = 8
NOTHING = Yield([])
verifying = False  # tests turn this on: the IR is checked after each pass


@node
class Generated:
    """A generated function: its IR at once, its code when the compilation that needs it ends."""

    name: str
    results: list[Type]
    ir_function: Function | None = None
    cell: types.CellType = made(types.CellType)
    # The positions of the arguments that it changes in place.
    changes: tuple[int, ...] = ()
    works_on_objects: bool = False
    pair: Pair | None = None
    # Of a back function: the numbers of those results that it adds to what it is given for them.
    begun: tuple[int, ...] = ()
    # Whether it is a part of a program that works on objects, and is differentiated in turn.
    is_of_program: bool = False

    @property
    def __name__(self) -> str:
        return self.name

    def result_types(self) -> list[Type]:
        return self.results

    def __call__(self, *args: Any) -> Any:
        return self.cell.cell_contents(*args)


@node
class Pair:
    """The forward and back function of a specialisation for certain active inputs."""

    forward: Generated
    back: Generated
    passed: list[int]
    active: list[int]
    emitted: Emitted | None = None
    copied: tuple[int, ...] = ()
    saved_names: tuple[str, ...] = ()
    # The forward function as it runs, where derivatives of it start from another one.
    run: Function | None = None
    dispatched: list[tuple[Location | None, str]] = made(list)


@node
class Joint:
    """One function that computes the gradients of the active inputs, and the value if wanted."""

    function: Any
    passed: list[int]
    active: list[int]
    emitted: Emitted
    result: Type
    dispatched: list[tuple[Location | None, str]]


# A function for its types, its active inputs, whether it hands out the value alone, and whether the
# gradient that it is a part of stands inside of differentiated code.
# With the last goes what is known of objects there.
PairKey: TypeAlias = tuple[Specialisation, Flow, bool, bool, object]


class Compiler:
    """Generates code; one compilation at a time."""

    def __init__(self) -> None:
        # Functions of the program at hand that were found to work on objects when their adjoints
        # were made.
        self.needs_heap: set[Function] = set()
        self.assigned = Assigned()
        self.specialiser = self._new_specialiser()
        self._derived: dict[object, Derived] = {}
        # Whether code is made for a gradient inside of differentiated code.
        self._is_inner = False
        self._pairs: dict[PairKey, Pair] = {}
        self._pending: list[tuple[PairKey, Pair]] = []
        self._fresh: list[PairKey] = []
        # Forward mode: made by `zyg.compiler.tangent_code` when it is first asked for.
        self.tangents: Any = None

    def _new_specialiser(self) -> Specialiser:
        specialiser = Specialiser()
        specialiser.derived = self.derived
        specialiser.expand = expanded
        specialiser.needs_heap = self.needs_heap
        specialiser.assigned = self.assigned
        return specialiser

    def with_fields(
        self, source: Function, inputs: tuple[Type, ...], fields: Fields
    ) -> Specialisation:
        """The specialisation of a program that works on objects.

        It is made again until the types of what objects hold cover all that is stored.
        """
        for round_number in range(MAX_ROUNDS):
            before = fields.state()
            fields.is_open |= round_number == MAX_ROUNDS - 2
            last, self.specialiser = self.specialiser, self._new_specialiser()
            self.specialiser.fields = fields
            if round_number > 0:
                self.specialiser.take_over(last, fields)
            self.specialiser.known_of_objects = before
            try:
                made = self.specialiser.specialise(source, inputs)
            except Unsettled:
                continue
            if fields.state() == before:
                break
        return made

    # Pairs of functions

    def pair(self, made: Specialisation, active: Flow, of_value: bool = False) -> Pair:
        """The generated pair; its code is there once `finish` has run.

        With `of_value`, it hands out the value alone of a function that changes its inputs too.
        """
        of_value = of_value and bool(made.handed_out)
        key = made, active, of_value, self._is_inner, self._state_of_objects(made)
        known = self._pairs.get(key)
        if known is not None:
            return known
        if self._takes_table(made) and made.handed_out:
            raise Unsupported(
                "the second derivative of code that works on objects, and changes its arguments in "
                "place", made.function.loc, advice="let it return what it computes",
            )
        name = identifier(made.function.name)
        indices = made.with_bars(active)
        results = [tangent_type(made.inputs[i]) for i in indices]
        returned = made.value_type if of_value else made.returned_type
        passed = passed_inputs(made)
        forward = Generated(f"{name}_forward", [returned, TOP])
        back = Generated(f"{name}_back", results)
        if isinstance(made.source, RunAgain):
            from zyg.compiler.checkpoint_pairs import generated  # few programs need it

            forward, back = generated(self, made, active, forward, back)
        pair = Pair(forward, back, passed, indices)
        pair.forward.pair = pair.back.pair = pair
        # A derivative of a forward function changes what that changes.
        changed = sorted({*made.handed_out, *made.source.changes})
        pair.forward.changes = tuple(passed.index(i) for i in changed if i in passed)
        pair.forward.works_on_objects = pair.back.works_on_objects = made.heap is not None
        pair.forward.is_of_program = pair.back.is_of_program = self._takes_table(made)
        self._pairs[key] = pair
        self._fresh.append(key)
        self._pending.append((key, pair))
        return pair

    def _takes_table(self, made: Specialisation) -> bool:
        """Whether an adjoint gets the cotangents of objects as a value (`nested_tables`)."""
        return self._is_inner and made.heap is not None

    def _state_of_objects(self, made: Specialisation) -> object:
        """What is known of objects, of which adjoints that are differentiated are inferred."""
        fields = self.specialiser.fields
        return fields.state() if fields is not None and self._takes_table(made) else None

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Around the compilation of a program whose types hold in that program alone."""
        before = self.specialiser
        try:
            yield
        finally:
            self.specialiser = before

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Around the compilation of a program that may share names, which others don't."""
        before = self.specialiser
        if self.assigned.shared:
            self.specialiser = self._new_specialiser()
        self.assigned.changed = {}
        try:
            yield
        finally:
            self.specialiser = before

    @contextmanager
    def for_gradient(self, is_inner: bool) -> Iterator[None]:
        """Around what is made for a gradient, which may stand inside of differentiated code."""
        before, self._is_inner = self._is_inner, is_inner
        try:
            yield
        finally:
            self._is_inner = before

    def forget(self) -> None:
        """Forgets what was made of functions by types that have turned out not to hold."""
        self.abandon()
        self._derived.clear()
        self.specialiser = self._new_specialiser()

    def finish(self) -> None:
        """Generates and loads all pairs that were asked for."""
        was_inner = self._is_inner
        try:
            while self._pending:
                (made, active, of_value, is_inner, _), pair = self._pending.pop()
                self._is_inner = is_inner
                with_log(partial(self._generate_pair, made, active, of_value, pair))
        except BaseException:
            self.abandon()
            raise
        finally:
            self._is_inner = was_inner
        self._fresh.clear()

    def abandon(self) -> None:
        """Forgets the pairs of a compilation that failed: any of them may call one that has no
        code."""
        for key in self._fresh:
            self._pairs.pop(key, None)
        self._fresh.clear()
        self._pending.clear()

    def _differentiate(
        self, made: Specialisation, active: Flow
    ) -> tuple[Augmenter, Operand, Transposer]:
        surroundings = ProgramSurroundings(self.specialiser, made)
        self.specialiser._stack.append(made)
        try:
            augmenter = Augmenter(
                self.specialiser, surroundings, made, active, self.pair
            )
            augmenter.is_inner = self._is_inner
            result = augmenter.augment(made.function)
            return augmenter, result, Transposer(augmenter)
        finally:
            self.specialiser._stack.pop()

    def _versions(
        self, made: Specialisation, augmenter: Augmenter, transposer: Transposer,
        logged: list[int] | None,
    ) -> Versions | None:
        """The versions of the arrays that a function changes, and the log that it gets.

        What objects hold is followed at run time only.
        """
        forward = Block([], augmenter.ops, NOTHING)
        if made.heap is not None or not any(map(is_change, walk(forward))):
            return None
        versions = Versions(forward, self._inputs(made))
        if logged:
            transposer.log = new_log(versions, logged)
        return versions

    def _inputs(self, made: Specialisation) -> list[Value]:
        return [*made.function.captured, *made.function.params]

    def _adjoint(
        self, made: Specialisation, transposer: Transposer, augmenter: Augmenter, indices: list[int]
    ) -> list[Operand]:
        self.specialiser._stack.append(made)
        try:
            if transposer.log is not None:
                transposer.begin(transposer.log.versions.body)
            transposer.transpose(augmenter.steps)
            inputs = self._inputs(made)
            bars = []
            for i in indices:
                bar = transposer.bars.get(inputs[i])
                whole = transposer.zero(inputs[i]) if bar is None else bar
                bars.append(transposer.completed(whole, inputs[i]))
            return bars
        finally:
            self.specialiser._stack.pop()

    def _generate_pair(
        self, made: Specialisation, active: Flow, of_value: bool, pair: Pair,
        logged: list[int] | None,
    ) -> None:
        if isinstance(made.source, RunAgain):
            from zyg.compiler.checkpoint_pairs import generate  # few programs need it

            generate(self, made, active, pair, logged)
            return
        self.pair_as_ir(made, active, of_value, pair, logged)
        pair.emitted = self._load(made, [pair.forward, pair.back])

    def pair_as_ir(
        self, made: Specialisation, active: Flow, of_value: bool, pair: Pair,
        logged: list[int] | None,
    ) -> None:
        """Makes the IR of the functions of a pair."""
        indices = pair.active
        augmenter, result, transposer = self._differentiate(made, active)
        versions = self._versions(made, augmenter, transposer, logged)
        changes_objects, result = inputs_without_heap(made, augmenter, result)
        if of_value:
            result = _value_of(transposer, result)
        returned = made.value_type if of_value else made.returned_type
        seed = Value(seed_name(result), tangent_type(returned))
        begun = [self._inputs(made)[indices[i]] for i in pair.back.begun]
        given = [seed, *transposer.begin_from(begun)]
        if self._takes_table(made):
            transposer.table = Value("heap_bar", TABLE)
            given.append(transposer.table)
        if changes_objects:  # what the caller reads behind the call counts
            transposer.heap_bar()
        transposer.add(result, seed)
        bars = self._adjoint(made, transposer, augmenter, indices)
        exit: Operand = bars[0] if len(bars) == 1 else transposer.call(
            primitives.build_tuple, *bars
        )
        adjoint = Block([], transposer.ops, Yield([exit]))
        share_common(adjoint)
        eliminate_dead(adjoint, is_pure)
        self._use_records(adjoint)
        count_trips(augmenter.ops, adjoint)
        saved = [value for value in free_values(adjoint) if value not in given]
        forward = Block([], augmenter.ops, Yield([result, *saved]))
        shapes_from_operands(forward)
        eliminate_dead(forward, is_silent)
        self._preserve(made, forward, adjoint, transposer, versions, logged)
        saved = [value for value in free_values(adjoint) if value not in given]
        # In the order of the program, so that forward and adjoint give them the same names.
        order = {v: i for i, v in enumerate(self._inputs(made))}
        for op in walk(forward):
            for value in op.results:
                order.setdefault(value, len(order))
        saved.sort(key=lambda value: order.get(value, -1))
        forward.exit = Yield([result, *saved])
        saved = pack_records(forward, adjoint, saved)
        saved = pack_arms(forward, adjoint, saved)
        forward.exit = Yield([result, *saved])
        eliminate_dead(forward, is_silent)
        saved = as_prototypes(forward, adjoint, saved)
        makers = {value: op for op in walk(forward) for value in op.results}
        is_handed_out = any(map(_hands_out_memory, makers.values()))
        pair.copied = tuple(
            i for i, value in enumerate(saved)
            if is_handed_out or _may_be_shared(value, makers, result)
        )
        pair.saved_names = tuple(value.name for value in saved)
        close_forward(forward, [result, *saved])
        open_adjoint(adjoint, saved, pair, made)
        inputs = self._inputs(made)
        params = [inputs[i] for i in pair.passed]
        pair.forward.ir_function = finished_function(made, pair.forward.name, params, forward)
        pair.forward.ir_function.changes = pair.forward.changes
        saved_param = Value("saved")
        back_params = [adjoint.params.pop(0) if adjoint.params else saved_param, *given]
        if back_params[0].name == seed.name:  # a derivative of a back function saved its seed
            seed.name = f"{seed.name}_1"
        pair.back.ir_function = finished_function(made, pair.back.name, back_params, adjoint)
        self._as_program(made, forward, adjoint)
        pair.dispatched = augmenter.dispatched

    def _use_records(self, adjoint: Block) -> None:
        fields = self.specialiser.fields
        if fields is not None and not fields.is_open:
            from zyg.compiler.object_bars import use_records  # few programs work on objects

            use_records(adjoint, fields)

    def _as_program(self, made: Specialisation, *blocks: Block) -> None:
        """Gives generated code on objects the form in which it is differentiated."""
        if self._takes_table(made):
            from zyg.compiler.nested_tables import as_program  # few programs need it

            for block in blocks:
                as_program(block)

    def _preserve(
        self, made: Specialisation, forward: Block, adjoint: Block, transposer: Transposer,
        versions: Versions | None, logged: list[int] | None,
    ) -> None:
        """Keeps copies of what the adjoint reads and what is overwritten by then."""
        copied = preserve(forward, adjoint, transposer.exported, made.heap is not None)
        if versions is not None:
            decide(versions, logged, copied)
        if made.heap is not None and transposer.surroundings.may_change_held():
            known = {*self._inputs(made), *(v for op in walk(forward) for v in op.results)}
            apart = {value for value in free_values(adjoint) if value not in known}
            preserve_held(forward, adjoint, transposer.exported, apart)

    def _load(self, made: Specialisation, generated: list[Generated]) -> Emitted:
        functions = []
        for item in generated:
            function = item.ir_function
            assert function is not None
            if verifying:
                verify(function)
            # The IR stays as it is, free of changes in place: derivatives of it start there.
            function = clone(function)
            read_in_place(function.body)
            reuse_buffers(function.body)
            shorten_updates(function.body)
            read_buffers_in_place(function.body)
            replace_lambdas(function)
            functions.append(function)
        known: dict[str, object] = {item.name: item for item in generated}
        emitted = emit_functions(functions, known=known)
        environment = {
            name: value.cell if isinstance(value, Generated) else value
            for name, value in emitted.environment.items()
        }
        loaded = load_definitions(
            emitted.definitions,
            lambda: emitted.source,
            name=made.function.name,
            module_globals=made.function.globals,
            environment=environment,
            locations=emitted.locations,
        )
        for item in generated:
            item.cell.cell_contents = loaded[item.name]
        return emitted

    # The joint form

    def joint(self, made: Specialisation, active: Flow, wants_value: bool) -> Joint:
        """The joint form; its callees' code is there once `finish` has run."""
        function, augmenter, result = with_log(
            partial(self._joint_function, made, active, wants_value)
        )
        free_records(function.body)
        item = Generated(function.name, [TOP])
        item.ir_function = function
        emitted = self._load(made, [item])
        return Joint(
            item.cell.cell_contents, passed_inputs(made), made.with_bars(active), emitted,
            type_of(result), augmenter.dispatched,
        )

    def derived(self, made: Specialisation, active: Flow, wants_value: bool) -> Derived:
        """The joint form as IR that other IR calls, with the code of all that it calls in turn."""
        with self.for_gradient(is_inner=True):
            key = made, active, wants_value, self._state_of_objects(made)
            known = self._derived.get(key)
            if known is None:
                function, _, _ = with_log(
                    partial(self._joint_function, made, active, wants_value)
                )
        if known is None:
            known = Derived(function, passed_inputs(made), made.with_bars(active))
            known.is_of_program = made.heap is not None
            self._derived[key] = known
            self.finish()
        return known

    def _joint_function(
        self, made: Specialisation, active: Flow, wants_value: bool, logged: list[int] | None
    ) -> tuple[Function, Augmenter, Operand]:
        is_inner = self._is_inner
        augmenter, result, transposer = self._differentiate(made, active)
        versions = self._versions(made, augmenter, transposer, logged)
        _, result = inputs_without_heap(made, augmenter, result)
        versions_behind: list[Operand] = []
        if made.handed_out:
            if is_inner:
                versions_behind = _versions_behind(transposer, result)
            result = _value_of(transposer, result)
        transposer.ops = augmenter.ops
        value, seed = _checked(transposer, result, wants_value)
        transposer.joint_ops = augmenter.ops
        transposer.ops = []
        if self._takes_table(made):
            transposer.table = transposer.call(new_table, name="heap_bar")
        transposer.add(result, seed)
        bars = self._adjoint(made, transposer, augmenter, made.with_bars(active))
        if is_inner:
            bars = [_in_own_memory(transposer, bar) for bar in bars]
        gradients = transposer.call(primitives.build_tuple, *bars)
        exit = transposer.call(primitives.build_tuple, value, gradients) if wants_value else (
            gradients
        )
        if versions_behind:
            exit = transposer.call(primitives.build_tuple, exit, *versions_behind)
        body = self.joined(made, augmenter, transposer, exit, versions, logged)
        self._as_program(made, body)
        name = f"{identifier(made.function.name)}_gradient"
        passed = passed_inputs(made)
        params = [self._inputs(made)[i] for i in passed]
        function = finished_function(made, name, params, body)
        if is_inner and not wants_value:
            function.returned = tuple([NEW if _holds_memory(type_of(b)) else None for b in bars])
        function.changes = tuple(passed.index(i) for i in made.handed_out if i in passed)
        if versions_behind:
            function.updates = tuple(passed.index(i) for i in made.handed_out)
            function.effects = [
                effect for i, effect in zip(made.updates, made.effects, strict=True)
                if i in made.handed_out
            ]
        return function, augmenter, result

    def joined(
        self, made: Specialisation, augmenter: Augmenter, transposer: Transposer, exit: Operand,
        versions: Versions | None, logged: list[int] | None,
    ) -> Block:
        """The forward operations and, behind them, the adjoint that reads their values."""
        adjoint = Block([], transposer.ops, Yield([exit]))
        share_common(adjoint)
        eliminate_dead(adjoint, is_pure)
        self._use_records(adjoint)
        body = Block([], augmenter.ops + adjoint.ops, adjoint.exit)
        shapes_from_operands(body)
        eliminate_dead(body, is_silent)
        if count_trips(augmenter.ops, body):
            eliminate_dead(body, is_silent)
        own = set(augmenter.ops)
        forward = Block([], [op for op in body.ops if op in own], Yield([]))
        adjoint.ops = [op for op in body.ops if op not in own]
        self._preserve(made, forward, adjoint, transposer, versions, logged)
        body.ops = forward.ops + adjoint.ops
        join_branches(body)
        eliminate_dead(body, is_silent)
        pack_records(body, body, [])
        return body


def inputs_without_heap(
    made: Specialisation, augmenter: Augmenter, result: Operand
) -> tuple[bool, Operand]:
    """Whether a function changes objects, and what it returns beside the heap."""
    if made.heap is None or made.heap not in made.updates or not isinstance(result, Value):
        return False, result
    parts = augmenter.parts(result)
    assert parts is not None, "the body ends in the tuple of the value and the versions"
    parts.pop(1 + made.updates.index(made.heap))
    if len(parts) == 1:
        return True, parts[0]
    whole = Value(result.name, made.returned_type)
    call = Call(Const(primitives.build_tuple), parts, {}, [whole])
    augmenter._define(call)
    augmenter.varied.add(whole)
    augmenter.steps.append(StructureStep(call))
    return True, whole


def _value_of(transposer: Transposer, result: Operand) -> Operand:
    """The value of a function that returns the last versions of what it changes behind it."""
    if not isinstance(result, Value):
        return result  # it always raises
    parts = transposer.parts(result)
    assert parts is not None, "the body ends in the tuple of the value and the versions"
    return parts[0]


# What gives a new array, or changes one that nobody else knows.
_SUMS = (cotangent.add, cotangent.subtract, cotangent_items.add_at)


def _in_own_memory(transposer: Transposer, bar: Operand) -> Operand:
    """A gradient that shares no memory with anything: the user may change what `gradient` gives."""
    if not isinstance(bar, Value) or not _holds_memory(bar.type):
        return bar
    made = transposer.definitions.get(bar)
    if isinstance(made, Call) and isinstance(made.callee, Const):
        is_array = type(bar.type).__name__ == "Array"
        if is_array and (facts.is_fresh(made) or made.callee.value in _SUMS):
            return bar
    return transposer.call(kept, bar)


def _versions_behind(transposer: Transposer, result: Operand) -> list[Operand]:
    parts = transposer.parts(result) if isinstance(result, Value) else None
    return [] if parts is None else parts[1:]


def passed_inputs(made: Specialisation) -> list[int]:
    return [
        i for i, type_ in enumerate(made.inputs)
        if not isinstance(type_, Known) and type_ != HEAP
    ]


def _checked(
    transposer: Transposer, result: Operand, wants_value: bool
) -> tuple[Operand, Operand]:
    """The value of a function whose gradient is asked for, checked, and the seed of its adjoint.

    With the value, a tuple is a loss and what else the function wants to tell.
    """
    type_ = type_of(result)
    if _is_real_scalar(type_):
        return result, Const(1.0)
    if wants_value and isinstance(type_, Tuple) and type_.items:
        loss = transposer.call(operator.getitem, result, Const(0))
        if not _is_real_scalar(type_of(loss)):
            transposer.call(dynamic.real_scalar, loss)
        rest = [Const(None)] * (len(type_.items) - 1)
        return result, transposer.call(primitives.build_tuple, Const(1.0), *rest)
    if wants_value:
        value = transposer.call(dynamic.loss_and_rest, result)
        return value, transposer.call(dynamic.unit_seed, result)
    return transposer.call(dynamic.real_scalar, result), Const(1.0)


def finished_function(
    made: Specialisation, name: str, params: list[Value], body: Block
) -> Function:
    return Function(
        name, params, [], body, made.function.loc,
        Parameters(0, len(params), False, 0, False), globals=made.function.globals,
        is_generated=True,
    )


def identifier(name: str) -> str:
    plain = name.strip("_") or name
    return plain if plain.isidentifier() else "function"


def seed_name(result: Operand) -> str:
    return f"{result.name}_bar" if isinstance(result, Value) and result.name != "t" else "y_bar"


def _is_real_scalar(type_: Type) -> bool:
    import numpy as np

    if isinstance(type_, Union):
        return all(map(_is_real_scalar, type_.members))
    cls = getattr(type_, "cls", type(type_.value) if isinstance(type_, Known) else None)
    return cls in (float, int) or (isinstance(cls, type) and issubclass(cls, np.floating))


def close_forward(forward: Block, outputs: list[Operand]) -> None:
    """Lets a forward block return its value and the tuple of what is saved."""
    value, *saved = outputs
    packed: Operand
    if len(saved) == 1:
        packed = saved[0]
    else:
        packed = _append(forward, primitives.build_tuple, saved)
    forward.exit = Yield([_append(forward, primitives.build_tuple, [value, packed])])


def _append(block: Block, callee: Callable[..., Any], args: list[Operand]) -> Value:
    result = Value("t", Tuple(tuple(map(type_of, args))))
    block.ops.append(Call(Const(callee), args, {}, [result]))
    return result


def open_adjoint(adjoint: Block, saved: list[Value], pair: Pair, made: Specialisation) -> None:
    """Lets an adjoint block take what was saved from its first parameter."""
    if len(saved) == 1:
        adjoint.params = [saved[0]]
    elif saved:
        whole = Value("saved", Tuple(tuple(value.type for value in saved)))
        adjoint.ops.insert(0, Call(Const(primitives.unpack), [whole, Const(len(saved))], {}, saved))
        adjoint.params = [whole]


def as_prototypes(forward: Block, adjoint: Block, saved: list[Value]) -> list[Value]:
    """Saves, of arrays whose shape is all that the adjoint reads, just that."""
    result = []
    for value in saved:
        if type(value.type).__name__ == "Array" and reads_only_metadata(adjoint, value):
            made = Value(value.name, value.type)
            forward.ops.append(Call(Const(cotangent.prototype), [value], {}, [made]))
            substitute(adjoint, {value: made})
            value = made
        result.append(value)
    return result


def _hands_out_memory(op: Op) -> bool:
    """Whether an operation puts arrays into what a global holds, where the user can reach them."""
    return (
        isinstance(op, Call) and isinstance(op.callee, Const)
        and any(op.callee.value is aside for aside in ASIDE.values())
        and any(_holds_memory(type_of(operand)) for operand in op.args[1:])
    )


def _may_be_shared(value: Operand, makers: dict[Value, Op], result: Operand) -> bool:
    """Whether a saved value may be memory that the user can reach and change."""
    if not isinstance(value, Value):
        return False
    made = makers.get(value)
    if not _holds_memory(value.type):
        # Numbers in a list or dict of the user's.
        return class_of(value.type) in (list, dict) and (made is None or value is result)
    if value is result:
        return True
    if isinstance(made, If | Try):
        i = made.results.index(value)
        return any(
            _may_be_shared(block.exit.values[i], makers, result)
            for block in made.blocks if isinstance(block.exit, Yield)
        )
    if isinstance(made, Call) and isinstance(made.callee, Const):
        if made.callee.value is primitives.build_tuple:
            return any(_may_be_shared(arg, makers, result) for arg in made.args)
        return not facts.is_fresh(made) and made.callee.value is not (
            cotangent.prototype
        )
    return True


def _holds_memory(type_: Type) -> bool:
    match type_:
        case Known():
            return False
        case Tuple(items):
            return any(map(_holds_memory, items))
        case Sequence(_, item):
            return _holds_memory(item)
        case _:
            return not hasattr(type_, "cls") or type(type_).__name__ == "Array"


