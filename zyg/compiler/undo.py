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

Which arrays get a log is decided by comparing degrees: a loop counts 1, an array its rank. If the
copies that an adjoint needs are of a higher degree than the array and all stores into it, the
code is made again with a log.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Operand,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.record import made, node
from ir.rewrite import free_of, substitute, walk
from ir.types import Scalar
from zyg import cotangent
from zyg.array_type import is_basic_index, rank_of
from zyg.compiler.replica import restored, restored_part
from zyg.compiler.tangents import is_array
from zyg.compiler.versions import Chain, Versions

WHOLE = Const(Ellipsis)


@node
class Log:
    """What is read from replicas, and what the forward pass records for that.

    `keys` stand for the replicas among the cotangents; `held` says which version a replica is at.
    """

    versions: Versions
    read: dict[Value, Chain]
    keys: dict[Chain, Value] = made(dict)
    held: dict[Chain, Operand | None] = made(dict)
    overwritten: dict[Call, Value] = made(dict)

    @property
    def chains(self) -> Iterable[Chain]:
        return self.keys


def new_log(versions: Versions, read: Iterable[Value]) -> Log:
    """A log by which these values, views of arrays that are changed later, are read."""
    chains = {value: versions.of[versions.source(value)[0]] for value in read}
    keys = {chain: Value(chain.root.name, chain.root.type) for chain in chains.values()}
    return Log(versions, chains, keys)


def worth_logging(versions: Versions, copied: Iterable[Value]) -> list[Value]:
    """Those of the values that would be copied which a log makes superfluous, and smaller."""
    found: dict[Chain, list[tuple[Value, int]]] = {}
    for value in copied:
        chain = versions.of.get(versions.source(value)[0])
        rank = rank_of(value.type)
        if chain is None or rank is None or value not in versions.definitions:
            continue
        op = versions.definitions[value]
        found.setdefault(chain, []).append((value, rank + _depth(versions, op, chain)))
    chosen: list[Value] = []
    for chain, values in found.items():
        limit = _degree_of_stores(versions, chain)
        if limit is not None and max(degree for _, degree in values) > limit:
            chosen += [value for value, _ in values]
    return chosen


def _depth(versions: Versions, op: object, chain: Chain) -> int:
    """How many loops stand around an operation inside of the block where an array is made."""
    outside = 0
    for loop in versions.loops[op]:  # type: ignore[index]
        outside += 1
        if loop.body is chain.home:
            return len(versions.loops[op]) - outside  # type: ignore[index]
    return len(versions.loops[op])  # type: ignore[index]


def _degree_of_stores(versions: Versions, chain: Chain) -> int | None:
    """The degree of an array, or of all that is stored into it; None where that isn't known."""
    whole = rank_of(chain.root.type)
    if whole is None:
        return None
    degrees = [whole]
    for change in chain.changes.values():
        rank = _rank_of_change(versions, change)
        if rank is None:
            return None
        degrees.append(rank + _depth(versions, change, chain))
    return max(degrees)


def _rank_of_change(versions: Versions, change: Call) -> int | None:
    inner = _inner_change(versions, change)
    if inner is not None:
        return _rank_of_change(versions, inner)
    if change.callee == Const(primitives.written):
        return None
    index = _index_of(change)
    if index == WHOLE:
        return rank_of(type_of(change.args[0]))
    result_of = facts.result_of(operator.getitem)
    assert result_of is not None
    type_ = result_of((type_of(change.args[0]), type_of(index)), {})
    return 0 if isinstance(type_, Scalar) else rank_of(type_)


def _callee(op: Call) -> object:
    return op.callee.value if isinstance(op.callee, Const) else None


def _index_of(change: Call) -> Operand:
    return WHOLE if _callee(change) is primitives.overwritten else change.args[1]


def _inner_change(versions: Versions, change: Call) -> Call | None:
    """The change of a view that a version of the whole stands for; None for other changes."""
    if _callee(change) is not primitives.written:
        return None
    part = change.args[2]
    inner = versions.definitions.get(part) if isinstance(part, Value) else None
    if not isinstance(inner, Call) or _callee(inner) not in _UNDONE:
        return None
    view = inner.args[0]
    taken = versions.definitions.get(view) if isinstance(view, Value) else None
    is_there = isinstance(taken, Call) and _callee(taken) is operator.getitem
    if not is_there or taken.args != change.args[:2]:  # type: ignore[union-attr]
        return None
    return inner if is_basic_index(type_of(change.args[1])) else None


_UNDONE = (
    primitives.stored, primitives.overwritten, primitives.added_at, primitives.subtracted_at,
    primitives.written,
)


