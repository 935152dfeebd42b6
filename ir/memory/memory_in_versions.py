"""Memory in generated code, of which what objects hold are values with versions already."""

from __future__ import annotations

from collections.abc import Iterable

from ir.core import Location, Operand, Value
from ir.memory.held import HeldMemory
from ir.memory.held_functions import may_be_memory


class InVersions(HeldMemory):
    """Follows none: reads and stores of objects are operations on values there."""

    @property
    def is_watching(self) -> bool:
        return False

    def was_read(self, made: Value, loc: Location | None) -> Operand:
        if may_be_memory(made.type):
            self._places.versions[made] = None
        return made

    def expose(self, operands: Iterable[Operand]) -> None:
        pass

    def is_exposed(self, value: Value) -> bool:
        return False

    def is_held(self, value: Value) -> bool:
        return False

    def mark(self, operands: Iterable[Operand], are_parts: bool = False) -> None:
        pass
