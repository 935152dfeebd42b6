"""Arguments and results as trees of numbers: which of them are nodes, and what is around them.

    {"W": array, "names": ["a"]}    ->      {"W": Slot(0), "names": ["a"]}, [array]

Lists, tuples, dicts and objects with attributes are looked through. Flags, texts, functions and
None stay what they are.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.cotangent import zeros_like
from zyg.tape.forms import Slot
from zyg.tape.wrappers import Wrapper


def is_number(x: Any) -> bool:
    """Whether a value has a gradient: a number or an array, no flag."""
    if isinstance(x, (bool, np.bool_)):
        return False
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biufc"
    return isinstance(x, (int, float, complex, np.number, Wrapper))


def is_open(x: Any) -> bool:
    """Whether an object is looked into: an instance of a class that was written in Python."""
    return (
        hasattr(x, "__dict__")
        and not isinstance(x, (type, types.ModuleType, types.FunctionType, np.ndarray))
        and not callable(x)
        and type(x).__module__ != "builtins"
    )


def mapped(x: Any, of_leaf: Callable[[Any], Any], is_leaf: Callable[[Any], bool]) -> Any:
    """The same structure with something else in the place of each leaf."""
    if is_leaf(x):
        return of_leaf(x)
    if isinstance(x, list):
        return [mapped(item, of_leaf, is_leaf) for item in x]
    if isinstance(x, tuple):
        items = [mapped(item, of_leaf, is_leaf) for item in x]
        return x._make(items) if hasattr(x, "_make") else tuple(items)
    if isinstance(x, dict):
        return {key: mapped(item, of_leaf, is_leaf) for key, item in x.items()}
    if is_open(x):
        twin = copy.copy(x)
        for name, value in vars(x).items():
            object.__setattr__(twin, name, mapped(value, of_leaf, is_leaf))
        return twin
    return x


def template(x: Any, found: list[Any]) -> Any:
    """The structure with slots for numbers and arrays, which are put into `found`."""

    def slot(leaf: Any) -> Slot:
        found.append(leaf)
        return Slot(len(found) - 1)

    return mapped(x, slot, is_number)


def filled(template: Any, values: list[Any]) -> Any:
    """The structure with values in its slots."""
    return mapped(template, lambda slot: values[slot.position], is_slot)


def gradient_of(template: Any, bars: list[Any]) -> Any:
    """The gradient that belongs to an argument: that of an object is a dict of its attributes."""
    if type(template) is Slot:
        return bars[template.position]
    if isinstance(template, list):
        return [gradient_of(item, bars) for item in template]
    if isinstance(template, tuple):
        items = [gradient_of(item, bars) for item in template]
        return template._make(items) if hasattr(template, "_make") else tuple(items)
    if isinstance(template, dict):
        return {key: gradient_of(item, bars) for key, item in template.items()}
    if is_open(template):
        parts = {name: gradient_of(value, bars) for name, value in vars(template).items()}
        return {name: part for name, part in parts.items() if part is not None}
    return zeros_like(template) if isinstance(template, (float, complex)) else None


def is_slot(x: Any) -> bool:
    return type(x) is Slot


def paired(template: Any, x: Any, values: list[Any]) -> bool:
    """Whether `x` has the structure of a template; puts what stands at its slots into `values`."""
    if type(template) is Slot:
        values.append(x)
        return True
    if isinstance(template, (list, tuple)):
        return (
            type(x) is type(template)
            and len(x) == len(template)
            and all(paired(part, item, values) for part, item in zip(template, x, strict=True))
        )
    if isinstance(template, dict):
        return (
            isinstance(x, dict)
            and x.keys() == template.keys()
            and all(paired(part, x[key], values) for key, part in template.items())
        )
    if is_open(template):
        return type(x) is type(template) and paired(vars(template), vars(x), values)
    return template is x or (type(template) is type(x) and bool(template == x))
