"""Mistakes about changes in place, each put into the compiler by a patch: see `seeded_bugs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from ir import primitives
from ir.core import Call, Const, Op, Value
from ir.inference.infer import Inference
from ir.memory.loop_memory import LoopMemory
from ir.memory.memory_facts import CHANGING
from ir.memory.places import Places
from tests.fuzz.seeded_bugs import in_place_of, seeded
from zyg.compiler import assemble
from zyg.compiler.overwriting import preserve
from zyg.rules import changes


@seeded("a store keeps the cotangent of what it overwrites")
def _() -> Iterator[None]:
    with patch.object(changes, "cleared", lambda bar, index: bar):
        yield


@seeded("a stored value gets no cotangent")
def _() -> Iterator[None]:
    with patch.object(changes, "stored_bar", lambda bar, value, items: None):
        yield


@seeded("what an adjoint reads of overwritten memory is not kept")
def _() -> Iterator[None]:
    with patch.object(assemble, "preserve", lambda *args: None):
        yield


@seeded("what calls change is not kept", about="(v, a)")
def _() -> Iterator[None]:
    def by_itself(right: Any, op: Op) -> list[Value]:
        is_store = isinstance(op, Call) and isinstance(op.callee, Const) and (
            id(op.callee.value) in CHANGING and op.callee.value is not primitives.updating
        )
        return right(op) if is_store else []

    with in_place_of(preserve, "changed_by", by_itself):
        yield


@seeded("a loop gets the first version of what was changed before it")
def _() -> Iterator[None]:
    with in_place_of(Inference, "_latest", lambda right, self, operand, op: operand):
        yield


@seeded("a loop stops to look before its memory is settled")
def _() -> Iterator[None]:
    with in_place_of(
        LoopMemory, "is_settled", lambda right, self, *args: right(self, *args) or True
    ):
        yield


@seeded("a branch leaves behind the versions from before it")
def _() -> Iterator[None]:
    with in_place_of(Places, "changed_since", lambda right, self, before: []):
        yield


@seeded("a view is not taken again of the changed whole")
def _() -> Iterator[None]:
    with in_place_of(
        Places, "latest", lambda right, self, value: self.state.current.get(
            self.origin(value), self.origin(value)
        )
    ):
        yield


@seeded("a change of a view does not reach the whole")
def _() -> Iterator[None]:
    with in_place_of(
        Places, "written", lambda right, self, before, version, loc: self._note(
            self.origin(before), version
        )
    ):
        yield


@seeded("names of unknown memory are not compared")
def _() -> Iterator[None]:
    with in_place_of(Places, "_may_share", lambda right, self, storage, written: False):
        yield
