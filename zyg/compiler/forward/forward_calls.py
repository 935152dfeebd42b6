"""Calls of the user's functions in the forward pass: by their own forward functions, static where
they are known, and else found at run time.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import primitives, try_primitives
from ir.core import Call, Const, Lambda, Operand, Value, type_of
from ir.errors import NeedsHeap, Unsupported
from ir.heap import HEAP, HEAP_NAME, with_heap, without_heap
from ir.late import late
from ir.rewrite import Mapping
from ir.types import TOP, Closure, Known
from zyg.compiler.forward.forward_objects import ForwardObjects
from zyg.compiler.forward.forward_rules import callee_name, keyword_targets, positional_targets
from zyg.compiler.forward.forward_steps import CallStep, StructureStep
from zyg.compiler.inference.arguments import bind_operands, read_defaults
from zyg.compiler.inference.declared_constant import is_followed
from zyg.compiler.inference.objects import holds_no_objects
from zyg.compiler.specialisation import Specialisation, Target
from zyg.rules.registry import is_constant, substitute_of

if TYPE_CHECKING:
    from zyg.compiler.run_time import dynamic
else:  # it is for calls that are found at run time
    dynamic = late("zyg.compiler.run_time.dynamic")


def _is_of_gradients(made: Specialisation) -> bool:
    """Whether code is that of a derivative inside of the program."""
    module = str(made.source.globals.get("__name__"))
    is_ours = module.startswith("zyg.") and not module.startswith("zyg.rules.")
    return is_ours or (made.source.is_generated and made.source.name.endswith("_gradient"))


def _narrowed(
    op: Call, made: Specialisation, kwargs: dict[str, Operand]
) -> tuple[Call, Mapping] | None:
    """A call with the results that code for it has, and the other results; None where the run time
    has to tell what it changes.

    What an attribute holds may be at hand, and its type narrower than inference knew: code for that
    may leave the objects as they are.
    """
    missing = len(op.results) - 1 - len(made.updates)
    if missing == 0:
        return op, {}
    if not isinstance(op.callee, Const) or op.callee.value is not primitives.updating:
        return None
    positions: Any = op.args[1]
    if missing == 1 and made.heap not in made.updates and HEAP_NAME in positions.value:
        place = 1 + positions.value.index(HEAP_NAME)
        results = [value for i, value in enumerate(op.results) if i != place]
        call = Call(op.callee, op.args, op.kwargs, results, op.loc)
        return call, {op.results[place]: kwargs[HEAP_NAME]}
    raise Unsupported(
        f"a call of {callee_name(op.args[0])}, where what is known of its arguments behind what "
        "objects hold tells that it changes less than it may", op.loc,
        advice="give it the value in the place of the attribute",
    )


class ForwardCalls(ForwardObjects):
    """Appends calls of other differentiated functions."""

    def _varied_call(
        self,
        op: Call,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        raise AssertionError("given by Augmenter")

    def _plain_call(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        raise AssertionError("given by Augmenter")

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
        narrowed = _narrowed(op, specialisation, kwargs)
        if narrowed is None:
            # Inference took it for one about which the run time tells what it changes.
            self._dynamic_call(op, callee, args, kwargs, mapping)
            return True
        op, kept = narrowed
        mapping.update(kept)
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
        if not active and len(op.results) > 1 and (
            specialisation.heap not in specialisation.updates
        ):
            # Items of a list were moved, by comparisons alone.
            changing = [callee, op.args[1], *args]
            self._plain_call(op, Const(primitives.updating), changing, kwargs, mapping)
            return True
        if not active and not is_followed(target.source):
            self._dynamic_call(op, callee, args, kwargs, mapping)
            return True
        pair = self._pair_of(specialisation, active, frozenset(held))
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
        changes_objects = specialisation.heap in specialisation.updates
        may_find = specialisation.heap is None and self._may_find_objects(passed)
        if may_find and self.is_inner and _is_of_gradients(specialisation):
            raise Unsupported(
                f"the gradient of {callee_name(op.callee)}, which may find objects when it runs, "
                "inside of differentiated code", op.loc, advice="give it what it reads of them",
            )
        works_on_objects = specialisation.heap is not None or may_find
        if active:
            self.varied.add(result)
        if active or changes_objects:
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

    def _changes_arguments(self, op: Call) -> bool:
        """Whether code for a call that changes the heap gives new versions of its arguments, too; a
        function that is declared to have no derivative, and isn't followed, may change any."""
        callee, args = op.args[0], op.args[2:]
        if isinstance(callee, Const) and is_constant(callee.value):
            return True
        kwarg_types = {name: type_of(arg) for name, arg in op.kwargs.items()}
        made = self._specialiser.call(type_of(callee), tuple(map(type_of, args)), kwarg_types)
        return made is not None and made.changes_arguments

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

    def _may_find_objects(self, given: list[Operand]) -> bool:
        """Whether a call may leave cotangents to objects, which it finds when it runs."""
        return self.heap is not None and not all(
            holds_no_objects(type_of(operand)) for operand in given
        )

    def _take_apart(self, op: Call, whole: Value, mapping: Mapping) -> None:
        """The results of a call from the tuple that it returned."""
        results = [Value(value.name, value.type) for value in op.results]
        count = Const(len(results))
        made = Call(Const(primitives.unpack), [whole, count], {}, results, op.loc)
        self._define(made)
        self._note_results(op.results, results, mapping)
        if any(value in self.varied for value in results):
            self.steps.append(StructureStep(made))

    def _uncaught(self, callee: Operand) -> Operand:
        """The function object that holds what a function, or its catching variant, captured."""
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        if isinstance(made, Call) and isinstance(made.callee, Const):
            if made.callee.value is try_primitives.catching:
                return made.args[0]
        return callee

    def _defaults(
        self, callee: Operand, target: Target
    ) -> tuple[list[Operand], dict[str, Operand]]:
        function: Any = target.function
        if function is None and isinstance(callee, Const):
            # Of which, or of whose stand-in, the target is the catching variant.
            function = substitute_of(callee.value) or callee.value
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
        if isinstance(callee, Const) and hasattr(callee.value, "ir_function"):
            raise Unsupported(
                f"the derivative of `{callee_name(callee)}`, a part of a gradient that is "
                "differentiated, and works on objects", op.loc,
                advice="let the function return what it computes",
            )  # the run time doesn't know generated functions
        if HEAP_NAME in kwargs:  # which the run time has by itself
            kwargs = without_heap(kwargs)
        elif self._needs_heap(op, callee, args, kwargs):
            self._specialiser.needs_heap.add(self._function)
            raise NeedsHeap(f"the call of {callee_name(callee)} may work on objects", op.loc)
        self.dispatched.append((op.loc, f"{callee_name(callee)} is not known at compile time"))
        targets = positional_targets([callee, *args]) + keyword_targets(kwargs)
        if isinstance(callee, Const) and callee.value is primitives.apply:
            targets = positional_targets(args)
            self._opaque_call(op, dynamic.pullback_apply, args, {}, targets, mapping)
            return
        self._opaque_call(op, dynamic.pullback_call, [callee, *args], kwargs, targets, mapping)
