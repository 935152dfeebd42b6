"""What a compilation rests on outside of the code, compared before its code runs again."""

from __future__ import annotations

import types
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from ir.derived import as_class, base_of
from ir.memory.held_types import item_held
from ir.record import made, node, record
from ir.types import (
    BOTTOM,
    TOP,
    Dict,
    Known,
    Mapping,
    Sequence,
    Type,
    any_keys,
    class_of,
    join,
    widen,
)
from zyg.signature import abstract, abstract_captured

MAX_GLOBAL_ITEMS = 8
_NUMBERS = frozenset([float, int, complex, np.float64])
MAX_REACHED = 40
MAX_STATES = 8  # of what a name leads to
MAX_SEEN = 4096


@record
class Guard:
    """`container[name]` is still the object, or still has the type, that code was made for."""

    container: Any
    name: str
    expected: Any
    by_type: bool = False

    def holds(self) -> bool:
        try:
            value = self.container[self.name]
        except KeyError:
            return False
        return widen(abstract(value)) == self.expected if self.by_type else value is self.expected


@record
class CellGuard:
    """A captured variable still holds a value of the type that code was made for."""

    cell: types.CellType
    expected: Type

    def holds(self) -> bool:
        try:
            value = self.cell.cell_contents
            is_owner = isinstance(self.expected, Known) and value is self.expected.value
            return abstract_captured(value, is_owner) == self.expected
        except ValueError:
            return False


@record
class Absent:
    """A global that would hide a builtin has not appeared."""

    container: Any
    name: str

    def holds(self) -> bool:
        return self.name not in self.container


@record
class OfClass:
    """`container[name]` is still an instance of a class, whatever it holds."""

    container: Any
    name: str
    cls: type

    def holds(self) -> bool:
        return type(self.container.get(self.name)) is self.cls


@node
class OfItems:
    """`container[name]` is still a list or dict of nothing but items of a type.

    `seen` are the kinds of items that a list has had: logs grow long.
    """

    container: Any
    name: str
    expected: Type
    seen: set[Any] = made(set)

    def holds(self) -> bool:
        value = self.container.get(self.name)
        if type(value) is not class_of(self.expected):
            return False
        kinds = _kinds_of(value) if isinstance(value, list) else None
        if kinds is not None and kinds in self.seen:
            return True
        if join(type_of_items(value), self.expected) != self.expected:
            return False
        if kinds is not None:
            self.seen.add(kinds)
        return True


def _kinds_of(items: list[Any]) -> frozenset[Any] | None:
    """What numbers or arrays are in a list; None where there is anything else."""
    kinds = frozenset(map(type, items))
    if kinds <= _NUMBERS:
        return kinds
    if kinds == {np.ndarray}:
        return frozenset([(x.dtype, *[n == 1 for n in x.shape]) for x in items])
    return None


@record
class Holding:
    """The objects reached from `container[name]` hold what has the types that code was made for."""

    container: Any
    name: str | int
    state_of: Callable[[Any], object]
    expected: object

    def holds(self) -> bool:
        try:
            return self.state_of(self.container[self.name]) == self.expected
        except (KeyError, ValueError):
            return False


@record
class CellContents:
    """What a captured variable holds, as a container of one name."""

    cell: types.CellType

    def __getitem__(self, name: str | int) -> Any:
        return self.cell.cell_contents


@record
class Dispatching:
    """A function by `singledispatch` still calls the same one for a class."""

    function: Any
    cls: type
    expected: object

    def holds(self) -> bool:
        return self.function.dispatch(self.cls) is self.expected


@record
class Partial:
    """A partial function still calls the same with the same."""

    function: Any
    func: Any
    args: Any
    keywords: tuple[tuple[str, Any], ...]

    def holds(self) -> bool:
        named = self.function.keywords
        return self.function.func is self.func and self.function.args is self.args and (
            len(named) == len(self.keywords)
            and all(named.get(name) is value for name, value in self.keywords)
        )


@record
class SameFunction:
    """A function still has the code and the defaults with which it was found: reloading a module
    in a notebook (`%autoreload`) puts new ones into the functions that others know."""

    function: types.FunctionType
    code: types.CodeType
    defaults: Any
    kwdefaults: tuple[tuple[str, Any], ...]

    def holds(self) -> bool:
        function: Any = self.function  # a method, for all that a checker knows
        named = function.__kwdefaults__ or {}
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and len(named) == len(self.kwdefaults)
            and all(named.get(name) is value for name, value in self.kwdefaults)
        )


def same_function(function: types.FunctionType) -> SameFunction:
    named = tuple((function.__kwdefaults__ or {}).items())
    return SameFunction(function, function.__code__, function.__defaults__, named)


