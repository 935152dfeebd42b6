"""A log of what is overwritten, in the place of copies of what is read.

    s = a[i, :j] @ a[j, :j]           forward      s = a[i, :j] @ a[j, :j]
    a[i, j] = s                                    old = a[i, j]; a[i, j] = s     old is recorded

                                      adjoint      a = kept(a)                    once
                                                   ...
                                                   a[i, j] = old                  in reversed order
                                                   t = s_bar * a[j, :j]

A record of the rows would keep as much as the loop reads; the log keeps what it overwrites. The
replica belongs to one run of the adjoint. It is a value like the cotangents: branches and loops of
the adjoint carry it, and with each version that is passed backwards, the change that made it is
taken back. So a value is read from the replica only where that holds the version it belongs to;
everything else is copied, as where there is no log.

Whether an array gets a log is decided by what both ways keep, as polynomials in a size: a loop and
a dimension count for one degree each. Where copies keep more than the log and the replica, the code
is made again with a log.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable

from ir import facts, primitives
from ir.core import Block, Branch, Call, Const, For, Operand, Value, While, type_of
from ir.inference.typed_branches import is_same_operand as same
from ir.record import made, node
from ir.types import Scalar
from zyg.array_type import is_basic_index, rank_of
from zyg.compiler.overwriting.replica import overwritten_at, restored, restored_part, type_at
from zyg.compiler.overwriting.restoring import NeedsLog
from zyg.compiler.overwriting.versions import CHANGES, Chain, Versions
from zyg.held import keeping

WHOLE = Const(Ellipsis)
always = False  # tests turn this on: all that can be logged is


@node
class Log:
    """The arrays that are read from replicas, and how far the adjoint at hand has taken them back.

    `keys` stand for the replicas among the cotangents; `held` says which version a replica is at.
    """

    versions: Versions
    keys: dict[Chain, Value]
    held: dict[Chain, Operand] = made(dict)
    overwritten: dict[Call, Value] = made(dict)

    def give_up(self, chain: Chain) -> None:
        """An adjoint can't follow a replica: copies have to do."""
        chains = self.versions.chains
        raise NeedsLog([i for i, other in enumerate(chains)
                        if other in self.keys and other is not chain])

    def started_in(self, block: Block) -> list[Chain]:
        """The arrays made in a block, whose replicas begin with what they hold at its end."""
        return [chain for chain in self.keys if chain.home is block]

    def crossing(self, op: Branch | For | While) -> list[Chain]:
        """The arrays that a loop or branch changes, whose replicas are at what it hands out."""
        return [
            chain for chain in self.keys
            if op in chain.crossings and self.held.get(chain) is chain.crossings[op].result
        ]

    def change(self, result: Value) -> tuple[Chain, Call] | None:
        """The change that has made a version, where a replica holds that version."""
        chain = self.versions.of.get(result)
        if chain not in self.keys or self.held.get(chain) is not result:
            return None
        change = chain.changes.get(result)
        return None if change is None else (chain, change)

    def source(self, operand: Operand) -> tuple[Chain, list[Call]] | None:
        """The replica from which an array can be read, and the calls that lead to it."""
        if not isinstance(operand, Value) or not rank_of(operand.type):
            return None
        version, path = self.versions.source(operand)
        chain = self.versions.of.get(version)
        if chain not in self.keys or self.held.get(chain) is not version:
            return None
        # What these give may depend on how the array lies in memory, which a replica may not share.
        if any(facts.may_copy(_callee(call)) for call in path):
            return None
        return chain, path

    def old(self, change: Call) -> Value:
        """What a change overwrites, read in the forward pass before it does."""
        known = self.overwritten.get(change)
        if known is not None:
            return known
        versions = self.versions
        place = [change.args[0], index_of(change)]
        old = Value("old", type_at(*map(type_of, place)))
        calls = [Call(Const(overwritten_at), place, {}, [old], change.loc)]
        if not isinstance(old.type, Scalar):
            part, old = old, Value("old", old.type)
            calls.append(Call(Const(keeping.kept), [part], {}, [old], change.loc))
        ops = versions.homes[change].ops
        at = next(i for i, op in enumerate(ops) if op is change)
        ops[at:at] = calls
        for call in calls:
            versions.definitions[call.result] = call
        self.overwritten[change] = old
        return old

    def taken_back(self, change: Call, replica: Operand, call: Callable[..., Operand]) -> Operand:
        """The replica without a change; `call` appends an operation to the adjoint."""
        inner = inner_change(self.versions, change)
        if inner is None:
            return call(restored, replica, index_of(change), self.old(change))
        index = change.args[1]
        part = call(operator.getitem, replica, index)
        return call(restored_part, replica, index, self.taken_back(inner, part, call))


