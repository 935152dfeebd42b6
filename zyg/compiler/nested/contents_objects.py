"""Objects that stand for what memory holds, in code that is differentiated more than once.

    c = contents_of(list_contents, a)          the object for the memory `a`, by its identity
    c.items                                    `a` itself

There, what objects hold is changed by stores into `items` alone (`ir.memory.followed_memory`).
"""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict, deque
from typing import Any

from ir import facts, primitives
from ir.forgettable import forgettable
from ir.heap import HEAP_NAME, Contents
from ir.memory.held_types import is_mixed
from ir.memory.memory_facts import CHANGING, COPYING, HOLDING
from ir.types import TOP, Instance, Known, Scalar, Type, class_of
from zyg.errors import NotDifferentiable
from zyg.held.held_checks import unless_captured, unless_reading_held
from zyg.held.held_memory import identity_of, is_known
from zyg.held.memory_kinds import is_memory, items_of, memory_captured, memory_in, reaches_memory
from zyg.held.shadow_calls import state
from zyg.held.shown_parts import owner_of
from zyg.rules.registry import constant, rule_of
from zyg.tangents.tangent_objects import stand_for


@forgettable(maxsize=4096)
def contents_class(type_: Type) -> type[Contents]:
    """The class of what stands for memory of a type."""
    cls = class_of(type_)
    assert cls is not None
    return type(f"{cls.__name__}_contents", (Contents,), {"of": cls, "is_mixed": is_mixed(type_)})


def contents_of(cls: type[Contents], memory: Any) -> Contents:
    """What stands for the contents of memory that an object holds."""
    found = _table().get(id(memory))
    if found is None:
        if not is_known(memory):
            raise NotDifferentiable(
                f"an object holds a {type(memory).__name__} that was made by a call which zyg "
                "doesn't see, in code that is differentiated more than once"
            )
        return contents_put(cls, memory)  # it was there when the program began
    if type(found[1]) is not cls:
        raise NotDifferentiable(
            f"a {type(memory).__name__} that several objects hold is changed in place, in code "
            "that is differentiated more than once, and has several types"
        )
    return found[1]


def contents_put(cls: type[Contents], memory: Any) -> Contents:
    """The same for memory that an object holds from here on."""
    if owner_of(memory) is not memory:
        raise NotDifferentiable(
            "objects hold a view of an array, in code that is differentiated more than once and "
            "changes what they hold; let them hold a copy"
        )
    known = _table()
    if id(memory) in known:
        return contents_of(cls, memory)
    first = next(iter(items_of(memory)), None)
    if reaches_memory(first) and not cls.is_mixed:
        raise NotDifferentiable(
            f"an object holds a {type(memory).__name__} of {type(first).__name__} objects, in code "
            "that is differentiated more than once, and that took it for one of numbers"
        )
    made = cls()
    made.items = memory
    assert state.held is not None
    state.held.stand_for(made, memory)
    stand_for(made, memory)
    return made


def part_contents_of(cls: type[Contents], memory: Any) -> Contents:
    """The same of an array, or of the whole one of which this is a view."""
    owner = owner_of(memory)
    return contents_of(cls, owner if id(owner) in _table() else memory)


def part_contents_put(cls: type[Contents], memory: Any) -> Contents:
    """The same where an object holds it from here on; the whole array is followed by then."""
    owner = owner_of(memory)
    return contents_put(cls, owner if id(owner) in _table() else memory)


def is_followed(memory: Any) -> bool:
    """Whether an object holds memory, so that something stands for its contents."""
    return is_memory(memory) and is_known(memory)


def has_contents(memory: Any) -> bool:
    """Whether something stands for the contents of memory by now."""
    return state.held is not None and identity_of(memory) in state.held.contents


def standing_for(value: Any) -> Any:
    """What stands for the contents of memory, if something does by now; else the value itself."""
    known = None if state.held is None else state.held.contents.get(identity_of(value))
    if known is None:
        return value
    if known[0] is not value:
        raise NotDifferentiable(
            "the derivative by a view of an array whose contents objects hold, inside of "
            "differentiated code; give a copy"
        )
    return known[1]


def reference(memory: Any) -> Any:
    """Memory as what an object refers to: its contents are another object's."""
    return memory


_OF_IR = ("ir.primitives", "ir.try_primitives", "ir.heap")
# What passes references on, or reads no contents.
_OF_REFERENCES = {
    id(callee) for callee in (
        operator.getitem, operator.contains, operator.is_, operator.is_not, operator.not_,
        operator.truth, len, isinstance, type, id, iter, next, enumerate, zip, reversed, getattr,
        hasattr, dict.items, dict.values, dict.keys, dict.get, callable, bool,
    )
} | HOLDING | COPYING | CHANGING


