"""Iterators that are objects, in inference: loops over them ask for one item after the other.

    for x in generator:            while:
        total += x         ->          alive, x, _ = advance(generator)
                                       if alive: total += x; go on
                                       else: stop

What an iterator changes when it goes on is then a part of the loop's body, in its order.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Location,
    Op,
    Operand,
    Value,
    While,
    Yield,
    type_of,
)
from ir.forgettable import forgettable
from ir.generators import (
    Generator,
    advanced,
    iterated,
    memory_kept,
    sending,
    settled,
    started,
    throwing,
)
from ir.heap import contents_read, set_attribute
from ir.inference.case_by_case import by_cases
from ir.inference.special_calls import Folded, special, typed
from ir.memory.held_functions import may_be_memory
from ir.rewrite import Mapping
from ir.types import (
    BOTTOM,
    TOP,
    Bottom,
    Iterator,
    Scalar,
    Tuple,
    Type,
    Union,
    class_of,
    join_all,
    widen,
)

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls
    from ir.inference.typed_loops import TypedLoops


@special(advanced)
def _advanced(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None:
        return None
    exact = _exact_item(type_of(args[0]))
    if exact is not None:
        whole = Tuple((Scalar(bool), exact, TOP))
        return _parts(self, typed(self, advanced, args, ["t"], loc, whole)[0], names, loc)
    self.current_heap(loc)
    found = by_cases(self, advanced, args, names, loc)
    if found is not None:
        return found
    if isinstance(type_of(args[0]), Bottom) or class_of(type_of(args[0])) in _WITHOUT_STEPS:
        # Known when it is looked at again; or it fails.
        whole = Tuple((Scalar(bool), BOTTOM, BOTTOM))
        return _parts(self, typed(self, advanced, args, ["t"], loc, whole)[0], names, loc)
    step = self.surroundings.step_of(type_of(args[0]))
    if step is None:
        (step_value,) = self.unknown_call(Const(advanced), args, ["t"], loc)
        assert isinstance(step_value, Value)
        step_value.type = Tuple((Scalar(bool), TOP, TOP))
        return _parts(self, step_value, names, loc)
    if step.__code__.co_argcount == 1:  # nothing can be sent to an iterator of the user's class
        args = args[:1]
    return self.typed_call(Const(step), args, kwargs, names, loc)


# Which are no iterators: a variable may have held them, of which an iterator was made.
_WITHOUT_STEPS = (list, tuple, deque, dict, set, frozenset)


@special(memory_kept)
def _memory_kept(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None:
        return None
    if not may_be_memory(type_of(args[2])):
        return [Const(None)]
    return self.typed_call(Const(set_attribute), args, kwargs, names, loc)


def _parts(
    self: TypedCalls, whole: Operand, names: list[str], loc: Location | None
) -> list[Operand]:
    """The results of a call that gives one value."""
    if len(names) == 1:
        return [whole]
    count = Const(len(names))
    return self.typed_call(Const(primitives.unpack), [whole, count], {}, names, loc)


def consumed(
    self: TypedCalls, consumer: Any, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> list[Operand]:
    """Appends the call of a function that takes the items of an iterator one after the other."""
    name = names[0] if len(names) == 1 else "t"
    (whole,) = self.typed_call(Const(consumer), args, kwargs, [name], loc)
    if len(names) > 1 and isinstance(whole, Value) and not isinstance(whole.type, Tuple):
        whole.type = Tuple((TOP,) * len(names))  # as long as there are variables
    return _parts(self, whole, names, loc)


def consumed_by_cases(
    self: TypedCalls, callee: object, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The same of an iterator of one of several classes, in branches on which it is."""
    if kwargs or len(names) != 1 or not self.surroundings.is_apart():
        return None
    types_ = tuple(map(type_of, args))
    for i in self.surroundings.unsettled(callee, types_):
        if isinstance(types_[i], Union):
            cases = by_cases(self, callee, args, names, loc, i)
            if cases is not None:
                return cases
    return None


def settled_operands(
    self: TypedCalls, callee: object, args: list[Operand], loc: Location | None
) -> list[Operand]:
    """The operands of a call that takes all items, with lists of those that may be iterators."""
    types_ = tuple(map(type_of, args))
    for i in self.surroundings.unsettled(callee, types_):
        # No more are taken than it needs to see that there are too many.
        count = args[1] if callee is primitives.unpack else Const(None)
        args = list(args)
        (args[i],) = self.unknown_call(Const(settled), [args[i], count], ["items"], loc)
    return args


