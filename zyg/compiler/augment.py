"""Primal to forward: rules are inlined, calls become forward calls, and steps are noted.

    y = math.sin(x)    ->  y = math.sin(x)     and the step: y_bar * math.cos(x) is added to x_bar
    z = helper(y)      ->  z, saved = helper_forward(y)

A step says how a varied operation is reversed; `zyg.compiler.transpose` runs the steps backwards.
The back function of a rule is not emitted: its body goes into the adjoint, where it reads the
values that it captured. That is closure conversion by inlining.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.binding import CannotBind
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
    operands_of,
    type_of,
)
from ir.errors import NeedsHeap, Unsupported
from ir.generators import Generator
from ir.heap import (
    HEAP,
    HEAP_NAME,
    IDENTITY,
    STORES,
    Identity,
    attribute_read,
    class_attribute,
    class_read,
    class_stored,
    contents_read,
    object_read,
    with_heap,
    without_heap,
)
from ir.held import may_be_memory
from ir.infer import Inference
from ir.late import late
from ir.parse import parse_code
from ir.record import node
from ir.rewrite import Mapping, clone_exit, defined
from ir.typed_branches import MakeBranch
from ir.typed_calls import IN_PLACE
from ir.types import (
    TOP,
    Closure,
    Known,
    Method,
    Scalar,
    Sequence,
    Tuple,
    Type,
    class_of,
    join,
    widen,
)
from zyg.compiler.activity import Flow
from zyg.compiler.forwarding import Contents
from zyg.compiler.lengths import Lengths, stored_into
from zyg.compiler.mutation import (
    MUTATING_METHODS,
    refuse_changing_call,
    refuse_mutation,
    unsupported,
)
from zyg.compiler.objects import (
    adds_unknown,
    is_computed,
    is_object_type,
    is_place,
    iterates_over,
    may_overload,
    member,
    refuse_lost,
    unknown_operands,
    unless_items_overloaded,
    unless_overloaded,
)
from zyg.compiler.specialise import (
    Specialisation,
    Specialiser,
    Target,
    bind_operands,
    is_exact,
    is_global_store,
    read_defaults,
)
from zyg.compiler.tangents import is_array
from zyg.errors import NotDifferentiable
from zyg.rules.registry import is_constant, rule_of, substitute_of, takes_pullback
from zyg.shadows import hold

if TYPE_CHECKING:
    from zyg.compiler import dynamic
else:  # it is for calls that are found at run time
    dynamic = late("zyg.compiler.dynamic")

STRUCTURE = (
    primitives.build_tuple, primitives.build_list, primitives.build_dict, primitives.unpack,
    primitives.check_bound,
)


@node
class RuleStep:
    """A call of a callable with a rule, whose back function is inlined into the adjoint."""

    result: Value
    targets: list[Operand]
    back: Function
    captures: list[Operand]
    defaults: list[Operand]
    optional: int
    callee: object
    loc: Location | None


@node
class OpaqueStep:
    """A call that returned its back function at run time; `targets` are what it differentiates."""

    result: Value
    targets: list[tuple[Operand, str | None]]
    back: Value
    loc: Location | None
    works_on_objects: bool = False
    changes_objects: bool = False


@node
class CallStep:
    """A call of a user's function with code of its own: `targets` are its active inputs."""

    result: Value
    targets: list[tuple[Operand, str | None]]
    back: object
    saved: Value
    loc: Location | None
    works_on_objects: bool = False
    changes_objects: bool = False


@node
class ReadStep:
    """A read of what an object holds: its cotangent goes to the table of the heap."""

    result: Value
    obj: Operand
    name: str
    loc: Location | None
    # Where it may be memory that is changed in place: what was read, to be known again.
    held: Value | None = None


@node
class StoreStep:
    """A store into an object (of None: a deletion), which takes the cotangent of the place."""

    obj: Operand
    name: str
    value: Operand | None
    loc: Location | None
    # Where it may be memory that is changed in place: the value, and whether no object held it.
    held: Value | None = None
    is_first: Operand | None = None


@node
class ContentsStep:
    """Memory is looked at behind a point where an object may have changed it: its cotangent is
    that of the contents, if an object holds it."""

    result: Value
    value: Value
    held: Value
    loc: Location | None


@node
class StructureStep:
    """Building or taking apart a container: the inverse acts on the container of cotangents."""

    call: Call


@node
class BranchStep:
    op: Branch
    arms: list[list[Step]]


@node
class LoopStep:
    op: For | While
    steps: list[Step]


@node
class LambdaStep:
    op: Lambda


