"""Helpers with what they look up by name: the globals of their module are found once for all.

    t_1 = load_global('np')
    t_2 = getattr(t_1, 'sum')      ->      t_3 = numpy.sum(x)
    t_3 = t_2(x)

A helper belongs to what generated code is made of, and its module never changes while the program
runs. So its callees need not be looked up each time that its body is inlined, which is the most
frequent thing that a compilation does. Globals that are data stay as they are.
"""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any, TypeAlias

from ir import primitives
from ir.core import Call, Const, Function, Lambda, Location, Op, Value
from ir.rewrite import Mapping, blocks, substitute

# How a module comes to an object: the name of a global or builtin, then attributes of modules.
Path: TypeAlias = tuple[str, ...]


def link(function: Function) -> dict[int, tuple[Path, object]]:
    """Replaces lookups in a helper that was just parsed, in functions inside it too.

    Gives what was found, by its `id`.
    """
    found: dict[int, tuple[Path, object]] = {}
    _link(function, found)
    return found


def resolved(path: Path, module_globals: dict[str, Any]) -> object:
    """What stands at a path; raises `LookupError` where that can't be relied on."""
    name, *attributes = path
    value = module_globals[name] if name in module_globals else vars(builtins)[name]
    for attribute in attributes:
        if not isinstance(value, ModuleType):
            raise LookupError(name)
        value = getattr(value, attribute)
    if not _is_fixed(value):
        raise LookupError(name)
    return value


def _is_fixed(value: object) -> bool:
    return callable(value) or isinstance(value, ModuleType)


def _link(function: Function, found: dict[int, tuple[Path, object]]) -> None:
    lines: dict[int, Location] = {}
    paths: dict[Value, Path] = {}
    mapping: Mapping = {}
    for block in blocks(function.body):
        kept: list[Op] = []
        for op in block.ops:
            classes = _classes(op, mapping)
            if classes is not None:
                mapping[op.results[0]] = Const(classes)
                continue
            path = _path(op, paths)
            if path is not None:
                try:
                    value = resolved(path, function.globals)
                except (LookupError, AttributeError):
                    path = None
            if path is None:
                kept.append(op)
            else:
                result = op.results[0]
                paths[result] = path
                mapping[result] = Const(value)
                found[id(value)] = path, value
            if op.loc is not None:  # no caret ever points at a helper
                op.loc = lines.setdefault(op.loc.line, op.loc)
            if isinstance(op, Lambda):
                _link(op.function, found)
        block.ops = kept
    substitute(function.body, mapping)


def _classes(op: Op, mapping: Mapping) -> tuple[object, ...] | None:
    """The classes that `isinstance(x, (list, tuple))` names, if an operation puts some together."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return None
    if op.callee.value is not primitives.build_tuple or not op.args:
        return None
    items = [mapping.get(arg) if isinstance(arg, Value) else None for arg in op.args]
    values = [item.value for item in items if isinstance(item, Const)]
    are_classes = len(values) == len(items) and all(isinstance(value, type) for value in values)
    return tuple(values) if are_classes else None


def _path(op: Op, paths: dict[Value, Path]) -> Path | None:
    """The path of what an operation looks up, if it does."""
    match op:
        case Call(Const(callee), [Const(str() as name)], {}) if callee is primitives.load_global:
            return (name,)
        case Call(Const(callee), [Value() as owner, Const(str() as name)], {}) if (
            callee is getattr and owner in paths
        ):
            return *paths[owner], name
    return None
