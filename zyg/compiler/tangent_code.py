"""Makes tangent functions: the code of a function and of its tangent, in one.

    def f(x):                     def f_tangent(x, x_dot):
        y = math.sin(x)               y = math.sin(x)
        return y * y                  y_dot = x_dot * math.cos(x)
                                      return y * y, 2 * y * y_dot

A tangent function takes the arguments, then the tangents of the active ones, and returns the value
and its tangent.
"""

from __future__ import annotations

from typing import Any

from ir import primitives
from ir.core import Block, Call, Function, Op, Yield
from ir.emit import Emitted
from ir.record import made as fresh
from ir.record import node
from ir.simplify import eliminate_dead, is_pure, is_silent
from zyg.compiler.activity import Flow
from zyg.compiler.assemble import (
    Compiler,
    Generated,
    _function,
    _identifier,
    _passed,
    _without_heap,
)
from zyg.compiler.nesting import Derived
from zyg.compiler.specialise import Specialisation, _Surroundings
from zyg.compiler.tangent_builder import TangentBuilder
from zyg.compiler.tangent_types import dot_type

Key = tuple[Specialisation, Flow, bool]


@node
class TangentCode:
    """The tangent function of a specialisation for certain active inputs."""

    forward: Generated
    passed: list[int]
    active: list[int]
    back: Any = None
    emitted: Emitted | None = None
    dispatched: list[tuple[Any, str]] = fresh(list)


class TangentCompiler:
    """Generates tangent functions beside the pairs that a compiler makes."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._made: dict[Key, TangentCode] = {}
        self._derived: dict[tuple[Specialisation, Flow], Derived] = {}
        self._pending: list[tuple[Key, TangentCode]] = []
        self._fresh: list[Key] = []

    def tangent(self, made: Specialisation, active: Flow, of_value: bool = False) -> TangentCode:
        """The tangent function; its code is there once `finish` has run."""
        key = made, active, of_value and bool(made.handed_out)
        known = self._made.get(key)
        if known is not None:
            return known
        returned = made.value_type if key[2] else made.returned_type
        passed = _passed(made)
        function = Generated(
            f"{_identifier(made.function.name)}_tangent", [returned, dot_type(returned)]
        )
        function.changes = tuple(passed.index(i) for i in made.handed_out)
        function.works_on_objects = made.heap is not None
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
                key, code = self._pending.pop()
                self._generate(*key, code)
            self._compiler.finish()
        except BaseException:
            for key in self._fresh:
                self._made.pop(key, None)
            self._pending.clear()
            raise
        finally:
            self._fresh.clear()

    def derived(self, made: Specialisation, active: Flow) -> Derived:
        """The tangent function as IR that other IR calls, with the code of all that it calls."""
        known = self._derived.get((made, active))
        if known is None:
            code = TangentCode(Generated(f"{_identifier(made.function.name)}_tangent", []), _passed(
                made
            ), sorted(active))
            function = self._function(made, active, False, code)
            known = self._derived[made, active] = Derived(function, code.passed, code.active)
            self.finish()
        return known

    def _generate(
        self, made: Specialisation, active: Flow, of_value: bool, code: TangentCode
    ) -> None:
        code.forward.ir_function = self._function(made, active, of_value, code)
        code.emitted = self._compiler._load(made, [code.forward])

    def _function(
        self, made: Specialisation, active: Flow, of_value: bool, code: TangentCode
    ) -> Function:
        specialiser = self._compiler.specialiser
        specialiser._stack.append(made)
        try:
            builder = TangentBuilder(
                specialiser, _Surroundings(specialiser, made), made, active, self.tangent
            )
            result = builder.augment(made.function)
            result = _without_heap(made, builder, result)[1]
            builder.note_steps()
            builder.catch_up()
            if of_value:
                parts = builder.parts(result)
                assert parts is not None, "the body ends in the value and the versions"
                result = parts[0]
            dot = builder.dot_or_zero(result)
            whole = builder.call(primitives.build_tuple, result, dot)
        finally:
            specialiser._stack.pop()
        body = Block([], builder.ops, Yield([whole]))

        def is_removable(call: Op) -> bool:
            assert isinstance(call, Call)
            return is_silent(call) or (call in builder.own and is_pure(call))

        eliminate_dead(body, is_removable)
        inputs = [*made.function.captured, *made.function.params]
        params = [inputs[i] for i in code.passed]
        params += [builder.dot_params[i] for i in code.active]
        code.dispatched = builder.dispatched
        return _function(made, code.forward.name, params, body)


def tangents_of(compiler: Compiler) -> TangentCompiler:
    """The tangent compiler that goes with a compiler."""
    if compiler.tangents is None:
        compiler.tangents = TangentCompiler(compiler)
    found: TangentCompiler = compiler.tangents
    return found

