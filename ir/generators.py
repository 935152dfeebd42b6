"""Generators as objects that differentiated code can look into.

    def powers(x, n):                     def powers(x, n):
        for i in range(n):       ->           generator = new_object(powers_generator)
            yield x ** i                      generator.x = x; generator.n = n
                                              generator._state = 0
                                              return generator

Each generator function has a class of its own, whose `advance` runs to the next `yield`
(`ir.syntax.resuming`); an object of it holds what the function's variables are in between. It gives
`(True, item, UNBOUND)`, or `(False, UNBOUND, value)` at the end.
"""

from __future__ import annotations

import types
from _thread import _local
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ir.core import Function
from ir.made_functions import give_ir, ir_of_made
from ir.primitives import UNBOUND

STATE_ATTRIBUTE = "_state"


def _nothing() -> None:
    return None


# Set by who differentiates: raises where nobody would notice that a generator goes on.
before_plain_step: Callable[[], None] = _nothing


class _Watched(_local):
    """The generators that run code of their own when they are closed, of one run."""

    made: list[Any] | None = None


_watched = _Watched()


class Watching:
    """Around a run: notes the generators made there that have to be closed if they don't end."""

    __slots__ = ("_before", "made")

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __enter__(self) -> None:
        self._before = _watched.made
        _watched.made = self.made

    def __exit__(self, *_: object) -> None:
        _watched.made = self._before


class Generator:
    """What a generator function makes, with the methods that Python's generators have."""

    advance: ClassVar[Callable[..., tuple[bool, Any, Any]]]
    # Whether closing it may run code.
    closes: ClassVar[bool] = False
    # The attributes that say how far it has come.
    counts: ClassVar[frozenset[str]] = frozenset([STATE_ATTRIBUTE])
    _state: int
    _is_plain: bool

    def __iter__(self) -> Generator:
        return self

    def __next__(self) -> Any:
        before_plain_step()
        return _item(*self.advance(None))

    def send(self, value: Any) -> Any:
        """Goes on behind the last `yield`, which has this value."""
        if value is not None and self._state == 0:
            raise TypeError("can't send non-None value to a just-started generator")
        before_plain_step()
        return _item(*self.advance(value))

    def throw(self, error: Any, *more: Any) -> Any:
        """Raises an exception where the generator stopped."""
        before_plain_step()
        return _item(*throwing(self, error, *more))

    def close(self) -> None:
        """Ends the generator where it stopped."""
        self.advance(None, None, True)


    @classmethod
    def loaded(cls) -> Callable[..., tuple[bool, Any, Any]]:
        """`advance` as compiled code."""
        if "_loaded" not in vars(cls):
            from ir.closures import load_function

            function = ir_of_made(cls.advance.__code__)
            assert function is not None
            cls._loaded = load_function(function)  # type: ignore[attr-defined]
        return cls._loaded  # type: ignore[attr-defined,no-any-return]


def memory_kept(generator: Any, name: str, value: Any) -> None:
    """Stores a variable that is assigned in a generator, if it may be memory.

    So what is changed in place between two `yield`s has an owner from its beginning on.
    """
    setattr(generator, name, value)


def iterated(items: Any) -> Any:
    """What `for` asks for the items, one at a time: `iter(items)`."""
    return iter(items)


def started(items: Any) -> Any:
    """The same for what is only known when the program runs."""
    return iter(items)


def walked(items: Any) -> Any:
    """What a loop that changes objects goes through, of which nothing is known before."""
    return items


def settled(items: Any, count: int | None) -> Any:
    """The items, where all or more than `count` are taken: of an iterator by steps, a list."""
    return items


def advanced(iterator: Any, sent: Any = None, thrown: Any = None) -> tuple[bool, Any, Any]:
    """The next step of an iterator: whether it gives an item, the item, its value at the end."""
    if isinstance(iterator, Generator):
        return iterator.advance(sent, thrown)
    try:
        if thrown is not None:
            item = _throw(iterator, thrown)
        else:
            item = next(iterator) if sent is None else iterator.send(sent)
    except StopIteration as stop:
        return False, UNBOUND, stop.value
    return True, item, UNBOUND


def sending(owner: Any, value: Any) -> tuple[bool, Any, Any]:
    """`owner.send(value)` as a step."""
    if isinstance(owner, Generator) and not (value is not None and owner._state == 0):
        return owner.advance(value)
    return True, owner.send(value), UNBOUND


def throwing(owner: Any, error: Any, *more: Any) -> tuple[bool, Any, Any]:
    """`owner.throw(error)` as a step; older programs pass class, value and traceback."""
    if not isinstance(owner, Generator):
        return True, owner.throw(error, *more), UNBOUND
    if more and more[0] is not None:
        error = more[0]
    return owner.advance(None, error() if isinstance(error, type) else error)


def _throw(iterator: Any, thrown: BaseException) -> Any:
    if not hasattr(iterator, "throw"):
        raise thrown
    return iterator.throw(thrown)


def stop_iteration(value: Any) -> StopIteration:
    """What `next` raises at the end of an iterator."""
    return StopIteration() if value is None else StopIteration(value)


def closed(iterator: Any) -> None:
    """Closes an iterator in which `yield from` stands, if it can be closed."""
    if hasattr(iterator, "close"):
        iterator.close()


def _item(alive: bool, item: Any, value: Any) -> Any:
    if alive:
        return item
    raise stop_iteration(value)


def watched_object(cls: type[Generator]) -> Generator:
    """What makes a generator that has to be closed if it doesn't end."""
    made: Generator = object.__new__(cls)
    if _watched.made is None:
        made._is_plain = True
    else:
        _watched.made.append(made)
    return made


def _close_dropped(self: Generator) -> None:
    """Closes a generator that nobody has any more, where nothing is differentiated."""
    if getattr(self, "_is_plain", False) and self._state > 0:
        self.close()


def generator_class(
    name: str, advance: Function, module_globals: dict[str, Any], cleanup: str,
    counts: Iterable[str],
) -> type[Generator]:
    """The class of the generators that one generator function makes.

    `cleanup` says whether closing one runs code of its own (`finally`, `with`), that of a generator
    which `yield from` reads (inner), or none. `counts` are attributes for numbers of items.
    """
    made: dict[str, Any] = {
        "closes": cleanup != "none", "counts": Generator.counts.union(counts),
        "advance": made_function(advance, module_globals),
    }
    if cleanup == "own":
        made["__new__"], made["__del__"] = watched_object, _close_dropped
    return type(f"{name}_generator", (Generator,), made)


def made_function(function: Function, module_globals: dict[str, Any]) -> types.FunctionType:
    """A Python function for IR that no source has: it is loaded when it is called first."""
    code = _run_loaded.__code__.replace(co_name=function.name)
    made = types.FunctionType(code, module_globals, function.name, (None, None, False))
    give_ir(made, function)
    return made


def _run_loaded(self: Any, sent: Any = None, thrown: Any = None, closing: Any = False) -> Any:
    return self.loaded()(self, sent, thrown, closing)