def record_overwritten(log: Log, change: Call) -> Value:
    """What stood where a change stores something, read in the forward pass before it does."""
    known = log.overwritten.get(change)
    if known is not None:
        return known
    versions = log.versions
    before, index = change.args[0], _index_of(change)
    result_of = facts.result_of(operator.getitem)
    assert result_of is not None
    is_whole = index == WHOLE
    type_ = type_of(before) if is_whole else result_of((type_of(before), type_of(index)), {})
    calls = []
    old = before
    if not is_whole:
        old = Value("old", type_)
        calls.append(Call(Const(operator.getitem), [before, index], {}, [old], change.loc))
    if not isinstance(type_, Scalar):
        kept = Value("old", type_)
        calls.append(Call(Const(cotangent.kept), [old], {}, [kept], change.loc))
        old = kept
    ops = versions.homes[change].ops
    at = next(i for i, op in enumerate(ops) if op is change)
    ops[at:at] = calls
    for call in calls:
        versions.definitions[call.result] = call
    assert isinstance(old, Value)
    log.overwritten[change] = old
    return old


# Reads of the replica without a copy


def read_in_place(adjoint: Block) -> None:
    """Lets an adjoint read replicas themselves where nothing keeps what it reads.

    What is read is copied otherwise: the replica changes as the adjoint goes on.
    """
    replicas: set[Operand] = set()
    _find_replicas(adjoint, replicas)
    if replicas:
        _read_block(adjoint, replicas)


def _find_replicas(block: Block, found: set[Operand]) -> None:
    """All versions of what is restored somewhere, and the views by which it is."""
    ops = list(walk(block))
    start: list[Operand] = [op.args[0] for op in ops if _restores(op)]  # type: ignore[union-attr]
    flows: list[tuple[Operand, Operand]] = []
    for op in ops:
        match op:
            case Call() if _restores(op):
                flows += [(op.args[0], op.result), (op.args[2], op.result)][: 2 if (
                    _callee(op) is restored_part) else 1]
            case For() | While():
                for param, init, result in zip(op.carried, op.init, op.results, strict=False):
                    flows += [(init, param), (param, result)]
                if isinstance(op.body.exit, Yield):
                    flows += zip(op.body.exit.values[1:], op.results, strict=True)
            case If() | Try():
                for inner in op.blocks:
                    if isinstance(inner.exit, Yield):
                        flows += zip(inner.exit.values, op.results, strict=True)
            case _:
                pass
    pending = start
    neighbours: dict[Operand, list[Operand]] = {}
    for a, b in flows:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    while pending:
        value = pending.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            pending += neighbours.get(value, [])


def _restores(op: object) -> bool:
    return isinstance(op, Call) and _callee(op) in (restored, restored_part)


def _read_block(block: Block, replicas: set[Operand]) -> None:
    for op in list(block.ops):
        for inner in blocks_of(op):
            _read_block(inner, replicas)
        if not isinstance(op, Call) or _callee(op) is not cotangent.kept:
            continue
        source = op.args[0]
        path = _path(block, source, replicas)
        if path is not None and _is_read_at_once(block, op, path):
            substitute(block, {op.result: source})
            block.ops = [other for other in block.ops if other is not op]


def _path(block: Block, source: Operand, replicas: set[Operand]) -> Operand | None:
    """The replica that a value is a view of, by operations of a block."""
    while source not in replicas:
        op = next((op for op in block.ops if source in op.results), None)
        if not isinstance(op, Call) or not isinstance(op.callee, Const) or not facts.is_view(op):
            return None
        source = op.args[0]
    return source


def _is_read_at_once(block: Block, copy: Call, replica: Operand) -> bool:
    """Whether all readers of a copy look at it before the replica is changed, and keep nothing."""
    value = copy.result
    if any(operand is value for operand in exit_operands(block.exit)):
        return False
    at = next(i for i, op in enumerate(block.ops) if op is copy)
    behind = block.ops[at + 1 :]
    for op in behind:
        readers = [
            inner for inner in [op, *(o for b in blocks_of(op) for o in walk(b))]
            if any(operand is value for operand in operands_of(inner))
        ]
        is_read = value in free_of(op)
        if is_read and not all(map(_keeps_nothing, readers)):
            return False
        if is_read and any(
            operand is value for b in blocks_of(op) for inner in _blocks(b)
            for operand in exit_operands(inner.exit)
        ):
            return False
        if _changes(op, replica):
            return not is_read and not any(value in free_of(o) for o in behind[behind.index(op) :])
    return True


def _blocks(block: Block) -> list[Block]:
    found = [block]
    for op in block.ops:
        for inner in blocks_of(op):
            found += _blocks(inner)
    return found


def _changes(op: object, replica: Operand) -> bool:
    """Whether a replica is another one behind an operation of its block."""
    match op:
        case Call():
            return _restores(op) and op.args[0] is replica
        case For() | While():
            return any(operand is replica for operand in op.init)
        case If() | Try():
            return any(
                _changes(inner, replica) for block in op.blocks for inner in block.ops
            )
        case _:
            return False


def _keeps_nothing(op: object) -> bool:
    """Whether the result of an operation shares no memory with its operands."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    callee = op.callee.value
    if facts.is_fresh(callee) or facts.is_metadata(callee) or callee in _SUMS:
        return True
    return all(isinstance(result.type, Scalar) for result in op.results)


# Sums of an array that is at hand and another one: of memory of their own.
_SUMS = (cotangent.add, cotangent.subtract)
