"""Random programs through `ir` and back: what `rebuilt(f)` does must be what f does."""

from __future__ import annotations

from types import FunctionType

from tests.fuzz.oracles import Derivatives, on_duals, residue
from tests.fuzz.program import ENTRY, Program, loaded
from tests.round_trip import rebuilt


def by_round_trip(program: Program, inputs: tuple[int, ...]) -> Derivatives:
    """The derivatives by dual numbers of the program with all its functions rebuilt."""
    with loaded(program.source, residue=residue) as f:
        for name, value in list(f.__globals__.items()):
            if isinstance(value, FunctionType) and value.__code__.co_filename == _file(f):
                f.__globals__[name] = rebuilt(value)
        return on_duals(f.__globals__[ENTRY], inputs)


def _file(f: FunctionType) -> str:
    return f.__code__.co_filename
