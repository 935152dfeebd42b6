"""What inference asks about the objects that stand for the contents of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.core import Const, Operand, type_of
from ir.late import MemberOf, late
from ir.types import Closure, Type, widen

if TYPE_CHECKING:
    from zyg.compiler.nested import contents_objects
    from zyg.held import array_parts
else:  # they are for programs on objects
    contents_objects = late("zyg.compiler.nested.contents_objects")
    array_parts = late("zyg.held.array_parts")


class ContentsSurroundings:
    """Answers what `ir.memory.followed_memory`, `ir.memory.held_tables` and
    `ir.memory.held_functions` ask.
    """

    contents_of: Any = MemberOf(contents_objects)
    contents_put: Any = MemberOf(contents_objects)
    part_contents_of: Any = MemberOf(contents_objects)
    part_contents_put: Any = MemberOf(contents_objects)
    place_of: Any = MemberOf(array_parts)
    part_of: Any = MemberOf(array_parts)
    whole_with: Any = MemberOf(array_parts)
    is_followed: Any = MemberOf(contents_objects)
    unless_unfollowed: Any = MemberOf(contents_objects)
    unless_holding_contents: Any = MemberOf(contents_objects)
    unless_capturing_held: Any = MemberOf(contents_objects)
    note_captured: Any = MemberOf(contents_objects)
    unless_captured: Any = MemberOf(contents_objects)
    unless_memory: Any = MemberOf(contents_objects)
    unless_filled: Any = MemberOf(contents_objects)
    unless_items_are_memory: Any = MemberOf(contents_objects)
    reference: Any = MemberOf(contents_objects)

    def part_functions(self, cls: type) -> tuple[Any, Any] | None:
        return contents_objects.part_functions(cls)

    def reads_whole(self, callee: Operand) -> bool:
        if not isinstance(callee, Const):
            return not isinstance(type_of(callee), Closure)
        return contents_objects.reads_whole(callee.value)

    def whole_type(self, type_: Type) -> Type:
        return array_parts.whole_type(type_)

    def ndim_of(self, type_: Type) -> int | None:
        return array_parts.ndim_of(type_)

    def captures_memory_now(self, function: Any) -> bool:
        # Most functions have captured nothing.
        is_any = function.__closure__ or function.__defaults__ or function.__kwdefaults__
        return bool(is_any) and bool(contents_objects.captures_memory_now(function))

    def contents_class(self, type_: Type) -> type:
        from zyg.compiler.inference.fields import unnamed  # few programs work on objects

        return contents_objects.contents_class(unnamed(widen(type_)))
