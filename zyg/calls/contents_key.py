"""Keys of what the objects hold that a call is given: as much as `Fields` says, but cheap to make.

    step(Body(1.0, 2.0), 0.1)    ->   {(Body, (("x", float), ("v", float)))}

Calls that share a key hold the same types in the same attributes; the state of their fields is
looked up by it.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ir.forgettable import forgettable_dict
from zyg.calls.keys import KEYS, other_key
from zyg.compiler.inference.fields import VALUES, entered
from zyg.compiler.inference.objects import is_place
from zyg.held.reaching import attributes_of

MAX_KNOWN = 4096
_PASSED = frozenset(VALUES)
_known: dict[Any, object] = forgettable_dict()


def state_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """What code rests on that is made for such a call: `entered(...).state()`."""
    key = _contents_key(function, args, kwargs)
    if key is None:
        return entered(function, args, kwargs).state()
    try:
        return _known[key]
    except KeyError:
        pass
    state = entered(function, args, kwargs).state()
    if len(_known) >= MAX_KNOWN:
        _known.clear()
    _known[key] = state
    return state


def _contents_key(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """None where something is met that takes a closer look, a function with contents for one."""
    if type(function) is not types.FunctionType or _has_contents(function):
        return None
    found: set[Any] = set()
    seen: set[int] = set()
    pending = [*args, *kwargs.values()]
    while pending:
        current = pending.pop()
        cls: type = type(current)
        if cls in _PASSED or hasattr(cls, "dtype"):
            continue
        if id(current) in seen:
            continue
        seen.add(id(current))
        if cls is list or cls is tuple:
            pending.extend(current)
        elif cls is dict:
            pending.extend(current.values())
        elif is_place(cls):
            names = attributes_of(current)
            items = names.values()
            for item in items:
                if isinstance(item, types.FunctionType | types.MethodType | functools.partial):
                    return None
            kinds = [KEYS.get(type(item), other_key)(item) for item in items]
            found.add((cls, *names, *kinds))
            pending.extend(items)
        elif cls is not types.BuiltinFunctionType:
            return None
    return frozenset(found)


def _has_contents(function: types.FunctionType) -> bool:
    return bool(function.__closure__ or function.__defaults__ or function.__kwdefaults__)
