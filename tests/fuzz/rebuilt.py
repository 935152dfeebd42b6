"""Random programs through `ir` and back: what `rebuilt(f)` does must be what f does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any

from tests.fuzz.oracles import DUAL_PRIMITIVES, Run, on_duals
from tests.fuzz.program import ENTRY, Program, loaded
from tests.round_trip import rebuilt


@contextmanager
def by_round_trip(program: Program) -> Iterator[Run]:
    """Runs the program on dual numbers with all its functions rebuilt."""
    with loaded(program.source, **DUAL_PRIMITIVES) as f:

        @cache
        def entry() -> Callable[..., Any]:
            namespace = f.__globals__
            for name, value in list(namespace.items()):
                if isinstance(value, FunctionType) and value.__module__ == f.__module__:
                    namespace[name] = rebuilt(value)
            return namespace[ENTRY]

        yield lambda inputs: on_duals(entry(), inputs)
