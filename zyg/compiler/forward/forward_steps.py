"""What the forward pass notes of each call, branch and loop for the adjoint."""

from __future__ import annotations

from typing import Any, TypeAlias

from ir.core import Branch, Call, For, Function, Lambda, Location, Operand, Value, While, type_of
from ir.record import node
from zyg.compiler.inference.objects import is_object_type


@node
class RuleStep:
    """A call of a callable with a rule, whose back function is inlined into the adjoint."""

    result: Value
    targets: list[Operand]
    back: Function
    captures: list[Operand]
    defaults: list[Operand]
    optional: int
    callee: object
    loc: Location | None


@node
class OpaqueStep:
    """A call that returned its back function at run time; `targets` are what it differentiates.

    `read` are the operands of a read of an attribute, of what may be no object.
    """

    result: Value
    targets: list[tuple[Operand, str | None]]
    back: Value
    loc: Location | None
    works_on_objects: bool = False
    changes_objects: bool = False
    read: tuple[Operand, Operand] | None = None


@node
class CallStep:
    """A call of a user's function with code of its own: `targets` are its active inputs."""

    result: Value
    targets: list[tuple[Operand, str | None]]
    back: object
    saved: Value
    loc: Location | None
    works_on_objects: bool = False
    changes_objects: bool = False


@node
class ReadStep:
    """A read of what an object holds: its cotangent goes to the table of the heap."""

    result: Value
    obj: Operand
    name: str
    loc: Location | None
    # Where it may be memory that is changed in place: what was read, to be known again.
    held: Value | None = None


@node
class StoreStep:
    """A store into an object (of None: a deletion), which takes the cotangent of the place."""

    obj: Operand
    name: str
    value: Operand | None
    loc: Location | None
    # Where it may be memory that is changed in place: the value, and what of it no object held.
    held: Value | None = None
    newly: Operand | None = None


@node
class ContentsStep:
    """Memory is looked at behind a point where an object may have changed it: its cotangent is
    that of the contents, if an object holds it."""

    result: Value
    value: Value
    held: Value
    loc: Location | None


@node
class SeenStep:
    """Something that holds objects is given to a call that knows no table: what the call gives for
    it belongs to what these held at this point."""

    result: Value
    value: Operand
    seen: Value
    loc: Location | None


@node
class ItemStep:
    """An item of memory that objects hold is read, in the block that has read the memory.

    `held`: the memory; `item`: the item, where it may be memory itself.
    """

    result: Value
    container: Value
    index: Operand
    held: Value
    item: Value | None
    loc: Location | None


@node
class ChangeStep:
    """Memory that objects hold is changed in place, at one item: `value` is put there, if any.

    `change`: what the forward pass has noted; `bar_of`: what takes it back, and gives the
    cotangent of the value.
    """

    value: Operand | None
    change: Value
    bar_of: Any
    loc: Location | None


@node
class StructureStep:
    """Building or taking apart a container: the inverse acts on the container of cotangents."""

    call: Call


@node
class BranchStep:
    op: Branch
    arms: list[list[Step]]


@node
class LoopStep:
    op: For | While
    steps: list[Step]


@node
class LambdaStep:
    op: Lambda


HeapStep: TypeAlias = ReadStep | StoreStep | ContentsStep | SeenStep | ItemStep | ChangeStep
Step: TypeAlias = (
    RuleStep | OpaqueStep | CallStep | HeapStep | StructureStep | BranchStep | LoopStep | LambdaStep
)


def works_on_heap(steps: list[Step]) -> bool:
    """Whether some of the steps read or change what objects hold."""
    for step in steps:
        match step:
            case (
                ReadStep() | StoreStep() | ContentsStep() | SeenStep() | ItemStep() | ChangeStep()
            ):
                return True
            case CallStep() | OpaqueStep():
                if step.changes_objects:
                    return True
            case BranchStep(_, arms):
                if any(map(works_on_heap, arms)):
                    return True
            case LoopStep(_, inner):
                if works_on_heap(inner):
                    return True
    return False


def touches_heap(steps: list[Step]) -> bool:
    """Whether the adjoint of some of the steps may change the cotangents of what objects hold."""
    for step in steps:
        match step:
            case RuleStep() if any(is_object_type(type_of(target)) for target in step.targets):
                return True
            case (
                ReadStep() | StoreStep() | ContentsStep() | SeenStep() | ItemStep() | ChangeStep()
            ):
                return True
            case CallStep() | OpaqueStep():
                if step.works_on_objects or step.changes_objects:
                    return True
            case BranchStep(_, arms):
                if any(map(touches_heap, arms)):
                    return True
            case LoopStep(_, inner):
                if touches_heap(inner):
                    return True
    return False
