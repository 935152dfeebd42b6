"""What a pullback keeps, by the lines of the program that made it.

    >>> import numpy as np, zyg
    >>> _, back = zyg.pullback(lambda x: np.sum(np.exp(x) * x), np.ones(100))
    >>> memory(back).bytes
    1600
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from ir import primitives
from ir.core import (
    Call,
    Const,
    For,
    Function,
    If,
    Location,
    Loop,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
)
from ir.record import record
from ir.rewrite import blocks
from zyg.calls.back_functions import DispatchedBack, Pullback
from zyg.calls.saved_values import sizes_of
from zyg.checkpointing import Kept
from zyg.compiler.checkpoints.checkpoint_calls import RunAgainBack
from zyg.compiler.generated import Generated, Pair
from zyg.compiler.run_time.memory import kept_apart
from zyg.compiler.run_time.rule_backs import RuleBack
from zyg.cotangents import cotangent
from zyg.held import keeping

COPIES = (cotangent.prototype, keeping.kept, keeping.shell, kept_apart, primitives.alias)
SHOWN = 40  # characters of a line of source


@record
class Holding:
    """What is kept of one value: `line` is where it was made, and `what` it is."""

    file: str
    line: int
    name: str
    what: str
    count: int
    bytes: int

    @property
    def code(self) -> str:
        """The source of its line."""
        return linecache.getline(self.file, self.line).strip() if self.line else ""


class Memory:
    """What a pullback keeps: `rows` in the order of the program, and `bytes` in all.

    Memory that several values share counts for the first of them. A number counts 8 bytes.
    """

    def __init__(self, description: str, rows: list[Holding]) -> None:
        self.description = description
        self.rows = rows

    @property
    def bytes(self) -> int:
        return sum(row.bytes for row in self.rows)

    def __iter__(self) -> Iterator[Holding]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        table = [("bytes", "what", "value", "line")]
        for row in self.rows:
            place = f"{row.file.rpartition('/')[2]}:{row.line}" if row.line else "?"
            what = row.what if row.count == 1 else f"{row.count} x {row.what}"
            code = row.code if len(row.code) <= SHOWN else row.code[: SHOWN - 3] + "..."
            table.append((f"{row.bytes:,}", what, row.name, f"{place}  {code}".rstrip()))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            f"{size:>{widths[0]}}  {what:<{widths[1]}}  {name:<{widths[2]}}  {line}"
            for size, what, name, line in table
        ]
        return "\n".join([f"{self.description}: {self.bytes:,} bytes", *lines])


def memory(back: Pullback) -> Memory:
    """What the back function that `pullback` returned keeps, by the lines of the program.

    Prints as a table. Of views, all is kept that they are views of.
    """
    if not isinstance(back, Pullback):
        raise TypeError(
            f"memory takes what zyg.pullback returns beside the value, not a {type(back).__name__}"
        )
    known: dict[int, Any] = {}
    found: dict[tuple[str, int, str, str], tuple[int, int]] = {}
    for node, value in _leaves(_Inner(back.origin), back.saved):
        for part, size in sizes_of(value, known):
            file, line = ("", 0) if node.loc is None else (node.loc.file, node.loc.line)
            key = file, line, node.name, _kind(part)
            count, total = found.get(key, (0, 0))
            found[key] = count + 1, total + size
    rows = [Holding(*key, count, size) for key, (count, size) in found.items()]
    rows.sort(key=lambda row: (row.file, row.line))
    return Memory(back.description, rows)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        shape = ", ".join(map(str, value.shape))
        is_repeated = value.ndim > 0 and value.size > 1 and not any(value.strides)
        return f"{'shape of ' if is_repeated else ''}{value.dtype}[{shape}]"
    return type(value).__name__


# How saved values are made up


@record
class _Named:
    name: str
    loc: Location | None


@record
class _Parts:
    """A tuple."""

    items: tuple[_Node, ...]


@record
class _Many:
    """A list of records of a loop."""

    item: _Node


@record
class _Inner:
    """What a generated forward function saved; of None, nothing is known."""

    function: Generated | None
    loc: Location | None = None


_Node: TypeAlias = _Named | _Parts | _Many | _Inner
UNKNOWN = _Named("?", None)


def _leaves(node: _Node, value: Any) -> Iterator[tuple[_Named, Any]]:
    """The saved values that have a name, without recursion: records may be nested deeply."""
    left: list[tuple[_Node, Any]] = [(node, value)]
    while left:
        node, value = left.pop()
        loc = getattr(node, "loc", None)
        if isinstance(value, DispatchedBack):
            left.append((_Inner(value.adjoint.generated, loc), value.saved))
        elif isinstance(value, Kept | RunAgainBack):
            left += [(_Named(name, loc), held) for name, held in value.held().items()]
        elif isinstance(value, RuleBack):
            left += [(_Named(name, loc), held) for name, held in value.captured().items()]
        elif isinstance(node, _Inner):
            pair = None if node.function is None else node.function.pair
            left.append((UNKNOWN if pair is None else _saved_by(pair), value))
        elif isinstance(node, _Many) and isinstance(value, list):
            left += [(node.item, item) for item in reversed(value)]
        elif isinstance(node, _Parts) and type(value) is tuple and len(value) == len(node.items):
            left += reversed([*zip(node.items, value, strict=True)])
        else:
            yield (node if isinstance(node, _Named) else UNKNOWN), value


def _saved_by(pair: Pair) -> _Node:
    """What the forward function of a pair saves."""
    function = pair.run or pair.forward.ir_function
    assert function is not None and isinstance(function.body.exit, Yield)
    maker = _Makers(function)
    (whole,) = function.body.exit.values
    made = maker.op_of(whole)
    assert isinstance(made, Call), "a forward function returns its value and what is saved"
    return maker.node(made.args[1])


class _Makers:
    """Where the values of a function are made."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._made: dict[Value, Op] = {}
        self._owners: dict[Value, Op] = {}
        for block in blocks(function.body):
            for op in block.ops:
                self._made.update((value, op) for value in op.results)
                if isinstance(op, Loop):
                    self._owners.update((value, op) for value in op.body.params)

    def op_of(self, operand: Operand) -> Op | None:
        return self._made.get(operand) if isinstance(operand, Value) else None

    def node(self, operand: Operand) -> _Node:
        """How a saved value is made up."""
        if isinstance(operand, Const):
            return _Named(repr(operand.value), self._function.loc)
        op = self.op_of(operand)
        if op is None:
            owner = self._owners.get(operand)
            return self._named(operand, owner.loc if owner is not None else None)
        at = op.results.index(operand)
        match op:
            case Call():
                return self._call(op, operand)
            case For() | While() if at >= len(op.init) and isinstance(op.body.exit, Yield):
                return _Many(self.node(op.body.exit.values[1 + at]))
            case If() | Try():
                for block in op.blocks:
                    value = block.exit.values[at] if isinstance(block.exit, Yield) else None
                    if isinstance(value, Value):
                        return self.node(value)
        return self._named(operand, op.loc)

    def _call(self, op: Call, operand: Value) -> _Node:
        callee = op.callee.value if isinstance(op.callee, Const) else None
        if callee is primitives.build_tuple:
            return _Parts(tuple(map(self.node, op.args)))
        if any(callee is copy for copy in COPIES):
            found = self.node(op.args[0])
            is_plain = isinstance(found, _Named) and operand.name != "t"
            return _Named(operand.name, found.loc) if is_plain else found  # type: ignore[union-attr]
        if isinstance(callee, Generated) and callee.pair is not None and operand is op.results[-1]:
            return _Inner(callee, op.loc)
        return self._named(operand, op.loc)

    def _named(self, value: Value, loc: Location | None) -> _Named:
        return _Named("(temporary)" if value.name == "t" else value.name, loc or self._function.loc)
