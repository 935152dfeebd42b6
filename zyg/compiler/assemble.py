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

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import Block, Function, Operand, Value, Yield, type_of
from ir.errors import Unsupported
from ir.late import late
from ir.memory.memory_facts import is_change
from ir.memory.place_state import NEW
from ir.rewrite import Mapping, free_values, walk
from ir.simplify import eliminate_dead, is_silent
from ir.types import TOP, Type
from zyg.compiler.activity import Flow
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.generated import (
    Generated,
    Joint,
    Pair,
    finished_function,
    identifier,
    load,
    passed_inputs,
)
from zyg.compiler.inference.objects import is_object_type, kept_with_objects
from zyg.compiler.inference.surroundings import ProgramSurroundings
from zyg.compiler.nested.inner_gradients import Derived
from zyg.compiler.overwriting.restoring import with_log
from zyg.compiler.overwriting.unseen_changes import gives_memory_unseen, is_unseen_call
from zyg.compiler.pairs import PairKey, Pairs
from zyg.compiler.programs import Programs
from zyg.compiler.reverse import handing_over, saving
from zyg.compiler.reverse.arms import join_branches, merge_nested, pack_arms
from zyg.compiler.reverse.cotangent_types import seed_type, tangent_type
from zyg.compiler.reverse.freeing import free_records
from zyg.compiler.reverse.handing_over import HandedOver, handed_over
from zyg.compiler.reverse.loop_records import count_trips
from zyg.compiler.reverse.metadata import shapes_from_operands
from zyg.compiler.reverse.records import pack_records
from zyg.compiler.reverse.returned import (
    bar_of_input,
    bar_type,
    checked_loss,
    in_own_memory,
    inputs_without_heap,
    new_arrays,
    seed_name,
    value_of,
    versions_behind_of,
)
from zyg.compiler.reverse.temporaries import reuse_temporaries
from zyg.compiler.reverse.transpose import Transposer
from zyg.compiler.reverse.unknown_bars import refuse_if_asked
from zyg.compiler.reverse.unread_values import parted, shapes_without_values
from zyg.compiler.specialisation import RunAgain, Specialisation
from zyg.held.nested_shadows import TABLE, new_table

if TYPE_CHECKING:
    from zyg.compiler.overwriting import preserve, preserve_held, rebinding, undo
    from zyg.compiler.overwriting.versions import Versions
    from zyg.held import memory_kinds
else:  # they are for programs that change something in place
    preserve = late("zyg.compiler.overwriting.preserve")
    undo = late("zyg.compiler.overwriting.undo")
    rebinding = late("zyg.compiler.overwriting.rebinding")
    preserve_held = late("zyg.compiler.overwriting.preserve_held")
    memory_kinds = late("zyg.held.memory_kinds")

NOTHING = Yield([])


