"""Copies of what a reverse pass reads although the program changes it: arrays and their holders."""

from __future__ import annotations

import enum
import functools
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import Any

import numpy as np

from ir import facts
from ir.derived import copied, is_of_users, underived
from ir.primitives import UNBOUND
from zyg.cotangents import cotangent
from zyg.cotangents.cotangent import is_list_of, like_mapping, rebuilt
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable

# Classes of values that never change, and hold nothing of the program's, by module and name.
IMMUTABLE_OF_LIBRARIES = {
    ("re", "Match"), ("re", "Pattern"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "time"), ("datetime", "timedelta"), ("decimal", "Decimal"),
    ("fractions", "Fraction"), ("uuid", "UUID"), ("pathlib", "PosixPath"),
    ("pathlib", "WindowsPath"),
}
PLAIN = (int, float, complex, str, bytes, slice, range, np.generic, types.EllipsisType)


def is_immutable_of_library(cls: type) -> bool:
    module, _, _ = cls.__module__.partition(".")  # since Python 3.13 there is `pathlib._local`
    return (module, cls.__name__) in IMMUTABLE_OF_LIBRARIES


facts.opaque(is_immutable_of_library)


def kept(x: Any) -> Any:
    """A copy of what will be overwritten: of arrays, and of the containers that hold them."""
    return kept_but(stays_in_program, x)


def shell(x: Any) -> Any:
    """A copy of containers alone, for what asks how many items of which kind they hold."""
    if is_list_of(_SHELLS, x):
        return [*x]
    cls: type = type(x)
    if is_of_users(cls):
        return copied(x, shell)
    if isinstance(x, (list, tuple)):
        items = [item if type(item) in _SHELLS else shell(item) for item in x]
        return rebuilt(x, items)
    if isinstance(x, dict):
        return like_mapping(x, {key: shell(item) for key, item in x.items()})
    return kept(x)


def prototype(arg: Any) -> Any:
    """An argument without its contents, as far as gradients need it."""
    arg = underived(arg)
    if isinstance(arg, np.ndarray):
        return cotangent.prototype(arg)
    if type(arg) in (list, tuple):
        return type(arg)(map(prototype, arg))
    if type(arg) is dict:
        return {key: prototype(item) for key, item in arg.items()}
    if type(arg) is deque:
        return deque(map(prototype, arg), arg.maxlen)
    if type(arg) in (OrderedDict, defaultdict, Counter):
        return cotangent.like_mapping(arg, {key: prototype(item) for key, item in arg.items()})
    return callable if callable(arg) else arg  # all callables have the same kind of gradient


_SHELLS = frozenset([np.ndarray, float, np.float64, int])
_CACHED = type(functools.lru_cache(len))
_UNCHANGING = (
    type, types.ModuleType, types.BuiltinFunctionType, types.GetSetDescriptorType,
    types.MethodDescriptorType, np.ufunc, np.dtype,
)
_NUMBERS = frozenset([float, int, bool, np.float64, str, type(None)])


def _nothing(x: Any) -> bool:
    return False


# Set by the compiler: whether the program that runs knows a value by its identity.
stays_in_program: Callable[[Any], bool] = _nothing


def kept_but(stays: Callable[[Any], bool], x: Any) -> Any:
    """The same, but for values that are known by identity, which stay what they are."""
    if isinstance(x, np.ndarray):
        return x.copy()
    if is_list_of(_NUMBERS, x):
        return [*x]
    cls: type = type(x)
    if is_of_users(cls):
        return copied(x, lambda item: kept_but(stays, item))
    if isinstance(x, (list, tuple)):
        return rebuilt(x, [kept_but(stays, item) for item in x])
    if isinstance(x, dict):
        return like_mapping(x, {key: kept_but(stays, item) for key, item in x.items()})
    if isinstance(x, deque):
        return deque([kept_but(stays, item) for item in x], x.maxlen)
    if isinstance(x, (set, frozenset)):
        return type(x)(x)
    if x is None or x is UNBOUND or isinstance(x, PLAIN):
        return x
    if is_immutable_of_library(cls):
        return x
    if isinstance(x, BaseException | enum.Enum):
        return x  # what an exception holds has no cotangent, nor has a member of an enumeration
    if isinstance(x, _UNCHANGING):
        return x
    if isinstance(x, types.FunctionType) and _never_changes(x, stays):
        return x
    if isinstance(x, types.FunctionType) and _is_of_ours(x):
        return _with_own_memory(x, lambda item: kept_but(stays, item))
    if type(x) is _CACHED and _never_changes(x.__wrapped__, stays):
        return x
    if isinstance(x, types.MethodType) and _never_changes(x.__func__, stays):
        return types.MethodType(x.__func__, kept_but(stays, x.__self__))
    if hasattr(x, "__next__") or stays(x):
        return x  # what it has given is known by other names
    if is_sparse(x):
        return x.copy()
    if isinstance(x, (KeysView, ValuesView, ItemsView)) and hasattr(x, "mapping"):
        found = kept_but(stays, dict(x.mapping))
        name = type(x).__name__  # of an ordered dict, "odict_items"
        return getattr(found, name.removeprefix("o").removeprefix("dict_"))()
    if hasattr(type(x), "with_own_memory"):
        return x.with_own_memory(functools.partial(kept_but, stays))
    raise NotDifferentiable(
        f"what a {type(x).__name__} object refers to is needed for the gradient, and is changed in "
        "place later; change a copy"
    )


def _is_of_ours(function: types.FunctionType) -> bool:
    """Whether this is the back function of a gradient inside: nothing assigns what it captured."""
    return str(function.__globals__.get("__name__")).startswith("zyg.inside.")


def _with_own_memory(function: types.FunctionType, copy: Callable[[Any], Any]) -> Any:
    cells = tuple([types.CellType(copy(cell.cell_contents)) for cell in function.__closure__ or ()])
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    if hasattr(function, "captured"):
        made.__dict__["captured"] = {name: copy(x) for name, x in function.captured.items()}
    return made


def _captured(function: types.FunctionType) -> list[Any]:
    """What a function object holds: captured variables and defaults."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    made = getattr(function, "captured", {})  # of one that `ir.closures` made
    keywords = function.__kwdefaults__ or {}
    return [*cells, *made.values(), *(function.__defaults__ or ()), *keywords.values()]


def _never_changes(
    x: Any, stays: Callable[[Any], bool], outer: tuple[types.FunctionType, ...] = ()
) -> bool:
    from ir.closures import Maker  # which is there where there are function objects

    if isinstance(x, tuple):
        return all(_never_changes(item, stays, outer) for item in x)
    if isinstance(x, types.FunctionType):
        if any(x is function for function in outer):
            return True
        return all(_never_changes(item, stays, (*outer, x)) for item in _captured(x))
    if stays(x) or isinstance(x, Maker):
        return True
    is_number = x is None or isinstance(x, (int, float, complex, str, bytes, range, np.generic))
    return is_number or isinstance(x, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc))
