"""What is known of memory behind branches and loops: what holds whichever way was taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir.core import Location, Operand, Value
from ir.late import late_class
from ir.memory.contents import UNKNOWN, has_parts, holds_memory
from ir.memory.place_reads import PlaceReads
from ir.memory.place_state import (
    HELD,
    HOLDER,
    ITSELF,
    Gone,
    Members,
    State,
    joined_members,
    joined_roles,
)
from ir.types import widen

if TYPE_CHECKING:
    from ir.memory.place_writes import PlaceWrites
else:
    PlaceWrites = late_class(
        "ir.memory.place_writes", "PlaceWrites", PlaceReads,
        "effect is_element_at written_to change passed _check_apart written _element_written "
        "_check_writable _is_aside note_names item_of_loop",
    )


class PlaceMerging(PlaceWrites):
    """Joins what the arms of branches and the iterations of loops did."""

    def hold_parts(self, operands: Iterable[Operand]) -> None:
        raise AssertionError("given by Places")

    # Where branches and iterations meet

    def merged(self, result: Value) -> None:
        """Notes that the result of a branch holds what the storages hold behind the branch."""
        if holds_memory(result.type):
            self.chosen.add(result)
            self.state.since[result] = len(self.state.trail)
            self.sources[result] = {
                storage: self.state.current.get(storage, storage)
                for storage in self.covers.get(result, ()) if storage not in self.covers
            }

    def cover(self, result: Value, operands: Iterable[Operand], role: str = ITSELF) -> None:
        """A value that is one of several others, or has that role of them."""
        operands = list(operands)
        self.hold_parts(operands)
        if not holds_memory(result.type):
            return
        known = self.covers.setdefault(result, [])
        if has_parts(result.type):
            self.state.tangled[result] = None
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.cover(result, parts, HELD)
            elif isinstance(operand, Value):
                storage = self.first_storage(operand)
                if storage is result:
                    continue
                if storage not in known:
                    known.append(storage)
                if role == HOLDER or self.contents.is_element(operand):
                    continue
                self.covers_whole.setdefault(result, set()).add(storage)
                if role == HELD:
                    self.covers_held.setdefault(result, set()).add(storage)

    def changed_since(self, before: State) -> list[Value]:
        """The values, by their first names, that were changed since then."""
        return [
            first for first, version in self.state.current.items()
            if before.current.get(first, first) is not version
            and not isinstance(self.whole(first), Value)
        ]

    def lost_choices(self, inner: State, local: set[Value]) -> dict[Value, Location | None]:
        """The storages from outside of a block of which one, but not a known one, was written."""
        return {
            root: loc for storage, loc in inner.writes.items()
            if storage in self.chosen and storage in local
            for root in self.roots(storage) if root not in local
        }

    def leave(self, before: State, local: set[Value], start: State | None = None) -> None:
        """Forgets the versions made in a block; what was done to memory from outside stays.

        The block began at `start` if not at `before`: another arm may have changed something since.
        """
        start = start or before
        lost = self.lost_choices(self.state, local)
        inner, self.state = self.state, before
        self.state.lost.update(lost)
        for storage, loc in inner.writes.items():
            if storage not in local:
                self.state.writes.setdefault(storage, loc)
        for mine, theirs in (
            (before.held, inner.held), (before.lent, inner.lent), (before.hidden, inner.hidden),
            (before.deep, inner.deep), (before.tangled, inner.tangled),
            (before.moved, inner.moved),
        ):
            mine.update((value, None) for value in theirs if value not in local)
        self.state.lost.update(
            (value, loc) for value, loc in inner.lost.items() if value not in local
        )
        self.state.lost.update(dict.fromkeys(self.lost_views(before, inner, local)))
        self.state.trail += self.outer_trail(start, inner, local)
        for view in [view for view in inner.detached if view not in local]:
            if view not in before.detached:
                self.contents.detach_behind(view, inner.detached[view])
        for storage, members in self.outer_members(inner, local).items():
            known = before.members.get(storage, {}) if start is not before else {}
            before.members[storage] = joined_members(known, members)
        before.resized.update(
            (key, token) for key, token in inner.resized.items()
            if key[0] not in local and start.resized.get(key) is not token
        )
        before.stamps.update(
            (value, stamp) for value, stamp in inner.stamps.items()
            if value not in local and start.stamps.get(value) is not stamp
        )
        for value, version in inner.exposed.items():
            if value not in local and before.exposed.get(value) is not version:
                before.exposed[value] = value  # no version of the heap: it is read again
        stored = {value: whole for value, whole in inner.stored.items() if value not in local}
        before.note_perhaps_stored(stored)

    def leave_arm(self, before: State, local: set[Value], start: State) -> None:
        """The same for an arm of a branch, whose own values go on in the results of the branch."""
        inner = self.state
        self.leave(before, local, start)
        pairs: list[tuple[dict[Value, Any], dict[Value, Any]]] = [
            (before.held, inner.held), (before.lent, inner.lent), (before.hidden, inner.hidden),
            (before.tangled, inner.tangled), (before.members, inner.members),
            (before.adopted, inner.adopted), (before.detached, inner.detached),
        ]
        for mine, theirs in pairs:
            mine.update((value, known) for value, known in theirs.items() if value in local)

    def outer_trail(
        self, before: State, inner: State, local: set[Value]
    ) -> list[tuple[Value, Value | None]]:
        """What a block changed, as it can be named outside of it."""
        found: dict[tuple[Value, Value | None], None] = {}
        outside, self.state = self.state, inner
        for storage, target in inner.trail[len(before.trail) :]:
            if storage in self.gone:
                found.update(self._gone_from(self.gone[storage], local))
            elif storage not in local:
                is_known = target is not None and target not in local
                found[storage, target if is_known else self.part_of(storage, target)] = None
            else:
                # A change of a container itself isn't one of what it holds.
                is_deep = storage in inner.detached or target is not storage
                names = frozenset(self._reached(storage, inner.members if is_deep else {}))
                type_ = widen(inner.current.get(storage, storage).type)
                gone = Gone(self.left.get(storage), names, type_, inner.writes.get(storage))
                found.update(self._gone_from(gone, local))
        self.state = outside
        return list(found)

    def _gone_from(
        self, gone: Gone, local: set[Value]
    ) -> dict[tuple[Value, Value | None], None]:
        """What stands for changed memory outside of a block that knew it by names of its own."""
        names = gone.names - local - self.nameless
        if not names:
            return {}
        source = gone.source if gone.source not in local else None
        token = self._gone.setdefault((source, names, gone.type), Value("item", gone.type))
        self.gone.setdefault(token, Gone(source, names, gone.type, gone.loc))
        return {(token, None): None}

    def lost_views(self, before: State, inner: State, local: set[Value]) -> list[Value]:
        """The elements from outside of a block that it detached after they had been changed."""
        inner, self.state = self.state, before
        found = []
        for view in inner.detached:
            if view not in local and view not in before.detached:
                root = self.storage(view)
                is_same = inner.stamps.get(root) is before.stamps.get(root)
                is_written = inner.current.get(view) is not before.current.get(view)
                if self.contents.is_stale(view) or not is_same or is_written:
                    found.append(view)
        self.state = inner
        return found

    def views_lost_in_arms(
        self, start: State, arms: list[tuple[State, set[Value]]]
    ) -> list[Value]:
        """The elements that one arm of a branch has detached, and another one may have changed:
        behind the branch they are no known part of anything."""
        after, self.state = self.state, start
        found = []
        for state, local in arms:
            for view in state.detached:
                if view in local or view in start.detached:
                    continue
                stamp = start.stamps.get(self.storage(view))
                others = [other for other, _ in arms if other is not state]
                if any(
                    other.stamps.get(self.storage(view)) is not stamp
                    or other.current.get(view) is not start.current.get(view)
                    for other in others
                ):
                    found.append(view)
        self.state = after
        return found

    def outer_members(self, inner: State, local: set[Value]) -> dict[Value, Members]:
        """What the storages from outside of a block may have in common behind it."""
        outer, self.state = self.state, inner
        found = {}
        for storage in inner.members:
            if storage in local:
                continue
            members: Members = {}
            within = self.roots_within(storage)
            for root in self.roots(storage):
                is_held = root in within
                if root not in local:
                    more = {root}
                elif self.kind(root) == "unknown" or root in inner.hidden or root in self.new:
                    more = {UNKNOWN, *self.outer_sources(root, local)}
                else:
                    continue
                members = joined_members(members, dict.fromkeys(more, is_held))
            members.pop(storage, None)
            found[storage] = members
        self.state = outer
        return found

    def outer_sources(self, root: Value, local: set[Value]) -> set[Value]:
        """The storages from outside of a block that memory which a call in it gave may be."""
        found: set[Value] = set()
        seen: set[Value] = set()
        pending = [root]
        while pending:
            made = pending.pop()
            for source in self.sources.get(made, ()) if made in self.given_back else ():
                for storage in {source, *self.roots(source)} - seen:
                    seen.add(storage)
                    if storage in local:
                        pending.append(storage)
                    else:
                        found.add(storage)
        return found

    def summary(
        self, operand: Operand, params: list[Value], local: set[Value],
        stand_ins: list[tuple[set[Value], Value]], own: set[Value],
    ) -> dict[Value, str]:
        """The storages that the next iteration gets, and what they are to the value that it gets:
        new memory of this one by a stand-in.

        What may be the same new memory gets the same of the `stand_ins`; `own` are all stand-ins
        of this loop, which the latest one takes the place of.
        """
        if not isinstance(operand, Value) or not holds_memory(operand.type):
            return {}
        parts = [
            self.summary(part, params, local, stand_ins, own) for part in self.parts(operand)
        ]
        if any(parts):
            return {
                root: role if role == HOLDER else HELD
                for root, role in joined_roles(*parts).items()
            }
        storage = self.storage(operand)
        if storage in params or storage not in local:
            return self._roles(operand, [storage])
        roots, shallow = self.roots(storage), self.shallow_roots(storage)
        # What holds it is no name of it, but for what it was taken from.
        within = self.roots_within(storage) if has_parts(operand.type) else shallow
        names = roots if self.may_be_element(operand) else within
        outer = {root for root in names if root not in local}
        passed = self._passed_on(storage, params)
        if any(self.kind(root) == "unknown" for root in roots) or roots & self.state.held.keys():
            # The same in each round, in which more would be known of a new one.
            unknown = self.unknown.setdefault(operand.type, Value(operand.name, operand.type))
            self.nameless.add(unknown)
            outer |= {source for root in roots for source in self.outer_sources(root, local)}
            return {unknown: ITSELF, **self._roles(operand, outer - own), **passed}
        made = {root for root in {storage, *roots} if root in local or root in own}
        stand_in = next((value for known, value in stand_ins if known & made), None)
        if stand_in is None:
            stand_in = Value(operand.name, operand.type)
            self.new[stand_in] = None
            self.nameless.add(stand_in)
            own.add(stand_in)
        stand_ins.append((made, stand_in))
        if not self.held.known.isdisjoint(made):
            self.held.known.add(stand_in)
        if roots & self.state.lent.keys():
            self.state.lent[stand_in] = None
        return {stand_in: ITSELF, **self._roles(operand, outer - own), **passed}

    def _passed_on(self, storage: Value, params: list[Value]) -> dict[Value, str]:
        """The values carried by a loop that a merged one may be: of these more is known when it is
        known what iterations hand on."""
        containers, held = self.only_holding(storage, params), self.held_by(storage)
        return {
            param: HELD if param in held else HOLDER if param in containers else ITSELF
            for param in self.reached(storage, params)
        }

    def _roles(self, value: Value, roots: Iterable[Value]) -> dict[Value, str]:
        """What memory that may have some in common with a value is to it."""
        storage = self.storage(value)
        containers, held = self.containers_of(value), self.held_by(storage)
        itself = {storage, *self.shallow_roots(storage)}

        def role(root: Value) -> str:
            if root in held:
                return HELD
            if root in containers:
                return HOLDER
            if root in itself:
                return ITSELF
            if has_parts(value.type):
                return HELD
            return ITSELF if self.may_be(value, root) else HOLDER

        return {root: role(root) for root in roots}
