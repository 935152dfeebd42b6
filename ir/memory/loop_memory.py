"""What a loop carries so that its body finds the latest versions of what it changes.

    for i in range(n):        for i in range(n) with a_1 = a:
        a[i] = x          ->      a_2 = stored(a_1, i, x)
                                  yield a_2
"""

from __future__ import annotations

from collections.abc import Iterable

from ir.core import Block, Location, Operand, Value, Yield
from ir.errors import NamesUnknown
from ir.heap import HEAP
from ir.memory.contents import holds_memory
from ir.memory.place_state import HOLDER, Members, State, joined_roles
from ir.memory.places import Places
from ir.rewrite import defined
from ir.types import Type, join, widen

# So many looks at a body stand for themselves, before what each of them finds is added up.
LOOKS_APART = 3


class LoopMemory:
    """What a loop carries so that its body finds the latest versions of what it changes.

    A body that changes memory from outside takes the version as one more carried value. A carried
    variable whose new value is its own memory, changed in place, is a version of what it was
    before the loop: other names of that find it there.
    """

    def __init__(self, places: Places, init: list[Operand]) -> None:
        self._places = places
        self._init = init
        self._before = places.state
        self.changed: list[Value] = []
        self._params: list[Value] = []
        self._types: dict[Value, Type] = {}
        self._same: list[int] = []
        self._handed_on: dict[int, dict[Value, str]] = {}
        self._looks = 0
        self._lost: dict[Value, Location | None] = {}
        # What was handed on, in terms of the carried variables of the round that found it.
        self._known: object = {}
        self._own: set[Value] = set()
        # What loops of the body made to stand for their new memory, in the last look at it.
        self._made_inside: set[Value] = set()
        self._nameless_before: set[Value] = set()
        # The parameters of the last look at the body.
        self._carried: list[Value] = []
        self._lent: set[Value] = set()
        self._held: dict[Value, None] = {}
        # What the body puts into objects, and by number the carried variables that it does.
        self._stored: dict[Value, bool] = {}
        self._stored_carried: dict[int, bool] = {}
        # What the body does with elements of containers from outside of it.
        self._detached: dict[Value, bool] = {}
        self._members: dict[Value, Members] = {}
        self._marks: dict[str, set[Value]] = {}
        self._trail: list[tuple[Value, Value | None]] = []

    def enter(
        self, items: list[Value], iterables: list[Operand], carried: list[Value]
    ) -> None:
        places = self._places
        places.state = state = self._before.copy()
        places.nameless.update(self._carried)
        self._carried = carried
        self._nameless_before = set(places.nameless)
        state.lost.update(self._lost)
        state.lent.update(dict.fromkeys(self._lent))
        state.held.update(self._held)
        state.note_perhaps_stored(self._stored)
        state.note_perhaps_stored({carried[i]: whole for i, whole in self._stored_carried.items()})
        self._enter_contents(state)
        self._params = []
        for first in self.changed:
            version = state.current.get(first, first)
            param = Value(version.name, self._types.get(first, version.type))
            self._params.append(param)
            places.replace(first, param)
            state.writes.setdefault(first, None)
        for i, (param, operand) in enumerate(zip(carried, self._init, strict=True)):
            if i in self._same:
                assert isinstance(operand, Value)
                places.replace(places.origin(operand), param)
                state.writes.setdefault(places.storage(operand), None)
            elif holds_memory(param.type):
                self._cover(param, operand, self._handed_on.get(i, {}).items())
        for item, iterable in zip(items, iterables, strict=True):
            if holds_memory(item.type):
                places.items[item] = None
                places.cover(item, [iterable], HOLDER)
                places.lend([iterable])
                places.fresh(item)
        for param in carried:
            places.fresh(param)

    def _enter_contents(self, state: State) -> None:
        """What earlier iterations may have done with elements of containers."""
        places = self._places
        deep = self._marks.get("deep", set())
        for first in deep:
            if first in state.tangled or first in places.covers:
                places.state = self._before
                places.untangle(first, None)
                places.state = state
                state.tangled.pop(first, None)
        state.members.update(self._members)
        state.trail += self._trail
        for name, values in self._marks.items():
            getattr(state, name).update(dict.fromkeys(values))
        for first in deep:
            state.stamps[first] = Value(first.name)
        for view, is_known in self._detached.items():
            places.contents.detach_behind(view, is_known)

    def _note_contents(self, inner: State, local: set[Value]) -> bool:
        """Whether the body did nothing else with elements than it was entered with."""
        places, before = self._places, self._before

        def outer(values: dict[Value, None], known: dict[Value, None]) -> set[Value]:
            return {v for v in values if v not in local and v not in self._own and v not in known}

        marks = {
            name: outer(getattr(inner, name), getattr(before, name))
            for name in ("hidden", "tangled", "moved")
        }
        marks["deep"] = {
            v for v, stamp in inner.stamps.items()
            if v in inner.deep and v not in local and v not in self._own
            and before.stamps.get(v) is not stamp
        }
        members = {
            first: found for first, found in places.outer_members(inner, local).items()
            if first not in self._own and found != before.members.get(first, {})
        }
        detached = {
            view: known for view, known in inner.detached.items()
            if view not in local and view not in before.detached
        }
        lost = places.lost_views(before, inner, local)
        self._lost.update(dict.fromkeys(lost))
        trail = [
            (storage, target) for storage, target in places.outer_trail(before, inner, local)
            if storage not in self._own
        ]
        known = self._marks, self._named(self._members), self._detached, set(self._trail)
        is_settled = (marks, self._named(members), detached, set(trail)) == known
        self._marks, self._members, self._detached, self._trail = marks, members, detached, trail
        return is_settled

    def _named(self, members: dict[Value, Members]) -> dict[Value, tuple[Members, set[bool]]]:
        """What containers may hold, apart from how the stand-ins for new memory are named: each
        look at the body has others."""
        return {
            first: (
                {value: is_held for value, is_held in found.items() if value not in self._own},
                {is_held for value, is_held in found.items() if value in self._own},
            )
            for first, found in members.items()
        }

    def is_settled(self, body: Block, carried: list[Value], loc: Location | None) -> bool:
        """Whether the body has been looked at with all that it needs to carry."""
        self._looks += 1
        places, before = self._places, self._before
        inner = places.state
        self._made_inside = places.nameless - self._nameless_before
        local = self._local(body)
        is_same = self._note_contents(inner, local)
        if not inner.writes or not isinstance(body.exit, Yield):
            return True
        stored_carried = {
            i: inner.stored[param] for i, param in enumerate(carried) if param in inner.stored
        }
        stored = {
            v: whole for v, whole in inner.stored.items()
            if v not in local and before.stored.get(v) != whole and v not in carried
            and v not in places.nameless
        }
        is_same = is_same and (stored, stored_carried) == (self._stored, self._stored_carried)
        self._stored, self._stored_carried = stored, stored_carried
        if not inner.has_changes:  # but for what objects hold
            heap = [first for first in places.changed_since(before) if first.type == HEAP]
            is_settled = all(first in self.changed for first in heap)
            self.changed += [first for first in heap if first not in self.changed]
            return is_settled and is_same
        new = [
            first for first in places.changed_since(before)
            if first not in local and first not in self.changed and not any(
                places.origin(self._init_value(i)) is first for i in self._same
            )
        ]
        same: list[int] = []
        handed_on: dict[int, dict[Value, str]] = {}
        lost: dict[Value, Location | None] = {}
        stand_ins: list[tuple[set[Value], Value]] = []
        for i, (param, operand) in enumerate(
            zip(carried, body.exit.values[1 : 1 + len(carried)], strict=True)
        ):
            if not holds_memory(param.type) or i in self._same:
                continue
            storage = places.storage(operand) if isinstance(operand, Value) else None
            written = places.storage(param) in inner.writes
            is_whole = isinstance(operand, Value) and places.origin(operand) is storage
            if written and is_whole and storage is places.storage(param):
                if not isinstance(self._init[i], Value):
                    raise NamesUnknown(f"`{param.name}` is changed in place in a loop", loc)
                same.append(i)
            else:
                found = places.summary(operand, carried, local, stand_ins, self._own)
                if storage is not param:
                    handed_on[i] = joined_roles(self._found_before(i, found), found)
                if written:
                    lost.update(
                        (root, inner.writes[places.storage(param)])
                        for root in places.roots(param)
                        if root not in local and root not in self._own
                    )
        lost.update(
            (root, where) for root, where in places.lost_choices(inner, local).items()
            if root not in self._own
        )
        self._lent |= {value for value in self._own if value in inner.lent}
        shape = self._shape(handed_on, carried)
        types = {
            first: join(param.type, widen(inner.current[first].type))
            for first, param in zip(self.changed, self._params, strict=True)
            if first in inner.current
        }
        is_typed = all(
            types.get(first, param.type) == param.type
            for first, param in zip(self.changed, self._params, strict=True)
        )
        self._types.update(types)
        held = {
            value: None for value in inner.held
            if value not in local and value not in self._own and value not in before.held
        }
        is_settled = is_same and not new and not same and is_typed and shape == self._known and (
            lost.keys() == self._lost.keys() and held.keys() == self._held.keys()
        )
        self._check_same(same, loc)
        if same:
            self._trail = []  # what was changed may have been known by no other name
        self.changed += new
        self._same += same
        if not is_settled:
            self._handed_on, self._known = handed_on, shape
            self._lost, self._held = lost, held
        return is_settled

    def _cover(
        self, value: Value, before: Operand, handed_on: Iterable[tuple[Operand, str]]
    ) -> None:
        """A carried value, which is that before the loop or what an iteration has handed on."""
        self._places.cover(value, [before])
        for operand, role in handed_on:
            self._places.cover(value, [operand], role)

    def _found_before(self, i: int, found: dict[Value, str]) -> dict[Value, str]:
        """What earlier looks found to be handed on, where looks go on to find something else.

        What a look is entered with decides what its body puts where, and by that what it hands on:
        each of two looks may find what the other one was entered with.
        """
        if self._looks <= LOOKS_APART:
            return {}
        return {
            value: role for value, role in self._handed_on.get(i, {}).items()
            if value not in self._own
        }

    def _local(self, body: Block) -> set[Value]:
        """What is known inside of an iteration alone."""
        return defined(body) | self._made_inside

    def _init_value(self, i: int) -> Value:
        operand = self._init[i]
        assert isinstance(operand, Value)
        return operand

    def _check_same(self, same: list[int], loc: Location | None) -> None:
        places = self._places
        storages = [places.storage(self._init_value(i)) for i in [*self._same, *same]]
        storages += self.changed
        if len(set(storages)) < len(storages):
            raise NamesUnknown("a loop changes the same memory under two names", loc)

    def _shape(
        self, handed_on: dict[int, dict[Value, str]], carried: list[Value]
    ) -> object:
        """What is handed on, apart from how the stand-ins for new memory are named."""
        numbers: dict[Value, int] = {}
        shape = {}
        for i, values in handed_on.items():
            shape[i] = {
                ("new", numbers.setdefault(v, len(numbers)), v in self._lent)
                if v in self._own else (self._described(v, carried), role)
                for v, role in values.items()
            }
        return shape

    def _described(self, value: Value, carried: list[Value]) -> object:
        if value in carried:
            return carried.index(value)
        if value in self._places.new:
            return "new"
        return value if value in self._places.inputs or (
            value in self._places.state.origins or self._places.is_defined(value)
        ) else "unknown"

    def leave(
        self, body: Block, init: list[Operand], results: list[Value], count: int,
        collected: list[Operand],
    ) -> None:
        """Adds what the loop carries beside its variables, and names the versions behind it."""
        places, before = self._places, self._before
        inner = places.state
        versions: list[Value] = []
        if isinstance(body.exit, Yield):
            finals = [inner.current.get(first, first) for first in self.changed]
            body.exit.values[1 + count : 1 + count] = finals
            versions = [Value(v.name, v.type) for v in finals]
        else:
            versions = [Value(v.name, v.type) for v in self._params]
        carried = body.params[len(body.params) - count :] if count else []
        local = self._local(body)
        stand_ins: list[tuple[set[Value], Value]] = []
        summaries = [
            places.summary(operand, carried, local, stand_ins, self._own)
            for operand in (
                body.exit.values[1 : 1 + count] if isinstance(body.exit, Yield) else []
            )
        ]
        sources = [places.contents.made_of(operand, local) for operand in collected]
        places.leave(before, local)
        for result, members in zip(results[count:], sources, strict=False):
            places.contents.collected(result, members)
        places.state.lost.update(self._lost)
        init += [before.current.get(first, first) for first in self.changed]
        body.params += self._params
        results[count:count] = versions
        for first, version in zip(self.changed, versions, strict=True):
            places.state.writes.setdefault(first, None)
            places.replace(first, version)
        for i, (result, operand) in enumerate(zip(results[:count], init, strict=False)):
            if i in self._same:
                assert isinstance(operand, Value)
                places.state.writes.setdefault(places.storage(operand), None)
                places.written_to(operand, result)
            elif holds_memory(result.type):
                found = summaries[i] if i < len(summaries) else {}
                self._cover(result, operand, _handed_out(found, init, carried, summaries))


def _handed_out(
    found: dict[Value, str], init: list[Operand], carried: list[Value],
    summaries: list[dict[Value, str]],
) -> list[tuple[Operand, str]]:
    """What a variable may be behind a loop, by what the last iteration made of it: of a carried
    value, what it was before the loop, and what other iterations have handed on for it."""
    known: set[tuple[Value, str]] = set()
    handed_out: list[tuple[Operand, str]] = []
    pending = list(found.items())
    while pending:
        value, role = pending.pop()
        if value not in carried:
            handed_out.append((value, role))
        elif (value, role) not in known:
            known.add((value, role))
            i = carried.index(value)
            handed_out.append((init[i], role))
            if i < len(summaries):
                pending += [
                    (other, joined_roles({other: inner}, {other: role})[other])
                    for other, inner in summaries[i].items()
                ]
    return handed_out
