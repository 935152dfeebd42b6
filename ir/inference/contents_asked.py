"""What inference asks of those who use it about what memory and objects hold, and where objects
stand for that (`ir.memory.followed_memory`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ir.core import Location, Operand
from ir.types import Type

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


class ContentsAsked(Protocol):
    """Questions about what memory and objects hold, and what operations on that call."""

    def put(
        self, inference: TypedCalls, memory: Operand, operands: list[Operand],
        loc: Location | None,
    ) -> list[Operand]:
        """The operands of a change of memory, as they are to be put there."""

    def follows_contents(self) -> bool:
        """Whether something stands for the contents of that memory
        (`ir.memory.followed_memory`).
        """

    def contents_class(self, type_: Type) -> type:
        """The class of what stands for the contents of memory of a type."""

    def contents_of(self, cls: type, memory: Any) -> Any:
        """What stands for the contents of memory that an object holds, when the program runs."""

    def contents_put(self, cls: type, memory: Any) -> Any:
        """The same for memory that an object holds from here on."""

    def is_followed(self, memory: Any) -> bool:
        """Whether something stands for the contents of memory, when the program runs."""

    def reference(self, memory: Any) -> Any:
        """Memory without its contents, as what an object refers to."""

    def part_functions(self, cls: type) -> tuple[Any, Any] | None:
        """The Python functions that put what containers of a class hold into objects, and that read
        all of it; None where there are none."""

    # Where views of arrays are followed as parts of these

    def follows_views(self) -> bool:
        """Whether that is so in this program."""

    def unless_views(self) -> None:
        """Begins anew with views followed, if they aren't yet."""

    def whole_type(self, type_: Type) -> Type:
        """The type of the array that an array of a type may be a view of."""

    def ndim_of(self, type_: Type) -> int | None:
        """The number of dimensions of arrays of a type, if it is known."""

    def part_contents_of(self, cls: type, memory: Any) -> Any:
        """What stands for the contents of the array that this is, or is a view of."""

    def part_contents_put(self, cls: type, memory: Any) -> Any:
        """The same for an array that an object holds from here on."""

    def place_of(self, memory: Any) -> Any:
        """Where an array lies in the one that it is a view of, when the program runs."""

    def part_of(self, whole: Any, place: Any, ndim: int | None) -> Any:
        """What it shows of that."""

    def whole_with(self, whole: Any, part: Any, place: Any, ndim: int | None) -> Any:
        """That, with what it shows now."""
