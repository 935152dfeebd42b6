"""What inference is told of globals, attributes and calls while it types a differentiated function.
"""

from __future__ import annotations

import builtins
import enum
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, For, Function, Location, Operand, Yield, type_of
from ir.errors import SourceNotFound, Unsupported
from ir.inference.special_calls import is_literal
from ir.inference.surroundings import Inlinable
from ir.inference.typed_calls import TypedCalls
from ir.late import imported, late
from ir.outer_cells import OuterCell
from ir.parse import parse_code
from ir.shared_names import owner_of_names
from ir.types import BOTTOM, TOP, Closure, Known, Scalar, Type, class_of
from zyg.compiler.assigned import is_of_users
from zyg.compiler.guards import Absent, observed, same_function
from zyg.compiler.inference.arithmetic import is_arithmetic
from zyg.compiler.inference.asked import check_asked, makes_text
from zyg.compiler.inference.constructors import with_source
from zyg.compiler.inference.conversions import refuse_objects
from zyg.compiler.inference.deciding_functions import CACHED
from zyg.compiler.inference.declared_constant import (
    constants_put,
    followed_call,
    is_code_of_constant,
)
from zyg.compiler.inference.effect_surroundings import EffectSurroundings
from zyg.compiler.inference.known_callees import known_call, maker_of
from zyg.compiler.inference.objects import is_object_type
from zyg.compiler.inference.rule_results import method_by_rules, rule_result, with_declared_type
from zyg.compiler.inference.stepping import PROGRAMS, READERS
from zyg.compiler.nested import inner_gradients
from zyg.compiler.origins import is_of_zyg, is_ours, is_run_time, works_on_values
from zyg.compiler.overwriting.mutation import is_harmless, is_users, refuse_mutation
from zyg.compiler.run_time.outputs import without_output
from zyg.rules.registry import (
    Unread,
    is_constant,
    is_listed,
    is_solver,
    method_of_ufunc,
    rule_of,
    stand_in_of,
    substitute_of,
)
from zyg.signature import is_by_rules

if TYPE_CHECKING:
    from ir.inference.infer import Inference
    from ir.rewrite import Mapping
    from zyg.compiler.inference import texts
    from zyg.facts import numpy_changes
else:
    numpy_changes = late("zyg.facts.numpy_changes")
    texts = late("zyg.compiler.inference.texts")

MAX_INLINED_OPS = 30


