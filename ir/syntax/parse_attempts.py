"""The statements that `ir.syntax.attempts` makes of `try`, to the operation `Try`.

    attempt: y = f(x)                       y_3 = try:
    failing with ValueError as e@1:             y = f(x)
        y = 0.0                     ==>     else:
    else:                                       y_2 = operator.mul(y, 2)
        y = y * 2                               yield y_2
                                            except ValueError as e:
                                                yield 0.0
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

import gast

from ir import facts, try_primitives
from ir.builder import Builder
from ir.core import Block, Const, Exit, Operand, Raise, Value
from ir.syntax.attempt_nodes import Attempt
from ir.syntax.comprehensions import ComprehensionParser

_MISSING = object()


class AttemptParser(ComprehensionParser):
    """Parses attempts, and looks up what can be known of classes and context managers before."""

    exit: Exit

    def attempt_arms(
        self, node: Attempt, finish: Callable[[list[Any]], None]
    ) -> tuple[list[Operand], list[tuple[Block, dict[str, Operand]]]]:
        """What an attempt catches, and its arms with the variables at the end of each.

        `finish` parses the statements of an arm, and sets `self.exit`.
        """
        catches: list[Operand] = [Const(BaseException)]
        if node.catches is not None:
            catches = [self.expression(cls) for cls in node.catches]
        outer, before = self.builder, self.env
        arms = []
        error = Value(node.name.partition("@")[0])
        for is_body in (True, False):
            self.builder, self.env = Builder(), dict(before)
            if is_body:
                self.guarded(node.body)
                if not isinstance(self.exit, Raise):
                    end = [Value("_")]
                    self.builder.calls(try_primitives.end_guarded, [], end, loc=self.location(node))
                    finish(node.orelse)
            else:
                self.env[node.name] = error
                finish(node.handler)
                self.env.pop(node.name)
            params = [] if is_body else [error]
            arms.append((Block(params, self.builder.ops, self.exit), self.env))
        self.builder, self.env = outer, before
        return catches, arms

    def guarded(self, statements: list[Any]) -> None:
        raise AssertionError("given by FunctionParser")

    # What is known before the program runs

    def is_static_class(self, node: Any) -> bool:
        """Whether an expression in `except` is sure to give exception classes, without effect."""
        if isinstance(node, gast.Tuple):
            return all(map(self.is_static_class, node.elts))
        found = self.static_value(node)
        if isinstance(found, tuple):
            return all(map(_is_exception_class, found))
        return _is_exception_class(found)

    def static_value(self, node: Any) -> Any:
        """The object that a global name or a path from one stands for now."""
        match node:
            case gast.Name(id=name):
                if not self.is_global(name):
                    return _MISSING
                return self.globals.get(name, getattr(builtins, name, _MISSING))
            case gast.Attribute(value=owner, attr=name):
                found = self.static_value(owner)
                is_module = isinstance(found, types.ModuleType)
                return vars(found).get(name, _MISSING) if is_module else _MISSING
            case _:
                return _MISSING

    def never_suppresses(self, node: Any) -> bool:
        """Whether an expression makes a context manager that lets all exceptions pass."""
        match node:
            case gast.Call(func=func):
                return facts.never_suppresses(self.static_value(func))
            case _:
                return False


def _is_exception_class(found: object) -> bool:
    return type(found) is type and issubclass(found, BaseException)
