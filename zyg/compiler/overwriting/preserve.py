"""Keeps what an adjoint reads of memory that the forward pass overwrites later.

    r = np.sin(a)              r = np.sin(a)
    a[i] = v             ->    a_kept = a.copy(); a[i] = v      where the adjoint reads cos(a)

Versions of an object that is changed in place share its memory. An adjoint that reads such a
version after it has been overwritten gets a copy, made where the version came into being; where
it reads the shape alone, a prototype. What nothing overwrites is kept by reference; of an input,
if it shares no memory with another one that is changed.

    a *= b                     b_kept = kept_apart(b, a); a *= b    a caller may give a as b too
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

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
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    operands_of,
    type_of,
)
from ir.inference.typed_branches import is_same_operand as same
from ir.memory.memory_facts import CHANGING, changed_by, is_mutable
from ir.rewrite import blocks, defined, free_values, substitute, walk
from ir.simplify import is_pure
from ir.types import Tuple, Type, class_of
from zyg.array_type import is_basic_index, same_shape
from zyg.compiler.inference.objects import is_object_type, kept_with_objects
from zyg.compiler.overwriting.replica import restored_part
from zyg.compiler.overwriting.unseen_changes import Saved, check_unseen
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.compiler.reverse.structure import Reads, keeps_structure
from zyg.compiler.run_time.memory import kept_apart, written_view
from zyg.cotangents import cotangent
from zyg.facts.numpy_indexing import selects
from zyg.held import keeping

# Changes of a container that leave the memory of what it holds as it is.
_REGROUPING = {
    id(f) for f in (
        primitives.appended, primitives.extended, primitives.inserted, primitives.deleted,
        primitives.pushed, primitives.pushed_left, primitives.rotated, primitives.emptied,
        primitives.regrouped, primitives.cycled,
    )
}
# Calls whose operands beside the whole show its memory.
WRITTEN = (primitives.written, written_view, primitives.updating, restored_part)


def preserve(
    forward: Block, adjoint: Block, exported: set[Value], on_heap: bool = False,
    handed_on: Iterable[Operand] = (),
) -> list[Value]:
    """Lets an adjoint read copies of what is overwritten; gives the values that were copied.

    `exported` are the results by which branches and loops hand out what adjoints of their bodies
    read. `on_heap`: objects are known by identity, and what they held is saved where it is read.
    `handed_on` has memory that is taken for overwritten behind the block, where callers have it.
    """
    copying = kept_with_objects if on_heap else keeping.kept
    copied: list[Value] = []
    _measure_latest(forward, {})
    memory = Memory(forward, exported, handed_on)
    reads = Reads(forward, adjoint)
    contents = {
        result for op in walk(forward) for result in op.results if result in exported
        and not reads.only_structure(result)
    }
    for value in free_values(adjoint):
        if on_heap and is_object_type(value.type):
            continue
        if not memory.is_overwritten_behind(value, forward):
            if not (is_array(value.type) and reads_only_metadata(adjoint, value)):
                apart = _kept_apart(value, forward, memory, forward)
                if apart is not value:
                    substitute(adjoint, {value: apart})
            continue
        kept = Value(value.name, value.type)
        is_shape = is_array(value.type) and reads_only_metadata(adjoint, value)
        callee = cotangent.prototype if is_shape else memory.keeping(value, adjoint)
        if callee is keeping.kept:
            copied.append(value)
            callee = copying
        insert_behind(forward, value, Call(Const(callee), [value], {}, [kept]))
        substitute(adjoint, {value: kept})
    lean = {
        result for result in exported if is_array(result.type)
        and reads_only_metadata(forward, result) and reads_only_metadata(adjoint, result)
    }
    for block in blocks(forward):
        for op in block.ops:
            if isinstance(op, If | Try | For | While):
                copied += _preserve_exports(
                    op, memory, exported, contents, lean, copying, forward
                )
    return copied


def check_unseen_changes(
    forward: Block, adjoint: Block, exported: set[Value], on_heap: bool, is_inner: bool
) -> None:
    """Has an adjoint read copies of what calls that nobody looks into may change, or these raise
    if they do."""
    memory = Memory(forward, exported)
    saved = [
        Saved(value, memory.root(value), True) for value in free_values(adjoint)
        if holds_memory(value.type)
    ]
    for op in walk(forward):
        for body in blocks_of(op):
            if isinstance(body.exit, Yield):
                handed = body.exit.values[len(body.exit.values) - len(op.results) :]
                saved += [
                    Saved(value, memory.root(value), False)
                    for value, result in zip(handed, op.results, strict=True)
                    if result in exported and isinstance(value, Value)
                ]
    for value in check_unseen(forward, saved, memory.root, on_heap, is_inner):
        kept = Value(value.name, value.type)
        insert_behind(forward, value, Call(Const(keeping.kept), [value], {}, [kept]))
        substitute(adjoint, {value: kept})


def changed_at_entry(body: Block) -> bool:
    """Whether an iteration of a loop may change memory that was there before it."""
    memory = Memory(Block([], body.ops, body.exit), set())
    entered = [*body.params, *free_values(body)]
    return any(memory.is_written(value) for value in entered if holds_memory(value.type))


def _measure_latest(block: Block, versions: dict[Value, Value]) -> None:
    """Reads shapes and dtypes, which no change in place changes, of the version at hand.

    So no version is named behind the change that overwrites it.
    """
    for op in block.ops:
        if not isinstance(op, Call):
            for inner in blocks_of(op):
                _measure_latest(inner, dict(versions))
        elif isinstance(op.callee, Const) and facts.is_metadata(op.callee.value):
            op.args = [versions.get(arg, arg) if isinstance(arg, Value) else arg
                       for arg in op.args]
        elif isinstance(op.callee, Const) and id(op.callee.value) in CHANGING and (
            isinstance(op.args[0], Value) and is_array(op.args[0].type)
        ):  # a call that changes its argument, too, gives other things as well
            before, after = op.args[0], op.results[0]
            versions.update((old, after) for old, new in versions.items() if new is before)
            versions[before] = after


def _preserve_exports(
    op: If | Try | For | While, memory: Memory, exported: set[Value], contents: set[Value],
    lean: set[Value], copying: Callable[[Any], Any], forward: Block,
) -> list[Value]:
    copied = []
    skipped = 0 if isinstance(op, If | Try) else 1
    for body in blocks_of(op):
        if not isinstance(body.exit, Yield):
            continue
        for i, result in enumerate(op.results):
            value = body.exit.values[skipped + i]
            if result not in exported or not isinstance(value, Value):
                continue
            if copying is kept_with_objects and is_object_type(value.type):
                continue
            if memory.is_overwritten_in(value, body, isinstance(op, If | Try)):
                kept = Value(value.name, value.type)
                callee = keeping.kept if result in contents else memory.keeping(value, None)
                if result in lean:
                    callee = cotangent.prototype
                source = memory.stored_before(value, body) if callee is keeping.kept else None
                if source is not None:
                    body.exit.values[skipped + i] = source
                    continue
                if callee is keeping.kept:
                    copied.append(value)
                    callee = copying
                copy = Call(Const(callee), [value], {}, [kept])
                insert_behind(body, value, copy)
                body.exit.values[skipped + i] = kept
            elif result not in lean:
                body.exit.values[skipped + i] = _kept_apart(value, body, memory, forward)
    return copied


def _kept_apart(value: Value, block: Block, memory: Memory, forward: Block) -> Value:
    """What an adjoint reads of a value that other inputs overwrite, if they share its memory."""
    others = memory.written_inputs(value, forward)
    if not others:
        return value
    apart = Value(value.name, value.type)
    others = [memory.version_beside(value, other, block) for other in others]
    insert_behind(block, value, Call(Const(kept_apart), [value, *others], {}, [apart]))
    return apart


def insert_behind(block: Block, value: Value, call: Call) -> None:
    """Inserts a call where a value has just come into being."""
    for inner in blocks(block):
        if value in inner.params:
            inner.ops.insert(0, call)
            return
        for i, op in enumerate(inner.ops):
            if value in op.results:
                inner.ops.insert(i + 1, call)
                return
    block.ops.insert(0, call)  # an input


class Memory:
    """Which values share memory, as far as that can be told apart."""

    def __init__(
        self, forward: Block, exported: set[Value], handed_on: Iterable[Operand] = ()
    ) -> None:
        self._exported = exported
        self._parent: dict[Value, Value] = {}
        self._written: set[Value] = set()
        self._restructured: set[Value] = set()
        # Where memory of arrays is written, not that of containers alone.
        self._filled: set[Value] = set()
        self._forward = forward
        self._inputs = [value for value in free_values(forward) if holds_memory(value.type)]
        self._block(forward)
        self._written = {self.root(value) for value in self._written}
        self._restructured = {self.root(value) for value in self._restructured}
        self._filled = {self.root(value) for value in self._filled}
        self._handed_on = {
            self.root(value) for value in handed_on
            if isinstance(value, Value) and holds_memory(value.type)
        }

    def root(self, value: Value) -> Value:
        while value in self._parent:
            value = self._parent[value]
        return value

    def _join(self, a: Operand, b: Operand) -> None:
        if not isinstance(a, Value) or not isinstance(b, Value) or a in self._exported:
            return
        if not holds_memory(a.type) or not holds_memory(b.type):
            return
        first, second = self.root(a), self.root(b)
        if first is not second:
            self._parent[second] = first

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case Call():
                    self._call(op)
                case If() | Try():
                    for inner in op.blocks:
                        self._block(inner)
                        if isinstance(inner.exit, Yield):
                            for result, value in zip(op.results, inner.exit.values, strict=False):
                                self._join(result, value)
                case For() | While():
                    self._loop(op)
                case _:
                    for operand in operands_of(op):
                        self._join(op.results[0], operand)

    def _loop(self, op: For | While) -> None:
        self._block(op.body)
        if isinstance(op, For):
            for item, iterable in zip(op.items, op.iterables, strict=True):
                self._join(item, iterable)
        for param, init, result in zip(op.carried, op.init, op.results, strict=False):
            self._join(param, init)
            self._join(param, result)
        if isinstance(op.body.exit, Yield):
            for result, value in zip(op.results, op.body.exit.values[1:], strict=False):
                self._join(result, value)

    def _call(self, op: Call) -> None:
        changed = changed_by(op)
        self._written.update(changed)
        if not keeps_structure(op):
            self._restructured.update(changed)
        callee = op.callee.value if isinstance(op.callee, Const) else None
        is_list_store = callee is primitives.stored and class_of(type_of(op.args[0])) is list
        if id(callee) not in _REGROUPING and not is_list_store:
            self._filled.update(changed)
        if id(callee) in CHANGING and callee not in WRITTEN and is_array(changed[0].type):
            self._written.add(op.result)
            self._join(op.result, changed[0])  # what is stored into an array is copied
            return
        if isinstance(op.callee, Const) and (
            facts.is_fresh(op) or facts.is_metadata(op.callee.value)
        ):
            return
        operands = operands_of(op)
        if callee is operator.getitem and is_array(type_of(op.args[0])):
            # An array doesn't keep its indices; what index arrays select is a copy.
            operands = [] if selects(type_of(op.args[1])) else [op.args[0]]
        results = op.results
        if getattr(callee, "saves_apart", False):
            *results, saved = results
            for operand in operands:
                if operand not in changed:
                    self._join(saved, operand)
        for result in results:
            # A function may have saved what it returned.
            self._join(op.results[0], result)
            for operand in operands:
                self._join(result, operand)

    def keeping(self, value: Value, adjoint: Block | None) -> Any:
        """What gives the adjoint a value that will be overwritten: a copy, or itself where the
        structure is all that it asks for."""
        is_structure = class_of(value.type) in (list, dict) and (
            adjoint is None or Reads(self._forward, adjoint).only_structure(value)
        )
        if not is_structure:
            return keeping.kept
        may_grow = self.root(value) in self._restructured | self._handed_on
        return keeping.shell if may_grow else primitives.alias

    def is_handed_on(self, root: Value) -> bool:
        """Whether callers may change some memory behind the block."""
        return root in self._handed_on

    def is_written(self, value: Value) -> bool:
        """Whether memory of a value is written anywhere: of an array, what arrays consist of."""
        written = self._filled if is_array(value.type) else self._written
        return self.root(value) in written

    def stored_before(self, value: Value, body: Block) -> Value | None:
        """The array that was stored just where a value is read from, if nothing overwrites that."""
        definitions = {result: op for op in body.ops for result in op.results}
        read = definitions.get(value)
        if not _calls(read, operator.getitem):
            return None
        store = definitions.get(read.args[0])  # type: ignore[union-attr,arg-type]
        if not _calls(store, primitives.stored):
            return None
        _, index, source = store.args  # type: ignore[union-attr]
        if not isinstance(source, Value) or source.type != value.type:
            return None
        is_same = same_shape(source.type, value.type) and (
            is_basic_index(type_of(index)) and _equal(index, read.args[1], definitions)  # type: ignore[union-attr]
        )
        is_safe = self.root(source) not in self._written and source in definitions
        return source if is_same and is_safe else None

    def is_overwritten_behind(self, value: Value, block: Block) -> bool:
        """Whether the memory of a value changes between its definition and the end of a block, or
        behind that."""
        if self.root(value) in self._handed_on:
            return True
        if not self.is_written(value):
            return False
        at = next((i for i, op in enumerate(block.ops) if value in op.results), -1)
        return any(self._changes(op, value) for op in block.ops[at + 1 :])

    def written_inputs(self, value: Value, block: Block) -> list[Value]:
        """The inputs that are changed behind the definition of a value which may show the memory
        of another input; a caller may have passed the same memory as both.

        Where that memory is read behind the change, the forward pass has raised before.
        """
        root = self.root(value)
        if not holds_memory(value.type) or root not in map(self.root, self._inputs):
            return []
        # The memory of an array isn't written where a list grows that the same input holds.
        written = self._filled if is_array(value.type) else self._written
        return [
            other for other in self._inputs
            if self.root(other) is not root and self.is_written(other)
            and self.root(other) in written and self._is_changed_behind(other, value, block)
        ]

    def version_beside(self, value: Value, other: Value, block: Block) -> Value:
        """What an input is where a value has just come into being: the branch that gives the value
        may have changed the input, too."""
        for op in walk(block):
            if value in op.results:
                root = self.root(other)
                versions = (v for v in op.results if v is not value and self.root(v) is root)
                return next(versions, other)
        return other

    def _is_changed_behind(self, other: Value, value: Value, block: Block) -> bool | None:
        """Whether an input is changed behind the definition of a value; None if also before."""
        at, inside = -1, None
        for i, op in enumerate(block.ops):
            inside = next((inner for inner in blocks_of(op) if value in defined(inner)), None)
            if value in op.results or inside is not None:
                at = i
                break
        if any(self._changes(op, other) for op in block.ops[: max(at, 0)]):
            return None
        found: bool | None = False
        if inside is not None and self._changes(block.ops[at], other):
            is_loop = isinstance(block.ops[at], Loop)
            found = None if is_loop else self._is_changed_behind(other, value, inside)
        if found is not False:
            return found
        return any(self._changes(op, other) for op in block.ops[at + 1 :])

    def is_overwritten_in(self, value: Value, body: Block, is_branch: bool) -> bool:
        """The same for what a body hands out: all that runs behind it may change the memory."""
        root = self.root(value)
        if root in self._handed_on:
            return True
        if not self.is_written(value):
            return False
        local = defined(body)
        if not is_branch and all(v in local for v in self.members(root)):
            return self.is_overwritten_behind(value, body)
        return True

    def members(self, root: Value) -> list[Value]:
        return [value for value in [*self._parent, root] if self.root(value) is root]

    def _changes(self, op: Op, value: Value) -> bool:
        root = self.root(value)
        if any(self.root(changed) is root for changed in changed_by(op)):
            return True
        return any(
            self._changes(inner, value) for block in blocks_of(op) for inner in block.ops
        )


def _calls(op: Op | None, callee: object) -> bool:
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee


def _equal(a: Operand, b: Operand, definitions: dict[Value, Op]) -> bool:
    """Whether two indices are computed in the same way."""
    if same(a, b):
        return True
    if isinstance(a, Const) or isinstance(b, Const):
        return False
    first, second = definitions.get(a), definitions.get(b)
    if not isinstance(first, Call) or not isinstance(second, Call) or first.kwargs:
        return False
    if not isinstance(first.callee, Const) or not is_pure(first) or second.kwargs:
        return False
    return _calls(second, first.callee.value) and len(first.args) == len(second.args) and all(
        _equal(p, q, definitions) for p, q in zip(first.args, second.args, strict=True)
    ) and is_basic_index(a.type)


def holds_memory(type_: Type) -> bool:
    """Whether a value of a type is, or holds, something that can be changed in place."""
    if isinstance(type_, Tuple):
        return any(map(holds_memory, type_.items))
    return is_mutable(type_)