class ProgramSurroundings(EffectSurroundings):
    """Answers the questions of inference for one specialisation, and notes the guards."""

    def works_on_values(self, module_globals: dict[str, Any]) -> bool:
        return works_on_values(module_globals)

    def known_function(self, function: Type) -> tuple[Function, tuple[Type, ...]] | None:
        code = getattr(function.value, "__code__", None) if isinstance(function, Known) else (
            function.code if isinstance(function, Closure) else None
        )
        if not isinstance(code, types.CodeType):
            return None
        if isinstance(function, Known) and is_constant(function.value):
            return None
        try:
            target = self._specialiser.target(function)
        except (Unsupported, SourceNotFound):
            return None
        if target is None or target.source.code is not code:
            return None
        return target.source, target.captures

    def is_arithmetic(self, callee: object, types: list[Type]) -> bool:
        return is_arithmetic(callee, types)

    def global_type(self, module_globals: dict[str, Any], name: str) -> Type:
        for container in (module_globals, vars(builtins)):
            if name in container:
                type_, guard = observed(container, name)
                if not isinstance(type_, Known) and is_of_users(module_globals):
                    self._made.names[id(container), name] = container, name
                known = self._specialiser.assigned.read(container, name, type_)
                if known != type_:
                    return known
                if is_object_type(type_) or not isinstance(type_, Known):
                    self.note_objects(container, name, type_)
                if is_of_zyg(module_globals):
                    return type_
                if guard is not None:
                    self._made.guards[id(container), name] = guard
                if container is not module_globals:
                    # A global of this name would hide the builtin.
                    self._made.guards[id(module_globals), name] = Absent(module_globals, name)
                return type_
        return TOP

    def attribute_type(self, owner: object, name: str) -> Type:
        container = vars(owner) if isinstance(owner, type) else owner_of_names(owner)
        if name not in container and isinstance(owner, type):
            base = next((base for base in owner.__mro__ if name in vars(base)), None)
            if base is not None and _is_typed(vars(base)[name]):
                self.note_absent_below(owner, base, name)
                return self.attribute_type(base, name)
            self.note_read_of_class(owner, name)
        if name not in container and isinstance(owner, OuterCell):
            return TOP  # not bound yet
        if name not in container:
            value = getattr(owner, name, None)  # lazy modules fill in what is asked for
            if name not in container:
                return Known(value) if isinstance(value, types.FunctionType | type) else TOP
        type_, guard = observed(container, name)
        if not isinstance(type_, Known):
            self.note_objects(container, name, type_)
        if not isinstance(type_, Known) and is_of_users(owner_of_names(owner)):
            named = owner_of_names(owner)
            self._made.names[id(named), name] = named, name
        known = self._specialiser.assigned.read(owner_of_names(owner), name, type_)
        if known != type_:
            return known
        if guard is not None and not getattr(owner, "__name__", "").startswith("zyg."):
            self._made.guards[id(owner_of_names(owner)), name] = guard
        if isinstance(owner, enum.EnumMeta) and isinstance(container[name], owner):
            return Known(container[name])  # a member, which is never assigned again
        if isinstance(owner, type) and isinstance(container[name], types.ClassMethodDescriptorType):
            method = getattr(owner, name)
            if substitute_of(method) is not None:
                return Known(method)
        if isinstance(owner, type) and (
            not isinstance(type_, Known) or _is_bound_later(type_.value)
        ):
            return type_ if _is_typed(container[name]) else TOP
        if isinstance(owner, type) and isinstance(type_, Known):
            if isinstance(type_.value, types.FunctionType):
                return Known(with_source(type_.value, owner))
        return type_

    def expanded(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> Operand | None:
        method = method_by_rules(callee.value) if isinstance(callee, Const) else None
        if method is not None:
            function, owner = method
            return inference.typed_call(
                Const(function), [Const(owner), *args], kwargs, ["t"], loc
            )[0]
        if isinstance(callee, Const) and (
            inference.places is not None or callee.value is primitives.stored
        ):
            refuse_objects(inference, callee, [*args, *kwargs.values()], loc)
        # Without places, `check_call` was asked about the call before.
        if inference.places is not None and isinstance(callee, Const) and not is_users(callee):
            others, rest, out = without_output(callee.value, args, kwargs)
            where = kwargs.get("where")
            if isinstance(where, Const) and where.value is True:
                plain_call = {name: arg for name, arg in kwargs.items() if name != "where"}
                return inference.typed_call(callee, args, plain_call, ["t"], loc)[0]
            written = None
            if out is not None:
                written = self._written_out(inference, callee.value, others, rest, out, loc)
            elif callee.value is np.ufunc.at:
                written = numpy_changes.added_at(inference, callee.value, args, kwargs, loc)
            if written is not None:
                return written[0]
        if isinstance(callee, Const) and inference.places is not None:
            followed = followed_call(
                self._specialiser, inference, self._made.source, callee.value, args, kwargs, loc
            )
            if followed is not None:
                return followed
        if isinstance(callee, Const):
            known = known_call(inference, self._made.guards, callee.value, args, kwargs, loc)
            if known is not None:
                return known
            found = _python_code(callee.value, args, kwargs)
            if found is not None:
                plain, given = found
                made = inference.typed_call(Const(plain), given, kwargs, ["t"], loc)[0]
                return with_declared_type(made, callee.value, args, kwargs)
        if inference.places is not None and isinstance(callee, Const):
            maker = maker_of(self.call_type, callee, args, kwargs)
            if maker is not None:
                return inference.typed_call(Const(maker), args, kwargs, ["t"], loc)[0]
        if isinstance(callee, Const) and is_solver(callee.value):
            solved = self._solver_inside(callee.value)
            if solved is not None:
                return inference.typed_call(Const(solved), args, kwargs, ["t"], loc)[0]
        if inference.places is not None and isinstance(callee, Const) and (
            kwargs or not is_harmless(callee)
        ):
            refuse_mutation(inference, callee, args, kwargs, loc)
        if inference.places is not None and isinstance(callee, Const) and (
            makes_text(callee.value, args, kwargs) and texts.may_change_by_text(args, kwargs)
        ):
            checked = Const(texts.unchanged_by)
            return inference.typed_call(checked, [callee, *args], kwargs, ["text"], loc)[0]
        if inference.places is not None and isinstance(callee, Const):
            check_asked(inference, callee, args, self._made.home, loc)
        expanded: Operand | None = self._specialiser.expand(
            self._specialiser, inference, callee, args, kwargs, loc
        )
        return expanded

    def _solver_inside(self, solver: Any) -> Any:
        """The plain code for a solver, in a program with gradients of what calls solvers."""
        if self._specialiser.follows_solvers:
            plain = inner_gradients.solver_inside(solver)
            if plain is None and self._specialiser.inner_gradients:
                raise inner_gradients.no_code(solver)
            return plain
        self._made.calls_solver = True
        if self._specialiser.inner_gradients:
            raise inner_gradients.CallsSolver
        return None

    def _written_out(
        self,
        inference: TypedCalls,
        callee: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        out: Operand,
        loc: Location | None,
    ) -> list[Operand] | None:
        masked = None
        if "where" in kwargs and isinstance(callee, np.ufunc):
            masked = stand_in_of(callee, args, kwargs, _known_or_unread)
            if masked is None:
                return None
        return numpy_changes.written_out(inference, callee, args, kwargs, out, masked, ["t"], loc)

    def outlined(
        self, inference: Inference, op: For, iterables: list[Operand], mapping: Mapping
    ) -> list[Operand] | None:
        checkpointing = imported("zyg.checkpointing")
        if checkpointing is None or len(iterables) != 1:
            return None
        if class_of(type_of(iterables[0])) is not checkpointing.Checkpoints:
            return None
        from zyg.compiler.checkpoints.checkpoint_loops import outlined  # few programs need it

        return outlined(self._specialiser, inference, op, iterables[0], mapping)

    def check_call(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> None:
        checkpointing = imported("zyg.checkpointing")
        if checkpointing is not None and (
            isinstance(callee, Const) and callee.value is checkpointing.checkpoints
        ):
            from zyg.compiler.checkpoints.checkpoint_loops import elsewhere  # few programs need it

            raise elsewhere(loc)
        refuse_mutation(inference, callee, args, kwargs, loc)

    def refuse_taken_apart(
        self, inference: TypedCalls, callee: Const, args: list[Operand], loc: Location | None
    ) -> None:
        refuse_objects(inference, callee, args, loc)

    def put(
        self, inference: TypedCalls, memory: Operand, operands: list[Operand],
        loc: Location | None,
    ) -> list[Operand]:
        return constants_put(inference, self._made.source, memory, operands, loc)

    def inlinable(self, callee: object) -> Inlinable | None:
        """Helpers of rules, and small functions of the user's without control flow."""
        if not isinstance(callee, types.FunctionType) or is_run_time(callee):
            return None
        if is_ours(callee) and facts.result_of(callee) is not None and is_listed(callee):
            return None  # whose rule is for second derivatives
        if rule_of(callee) is not None or is_constant(callee) or callee.__closure__:
            return None
        if is_code_of_constant(callee):
            return None  # what it calls has to be known to be called by it
        if substitute_of(callee) is not None:
            return None
        if facts.has_effect(callee) or is_by_rules(callee):
            return None
        module = str(callee.__module__)
        is_own = module.startswith("zyg.rules.") and module not in PROGRAMS
        if callee.__code__.co_flags & (0x80 | 0x200):
            return None
        try:
            source = parse_code(
                callee.__code__, callee.__globals__, in_cells=bool(self._specialiser.in_cells)
            )
        except (Unsupported, SourceNotFound):
            return None
        if not is_own:
            if not _is_small(source):
                return None
            self._made.guards[id(callee)] = same_function(callee)
        return Inlinable(
            source, callee.__defaults__ or (), callee.__kwdefaults__ or {}, is_own
        )

    def is_inlined(self, function: Function) -> bool:
        """Small functions without control flow, which aren't parts of rules."""
        return not is_of_zyg(function.globals) and _is_small(function)

    def call_type(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Type:
        if isinstance(callee, Known) and rule_of(callee.value) is not None:
            is_python = isinstance(callee.value, types.FunctionType)
            if callee.value not in self.ruled or not is_python or is_run_time(callee.value):
                return rule_result(self, callee.value, args, kwargs)
            if is_by_rules(callee.value):
                return TOP
            # The rule of a Python function gives the value by calling that function.
            callee = Closure(callee.value.__code__, callee.value.__globals__, ())
            if self._made.source.code is callee.code or callee.code.co_freevars:
                return TOP
        if isinstance(callee, Known) and type(callee.value) is CACHED:
            made = self._specialiser.remembers_numbers(callee.value, args, kwargs)
            # A number of another class may be remembered for equal arguments, and is one, too.
            is_number = made is not None and made.value_type in (BOTTOM, Scalar(float))
            return made.value_type if made is not None and is_number else TOP
        try:
            specialisation = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return TOP  # an error only where the call has to be differentiated
        if specialisation is None:
            return TOP
        if specialisation.value_type is BOTTOM and isinstance(callee, Known) and (
            is_constant(callee.value)
        ):
            return TOP  # called as it is, and not by what stands for the functions that it calls
        return specialisation.value_type


def _is_typed(value: Any) -> bool:
    """Whether what a class holds for all of its objects is typed where it is read: it is memory, or
    numbers and text."""
    return is_literal(value) or type(value) in (list, dict, np.ndarray)


def _is_small(source: Function) -> bool:
    """Whether a function is a few operations in a row."""
    ops = source.body.ops
    return len(ops) <= MAX_INLINED_OPS and all(isinstance(op, Call) for op in ops) and (
        isinstance(source.body.exit, Yield)
    )


def _is_bound_later(member: Any) -> bool:
    """Whether a class binds what it has under a name when it is asked for it, or unwraps it."""
    if isinstance(member, types.ClassMethodDescriptorType):
        return rule_of(member) is None and id(member) not in READERS
    return isinstance(member, classmethod | staticmethod)


def _python_code(
    callee: Any, args: list[Operand], kwargs: dict[str, Operand]
) -> tuple[Any, list[Operand]] | None:
    """The Python code that stands for a method of a ufunc, or for options that a rule hasn't.

    With it the arguments that it takes.
    """
    if type(callee) is types.MethodDescriptorType and callee.__objclass__ is np.ufunc:
        ufunc = args[0].value if args and isinstance(args[0], Const) else None
        plain = method_of_ufunc(ufunc, callee.__name__)
        return None if plain is None else (plain, args)
    if type(callee) is types.FunctionType and is_ours(callee):
        return None
    plain = stand_in_of(callee, args, kwargs, _known_or_unread)
    if plain is not None and isinstance(callee, np.ufunc):
        args = [Const(callee), *args]
    return None if plain is None else (plain, args)


def _known_or_unread(operand: Operand) -> Any:
    if isinstance(operand, Const):
        return operand.value
    type_ = operand.type
    return type_.value if isinstance(type_, Known) else Unread(class_of(type_))
