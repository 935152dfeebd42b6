"""The body of a generator function as one that runs from a `yield` to the next: `advance`.

    def powers(x, n):                def advance(self, sent@):
        for i in range(n):               state@ = self.state; self.state = FINISHED
            yield x ** i                 if state@ == 0:
                                             items@1 = iterated(range(n)); state@ = 1
                                         if state@ == 1:
                                             alive@2, i, _ = advanced(items@1)
                                             if not alive@2: return False, UNBOUND, None
                                             self.items_1 = items@1; self.state = 1
                                             return True, x ** i, UNBOUND
                                         return False, UNBOUND, None

Statements around a `yield` are taken apart into blocks that end in a jump; what holds none stays
as it is. A block that is jumped to from one place stands there; the others have numbers, and run
in the order of the source, around which a loop stands if a jump goes back. Blocks in `try` stand in
a `try` of their own. A variable that is read behind a `yield` and was assigned before is stored in
the generator where it stops (`Keep`), and read where it goes on (`Restore`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count
from typing import Any

import gast

from ir.primitives import UNBOUND
from ir.record import node
from ir.syntax.block_building import Named, caught_name
from ir.syntax.desugar import falls_through
from ir.syntax.jumps import (
    CLOSING,
    FINISHED,
    STATE,
    THROWN,
    Block,
    Finish,
    Jump,
    Region,
    Statements,
    Suspend,
    Test,
    outcome,
)
from ir.syntax.keeping import Keep, Restore
from ir.syntax.liveness import NONE, After, Names, live_before, reads, targets
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, assigned, children
from ir.syntax.taking_apart import TakenApart


@node
class Resumable:
    """The statements of `advance`, and what closing the generator runs: own, inner or none."""

    body: Statements
    cleanup: str
    # The variables that count items.
    counts: list[str]
    # Those that are read in other blocks than the one that assigns them.
    lasting: list[str]


def resumable(
    function: Any, params: list[str], kept: Callable[[str], bool],
    is_builtin: Callable[[str], bool],
) -> Resumable:
    """The body of `advance` for a generator function.

    `kept` says of a name whether it is a variable of this function that `Keep` has to store;
    `params` are those among them that the generator holds from the beginning. `is_builtin` says of
    a name whether it means what Python gives that name.
    """
    machine = TakenApart(function, is_builtin)
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    machine.body(body)
    machine.finish(NodeMaker(body[-1]).constant(None), body[-1])
    assembly = _Assembly(machine, function, params, kept)
    done = assembly.statements()
    cleanup = "own" if machine.has_cleanup else "inner" if machine.delegates else "none"
    return Resumable(done, cleanup, machine.counts, assembly.lasting())


class _Assembly:
    """Puts blocks together to statements, with what is kept between two `yield`s."""

    def __init__(
        self, machine: TakenApart, function: Any, params: list[str], kept: Callable[[str], bool]
    ) -> None:
        self._machine = machine
        self._like = machine.start.like
        self._kept = kept
        self._params = frozenset(params)
        self._own = self._params.union(
            assigned(statement for block in machine.blocks for statement in block.statements)
        )
        self._resumed = machine.resumed
        self._thread_jumps()
        self._blocks = self._reached()
        self._live = self._liveness()
        self._dirty, self._bound = self._assignments()
        self._in: dict[int, int] = {}
        for block in self._blocks:
            for target in self._targets(block):
                self._in[id(target)] = self._in.get(id(target), 0) + 1
        self._number()

    # What leads where

    def _thread_jumps(self) -> None:
        """Lets a generator go on where an empty block would lead it."""
        for block in self._machine.blocks:
            if isinstance(block.exit, Suspend):
                seen: set[int] = set()
                while (
                    isinstance(block.exit.target.exit, Jump)
                    and not block.exit.target.statements
                    and block.exit.target.region is block.exit.target.exit.target.region
                    and id(block.exit.target) not in seen
                ):
                    seen.add(id(block.exit.target))
                    block.exit.target = block.exit.target.exit.target
                self._resumed[id(block.exit.target)] = block.exit.target

    def _targets(self, block: Block) -> list[Block]:
        match block.exit:
            case Jump(target):
                return [target]
            case Test(_, then, orelse):
                return [then, orelse]
            case _:
                return []

    def _onward(self, block: Block) -> list[Block]:
        """The blocks that may come behind one, in this run of `advance` or in a later one."""
        found = self._targets(block)
        if isinstance(block.exit, Suspend):
            found = [block.exit.target]
        region = block.region
        while region is not None:
            found += region.entries
            region = region.parent
        return found

    def _reached(self) -> list[Block]:
        seen: set[int] = set()
        pending = [self._machine.start]
        while pending:
            block = pending.pop()
            if id(block) not in seen:
                seen.add(id(block))
                pending += self._onward(block)
        return [block for block in self._machine.blocks if id(block) in seen]

    # Variables

    def _exit_reads(self, block: Block) -> Names:
        match block.exit:
            case Test(test, _, _):
                return reads([test])
            case Suspend(item, _):
                return reads([item])
            case Finish(value):
                return reads([value])
            case _:
                return NONE

    def _failing(self, region: Region | None, live: dict[int, Names]) -> Names:
        """What is read where a block of a region fails."""
        found: Names = NONE
        while region is not None:
            for handler, entry in region.handlers:
                caught = frozenset() if handler.name is None else frozenset([caught_name(handler)])
                types = reads(filter(None, [handler.type]))
                found |= types | (live[id(entry)] - caught)
            if region.cleanup is not None:
                found |= reads(region.cleanup) - _named(region.cleanup)
            if region.suppressed is not None:
                found |= live[id(region.suppressed)]
            region = region.parent
        return found

    def _liveness(self) -> dict[int, Names]:
        live: dict[int, Names] = {id(block): NONE for block in self._blocks}
        changed = True
        while changed:
            changed = False
            for block in reversed(self._blocks):
                onward = self._targets(block)
                if isinstance(block.exit, Suspend):
                    onward = [block.exit.target]
                falling = NONE.union(*(live[id(target)] for target in onward))
                falling |= self._exit_reads(block)
                after = After(falling, failing=self._failing(block.region, live))
                found = live_before(block.statements, after) | after.failing
                if found != live[id(block)]:
                    live[id(block)], changed = found, True
        return live

    def _assignments(self) -> tuple[dict[int, Names], dict[int, Names]]:
        """For each block, what may have been assigned since the generator went on, and what has
        certainly been assigned, where it begins."""
        dirty: dict[int, Names] = {id(self._machine.start): self._own - self._params}
        bound: dict[int, Names] = {id(self._machine.start): self._params}
        pending = [self._machine.start]
        while pending:
            block = pending.pop(0)
            stored = dirty[id(block)] | frozenset(assigned(block.statements))
            sure = bound[id(block)]
            for statement in block.statements:
                match statement:
                    case gast.Assign(targets=found):
                        sure |= targets(found)
                    case gast.AugAssign(target=found) | gast.For(target=found):
                        sure |= targets([found]) if isinstance(statement, gast.AugAssign) else NONE
                    case gast.FunctionDef(name=name):
                        sure |= {name}
                    case _:
                        pass
                sure -= _unbound_by(statement)
            direct = self._targets(block)
            for target in self._onward(block):
                is_resumed = isinstance(block.exit, Suspend) and target is block.exit.target
                new_dirty = NONE if is_resumed else stored
                # A handler may begin anywhere in the block.
                is_handler = not is_resumed and not any(target is other for other in direct)
                new_bound = bound[id(block)] & sure if is_handler else sure
                known = dirty.get(id(target))
                merged = new_dirty if known is None else known | new_dirty
                held = new_bound if known is None else bound[id(target)] & new_bound
                if known is None or merged != known or held != bound[id(target)]:
                    dirty[id(target)], bound[id(target)] = merged, held
                    pending.append(target)
        return dirty, bound

    def _names_at(self, block: Block) -> list[str]:
        """The variables that a generator which goes on at a block has kept."""
        return sorted(n for n in self._live[id(block)] & self._own if self._kept(n))

    def lasting(self) -> list[str]:
        """The user's variables that are read in other blocks than the one that assigns them."""
        found = (self._names_at(block) for block in self._blocks if id(block) in self._state)
        return [name for name in dict.fromkeys(chain.from_iterable(found)) if "@" not in name]

    # Statements

    def _number(self) -> None:
        """Numbers the blocks that stand for themselves, those of a region in a row."""
        machine = self._machine
        stands = [
            block for block in self._blocks
            if block is machine.start or id(block) in self._resumed
            or self._in.get(id(block), 0) > 1 or self._enters(block)
        ]
        self._items: dict[int, list[Block | Region]] = {}
        placed: set[int] = set()
        for block in stands:
            item: Block | Region = block
            region = block.region
            while True:
                place = self._items.setdefault(id(region) if region else 0, [])
                if id(item) in placed:
                    break
                placed.add(id(item))
                place.append(item)
                if region is None:
                    break
                item, region = region, region.parent
        self._state: dict[int, int] = {}
        self._range: dict[int, tuple[int, int]] = {}
        self._count = count()
        self._number_items(0)

    def _number_items(self, key: int) -> None:
        for item in self._items.get(key, ()):
            if isinstance(item, Block):
                self._state[id(item)] = next(self._count)
            else:
                first = len(self._state)
                self._number_items(id(item))
                self._range[id(item)] = first, len(self._state) - 1

    def _enters(self, block: Block) -> bool:
        """Whether a block is come to from another region, or by an exception."""
        if any(entry is block for region in self._regions() for entry in region.entries):
            return True
        return any(
            target is block and source.region is not block.region
            for source in self._blocks for target in self._targets(source)
        )

    def _regions(self) -> list[Region]:
        found: dict[int, Region] = {}
        for block in self._blocks:
            region = block.region
            while region is not None:
                found[id(region)] = region
                region = region.parent
        return list(found.values())

    def statements(self) -> Statements:
        made = NodeMaker(self._like)
        ended = outcome(self._like, False, made.constant(UNBOUND), made.constant(None))
        stopped, chain = self._stopped(made, ended), self._chain(0)
        for block in self._blocks:
            restored = self._restored(block) if self._in.get(id(block)) else []
            if restored:  # not where other blocks lead to it
                number = made.constant(self._state[id(block)])
                test = made.compare(made.load(STATE), gast.Eq(), number)
                stopped.append(made.branch(test, restored))
        if not self._goes_back(0):
            return [*stopped, *chain, ended]
        done = made.compare(made.load(STATE), gast.Eq(), made.constant(FINISHED))
        loop = made.node(gast.While(test=made.constant(True), body=chain, orelse=[]))
        return [*stopped, made.branch(done, [ended]), loop]

    def _stopped(self, made: NodeMaker, ended: Any) -> Statements:
        """What `close` and `throw` do where the generator stopped in no `try` or `yield from`."""
        raising = made.node(gast.Raise(exc=made.load(THROWN), cause=None))
        is_thrown = made.compare(made.load(THROWN), gast.IsNot(), made.constant(None))
        checks = [
            made.branch(made.load(CLOSING), [ended]), made.branch(is_thrown, [raising])
        ]
        outside = [
            made.compare(made.load(STATE), gast.NotEq(), made.constant(self._state[id(block)]))
            for block in self._blocks if id(block) in self._resumed and _asks(block)
        ]
        if not outside:
            return checks
        test = outside[0] if len(outside) == 1 else made.node(
            gast.BoolOp(op=gast.And(), values=outside)
        )
        return [made.branch(made.node(gast.BoolOp(op=gast.Or(), values=[
            made.load(CLOSING), is_thrown,
        ])), [made.branch(test, checks)])]

    def _goes_back(self, key: int) -> bool:
        """Whether a jump among the items of a region leads to itself or to one before."""
        items = self._items.get(key, [])
        for position, item in enumerate(items):
            for block in self._blocks_in(item):
                for target in self._leading(block):
                    state = self._state.get(id(target))
                    if state is None:
                        continue
                    at = self._position(items, target)
                    is_inner = isinstance(item, Region) and at == position
                    if at is not None and at <= position and not is_inner:
                        return True
        return False

    def _leading(self, block: Block) -> list[Block]:
        found = self._targets(block)
        region = block.region
        while region is not None:
            found += region.entries
            region = region.parent
        return found

    def _position(self, items: list[Block | Region], block: Block) -> int | None:
        for i, item in enumerate(items):
            if item is block or (
                isinstance(item, Region) and block.region and block.region.is_in(item)
            ):
                return i
        return None

    def _blocks_in(self, item: Block | Region) -> list[Block]:
        if isinstance(item, Region):
            return [b for b in self._blocks if b.region is not None and b.region.is_in(item)]
        found, pending = [], [item]
        while pending:
            block = pending.pop()
            found.append(block)
            pending += [t for t in self._targets(block) if id(t) not in self._state]
        return found

    def _chain(self, key: int) -> Statements:
        done: Statements = []
        for item in self._items.get(key, ()):
            if isinstance(item, Block):
                made = NodeMaker(item.like)
                number = made.constant(self._state[id(item)])
                test = made.compare(made.load(STATE), gast.Eq(), number)
                done.append(made.branch(test, self._emitted(item)))
            else:
                done.append(self._guarded(item))
        return done

    def _guarded(self, region: Region) -> Any:
        made = NodeMaker(region.where)
        first, last = self._range[id(region)]
        inside = made.node(gast.Compare(
            left=made.constant(first), ops=[gast.LtE(), gast.LtE()],
            comparators=[made.load(STATE), made.constant(last)],
        ))
        body = self._chain(id(region))
        if self._goes_back(id(region)):
            body = [made.node(gast.While(test=inside, body=body, orelse=[]))]
        handlers = []
        for handler, entry in region.handlers:
            here = NodeMaker(handler)
            named = None if handler.name is None else here.store(caught_name(handler) + "e")
            onward: Statements = []
            if handler.name is not None:
                onward.append(here.assign(
                    caught_name(handler), here.load(caught_name(handler) + "e")
                ))
            onward.append(here.assign(STATE, here.constant(self._state[id(entry)])))
            handlers.append(here.node(
                gast.ExceptHandler(type=handler.type, name=named, body=onward)
            ))
        if region.cleanup is not None:
            name = next((s.name for s in region.cleanup if isinstance(s, Named)), None)
            rest = [s for s in region.cleanup if not isinstance(s, Named)]
            if region.suppressed is not None:
                state = self._state[id(region.suppressed)]
                rest.append(made.assign(STATE, made.constant(state)))
            handlers = [made.node(gast.ExceptHandler(
                type=None if name is None else made.constant(BaseException),
                name=None if name is None else made.store(name), body=rest,
            ))]
        whole = gast.Try(body=body, handlers=handlers, orelse=[], finalbody=[])
        return made.branch(inside, [made.node(whole)])

    def _emitted(self, block: Block) -> Statements:
        done: Statements = []
        if not self._in.get(id(block)):
            done += self._restored(block)
        done += block.statements
        made = NodeMaker(block.like)
        match block.exit:
            case Jump(target):
                done += self._led(target, made)
            case Test(test, then, orelse):
                made = NodeMaker(test)
                first, second = self._led(then, made), self._led(orelse, made)
                done.append(made.branch(test, first or [made.node(gast.Pass())], second))
            case Suspend(item, target):
                state = self._state[id(target)]
                dirty = self._dirty[id(block)] | frozenset(assigned(block.statements))
                names = [name for name in self._names_at(target) if name in dirty]
                made = NodeMaker(item)
                done.append(made.node(Keep([made.load(name) for name in names], state)))
                done.append(outcome(item, True, item, made.constant(UNBOUND)))
            case Finish(value):
                done.append(outcome(value, False, made.constant(UNBOUND), value))
            case None if falls_through(block.statements):
                raise AssertionError("a block without an exit")
            case None:
                pass
        return done

    def _restored(self, block: Block) -> Statements:
        """Reads what was kept where a generator goes on at a block."""
        names = self._names_at(block)
        if block is self._machine.start:
            names = [name for name in names if name in self._params]
        elif id(block) not in self._resumed:
            return []
        if not names:
            return []
        made = NodeMaker(block.like)
        unsure = frozenset(names) - self._bound[id(block)]
        return [made.node(Restore([made.store(name) for name in names], unsure))]

    def _led(self, target: Block, made: NodeMaker) -> Statements:
        number = self._state.get(id(target))
        if number is None:
            return self._emitted(target)
        return [made.assign(STATE, made.constant(number))]


def _asks(block: Block) -> bool:
    """Whether a block that a generator goes on at looks at what `close` and `throw` brought."""
    return isinstance(block.exit, Test) and CLOSING in reads([block.exit.test])


def _named(cleanup: Statements) -> Names:
    return frozenset(item.name for item in cleanup if isinstance(item, Named))


def _unbound_by(statement: Any) -> Names:
    """The variables that a statement may leave without a value."""
    found: set[str] = set()
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, gast.Name) and isinstance(current.ctx, gast.Del):
            found.add(current.id)
        if isinstance(current, gast.ExceptHandler) and current.name is not None:
            found.add(current.name.id)
        if not isinstance(current, FUNCTIONS):
            pending += children(current)
    if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Constant):
        if statement.value.value is UNBOUND:
            found |= targets(statement.targets)
    return frozenset(found)