class Compiler(Programs):
    """Generates code; one compilation at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._derived: dict[object, Derived] = {}
        # Whether code is made for a gradient inside of differentiated code.
        self.is_inner = False
        self.pairs = Pairs()
        # Made by `zyg.compiler.forward_mode.tangent_code` when it is asked for.
        self.tangents: Any = None

    # Pairs of functions

    def called_pair(self, made: Specialisation, active: Flow, held: Flow) -> Pair:
        """The generated pair for a call in generated code, which hands cotangents over to it."""
        handed = handed_over(made, made.with_bars(active), held, self._may_hold)
        handed = handing_over.NOTHING if self.takes_table(made) else handed
        return self.pair(made, active, handed=handed)

    def _may_hold(self, type_: Type) -> bool:
        """Whether objects may hold a value of a type, or memory that it holds."""
        fields = self.specialiser.fields
        return fields is None or bool(fields.ask("may_hold", type_))

    def pair(
        self, made: Specialisation, active: Flow, of_value: bool = False,
        handed: HandedOver = handing_over.NOTHING,
    ) -> Pair:
        """The generated pair; its code is there once `finish` has run.

        With `of_value`, it hands out the value alone of a function that changes its inputs too.
        """
        of_value = of_value and bool(made.handed_out)
        indices = made.with_bars(active)
        key = made, active, of_value, handed, self.is_inner, self.state_of_objects(made)
        known = self.pairs.get(key)
        if known is not None:
            return known
        if self.takes_table(made) and self.specialiser.fields is None:
            raise Unsupported(
                "the second derivative of code that works on objects, and is found at run time",
                made.function.loc, advice="call it by its name",
            )
        name = identifier(made.function.name)
        returned = made.value_type if of_value else made.returned_type
        passed = passed_inputs(made)
        forward = Generated(f"{name}_forward", [returned, TOP])
        back = Generated(f"{name}_back", [bar_type(made, i) for i in indices])
        back.take_over(handed, [made.inputs[i] for i in indices])
        if isinstance(made.source, RunAgain):
            from zyg.compiler.checkpoints.checkpoint_pairs import generated  # few programs need it

            forward, back = generated(self, made, active, forward, back)
        pair = Pair(forward, back, passed, indices)
        pair.forward.pair = pair.back.pair = pair
        # A derivative of a forward function changes what that changes.
        changed = sorted({*made.handed_out, *made.source.changes})
        pair.forward.changes = tuple(passed.index(i) for i in changed if i in passed)
        changes = bool(pair.forward.changes)
        pair.forward.saves_apart = changes and made.heap is None and made.calls_itself()
        pair.forward.works_on_objects = pair.back.works_on_objects = made.heap is not None
        pair.forward.is_of_program = pair.back.is_of_program = self.takes_table(made)
        forward.gives_unseen = gives_memory_unseen(made)
        self.pairs.add(key, pair)
        return pair

    def takes_table(self, made: Specialisation) -> bool:
        """Whether an adjoint gets the cotangents of objects as a value (`nested_tables`)."""
        return self.is_inner and made.heap is not None

    def state_of_objects(self, made: Specialisation) -> object:
        """What is known of objects, of which adjoints that are differentiated are inferred."""
        fields = self.specialiser.fields
        return fields.state() if fields is not None and self.takes_table(made) else None

    @contextmanager
    def for_gradient(self, is_inner: bool) -> Iterator[None]:
        """Around what is made for a gradient, which may stand inside of differentiated code."""
        before, self.is_inner = self.is_inner, is_inner
        try:
            yield
        finally:
            self.is_inner = before

    def forget(self) -> None:
        """Forgets what was made of functions by types that have turned out not to hold."""
        self.abandon()
        self._derived.clear()
        self.specialiser = self._new_specialiser()

    def finish(self) -> None:
        """Generates and loads all pairs that were asked for."""
        self.pairs.make(self._make_pair)
        self.pairs.load()

    def _make_pair(self, key: PairKey, pair: Pair) -> None:
        made, active, of_value, _, is_inner, _ = key
        with self.for_gradient(is_inner):
            with_log(partial(self._generate_pair, made, active, of_value, pair))

    def abandon(self) -> None:
        """Forgets the pairs of a compilation that failed."""
        self.pairs.abandon()

    def _differentiate(
        self, made: Specialisation, active: Flow
    ) -> tuple[Augmenter, Operand, Transposer]:
        surroundings = ProgramSurroundings(self.specialiser, made)
        self.specialiser._stack.append(made)
        try:
            augmenter = Augmenter(
                self.specialiser, surroundings, made, active, self.called_pair
            )
            augmenter.is_inner = self.is_inner
            result = augmenter.augment(made.function)
            return augmenter, result, Transposer(augmenter)
        finally:
            self.specialiser._stack.pop()

    def _finished(self, transposer: Transposer, exit: Operand) -> Block:
        adjoint = transposer.finished(exit, self.specialiser.fields)
        if not self.is_inner:
            refuse_if_asked(adjoint)
        return adjoint

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
        from zyg.compiler.overwriting.versions import Versions

        versions = Versions(forward, self._inputs(made))
        if logged:
            transposer.log = undo.new_log(versions, logged)
        return versions

    def _inputs(self, made: Specialisation) -> list[Value]:
        return [*made.function.captured, *made.function.params]

    def _adjoint(
        self, made: Specialisation, transposer: Transposer, augmenter: Augmenter,
        indices: list[int], begun: tuple[int, ...] = (),
    ) -> list[Operand]:
        self.specialiser._stack.append(made)
        try:
            if transposer.log is not None:
                transposer.begin(transposer.log.versions.body)
            transposer.transpose(augmenter.steps)
            inputs = self._inputs(made)
            return [
                bar_of_input(made, transposer, inputs[i], i, number in begun)
                for number, i in enumerate(indices)
            ]
        finally:
            self.specialiser._stack.pop()

    def _generate_pair(
        self, made: Specialisation, active: Flow, of_value: bool, pair: Pair,
        logged: list[int] | None,
    ) -> None:
        if isinstance(made.source, RunAgain):
            from zyg.compiler.checkpoints.checkpoint_pairs import generate  # few programs need it

            generate(self, made, active, pair, logged)
            return
        self.pair_as_ir(made, active, of_value, pair, logged)
        self.pairs.load_later(made, pair, [pair.forward, pair.back], not self.is_inner)

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
            result = value_of(transposer, result)
        returned = made.value_type if of_value else made.returned_type
        typed = tangent_type if pair.back.works_on_objects else seed_type
        seed = Value(seed_name(result), typed(returned))
        begun = [self._inputs(made)[indices[i]] for i in pair.back.begun]
        given = [seed, *transposer.begin_from(begun)]
        if self.takes_table(made):
            transposer.table = Value("heap_bar", TABLE)
            given.append(transposer.table)
        if changes_objects:  # what the caller reads behind the call counts
            transposer.heap_bar()
        transposer.add(result, seed)
        bars = self._adjoint(made, transposer, augmenter, indices, pair.back.begun)
        exit: Operand = bars[0] if len(bars) == 1 else transposer.call(
            primitives.build_tuple, *bars
        )
        adjoint = self._finished(transposer, exit)
        count_trips(augmenter.ops, adjoint)
        merge_nested(augmenter.ops, adjoint)
        saved = [value for value in free_values(adjoint) if value not in given]
        forward = Block([], augmenter.ops, Yield([result, *saved]))
        shapes_from_operands(forward)
        eliminate_dead(forward, is_silent)
        handed_on = pair.handed_on(result, self._inputs(made))
        rebound = self._preserve(
            made, forward, adjoint, transposer, versions, logged, handed_on
        )
        result = rebound.get(result, result) if isinstance(result, Value) else result
        saved = [value for value in free_values(adjoint) if value not in given]
        saved = saving.in_program_order(saved, self._inputs(made), forward)
        forward.exit = Yield([result, *saved])
        saved = pack_records(forward, adjoint, saved)
        saved = pack_arms(forward, adjoint, saved)
        forward.exit = Yield([result, *saved])
        eliminate_dead(forward, is_silent)
        saved = saving.as_prototypes(forward, adjoint, saved)
        pair.copied = saving.shared_with_user(forward, saved, result)
        pair.saved_names = tuple(value.name for value in saved)
        saving.close_forward(forward, [result, *saved])
        saving.open_adjoint(adjoint, saved)
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

    def _as_program(self, made: Specialisation, *blocks: Block) -> None:
        """Gives generated code on objects the form in which it is differentiated."""
        fields = self.specialiser.fields
        if fields is not None and self.takes_table(made):
            from zyg.compiler.nested.nested_tables import as_program  # few programs need it

            for block in blocks:
                as_program(block, fields)

    def _preserve(
        self, made: Specialisation, forward: Block, adjoint: Block, transposer: Transposer,
        versions: Versions | None, logged: list[int] | None, handed_on: Iterable[Operand] = (),
    ) -> Mapping:
        """Keeps copies of what the adjoint reads and what is overwritten by then; gives the new
        arrays that stand for versions of others."""
        on_heap = made.heap is not None
        rebound: Mapping = {}
        if on_heap and transposer.surroundings.leaves_arrays():
            # Of what objects hold and callers change, the adjoint reads copies (`preserve_held`).
            handed_on = [value for value in handed_on if not is_object_type(type_of(value))]
        if any(map(is_unseen_call, walk(forward))):
            preserve.check_unseen_changes(
                forward, adjoint, transposer.exported, on_heap, self.is_inner
            )
        if not on_heap and not logged and any(map(is_change, walk(forward))):
            handed_on = list(handed_on)
            rebound = rebinding.rebind(forward, adjoint, transposer.exported, handed_on)
        if any(map(is_change, walk(forward))):
            copied = preserve.preserve(forward, adjoint, transposer.exported, on_heap, handed_on)
            if versions is not None:
                undo.decide(versions, logged, copied)
        if on_heap and transposer.surroundings.may_change_held():
            known = {*self._inputs(made), *(v for op in walk(forward) for v in op.results)}
            apart = {value for value in free_values(adjoint) if value not in known}
            # A copy that is differentiated has a rule.
            is_followed = not transposer.surroundings.holds_at_run_time()
            copy = kept_with_objects if is_followed else memory_kinds.kept_contents
            surroundings = transposer.surroundings
            preserve_held.preserve_held(
                forward, adjoint, transposer.exported, apart,
                lambda type_: surroundings.may_hold(type_) and not surroundings.leaves_alone(type_),
                copy,
            )
        return rebound

    # The joint form

    def joint(self, made: Specialisation, active: Flow, wants_value: bool) -> Joint:
        """The joint form; its callees' code is there once `finish` has run."""
        function, augmenter, result = with_log(
            partial(self._joint_function, made, active, wants_value)
        )
        free_records(function.body)
        item = Generated(function.name, [TOP])
        item.ir_function = function
        self.pairs.make(self._make_pair)
        emitted = load(made, [item], is_last=True)
        return Joint(
            item.cell.cell_contents, passed_inputs(made), made.with_bars(active), emitted,
            type_of(result), augmenter.dispatched,
            new_arrays(function.body, made, active, wants_value),
        )

    def derived(self, made: Specialisation, active: Flow, wants_value: bool) -> Derived:
        """The joint form as IR that other IR calls, with the code of all that it calls in turn."""
        with self.for_gradient(is_inner=True):
            key = made, active, wants_value, self.state_of_objects(made)
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
        is_inner = self.is_inner
        augmenter, result, transposer = self._differentiate(made, active)
        versions = self._versions(made, augmenter, transposer, logged)
        _, result = inputs_without_heap(made, augmenter, result)
        versions_behind: list[Operand] = []
        if made.handed_out:
            if is_inner:
                versions_behind = versions_behind_of(transposer, result)
            result = value_of(transposer, result)
        transposer.ops = augmenter.ops
        value, seed = checked_loss(transposer, result, wants_value)
        transposer.joint_ops = augmenter.ops
        transposer.ops = []
        if self.takes_table(made):
            transposer.table = transposer.call(new_table, name="heap_bar")
        transposer.add(result, seed)
        bars = self._adjoint(made, transposer, augmenter, made.with_bars(active))
        if is_inner:
            bars = [in_own_memory(transposer, bar) for bar in bars]
        if transposer.table is not None:  # for gradients of objects
            bars.append(transposer.table)
        exit = transposer.call(primitives.build_tuple, *bars)
        if wants_value:
            exit = transposer.call(primitives.build_tuple, value, exit)
        if versions_behind:
            exit = transposer.call(primitives.build_tuple, exit, *versions_behind)
        body = self.joined(made, augmenter, transposer, exit, versions, logged)
        self._as_program(made, body)
        name = f"{identifier(made.function.name)}_gradient"
        passed = passed_inputs(made)
        params = [self._inputs(made)[i] for i in passed]
        function = finished_function(made, name, params, body)
        if is_inner and not wants_value:
            function.returned = tuple([
                NEW if saving.holds_memory(type_of(bar)) else None for bar in bars
            ])
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
        adjoint = self._finished(transposer, exit)
        body = Block([], augmenter.ops + adjoint.ops, adjoint.exit)
        shapes_from_operands(body)
        shapes_without_values(body, self._inputs(made))
        if count_trips(augmenter.ops, body):
            eliminate_dead(body, is_silent)
        forward, adjoint.ops = parted(augmenter.ops, body)
        self._preserve(made, forward, adjoint, transposer, versions, logged)
        merge_nested(forward.ops, adjoint)
        body.ops = forward.ops + adjoint.ops
        join_branches(body)
        eliminate_dead(body, is_silent)
        reuse_temporaries(body, adjoint.ops)
        pack_records(body, body, [])
        return body
