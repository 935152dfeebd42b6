"""Makes tangent functions: the code of a function and of its tangent, in one.

    def f(x):                     def f_tangent(x, x_dot):
        y = math.sin(x)               y = math.sin(x)
        return y * y                  y_dot = x_dot * math.cos(x)
                                      return y * y, 2 * y * y_dot

A tangent function takes the arguments, then the tangents of the active ones, and returns the value
and its tangent.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    Op,
    Operand,
    Try,
    Value,
    Yield,
    blocks_of,
    operands_of,
    type_of,
)
from ir.emit import Emitted
from ir.errors import Unsupported
from ir.record import made as fresh
from ir.record import node
from ir.rewrite import count_uses, substitute, walk
from ir.simplify import Key, eliminate_dead, is_pure, is_shareable, is_silent, sharing_key
from ir.types import Scalar
from zyg.compiler.activity import Flow
from zyg.compiler.assemble import Compiler
from zyg.compiler.forward_mode import tangent_primitives, tangent_stores, tangents_again
from zyg.compiler.forward_mode.tangent_builder import TangentBuilder
from zyg.compiler.forward_mode.tangent_types import dot_type
from zyg.compiler.generated import (
    Generated,
    finished_function,
    identifier,
    load,
    passed_inputs,
)
from zyg.compiler.inference.surroundings import ProgramSurroundings
from zyg.compiler.nested.inner_gradients import Derived
from zyg.compiler.reverse.cotangent_types import is_numeric
from zyg.compiler.reverse.returned import inputs_without_heap
from zyg.compiler.specialisation import Specialisation
from zyg.held.nested_shadows import TABLE, new_table
from zyg.rules import (
    registry,
    tangents_of_arrays,
    tangents_of_changes,
    tangents_of_containers,
)
from zyg.tangents.tangent_objects import READING

# What these modules are imported for is what they declare.
DECLARING = (
    tangent_primitives, tangent_stores, tangents_again, tangents_of_arrays, tangents_of_changes,
    tangents_of_containers,
)
facts.helpers("zyg.tangents.tangent")
registry.register_late("zyg.tangents.tangent")

# A specialisation, its active inputs, whether its value alone is wanted, whether it stands in code
# that is differentiated, and what is known of objects then.
Made = tuple[Specialisation, Flow, bool, bool, object]


@node
class TangentCode:
    """The tangent function of a specialisation for certain active inputs."""

    forward: Generated
    passed: list[int]
    active: list[int]
    # The arguments that the tangents belong to, where it takes those of arguments only.
    positions: list[int] | None = None
    back: Any = None
    emitted: Emitted | None = None
    dispatched: list[tuple[Any, str]] = fresh(list)
    # Whether memory that objects hold may be changed in place.
    changes_held: bool = False


class TangentCompiler:
    """Generates tangent functions beside the pairs that a compiler makes."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._made: dict[Made, TangentCode] = {}
        self._derived: dict[object, Derived] = {}
        self._pending: list[tuple[Made, TangentCode]] = []
        self._fresh: list[Made] = []

    def called_tangent(self, made: Specialisation, active: Flow, held: Flow) -> TangentCode:
        """The tangent function for a call in generated code."""
        return self.tangent(made, active)

    def tangent(self, made: Specialisation, active: Flow, of_value: bool = False) -> TangentCode:
        """The tangent function; its code is there once `finish` has run."""
        of_value = of_value and bool(made.handed_out)
        is_inner, state = self._compiler.is_inner, self._compiler.state_of_objects(made)
        key = made, active, of_value, is_inner, state
        known = self._made.get(key)
        if known is not None:
            return known
        returned = made.value_type if of_value else made.returned_type
        passed = passed_inputs(made)
        function = Generated(
            f"{identifier(made.function.name)}_tangent", [returned, dot_type(returned)]
        )
        function.changes = tuple(passed.index(i) for i in made.handed_out)
        function.works_on_objects = made.heap is not None
        function.is_of_program = self._compiler.takes_table(made)
        code = TangentCode(function, passed, made.with_bars(active))
        function.pair = code  # type: ignore[assignment]
        self._made[key] = code
        self._fresh.append(key)
        self._pending.append((key, code))
        return code

    def finish(self) -> None:
        """Generates and loads all tangent functions that were asked for."""
        try:
            while self._pending:
                (made, active, of_value, is_inner, _), code = self._pending.pop()
                with self._compiler.for_gradient(is_inner):
                    self._generate(made, active, of_value, code)
            self._compiler.finish()
        except BaseException:
            self._forget_behind(0, 0)
            raise
        finally:
            self._fresh.clear()

    def _forget_behind(self, fresh: int, pending: int) -> None:
        """Forgets the tangent functions that were asked for last, and have no code yet."""
        for key in self._fresh[fresh:]:
            self._made.pop(key, None)
        del self._fresh[fresh:], self._pending[pending:]

    def derived(self, made: Specialisation, active: Flow) -> Derived:
        """The tangent function as IR that other IR calls, with the code of all that it calls."""
        with self._compiler.for_gradient(is_inner=True):
            key = made, active, self._compiler.state_of_objects(made)
            known = self._derived.get(key)
            if known is None:
                generated = Generated(f"{identifier(made.function.name)}_tangent", [])
                code = TangentCode(generated, passed_inputs(made), made.with_bars(active))
                counts = len(self._fresh), len(self._pending)
                try:
                    function = self._function(made, active, False, code, is_inner=True)
                except BaseException:
                    self._forget_behind(*counts)
                    raise
                known = self._derived[key] = Derived(function, code.passed, code.active)
                known.is_of_program = made.heap is not None
                self.finish()
        return known

    def _generate(
        self, made: Specialisation, active: Flow, of_value: bool, code: TangentCode
    ) -> None:
        code.forward.ir_function = self._function(made, active, of_value, code)
        try:
            code.emitted = load(made, [code.forward])
        except AssertionError as error:  # versions in nested `try` that need two names at once
            raise Unsupported(
                f"forward mode can't write the code of `{made.function.name}`", made.function.loc,
                advice="use zyg.pullback",
            ) from error

    def _function(
        self, made: Specialisation, active: Flow, of_value: bool, code: TangentCode,
        is_inner: bool = False,
    ) -> Function:
        """The tangent function; with `is_inner` it stands in code that is differentiated, and its
        own table of tangents is made there."""
        specialiser = self._compiler.specialiser
        takes_table = self._compiler.takes_table(made)
        specialiser._stack.append(made)
        try:
            builder = TangentBuilder(
                specialiser, ProgramSurroundings(specialiser, made), made, active,
                self.called_tangent,
            )
            builder.is_differentiated = self._compiler.is_inner
            if takes_table:
                builder.is_inner = True
                builder.table = builder.call(new_table, name="heap_dot") if is_inner else (
                    Value("heap_dot", TABLE)
                )
            result = builder.augment(made.function)
            result = inputs_without_heap(made, builder, result)[1]
            builder.note_steps()
            builder.catch_up()
            versions: list[Operand] = []
            if (of_value or is_inner) and made.handed_out:
                parts = builder.parts(result)
                assert parts is not None, "the body ends in the value and the versions"
                result, *versions = parts
            dot = builder.dot_or_zero(result)
            whole = builder.call(primitives.build_tuple, result, dot)
            if is_inner and versions:
                whole = builder.call(primitives.build_tuple, whole, *versions)
        finally:
            specialiser._stack.pop()
        body = Block([], builder.ops, Yield([whole]))
        share_own(body, builder.own)
        if any(isinstance(op, Try) for op in walk(body)):
            leave_out_unread(body, builder.own, count_uses(body))

        def is_removable(call: Op) -> bool:
            assert isinstance(call, Call)
            return is_silent(call) or (call in builder.own and is_pure(call))

        eliminate_dead(body, is_removable)
        if takes_table:
            from zyg.compiler.nested.nested_dots import as_program  # few programs need it

            assert specialiser.fields is not None and builder.table is not None
            as_program(body, specialiser.fields, builder.table)
        inputs = [*made.function.captured, *made.function.params]
        params = [inputs[i] for i in code.passed]
        params += [builder.dot_params[i] for i in code.active]
        if isinstance(builder.table, Value) and not is_inner:
            params.append(builder.table)
        code.dispatched = builder.dispatched
        code.changes_held = made.heap is not None and builder.surroundings.may_change_held()
        function = finished_function(made, code.forward.name, params, body)
        function.changes = tuple(code.passed.index(i) for i in made.handed_out)
        if is_inner and versions:
            function.updates = function.changes
            function.effects = [
                effect for i, effect in zip(made.updates, made.effects, strict=True)
                if i in made.handed_out
            ]
        return function


