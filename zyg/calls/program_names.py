"""Which globals and class attributes a running program shares, and which memory they hold.

    LOG = []                                 LOG is held memory, as if an object had it,
    def f(x):                                from the beginning of a call of `f` on
        LOG.append(x); return LOG[-1] * x

In a program that changes memory which objects, globals or classes hold, derivatives go by the
memory, whatever name it is reached by. Names that code was made to read as they are must not lead
there: where one does, the code is made again (`admitted`), or the change is refused.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ir.core import named
from ir.outer_cells import CellNames, changes
from zyg.calls.entry import entry_sharing
from zyg.calls.entry_cache import Entry
from zyg.compiler.assigned import Name, Shared
from zyg.compiler.inference.objects import is_place
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import (
    RunningNames,
    hold_value,
    identity_of,
    is_held_in_part,
    running_names,
)
from zyg.held.memory_kinds import is_memory
from zyg.held.reaching import attributes_of

_NUMBERS: frozenset[type] = frozenset([
    float, int, bool, str, complex, bytes, type(None), np.float64, np.int64, type,
])
_LEAVES: frozenset[type] = _NUMBERS | {np.ndarray}
_NO_DATA = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc)
_CONTAINERS = (list, tuple, deque, set, frozenset)
_MAPPINGS = (dict, OrderedDict, defaultdict)
_MISSING = object()


def begun(
    mode: str, entry: Entry, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    memory: list[Any],
) -> tuple[Entry, list[Any], RunningNames]:
    """The code for a call that works on objects, which hold `memory` among its arguments; all
    memory that is held as it begins; the names that it shares, and those that it doesn't."""
    names = RunningNames()
    if not (entry.shared or entry.changes_held):
        return entry, memory, names
    while True:
        shared = list(map(_value_of, entry.shared.values()))
        plain = {key: _value_of(name) for key, name in entry.plain.items()}
        given = [*args, *kwargs.values(), *_held_by_function(f)]
        of_objects = _memory_in_objects([*shared, *plain.values(), *given])
        whole = [*memory, *filter(is_memory, shared), *of_objects]
        held = {identity_of(value) for value in whole}
        met = {
            key: entry.plain[key] for key, value in plain.items()
            if key not in entry.shared and is_memory(value) and identity_of(value) in held
        }
        if not met:
            break
        entry = entry_sharing(mode, f, args, kwargs, {**entry.shared, **met})
    _refuse_given([value for value in shared if is_memory(value)], given)
    names.shared |= entry.shared
    names.given = given
    _note_plain(names, entry, plain)
    return entry, whole, names


def admitted(
    mode: str, entry: Entry, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The code for a call that was found while a program runs which works on objects."""
    names = running_names()
    if names is None or not (entry.shared or entry.plain):
        return entry
    while True:
        plain = {key: _value_of(name) for key, name in entry.plain.items()}
        met = {
            key: entry.plain[key] for key, value in plain.items()
            if key not in entry.shared and (
                _is_one_of(entry.plain[key], names.shared)
                or is_held_in_part(value)
            )
        }
        if not met:
            break
        entry = entry_sharing(mode, function, args, kwargs, {**entry.shared, **met})
    for key, name in entry.shared.items():
        if key not in names.shared:
            _join(names, key, name)
    _note_plain(names, entry, plain)
    return entry


def unless_shared(entry: Entry, function: Any) -> None:
    """Raises for code that reads a name as it is, through which derivatives go in the program that
    runs."""
    names = running_names()
    if names is None:
        return
    for name in entry.plain.values():
        if _is_one_of(name, names.shared):
            owner, attribute = name
            shown = owner.variable if isinstance(owner, CellNames) else attribute
            raise NotDifferentiable(
                f"{named(function)} reads `{shown}`, which the program that runs changes, and is "
                "called by a gradient that finds it at run time, and is itself differentiated; "
                "give it the value as an argument"
            )


def _join(names: RunningNames, key: tuple[int, str], name: Name) -> None:
    """Lets a program that runs share one more name, if nothing was read by it so far."""
    value = _value_of(name)
    if _is_one_of(name, names.plain) or (is_memory(value) and identity_of(value) in names.memory):
        raise NotDifferentiable(
            f"a function that was found while the program runs changes `{name[1]}`, a global or an "
            "attribute of a class that was read before; call it by its name"
        )
    if is_memory(value) and not is_held_in_part(value):
        _refuse_given([value], names.given)
        hold_value(value)
    names.shared[key] = name


def _note_plain(names: RunningNames, entry: Entry, values: dict[tuple[int, str], Any]) -> None:
    for key, value in values.items():
        if key not in entry.shared:
            names.plain[key] = entry.plain[key]
            if is_memory(value):
                names.memory[identity_of(value)] = value, key[1]


def _is_one_of(name: Name, others: Shared) -> bool:
    """Whether a name may mean what one of others means: classes know those of their bases."""
    owner, attribute = name
    if (id(owner), attribute) in others:
        return True
    return isinstance(owner, type) and any(
        known == attribute and isinstance(other, type)
        and (issubclass(owner, other) or issubclass(other, owner))
        for other, known in others.values()
    )


def _value_of(name: Name) -> Any:
    owner, attribute = name
    if isinstance(owner, type):
        found = [vars(base)[attribute] for base in owner.__mro__ if attribute in vars(base)]
        return found[0] if found else None
    return owner.get(attribute)


def _held_by_function(f: Any) -> list[Any]:
    """What a function brings along: what it has captured, its defaults, the object it is of."""
    found: list[Any] = []
    owner = getattr(f, "__self__", _MISSING)
    if owner is not _MISSING:
        found.append(owner)
        f = getattr(f, "__func__", f)
    for cell in getattr(f, "__closure__", None) or ():
        if changes(cell):
            continue  # one of the names that the program shares
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue
    return [*found, *(getattr(f, "__defaults__", None) or ())]


def _items(value: Any, leaves: frozenset[type] = _LEAVES) -> list[Any]:
    """What a container holds, without what holds nothing itself."""
    if isinstance(value, _MAPPINGS):
        value = value.values()
    elif not isinstance(value, _CONTAINERS):
        return []
    return [item for item in value if type(item) not in leaves]


def _memory_in_objects(values: list[Any]) -> list[Any]:
    """The memory that stands in attributes of objects which are reached from values."""
    found: list[Any] = []
    seen: set[int] = set()
    pending = [value for value in values if type(value) not in _LEAVES]
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, _NO_DATA):
            continue
        seen.add(id(value))
        if is_place(type(value)):
            for item in attributes_of(value).values():
                if is_memory(item):
                    found.append(item)
                if type(item) not in _LEAVES:
                    pending.append(item)
        else:
            pending.extend(_items(value))
            if type(getattr(value, "__dict__", None)) is dict:
                pending += [v for v in vars(value).values() if type(v) not in _LEAVES]
    return found


def _refuse_given(shared: list[Any], given: list[Any]) -> None:
    """Raises where an argument is what a global or a class holds, too, which the program changes:
    its gradient would be that of both."""
    pending, seen = list(given), set()
    while pending and shared:
        value = pending.pop()
        if is_memory(value) and any(_is_same(value, one) for one in shared):
            raise NotDifferentiable(
                f"a {type(value).__name__} is given as an argument that a global or a class holds, "
                "too, and that is changed in place there; pass a copy"
            )
        if id(value) not in seen and not is_place(type(value)):
            seen.add(id(value))
            pending.extend(_items(value, _NUMBERS))


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.may_share_memory(a, b) and np.shares_memory(a, b)
    return a is b
