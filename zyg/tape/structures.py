"""Arguments and results as trees of numbers: which of them are nodes, and what is around them.

    {"W": array, "names": ["a"]}    ->      {"W": Slot(0), "names": ["a"]}, [array]

Lists, tuples, dicts, deques and objects with attributes are looked through, and keep their classes.
Flags, texts, functions and None stay what they are. What may hold numbers that can't be seen is
refused.
"""

from __future__ import annotations

import copy
import enum
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.held import reaching
from zyg.tape.forms import Slot
from zyg.tape.wrappers import WRAPPERS
from zyg.unusual_arrays import refuse_unusual

Mapping = Callable[[Any], Any]
MAPPINGS = (dict, OrderedDict, defaultdict, Counter)


def is_number(x: Any) -> bool:
    """Whether a value has a gradient: a number or an array, no flag."""
    if type(x) in WRAPPERS:
        return True
    if isinstance(x, (bool, np.bool_)):
        return False
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biufc"
    return isinstance(x, (int, float, complex, np.number))


def attributes_of(x: Any) -> dict[str, Any]:
    """The attributes of an instance of a class of the user's."""
    if isinstance(x, (type, types.ModuleType, types.FunctionType, enum.Enum, Slot)):
        return {}
    package = type(x).__module__.partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return dict(vars(x)) if type(x) is types.SimpleNamespace else {}
    return reaching.attributes_of(x)


def mapped(
    x: Any, of_leaf: Mapping, is_leaf: Callable[[Any], bool], made: dict[int, Any] | None = None
) -> Any:
    """The same structure with something else in the place of each leaf.

    An object that is met twice becomes one object.
    """
    if is_leaf(x):
        return of_leaf(x)
    if x is None or isinstance(x, (str, bytes, bool, int, float, complex, types.FunctionType)):
        return x
    made = {} if made is None else made
    if id(x) in made:
        return made[id(x)]

    def again(item: Any) -> Any:
        return mapped(item, of_leaf, is_leaf, made)

    if type(x) is tuple or (isinstance(x, tuple) and hasattr(x, "_make")):
        items = [again(item) for item in x]
        return x._make(items) if hasattr(x, "_make") else tuple(items)
    attributes = attributes_of(x)
    if attributes and type(x).__module__.partition(".")[0] in ("numpy", "scipy"):
        raise hidden(x)
    if not attributes and not isinstance(x, (list, dict, deque)):
        refuse_hidden(x)
        return x
    twin = made[id(x)] = copy.copy(x)
    if isinstance(x, list):
        twin[:] = [again(item) for item in x]
    elif isinstance(x, deque):
        twin.clear()
        twin.extend([again(item) for item in x])
    elif isinstance(x, dict):
        for key, item in x.items():
            twin[key] = again(item)
    for name, value in attributes.items():
        object.__setattr__(twin, name, again(value))
    return twin


def refuse_hidden(x: Any) -> None:
    """Raises for what holds numbers that would be constants: sets, iterators, bound methods."""
    numbers: Iterable[Any] = ()
    if isinstance(x, np.ndarray):
        refuse_unusual(x)
    if isinstance(x, (set, frozenset)):
        numbers = [item for item in x if isinstance(item, (float, complex, np.inexact))]
    elif isinstance(x, types.MethodType) and attributes_of(x.__self__):
        numbers = [x.__self__]
    elif isinstance(x, Iterator) or (isinstance(x, tuple) and type(x) is not tuple):
        numbers = [x]
    if numbers:
        raise hidden(x)


def hidden(x: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"a {type(x).__name__} may hold numbers that would get no gradient: pass them in a list, "
        "a tuple, a dict, or as attributes of an object"
    )


def template(x: Any, found: list[Any], made: dict[int, Any] | None = None) -> Any:
    """The structure with slots for numbers and arrays, which are put into `found`."""

    def slot(leaf: Any) -> Slot:
        found.append(leaf)
        return Slot(len(found) - 1)

    return mapped(x, slot, is_number, made)


def filled(template: Any, values: list[Any]) -> Any:
    """The structure with values in its slots."""
    if type(template) is Slot:
        return values[template.position]
    return mapped(template, lambda slot: values[slot.position], is_slot)


def is_slot(x: Any) -> bool:
    return type(x) is Slot


def gradient_of(template: Any, bars: list[Any], around: tuple[Any, ...] = ()) -> Any:
    """The gradient that belongs to an argument: that of an object is a dict of its attributes."""
    if type(template) is Slot:
        return bars[template.position]
    if any(template is other for other in around):
        return None  # an object that holds itself

    def inner(part: Any) -> Any:
        return gradient_of(part, bars, (*around, template))

    if isinstance(template, (list, deque)):
        items = [inner(item) for item in template]
        return deque(items, template.maxlen) if isinstance(template, deque) else items
    if isinstance(template, tuple):
        items = [inner(item) for item in template]
        return template._make(items) if hasattr(template, "_make") else tuple(items)
    if isinstance(template, dict):
        gradients = {key: inner(item) for key, item in template.items()}
        if type(template) is defaultdict:
            return defaultdict(template.default_factory, gradients)
        return type(template)(gradients) if type(template) in MAPPINGS else gradients
    parts = {name: inner(value) for name, value in attributes_of(template).items()}
    return {name: part for name, part in parts.items() if part is not None} or None


def paired(
    template: Any, x: Any, values: dict[int, Any],
    seen: frozenset[tuple[int, int]] = frozenset(),
) -> bool:
    """Whether `x` has the structure of a template; notes what stands in its slots."""
    if type(template) is Slot:
        return values.setdefault(template.position, x) is x
    if template is x or (id(template), id(x)) in seen:
        return True
    seen = seen | {(id(template), id(x))}
    if type(template) is not type(x):
        return False
    if isinstance(template, (list, tuple, deque)):
        return len(x) == len(template) and all(
            paired(part, item, values, seen) for part, item in zip(template, x, strict=True)
        )
    if isinstance(template, dict):
        return x.keys() == template.keys() and all(
            paired(part, x[key], values, seen) for key, part in template.items()
        )
    attributes = attributes_of(template)
    if attributes:
        return paired(attributes, attributes_of(x), values, seen)
    return bool(template == x)
