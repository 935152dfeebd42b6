"""Rules and substitutes as code that runs on tracked values.

A rule is written for plain values: it asks `isinstance(x, float)`, calls `math.log(x)` and
functions of the cotangent algebra. Its twin has the same code with other globals, in which such
names look at the data of tracked values, and record calls that have a rule:

    rebound(rule_of(operator.pow))(x, 2)[1](y_bar)      the gradient, tracked
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from zyg.rules import registry
from zyg.tracker.graph import has_tracked, plain

PACKAGES = ("numpy", "math", "cmath", "scipy")
REWRITTEN = ("zyg.rules.", "zyg.cotangent", "zyg.iterators")

_twins: dict[int, dict[str, Any]] = {}
_functions: dict[Any, Any] = {}


class Dispatching:
    """A callable that has a rule: calls with tracked values among the arguments are recorded."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if has_tracked(args) or has_tracked(kwargs):
            from zyg.tracker.recording import call

            return call(self.function, args, kwargs)
        return self.function(*args, **kwargs)


class Module:
    """A module whose functions take tracked values."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = converted(getattr(self._module, name))
        setattr(self, name, value)
        return value


def rebound(function: Callable[..., Any]) -> Any:
    """The twin of a plain Python function that runs on tracked values."""
    if not isinstance(function, types.FunctionType):
        return function
    twin = _functions.get(function)
    if twin is None:
        cells = tuple(_converted_cell(cell) for cell in function.__closure__ or ())
        twin = types.FunctionType(
            function.__code__,
            _globals_of(function),
            function.__name__,
            function.__defaults__,
            cells or None,
        )
        twin.__kwdefaults__ = function.__kwdefaults__
        if function.__module__.startswith("zyg."):
            _functions[function] = twin
    return twin


def _converted_cell(cell: types.CellType) -> types.CellType:
    try:
        return types.CellType(converted(cell.cell_contents))
    except ValueError:
        return cell  # empty as yet


def _globals_of(function: types.FunctionType) -> dict[str, Any]:
    """The globals of a module, converted; names that it got since are added."""
    original = function.__globals__
    twin = _twins.setdefault(id(original), dict(_BUILTINS))
    for name, value in list(original.items()):
        if name not in twin or not function.__module__.startswith("zyg."):
            twin[name] = value  # in case that what is converted asks for these globals
            twin[name] = converted(value)
    return twin


def converted(value: Any) -> Any:
    """What stands behind a name in code that runs on tracked values."""
    if isinstance(value, types.ModuleType):
        return Module(value) if value.__name__.partition(".")[0] in PACKAGES else value
    if isinstance(value, type):
        return Dispatching(value) if value in (float, complex) else value
    if not callable(value) or isinstance(value, (Dispatching, Module)):
        return value
    if _is_registered(value):
        return Dispatching(value)
    if isinstance(value, types.FunctionType) and value.__module__.startswith(REWRITTEN):
        return rebound(value)
    return value


def _is_registered(function: Any) -> bool:
    return (
        registry.rule_of(function) is not None
        or registry.substitute_of(function) is not None
        or registry.is_constant(function)
    )


def _isinstance(x: Any, classes: Any) -> bool:
    return isinstance(plain(x), _unwrapped(classes))


def _unwrapped(classes: Any) -> Any:
    if isinstance(classes, tuple):
        return tuple(map(_unwrapped, classes))
    return classes.function if isinstance(classes, Dispatching) else classes


def _type(x: Any) -> Any:
    cls = type(plain(x))
    return _BUILTINS[cls.__name__] if cls in (float, complex) else cls


_BUILTINS: dict[str, Any] = {
    "isinstance": _isinstance,
    "type": _type,
    "float": Dispatching(float),
    "complex": Dispatching(complex),
}
