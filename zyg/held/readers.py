"""Iterators with one reader, which see to it that what they come to is what it was."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ir.memory.held_walks import TAKING_AT_ONCE
from ir.primitives import UNBOUND
from zyg.errors import NotDifferentiable
from zyg.held.held_checks import as_made, as_shown, versions_of
from zyg.held.held_memory import is_known
from zyg.held.held_views import VIEWS, Reader, dict_of
from zyg.held.shadow_calls import state
from zyg.signature import is_users


class Once(Reader):
    """An iterable that is read in one place; the iterator is the plain one, at full speed.

    Where objects are worked on, it sees to it that what they hold, and it comes to, isn't changed
    before: its cotangents go to what that was when it was made.
    """

    __slots__ = ("_is_read", "_iterator", "_kwargs", "_make", "_versions")

    def __init__(self, make: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> None:
        self._make = make
        self.sources = args
        self._kwargs = kwargs
        self._is_read = False
        # Making an iterator starts to read other ones: that waits until it is read itself.
        waits = any(isinstance(arg, Once) for arg in args)
        self._iterator = None if waits else make(*args, **kwargs)
        is_later = state.held is not None and all(make is not one for one in TAKING_AT_ONCE)
        self._versions = versions_of(args) if is_later else ()

    def __iter__(self) -> Iterator[Any]:
        if self._is_read:
            raise NotDifferentiable(
                "an iterator is read in two places; make a list of its items and read that"
            )
        self._is_read = True
        iterator = self._iterator
        self._iterator = None
        if iterator is None:
            iterator = self._make(*self.sources, **self._kwargs)
        return as_made(iterator, self._versions) if self._versions else iter(iterator)

    def __next__(self) -> Any:
        raise NotDifferentiable(
            "`next` takes items out of an iterator, which can't be differentiated; make a list "
            "of its items and index that"
        )

    def __reduce__(self) -> Any:
        return Once, (iter, ((),), {})


def unless_changed(items: Any) -> Any:
    """What a loop goes through, or if that is a view of a dict that objects hold, an iterator that
    raises when what it comes to was changed."""
    is_shown = isinstance(items, VIEWS) and is_known(dict_of(items))
    return Once(partial(as_shown, items, list(items)), (), {}) if is_shown else items


class Taken:
    """A plain iterator whose items are taken one at a time, in several places."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.count = 0
        self.is_alive = True
        self._iterator = iter(source)

    def __next__(self) -> Any:
        raise NotDifferentiable("an iterator is read by what isn't differentiated")

    def __iter__(self) -> Any:
        raise NotDifferentiable(
            "an iterator whose items `next` takes is read by something else, too; make a list of "
            "its items before"
        )

    def step(self) -> tuple[bool, Any, Any]:
        """The next step, as `ir.generators.advanced` gives it."""
        try:
            item = next(self._iterator)
        except StopIteration as stop:
            self.is_alive = False
            return False, UNBOUND, stop.value
        self.count += 1
        return True, item, UNBOUND


def read_once(make: Callable[..., Any], *args: Any, **kwargs: Any) -> Once:
    """The iterator `make(*args, **kwargs)`, for one reader."""
    for arg in args:
        refuse_steps(arg)
    return Once(make, args, kwargs)


def refuse_steps(iterable: Any) -> None:
    """Raises for an iterator of the user's, whose changes nobody would notice here."""
    cls = type(iterable)
    # From Python 3.12 on, classes of itertools look like those of class statements.
    if isinstance(getattr(cls, "__next__", None), types.FunctionType) and is_users(cls):
        raise NotDifferentiable(
            f"an iterator of class {cls.__name__} is read by a function that can't be "
            "differentiated with it; make a list of its items before"
        )