def share_own(block: Block, own: set[Op], known: dict[Key, list[Value]] | None = None) -> None:
    """Computes equal expressions once: those that are there for tangents only, and numbers.

    Arrays for tangents are never changed in place before `ownership` has seen who reads them.
    """
    known = dict(known or {})
    mapping: dict[Value, Operand] = {}
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, Call) and _may_be_shared(op, own):
            key = sharing_key(op, mapping)
            earlier = known.get(key)
            if earlier is not None:
                mapping.update(zip(op.results, earlier, strict=True))
                continue
            known[key] = op.results
        ops.append(op)
        for inner in blocks_of(op):
            substitute(inner, mapping)
            share_own(inner, own, known)
    block.ops = ops
    substitute(block, mapping)


def leave_out_unread(block: Block, own: set[Op], uses: Counter[Value]) -> None:
    """Leaves out what is there for tangents only and isn't read, also where a `try` guards it: an
    error of that would be none of the program's."""
    kept: list[Op] = []
    for op in reversed(block.ops):
        for inner in blocks_of(op):
            leave_out_unread(inner, own, uses)
        is_read = any(uses[value] for value in op.results)
        if not is_read and op in own and isinstance(op, Call) and is_pure(op):
            uses.subtract(operand for operand in operands_of(op) if isinstance(operand, Value))
        else:
            kept.append(op)
    block.ops = kept[::-1]


def _may_be_shared(op: Call, own: set[Op]) -> bool:
    """Whether a value can stand for another that is computed alike: iterators can't."""
    if not all(is_numeric(value.type) for value in op.results):
        return False
    if isinstance(op.callee, Const) and any(op.callee.value is read for read in READING):
        return False  # what they read may be changed between
    return (op in own or _is_arithmetic(op)) and is_pure(op) and is_shareable(op)


def _is_arithmetic(op: Call) -> bool:
    """Whether an operation of the program computes a number from numbers."""
    callee = op.callee.value if isinstance(op.callee, Const) else None
    return any(callee is function for function in _ARITHMETIC) and all(
        type_of(operand) in _NUMBERS or isinstance(operand, Const)
        for operand in (*op.args, op.result)
    )


_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.neg)
_NUMBERS = (Scalar(float), Scalar(int))


def tangents_of(compiler: Compiler) -> TangentCompiler:
    """The tangent compiler that goes with a compiler."""
    if compiler.tangents is None:
        compiler.tangents = TangentCompiler(compiler)
    found: TangentCompiler = compiler.tangents
    return found