@record
class Subclassing:
    """A class is still one of an abstract class, or not, with which others may be registered."""

    cls: type
    above: type
    expected: bool

    def holds(self) -> bool:
        return issubclass(self.cls, self.above) is self.expected


AnyGuard: TypeAlias = (
    Guard | CellGuard | Absent | OfClass | OfItems | Holding | Dispatching | Partial
    | SameFunction | Subclassing
)


def container_type(value: Any) -> Type:
    """The type of a list or dict, about whose items nothing is known."""
    return Sequence(list, TOP) if type(value) is list else Mapping(dict, TOP, TOP)


def observed(container: Any, name: str) -> tuple[Type, Guard | OfClass | None]:
    """The type of a global as it is now, and the guard that keeps it."""
    value = container[name]
    if callable(value) or isinstance(value, types.ModuleType) or name == "__match_args__":
        return Known(value), Guard(container, name, value)
    if type(value) is set:
        return TOP, None
    cls: type = type(value)
    if base_of(cls) is not None and len(value) > MAX_GLOBAL_ITEMS:
        return as_class(cls, TOP), OfClass(container, name, cls)
    if type(value) in (list, dict) and len(value) > MAX_GLOBAL_ITEMS:  # to look at on each call
        return container_type(value), OfClass(container, name, type(value))
    type_ = widen(abstract(value))
    return type_, Guard(container, name, type_, by_type=True)


def type_of_items(value: Any) -> Type:
    """The type of a list or dict with what it holds; of a dict of many names, whatever they are."""
    type_ = widen(abstract(value))
    if isinstance(type_, Dict) and not 0 < len(type_.items) <= MAX_GLOBAL_ITEMS:
        return any_keys(type_)
    return type_


def is_of_one_class(type_: Type) -> bool:
    """Whether all items of a list or dict are of one class, as far as there are any."""
    item = item_held(type_)
    return item == BOTTOM or class_of(item) is not None


def shared_at_entry(
    container: Any, name: str, needs_items: bool
) -> tuple[Type, Guard | OfClass | OfItems | None]:
    """The same for a name that the program changes: what it is given is that of other calls.
    `needs_items`: what a list or dict holds has to be known, as far as it is of one class."""
    value = container[name]
    if type(value) in (list, dict):
        if needs_items and is_of_one_class(type_ := type_of_items(value)):
            return type_, OfItems(container, name, type_)
        return container_type(value), OfClass(container, name, type(value))
    if callable(value) or isinstance(value, types.ModuleType):
        return TOP, None
    return observed(container, name)


def enter(
    fields: Any, guards: dict[object, AnyGuard], container: Any, name: str | int, type_: Type
) -> None:
    """Notes the objects that are reached from `container[name]`, of which no argument tells what
    they hold. A guard looks at all of that in each call: where it is much, or has new types again
    and again, only if it has to be known, since it costs more than questions to the run time."""
    from zyg.compiler.inference.fields import state_of  # few programs come here
    from zyg.compiler.inference.objects import is_place, shows_objects
    from zyg.held.reaching import attributes_of, items_held, reached

    if not fields.is_of_nested() and (fields.is_open or not shows_objects(type_)):
        return
    try:
        value = container[name]
    except ValueError:
        return  # the variable isn't bound yet

    def parts(value: Any) -> Any:
        is_object = is_place(type(value))
        return attributes_of(value).values() if is_object else items_held(value)

    if not fields.is_of_nested() and (
        len(list(islice(reached(value, parts), MAX_REACHED + 1))) > MAX_REACHED
    ):
        fields.is_open = True
        return
    if not any(
        callable(item) or is_place(type(item)) for item in reached(value, items_held)
    ):
        return
    state = state_of(value)
    if state == state_of(None):
        return  # the functions lead to no object
    place = id(value) if isinstance(container, tuple | CellContents) else id(container)
    if not fields.is_of_nested() and _keeps_changing((place, name), state):
        fields.is_open = True
        return
    fields.enter(value)
    guards[place, name, state_of] = Holding(container, name, state_of, state)


# By what leads there, what was last seen to be held, and how often that was something else.
_SEEN: dict[tuple[int, str | int], tuple[object, int]] = {}


def _keeps_changing(place: tuple[int, str | int], state: object) -> bool:
    """Whether code for what is held here has often been made in vain: a dict may get new keys from
    call to call."""
    if len(_SEEN) > MAX_SEEN:
        _SEEN.clear()
    last, changes = _SEEN.get(place, (state, 0))
    if last != state:
        changes += 1
    _SEEN[place] = state, changes
    return changes > MAX_STATES
