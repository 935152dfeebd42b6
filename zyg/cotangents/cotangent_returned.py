"""What the back function of a custom rule returned: a gradient for each argument, or one, bare."""

from __future__ import annotations

from typing import Any

import numpy as np

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


# The gradient of a keyword argument, where the rule has none for it.
NO_SLOT = object()


def keyword_gradient(bars: Any, index: int, name: str) -> Any:
    """The gradient of a keyword argument; raises where the rule has none for it."""
    bar = bars[index]
    if bar is NO_SLOT:
        raise NotDifferentiable(
            f"the rule of a called function has no gradient for its keyword argument `{name}`"
        )
    return bar


def keyword_bar(bar: Any, name: str, value: Any) -> Any:
    """The gradient of a keyword argument that holds `value`: None for flags, axes and the like."""
    if bar is NO_SLOT and not isinstance(value, (float, complex, np.inexact, np.ndarray)):
        return None
    return keyword_gradient((bar,), 0, name)
