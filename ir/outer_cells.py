"""Variables of functions that were made before the program, where the program changes them.

    def counter():
        n = 0                          step = counter()
        def step():                    n.contents = n.contents + 1
            nonlocal n
            n += 1

The cell of such a variable is one more object of one name, as a module is one of many
(`ir.shared_names`): what is stored there, or changed in place, outlives the program.

All functions that have captured it have to read it so, those that assign nothing, too: from the
first program on that changes a cell, they are known by what they are, and not by their code, until
all that was compiled is forgotten.
"""

from __future__ import annotations

import dis
import itertools
from collections.abc import Iterable
from types import CellType, CodeType, FunctionType
from typing import Any

from ir.forgettable import forgettable, forgettable_dict
from ir.heap import CONTENTS

_EMPTY = CellType()


class OuterCell:
    """Stands for the cell of a variable, in the place of what it holds."""

    __slots__ = ("cell", "names", "variable")

    def __init__(self, cell: CellType, variable: str) -> None:
        self.cell = cell
        self.variable = variable
        self.names = CellNames(self)

    @property
    def contents(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            raise NameError(
                f"cannot access free variable '{self.variable}' where it is not associated with a "
                "value in enclosing scope", name=self.variable,
            ) from None

    @contents.setter
    def contents(self, value: Any) -> None:
        self.cell.cell_contents = value

    def __repr__(self) -> str:
        return f"the variable `{self.variable}` of a function that was made before"


class CellNames:
    """The same as a namespace of one name."""

    __slots__ = ("_owner",)

    def __init__(self, owner: OuterCell) -> None:
        self._owner = owner

    @property
    def variable(self) -> str:
        return self._owner.variable

    def get(self, name: str, default: Any = None) -> Any:
        return self._owner.contents if name in self else default

    def __contains__(self, name: str) -> bool:
        return name == CONTENTS and self._owner.cell != _EMPTY

    def __getitem__(self, name: str) -> Any:
        if name != CONTENTS:
            raise AttributeError(name)
        return self._owner.contents

    def __setitem__(self, name: str, value: Any) -> None:
        self._owner.cell.cell_contents = value

    def __delitem__(self, name: str) -> None:
        del self._owner.cell.cell_contents


def outer_cell(cell: CellType, variable: str) -> OuterCell:
    """The object that stands for a cell, one for each."""
    known = _known.get(id(cell))
    if known is None:
        known = _known[id(cell)] = OuterCell(cell, variable)
    return known


# By the `id` of the cell, which its object keeps alive, until all that was compiled is forgotten.
_known: dict[int, OuterCell] = forgettable_dict()
# The cells that programs change.
_changed: dict[int, None] = forgettable_dict()


def note_changes(cells: Iterable[tuple[CellType, str]]) -> None:
    """Notes variables that programs change; code has to be made again."""
    for cell, variable in cells:
        outer_cell(cell, variable)  # which keeps it
        _changed[id(cell)] = None


def note_no_changes(cells: Iterable[tuple[CellType, str]]) -> None:
    """Takes variables for what no program changes, if nobody has made code for that."""
    for cell, _ in cells:
        _changed.pop(id(cell), None)


class CellChanges(Exception):
    """A program changes a captured variable, of which that wasn't known when code was made: once
    it is noted, code has to be made again."""

    def __init__(self, cell: CellType, variable: str) -> None:
        super().__init__(variable)
        self.cell = cell
        self.variable = variable


def unless_known_to_change(cell: CellType, variable: str) -> None:
    """Raises CellChanges where nobody knows as yet that a program changes a captured variable."""
    if not changes(cell):
        raise CellChanges(cell, variable)


def changes(cell: CellType) -> bool:
    """Whether programs change a captured variable."""
    return id(cell) in _changed


def captures_changed(function: FunctionType) -> bool:
    """Whether a function has captured a variable that programs change: itself, or others."""
    cells = function.__closure__
    return cells is not None and (
        not _changed.keys().isdisjoint(map(id, cells)) or bool(assigned_captures(function.__code__))
    )


def content_of(cell: CellType) -> Any:
    """What a captured variable holds; None before it is bound."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@forgettable(maxsize=4096)
def captured_owners(code: CodeType) -> frozenset[str]:
    """The captured variables in whose values a function stores attributes: `wrapper.last = y`."""
    if not _has_step(code, "STORE_ATTR"):
        return frozenset()
    return frozenset(
        owner.argval for owner, store in itertools.pairwise(dis.get_instructions(code))
        if owner.opname == "LOAD_DEREF" and store.opname == "STORE_ATTR"
    )


@forgettable(maxsize=4096)
def assigned_captures(code: CodeType) -> frozenset[str]:
    """The captured variables that a function assigns."""
    stores = "STORE_DEREF", "DELETE_DEREF"
    if not any(_has_step(code, store) for store in stores):
        return frozenset()
    names = {step.argval for step in dis.get_instructions(code) if step.opname in stores}
    return frozenset(names & {*code.co_freevars})


def _has_step(code: CodeType, name: str) -> bool:
    return dis.opmap[name] in code.co_code[::2]
