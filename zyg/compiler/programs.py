"""What is known while a program is compiled: its specialisations, objects and shared names.

The types of what objects hold are found in rounds: a program is specialised again until they cover
all that it stores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ir.core import Function
from ir.types import Type
from zyg.compiler.activity import Flow
from zyg.compiler.assigned import Assigned
from zyg.compiler.inner_gradients import (
    Derived,
    HoldsMemory,
    Opened,
    Stepped,
    Unsettled,
    expanded,
)
from zyg.compiler.specialisation import Specialisation
from zyg.compiler.specialise import Specialiser

if TYPE_CHECKING:
    from zyg.compiler.fields import Fields

MAX_ROUNDS = 8


class Programs:
    """Specialises one program after the other."""

    def __init__(self) -> None:
        # Functions of the program at hand that were found to work on objects when their adjoints
        # were made.
        self.needs_heap: set[Function] = set()
        self.assigned = Assigned()
        # Whether plain code is in the place of solvers, in a program with inner gradients.
        self.follows_solvers = False
        self.specialiser = self._new_specialiser()

    def derived(self, made: Specialisation, active: Flow, wants_value: bool) -> Derived:
        raise AssertionError("given by Compiler")

    def _new_specialiser(self) -> Specialiser:
        specialiser = Specialiser()
        specialiser.derived = self.derived
        specialiser.expand = expanded
        specialiser.needs_heap = self.needs_heap
        specialiser.assigned = self.assigned
        specialiser.follows_solvers = self.follows_solvers
        return specialiser

    def with_fields(
        self, source: Function, inputs: tuple[Type, ...], fields: Fields
    ) -> Specialisation:
        """The specialisation of a program that works on objects, made again until the types of
        what objects hold cover all that is stored."""
        at_entry = fields.copied()
        for round_number in range(MAX_ROUNDS):
            before = fields.state()
            fields.is_open |= round_number == MAX_ROUNDS - 2
            last, self.specialiser = self.specialiser, self._new_specialiser()
            self.specialiser.fields = fields
            if round_number > 0:
                self.specialiser.take_over(last, fields)
            self.specialiser.known_of_objects = before
            try:
                made = self.specialiser.specialise(source, inputs)
            except Unsettled:
                continue
            except Opened:
                fields.set_apart(at_entry)
                return self.with_fields(source, inputs, fields)
            except Stepped:
                fields.go_by_steps(at_entry)
                return self.with_fields(source, inputs, fields)
            except HoldsMemory:
                fields.follow_contents(at_entry)
                return self.with_fields(source, inputs, fields)
            if fields.state() == before:
                break
        return made

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Around the compilation of a program whose types hold in that program alone."""
        before = self.specialiser
        try:
            yield
        finally:
            self.specialiser = before

    @contextmanager
    def sharing(self, follows_solvers: bool) -> Iterator[None]:
        """Around the compilation of a program that may share names, which others don't, or has
        plain code in the place of solvers."""
        before = self.specialiser
        self.follows_solvers = follows_solvers
        if self.assigned.shared or follows_solvers:
            self.specialiser = self._new_specialiser()
        self.assigned.changed = {}
        try:
            yield
        finally:
            self.specialiser = before
            self.follows_solvers = False
