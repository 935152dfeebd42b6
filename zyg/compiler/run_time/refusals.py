"""What generated code refuses when it meets it, and in which words.

    an object of a library without a rule  ->  NotDifferentiable: lib.f has no rule; define one ...
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ir.types import Closure, Type
from zyg.compiler.run_time.outputs import without_output
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.rules.registry import covers
from zyg.signature import is_by_rules

MUTABLE = (list, dict, set, bytearray, collections.deque, np.ndarray)


def refuse_output(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises for a call of a library's function that writes its result into an array."""
    if type(function) is types.FunctionType and not str(function.__module__).startswith("numpy"):
        return
    _, _, out = without_output(function, args, kwargs)
    if out is not None:
        raise NotDifferentiable(
            f"{full_name(function)} is told to write into an array by `out`, but what it is "
            "called with is known only while the program runs: use its result"
        )


def refuse_uncovered(
    rule: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raises for arguments of a call for which its rule or substitute has no parameters."""
    if not covers(rule, len(args), kwargs):
        unknown = [f"`{name}`" for name in kwargs if not covers(rule, 0, (name,))]
        what = unknown[0] if unknown else f"number {rule.__code__.co_argcount + 1}"
        raise NotDifferentiable(
            f"the rule for {full_name(function)} does not cover its argument {what}"
        )


def refuse_payload(held: Any) -> None:
    """Raises where a cotangent arrives at what a caught exception holds."""
    if held is not None:
        raise NotDifferentiable(
            "a number that an exception holds was differentiated when it was raised, and is used "
            "by what caught it; hand the number on in another way than in an exception"
        )


def carries_nothing(values: tuple[Any, ...]) -> bool:
    """Whether none of these values can carry a derivative."""
    return not _any(_carries, list(values))


def has_reals(value: Any) -> bool:
    """Whether this is a number that isn't an integer, an array of such, or holds one."""
    return _any(_is_real, [value])


def _any(carries: Callable[[Any], bool], pending: list[Any]) -> bool:
    """Whether this holds for one of these values, or for what they hold."""
    seen: set[int] = set()  # what holds itself, as a recursive function does, is met again
    while pending:
        value = pending.pop()
        held = _held_by(value)
        if held is None:
            if carries(value):
                return True
        elif id(value) not in seen:
            seen.add(id(value))
            pending += held
    return False


def _held_by(value: Any) -> list[Any] | None:
    """What a container or a function holds; None for other values."""
    if isinstance(value, list | tuple | set | frozenset | collections.deque):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if not isinstance(value, types.FunctionType):
        return None
    held = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    for cell in value.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # a variable that isn't bound yet
            continue
    return held


def _carries(value: Any) -> bool:
    if isinstance(value, bool | str | bytes | type | types.ModuleType) or value is None:
        return False
    if isinstance(value, int | float | complex | np.number):
        return True
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind != "b")
    return not (callable(value) and isinstance(value, types.BuiltinFunctionType | np.ufunc))


def _is_real(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind in "fcO")
    return isinstance(value, float | complex | np.inexact)


def refusal(function: Any) -> NotDifferentiable:
    """The error for a callable without source and without a rule."""
    name = full_name(function)
    return NotDifferentiable(
        f"{name} has no rule; define one with @zyg.adjoint({name}), or keep derivatives out of "
        f"the call with zyg.dropgrad or zyg.nograd"
    )


def full_name(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None)
    if name is None:
        return f"a {type(function).__name__} object"
    if module in (None, "builtins"):
        return str(name)
    public = str(module).partition("._")[0] if is_by_rules(function) else module
    return f"{public}.{name}"


def refuse_attribute_of_rule(type_: Type, name: object) -> None:
    """Raises for an attribute of what stands for an object of SciPy's: a function of zyg's own."""
    if not isinstance(type_, Closure) or hasattr(types.FunctionType, str(name)):
        return
    module = str(type_.globals.get("__name__"))
    if module.startswith("zyg.rules.scipy_"):
        namespace = module.removeprefix("zyg.rules.").replace("_", ".")
        raise NotDifferentiable(
            f"`{name}` of what {namespace} has made has no rule: derivatives go through calls only"
        )


def unless_mutable(value: Any, symbol: str, other: Any = None) -> Any:
    """The left operand of an augmented assignment, if that makes a new object: as it does of a list
    and an array, which is asked first."""
    if type(value) is list and symbol == "add" and isinstance(other, np.ndarray):
        return value
    if isinstance(value, MUTABLE):
        raise UnsupportedSyntax(
            f"an augmented assignment changes {_described(value)} in place, which is not "
            "supported; write `x = x + y` instead of `x += y`"
        )
    if getattr(type(value), f"__i{symbol.strip('_')}__", None) is not None:
        raise UnsupportedSyntax(
            f"an augmented assignment may change a {type(value).__name__} in place, which is "
            "not supported"
        )
    return value


def unless_builtin_container(value: Any, name: str) -> Any:
    """The object whose method `name` is asked for, if that method doesn't change it in place."""
    if isinstance(value, MUTABLE) and hasattr(value, name):
        raise UnsupportedSyntax(
            f"`.{name}()` changes {_described(value)} in place, which is not supported"
        )
    return value


def _described(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
