"""One list of tuples in the place of lists that one loop collects and its reversal walks over.

    for i in r:                              for i in r:
        xs.append(x)                             records.append((x, y))
        ys.append(y)                  ->     ...
    ...                                      for x, y in reversed(records):
    for x, y in zip(reversed(xs), reversed(ys)):

Items of a list that the loop walks over join what it collects, if there is something to join.

A loop inside of another one hands its lists to that, which collects them in turn: then the list of
tuples takes the way that the lists took.
"""

from __future__ import annotations

from collections import Counter

from ir import primitives
from ir.core import Block, Call, Const, For, Loop, Operand, Value, While, Yield, type_of
from ir.rewrite import count_uses, walk
from ir.types import Sequence, Tuple


def pack_records(forward: Block, adjoint: Block, saved: list[Value]) -> list[Value]:
    """Packs records in place; gives what is saved now."""
    packing = _Packing(forward, adjoint, saved)
    # Loops inside of a loop come behind it in the program, and first here.
    for loop in reversed(list(packing.reversals)):
        packing.pack_in(loop)
    return packing.saved


class _Packing:
    def __init__(self, forward: Block, adjoint: Block, saved: list[Value]) -> None:
        self.saved = saved
        # The loops that collect a list.
        self._collectors: dict[Value, For | While] = {
            value: op for op in walk(forward) if isinstance(op, Loop)
            for value in op.results[len(op.init) :]
        }
        self.reversals = [op for op in walk(adjoint) if isinstance(op, For) and op.backwards]
        self._walked = {item: loop for loop in self.reversals for item in loop.items}
        self._uses = count_uses(adjoint)
        self._forward_uses: Counter[Value] = count_uses(forward)

    def pack_in(self, loop: For) -> None:
        """Packs what a loop of the adjoint walks over, where one loop has collected it."""
        groups: dict[tuple[For | While, For | None], list[Value]] = {}
        for iterable in loop.iterables:
            source = self._source(iterable)
            if source is None or self._collectors[source] is loop:
                continue
            assert isinstance(iterable, Value)
            outer = self._walked.get(iterable)
            groups.setdefault((self._collectors[source], outer), []).append(iterable)
        for (collector, outer), lists in groups.items():
            if len(lists) > 1:
                if outer is None and isinstance(collector, For):
                    lists += self._items_of(collector, loop)
                self._pack(collector, loop, lists)

    def _items_of(self, collector: For, loop: For) -> list[Value]:
        """Lets a loop collect the items of a list that it walks over, where it has a record anyway:
        its reversal then walks over the records alone."""
        exit = collector.body.exit
        assert isinstance(exit, Yield)
        found: list[Value] = []
        for position, iterable in enumerate(loop.iterables):
            type_ = type_of(iterable)
            if not isinstance(iterable, Value) or iterable not in collector.iterables or (
                not isinstance(type_, Sequence) or type_.cls not in (list, tuple)
            ):
                continue
            item = collector.items[collector.iterables.index(iterable)]
            items = Value("items", Sequence(list, item.type))
            exit.values.append(item)
            collector.results.append(items)
            loop.iterables[position] = items
            if self._uses[iterable] == 1:
                self.saved = [value for value in self.saved if value is not iterable]
            self._collectors[items] = collector
            self._uses[items] = self._forward_uses[items] = 1
            found.append(items)
        return found

    def _source(self, iterable: Operand) -> Value | None:
        """The list of the loop that has collected it, which nothing else reads."""
        if not isinstance(iterable, Value) or self._uses[iterable] != 1:
            return None
        if iterable in self._collectors:
            # Handed out of the forward pass, or read right here, where both are one.
            return iterable if self._forward_uses[iterable] == 1 else None
        loop = self._walked.get(iterable)
        if loop is None:
            return None
        outer = self._source(loop.iterables[loop.items.index(iterable)])
        if outer is None:
            return None
        collected = _yielded(self._collectors[outer], outer)
        if not isinstance(collected, Value) or self._forward_uses[collected] != 1:
            return None
        return collected if collected in self._collectors else None

    def _pack(self, collector: For | While, loop: For, lists: list[Value]) -> None:
        sources = [source for source in map(self._source, lists) if source is not None]
        values = [_yielded(collector, source) for source in sources]
        types = tuple(map(type_of, values))
        record = Value("t", Tuple(types))
        collector.body.ops.append(Call(Const(primitives.build_tuple), values, {}, [record]))
        records = Value("records", Sequence(list, record.type))
        item = Value("t", record.type)
        items = [loop.items[loop.iterables.index(iterable)] for iterable in lists]
        loop.body.ops.insert(
            0, Call(Const(primitives.unpack), [item, Const(len(items))], {}, items)
        )
        iterable = self._handed_on(lists, records)
        self._replace_collected(collector, sources, record, records)
        _replace_walked(loop, lists, iterable, item)
        self._walked[item] = loop

    def _handed_on(self, lists: list[Value], records: Value) -> Value:
        """What a loop of the adjoint walks over in the place of lists that `records` replace."""
        if lists[0] in self._collectors:
            gone = set(lists)
            if any(value in gone for value in self.saved):
                self.saved = [value for value in self.saved if value not in gone] + [records]
            return records
        loop = self._walked[lists[0]]
        outer = [loop.iterables[loop.items.index(value)] for value in lists]
        sources = [source for source in map(self._source, outer) if source is not None]
        collector = self._collectors[sources[0]]
        whole = Value("records", Sequence(list, records.type))
        iterable = self._handed_on([v for v in outer if isinstance(v, Value)], whole)
        self._replace_collected(collector, sources, records, whole)
        item = Value("records", records.type)
        _replace_walked(loop, outer, iterable, item)
        self._walked[item] = loop
        return item

    def _replace_collected(
        self, loop: For | While, lists: list[Value], value: Value, records: Value
    ) -> None:
        """Lets a loop collect one value in the place of several."""
        exit = loop.body.exit
        assert isinstance(exit, Yield)
        kept = [i for i, result in enumerate(loop.results) if result not in lists]
        exit.values = [exit.values[0], *(exit.values[1 + i] for i in kept), value]
        loop.results = [*(loop.results[i] for i in kept), records]
        for gone in lists:
            del self._collectors[gone]
        self._collectors[records] = loop
        for made in (value, records):
            self._uses[made] = self._forward_uses[made] = 1


def _yielded(loop: For | While, collected: Value) -> Operand:
    """What a loop collects in a list, as its body has it."""
    exit = loop.body.exit
    assert isinstance(exit, Yield)
    return exit.values[1 + loop.results.index(collected)]


def _replace_walked(loop: For, lists: list[Operand] | list[Value], new: Value, item: Value) -> None:
    """Lets a loop walk over one list in the place of several."""
    rest = [i for i, iterable in enumerate(loop.iterables) if iterable not in lists]
    carried = loop.body.params[len(loop.iterables) :]
    loop.body.params = [item, *(loop.body.params[i] for i in rest), *carried]
    loop.iterables = [new, *(loop.iterables[i] for i in rest)]
