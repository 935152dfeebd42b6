"""Typed copies of loops: run again until the types that they carry cover what the body yields."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

from ir import facts, primitives, try_primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Location,
    Op,
    Operand,
    Value,
    While,
    Yield,
    operands_of,
    type_of,
)
from ir.errors import NamesUnknown, NeedsHeap, Unsupported
from ir.generators import started, walked
from ir.heap import is_heap
from ir.inference.typed_branches import TypedBranches
from ir.late import late
from ir.memory.loop_memory import LoopMemory
from ir.memory.memory_facts import ITEMS, VALUES, has_positions
from ir.memory.place_state import ItemChanged, check_call
from ir.rewrite import Mapping, count_uses, walk
from ir.types import BOTTOM, TOP, Iterator, Known, Scalar, Sequence, Tuple, join, widen

if TYPE_CHECKING:
    from ir.inference import steps
    from ir.memory import held_walks
else:
    held_walks, steps = late("ir.memory.held_walks"), late("ir.inference.steps")

MAX_ROUNDS = 8


def _is_strict_zip(op: Op | None) -> TypeGuard[Call]:
    """Whether an operation is a call of `zip` whose arguments have to be of one length."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or op.callee.value is not zip:
        return False
    strict = op.kwargs.get("strict")
    return op.kwargs.keys() == {"strict"} and isinstance(strict, Const) and strict.value is True


