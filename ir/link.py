"""Helpers with what they look up by name: the globals of their module are found once for all.

    t_1 = load_global('np')
    t_2 = getattr(t_1, 'sum')      ->      t_3 = numpy.sum(x)
    t_3 = t_2(x)

A helper belongs to what generated code is made of, and its module never changes while the program
runs. So its callees need not be looked up each time that its body is inlined, which is the most
frequent thing that a compilation does. Nor need the tuple of classes that `isinstance` is asked
about. Globals that are data stay as they are.
"""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any, TypeAlias

from ir import primitives
from ir.core import Call, Const, Function, Lambda, Location, Op, Operand
from ir.rewrite import Mapping, blocks, count_uses, substitute

# How a module comes to an object: the name of a global or builtin, then attributes of modules. Or
# several such paths, to the tuple of some classes.
Path: TypeAlias = tuple[Any, ...]

# Each tuple of classes is one object, so that two questions about the same classes are the same.
_tuples: dict[tuple[object, ...], tuple[object, ...]] = {}


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
    if not isinstance(name, str):
        classes = tuple(resolved(part, module_globals) for part in path)
        if not all(isinstance(cls, type) for cls in classes):
            raise LookupError(path)
        return _tuples.setdefault(classes, classes)
    value: object = module_globals[name] if name in module_globals else vars(builtins)[name]
    for attribute in attributes:
        if not isinstance(value, ModuleType):
            raise LookupError(path)
        value = getattr(value, attribute)
    if not (callable(value) or isinstance(value, ModuleType) or value is Ellipsis):
        raise LookupError(path)
    return value


def _link(function: Function, found: dict[int, tuple[Path, object]]) -> None:
    lines: dict[int, Location] = {}
    paths: dict[Operand, Path] = {}
    mapping: Mapping = {}
    for block in blocks(function.body):
        kept: list[Op] = []
        for op in block.ops:
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
    _put_classes(function, found)


def _put_classes(function: Function, found: dict[int, tuple[Path, object]]) -> None:
    """Puts the tuples of classes about which `isinstance` is asked in its calls."""
    ops = [op for block in blocks(function.body) for op in block.ops if isinstance(op, Call)]
    made: dict[Operand, Call] = {
        op.results[0]: op for op in ops if _is_call(op, primitives.build_tuple)
    }
    if not made:
        return
    for op in ops:
        built = made.get(op.args[1]) if _is_call(op, isinstance) and len(op.args) == 2 else None
        if built is None:
            continue
        classes = [arg.value for arg in built.args if isinstance(arg, Const)]
        path = tuple(found[id(cls)][0] for cls in classes if id(cls) in found)
        if len(path) == len(built.args) and all(isinstance(cls, type) for cls in classes):
            whole = resolved(path, function.globals)
            op.args[1] = Const(whole)
            found[id(whole)] = path, whole
    uses = count_uses(function.body)
    for block in blocks(function.body):
        block.ops = [op for op in block.ops if op not in made.values() or uses[op.results[0]]]


def _is_call(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee


def _path(op: Op, paths: dict[Operand, Path]) -> Path | None:
    """The path of what an operation looks up, if it does."""
    match op:
        case Call(Const(callee), [Const(str() as name)], {}) if callee is primitives.load_global:
            return (name,)
        case Call(Const(callee), [owner, Const(str() as name)], {}) if (
            callee is getattr and owner in paths
        ):
            return *paths[owner], name
    return None
