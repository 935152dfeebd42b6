"""Methods that change containers, in terms of stores: what is differentiated for them."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

from zyg.rules.registry import chosen_by, constant, substitute

chosen_by("key", list.sort)


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


@substitute(list.__init__)
def init_list(items, more=(), /):
    items[:] = more


@substitute(dict.update, OrderedDict.update, dict.__init__)
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


@substitute(set.update)
def update_set(members, /, *others):
    for other in others:
        for member in list(other):
            members.add(member)


@substitute(deque.extend)
def extend(items, iterable, /):
    for value in list(iterable):
        items.append(value)


@substitute(deque.extendleft)
def extendleft(items, iterable, /):
    for value in list(iterable):
        items.appendleft(value)


@substitute(deque.remove)
def remove_from_deque(items, value, /):
    del items[items.index(value)]


@substitute(deque.reverse)
def reverse_deque(items, /):
    values = list(items)
    items.clear()
    for value in values[::-1]:
        items.append(value)


@substitute(Counter.update)
def update_counter(self, other=(), /, **more):
    if hasattr(other, "keys"):
        for key, count in dict(other, **more).items():
            self[key] = self[key] + count
    else:
        for key in list(other):
            self[key] = self[key] + 1
        for key, count in more.items():
            self[key] = self[key] + count


@substitute(Counter)
def counter_with_names(items=(), /, **more):
    y = Counter(items)
    for key, count in more.items():
        y[key] = y[key] + count
    return y