def is_plain_zip(op: Op | None) -> TypeGuard[Call]:
    """Whether an operation is a call of `zip` that ends with the shortest of its arguments."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or op.callee.value is not zip:
        return False
    strict = op.kwargs.get("strict", Const(False))
    return bool(op.args) and isinstance(strict, Const) and strict.value is False


def _values_beside(source: Call) -> Callable[..., Any] | None:
    """For a call of the method `items` of a dict, the method that gives the values alone."""
    callee = source.callee.value if isinstance(source.callee, Const) else None
    found = (values for items, values in zip(ITEMS, VALUES, strict=True) if callee is items)
    return next(found, None) if len(source.args) == 1 else None


def _put_together(apart: list[Any], parts: list[Value], item: Value) -> list[Op]:
    """What makes an item of the next parts, by how they stand in it."""
    ops: list[Op] = []
    operands: list[Operand] = []
    for inner in apart:
        if inner is None:
            operands.append(parts.pop(0))
        else:
            pair = Value("t")
            operands.append(pair)
            ops += _put_together(inner, parts, pair)
    return [*ops, Call(Const(primitives.build_tuple), operands, {}, [item])]


def _names_of_parts(body: Block, item: Value, apart: list[Any]) -> list[str]:
    """The names that a body gives the parts of an item, if it takes that apart first."""
    taken = next((op for op in body.ops if item in operands_of(op)), None)
    values = [item for _ in apart]
    if isinstance(taken, Call) and isinstance(taken.callee, Const):
        if taken.callee.value is primitives.unpack and len(taken.results) == len(apart):
            values = taken.results
    names = []
    for value, inner in zip(values, apart, strict=True):
        names += [value.name] if inner is None else _names_of_parts(body, value, inner)
    return names


class TypedLoops(TypedBranches):
    """Copies loops; a loop over a few known items is written out."""

    def _for(
        self, op: For, iterables: list[Operand], init: list[Operand], mapping: Mapping
    ) -> None:
        if len(iterables) == 1 and type_of(iterables[0]) in (Known(()), Tuple(())):
            self._without_items(op, init, mapping)
            return
        if not op.backwards:
            iterator = self._stepping(iterables, op.loc)
            if iterator is not None:
                steps.loop_by_steps(self, op, iterator, init, mapping)
                return
        whole = iterables
        iterables, apart = self._apart(op, iterables)
        items = [facts.item_of(type_of(iterable)) for iterable in iterables]
        names = [value.name for value in op.items]
        if apart is not None:
            names = _names_of_parts(op.body, op.items[0], apart)

        def params() -> list[Value]:
            return [Value(name, item) for name, item in zip(names, items, strict=True)]

        body = op.body
        if apart is not None:
            # `for a, b in zip(x, y)`: the pair is made, to be taken apart again at once.
            parts = [Value(name) for name in names]
            made = _put_together(apart, list(parts), op.items[0])
            body = Block([*parts, *op.carried], [*made, *op.body.ops], op.body.exit)
        outer, state = self.ops, self.places.state.copy() if self.places is not None else None
        definitions, methods = dict(self.definitions), dict(self.methods)
        given = list(init)
        tried: dict[Value, int] = {}

        def restore() -> None:
            assert self.places is not None and state is not None
            self.ops, self.places.state = outer, state
            self.definitions, self.methods = definitions, methods

        def items_of_try() -> list[Value]:
            made = params()
            tried.update((value, i) for i, value in enumerate(made))
            return made

        try:
            new_body, results = self._loop(op, body, items_of_try, init, mapping, iterables)
            if self.places is not None and state is not None:
                position = self.places.changed_iterable(iterables, state, op.loc)
                if position is not None:
                    raise ItemChanged(new_body.params[position])
        except ItemChanged as change:
            position = tried.get(change.item)
            if position is None or self.places is None or op.backwards:
                raise
            restore()
            source = self.definitions.get(whole[0]) if isinstance(whole[0], Value) else None
            if apart is not None and isinstance(source, Call) and _values_beside(source):
                # What has keys is not read by positions: the pairs were taken apart in vain.
                self.ops.append(source)
                body, iterables, position = op.body, list(whole), 0
            body = Block(list(body.params), list(body.ops), body.exit)
            self._by_position(body, position, iterables, op)
            again = For(iterables, given, body, op.results, False, op.loc)
            self._for(again, iterables, given, mapping)
            return
        if any(is_heap(param) for param in new_body.params):
            if self._may_change_ahead(op, iterables) and held_walks.changes_memory(self, new_body):
                restore()
                self._walk_held(op, body, iterables, whole, given, mapping)
                return
            self._check_interleaved(iterables, op.loc)
            self._check_given(iterables, new_body, op.loc)
        self._define(For(iterables, init, new_body, results, op.backwards, op.loc))
        if self.places is not None:
            for iterable in iterables:
                self.places.iterated(iterable, op.loc)

    def _without_items(self, op: For, init: list[Operand], mapping: Mapping) -> None:
        """A loop over nothing: what it carries is as before, and what it collects is empty."""
        mapping.update(zip(op.results, init, strict=False))
        for collected in op.results[len(init) :]:
            (mapping[collected],) = self.typed_call(
                Const(primitives.build_list), [], {}, [collected.name], op.loc
            )

    def _may_change_ahead(self, op: For, iterables: list[Operand]) -> bool:
        """Whether objects may hold what a loop walks over; a list made for it is nobody else's."""
        if self.places is None or not self.places.held.is_watching:
            return False
        made = self.made_for(op, op.iterables[0]) if len(iterables) == 1 else None
        if made is not None and isinstance(made.callee, Const):
            if made.callee.value is primitives.build_list:
                return False
        return any(held_walks.is_walked_ahead(self, iterable) for iterable in iterables)

    def _stepping(self, iterables: list[Operand], loc: Location | None) -> Operand | None:
        """The iterator of a loop that goes on by steps; None for other loops."""
        if self.places is None or len(iterables) != 1:
            return None
        type_ = type_of(iterables[0])
        if self.surroundings.step_of(type_) is not None:
            self.current_heap(loc)
            return iterables[0]
        if self.heap is None:
            return None
        if steps.is_started(self, iterables[0]):
            return iterables[0]
        if not self.surroundings.may_step(type_):
            return None
        (iterator,) = self.unknown_call(Const(started), iterables, ["items"], loc)
        return iterator

    def _check_given(
        self, iterables: list[Operand], body: Block, loc: Location | None
    ) -> None:
        """Has the run time see to it that unknown calls gave nothing that objects hold, to a loop
        that may change it."""
        if self.places is None or not self.places.held.is_watching or not self.is_of_user:
            return
        unknown = [
            source for iterable in iterables
            for source in held_walks.unknown_sources(self, iterable)
        ]
        if unknown and held_walks.changes_memory(self, body):
            check = self.surroundings.unless_walking_held
            self.ops += [check_call(check, [source], loc) for source in unknown]
            for i, iterable in enumerate(iterables):
                if type_of(iterable) == TOP:
                    # As it is: what is read behind the loop is in its place.
                    (iterables[i],) = self._append(Const(walked), [iterable], {}, ["t"], loc)

    def _walk_held(
        self, op: For, body: Block, iterables: list[Operand], whole: list[Operand],
        init: list[Operand], mapping: Mapping,
    ) -> None:
        """Appends a loop whose body may change what it has not come to yet; `whole` are its
        iterables before a `zip` was taken apart."""
        sources = op.iterables
        if len(iterables) != len(sources):  # a `zip`, whose parts are iterated over
            made = self.made_for(op, sources[0])
            is_same = made is not None and len(made.args) == len(iterables)
            sources = made.args if made is not None and is_same else iterables
        again = held_walks.by_positions(self, op, iterables, sources, body)
        if again is not None:
            self._for(again, again.iterables, init, mapping)
            return
        (source,), (iterable,) = op.iterables, whole
        iterator = held_walks.by_steps(self, source, iterable, op)
        steps.loop_by_steps(self, op, iterator, init, mapping)

    def made_for(self, op: For, value: Operand) -> Call | None:
        """The call that makes a value before a loop, if nobody else reads it."""
        if not isinstance(value, Value):
            return None
        for block in (self._source, self._whole_source):
            made = None if block is None else next(
                (other for other in walk(block) if value in other.results), None
            )
            if block is not None and isinstance(made, Call):
                callee = made.callee.value if isinstance(made.callee, Const) else None
                # What is attempted is asked for its failure, too.
                is_attempted = callee is try_primitives.attempted
                if count_uses(block)[value] != (2 if is_attempted else 1):
                    return None
                return self.made_for(op, made.args[0]) if is_attempted else made
        return None

    def _check_interleaved(self, iterables: list[Operand], loc: Location | None) -> None:
        """Refuses a loop that changes objects in turns with the functions of its iterator."""
        for iterable in iterables:
            made = self.definitions.get(iterable) if isinstance(iterable, Value) else None
            if not isinstance(made, Call) or not isinstance(type_of(iterable), Iterator):
                continue
            if isinstance(made.callee, Const) and made.callee.value is primitives.updating:
                raise Unsupported(
                    "a loop that changes objects reads an iterator which calls functions that may "
                    "work on objects, too", loc, advice="make a list of its items, and read that",
                )
            self._check_interleaved(made.args, loc)

    def _by_position(
        self, body: Block, position: int, iterables: list[Operand], op: For
    ) -> None:
        """Lets a loop over a sequence walk over positions, and read the items in its body."""
        sequence, item = iterables[position], body.params[position]
        enumerated = self._enumerated(sequence)
        made = self.definitions.get(sequence) if isinstance(sequence, Value) else None
        if enumerated is not None:
            # `for i, x in enumerate(xs)`: the pair is made, to be taken apart again at once.
            index, part, sequences = Value("i"), Value("t"), self._zipped(enumerated)
            reads: list[Op]
            if sequences is None:
                reads = [Call(Const(operator.getitem), [enumerated, index], {}, [part])]
                length = self.call(len, enumerated)
            else:
                self._check_lengths(enumerated)
                reads, length = self._read_of_each(sequences, index, part)
            pair = Call(Const(primitives.build_tuple), [index, part], {}, [item])
            iterables[position] = self.call(range, length)
            body.params[position] = index
            body.ops[:0] = [*reads, pair]
            if len(op.iterables) == 1 and self.is_made_for(op) and made in self.ops:
                self.ops.remove(made)
            return
        if isinstance(made, Call) and self._by_key(body, made, position, iterables):
            return
        sequences = self._zipped(sequence)
        if sequences is not None:  # with `strict`: others are several iterables
            index = Value("i")
            self._check_lengths(sequence)
            reads, length = self._read_of_each(sequences, index, item)
            iterables[position] = self.call(range, length)
            body.params[position] = index
            body.ops[:0] = reads
            return
        if not has_positions(type_of(sequence)):
            # With the heap, the items may be those of an iterator that goes on by steps.
            refuse = NeedsHeap if self.works_on_objects and self.heap is None else Unsupported
            raise refuse(
                "a loop changes in place what it iterates over", op.loc,
                advice="iterate over the positions, or over a list of the items",
            )
        length = self.call(len, sequence)
        iterables[position] = self.call(range, length)
        index = Value("i")
        body.params[position] = index
        read = Call(Const(operator.getitem), [sequence, index], {}, [item])
        body.ops.insert(0, read)

    def _by_key(
        self, body: Block, made: Call, position: int, iterables: list[Operand]
    ) -> bool:
        """Lets a loop over the values of a mapping, or over its items, walk over the keys."""
        callee = made.callee.value if isinstance(made.callee, Const) else None
        if callee not in (*VALUES, *ITEMS):
            return False
        mapping, item = made.args[0], body.params[position]
        key, value = Value("key"), item if callee in VALUES else Value("t")
        iterables[position] = mapping
        body.params[position] = key
        body.ops.insert(0, Call(Const(operator.getitem), [mapping, key], {}, [value]))
        if callee in ITEMS:
            body.ops.insert(1, Call(Const(primitives.build_tuple), [key, value], {}, [item]))
        return True

    def _enumerated(self, iterable: Operand) -> Operand | None:
        """What `enumerate` counts, if it has positions and the count starts with zero."""
        op = self.definitions.get(iterable) if isinstance(iterable, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is enumerate:
            if len(op.args) == 1 and not op.kwargs:
                (whole,) = op.args
                if has_positions(type_of(whole)) or self._zipped(whole) is not None:
                    return whole
        return None

    def _read_of_each(
        self, sequences: list[Operand], index: Value, item: Value
    ) -> tuple[list[Op], Operand]:
        """What reads an item of what `zip` gives, and how many there are."""
        parts = [Value("t") for _ in sequences]
        reads: list[Op] = [
            Call(Const(operator.getitem), [one, index], {}, [of_one])
            for one, of_one in zip(sequences, parts, strict=True)
        ]
        reads.append(Call(Const(primitives.build_tuple), [*parts], {}, [item]))
        lengths = [self.call(len, one) for one in sequences]
        return reads, lengths[0] if len(lengths) == 1 else self.call(min, *lengths)

    def _zipped(self, iterable: Operand) -> list[Operand] | None:
        """What `zip` puts side by side, if all of it has positions."""
        op = self.definitions.get(iterable) if isinstance(iterable, Value) else None
        if not is_plain_zip(op) and not _is_strict_zip(op):
            return None
        are_read = op.args and all(has_positions(type_of(arg)) for arg in op.args)
        return op.args if are_read else None

    def _check_lengths(self, iterable: Operand) -> None:
        """Has what a `zip` with `strict` would find at its end be found before."""
        op = self.definitions.get(iterable) if isinstance(iterable, Value) else None
        if _is_strict_zip(op):
            self.call(primitives.check_lengths, *op.args)

    def _apart(
        self, op: For, iterables: list[Operand]
    ) -> tuple[list[Operand], list[Any] | None]:
        """Iterates over the parts of a `zip` or `enumerate` themselves; and how these make an item:
        `[None, [None, None]]` for a pair of one and another pair."""
        if len(iterables) != 1 or op.backwards or not isinstance(iterables[0], Value):
            return iterables, None
        source = self.definitions.get(iterables[0])
        if not isinstance(source, Call) or source not in self.ops or not self.is_made_for(op):
            return iterables, None
        if is_plain_zip(source):
            self.ops.remove(source)
            return list(source.args), [None for _ in source.args]
        if self.heap is None and isinstance(source.callee, Const) and (
            source.callee.value is enumerate
        ):
            return self._counted(op, source) or (iterables, None)
        method = _values_beside(source) if self.heap is None else None
        if method is not None and isinstance(source.args[0], Value):
            self.ops.remove(source)
            values = self.call(method, source.args[0], name="values", loc=source.loc)
            return [source.args[0], values], [None, None]
        return iterables, None

    def _counted(self, op: For, source: Call) -> tuple[list[Operand], list[Any]] | None:
        """Numbers beside what `enumerate` counts, if that has positions. A range would end before
        a list that grows unseen."""
        counted = source.args[0] if source.args else None
        start = source.args[1] if len(source.args) == 2 else source.kwargs.get("start", Const(0))
        if counted is None or widen(type_of(start)) != Scalar(int):
            return None
        sequences, item = [counted], None
        if not has_positions(type_of(counted)):
            zipped = self.definitions.get(counted) if isinstance(counted, Value) else None
            made = self.made_for(op, op.iterables[0])
            is_only_here = made is not None and self.made_for(op, made.args[0]) is not None
            if not is_plain_zip(zipped) or zipped not in self.ops or not is_only_here:
                return None
            if self._zipped(counted) is None:
                return None
            sequences, item = list(zipped.args), [None for _ in zipped.args]
            self.ops.remove(zipped)
        self.ops.remove(source)
        numbers = self.call(primitives.numbers_from, start, loc=source.loc)
        return [numbers, *sequences], [None, item]

    def is_made_for(self, op: For) -> bool:
        """Whether an iterator is made just before the loop, and nobody else reads it."""
        made, block = op.iterables[0], self._source
        assert block is not None and isinstance(made, Value)
        is_near = any(made in other.results for other in block.ops)
        return is_near and count_uses(block)[made] == 1

    def _while(self, op: While, init: list[Operand], mapping: Mapping) -> None:
        body, results = self._loop(op, op.body, list, init, mapping, [])
        self._define(While(init, body, results, op.loc))

    def _loop(
        self,
        op: For | While,
        body: Block,
        make_items: Callable[[], list[Value]],
        init: list[Operand],
        mapping: Mapping,
        iterables: list[Operand],
    ) -> tuple[Block, list[Value]]:
        carried = op.carried
        types = [widen(type_of(operand)) for operand in init]
        memory = LoopMemory(self.places, init) if self.places is not None else None
        for round_number in range(MAX_ROUNDS):
            new_carried = [Value(v.name, t) for v, t in zip(carried, types, strict=True)]
            state = dict(self.definitions), dict(self.methods)
            items = make_items()
            if memory is not None:
                memory.enter(items, iterables, new_carried)
            whole, self._whole_source = self._whole_source, body
            new_body = self.inner_block(body, [*items, *new_carried], mapping)
            self._whole_source = whole
            exit = new_body.exit
            yields = exit.values if isinstance(exit, Yield) else None
            if self.places is not None and yields is not None:
                self.places.collect(yields[1 + len(carried) :])
            is_settled = memory is None or memory.is_settled(new_body, new_carried, op.loc)
            found = types if yields is None else [
                join(t, widen(type_of(value)))
                for t, value in zip(types, yields[1:], strict=False)
            ]
            if found == types and is_settled:
                break
            types = [TOP] * len(types) if round_number == MAX_ROUNDS - 2 else found
            self.definitions, self.methods = state
        else:
            raise NamesUnknown(
                "a loop changes something in place that has other names in each iteration", op.loc,
                advice="change a copy, or use one name for it",
            )
        results = [Value(r.name, t) for r, t in zip(op.results, types, strict=False)]
        for i, result in enumerate(op.results[len(carried) :], start=1 + len(carried)):
            item = BOTTOM if yields is None else widen(type_of(yields[i]))
            results.append(Value(result.name, Sequence(list, item)))
        mapping.update(zip(op.results, results, strict=True))
        if memory is not None:
            collected = [] if yields is None else yields[1 + len(carried) : 1 + len(op.results)]
            memory.leave(new_body, init, results, len(carried), list(collected))
        return new_body, results
