"""Globals and attributes of classes as attributes of an object, which the heap knows.

    T = x * x          heap_1 = attribute_stored(heap, names, 'T', t)
    LOG.append(y)      log = attribute_read(heap_1, names, 'LOG')

Most such names are read only, and stay what they are in generated code. Where derivatives go
through one, because a program stores into it or changes what it holds in place, the module or class
is one more object, which stands for its names: what is known of objects holds for these, too.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Op
from ir.forgettable import forgettable_dict
from ir.heap import class_read
from ir.outer_cells import CellNames, OuterCell
from ir.types import Known, Type


class Names:
    """Stands for the names of one module or class, which it keeps alive.

    Each has a class of its own, as types have.
    """

    __slots__ = ()


def names_of(owner: Any) -> Names:
    """The object that stands for the names in the globals of a module, in a class, or in the
    attributes of a function."""
    known = _known.get(id(owner))
    if known is None:
        cls = _names_of_class(owner) if isinstance(owner, type) else _names_of_module(owner)
        known = _known[id(owner)] = cls()
    return known


# By the `id` of the owner, which is kept alive, until all that was compiled is forgotten.
_known: dict[int, Names] = forgettable_dict()


def _names_of_module(contents: Any) -> type[Names]:
    is_module = primitives.Namespace(contents).is_module

    def read(self: Names, name: str) -> Any:
        if name in contents:
            return contents[name]
        if isinstance(contents, CellNames):
            return contents[name]  # which raises
        if not is_module:
            raise AttributeError(f"'function' object has no attribute {name!r}", name=name)
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined", name=name)

    def store(self: Names, name: str, value: Any) -> None:
        contents[name] = value

    def delete(self: Names, name: str) -> None:
        read(self, name)
        del contents[name]

    name = str(contents.get("__name__", "module" if is_module else "function"))
    return _made(name, read, store, delete, (_names_in, (name,)))


def _names_of_class(cls: type) -> type[Names]:
    def read(self: Names, name: str) -> Any:
        return getattr(cls, name)

    def store(self: Names, name: str, value: Any) -> None:
        setattr(cls, name, value)

    def delete(self: Names, name: str) -> None:
        delattr(cls, name)

    return _made(cls.__name__, read, store, delete, (names_of, (cls,)))


def _names_in(module: str) -> Names:
    """What stands for the names of a module, where a pickle names it."""
    return names_of(vars(sys.modules[module]))


def _made(name: str, read: Any, store: Any, delete: Any, reduced: Any) -> type[Names]:
    plain = name.rpartition(".")[2].strip("_") or "module"
    space = {
        "__slots__": (), "__getattr__": read, "__setattr__": store, "__delattr__": delete,
        "__repr__": lambda self: f"<the names of {name}>", "__reduce__": lambda self: reduced,
    }
    return type(f"{plain}_names", (Names,), space)


def is_nameable(name: str) -> bool:
    """Whether an attribute of this name is none of the object that stands for the names."""
    return not hasattr(Names, name)


def name_read(op: Op | None, module_globals: dict[str, Any]) -> tuple[Any, str] | None:
    """The globals or class, and the name in it, that an operation reads as it is."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return None
    match op.callee.value, op.args:
        case primitives.load_global, [Const(str(name))]:
            return module_globals, name
        case primitives.read_global, [Const(primitives.Namespace() as found), Const(str(name))]:
            return found.contents, name
        case operator.getitem, [Const(dict() as contents), Const(str(name))]:
            return contents, name
        case (function, [Const(owner), Const(str(name))]) if function in (getattr, class_read) and (
            isinstance(owner, ModuleType | type | FunctionType | OuterCell)
        ):
            return owner_of_names(owner), name
        case _:
            return None


def _aside(change: Callable[..., Any]) -> Callable[..., None]:
    def changed_aside(target: Any, *operands: Any) -> None:
        change(target, *operands)

    changed_aside.__name__ = changed_aside.__qualname__ = f"{change.__name__}_aside"
    return changed_aside


# Changes in place of what a global holds, in a program that reads nothing of it: effects, by the
# `id` of what gives a new version elsewhere.
ASIDE: dict[int, Callable[..., None]] = {
    id(change): _aside(change) for change in (
        primitives.appended, primitives.extended, primitives.inserted, primitives.stored,
        primitives.deleted,
    )
}
facts.effect(*ASIDE.values())


@facts.result(*ASIDE.values())
def _nothing(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Known(None)


def owner_of_names(owner: Any) -> Any:
    """What `names_of` takes for a module, a function, a cell or a class."""
    if isinstance(owner, OuterCell):
        return owner.names
    return vars(owner) if isinstance(owner, ModuleType | FunctionType) else owner


def has_names(owner: Any, name: str) -> bool:
    """Whether this is a global of a module, or an attribute that a program gives a function."""
    if type(owner) is FunctionType:
        return not hasattr(FunctionType, name) and not name.startswith("__")
    return isinstance(owner, ModuleType | OuterCell)
