"""What the back function of a custom rule returned: a gradient for each argument, or one, bare."""

from __future__ import annotations

from typing import Any

from zyg.errors import NotDifferentiable


def checked_gradient(bars: Any, callee: str) -> Any:
    """The gradient that a back function of one argument returned, bare or in a tuple."""
    if type(bars) is tuple:
        if len(bars) != 1:
            raise NotDifferentiable(
                f"the rule for `{callee}` returned {len(bars)} gradients for 1 argument"
            )
        return bars[0]
    return bars


def checked_gradients(bars: Any, required: int, count: int, callee: str) -> tuple[Any, ...]:
    """The gradients that a back function returned, with None for those left out."""
    if type(bars) is not tuple:
        if required <= 1:
            return (bars,) + (None,) * (count - 1)
        raise NotDifferentiable(
            f"the rule for `{callee}` returned one gradient, no tuple, for {count} arguments"
        )
    if not required <= len(bars) <= count:
        raise NotDifferentiable(
            f"the rule for `{callee}` returned {len(bars)} gradients for {count} arguments"
        )
    return bars + (None,) * (count - len(bars))
