"""What stands above the compiler and serves it while generated code runs; set by `zyg.api`."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any


def _not_set(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("`zyg.api` has to be imported first")


# Whether a tangent is being made of what a back function gives.
is_forward: ContextVar[bool] = ContextVar("is_forward", default=False)
# Differentiates a call of a Python function.
compile_call: Callable[..., Any] = _not_set
# The same for its catching variant.
compile_attempt: Callable[..., Any] = _not_set
# Whether the code for a call of a Python function works on objects.
works_on_objects: Callable[..., bool] = _not_set
# Whether the code for a call of a Python function stores what varies with its arguments.
may_store: Callable[..., bool] = _not_set
# The entry of a call of a Python function, and its inputs.
found_pair: Callable[..., Any] = _not_set
# How cotangents of the result go into its back function, and how what that gives is arranged.
ends_of_pair: Callable[..., Any] = _not_set
# Why a Python function can't be compiled for some arguments, None if it can.
why_not_compiled: Callable[[Any, tuple[Any, ...]], Exception | None] = _not_set
