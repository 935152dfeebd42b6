"""What one benchmark is made of: a primal, its adjoint by hand, and inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Gradient = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """A plain Python/NumPy function that returns a real scalar, and what it is compared with.

    `arguments` are passed by position and have gradients (integers among them get 0); `data` is
    passed by keyword and has none. `gradient_by_hand` takes both and returns one gradient per
    argument. `written_for_jax` replaces the primal where a Python loop would be unrolled into
    XLA's program; `without` names peers for which the program makes no sense.
    """

    name: str
    primal: Callable[..., Any]
    gradient_by_hand: Callable[..., Gradient]
    arguments: tuple[Any, ...]
    data: dict[str, Any] = field(default_factory=dict)
    written_for_jax: Callable[..., Any] | None = None
    without: frozenset[str] = frozenset()

    @property
    def differentiated(self) -> tuple[int, ...]:
        """The positions of the arguments whose gradient is not 0 by their type."""
        return tuple(i for i, a in enumerate(self.arguments) if not isinstance(a, int))
