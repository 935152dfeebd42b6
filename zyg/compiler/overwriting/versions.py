"""The versions of an array that is changed in place, from the first to the last.

    factor_1 = zeros(...)                                 the root
    for j with factor_2 = factor_1:                       one version at each point of the program
        factor_3 = stored(factor_2, j, v)
        yield factor_3

What branches and loops do with a version besides handing it on, and arrays that have several roots
(buffers that change places), make no chain.
"""

from __future__ import annotations

from collections.abc import Iterator

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Loop,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
)
from ir.memory.memory_facts import changed_by
from ir.record import made, node
from ir.rewrite import walk
from zyg.compiler.overwriting.unseen_changes import may_be_changed_by
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.facts.numpy_changes import added_at_each

# Changes whose index says what they overwrite.
CHANGES = (
    primitives.stored, primitives.overwritten, primitives.added_at, primitives.subtracted_at,
    added_at_each, primitives.written,
)


@node
class Crossing:
    """What a loop or a branch does with a chain: the versions at its ends."""

    before: Operand
    result: Value
    # In a loop the one version with which an iteration begins.
    param: Value | None
    # The versions at the end of each block; None where it raises.
    yielded: list[Operand | None]


@node
class Chain:
    """The versions of one array."""

    root: Value
    home: Block
    final: Value
    versions: dict[Value, None] = made(dict)
    changes: dict[Value, Call] = made(dict)
    crossings: dict[Op, Crossing] = made(dict)


class _NoChain(Exception):
    """There is more than one version at some point of the program."""


class Versions:
    """The chains of a block, and where its operations stand."""

    def __init__(self, body: Block, inputs: list[Value]) -> None:
        self.body = body
        self.definitions: dict[Value, Op] = {}
        self.homes: dict[Op, Block] = {}
        self.home_of: dict[Value, Block] = dict.fromkeys(inputs, body)
        self.loops_around: dict[Block, list[For | While]] = {}
        self._scan(body, [])
        self.chains = [
            chain for root, home in self._roots()
            if (chain := _chain(root, home)) is not None
        ]
        self.of = {version: chain for chain in self.chains for version in chain.versions}

    def _scan(self, block: Block, loops: list[For | While]) -> None:
        self.loops_around[block] = loops
        self.home_of.update(dict.fromkeys(block.params, block))
        for op in block.ops:
            self.homes[op] = block
            for value in op.results:
                self.definitions[value] = op
                self.home_of[value] = block
            inside = [*loops, op] if isinstance(op, Loop) else loops
            for inner in blocks_of(op):
                self._scan(inner, inside)

    def _roots(self) -> Iterator[tuple[Value, Block]]:
        """The arrays in memory of their own: inputs, and what calls make."""
        for value, home in self.home_of.items():
            if not is_array(value.type):
                continue
            op = self.definitions.get(value)
            if isinstance(op, Call):
                is_root = facts.is_fresh(op)
            else:
                is_root = op is None and value not in home.params
            if is_root:
                yield value, home

    def source(self, value: Value) -> tuple[Value, list[Call]]:
        """The array that a value is a view of, and the calls that lead from it to the value."""
        path: list[Call] = []
        while True:
            op = self.definitions.get(value)
            if not isinstance(op, Call) or not isinstance(op.callee, Const):
                return value, path[::-1]
            whole = op.args[0] if op.args else None
            if not isinstance(whole, Value) or not facts.is_view(op):
                return value, path[::-1]
            path.append(op)
            value = whole


def _chain(root: Value, home: Block) -> Chain | None:
    chain = Chain(root, home, root)
    chain.versions[root] = None
    at = next((i + 1 for i, op in enumerate(home.ops) if root in op.results), 0)
    try:
        chain.final = _follow(chain, root, home.ops[at:])
    except _NoChain:
        return None
    if chain.final is root:
        return None
    known = {*chain.changes.values()}
    for op in walk(home):
        if op not in known and any(value in chain.versions for value in may_be_changed_by(op)):
            return None
        if isinstance(op, If | Try | For | While) and op not in chain.crossings:
            handed = {*op.results, *(op.body.params if isinstance(op, Loop) else [])}
            if not handed.isdisjoint(chain.versions):
                return None
    return chain


def _follow(chain: Chain, version: Value, ops: list[Op]) -> Value:
    """The version behind some operations."""
    for op in ops:
        match op:
            case Call():
                if any(value is version for value in changed_by(op)):
                    version = _change(chain, op, version)
            case For() | While():
                version = _through_loop(chain, op, version)
            case If():
                version = _through_branch(chain, op, version)
            case _:
                pass
    return version


def _change(chain: Chain, op: Call, version: Value) -> Value:
    callee = op.callee.value if isinstance(op.callee, Const) else None
    if callee not in CHANGES or op.args[0] is not version or len(op.results) != 1:
        raise _NoChain
    chain.changes[op.result] = op
    chain.versions[op.result] = None
    return op.result


def _through_loop(chain: Chain, op: For | While, version: Value) -> Value:
    places = [i for i, value in enumerate(op.init) if value is version]
    if not places:
        return version
    if len(places) > 1 or not isinstance(op.body.exit, Yield):
        raise _NoChain
    (place,) = places
    param, yielded, result = op.carried[place], op.body.exit.values[1 + place], op.results[place]
    chain.versions[param] = None
    if _follow(chain, param, op.body.ops) is not yielded:
        raise _NoChain
    chain.versions[result] = None
    chain.crossings[op] = Crossing(version, result, param, [yielded])
    return result


def _through_branch(chain: Chain, op: If, version: Value) -> Value:
    ends = [
        None if isinstance(block.exit, Raise) else _follow(chain, version, block.ops)
        for block in op.blocks
    ]
    if all(end is None or end is version for end in ends):
        return version
    for i, result in enumerate(op.results):
        yielded = [
            block.exit.values[i] if isinstance(block.exit, Yield) else None for block in op.blocks
        ]
        if all(a is b for a, b in zip(ends, yielded, strict=True)):
            chain.versions[result] = None
            chain.crossings[op] = Crossing(version, result, None, yielded)
            return result
    raise _NoChain
