"""Rules and substitutes as code that runs on wrapped values: those of the tracker, of the tape.

A rule is written for plain values: it asks `isinstance(x, float)`, calls `math.log(x)` and
functions of the cotangent algebra. Its twin has the same code with other globals, in which such
names look at the data of wrapped values, and record calls that have a rule:

    rebinding.rebound(rule_of(operator.pow))(x, 2)[1](y_bar)      the gradient, wrapped
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from zyg.rules import registry
from zyg.signature import is_by_rules

PACKAGES = ("numpy", "math", "cmath", "scipy")
CALL = "__call__"
REWRITTEN = ("zyg.rules.", "zyg.cotangents.cotangent", "zyg.held.iterators", "zyg.held.readers")


def method_of_library(callee: Any) -> tuple[Any, Any] | None:
    """The function of a method of a library's object, or of its call, and the object.

    >>> from scipy.stats import norm
    >>> method_of_library(norm.logpdf)[1] is norm
    True
    """
    if isinstance(callee, types.MethodType) and is_by_rules(callee.__func__):
        return callee.__func__, callee.__self__
    if isinstance(callee, type) or not is_by_rules(type(callee)):
        return None
    function = getattr(type(callee), CALL, None)
    if registry.substitute_of(function) is None and registry.rule_of(function) is None:
        return None
    return function, callee


def caller_in_scipy() -> str:
    """The function of SciPy's which the program has called and in which this is called; or ""."""
    frame: types.FrameType | None = sys._getframe(1)
    found = ""
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package == "scipy":
            found = _name_of_running(frame)
        elif package not in ("numpy", "zyg", "functools"):
            break
        frame = frame.f_back
    return found


def _name_of_running(frame: types.FrameType) -> str:
    """The function whose code runs, as the program has called it."""
    name = frame.f_code.co_name
    if "<locals>" in frame.f_code.co_qualname:  # the wrapper that a decorator has made
        for value in frame.f_locals.values():
            if isinstance(value, types.FunctionType):
                return value.__name__
    if "self" not in frame.f_locals:
        return name
    owner = frame.f_locals["self"]
    frozen = getattr(getattr(owner, "dist", None), "name", None)
    called = f"{frozen}(...)" if frozen else getattr(owner, "name", None) or type(owner).__name__
    return f"<{called} object>" if name == CALL else f"{called}.{name}"


class Rebinding:
    """How code comes to run on the wrapped values of one system.

    `call` records a call that has wrapped values among its arguments, `plain` takes wrappers off.
    `instead` names functions in the place of others.
    """

    def __init__(
        self,
        has_wrapped: Callable[[Any], bool],
        plain: Callable[[Any], Any],
        call: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any],
        instead: Mapping[Any, Callable[..., Any]] | None = None,
    ) -> None:
        self.has_wrapped = has_wrapped
        self.plain = plain
        self.call = call
        self._instead = instead or {}
        self._twins: dict[int, dict[str, Any]] = {}
        self._functions: dict[Any, Any] = {}
        self._builtins: dict[str, Any] = {
            "isinstance": self._isinstance,
            "type": self._type,
            "float": Dispatching(float, self),
            "complex": Dispatching(complex, self),
        }

    def rebound(self, function: Callable[..., Any]) -> Any:
        """The twin of a plain Python function that runs on wrapped values."""
        if not isinstance(function, types.FunctionType):
            return function
        twin = self._functions.get(function)
        if twin is None:
            cells = tuple(self._converted_cell(cell) for cell in function.__closure__ or ())
            twin = types.FunctionType(
                function.__code__,
                self._globals_of(function),
                function.__name__,
                function.__defaults__,
                cells or None,
            )
            twin.__kwdefaults__ = function.__kwdefaults__
            if str(function.__module__).startswith("zyg."):
                self._functions[function] = twin
        return twin

    def _converted_cell(self, cell: types.CellType) -> types.CellType:
        try:
            return types.CellType(self.converted(cell.cell_contents))
        except ValueError:
            return cell  # empty as yet

    def _globals_of(self, function: types.FunctionType) -> dict[str, Any]:
        """The globals of a module, converted; names that it got since are added."""
        original = function.__globals__
        twin = self._twins.setdefault(id(original), dict(self._builtins))
        for name, value in list(original.items()):
            if name not in twin or not str(function.__module__).startswith("zyg."):
                twin[name] = value  # in case that what is converted asks for these globals
                twin[name] = self.converted(value)
        return twin

    def converted(self, value: Any) -> Any:
        """What stands behind a name in code that runs on wrapped values."""
        if isinstance(value, types.ModuleType):
            is_known = value.__name__.partition(".")[0] in PACKAGES
            return Module(value, self) if is_known else value
        if isinstance(value, type):
            return self._builtins[value.__name__] if value in (float, complex) else value
        if not callable(value) or isinstance(value, (Dispatching, Module)):
            return value
        if isinstance(value, types.FunctionType) and value in self._instead:
            return self._instead[value]
        if _is_registered(value):
            return Dispatching(value, self)
        if isinstance(value, types.FunctionType) and str(value.__module__).startswith(REWRITTEN):
            return self.rebound(value)
        return value

    def _isinstance(self, x: Any, classes: Any) -> bool:
        return isinstance(self.plain(x), _unwrapped(classes))

    def _type(self, x: Any) -> Any:
        cls = type(self.plain(x))
        return self._builtins[cls.__name__] if cls in (float, complex) else cls


class Dispatching:
    """A callable that has a rule: calls with wrapped values among the arguments are recorded."""

    __slots__ = ("function", "rebinding")

    def __init__(self, function: Any, rebinding: Rebinding) -> None:
        self.function = function
        self.rebinding = rebinding

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        rebinding = self.rebinding
        if rebinding.has_wrapped(args) or (kwargs and rebinding.has_wrapped(kwargs)):
            return rebinding.call(self.function, args, kwargs)
        result = self.function(*args, **kwargs)
        # Some choose the code that is called next.
        return rebinding.converted(result) if type(result) is types.FunctionType else result


class Module:
    """A module whose functions take wrapped values."""

    def __init__(self, module: types.ModuleType, rebinding: Rebinding) -> None:
        self._module = module
        self._rebinding = rebinding

    def __getattr__(self, name: str) -> Any:
        value = self._rebinding.converted(getattr(self._module, name))
        setattr(self, name, value)
        return value


def _is_registered(function: Any) -> bool:
    return (
        registry.rule_of(function) is not None
        or registry.substitute_of(function) is not None
        or registry.is_constant(function)
    )


def _unwrapped(classes: Any) -> Any:
    if isinstance(classes, tuple):
        return tuple(map(_unwrapped, classes))
    return classes.function if isinstance(classes, Dispatching) else classes
