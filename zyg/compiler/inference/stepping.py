"""Iterators that are objects: how they go on, and the functions that take their items.

    list(generator)      ->  listed(generator)     whose loop asks `advance` for each item
"""

from __future__ import annotations

import inspect
import itertools
import math
import operator
import types
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import generators, primitives
from ir.core import Location
from ir.forgettable import forgettable, forgettable_dict
from ir.generators import Generator
from ir.late import late
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import is_running
from zyg.signature import is_users

if TYPE_CHECKING:
    from zyg.rules import generators as rules_of_generators
else:  # they are for programs that have such iterators
    rules_of_generators = late("zyg.rules.generators")

# By callee: the positions of iterators among its arguments (None for all), and whether it takes
# their items one at a time, as somebody asks for them. What stands in its place for iterators is
# in `zyg.rules.generators`.
READERS: dict[int, tuple[tuple[int, ...] | None, bool]] = {
    **{
        id(callee): ((0,), False)
        for callee in (
            list, tuple, set, frozenset, dict, deque, sorted, sum, math.prod, math.fsum, min, max,
            operator.contains, primitives.unpack, primitives.unpack_starred, np.fromiter,
        )
    },
    **{id(callee): ((1,), False) for callee in (list.extend, str.join)},
    **{
        id(callee): ((0,), True)
        for callee in (
            any, all, enumerate, vars(itertools.chain)["from_iterable"], itertools.islice,
            itertools.accumulate, itertools.pairwise,
        )
    },
    **{
        id(callee): ((1,), True)
        for callee in (filter, itertools.takewhile, itertools.dropwhile, itertools.starmap)
    },
    id(map): ((1, 2, 3, 4), True),
    id(zip): (None, True),
    id(itertools.chain): (None, True),
}


def read_by(callee: object, count: int) -> tuple[tuple[int, ...] | None, bool] | None:
    """What `READERS` tells of a call with so many arguments; `min(a, b)` compares these."""
    return None if callee in (min, max) and count > 1 else READERS.get(id(callee))


# What takes items too, and isn't there for generators.
_PLAIN_READERS = {
    id(callee) for callee in (
        itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
        itertools.product, itertools.tee, itertools.cycle, itertools.groupby, itertools.compress,
        itertools.filterfalse, itertools.zip_longest, np.array, np.asarray, np.stack,
        np.concatenate,
    )
}

# The modules whose functions are differentiated as the user's are.
PROGRAMS = (
    "zyg.rules.generators", "zyg.rules.functional", "zyg.rules.taking_all",
    "zyg.rules.array_stores", "zyg.rules.attribute_dicts", "zyg.rules.deep_copies",
    "zyg.rules.heaps", "zyg.rules.held_rows", "zyg.rules.mappings", "zyg.rules.piecewise",
    "zyg.inside.solvers_inside", "zyg.inside.minima_inside", "zyg.inside.integrals_inside",
    "zyg.inside.flows_inside",
)


def step_of(cls: type) -> Any:
    """The function that gives the next step of an iterator of a class; None if it has none."""
    if issubclass(cls, Generator):
        return cls.advance
    if not is_users(cls):
        return None
    found = [vars(base)["__next__"] for base in cls.__mro__ if "__next__" in vars(base)]
    method = found[0] if found else None
    if not isinstance(method, types.FunctionType):
        return None
    from ir.syntax.next_methods import step_of_method  # few programs have iterators of their own

    return step_of_method(method)


_VIEWS = {"keys": "each_key", "values": "each_value", "items": "each_pair"}
_iterators: dict[tuple[type, str, int, int], type] = forgettable_dict()
MAX_KNOWN = 4096


def iterator_class(cls: type, loc: Location) -> Any:
    """The class of the iterators over a sequence of a class that are made at one place.

    Each place has a class of its own, so that types tell apart what they hold.
    """
    if cls not in rules_of_generators.SEQUENCES:
        return None
    if len(_iterators) >= MAX_KNOWN:
        _iterators.clear()
    place = cls, loc.file, loc.line, loc.column
    if place not in _iterators:
        _iterators[place] = type(f"Each_{cls.__name__}", (rules_of_generators.Each,), {})
    return _iterators[place]


def is_own_iterator(cls: type) -> bool:
    """Whether a class is one of these: an object of it only says where in its items it is."""
    return issubclass(cls, rules_of_generators.Each)


def consumer_at(callee: object) -> Any:
    """The Python function in the place of a built-in one that takes the items of iterators."""
    return rules_of_generators.CONSUMERS[id(callee)]


def generator_at(callee: object, first: Any) -> Any:
    """The generator in the place of a built-in function that gives an iterator; `first`: the class
    of its first argument."""
    if gives_iterator(callee):
        return consumer_at(callee)
    if callee is reversed and first not in rules_of_generators.SEQUENCES:
        return None
    return rules_of_generators.STEPPING.get(id(callee))


def generator_over_view(callee: object) -> Any:
    """The generator over what a method of dicts gives a view of; None for others."""
    found = _VIEWS.get(getattr(callee, "__name__", ""))
    if found is None or not isinstance(callee, types.MethodDescriptorType):
        return None
    return getattr(rules_of_generators, found) if issubclass(callee.__objclass__, dict) else None


def gives_iterator(callee: object) -> bool:
    """Whether a built-in function takes items one at a time, for which there is a generator."""
    return id(callee) in READERS and READERS[id(callee)][1]


def reads_plainly(callee: object) -> bool:
    """Whether a function takes items, and has none in its place for iterators by steps."""
    # Of a module that few programs import.
    is_mean = getattr(callee, "__module__", None) == "statistics" and (
        getattr(callee, "__name__", None) in ("mean", "fmean")
    )
    return is_mean or id(callee) in _PLAIN_READERS


def consumer_of(callee: object, args: tuple[Any, ...]) -> Any:
    """The function to call with such arguments, if an iterator that goes on by steps is there."""
    found = READERS.get(id(callee))
    if found is None or not is_running():
        return None
    positions, _ = found
    given = args if positions is None else [args[i] for i in positions if i < len(args)]
    return consumer_at(callee) if any(step_of(type(arg)) is not None for arg in given) else None


def knows_steps(module_globals: dict[str, Any]) -> bool:
    """Whether a module knows generator functions, its functions' own among them, or classes of
    iterators."""
    for value in list(module_globals.values()):
        if type(value) is types.FunctionType and _makes_generators(value.__code__):
            return True
        if isinstance(value, type) and is_users(value) and _has_steps(value):
            return True
    return False


@forgettable(maxsize=4096)
def _makes_generators(code: types.CodeType) -> bool:
    """Whether this is the code of a generator function, or of a function that defines one."""
    if code.co_flags & inspect.CO_GENERATOR:
        return code.co_name != "<genexpr>"
    return any(isinstance(one, types.CodeType) and _makes_generators(one) for one in code.co_consts)


@forgettable(maxsize=1024)
def _has_steps(cls: type) -> bool:
    found = [item for base in cls.__mro__ if is_users(base) for item in vars(base).items()]
    return any(
        name == "__next__" or (
            isinstance(item, types.FunctionType) and _makes_generators(item.__code__)
        )
        for name, item in found
    )


def _refuse_plain_step() -> None:
    if is_running():
        raise NotDifferentiable(
            "a generator is read by what isn't differentiated, so that nobody would notice what "
            "it changes; make a list of its items before"
        )


generators.before_plain_step = _refuse_plain_step
