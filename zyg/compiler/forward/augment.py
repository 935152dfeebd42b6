"""Primal to forward: rules are inlined, calls become forward calls, and steps are noted.

    y = math.sin(x)    ->  y = math.sin(x)     and the step: y_bar * math.cos(x) is added to x_bar
    z = helper(y)      ->  z, saved = helper_forward(y)

A step says how a varied operation is reversed; `zyg.compiler.reverse.transpose` runs the steps
backwards. The back function of a rule is not emitted: its body goes into the adjoint, where it
reads the values that it captured. That is closure conversion by inlining.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Set
from typing import TYPE_CHECKING, Any

from ir import facts, primitives, try_primitives
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
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.errors import Unsupported
from ir.heap import HEAP, HEAP_NAME
from ir.inference.typed_branches import MakeBranch
from ir.late import late, late_class
from ir.library.builtin_facts import IN_PLACE
from ir.rewrite import Mapping, blocks, defined
from ir.types import Closure, Known, Method, Scalar, Sequence, Tuple, Type, join
from zyg.compiler.forward.forward_objects import ForwardObjects, without_heap_operand
from zyg.compiler.forward.forward_rules import callee_name
from zyg.compiler.forward.forward_steps import BranchStep, LambdaStep, LoopStep, Step, works_on_heap
from zyg.compiler.forward.squared_sizes import square_of_size
from zyg.compiler.inference.object_needs import is_global_store
from zyg.compiler.inference.objects import is_object_type, iterates_over, unknown_operands
from zyg.compiler.overwriting.mutation import refuse_changing_call, unsupported
from zyg.compiler.overwriting.unseen_changes import (
    called_by,
    gives_memory_unseen,
    is_given_containers,
    is_known_memory,
    is_replaced,
    is_unseen,
    led_to,
    makers_in,
    with_kinds_kept,
)
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.lengths import stored_into
from zyg.held.kinds_of_items import varied_kept
from zyg.rules.registry import is_constant, rule_of, substitute_of, without_choosing

if TYPE_CHECKING:
    from zyg.compiler.forward.forward_calls import ForwardCalls
    from zyg.compiler.inference import key_lookups
    from zyg.compiler.run_time import refusals
else:  # they are for calls of the user's functions, and those that are found at run time
    key_lookups = late("zyg.compiler.inference.key_lookups")
    refusals = late("zyg.compiler.run_time.refusals")
    ForwardCalls = late_class(
        "zyg.compiler.forward.forward_calls", "ForwardCalls", ForwardObjects,
        "_static_call _changes_arguments _held_by _may_find_objects _take_apart _uncaught "
        "_defaults _dynamic_call",
    )

STRUCTURE = (
    primitives.build_tuple, primitives.build_list, primitives.build_dict, primitives.unpack,
    *primitives.PASSING_ON,
)


class Augmenter(ForwardCalls):
    """Builds the forward operations and the steps of one function."""

    own: Set[Op] = frozenset()  # the operations that are there for tangents only

    def augment(self, function: Function) -> Operand:
        """Appends the forward operations of a function; gives what it returns."""
        mapping: Mapping = {}
        inputs = [*function.captured, *function.params]
        self.heap = next((value for value in inputs if value.type == HEAP), None)
        for i, value in enumerate(inputs):
            if isinstance(value.type, Known):
                mapping[value] = Const(value.type.value)
            elif i in self._active:
                self.varied.add(value)
        exit = self.inline(function.body, mapping)
        if isinstance(exit, Yield):
            return exit.values[0]
        if exit.exception is not None:  # else what is inside of the body has raised before
            blocks = Block([], [], exit), Block([], [], exit)
            self.ops.append(If(Const(True), *blocks, [], exit.loc))
        return Const(None)

    def op(self, op: Op, mapping: Mapping) -> Any:
        known = len(self._unseen)
        found = self._augmented(op, mapping)
        if not isinstance(op, Call) and len(self._unseen) > known:
            inside = {value for block in blocks_of(op) for value in defined(block)}
            self._name_again([v for v in self._unseen[known:] if v not in inside], mapping)
        return found

    def _augmented(self, op: Op, mapping: Mapping) -> Any:
        def new(operand: Operand) -> Operand:
            return mapping.get(operand, operand) if isinstance(operand, Value) else operand

        varies = self._varies(op.results)
        match op:
            case Call():
                callee = new(op.callee)
                args = [new(arg) for arg in op.args]
                kwargs = {name: new(arg) for name, arg in op.kwargs.items()}
                # Inlined code, the branch of a rule for one, has the place of its call.
                self.loc = self.place or op.loc
                callee, args = self.checked(callee, args, kwargs, self.loc)
                # Code of tangents may have computed it as a constant before.
                again = self._contents.computed(op, callee, args, varies)
                if again is not None:
                    mapping[op.result] = again
                    return None
                if self._read_again(op, callee, args, mapping):
                    pass
                elif self._is_method_of_place(op, callee, args):
                    method = Value(op.result.name, op.result.type)
                    self._define(Call(callee, args, {}, [method], self.loc))
                    mapping[op.result] = method
                elif varies:
                    gives_unseen = self._calls_unseen(called_by(callee, args))
                    self._varied_call(op, callee, args, kwargs, mapping)
                    if gives_unseen:
                        self._may_have_changed(op, mapping)
                else:
                    self._plain_call(op, callee, args, kwargs, mapping)
                if len(op.results) == 1:
                    self._contents.note_computed(op, callee, args, varies, new(op.result))
                return None
            case If() if not isinstance(new(op.cond), Const):
                cond = new(op.cond)
                self._augment_branch(op, mapping, lambda then, orelse, results: If(
                    cond, then, orelse, results, op.loc
                ))
            case If():
                return super().op(op, mapping)
            case Try():
                self._follow_error(op)
                catches = list(map(new, op.catches))
                self._augment_branch(op, mapping, lambda body, handler, results: Try(
                    body, handler, catches, results, op.loc
                ))
            case For():
                # What is walked backwards is a list that generated code has made.
                iterables = [
                    new(iterable) if op.backwards
                    else self._iterated(new(iterable), iterable, op.loc)
                    for iterable in op.iterables
                ]
                loop = For(iterables, [], op.body, [], op.backwards, op.loc)
                self._augment_loop(op, loop, [new(i) for i in op.init], mapping)
            case While():
                loop_ = While([], op.body, [], op.loc)
                self._augment_loop(op, loop_, [new(i) for i in op.init], mapping)
            case Lambda():
                super().op(op, mapping)
                made = mapping[op.result]
                if varies and isinstance(made, Value):
                    self.varied.add(made)
                    lambda_op = self.definitions[made]
                    assert isinstance(lambda_op, Lambda)
                    self.steps.append(LambdaStep(lambda_op))
        return None

    # Blocks

    def _augment_branch(
        self, op: Branch, mapping: Mapping, make: MakeBranch
    ) -> None:
        outer_ops, outer_steps = self.ops, self.steps
        blocks: list[Block] = []
        arms: list[list[Step]] = []
        checked = self._checked
        for block in op.blocks:
            self.ops, self.steps, self._checked = [], [], set(checked)
            self._around.append((self.steps, outer_steps))
            inner = dict(mapping)
            params = [Value(value.name, value.type) for value in block.params]
            self._note_results(block.params, params, inner)
            with self._contents.inside():
                exit = self.inline(block, inner)
            if isinstance(exit, Yield):
                exit.values = without_heap_operand(exit.values, op.results)
            blocks.append(Block(params, self.ops, exit))
            arms.append(self.steps)
            self._around.pop()
        self._checked = checked
        self.ops, self.steps = outer_ops, outer_steps
        kept = self._without_heap(op.results, mapping)
        results = [Value(value.name, value.type) for value in kept]
        new = make(blocks[0], blocks[1], results)
        self._note_results(kept, results, mapping)
        self._define(new)
        if any(value in self.varied for value in results) or any(map(works_on_heap, arms)):
            self.steps.append(BranchStep(new, arms))

    def _augment_loop(
        self, op: For | While, new: For | While, init: list[Operand], mapping: Mapping
    ) -> None:
        inner = dict(mapping)
        given = self._without_heap(op.body.params, inner)
        params = [Value(value.name, value.type) for value in given]
        known = self._shapes_of_stored(op, init)
        for value, param in zip(given, params, strict=True):
            param.type = known.get(value, param.type)
        self._note_results(given, params, inner)
        outer_ops, outer_steps = self.ops, self.steps
        checked, self._checked = self._checked, set(self._checked)
        self.ops, self.steps = [], []
        outer_loop, self._in_loop = self._in_loop, defined(op.body) | set(op.body.params)
        with self._contents.inside():
            exit = self.inline(op.body, inner)
        self._in_loop = outer_loop
        if isinstance(exit, Yield):
            exit.values = exit.values[:1] + without_heap_operand(exit.values[1:], op.results)
        self._checked = checked
        new.body = Block(params, self.ops, exit)
        steps = self.steps
        self.ops, self.steps = outer_ops, outer_steps
        new.init = without_heap_operand(init, op.results[: len(init)])
        kept = self._without_heap(op.results, mapping)
        known.update(
            (result, known[param]) for result, param in zip(op.results, op.carried, strict=False)
            if param in known
        )
        new.results = [Value(value.name, known.get(value, value.type)) for value in kept]
        self._note_results(kept, new.results, mapping)
        self._define(new)
        if any(value in self.varied for value in new.results) or works_on_heap(steps):
            self.steps.append(LoopStep(new, steps))

    def _shapes_of_stored(self, op: For | While, init: list[Operand]) -> dict[Value, Type]:
        """The types of the arrays that a loop only stores into, where more is known before it."""
        found: dict[Value, Type] = {}
        for k, (param, operand) in enumerate(zip(op.carried, init, strict=True)):
            type_ = type_of(operand)
            if is_array(param.type) and is_array(type_) and type_ != param.type:
                if join(type_, param.type) == param.type and stored_into(op, k):
                    found[param] = type_
        return found

    def _in_place(
        self, callee: Any, args: list[Operand], loc: Location | None
    ) -> tuple[Operand, list[Operand]]:
        type_ = type_of(args[0])
        symbol = IN_PLACE[callee].__name__
        is_array = type(type_).__name__ == "Array"
        if is_array or (isinstance(type_, Sequence) and type_.cls is list):
            kind = "an array" if is_array else "a list"
            raise unsupported(
                f"an augmented assignment changes {kind} in place, which is not supported", loc,
                "write `x = x + y` instead of `x += y`",
            )
        if isinstance(type_, Scalar | Tuple | Known) or (
            isinstance(type_, Sequence) and type_.cls is tuple
        ):
            return Const(IN_PLACE[callee]), args
        left = self.call(refusals.unless_mutable, *args[:1], Const(symbol), *args[1:], loc=loc)
        if isinstance(left, Value):
            left.type = type_
            if self.is_varied(args[0]):
                self._pass_through(args[0], left, loc)
        return Const(IN_PLACE[callee]), [left, args[1]]

    def _plain_call(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        """A call through which no derivative flows: it is made as it is."""
        if self.heap is not None:
            key_lookups.look_up(self, callee, args)
        if self.heap is not None and is_global_store(op):
            self._refuse_lost(op, args)
        if self.heap is not None:
            callee, args, kwargs, op = self._without_token(
                op, callee, args, kwargs, mapping
            )
            refuse_unknown_reader(callee, args, self.loc)
        is_on_heap = self.heap is not None
        refuse_changing_call(self._specialiser, callee, args, kwargs, op.loc, is_on_heap)
        called = called_by(callee, args)
        is_looked_into = not is_unseen(called, kwargs)
        if (is_looked_into and self._calls_unseen(called) and self._given(op, mapping)) or (
            not is_looked_into and is_given_containers([*args, *kwargs.values()])
        ):
            callee, args = with_kinds_kept(callee, args)
        elif not kwargs and (places := self._varied_and_changed(callee, args)):
            callee, args = Const(varied_kept), [callee, Const(places), *args]
        names = [value.name for value in op.results]
        found = self.typed_call(callee, args, kwargs, names, self.loc)
        is_updating = isinstance(callee, Const) and callee.value is primitives.updating
        for value, known in zip(found, op.results, strict=True):
            # Only inference knows classes, and what a call leaves in its arguments.
            if isinstance(value, Value) and (is_updating or isinstance(known.type, Method)):
                value.type = known.type
        mapping.update(zip(op.results, found, strict=True))
        if is_unseen(called_by(callee, args), kwargs):
            self._may_have_changed(op, mapping)

    def _may_have_changed(self, op: Call, mapping: Mapping) -> None:
        """Notes that a call may have changed memory that it was given unseen."""
        changed = self._given(op, mapping)
        self._unseen += changed
        self._name_again(changed, mapping)

    def _name_again(self, changed: list[Value], mapping: Mapping) -> None:
        """Has what is read from here on be another value than what was read before."""
        for value in dict.fromkeys(changed):
            known = mapping.get(value, value)
            made = mapping[value] = self.call(primitives.alias, known)
            if isinstance(known, Value) and isinstance(made, Value):
                made.type = known.type
                if known in self.varied:
                    self._pass_through(known, made, self.loc)

    def _given(self, op: Call, mapping: Mapping) -> list[Value]:
        """The arrays and containers at hand to which the operands of a call lead."""
        made = self._made_in_source
        values = led_to(operands_of(op), made, self.heap is not None)
        left = {
            inner for value in values if value in made and value in made[value].results
            for block in blocks_of(made[value]) for inner in defined(block)
        }
        return [
            value for value in values if is_known_memory(value.type)
            and (value not in made or (value in mapping and value not in left))
        ]

    @functools.cached_property
    def _made_in_source(self) -> dict[Operand, Op]:
        return makers_in(self._typed.body)

    def _calls_unseen(self, callee: Operand) -> bool:
        """Whether a function that is known gives memory to what isn't looked into, for whatever
        types it is called here."""
        type_ = type_of(callee)
        code = type_.code if isinstance(type_, Closure) else getattr(
            type_.value if isinstance(type_, Known) else None, "__code__", None
        )
        return code is not None and any(
            one.source.code is code and not is_replaced(one, self.heap is not None)
            and gives_memory_unseen(one) for one in self._callees
        )

    def _varied_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        if isinstance(callee, Value) and callee in self.methods:
            function, self_operand = self.methods[callee]
            callee, args = function, [self_operand, *args]
        if self.heap is not None:
            key_lookups.look_up(self, callee, args)
        if isinstance(callee, Const) and self._heap_call(op, callee, args, mapping):
            return
        if isinstance(callee, Const):
            if (not kwargs or callee.value is sum) and self._is_of_object(callee.value, args):
                is_plain = bool(unknown_operands(callee.value, list(map(type_of, args)))) and (
                    self._is_made_by_us(args) and self._needs_heap(op, callee, args, kwargs)
                )
                if not is_plain:  # else it is looked at below
                    self._dynamic_call(op, callee, args, kwargs, mapping)
                    return
            self._check_operands(callee.value, args)
            args = [
                self._iterated(arg, known, op.loc)
                if iterates_over(callee.value, i, len(args)) else arg
                for i, (arg, known) in enumerate(zip(args, _known(op, args), strict=True))
            ]
            if callee.value is operator.getitem and self._may_make_item(args[0]):
                self._dynamic_call(op, callee, args, kwargs, mapping)
                return
            is_read = callee.value is operator.getitem or callee.value is primitives.item_to_pop
            if is_read and self._item_of_held(op, args, mapping):
                return
            if callee.value is getattr:
                names = [value.name for value in op.results]
                (found,) = self.typed_call(callee, args, kwargs, names, op.loc)
                if isinstance(found, Value) and found in self.methods:
                    mapping[op.result] = found  # the call of the method differentiates `self`
                    if op.result in self._read_values:
                        self._bound_method(op, args, mapping)
                    return
                if isinstance(found, Value) and self.definitions.get(found) is self.ops[-1]:
                    self.ops.pop()
            if any(callee.value is function for function in STRUCTURE):
                self._structure(op, callee, args, mapping)
                return
            squared = None if kwargs else square_of_size(callee, args, self.ops, self.own)
            if squared is not None:
                callee, args, kwargs = squared
            rule = rule_of(callee.value)
            # Rules of callables that have a substitute too are for calls without keywords.
            has_rule = rule is not None and not (kwargs and substitute_of(callee.value))
            if has_rule and len(op.results) == 1:
                self._unless_given_objects(callee, [*args, *kwargs.values()], op.loc)
                self._rule_call(op, callee, rule, args, kwargs, mapping)
                return
        if isinstance(callee, Const) and callee.value is primitives.updating:
            changed = args[1]
            callee, args = args[0], args[2:]
            is_of_heap = isinstance(changed, Const) and changed.value == (HEAP_NAME,)
            # A call that changes memory that objects may hold runs as one of what isn't known.
            is_apart = is_of_heap and self._changes_arguments(op)
            if not is_apart and self._static_call(op, callee, args, kwargs, mapping):
                return
            if is_of_heap:
                self._unknown_call(op, callee, args, kwargs, mapping)
                return
            raise unsupported(
                f"the call of {callee_name(callee)} changes an argument in place, and can't be "
                "compiled",
                op.loc,
            )
        if self._static_call(op, callee, args, kwargs, mapping):
            return
        self._dynamic_call(op, callee, args, kwargs, mapping)

    def _bound_method(self, op: Call, args: list[Operand], mapping: Mapping) -> None:
        """A method that is handed on as a value, which brings what it is a method of along."""
        found = mapping[op.result]
        assert isinstance(found, Value)
        method = self.methods[found]
        if self.definitions.get(found) is self.ops[-1]:
            self.ops.pop()
        self._rule_call(op, Const(getattr), rule_of(getattr), args, {}, mapping)
        bound = mapping[op.result]
        if isinstance(bound, Value):
            self.methods[bound] = method

    @functools.cached_property
    def _read_values(self) -> set[Operand]:
        """What the function reads otherwise than to call it, or to find an order by it."""
        found: set[Operand] = set()
        for block in blocks(self._typed.body):
            found.update(exit_operands(block.exit))
            for op in block.ops:
                if not isinstance(op, Call):
                    found.update(operands_of(op))
                    continue
                callee = op.callee.value if isinstance(op.callee, Const) else None
                calls = any(callee is function for function in _CALLING)
                found.update(op.args[1:] if calls else op.args)
                found.update(without_choosing(callee, op.kwargs))
        return found


_CALLING = (primitives.updating, try_primitives.attempt)


def _known(op: Call, args: list[Operand]) -> list[Operand]:
    """The operands of a call as inference has typed them, where they stand in the same order."""
    return op.args[len(op.args) - len(args) :] if len(op.args) >= len(args) else args


def refuse_unknown_reader(callee: Operand, args: list[Operand], loc: Location | None) -> None:
    """Refuses to give objects to what isn't written in Python, and may read what they hold."""
    if not isinstance(callee, Const) or not isinstance(callee.value, types.BuiltinFunctionType):
        return
    function: Any = callee.value
    is_known = facts.result_of(function) is not None or facts.is_pure(function) or is_constant(
        function
    )
    if is_known or rule_of(function) is not None or substitute_of(function) is not None:
        return
    if any(is_object_type(type_of(arg)) for arg in args):
        raise Unsupported(
            f"{callee_name(callee)} is given an object, and zyg can't tell what it reads of it",
            loc, advice="define its rule with @zyg.adjoint, or keep it out with zyg.dropgrad",
        )
