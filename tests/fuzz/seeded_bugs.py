"""More than twenty mistakes that a compiler writer makes, each put into the compiler by a patch.

    with SEEDED_BUGS["the first contribution is dropped"](): ...

`tests/test_seeded_bugs.py` holds that 500 random programs catch each of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import gast

import zyg
from ir import binding, simplify
from ir.core import Const, For, If, Operand, Value, While
from ir.emit import _FunctionEmitter
from ir.emit.naming import Naming
from ir.syntax import desugar
from ir.syntax.endings import Looping
from zyg.compiler.activity import Flows
from zyg.compiler.reverse import loops
from zyg.compiler.reverse.transpose import Transposer
from zyg.cotangents import cotangent

SEEDED_BUGS: dict[str, Callable[[], AbstractContextManager[Any]]] = {}
# What stands in the text of each program that a bug can be about.
ABOUT: dict[str, str] = {}


def seeded(name: str, about: str = "") -> Callable[[Any], Any]:
    """Registers a bug, which is there while the function is suspended at its `yield`."""
    ABOUT[name] = about

    def register(bug: Any) -> Any:
        assert name not in SEEDED_BUGS
        patched = contextmanager(bug)

        @contextmanager
        def alone() -> Iterator[None]:
            # What is parsed or compiled with the bug must not outlive it.
            parsed = patch.dict(sys.modules["ir.parse"]._helpers, clear=True)
            zyg.cache_clear()
            try:
                with parsed, patched():
                    yield
            finally:
                zyg.cache_clear()

        SEEDED_BUGS[name] = alone
        return bug

    return register


def in_place_of(owner: Any, name: str, new: Callable[..., Any]) -> AbstractContextManager[Any]:
    """Replaces a function by `new`, which gets the right one as its first argument."""
    right = getattr(owner, name)
    return patch.object(owner, name, lambda *args, **kwargs: new(right, *args, **kwargs))


# Cotangents


@seeded("the first of two contributions is dropped")
def _() -> Iterator[None]:
    with in_place_of(Transposer, "plus", lambda right, self, a, b, like: b):
        yield


@seeded("the cotangent of a captured variable is dropped")
def _() -> Iterator[None]:
    with in_place_of(
        Transposer, "_lambda_step", lambda right, self, op: self.bars.pop(op.result, None)
    ):
        yield


@seeded("cotangents of unpacked items are in the wrong order")
def _() -> Iterator[None]:
    with in_place_of(
        Transposer, "_unpack", lambda right, self, call, bars: right(self, call, bars[::-1])
    ):
        yield


@seeded("cotangents of iterated items are not reversed")
def _() -> Iterator[None]:
    with in_place_of(
        cotangent, "from_reversed_items", lambda right, bars, like: right(bars[::-1], like)
    ):
        yield


# Branches


@seeded("the adjoint of the other arm runs")
def _() -> Iterator[None]:
    def swapped(right: Any, self: Transposer, step: Any) -> None:
        right(self, step)
        if self.ops and isinstance(self.ops[-1], If):
            op = self.ops[-1]
            op.then, op.orelse = op.orelse, op.then

    with in_place_of(Transposer, "_branch_step", swapped):
        yield


@seeded("an arm hands out what it saves through the wrong slots")
def _() -> Iterator[None]:
    def rotated(right: Any, self: Transposer, op: If, arms: Any, adjoints: Any) -> None:
        before = len(op.results)
        right(self, op, arms, adjoints)
        exit = arms[-1].exit
        exit.values[before:] = [*exit.values[before + 1 :], *exit.values[before : before + 1]]

    with in_place_of(Transposer, "_export_arms", rotated):
        yield


@seeded("a variable takes the name of a condition that is read again")
def _() -> Iterator[None]:
    def forgetting(right: Any, self: Naming, op: If, live: set[Value]) -> None:
        before = set(live)
        right(self, op, live)
        if isinstance(op.cond, Value) and op.cond not in before:
            live.discard(op.cond)

    with in_place_of(Naming, "_branch", forgetting):
        yield


# Loops


@seeded("a carried cotangent is forgotten")
def _() -> Iterator[None]:
    def forgetting(right: Any, *args: Any) -> Any:
        reached, carried = right(*args)
        return reached, carried[:-1]

    with in_place_of(Transposer, "_useful", forgetting):
        yield


@seeded("records are read from the first to the last")
def _() -> Iterator[None]:
    def forwards(right: Any, self: Transposer, step: Any) -> None:
        right(self, step)
        for op in self.ops:
            if isinstance(op, For):
                op.backwards = False

    with in_place_of(Transposer, "_loop_step", forwards):
        yield


@seeded("what a loop carries is taken for a sum that it only adds to")
def _() -> Iterator[None]:
    with patch.object(loops, "_is_accumulator", lambda op, k: True), patch.object(
        loops, "is_same_operand", lambda a, b: True
    ):
        yield


@seeded("the trips of a loop are not counted")
def _() -> Iterator[None]:
    def once(right: Any, self: Transposer, op: Any, is_whole: bool) -> Operand:
        return self.call(range, Const(1))

    with in_place_of(Transposer, "_trips", once):
        yield


@seeded("carried values are copied one after the other")
def _() -> Iterator[None]:
    def one_by_one(right: Any, self: Any, copies: Any) -> None:
        for pair in copies:
            right(self, [pair])

    with in_place_of(_FunctionEmitter, "copy", one_by_one):
        yield


# What is saved, shared, left out


@seeded("a value that the adjoint reads is not handed out")
def _() -> Iterator[None]:
    with in_place_of(Transposer, "_recomputed", lambda right, *args: right(*args)[:-1]):
        yield


@seeded("calls that differ in their last operand are shared")
def _() -> Iterator[None]:
    with in_place_of(simplify, "sharing_key", lambda right, op, mapping: right(op, mapping)[:-1]):
        yield


@seeded("what a loop collects is dead code")
def _() -> Iterator[None]:
    def only_carried(right: Any, self: Any, op: Any, i: int) -> None:
        if not isinstance(op, For | While) or i < len(op.init):
            right(self, op, i)

    with in_place_of(simplify._Marker, "need_result", only_carried):
        yield


@seeded("a value depends on its first source alone")
def _() -> Iterator[None]:
    with in_place_of(Flows, "_union", lambda right, self, operands: right(self, operands[:1])):
        yield


# Calls and control flow of the source


@seeded("a default wins over the keyword argument", about="k=5")
def _() -> Iterator[None]:
    def bound(
        right: Any, source: Any, args: Any, kwargs: Any, defaults: Any, kwdefaults: Any, *rest: Any
    ) -> Any:
        given = {name: value for name, value in kwargs.items() if name not in kwdefaults}
        return right(source, args, given, defaults, kwdefaults, *rest)

    right = binding.bind
    modules = [m for m in list(sys.modules.values()) if vars(m).get("bind") is right]
    with ExitStack() as patches:
        for module in modules:
            patches.enter_context(in_place_of(module, "bind", bound))
        yield


@seeded("`break` goes on with the next iteration")
def _() -> Iterator[None]:
    def going_on(right: Any, self: Any, parser: Any, exit: Any) -> Any:
        return right(self, parser, None if isinstance(exit, gast.Break) else exit)

    with in_place_of(Looping, "values", going_on):
        yield


@seeded("the `else` of a loop is left out")
def _() -> Iterator[None]:
    def without_else(right: Any, self: Any, loop: Any) -> Any:
        orelse, loop.orelse = loop.orelse, []
        try:
            return right(self, loop)
        finally:
            loop.orelse = orelse

    with in_place_of(desugar.Lowering, "_loop", without_else):
        yield


@seeded("an early `return` loses its value")
def _() -> Iterator[None]:
    def nothing(right: Any, statement: Any) -> Any:
        return gast.copy_location(gast.Constant(value=None, kind=None), statement)

    with in_place_of(desugar, "_value", nothing):
        yield