def _asked(name: str, callee: Any) -> None:
    @special(callee)
    def handler(
        self: TypedCalls,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> Folded:
        cls = class_of(type_of(args[0]))
        if self.places is None or (cls is not None and issubclass(cls, Generator)):
            return None
        if cls is None and not isinstance(type_of(args[0]), Bottom):
            step_value = self.unknown_call(Const(callee), args, ["t"], loc)[0]
            if isinstance(step_value, Value):
                step_value.type = Tuple((Scalar(bool), TOP, TOP))
            return _parts(self, step_value, names, loc)
        # A method of this name of something else: it gives what it gives.
        (method,) = self.typed_call(Const(getattr), [args[0], Const(name)], {}, ["t"], loc)
        (value,) = self.typed_call(method, args[1:], {}, ["t"], loc)
        parts = [Const(True), value, Const(primitives.UNBOUND)]
        if len(names) == len(parts):
            return parts
        return self.typed_call(Const(primitives.build_tuple), parts, {}, names, loc)


_asked("send", sending)
_asked("throw", throwing)


@special(next)
def _next(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    exact = _exact_item(type_of(args[0])) if args else None
    if exact is None:
        return _next_of_iterator(self, args, kwargs, names, loc)
    found = join_all((exact, *(widen(type_of(arg)) for arg in args[1:])))
    return typed(self, next, args, names, loc, found)


def _next_of_iterator(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """`next(zip(xs, ys))`: an iterator of Python's own goes on by steps from here on."""
    if self.places is None or not args or not isinstance(type_of(args[0]), Iterator):
        return None
    if is_started(self, args[0]):
        return None
    self.works_on_objects = True
    if self.heap is None:
        return None
    (iterator,) = self.typed_call(Const(iterated), args[:1], {}, ["items"], loc)
    return self.typed_call(Const(next), [iterator, *args[1:]], kwargs, names, loc)


def _exact_item(type_: Type) -> Type | None:
    """The type of the items of an iterator of Python's own, if these have no derivatives."""
    return type_.item if isinstance(type_, Iterator) and _is_exact(type_.item) else None


def _is_exact(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and issubclass(cls, int | str | bytes)


@special(iter)
def _iter(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or self.heap is None or len(args) != 1:
        return None
    if _is_exact(facts.item_of(type_of(args[0]))):
        return None
    return self.typed_call(Const(iterated), args, {}, names, loc)


@special(iterated)
def _iterated(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 1:
        return None
    type_ = type_of(args[0])
    if isinstance(type_, Bottom):
        return typed(self, iterated, args, names, loc, BOTTOM)
    cases = by_cases(self, iterated, args, names, loc)
    if cases is not None:
        return cases
    found = self._items_of_objects(None, args, loc)
    if found is not args and found != args:
        return found
    if self.surroundings.step_of(type_) is not None:
        self.current_heap(loc)
        return [args[0]]
    iterator = self.surroundings.iterator_class(type_, loc)
    if iterator is not None:
        return self.typed_call(Const(iterator), args, {}, names, loc)
    made = self.definitions.get(args[0]) if isinstance(args[0], Value) else None
    if isinstance(made, Call) and isinstance(made.callee, Const):
        over = self.surroundings.generator_over_view(made.callee.value)
        if over is not None:
            return self.typed_call(Const(over), made.args, {}, names, loc)
    if isinstance(type_, Iterator) or self.surroundings.may_step(type_):
        self.surroundings.unless_by_steps()
        return self.unknown_call(Const(started), args, names, loc)
    return None


def is_started(self: TypedCalls, operand: Operand) -> bool:
    """Whether an operand is an iterator of Python's own that goes on by steps."""
    made = self.definitions.get(operand) if isinstance(operand, Value) else None
    if not isinstance(made, Call) or not isinstance(made.callee, Const):
        return False
    if made.callee.value is contents_read:
        return is_started(self, made.args[1])
    is_updating = made.callee.value is primitives.updating
    callee = made.args[0] if is_updating else made.callee
    return isinstance(callee, Const) and callee.value is started


def loop_by_steps(
    self: TypedLoops, op: For, iterator: Operand, init: list[Operand], mapping: Mapping
) -> None:
    """Appends a loop over an iterator that is an object; `mapping` learns the results."""
    cls = class_of(type_of(iterator))
    closes = cls is not None and issubclass(cls, Generator) and cls.closes and (
        self.is_made_for(op)
    )
    first, *rest = in_steps(op, closes)
    mapping[first.results[0]] = iterator
    for made in rest:
        if isinstance(made, While):
            self._while(made, init, mapping)
        else:
            self.op(made, mapping)


@forgettable(maxsize=4096)
def in_steps(op: For, closes: bool) -> tuple[Op, ...]:
    """A loop as operations that ask its iterator for one item after the other.

    They are made once, so that inference and what it has cut (`ir.catching`) mean the same ones.
    """
    source = Value("items")
    body, exit, count = op.body, op.body.exit, len(op.carried)
    lists = op.results[count:]
    made: list[Op] = [Call(Const(iterated), [op.iterables[0]], {}, [source], op.loc)]
    made += [Call(Const(primitives.build_list), [], {}, [items], op.loc) for items in lists]
    carried, ops = list(op.carried), list(body.ops)
    if isinstance(exit, Yield):
        for items, value in zip(lists, exit.values[1 + count :], strict=True):
            ops.append(Call(Const(list.append), [items, value], {}, [Value("_")], op.loc))
        exit = Yield(exit.values[: 1 + count])
    alive, (item,) = Value("alive"), op.items
    results = [Value("stop"), *(Value(value.name) for value in carried)]
    going = If(
        alive, Block([], ops, exit), Block([], [], Yield([Const(True), *carried])), results, op.loc
    )
    step = Call(Const(advanced), [source], {}, [alive, item, Value("_")], op.loc)
    whole = Block(carried, [step, going], Yield(list(results)))
    made.append(While(op.init, whole, op.results[:count], op.loc))
    if closes:  # nobody else has it: Python closes it at once
        made.append(Call(Const(Generator.close), [source], {}, [Value("_")], op.loc))
    return tuple(made)
