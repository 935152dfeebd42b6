"""Rules of `collections`: deques, and dicts that do more than dicts.

The cotangent of a deque is a list, that of a mapping a plain dict; the gradient that the user sees
is of the class of the argument (`zyg.cotangents.cotangent.project`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

from ir import primitives
from zyg.cotangents.cotangent import from_items
from zyg.cotangents.cotangent_items import before_push, item, taken, unless_computed
from zyg.cotangents.cotangent_places import without_key
from zyg.held.iterators import items_of
from zyg.rules.containers import by_key, dict_bars
from zyg.rules.iteration import column
from zyg.rules.registry import adjoint, constant, substitute

constant(
    *(deque.index, deque.count, deque.__len__, deque.maxlen),
    *(deque.__contains__, OrderedDict.keys, primitives.touched),
    # One that may depend on what varies isn't made in differentiated code.
    vars(defaultdict)["default_factory"],
)


@adjoint(namedtuple)
def namedtuple_(typename, field_names, *, rename=False, module=None):
    # Without `defaults`, by which a derivative would get lost.
    y = namedtuple(typename, field_names, rename=rename, module=module)
    return y, lambda y_bar: (None, None)


@adjoint(deque)
def deque_(iterable=(), maxlen=None):
    items = items_of(iterable)
    y = deque(items, maxlen)
    gone = len(items) - len(y)
    return y, lambda y_bar: (from_items(behind_gap(y_bar, gone), iterable), None)


def behind_gap(bars, gone):
    """The cotangent of items of which only the last ones were kept."""
    return None if bars is None else [*[None for _ in range(gone)], *bars]


@adjoint(primitives.pushed)
def pushed(items, value):
    is_full = items.maxlen == len(items)
    is_kept = items.maxlen != 0

    def back(bar):
        value_bar = item(bar, -1) if is_kept else None
        return before_push(bar, -1, is_full), value_bar

    return primitives.pushed(items, value), back


@adjoint(primitives.pushed_left)
def pushed_left(items, value):
    is_full = items.maxlen == len(items)
    is_kept = items.maxlen != 0

    def back(bar):
        value_bar = item(bar, 0) if is_kept else None
        return before_push(bar, 0, is_full), value_bar

    return primitives.pushed_left(items, value), back


@adjoint(primitives.rotated)
def rotated(items, count):
    return primitives.rotated(items, count), lambda bar: (rotated_back(bar, count), None)


def rotated_back(bar, count):
    if bar is None or len(bar) == 0:
        return bar
    start = count % len(bar)
    return [*bar[start:], *bar[:start]]


@adjoint(primitives.emptied)
def emptied(items):
    return primitives.emptied(items), lambda bar: (None,)


@adjoint(primitives.moved_to_end)
def moved_to_end(mapping, key, last):
    return primitives.moved_to_end(mapping, key, last), lambda bar: (bar, None, None)


@adjoint(primitives.defaulted)
def defaulted(mapping, key, value):
    is_new = key not in mapping

    def back(bar):
        return without_key(bar, key) if is_new else bar, None, taken(bar, key) if is_new else None

    return primitives.defaulted(mapping, key, value), back


@adjoint(primitives.touched)
def touched(mapping, key):
    is_new = key not in mapping

    def back(bar):
        return (without_key(bar, key) if is_new else bar), None

    return primitives.touched(mapping, key), back


@adjoint(primitives.regrouped)
def regrouped(members, method, *args):
    before = list(members)
    y = primitives.regrouped(members, method, *args)
    after = list(y)

    def back(bar):
        added = [added_bar(bar, before, after, method, arg) for arg in args]
        return remaining_bars(bar, before, after), None, *added

    return y, back


def remaining_bars(bar, before, after):
    """The cotangent of a set, a list in its own order, before members were added or left."""
    if bar is None:
        return None
    bar_of = dict(zip(after, bar, strict=False))
    return [bar_of.get(member) for member in before]


def added_bar(bar, before, after, method, member):
    """The cotangent of a member that was added, or of those of a set; where an equal one was there,
    that has it."""
    if bar is None or method not in ("add", "symmetric_difference_update"):
        return None
    bar_of = dict(zip(after, bar, strict=False))
    if method == "add":
        return None if member in before else bar_of.get(member)
    return from_items([None if m in before else bar_of.get(m) for m in member], member)


@adjoint(OrderedDict)
def ordered_dict(pairs=(), /):
    is_mapping = isinstance(pairs, dict) or hasattr(pairs, "keys")
    items = pairs if is_mapping else items_of(pairs)
    y = OrderedDict(items)
    return y, lambda y_bar: (dict_bars(y_bar, y, items, pairs),)


@substitute(OrderedDict)
def ordered_dict_with_names(pairs=(), /, **items):
    return OrderedDict({**dict(pairs), **items})


@adjoint(defaultdict)
def defaultdict_(factory=None, pairs=(), /):
    is_mapping = isinstance(pairs, dict) or hasattr(pairs, "keys")
    items = pairs if is_mapping else items_of(pairs)
    y = defaultdict(factory, items)
    return y, lambda y_bar: (None, dict_bars(y_bar, y, items, pairs))


@substitute(defaultdict)
def defaultdict_with_names(factory=None, pairs=(), /, **items):
    return defaultdict(factory, {**dict(pairs), **items})


@adjoint(Counter)
def counter(items=(), /):
    y = Counter(items)
    return y, lambda y_bar: (counted_bars(y_bar, y, items),)


def counted_bars(y_bar, y, items):
    """Counting has no derivative; a mapping hands on its numbers."""
    if y_bar is None or not hasattr(items, "keys"):
        return None
    if not isinstance(items, dict):
        unless_computed(items)
    return {key: y_bar.get(key) for key in y}


@adjoint(OrderedDict.values)
def values(self):
    return self.values(), lambda y_bar: (by_key(y_bar, self),)


@adjoint(OrderedDict.items)
def items(self):
    return self.items(), lambda y_bar: (by_key(column(y_bar, 1), self),)


@adjoint(OrderedDict.copy, defaultdict.copy, deque.copy)
def copy(self):
    return self.copy(), lambda y_bar: (y_bar,)


@substitute(Counter.total)
def total(self):
    return sum(self.values())


@substitute(Counter.most_common)
def most_common(self, n=None):
    pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
    return pairs if n is None else pairs[:n]
