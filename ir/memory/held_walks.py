"""Loops over memory that objects hold, in inference, where the body may change what is ahead.

    for i, y in enumerate(self.xs):        for i in positions(t):        t is `self.xs`
        self.xs[i + 1] += y                    y = t[i]
                                               self.xs[i + 1] += y

What a loop takes out of a list as it goes along is read in its body then, behind the changes that
came before. An iterator without positions is made to go on by steps (`ir.inference.steps`), which
reads in the body, too.
"""

from __future__ import annotations

import itertools
import operator
import types
from collections.abc import Callable
from collections.abc import Iterator as Iteration
from typing import TYPE_CHECKING, Any

from ir import facts, heap, primitives
from ir.core import Block, Call, Const, For, Location, Op, Operand, Value, type_of
from ir.errors import Unsupported
from ir.generators import iterated, started
from ir.heap import is_heap
from ir.library.fact_rules import INT, declare
from ir.memory.held_functions import may_be_numbers
from ir.memory.memory_facts import ITEMS, VALUES, has_positions
from ir.memory.place_state import check_call
from ir.rewrite import walk
from ir.types import TOP, Iterator, Top, Tuple, Type, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls
    from ir.inference.typed_loops import TypedLoops
    from ir.memory.places import Places

# These have taken all that they are given before they give anything.
TAKING_AT_ONCE = (
    itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
    itertools.product,
)  # fmt: skip
# These call a function with one item after the other.
CALLING = {
    id(callee) for callee in (
        map, filter, itertools.takewhile, itertools.dropwhile, itertools.starmap,
        itertools.accumulate,
    )
}  # fmt: skip
UNPACKING = (primitives.unpack, primitives.unpack_starred, iter)
READS = (getattr, len, abs, pow, divmod, round, bool, int, float, str, repr, hash)
GETTING = (heap.attribute_read, heap.class_read, heap.found_attribute)
IN_PLACE = [
    getattr(operator, f"i{name}") for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift",
        "and", "or", "xor", "concat",
    )
]  # fmt: skip
# New versions of the heap that leave lists, dicts and arrays as they are.
STORES = (heap.attribute_stored, heap.attribute_set, heap.class_stored, heap.new_object)


def positions(items: Any) -> Iteration[Any]:
    """The positions to which `for item in items` comes, when it does; of a dict the keys."""
    if isinstance(items, dict):
        yield from items
        return
    for position, _ in enumerate(items):
        yield position


def item_at(items: Any, position: Any) -> Any:
    """What a loop over what may be a dict reads at one of its positions."""
    return position if isinstance(items, dict) else items[position]


def positions_from_end(items: Any) -> Iteration[int]:
    """The positions to which `for item in reversed(items)` comes, when it comes to them."""
    last = len(items) - 1
    for count, _ in enumerate(reversed(items)):
        yield last - count


BY_POSITIONS = (positions, positions_from_end, primitives.numbers_from)