def new_log(versions: Versions, numbers: Iterable[int]) -> Log:
    """A log of some of the arrays that are changed, given by their numbers."""
    chains = [versions.chains[i] for i in numbers]
    return Log(versions, {chain: Value(chain.root.name, chain.root.type) for chain in chains})


def worth_logging(versions: Versions, copied: Iterable[Value]) -> list[int]:
    """The numbers of the arrays of which copies keep more than a log would."""
    of_copies: dict[Chain, Counter[int]] = {}
    for value in copied:
        version, _ = versions.source(value)
        chain, rank = versions.of.get(version), rank_of(value.type)
        home = versions.home_of.get(value)
        if chain is not None and rank and home is not None:
            degree = rank + _depth(versions.loops_around[home], chain)
            of_copies.setdefault(chain, Counter())[degree] += 1
    return [
        i for i, chain in enumerate(versions.chains)
        if chain in of_copies and _is_more(of_copies[chain], _degrees_of_log(versions, chain))
    ]


def decide(versions: Versions, numbers: list[int] | None, copied: Iterable[Value]) -> None:
    """Asks for logs where copies keep more, and to go without those that have spared no copies."""
    found = worth_logging(versions, copied)
    if numbers is None and found:
        raise NeedsLog(found)
    if numbers and not always and not set(found).isdisjoint(numbers):
        raise NeedsLog([i for i in numbers if i not in found])


def _is_more(copies: Counter[int], log: Counter[int] | None) -> bool:
    """Whether one sum of powers is larger than another one, for large sizes."""
    if log is None or always:
        return log is not None
    highest = max([*copies, *log])
    return [copies[i] for i in range(highest, -1, -1)] > [log[i] for i in range(highest, -1, -1)]


def _depth(loops: list[For | While], chain: Chain) -> int:
    """How many of the loops stand inside of the block where an array is made."""
    for i, loop in enumerate(loops):
        if loop.body is chain.home:
            return len(loops) - i - 1
    return len(loops)


def _degrees_of_log(versions: Versions, chain: Chain) -> Counter[int] | None:
    """The degrees of the replica and of all that stores overwrite; None where one isn't known."""
    whole = rank_of(chain.root.type)
    if whole is None:
        return None
    degrees = Counter([whole])
    for change in chain.changes.values():
        rank = _rank_of_change(versions, change)
        if rank is None:
            return None
        degrees[rank + _depth(versions.loops_around[versions.homes[change]], chain)] += 1
    return degrees


def _rank_of_change(versions: Versions, change: Call) -> int | None:
    inner = inner_change(versions, change)
    if inner is not None:
        return _rank_of_change(versions, inner)
    if _callee(change) is primitives.written:
        return None
    type_ = type_at(type_of(change.args[0]), type_of(index_of(change)))
    return 0 if isinstance(type_, Scalar) else rank_of(type_)


def _callee(op: Call) -> object:
    return op.callee.value if isinstance(op.callee, Const) else None


def index_of(change: Call) -> Operand:
    """Where a change stores something."""
    return WHOLE if _callee(change) is primitives.overwritten else change.args[1]


def inner_change(versions: Versions, change: Call) -> Call | None:
    """The change of a view by which a version of the whole was made; None for other changes.

        row = a[0]; row_1 = stored(row, 1, v); a_1 = written(a, 0, row_1)
    """
    if _callee(change) is not primitives.written or not is_basic_index(type_of(change.args[1])):
        return None
    whole, index, part = change.args
    inner = versions.definitions.get(part) if isinstance(part, Value) else None
    if not isinstance(inner, Call) or _callee(inner) not in CHANGES:
        return None
    before = versions.definitions.get(inner.args[0])  # type: ignore[arg-type]
    if not isinstance(before, Call):
        return None
    if _callee(before) is operator.getitem and before.args[0] is whole:
        return inner if same(before.args[1], index) else None
    # The second of two changes of a view: the first one has made the version before.
    earlier = versions.definitions.get(whole) if isinstance(whole, Value) else None
    if not isinstance(earlier, Call) or _callee(earlier) is not primitives.written:
        return None
    is_next = same(earlier.args[1], index) and earlier.args[2] is inner.args[0]
    return inner if is_next and inner_change(versions, earlier) is not None else None