Step: TypeAlias = (
    RuleStep | OpaqueStep | CallStep | ReadStep | StoreStep | ContentsStep | StructureStep
    | BranchStep | LoopStep | LambdaStep
)
# Gives the pair of generated functions for a specialisation and its active inputs.
PairOf: TypeAlias = Callable[[Specialisation, Flow], Any]


class Augmenter(Lengths):
    """Builds the forward operations and the steps of one function."""

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
        self._flows = made.flows
        self._active = active
        self._pair_of = pair_of
        self.steps: list[Step] = []
        self.varied: set[Value] = set()
        # Values of unknown class that have been looked at, in the block at hand and around it.
        self._plain: set[Value] = set()
        self._contents = Contents()
        # What is defined in the loop at hand, and reads there that give the same in each iteration.
        self._in_loop: set[Value] | None = None
        self.steady: set[Value] = set()
        self.dispatched: list[tuple[Location | None, str]] = []

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

    def _varies(self, values: list[Value]) -> bool:
        return any(not self._flows.of(value).isdisjoint(self._active) for value in values)

    def is_varied(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.varied

    def op(self, op: Op, mapping: Mapping) -> Any:
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
                if self._read_again(op, callee, args, mapping):
                    pass
                elif self._is_method_of_place(op, callee, args):
                    method = Value(op.result.name, op.result.type)
                    self._define(Call(callee, args, {}, [method], self.loc))
                    mapping[op.result] = method
                elif varies:
                    self._varied_call(op, callee, args, kwargs, mapping)
                else:
                    if self.heap is not None and is_global_store(op):
                        self._refuse_lost(op, args)
                    if self.heap is not None:
                        callee, args, kwargs, op = self._without_token(
                            op, callee, args, kwargs, mapping
                        )
                        refuse_unknown_reader(callee, args, self.loc)
                    is_on_heap = self.heap is not None
                    refuse_changing_call(callee, args, kwargs, op.loc, is_on_heap)
                    names = [value.name for value in op.results]
                    found = self.typed_call(callee, args, kwargs, names, self.loc)
                    mapping.update(zip(op.results, found, strict=True))
                return None
            case If() if not isinstance(new(op.cond), Const):
                cond = new(op.cond)
                self._augment_branch(op, mapping, lambda then, orelse, results: If(
                    cond, then, orelse, results, op.loc
                ))
            case If():
                return super().op(op, mapping)
            case Try():
                catches = list(map(new, op.catches))
                self._augment_branch(op, mapping, lambda body, handler, results: Try(
                    body, handler, catches, results, op.loc
                ))
            case For():
                iterables = [
                    self._iterated(new(iterable), iterable, op.loc) for iterable in op.iterables
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
        plain = self._plain
        for block in op.blocks:
            self.ops, self.steps, self._plain = [], [], set(plain)
            inner = dict(mapping)
            params = [Value(value.name, value.type) for value in block.params]
            self._note_results(block.params, params, inner)
            with self._contents.inside():
                exit = self.inline(block, inner)
            if isinstance(exit, Yield):
                exit.values = _but_heap(exit.values, op.results)
            blocks.append(Block(params, self.ops, exit))
            arms.append(self.steps)
        self._plain = plain
        self.ops, self.steps = outer_ops, outer_steps
        kept = self._without_heap(op.results, mapping)
        results = [Value(value.name, value.type) for value in kept]
        new = make(blocks[0], blocks[1], results)
        self._note_results(kept, results, mapping)
        self._define(new)
        if any(value in self.varied for value in results) or any(map(works_on_heap, arms)):
            self.steps.append(BranchStep(new, arms))

    def _without_heap(self, values: list[Value], mapping: Mapping) -> list[Value]:
        """The values but for versions of the heap, all of which are one token."""
        if self.heap is not None:
            mapping.update((value, self.heap) for value in values if value.type == HEAP)
        return [value for value in values if value.type != HEAP]

    def _note_results(self, old: list[Value], new: list[Value], mapping: Mapping) -> None:
        for before, after in zip(old, new, strict=True):
            mapping[before] = after
            if self._varies([before]):
                self.varied.add(after)

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
        plain, self._plain = self._plain, set(self._plain)
        self.ops, self.steps = [], []
        outer_loop, self._in_loop = self._in_loop, defined(op.body) | set(op.body.params)
        with self._contents.inside():
            exit = self.inline(op.body, inner)
        self._in_loop = outer_loop
        if isinstance(exit, Yield):
            exit.values = exit.values[:1] + _but_heap(exit.values[1:], op.results)
        self._plain = plain
        new.body = Block(params, self.ops, exit)
        steps = self.steps
        self.ops, self.steps = outer_ops, outer_steps
        new.init = _but_heap(init, op.results[: len(init)])
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

    def _iterated(self, iterable: Operand, known: Operand, loc: Location | None) -> Operand:
        """What an object of a user's class gives to iterate over.

        `known` is what inference has typed: a rule in the place of a call may say less.
        """
        if not self.is_varied(iterable):
            return iterable
        if not all(may_overload(iter, [type_of(x)], self.globals) for x in (iterable, known)):
            return iterable
        items = Value("items", TOP)
        call = Call(Const(iter), [iterable], {}, [items], loc)
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
        value = callee.value
        is_read = value is getattr and self.heap is None  # with it, the run time knows better
        if is_read and isinstance(args[1], Const) and args[1].value in MUTATING_METHODS:
            known = facts.attribute_of(widen(type_of(args[0])), args[1].value)
            if not isinstance(args[0], Const) and not isinstance(known, Method):
                name = args[1]
                owner = self.call(dynamic.unless_builtin_container, args[0], name, loc=loc)
                return callee, [owner, name]
        if isinstance(value, types.BuiltinFunctionType) and value in IN_PLACE:
            return self._in_place(value, args, loc)
        return callee, args

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
        left = self.call(dynamic.unless_mutable, args[0], Const(symbol), loc=loc)
        if isinstance(left, Value):
            left.type = type_
            if self.is_varied(args[0]):
                self._pass_through(args[0], left, loc)
        return Const(IN_PLACE[callee]), [left, args[1]]

    def _pass_through(self, operand: Operand, result: Value, loc: Location | None) -> None:
        self.varied.add(result)
        call = Call(Const(primitives.check_bound), [operand, Const("")], {}, [result], loc)
        self.steps.append(StructureStep(call))

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
        if isinstance(callee, Const) and self._heap_call(op, callee, args, mapping):
            return
        if isinstance(callee, Const):
            if (not kwargs or callee.value is sum) and self._is_of_object(callee.value, args):
                self._dynamic_call(op, callee, args, kwargs, mapping)
                return
            self._check_operands(callee.value, args)
            args = [
                self._iterated(arg, known, op.loc)
                if iterates_over(callee.value, i, len(args)) else arg
                for i, (arg, known) in enumerate(zip(args, _known(op, args), strict=True))
            ]
            if callee.value is getattr:
                names = [value.name for value in op.results]
                (found,) = self.typed_call(callee, args, kwargs, names, op.loc)
                if isinstance(found, Value) and found in self.methods:
                    mapping[op.result] = found  # the call of the method differentiates `self`
                    return
                if isinstance(found, Value) and self.definitions.get(found) is self.ops[-1]:
                    self.ops.pop()
            if any(callee.value is function for function in STRUCTURE):
                self._structure(op, callee, args, mapping)
                return
            rule = rule_of(callee.value)
            # Rules of callables that have a substitute too are for calls without keywords.
            has_rule = rule is not None and not (kwargs and substitute_of(callee.value))
            if has_rule and len(op.results) == 1:
                self._rule_call(op, callee, rule, args, kwargs, mapping)
                return
        if isinstance(callee, Const) and callee.value is primitives.updating:
            changed = args[1]
            callee, args = args[0], args[2:]
            is_of_heap = isinstance(changed, Const) and changed.value == (HEAP_NAME,)
            # A call that changes memory that objects may hold runs as one of what isn't known.
            is_apart = is_of_heap and self._changes_arguments(callee, args, kwargs)
            if not is_apart and self._static_call(op, callee, args, kwargs, mapping):
                return
            if is_of_heap:
                self._unknown_call(op, callee, args, kwargs, mapping)
                return
            raise unsupported(
                f"the call of {_name(callee)} changes an argument in place, and can't be compiled",
                op.loc,
            )
        if self._static_call(op, callee, args, kwargs, mapping):
            return
        self._dynamic_call(op, callee, args, kwargs, mapping)

    def _without_token(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> tuple[Operand, list[Operand], dict[str, Operand], Call]:
        """A call that is made as it is, in terms of what runs: without the heap."""
        function: Any = callee.value if isinstance(callee, Const) else None
        heaps = [value for value in op.results if value.type == HEAP]
        mapping.update((value, self.heap) for value in heaps if self.heap is not None)
        results = [value for value in op.results if value.type != HEAP] or [
            Value("_", Known(None))
        ]
        if function is attribute_read:
            callee, args = Const(getattr), args[1:]
        elif function is class_read:
            callee, args = Const(class_attribute), args[1:]
        elif function in (contents_read, object_read):
            callee, args = Const(primitives.alias), args[1:]
        elif any(function is store for store in STORES):
            callee, args = Const(STORES[function]), args[1:]
        elif function is primitives.updating and heaps:
            changed = args[1]
            assert isinstance(changed, Const)
            rest = tuple(position for position in changed.value if position != HEAP_NAME)
            if rest:
                args = [args[0], Const(rest), *args[2:]]
            else:
                callee, args = args[0], args[2:]
        return callee, args, without_heap(kwargs), Call(
            op.callee, op.args, op.kwargs, results, op.loc
        )

    def _heap_call(
        self, op: Call, callee: Const, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A read or store of what an object holds; False for another call."""
        if callee.value is attribute_read:
            heap, obj, name, *default = args
            assert isinstance(heap, Value)
            if default or not isinstance(name, Const) or (
                member(type_of(obj), name.value).kind != "stored"
            ):
                self._dynamic_call(op, Const(getattr), args[1:], {}, mapping)
                return True
            result = self._read(op, args, mapping)
            if _is_count(obj, name.value):
                return True
            self.varied.add(result)
            held = self._held(result, op.loc)
            self.steps.append(ReadStep(result, obj, name.value, op.loc, held))
            return True
        if callee.value is contents_read:
            value = args[1]
            result = Value(op.result.name, op.result.type)
            self._define(Call(Const(primitives.alias), [value], {}, [result], op.loc))
            mapping[op.result] = result
            held = self._held(value, op.loc)
            if isinstance(value, Value) and held is not None:
                self.varied.add(result)
                self.varied.add(value)
                self.steps.append(ContentsStep(result, value, held, op.loc))
            return True
        if callee.value is object_read:
            result = Value(op.result.name, op.result.type)
            self._define(Call(Const(primitives.alias), [args[1]], {}, [result], op.loc))
            mapping[op.result] = result
            self.varied.add(result)
            return True
        plain = STORES.get(callee.value) if callable(callee.value) else None
        if plain is None:
            return False
        heap, obj, name, *values = args
        assert isinstance(name, Const)
        if callee.value is class_stored:
            self._refuse_lost(op, args)
        self._define(Call(Const(plain), args[1:], {}, [Value("_", Known(None))], op.loc))
        mapping[op.result] = heap
        if callee.value is class_stored:
            return True
        self._contents.note_store(op, args)
        fields = self._specialiser.fields
        if _is_count(obj, name.value):
            return True
        if fields is not None and not fields.may_vary(class_of(type_of(obj)), name.value):
            return True
        stored = values[0] if values else None
        step = StoreStep(obj, name.value, stored, op.loc)
        step.held = None if stored is None else self._held(stored, op.loc)
        if step.held is not None:
            step.is_first = Value("is_first", Scalar(bool))
            self._define(Call(Const(hold), [step.held], {}, [step.is_first], op.loc))
        self.steps.append(step)
        return True

    def _refuse_lost(self, op: Call, args: list[Operand]) -> None:
        """Refuses a derivative that would get lost in a global or in an attribute of a class."""
        assert isinstance(op.callee, Const)
        *_, owner, name, value = args
        assert isinstance(owner, Const) and isinstance(name, Const)
        place = f"the global `{name.value}`"
        if op.callee.value is class_stored:
            place = f"the attribute `{name.value}` of the class {owner.value.__name__}"
            is_varied = isinstance(value, Value) and value in self.varied
            if is_varied and isinstance(type_of(value), Scalar) and not is_exact(type_of(value)):
                raise unsupported(
                    f"a derivative would get lost in {place}", op.loc,
                    "pass the value on by arguments, or drop its derivative with zyg.dropgrad",
                )
        if not isinstance(value, Const) and (
            value in self.varied or not isinstance(value.type, Scalar)
        ):
            self.call(refuse_lost, Const(place), value, loc=op.loc)

    def _read_again(
        self, op: Call, callee: Operand, args: list[Operand], mapping: Mapping
    ) -> bool:
        """A read of what is at hand, or of what never varies; False for another call."""
        if not isinstance(callee, Const) or callee.value is not attribute_read:
            return False
        is_plain = len(args) == 3 and isinstance(args[2], Const) and (
            member(type_of(args[1]), args[2].value).kind == "stored"
        )
        known = self._contents.known(op, args) if is_plain else None
        if known is not None:
            mapping[op.result] = known
            return True
        if not is_plain or self._varies(op.results):
            return False
        self._read(op, args, mapping)
        return True

    def _read(self, op: Call, args: list[Operand], mapping: Mapping) -> Value:
        """Reads an attribute that is stored in an object."""
        result = Value(op.result.name, op.result.type)
        self._define(Call(Const(getattr), args[1:], {}, [result], op.loc))
        self._contents.note_read(op, args, result)
        mapping[op.result] = result
        if self._in_loop is not None and self._in_loop.isdisjoint(op.args[:2]):
            self.steady.add(result)
        return result

    def _held(self, value: Operand, loc: Location | None) -> Value | None:
        """A name for memory that objects may hold and change in place: what is saved of it is its
        identity, not its contents."""
        if not isinstance(value, Value) or not may_be_memory(value.type):
            return None
        if not self.surroundings.may_change_held():
            return None
        held = Value(value.name, IDENTITY)
        self._define(Call(Const(Identity), [value], {}, [held], loc))
        return held

    def _is_method_of_place(self, op: Call, callee: Operand, args: list[Operand]) -> bool:
        """Whether a method is read of an object: the cotangents of that are in the table."""
        if self.heap is None or not isinstance(callee, Const) or callee.value is not getattr:
            return False
        cls = class_of(type_of(args[0]))
        return isinstance(op.result.type, Method) and cls is not None and is_place(cls)

    def _is_of_object(self, callee: object, args: list[Operand]) -> bool:
        """Whether an operator or attribute may be what a user's class makes of it."""
        types_ = list(map(type_of, args))
        if callee is getattr:
            name = args[1].value if isinstance(args[1], Const) else None
            return not isinstance(name, str) or is_computed(types_[0], name, self.globals)
        return may_overload(callee, types_, self.globals)

    def _check_operands(self, callee: object, args: list[Operand]) -> None:
        """Looks once at each operand of unknown class; what plain operands give is plain."""
        unknown = [
            args[i] for i in unknown_operands(callee, list(map(type_of, args)))
            if args[i] not in self._plain
        ]
        if adds_unknown(callee, list(map(type_of, args))):
            self.call(unless_items_overloaded, args[0], loc=self.loc)
        if unknown:
            self.call(unless_overloaded, *unknown, loc=self.loc)
            self._plain.update(o for o in unknown if isinstance(o, Value))

    def _structure(
        self, op: Call, callee: Const, args: list[Operand], mapping: Mapping
    ) -> None:
        names = [value.name for value in op.results]
        found = self.typed_call(callee, args, {}, names, op.loc)
        mapping.update(zip(op.results, found, strict=True))
        made = self.definitions.get(found[0]) if isinstance(found[0], Value) else None
        if isinstance(made, Call) and made.results == found:
            self.varied.update(made.results)
            self.steps.append(StructureStep(made))

    def _rule_call(
        self,
        op: Call,
        callee: Const,
        rule: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        mark, steps = len(self.ops), len(self.steps)
        inlined = None
        if isinstance(rule, types.FunctionType) and not takes_pullback(rule):
            inlined = self._inline_rule(rule, args, kwargs)
        if inlined is None:
            del self.ops[mark:], self.steps[steps:]
            self.dispatched.append((op.loc, f"the rule of {_name(callee)} can't be split"))
            whole = _positional(args) + _keywords(kwargs)
            self._opaque_call(op, dynamic.call_rule, [callee, *args], kwargs, whole, mapping)
            return
        result, made, targets, optional = inlined
        self._as_written(result, callee, args, kwargs, mark)
        is_own = result in _defined_since(self.ops, mark)
        if not isinstance(result, Value) or not is_own or self.parts(result) is not None:
            # A value of its own, whose parts nobody takes out behind the rule's back.
            value = Value("t", type_of(result))
            self._define(Call(Const(primitives.alias), [result], {}, [value], op.loc))
            result = value
        result.name = op.result.name
        if class_of(result.type) is None:
            result.type = op.result.type  # inference knows what a rule doesn't tell
        mapping[op.result] = result
        self.varied.add(result)
        if unknown_operands(callee.value, [TOP]):
            self._plain.add(result)
        back = made.function
        step = RuleStep(
            result, targets, back, list(made.captures), list(made.defaults), optional,
            callee.value, op.loc,
        )
        self.steps.append(step)

    def _as_written(
        self, result: Operand, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
        mark: int,
    ) -> None:
        """Where a rule's value is the call itself, it is the user's call, word for word."""
        call = self.definitions.get(result) if isinstance(result, Value) else None
        if isinstance(call, Call) and any(call is op for op in self.ops[mark:]):
            passed = {*args, *kwargs.values()}
            is_same = isinstance(call.callee, Const) and call.callee.value is callee.value
            if is_same and all(isinstance(o, Const) or o in passed for o in operands_of(call)):
                call.args, call.kwargs = list(args), dict(kwargs)

    def _inline_rule(
        self, rule: types.FunctionType, args: list[Operand], kwargs: dict[str, Operand]
    ) -> tuple[Operand, Lambda, list[Operand], int] | None:
        """Inlines the outer part of a rule: its value, back function and the operands."""
        mark = len(self.ops)
        try:
            source = parse_code(rule.__code__, rule.__globals__)
            bound = bind_operands(self, source, args, kwargs, rule)
        except (CannotBind, Unsupported):
            return None
        captured = [
            self.call(primitives.read_captured, Const(rule), Const(value.name))
            for value in source.captured
        ]
        mapping = dict(zip([*source.captured, *source.params], [*captured, *bound], strict=True))
        outer_globals, self.globals = self.globals, source.globals
        outer_place, self.place = self.place, self.loc
        try:
            exit = self._inline_plain(source.body, mapping)
        finally:
            self.globals, self.place = outer_globals, outer_place
        parts = self.parts(exit.values[0]) if isinstance(exit, Yield) else None
        if parts is None or len(parts) != 2:
            return None
        made = self.definitions.get(parts[1]) if isinstance(parts[1], Value) else None
        if not isinstance(made, Lambda) or not any(made is op for op in self.ops[mark:]):
            return None
        kinds = source.signature
        positional = kinds.positional_only + kinds.positional
        targets = list(bound[:positional])
        optional = source.defaults
        if kinds.vararg:
            extra = self.parts(bound[positional])
            if extra is None:
                return None
            targets += extra
        with_slots = {value.name for value in source.params[:positional]}
        for name, operand in kwargs.items():
            if self.is_varied(operand) and name not in with_slots:
                raise NotDifferentiable(
                    f"the rule for `{rule.__name__}` has no gradient for its keyword argument "
                    f"`{name}`"
                )
        # The back function is not made, nor the tuple that the rule returns it in.
        assert isinstance(exit, Yield)
        whole = exit.values[0]
        pair = self.definitions.get(whole) if isinstance(whole, Value) else None
        self.ops[mark:] = [op for op in self.ops[mark:] if op is not made and op is not pair]
        return parts[0], made, targets, optional

    def _inline_plain(self, block: Block, mapping: Mapping) -> Yield | Raise:
        """Inlines operations that are not differentiated: the outer part of a rule."""
        for op in block.ops:
            Inference.op(self, op, mapping)
        return clone_exit(block.exit, mapping)

    def _static_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> bool:
        """A call of a Python function that is known: through generated code of its own."""
        callee_type = type_of(callee)
        if not isinstance(callee_type, Known | Closure):
            return False
        if isinstance(callee, Const) and is_constant(callee.value):
            return False
        arg_types = tuple(map(type_of, args))
        kwarg_types = {name: type_of(arg) for name, arg in kwargs.items()}
        specialisation = self._specialiser.call(callee_type, arg_types, kwarg_types)
        target = self._specialiser.target(callee_type)
        if specialisation is None or target is None:
            return False
        if len(op.results) != 1 + len(specialisation.updates):
            # Inference took it for one about which the run time tells what it changes.
            self._dynamic_call(op, callee, args, kwargs, mapping)
            return True
        if HEAP_NAME in kwargs:
            target.source = with_heap(target.source)
        owner = self._uncaught(callee)
        defaults, kwdefaults = self._defaults(owner, target)
        mark = len(self.ops)
        bound = bind_operands(self, target.source, args, kwargs, None, defaults, kwdefaults)
        self._note_collected(mark)
        names = [value.name for value in target.source.captured]
        captured = [
            self.call(primitives.read_captured, owner, Const(name)) for name in names
        ]
        inputs = [*captured, *bound]
        # What the function object holds, by the names that its cotangent has for that.
        held = {} if self._is_local(owner) else self._held_by(owner, inputs, target, names)
        is_function_varied = self.is_varied(owner)
        active = frozenset(
            i for i in specialisation.flow
            if self.is_varied(inputs[i])
            or (is_function_varied and (i < len(captured) or i in held))
        )
        if not active:
            self._dynamic_call(op, callee, args, kwargs, mapping)
            return True
        pair = self._pair_of(specialisation, active)
        results = self._apart_from_heap(op, specialisation, inputs, mapping)
        name = results[0].name if len(results) == 1 else "t"
        result, saved = Value(name, specialisation.returned_type), Value("saved", TOP)
        passed = [
            operand for operand, value in zip(
                inputs, [*specialisation.function.captured, *specialisation.function.params],
                strict=True,
            ) if not isinstance(value.type, Known) and value.type != HEAP
        ]
        self._define(Call(Const(pair.forward), passed, {}, [result, saved], op.loc))
        targets: list[tuple[Operand, str | None]] = [
            (owner, held[i]) if i in held else (inputs[i], None)
            for i in specialisation.with_bars(active)
        ]
        self.varied.add(result)
        changes_objects = specialisation.heap in specialisation.updates
        works_on_objects = specialisation.heap is not None or self._reaches_objects(targets)
        self.steps.append(
            CallStep(
                result, targets, pair.back, saved, op.loc, works_on_objects, changes_objects
            )
        )
        if len(results) == 1:
            mapping[results[0]] = result
        else:
            whole = Call(op.callee, op.args, op.kwargs, results, op.loc)
            self._take_apart(whole, result, mapping)
        return True

    def _changes_arguments(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> bool:
        """Whether code for a call gives new versions of its arguments, beside the heap."""
        kwarg_types = {name: type_of(arg) for name, arg in kwargs.items()}
        made = self._specialiser.call(type_of(callee), tuple(map(type_of, args)), kwarg_types)
        return made is not None and any(i != made.heap for i in made.updates)

    def _held_by(
        self, owner: Operand, inputs: list[Operand], target: Target, captured: list[str]
    ) -> dict[int, str]:
        """Which inputs of a call are captured variables and defaults of the function object."""
        held = dict(enumerate(captured))
        for i, value in enumerate(target.source.params, len(captured)):
            operand = inputs[i]
            made = self.definitions.get(operand) if isinstance(operand, Value) else None
            if isinstance(made, Call) and isinstance(made.callee, Const):
                if made.callee.value is primitives.read_default and made.args[0] is owner:
                    held[i] = value.name
        return held

    def _reaches_objects(self, targets: list[tuple[Operand, str | None]]) -> bool:
        """Whether a call has cotangents for objects that the table has to take."""
        return self.heap is not None and any(
            is_object_type(type_of(target)) for target, _ in targets
        )

    def _apart_from_heap(
        self, op: Call, specialisation: Specialisation, inputs: list[Operand], mapping: Mapping
    ) -> list[Value]:
        """The results that generated code returns; the heap stays what it is."""
        number = specialisation.heap
        if number is None or number not in specialisation.updates:
            return op.results
        position = 1 + specialisation.updates.index(number)
        mapping[op.results[position]] = inputs[number]
        return [value for i, value in enumerate(op.results) if i != position]

    def _take_apart(self, op: Call, whole: Value, mapping: Mapping) -> None:
        """The results of a call from the tuple that it returned."""
        results = [Value(value.name, value.type) for value in op.results]
        count = Const(len(results))
        made = Call(Const(primitives.unpack), [whole, count], {}, results, op.loc)
        self._define(made)
        self._note_results(op.results, results, mapping)
        if any(value in self.varied for value in results):
            self.steps.append(StructureStep(made))

    def _note_collected(self, mark: int) -> None:
        """The tuple and dict of further arguments, made since then, pass derivatives through."""
        for op in self.ops[mark:]:
            if isinstance(op, Call) and any(map(self.is_varied, op.args)):
                self.varied.update(op.results)
                self.steps.append(StructureStep(op))

    def _uncaught(self, callee: Operand) -> Operand:
        """The function object that holds what a function, or its catching variant, captured."""
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        if isinstance(made, Call) and isinstance(made.callee, Const):
            if made.callee.value is primitives.catching:
                return made.args[0]
        return callee

    def _is_local(self, callee: Operand) -> bool:
        return isinstance(callee, Value) and isinstance(self.definitions.get(callee), Lambda)

    def _defaults(
        self, callee: Operand, target: Target
    ) -> tuple[list[Operand], dict[str, Operand]]:
        function: Any = target.function
        if function is None and isinstance(callee, Const):
            function = callee.value  # of which the target is the catching variant
        if isinstance(function, types.FunctionType):
            values = function.__defaults__ or ()
            keywords = function.__kwdefaults__ or {}
            return list(map(Const, values)), {n: Const(v) for n, v in keywords.items()}
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        if isinstance(made, Lambda):
            return made.defaults, made.kwdefaults
        if not target.defaults and not target.kwdefaults:
            return [], {}
        return read_defaults(self, callee, target)

    def _dynamic_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        if len(op.results) != 1:
            # Unpacking by a known primitive: the run time differentiates the tuple it returns.
            whole = Value("t", TOP)
            call = Call(callee, op.args, op.kwargs, [whole], op.loc)
            self._flows._flows[whole] = self._flows.of(op.results[0])
            self._varied_call(call, callee, args, kwargs, mapping)
            made = Call(
                Const(primitives.unpack), [mapping[whole], Const(len(op.results))], {},
                [Value(v.name, v.type) for v in op.results], op.loc,
            )
            self._define(made)
            self.varied.update(made.results)
            mapping.update(zip(op.results, made.results, strict=True))
            self.steps.append(StructureStep(made))
            return
        if HEAP_NAME in kwargs:  # which the run time has by itself
            kwargs = without_heap(kwargs)
        elif self.heap is None and self._works_on_objects(op, callee, args, kwargs):
            self._specialiser.needs_heap.add(self._function)
            raise NeedsHeap(f"the call of {_name(callee)} may work on objects", op.loc)
        self.dispatched.append((op.loc, f"{_name(callee)} is not known at compile time"))
        targets = _positional([callee, *args]) + _keywords(kwargs)
        if isinstance(callee, Const) and callee.value is primitives.apply:
            self._opaque_call(op, dynamic.pullback_apply, args, {}, _positional(args), mapping)
            return
        self._opaque_call(op, dynamic.pullback_call, [callee, *args], kwargs, targets, mapping)

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
        self._dynamic_call(single, callee, args, kwargs, mapping)
        step = self.steps[-1]
        assert isinstance(step, OpaqueStep)
        mapping[heap] = before
        step.changes_objects = True

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
        if found and len(op.args) == len(args) and isinstance(callee, Const):
            found = self.surroundings.works_on_objects(
                type_of(callee), tuple(map(type_of, op.args)), kwtypes
            )
        return found

    def _opaque_call(
        self,
        op: Call,
        function: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        targets: list[tuple[Operand, str | None]],
        mapping: Mapping,
    ) -> None:
        result, back = Value(op.result.name, op.result.type), Value("back", TOP)
        self._define(Call(Const(function), args, kwargs, [result, back], op.loc))
        mapping[op.result] = result
        self.varied.add(result)
        self.steps.append(OpaqueStep(result, targets, back, op.loc, self.heap is not None))


def _positional(operands: list[Operand]) -> list[tuple[Operand, str | None]]:
    return [(operand, None) for operand in operands]


def _keywords(kwargs: dict[str, Operand]) -> list[tuple[Operand, str | None]]:
    return [(operand, name) for name, operand in kwargs.items()]


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
            f"{_name(callee)} is given an object, and zyg can't tell what it reads of it",
            loc, advice="define its rule with @zyg.adjoint, or keep it out with zyg.dropgrad",
        )


def _but_heap(values: list[Operand], of: list[Value]) -> list[Operand]:
    return [value for value, like in zip(values, of, strict=True) if like.type != HEAP]


def works_on_heap(steps: list[Step]) -> bool:
    """Whether some of the steps read or change what objects hold."""
    for step in steps:
        match step:
            case ReadStep() | StoreStep() | ContentsStep():
                return True
            case CallStep() | OpaqueStep():
                if step.changes_objects:
                    return True
            case BranchStep(_, arms):
                if any(map(works_on_heap, arms)):
                    return True
            case LoopStep(_, inner):
                if works_on_heap(inner):
                    return True
    return False


def touches_heap(steps: list[Step]) -> bool:
    """Whether the adjoint of some of the steps may change the cotangents of what objects hold."""
    for step in steps:
        match step:
            case RuleStep() if any(is_object_type(type_of(target)) for target in step.targets):
                return True
            case ReadStep() | StoreStep() | ContentsStep():
                return True
            case CallStep() | OpaqueStep():
                if step.works_on_objects or step.changes_objects:
                    return True
            case BranchStep(_, arms):
                if any(map(touches_heap, arms)):
                    return True
            case LoopStep(_, inner):
                if touches_heap(inner):
                    return True
    return False


def _defined_since(ops: list[Op], mark: int) -> set[Value]:
    return {value for op in ops[mark:] for value in op.results}


def _name(operand: Operand) -> str:
    if isinstance(operand, Const):
        return getattr(operand.value, "__name__", repr(operand.value))
    return operand.name if operand.name != "t" else "a callee"


def _is_count(obj: Operand, name: str) -> bool:
    """Whether an attribute says how far an iterator has come: it has no derivative."""
    cls = class_of(type_of(obj))
    return cls is not None and issubclass(cls, Generator) and name in cls.counts
