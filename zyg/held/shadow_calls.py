"""What generated code asks of the table of the cotangents of objects, and which one that is.

    heap_bar = current_shadows()
    heap_bar.add(o, 'x', y_bar)             add(heap_bar, o, 'x', y_bar) in the IR

The passes of the compiler know these calls by their functions. The table itself
(`zyg.held.shadows`) is imported by the first program that works on objects.
"""

from __future__ import annotations

from _thread import _local  # the import of `threading` takes as long as seven modules here
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.late import imported
from ir.types import Type
from zyg.errors import NotDifferentiable

if TYPE_CHECKING:
    from zyg.held.held_memory import Holding, Newly, RunningNames, Seen
    from zyg.held.shadow_records import Record
    from zyg.held.shadows import Shadows

# What stands in a record where nothing was added: a zero.
UNTOUCHED = float("0")


class Run:
    """A forward pass that works on objects; `keys` is for `zyg.held.outer_keys`, `errors` are the
    exceptions that it has made, by `id`."""

    __slots__ = ("errors", "keys")

    def __init__(self) -> None:
        self.keys: dict[int, tuple[Any, frozenset[Any]]] = {}
        self.errors: dict[int, BaseException] = {}


class _State(_local):
    """What runs in this thread: a forward pass that works on objects, what these hold."""

    run: Run | None = None
    held: Holding | None = None
    names: RunningNames | None = None


state = _State()


class _Running(_local):
    """The table of the adjoint that runs in this thread."""

    shadows: Shadows | None = None


running = _Running()


def is_running() -> bool:
    """Whether a call is made from differentiated code that works on objects."""
    return state.run is not None


def current_run() -> object:
    """The identity of the forward pass that works on objects, if one is running."""
    return state.run


def current_shadows() -> Shadows:
    """The table of the adjoint that is running."""
    if running.shadows is None:
        raise NotDifferentiable("this back function works on objects, and runs on its own")
    return running.shadows


def is_table(type_: Type) -> bool:
    """Whether a type is that of a table."""
    shadows = imported("zyg.held.shadows")  # nobody has a table before
    return shadows is not None and bool(type_ == shadows.SHADOWS)


def add(shadows: Shadows, obj: Any, name: str, bar: Any) -> None:
    shadows.add(obj, name, bar)


def take(shadows: Shadows, obj: Any, name: str, zero: Any = None) -> Any:
    return shadows.take(obj, name, zero)


def records(shadows: Shadows, cls: type, numbers: tuple[str, ...]) -> Any:
    return shadows.records(cls, numbers)


def record(of: Any, obj: Any) -> Record:
    found: Record = of[obj]
    return found


def bar_of(of: Record, name: str) -> Any:
    """The cotangent of an attribute, out of the record of its object."""
    return getattr(of, name)


def set_bar(of: Record, name: str, bar: Any) -> None:
    setattr(of, name, bar)


def increase_bar(of: Record, name: str, bar: Any) -> None:
    setattr(of, name, getattr(of, name) + bar)


def add_held(shadows: Shadows, obj: Any, name: str, bar: Any, seen: Seen) -> None:
    """`add` for an attribute that holds memory, or a tuple of such."""
    if bar is not None:
        shadows.add(obj, name, shadows.absorb(seen, bar))


def release(shadows: Shadows, obj: Any, name: str, seen: Seen, newly: Newly | None) -> Any:
    return shadows.release(obj, name, seen.value, newly)


def absorb(shadows: Shadows, seen: Seen, bar: Any) -> Any:
    return shadows.absorb(seen, bar)


def absorb_item(shadows: Shadows, seen: Seen, index: Any, bar: Any) -> Any:
    return shadows.absorb_item(seen, index, bar)


facts.effect(add, take, add_held, release, absorb, absorb_item)
facts.effect(bar_of, set_bar, increase_bar)
# A record is made where it is asked for, and is the same from then on.
facts.pure(records, record, current_shadows)


@facts.result(current_shadows)
def _current_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    from zyg.held.shadows import SHADOWS

    return SHADOWS