@declare(positions, positions_from_end)
def result_of_positions(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_known = args and class_of(args[0]) is not None
    return Iterator(types.GeneratorType, INT if is_known else TOP)


def changes_memory(self: TypedCalls, body: Block) -> bool:
    """Whether the body of a loop may change memory that objects hold."""
    for op in walk(body):
        if isinstance(op, Call) and any(map(is_heap, op.results)):
            callee, args = op.callee, op.args
            if isinstance(callee, Const) and callee.value is primitives.updating:
                callee, args = op.args[0], op.args[2:]
            known = callee.value if isinstance(callee, Const) else None
            if known is heap.attribute_stored and _is_contents(args[1]):
                return True
            if any(known is function for function in IN_PLACE):
                if _is_read(self, args[0]):
                    return True
            elif not any(known is function for function in STORES):
                is_operator = getattr(known, "__module__", None) == "_operator"
                if not is_operator and not any(known is one for one in (*UNPACKING, *READS)):
                    return True
                if known in (operator.setitem, operator.delitem):
                    return True
                name = args[1].value if known is getattr and isinstance(args[1], Const) else None
                asked = args[:1] if known is getattr else args
                if self.surroundings.may_change_memory(known, list(map(type_of, asked)), name):
                    return True
    return False


def _is_contents(owner: Operand) -> bool:
    """Whether an object stands for the contents of memory."""
    return issubclass(class_of(type_of(owner)) or object, heap.Contents)


def _is_read(self: TypedCalls, operand: Operand) -> bool:
    """Whether a value was read out of something just before."""
    made = self.definitions.get(operand) if isinstance(operand, Value) else None
    if not isinstance(made, Call) or not isinstance(made.callee, Const):
        return False
    callee, args = made.callee.value, made.args
    if callee is primitives.updating and isinstance(args[0], Const):
        callee, args = args[0].value, args[2:]
    if callee is heap.contents_read:
        return _is_read(self, args[1])
    return any(callee is function for function in (*GETTING, getattr, operator.getitem))


def is_walked_ahead(self: TypedCalls, iterable: Operand) -> bool:
    """Whether a loop reads numbers out of memory that objects may hold, as it goes along."""
    if not isinstance(iterable, Value) or self.places is None or not self.is_of_user:
        return False
    type_ = iterable.type
    if not may_be_numbers(facts.item_of(type_)):
        return False
    made = self.definitions.get(iterable)
    callee, args = (made.callee, made.args) if isinstance(made, Call) else (None, [])
    if isinstance(callee, Const) and callee.value is primitives.updating:
        callee, args = args[0], args[2:]
    known = callee.value if isinstance(callee, Const) else None
    if any(known is function for function in BY_POSITIONS):
        return False
    if known is iter or getattr(known, "__module__", None) == "itertools":
        return known not in TAKING_AT_ONCE and any(is_walked_ahead(self, x) for x in args)
    if class_of(type_) is None:
        # What a call of an unknown function gives may be an iterator: it is read as it is.
        return _is_read(self, iterable)
    if isinstance(type_, Iterator):
        if not isinstance(made, Call):
            return True
        if known in VALUES or known in ITEMS:
            return _is_held(self.places, args[0])
        return any(is_walked_ahead(self, x) for x in args)
    # The keys of a dict stay what they are; a loop that changes how many there are raises.
    return not is_mapping(type_) and _is_held(self.places, iterable)


def is_mapping(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and issubclass(cls, dict)


def unknown_sources(self: TypedCalls, iterable: Operand) -> list[Value]:
    """What a loop goes through, or an iterator that it reads, of which nothing is known."""
    if not isinstance(iterable, Value) or not may_be_numbers(facts.item_of(iterable.type)):
        return []
    made = self.definitions.get(iterable)
    callee, args = (made.callee, made.args) if isinstance(made, Call) else (None, [])
    if isinstance(callee, Const) and callee.value is primitives.updating:
        callee, args = args[0], args[2:]
    known = callee.value if isinstance(callee, Const) else None
    if any(known is function for function in (*BY_POSITIONS, *TAKING_AT_ONCE)):
        return []
    is_lazy = known is heap.contents_read or known is iter or (
        isinstance(known, type) and hasattr(known, "__next__")
    )
    if is_lazy or isinstance(iterable.type, Iterator):
        return [source for arg in args for source in unknown_sources(self, arg)]
    return [iterable] if iterable.type == TOP else []


def _is_held(places: Places, operand: Operand) -> bool:
    """Whether objects may hold a container, and change it."""
    type_ = type_of(operand)
    if not isinstance(operand, Value) or isinstance(type_, Tuple):
        return False
    if class_of(type_) in (tuple, range, str):
        return False
    return places.held.is_exposed(operand) or places.held.is_held(operand)


def function_called(
    callee: object, args: list[Operand], kwargs: dict[str, Operand]
) -> Operand:
    """The function that `map` and its kin call."""
    if callee is itertools.accumulate:
        return args[1] if len(args) > 1 else kwargs.get("func", Const(None))
    return args[0]


def operands_of_calling(
    self: TypedCalls, callee: object, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> list[Operand]:
    """The operands of `map` and its kin, with iterators that go on by steps in the place of memory
    that the function which they call may change."""
    function = function_called(callee, args, kwargs)
    given = [arg for arg in args if arg is not function]
    walked = [arg for arg in given if is_walked_ahead(self, arg)]
    unknown = [source for arg in given for source in unknown_sources(self, arg)]
    if not (walked or unknown) or not _may_change(self, callee, function, args):
        return args
    if any(isinstance(type_of(arg), Iterator) for arg in walked):
        raise _unsupported(loc)
    if self.is_of_user:
        # The iterator of what a class of the user's may be doesn't go on by steps.
        check = self.surroundings.unless_walking_held
        self.ops += [
            check_call(check, [source], loc) for source in unknown
            if self.surroundings.iterated(map, (TOP, type_of(source)))
            or not any(source is one for one in walked)
        ]
    return [
        self.typed_call(Const(iterated), [arg], {}, ["items"], loc)[0]
        if any(arg is one for one in walked) else arg
        for arg in args
    ]


def _may_change(
    self: TypedCalls, callee: object, function: Operand, args: list[Operand]
) -> bool:
    items = tuple(facts.item_of(type_of(arg)) for arg in args[1:])
    if callee is itertools.starmap and isinstance(items[0], Tuple):
        items = items[0].items
    elif callee is not map:
        quiet = (type, types.NoneType, types.BuiltinFunctionType)
        return not isinstance(function, Const) or not isinstance(function.value, quiet)
    return self.surroundings.works_on_objects(type_of(function), items, {})


def by_positions(
    self: TypedLoops, op: For, iterables: list[Operand], sources: list[Operand], body: Block
) -> For | None:
    """The loop over positions, if all has some that is walked ahead; `sources` are the iterables
    as the source has them."""
    # What only the body makes known to be held is taken to be so: the loop is typed once more.
    is_known = any(is_walked_ahead(self, iterable) for iterable in iterables)
    walks = Walks(self, op, has_positions if not is_known else None)
    items = body.params[: len(iterables)]
    for source, iterable, item in zip(sources, iterables, items, strict=True):
        if not walks.add(source, iterable, item):
            return None
    if not is_known and all(map(operator.is_, walks.iterables, iterables)):
        return None
    if len(op.iterables) == 1 and self.is_made_for(op):
        self.ops = [made for made in self.ops if not any(made is one for one in walks.replaced)]
    count = len(iterables)
    params = [*walks.params, *body.params[count:]]
    block = Block(params, [*walks.ops, *body.ops], body.exit)
    return For(walks.iterables, op.init, block, op.results, False, op.loc)


class Walks:
    """What a loop over positions walks over, and what its body reads there."""

    def __init__(
        self, inference: TypedLoops, op: For, is_ahead: Callable[[Type], bool] | None = None
    ) -> None:
        self._inference = inference
        self._op = op
        self._is_ahead = is_ahead
        self.iterables: list[Operand] = []
        self.params: list[Value] = []
        self.ops: list[Op] = []
        # The calls that made iterators of these.
        self.replaced: list[Op] = []

    def add(self, source: Operand, iterable: Operand, item: Value) -> bool:
        """Walks over an iterable, whose items get this name; gives whether that can be done."""
        inference = self._inference
        is_ahead = self._is_ahead is not None and self._is_ahead(type_of(iterable))
        if not is_ahead and not is_walked_ahead(inference, iterable):
            self._walk(iterable, item)
            return True
        if has_positions(type_of(iterable)) or _is_read(inference, iterable):
            self._read(iterable, positions, item)
            return True
        made = inference.definitions.get(iterable) if isinstance(iterable, Value) else None
        if not isinstance(made, Call) or not isinstance(made.callee, Const):
            return False
        callee = made.callee.value
        if callee in VALUES or callee in ITEMS:
            key, value = Value("key"), item if callee in VALUES else Value("t")
            self._walk(made.args[0], key)
            self._append(operator.getitem, [made.args[0], key], value)
            if callee in ITEMS:
                self._append(primitives.build_tuple, [key, value], item)
            return True
        written = inference.made_for(self._op, source)
        if written is None:
            return False
        self.replaced.append(made)
        # A call that has become another one: what its operands are made of isn't looked into.
        parts = written.args if len(written.args) == len(made.args) else made.args
        if callee is reversed and has_positions(type_of(made.args[0])):
            self._read(made.args[0], positions_from_end, item)
            return True
        if callee is enumerate:
            return self._enumerate(parts[0], made, item)
        return callee is zip and self._zip(parts, made, item)

    def _zip(self, sources: list[Operand], made: Call, item: Value) -> bool:
        walks = Walks(self._inference, self._op) if made.kwargs else self
        items = [Value("t") for _ in made.args]
        added = [walks.add(*part) for part in zip(sources, made.args, items, strict=True)]
        if walks is not self:  # `strict`
            pair = Value("t")
            (zipped,) = self._inference.typed_call(
                Const(zip), walks.iterables, dict(made.kwargs), ["t"], self._op.loc
            )
            self._walk(zipped, pair)
            count = Const(len(walks.params))
            unpacked = Call(
                Const(primitives.unpack), [pair, count], {}, list(walks.params), self._op.loc
            )
            self.ops += [unpacked, *walks.ops]
            self.replaced += walks.replaced
        self._append(primitives.build_tuple, list(items), item)
        return all(added)

    def _enumerate(self, source: Operand, made: Call, item: Value) -> bool:
        start = made.args[1] if len(made.args) == 2 else made.kwargs.get("start", Const(0))
        part, at = Value("t"), len(self.params)
        if not self.add(source, made.args[0], part):
            return False
        number = self.params[at]
        is_position = has_positions(type_of(made.args[0]))
        if not is_position or not isinstance(start, Const) or start.value != 0:
            number = Value("i")
            self.iterables.insert(at, self._inference.call(primitives.numbers_from, start))
            self.params.insert(at, number)
        self._append(primitives.build_tuple, [number, part], item)
        return True

    def _walk(self, iterable: Operand, item: Value) -> None:
        self.iterables.append(iterable)
        self.params.append(item)

    def _read(self, items: Operand, over: Any, item: Value) -> None:
        position = Value("i")
        self._walk(self._inference.call(over, items), position)
        is_known = class_of(type_of(items)) is not None
        if not is_known:
            check = self._inference.surroundings.unless_lazy
            self._inference.ops.append(check_call(check, [items], self._op.loc))
        self._append(operator.getitem if is_known else item_at, [items, position], item)

    def _append(self, callee: Any, args: list[Operand], result: Value) -> None:
        self.ops.append(Call(Const(callee), args, {}, [result], self._op.loc))


def by_steps(self: TypedLoops, source: Operand, iterable: Operand, op: For) -> Operand:
    """An iterator that goes on by steps, in the place of one that is made just before a loop."""
    if not is_walked_ahead(self, iterable):
        return iterable
    if isinstance(type_of(iterable), Top) and (
        self.surroundings.iterated(None, (type_of(iterable),))
    ):
        # It was asked for its iterator, which may be a plain one.
        return self.unknown_call(Const(started), [iterable], ["items"], op.loc)[0]
    if has_positions(type_of(iterable)) or class_of(type_of(iterable)) is None:
        return self.typed_call(Const(iterated), [iterable], {}, ["items"], op.loc)[0]
    made = self.definitions.get(iterable) if isinstance(iterable, Value) else None
    written = self.made_for(op, source)
    if isinstance(made, Call) and isinstance(made.callee, Const) and written is not None:
        callee = made.callee.value
        if len(written.args) == len(made.args) and callee is not primitives.updating:
            args = [by_steps(self, *pair, op) for pair in zip(written.args, made.args, strict=True)]
            if self.surroundings.consumer(callee, tuple(map(type_of, args))) is not None:
                return self.typed_call(made.callee, args, dict(made.kwargs), ["items"], op.loc)[0]
    raise _unsupported(op.loc)


def _unsupported(loc: Location | None) -> Unsupported:
    return Unsupported(
        "a loop may change what the iterator that it reads has not come to yet, in a list or array "
        "that an object holds", loc, advice="make a list of the items, and read that",
    )
