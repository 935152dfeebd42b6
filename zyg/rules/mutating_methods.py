"""Methods that change lists and dicts, in terms of stores: what is differentiated for them."""

from __future__ import annotations

from collections import OrderedDict

from zyg.rules.registry import constant, substitute


@substitute(list.remove)
def remove(items, value, /):
    del items[items.index(value)]


@substitute(list.clear)
def clear(items, /):
    del items[:]


@substitute(list.reverse)
def reverse(items, /):
    items[:] = items[::-1]


@substitute(list.sort)
def sort(items, /, *, key=None, reverse=False):
    items[:] = sorted(items, key=key, reverse=reverse)


@substitute(dict.update, OrderedDict.update)
def update(mapping, other=(), /, **more):
    for key, value in dict(other, **more).items():
        mapping[key] = value


@substitute(dict.popitem)
def popitem(mapping, /):
    key = last_key(mapping)
    value = mapping[key]
    del mapping[key]
    return key, value


@substitute(OrderedDict.popitem)
def popitem_of_either_end(mapping, /, last=True):
    key = last_key(mapping) if last else first_key(mapping)
    value = mapping[key]
    del mapping[key]
    return key, value


def last_key(mapping):
    """The key that `popitem` takes, with the error of Python."""
    if not mapping:
        is_ordered = isinstance(mapping, OrderedDict)
        raise KeyError(f"{'dictionary' if is_ordered else 'popitem(): dictionary'} is empty")
    return next(reversed(mapping))


def first_key(mapping):
    if not mapping:
        raise KeyError("dictionary is empty")
    return next(iter(mapping))


constant(last_key, first_key)


@substitute(dict.pop, OrderedDict.pop)
def pop(mapping, key, /, *default):
    if default and key not in mapping:
        return default[0]
    value = mapping[key]
    del mapping[key]
    return value