def reads_whole(callee: Any) -> bool:
    """Whether a call reads what its operands hold at any depth."""
    if callee is primitives.apply:
        return True
    derived = getattr(callee, "ir_function", None)
    if derived is not None:  # without the heap it can't look for what memory holds
        return all(param.name != HEAP_NAME for param in derived.params)
    if id(callee) in _OF_REFERENCES or str(getattr(callee, "__module__", "")) in _OF_IR:
        return False
    return rule_of(callee) is not None


def part_functions(cls: type) -> tuple[Any, Any] | None:
    """What puts the items of a container of a class into objects, and what gives one with what
    they hold; None for other classes."""
    from zyg.rules import held_rows  # few programs need it

    known: dict[type, tuple[Any, Any]] = {
        list: (held_rows.put_items, held_rows.whole_items),
        tuple: (held_rows.put_items, held_rows.whole_tuple),
        deque: (held_rows.put_items, held_rows.whole_deque),
        dict: (held_rows.put_values, held_rows.whole_values),
        OrderedDict: (held_rows.put_values, held_rows.whole_ordered),
        defaultdict: (held_rows.put_values, held_rows.whole_defaultdict),
    }
    return known.get(cls)


def captures_memory_now(function: Any) -> bool:
    """Whether a function has captured arrays or containers, or has them as defaults."""
    return any(True for _ in memory_captured(function))


def unless_capturing_held(function: Any) -> None:
    """Raises for a function that has captured what an object holds: that may have changed since."""
    if any(map(is_known, memory_captured(function))):
        raise NotDifferentiable(
            "a function is called that was made elsewhere, and has captured what an object holds "
            "and may have changed since; give it that as an argument"
        )


def note_captured(value: Any) -> None:
    """Notes what the functions in a value have captured, which an object holds from here on."""
    assert state.held is not None, "code that works on objects runs in a forward pass"
    state.held.note_captured(value)


def unless_holding_contents(value: Any) -> None:
    """Raises for memory by which code is differentiated that works on objects, and that something
    stands for: the cotangent would belong to that."""
    if any(map(has_contents, memory_in(value))):
        raise NotDifferentiable(
            "the derivative by arrays or containers that objects hold, of a function that works on "
            "objects, inside of differentiated code; give it copies"
        )


def unless_unfollowed(value: Any) -> None:
    """Raises for memory that is about to be changed, whose names nobody knows: no object holds it,
    and a call gave it."""
    if is_memory(value) and not is_known(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place, but zyg can't tell which other names "
            "its memory has; change a copy"
        )


def unless_memory(value: Any) -> None:
    """Raises for memory that an object holds, and whose type isn't known when code is made."""
    if reaches_memory(value):
        raise NotDifferentiable(
            f"an object holds a {type(value).__name__}, of which nothing is known when code is "
            "made that is differentiated more than once"
        )


def unless_items_are_memory(items: Any) -> None:
    """Raises for a container that holds memory, where nothing is known of its items."""
    for item in items.values() if isinstance(items, dict) else items:
        if reaches_memory(item):
            raise NotDifferentiable(
                f"an object holds a {type(items).__name__} of which nothing is known when code is "
                f"made that is differentiated more than once, and a {type(item).__name__} in it"
            )


def unless_filled(value: Any) -> None:
    """Raises for a container that isn't empty, where code was made for one that is."""
    if len(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} that an object holds was filled under another name, in code "
            "that is differentiated more than once; fill it by the attribute"
        )


def _table() -> dict[int, tuple[Any, Contents]]:
    assert state.held is not None, "code that works on objects runs in a forward pass"
    return state.held.contents


constant(
    contents_of, contents_put, part_contents_of, part_contents_put, is_followed, reference,
    unless_memory, unless_items_are_memory,
    unless_filled, unless_unfollowed, unless_capturing_held, unless_holding_contents,
    unless_reading_held, note_captured, unless_captured,
)
facts.pure(contents_of, contents_put, part_contents_of, part_contents_put, reference)
facts.effect(
    unless_memory, unless_items_are_memory, unless_capturing_held, unless_unfollowed, unless_filled
)
facts.effect(unless_holding_contents, unless_reading_held, note_captured, unless_captured)


@facts.result(contents_of, contents_put, part_contents_of, part_contents_put)
def _type_of_contents(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = args[0]
    return Instance(cls.value) if isinstance(cls, Known) else TOP


@facts.result(is_followed)
def _bool(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Scalar(bool)


@facts.result(reference)
def _type_of_reference(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]
