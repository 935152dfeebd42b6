"""Primal to tangent: behind each operation stands that of its tangent.

    y = math.sin(x)       ->   y = math.sin(x)
                               y_dot = x_dot * math.cos(x)
    z = helper(y)         ->   z, z_dot = helper_tangent(y, y_dot)

The primal operations are those of the forward pass, and the same class makes them. What the
transpose would run backwards as a step is turned into the tangent at once. Tangents are values:
a store into an array is a new version of its tangent, and `ownership` decides where that may be the
same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir import primitives, try_primitives
from ir.core import (
    Block,
    Branch,
    Call,
    Const,
    For,
    Function,
    Location,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    is_end_guarded,
    type_of,
)
from ir.heap import HEAP, HEAP_NAME, without_heap
from ir.inference.typed_branches import MakeBranch
from ir.memory.contents import has_parts
from ir.memory.held_functions import captures_memory
from ir.rewrite import Mapping, defined, walk
from ir.types import Known, Sequence, Tuple
from zyg.compiler.forward.forward_objects import without_heap_operand
from zyg.compiler.forward.forward_steps import (
    CallStep,
    ContentsStep,
    LambdaStep,
    ReadStep,
    RuleStep,
    SeenStep,
    Step,
    StoreStep,
    StructureStep,
)
from zyg.compiler.forward_mode.tangent_found import FoundTangents
from zyg.compiler.forward_mode.tangent_types import dot_name, dot_type
from zyg.compiler.inference.objects import is_object_type, kept_with_objects
from zyg.compiler.overwriting.unseen_changes import may_be_changed_by
from zyg.compiler.overwriting.written_values import written_values
from zyg.compiler.reverse.cotangent_types import NONE, is_array
from zyg.compiler.reverse.transpose import held_by
from zyg.rules.tangent_registry import linear
from zyg.tangents.tangent import picked, tangent_items
from zyg.tangents.tangent_objects import (
    delete_dot,
    now,
    now_within,
    read_dot,
    store_dot,
    store_held,
)

linear(kept_with_objects, 0)


class TangentBuilder(FoundTangents):
    """Builds the operations of one function and of its tangent."""

    def augment(self, function: Function) -> Operand:
        """Appends the operations of a function; gives what it returns."""
        inputs = [*function.captured, *function.params]
        self.dot_params: dict[int, Value] = {}
        for i in sorted(self._active):
            if i not in self._made.with_bars(self._active):
                # Objects and the heap: see `zyg.tangents.tangent_objects`.
                self.dots[inputs[i]] = NONE
                continue
            dot = Value(dot_name(inputs[i]), dot_type(inputs[i].type))
            self.dot_params[i] = self.dots[inputs[i]] = dot
        self.written = written_values(function.body)
        self._inliner.is_behind_changes = self._made.heap is not None or any(
            map(may_be_changed_by, walk(function.body))
        )
        result = super().augment(function)
        self.catch_up()
        return result

    def op(self, op: Op, mapping: Mapping) -> Any:
        if self._inlining:
            # What a call is replaced by has no tangents of its own, and may be dropped again.
            return super().op(op, mapping)
        if self._is_deferring and (not isinstance(op, Call) or may_be_changed_by(op)):
            self.catch_up()
        found = super().op(op, mapping)
        self.note_steps()
        if isinstance(op, Call) and is_end_guarded(op):
            self._is_deferring = False
        if not self._is_deferring:
            self.catch_up()
        return found

    def note_steps(self) -> None:
        steps, self.steps = self.steps, []
        for step in steps:
            if isinstance(step, CallStep):
                self._static(step)
            else:
                self.later(self._tangent_of(step))

    def _tangent_of(self, step: Step) -> Callable[[], None]:
        match step:
            case RuleStep():
                return lambda: self.rule_tangent(step)
            case StructureStep(call):
                return lambda: self._structure_tangent(call)
            case LambdaStep(op):
                return lambda: self._lambda_tangent(op)
            case ReadStep():
                return lambda: self._read_tangent(step)
            case StoreStep():
                return lambda: self._store_tangent(step)
            case ContentsStep():
                return lambda: self._contents_tangent(step)
            case SeenStep(result, value):
                return lambda: self._seen_tangent(result, value)
            case _:
                raise AssertionError(step)

    # Objects

    def _held(self, value: Operand, loc: Location | None) -> Value | None:
        return value if isinstance(value, Value) and self._may_be_held(value) else None

    def _note_held(self, step: StoreStep, stored: Operand) -> None:
        step.held = self._held(stored, step.loc)

    def _item_of_held(self, op: Call, args: list[Operand], mapping: Mapping) -> bool:
        return False  # tangents of items are items of tangents

    def _read_tangent(self, step: ReadStep) -> None:
        self.loc = step.loc
        dot = self.made(read_dot, step.obj, Const(step.name), step.result)
        self.set_dot(step.result, dot)
        if step.held is not None:
            self.held[step.result] = step.obj, Const(step.name)

    def _store_tangent(self, step: StoreStep) -> None:
        self.loc = step.loc
        place = step.obj, Const(step.name)
        if step.value is None:
            self.made(delete_dot, *place)
        elif step.held is not None:
            self.made(store_held, *place, step.value, self.dot_or_zero(step.value))
        else:
            self.made(store_dot, *place, self.dot_or_zero(step.value))

    def _contents_tangent(self, step: ContentsStep) -> None:
        self.loc = step.loc
        if step.value not in self.dots:
            self.still.add(step.value)
        before = self.dot_or_zero(step.value)
        is_deep = has_parts(step.result.type) or captures_memory(step.result.type)
        look = now_within if is_deep else now
        self.set_dot(step.result, self.made(look, step.result, before))
        self.held[step.result] = (before,)

    def _seen_tangent(self, result: Value, value: Operand) -> None:
        if not is_object_type(result.type):  # the tangents of objects are known by these
            self.set_dot(result, self.dot_or_zero(value))

    # Structures

    def _structure_tangent(self, call: Call) -> None:
        callee = call.callee.value  # type: ignore[union-attr]
        self.loc = call.loc
        if callee in primitives.PASSING_ON:
            self.set_dot(call.result, self.dot_or_zero(call.args[0]))
            return
        if callee is primitives.unpack:
            self._unpack_tangent(call)
            return
        if callee is primitives.build_dict:
            pairs: list[Operand] = []
            for key, item in zip(call.args[::2], call.args[1::2], strict=True):
                pairs += [key, self.dot_or_zero(item)]
            self.set_dot(call.result, self.made(callee, *pairs))
            return
        self.set_dot(call.result, self.made(callee, *map(self.dot_or_zero, call.args)))

    def _unpack_tangent(self, call: Call) -> None:
        dot = self.dot_or_zero(call.args[0])
        parts = self.parts(dot)
        if parts is not None and len(parts) == len(call.results):
            for result, part in zip(call.results, parts, strict=True):
                self.set_dot(result, part)
            return
        source = call.args[0]
        if not isinstance(type_of(source), Tuple | Sequence) and not is_array(type_of(source)):
            dot = self.made(tangent_items, dot, source)
        mark = len(self.ops)
        results = [Value(dot_name(value), dot_type(value.type)) for value in call.results]
        self._define(Call(call.callee, [dot, call.args[1]], {}, results, call.loc))
        self.note_own(mark)
        for result, found in zip(call.results, results, strict=True):
            self.set_dot(result, found)

    def _lambda_tangent(self, op: Any) -> None:
        self.loc = op.loc
        pairs: list[Operand] = []
        for name, operand in held_by(op):
            if self.is_varied(operand):
                pairs += [Const(name), self.dot_or_zero(operand)]
        self.set_dot(op.result, self.made(primitives.build_dict, *pairs))

    # Calls of functions

    def _static(self, step: CallStep) -> None:
        """Turns the call of a forward function into one of the tangent function."""
        call = self.definitions[step.result]
        assert isinstance(call, Call)
        at = next(i for i in reversed(range(len(self.ops))) if self.ops[i] is call)
        tail, self.ops[at:] = self.ops[at:], []
        self.catch_up()
        self.loc = step.loc
        for target, name in step.targets:
            if name is None:
                call.args.append(self.dot_or_zero(target))
            else:
                read = self._held_value(call, step, target, name)
                call.args.append(self.made(picked, self.dot_or_zero(target), Const(name), read))
        assert isinstance(call.callee, Const)
        function = call.callee.value
        if self.table is not None and function.is_of_program:
            call.args.append(self.table)
        dot = Value(dot_name(step.result), dot_type(step.result.type))
        call.results = [step.result, dot]
        self.definitions[dot] = call
        self.ops += tail
        self.set_dot(step.result, dot)

    def _unknown_call(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        value, heap = op.results
        mapping[heap] = kwargs[HEAP_NAME]
        kwargs = without_heap(kwargs)
        single = Call(callee, args, kwargs, [value], op.loc)
        self._changes_heap = True
        self._dynamic_call(single, callee, args, kwargs, mapping)
        self._changes_heap = False

    def _held_value(self, call: Call, step: CallStep, owner: Operand, name: str) -> Operand:
        """A captured variable or default, as it was read of the function object."""
        for value in call.args:
            made = self.definitions.get(value) if isinstance(value, Value) else None
            if not isinstance(made, Call) or not isinstance(made.callee, Const):
                continue
            is_read = made.callee.value in (primitives.read_captured, primitives.read_default)
            if is_read and made.args[0] is owner and type_of(made.args[1]) == Known(name):
                return value
        # It is no argument where its value is known: code was made for that.
        return self.call(primitives.read_captured, owner, Const(name))

    # Blocks

    def _augment_branch(self, op: Branch, mapping: Mapping, make: MakeBranch) -> None:
        self.catch_up()
        outer, checked = self.ops, self._checked
        blocks: list[Block] = []
        for block in op.blocks:
            self.ops, self._checked = [], set(checked)
            inner = dict(mapping)
            params = [Value(value.name, value.type) for value in block.params]
            self._note_results(block.params, params, inner)
            for param in params:  # the exception that a handler gets
                self.dots[param] = NONE
            with self._contents.inside():
                blocks.append(self._arm(op, block, params, inner))
        self.ops, self._checked = outer, checked
        kept = self._without_heap(op.results, mapping)
        results = [Value(value.name, value.type) for value in kept]
        self._note_results(kept, results, mapping)
        dots = []
        for i, result in enumerate(results):
            if result in self.varied:
                dot = Value(dot_name(result), dot_type(result.type))
                self.dots[result] = dot
                dots.append(dot)
                for block in blocks:
                    self._yield_dot(block, i)
        new = make(blocks[0], blocks[1], [*results, *dots])
        self._define(new)

    def _arm(self, op: Branch, block: Block, params: list[Value], mapping: Mapping) -> Block:
        outer, self._is_deferring = self._is_deferring, isinstance(op, Try) and block is op.body
        exit = self.inline(block, mapping)
        if isinstance(exit, Yield):
            exit.values = without_heap_operand(exit.values, op.results)
            if self._pending and not any(map(is_end_guarded, self.ops)):
                # The tangent of what the body guards can't fail in the place of the program.
                self._define(Call(Const(try_primitives.end_guarded), [], {}, [Value("_")], op.loc))
        self.catch_up()
        self._is_deferring = outer
        return Block(params, self.ops, exit)

    def _yield_dot(self, block: Block, i: int) -> None:
        if isinstance(block.exit, Yield):
            outer, self.ops = self.ops, block.ops
            block.exit.values.append(self.dot_or_zero(block.exit.values[i]))
            self.ops = outer

    def _augment_loop(
        self, op: For | While, new: For | While, init: list[Operand], mapping: Mapping
    ) -> None:
        self.catch_up()
        inner = dict(mapping)
        given = self._without_heap(op.body.params, inner)
        params = [Value(value.name, value.type) for value in given]
        known = self._shapes_of_stored(op, init)
        for value, param in zip(given, params, strict=True):
            param.type = known.get(value, param.type)
        self._note_results(given, params, inner)
        init = without_heap_operand(init, op.results[: len(init)])
        kept = [value for value in op.results if value.type != HEAP]
        count = len(op.iterables) if isinstance(op, For) else 0
        items, carried = params[:count], params[count:]
        item_dots, more = self._walked(new, items)
        with_dots = [k for k, param in enumerate(carried) if param in self.varied]
        carried_dots = [self._new_dot(carried[k]) for k in with_dots]
        starts = [self.dot_or_zero(init[k]) for k in with_dots]
        outer_ops, self.ops = self.ops, []
        checked, self._checked = self._checked, set(self._checked)
        outer_loop, self._in_loop = self._in_loop, defined(op.body) | set(op.body.params)
        with self._contents.inside():
            exit = self.inline(op.body, inner)
            self.catch_up()
        if isinstance(exit, Yield):
            exit.values = exit.values[:1] + without_heap_operand(exit.values[1:], op.results)
        self._in_loop, self._checked = outer_loop, checked
        size = len(init)
        collecting = [
            i for i in range(size, len(kept)) if self._varies([kept[i]])
        ]
        if isinstance(exit, Yield):
            stop, *values = exit.values
            ends = [self.dot_or_zero(values[k]) for k in with_dots]
            collected = [self.dot_or_zero(values[i]) for i in collecting]
            exit.values = [stop, *values[:size], *ends, *values[size:], *collected]
        new.body = Block([*items, *item_dots, *carried, *carried_dots], self.ops, exit)
        self.ops = outer_ops
        if isinstance(new, For):
            new.iterables = [*new.iterables, *more]
        new.init = [*init, *starts]
        known.update(
            (result, known[param]) for result, param in zip(op.results, op.carried, strict=False)
            if param in known
        )
        self._without_heap(op.results, mapping)
        results = [Value(value.name, known.get(value, value.type)) for value in kept]
        self._note_results(kept, results, mapping)
        last = [self._new_dot(results[k]) for k in with_dots]
        lists = [self._new_dot(results[i]) for i in collecting]
        new.results = [*results[:size], *last, *results[size:], *lists]
        self._define(new)

    def _new_dot(self, value: Value) -> Value:
        self.varied.add(value)
        dot = self.dots[value] = Value(dot_name(value), dot_type(value.type))
        return dot

    def _walked(
        self, loop: For | While, items: list[Value]
    ) -> tuple[list[Value], list[Operand]]:
        """The tangents of the items that a loop walks over, and where they come from."""
        dots: list[Value] = []
        iterables: list[Operand] = []
        for item, iterable in zip(items, getattr(loop, "iterables", []), strict=True):
            if item not in self.varied:
                continue
            whole = self.items_dot(iterable)
            known = type_of(iterable)
            is_plain = is_array(known) or isinstance(known, Tuple) or (
                isinstance(known, Sequence) and known.cls in (list, tuple)
            )
            if not is_plain or whole is NONE or iterable in self.held:
                whole = self.made(tangent_items, whole, iterable)
            dots.append(self._new_dot(item))
            iterables.append(whole)
        return dots, iterables
