"""Class methods written in C: each read of one makes a new object, so that they are found by their
class and name.
"""

from __future__ import annotations

from collections import OrderedDict

from zyg.rules.registry import substitute


@substitute(dict.fromkeys)
def fromkeys(iterable, value=None):
    found = {}
    for key in iterable:
        found[key] = value
    return found


@substitute(OrderedDict.fromkeys)
def ordered_fromkeys(iterable, value=None):
    return OrderedDict([(key, value) for key in iterable])
