"""Widening of arguments that keep changing: known strings and flags become strings and flags.

Each new string or flag gets code of its own, up to `MAX_VARIANTS` of one input of a function:

    f(x, "sum"), f(x, "mean")    ->  (float64[N1], ="sum"), (float64[N1], ="mean")
    f(x, "step 1"), ...          ->  from the ninth string on: (float64[N1], str)
"""

from __future__ import annotations

from typing import Any

from ir.types import Closure, Known, Scalar, Tuple, Type

MAX_VARIANTS = 8
MAX_PLACES = 4096


class Variants:
    """The known values that were seen at each place of a signature."""

    def __init__(self) -> None:
        self._seen: dict[Any, set[Type]] = {}

    def widened(self, function: object, types: tuple[Type, ...]) -> tuple[Type, ...]:
        """The types of a function's inputs, wider where there were too many known values."""
        if len(self._seen) > MAX_PLACES:
            self._seen.clear()
        return self._all((function,), types)

    def _all(self, place: Any, types: tuple[Type, ...]) -> tuple[Type, ...]:
        return tuple(self._one((place, i), type_) for i, type_ in enumerate(types))

    def _one(self, place: Any, type_: Type) -> Type:
        match type_:
            case Known(value) if type(value) in (bool, str, bytes):
                seen = self._seen.setdefault(place, set())
                if type_ not in seen and len(seen) >= MAX_VARIANTS:
                    return Scalar(type(value))
                seen.add(type_)
                return type_
            case Tuple(items):
                return Tuple(self._all(place, items))
            case Closure(code, module_globals, captures, defaults, kwdefaults):
                names = [name for name, _ in kwdefaults]
                values = self._all((place, "k"), tuple(item for _, item in kwdefaults))
                return Closure(
                    code, module_globals,
                    self._all((place, "c"), captures), self._all((place, "d"), defaults),
                    tuple(zip(names, values, strict=True)),
                )
            case _:
                return type_
