"""What is known while a program is compiled: its specialisations, objects and shared names.

The types of what objects hold are found in rounds: a program is specialised again until they cover
all that it stores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.core import Call, Const, Function
from ir.errors import SourceNotFound, Unsupported
from ir.rewrite import walk
from ir.types import Type
from zyg.compiler.activity import Flow
from zyg.compiler.assigned import Assigned
from zyg.compiler.nested.inner_gradients import (
    Derived,
    HoldsMemory,
    HoldsViews,
    Opened,
    Stepped,
    Unsettled,
    expanded,
)
from zyg.compiler.specialisation import Specialisation
from zyg.compiler.specialise import Specialiser
from zyg.errors import NotDifferentiable

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Fields

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
        # Whether variables under which memory is changed are held by objects
        # (`ir.syntax.changed_names`); None: not known yet.
        self.in_cells: bool | None = None
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
        specialiser.in_cells = self.in_cells
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
            except HoldsViews:
                fields.follow_views(at_entry)
                return self.with_fields(source, inputs, fields)
            if fields.state() == before:
                break
        if fields.is_open and fields.changes_held and not fields.is_of_nested():
            return self._by_contents(source, inputs, fields, at_entry) or made
        return made

    def _by_contents(
        self, source: Function, inputs: tuple[Type, ...], fields: Fields,
        at_entry: dict[str, Any],
    ) -> Specialisation | None:
        """The specialisation of a program of which nothing is known of what objects hold, with an
        object for what each piece of memory holds: there, types of tables that grow from nothing
        are known. None where that asks anything when it runs, which might be refused."""
        last, needs_heap = self.specialiser, set(self.needs_heap)
        found = fields.copy()
        found.follow_contents(at_entry)
        made = None
        try:
            for _ in range(MAX_ROUNDS):
                before = found.state()
                self.specialiser = self._new_specialiser()
                self.specialiser.fields = found
                self.specialiser.known_of_objects = before
                made = None
                with suppress(Unsettled):
                    made = self.specialiser.specialise(source, inputs)
                if found.is_open or found.state() == before:
                    break
        except (Unsupported, NotDifferentiable, SourceNotFound, Opened, Stepped, HoldsViews):
            made = None
        if made is None or found.is_open or found.state() != before or (
            not asks_nothing(made, found)
        ):
            self.specialiser = last
            self.needs_heap.clear()
            self.needs_heap.update(needs_heap)
            return None
        vars(fields).update(vars(found))
        self.specialiser.fields = fields
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
    def with_cells(self, in_cells: bool) -> Iterator[None]:
        """Around the compilation of a program whose memory that is changed objects hold, or not."""
        before = self.specialiser
        self.in_cells = in_cells
        self.specialiser = self._new_specialiser()
        try:
            yield
        finally:
            self.specialiser, self.in_cells = before, None

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


def asks_nothing(made: Specialisation, fields: Fields) -> bool:
    """Whether code that follows contents by objects has no question for the run time: there are no
    checks, and all memory of a class has one type, so that whatever name it has leads to one
    object. Arrays are left out, of which there are views."""
    from ir.memory.followed_types import may_capture  # few programs come here

    may_ask = any(map(may_capture, fields.types.values()))
    types: dict[type, set[type]] = {}
    for one in made.with_callees():
        for op in walk(one.function.body):
            callee = op.callee.value if isinstance(op, Call) and isinstance(op.callee, Const) else 0
            name = str(getattr(callee, "__name__", ""))
            # Checks have such names. That of what functions have captured finds nothing where
            # objects hold none.
            if name == "note_captured" or (name.startswith("unless_") and (
                name != "unless_captured" or may_ask
            )):
                return False
            if isinstance(op, Call) and name in ("contents_of", "contents_put"):
                cls: Any = op.args[0]
                types.setdefault(cls.value.of, set()).add(cls.value)
    return not any(facts.copies_items(cls) or len(of) > 1 for cls, of in types.items())
