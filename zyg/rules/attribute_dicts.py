"""What is asked of `vars(x)`: plain Python over attributes, whose code is differentiated.

    for k, v in vars(x).items()    ->    for k in ...: v = getattr(x, k)
"""

from __future__ import annotations

import types

from ir.derived import found_in
from ir.heap import new_object
from ir.syntax.attribute_dicts import (
    drop_item,
    held_dict,
    held_item,
    held_items,
    held_names,
    held_or,
    held_values,
    hold_all,
    hold_item,
    is_held,
    taken_item,
)
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute

_PLAIN = object.__getattribute__, types.SimpleNamespace.__getattribute__


def names_of(obj):
    """The names in the dict of an object whose items are what its attributes are."""
    names = list(obj.__dict__)
    for name in names:
        unless_hidden(obj, name)
    return names


def unless_hidden(obj, name):
    """Raises where an attribute is not what stands in the dict of an object under its name."""
    if isinstance(obj, type | types.ModuleType):
        raise NotDifferentiable(
            "the `__dict__` of a class or module is read in differentiated code; use getattr"
        )
    if name not in obj.__dict__:
        raise KeyError(name)
    hidden_by = getattr(type(obj), name, None) if isinstance(name, str) else name
    if not isinstance(name, str) or hasattr(type(hidden_by), "__set__") or (
        type(obj).__getattribute__ not in _PLAIN
    ):
        raise NotDifferentiable(
            f"the item `{name}` of the `__dict__` of a {type(obj).__name__} is not its attribute "
            "of this name, and has no derivative"
        )


def unless_computed(obj, name):
    """Raises where a store of an attribute would call a descriptor, and one into the dict not."""
    of_class = found_in(type(obj), name)
    if hasattr(type(of_class), "__set__") and type(of_class) is not types.MemberDescriptorType:
        raise NotDifferentiable(
            f"`{name}` is computed by a {type(of_class).__name__}, which keeps its value in the "
            "`__dict__` of the object under the same name, where nothing is differentiated; let "
            f"it keep that under another name: setattr(obj, '_{name}', value)"
        )


def count_of(obj):
    return len(obj.__dict__)


constant(names_of, unless_hidden, unless_computed, count_of, is_held)


@substitute(held_item)
def held_item_(obj, name):
    unless_hidden(obj, name)
    return getattr(obj, name)


@substitute(hold_item)
def hold_item_(value, obj, name):
    unless_computed(obj, name)
    object.__setattr__(obj, name, value)


@substitute(drop_item)
def drop_item_(obj, name):
    unless_hidden(obj, name)
    delattr(obj, name)


@substitute(held_names)
def held_names_(obj):
    names = names_of(obj)
    for name in names:
        if count_of(obj) != len(names):
            raise RuntimeError("dictionary changed size during iteration")
        yield name


@substitute(held_items)
def held_items_(obj):
    names = names_of(obj)
    for name in names:
        if count_of(obj) != len(names):
            raise RuntimeError("dictionary changed size during iteration")
        yield name, getattr(obj, name)


@substitute(held_values)
def held_values_(obj):
    names = names_of(obj)
    for name in names:
        if count_of(obj) != len(names):
            raise RuntimeError("dictionary changed size during iteration")
        yield getattr(obj, name)


@substitute(held_or)
def held_or_(obj, name, default=None):
    return held_item_(obj, name) if is_held(name, obj) else default


@substitute(hold_all)
def hold_all_(obj, items=(), /, **others):
    for name, value in dict(items).items():
        hold_item(value, obj, name)
    for name, value in others.items():
        hold_item(value, obj, name)


@substitute(types.SimpleNamespace.__init__)
def init_by_computed_names(self, /, *given, **attributes):
    """What is given may be a mapping, too, from Python 3.13 on."""
    hold_all_(self, *given, **attributes)


@substitute(taken_item)
def taken_item_(obj, name, *default):
    if len(default) > 0 and not is_held(name, obj):
        return default[0]
    value = held_item_(obj, name)
    delattr(obj, name)
    return value


@substitute(held_dict)
def held_dict_(obj):
    return {name: getattr(obj, name) for name in names_of(obj)}


def copy_of_namespace(x):
    """What `copy.copy` gives for a `SimpleNamespace`."""
    y = new_object(type(x))
    hold_all_(y, held_dict_(x))
    return y
