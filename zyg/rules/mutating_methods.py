"""Methods that change lists and dicts, in terms of stores: what is differentiated for them."""

from __future__ import annotations

from zyg.rules.registry import substitute


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


@substitute(dict.setdefault)
def setdefault(mapping, key, default=None, /):
    if key not in mapping:
        mapping[key] = default
    return mapping[key]


@substitute(dict.update)
def update(mapping, other=(), /, **more):
    for key, value in dict(other, **more).items():
        mapping[key] = value


@substitute(dict.pop)
def pop(mapping, key, /, *default):
    if default and key not in mapping:
        return default[0]
    value = mapping[key]
    del mapping[key]
    return value
