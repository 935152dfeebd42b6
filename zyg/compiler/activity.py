"""Which values depend, differentiably, on which inputs of a function.

    def f(x, n):            y depends on {x}; the loop over range(n) makes nothing depend on n,
        for _ in range(n):  so no cotangent of n is ever computed
            y = y * x

The inputs are numbered: captured variables first, then parameters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir.core import (
    Block,
    Call,
    For,
    Function,
    If,
    Lambda,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    guarded,
)
from ir.types import (
    Bottom,
    Dict,
    Instance,
    Iterator,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Slice,
    Tuple,
    Type,
    Union,
)

Flow = frozenset[int]
NOTHING: Flow = frozenset()
CONSTANT_CLASSES = (bool, str, bytes, type(None), np.bool_, np.str_)
# Objects of these modules hold no numbers that derivatives flow through.
CONSTANT_MODULES = {
    *("enum", "pathlib", "datetime", "random", "re", "_io", "io", "logging"),
    *("numpy.random._generator", "numpy.random.mtrand"),
}

# The operands of a call whose derivatives its results, or exceptions it raises, depend on.
Sources = Callable[[Call], list[Operand]]


class Flows:
    """The inputs that each value of a typed function depends on."""

    def __init__(
        self, function: Function, sources: Sources, payload: Sources,
        stored: Sources | None = None,
    ) -> None:
        # Loops come to a call again, and each `Try` around it: what it says is the same.
        self._sources = _once(sources)
        self._payload = _once(payload)
        self._stored = None if stored is None else _once(stored)
        # What may be stored into objects, in a function that doesn't take the heap.
        self.stored: Flow = NOTHING
        self._flows: dict[Value, Flow] = {}
        # The exceptions that are handled around the operation at hand.
        self._handled: list[Value] = []
        for i, value in enumerate([*function.captured, *function.params]):
            self._flows[value] = frozenset([i]) if may_vary(value.type) else NOTHING
        self._block(function.body)
        exit = function.body.exit
        self.result = self.of(exit.values[0]) if isinstance(exit, Yield) else NOTHING

    def of(self, operand: Operand) -> Flow:
        return self._flows.get(operand, NOTHING) if isinstance(operand, Value) else NOTHING

    def _set(self, value: Value, flow: Flow) -> None:
        self._flows[value] = flow if may_vary(value.type) else NOTHING

    def _union(self, operands: list[Operand]) -> Flow:
        return NOTHING.union(*map(self.of, operands)) if operands else NOTHING

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        match op:
            case Call():
                flow = self._union(self._sources(op))
                if self._stored is not None:
                    self.stored |= self._union(self._stored(op))
                for value in op.results:
                    self._set(value, flow)
            case If() | Try():
                first, second = op.blocks
                self._block(first)
                if isinstance(op, Try):
                    # What is raised while another exception is handled leads to that.
                    self._set(op.error, self._raised(op) | self._union([*self._handled]))
                    self._handled.append(op.error)
                self._block(second)
                if isinstance(op, Try):
                    self._handled.pop()
                yields = [b.exit.values for b in op.blocks if isinstance(b.exit, Yield)]
                for i, value in enumerate(op.results):
                    self._set(value, self._union([values[i] for values in yields]))
            case For() | While():
                self._loop(op)
            case Lambda():
                held = [*op.captures, *op.defaults, *op.kwdefaults.values()]
                self._set(op.result, self._union(held))

    def _raised(self, op: Try) -> Flow:
        """What the exception that a handler gets may hold."""
        whole = Block([], guarded(op), op.body.exit)
        return self.raised_in(whole, bool(len(whole.ops) == len(op.body.ops)))

    def raised_in(self, block: Block, exits: bool = True) -> Flow:
        """The inputs that exceptions raised in a block, and not handled there, may hold."""
        flow = NOTHING
        for op in block.ops:
            match op:
                case Call():
                    flow |= self._union(self._payload(op))
                case Try():
                    rest = op.body.ops[len(guarded(op)) :]
                    flow |= self._raised(op) | self.raised_in(op.handler)
                    flow |= self.raised_in(Block([], rest, op.body.exit), bool(rest))
                case Lambda():
                    pass
                case _:
                    for inner in op.blocks:
                        flow |= self.raised_in(inner)
        if exits and isinstance(block.exit, Raise):
            operands = [block.exit.exception, block.exit.cause]
            flow |= self._union([operand for operand in operands if operand is not None])
        return flow

    def _loop(self, op: For | While) -> None:
        if isinstance(op, For):
            for item, iterable in zip(op.items, op.iterables, strict=True):
                self._set(item, self.of(iterable))
        for param, operand in zip(op.carried, op.init, strict=True):
            self._set(param, self.of(operand))
        while True:
            self._block(op.body)
            if not isinstance(op.body.exit, Yield):
                return
            before = [self.of(param) for param in op.carried]
            values = op.body.exit.values[1:]
            for param, flow, value in zip(op.carried, before, values, strict=False):
                self._set(param, flow | self.of(value))
            if before == [self.of(param) for param in op.carried]:
                break
        for i, result in enumerate(op.results):
            flow = self.of(values[i])
            self._set(result, flow | self.of(op.carried[i]) if i < len(op.init) else flow)


def _once(ask: Sources) -> Sources:
    """The same function, which is asked once for each call."""
    known: dict[Call, list[Operand]] = {}

    def answer(call: Call) -> list[Operand]:
        found = known.get(call)
        if found is None:
            found = known[call] = ask(call)
        return found

    return answer


def may_vary(type_: Type) -> bool:
    """Whether values of a type can carry a derivative."""
    match type_:
        case Bottom():
            return True  # nothing is known of what may be put into an empty list
        case Known(value):
            return isinstance(value, int | float | complex) and not isinstance(value, bool)
        case Scalar(cls):
            return cls not in CONSTANT_CLASSES
        case Tuple(items):
            return any(map(may_vary, items))
        case Sequence(cls, item):
            return cls is not range and may_vary(item)
        case Iterator(item=item):
            return may_vary(item)
        case Dict(items):
            return any(may_vary(item) for _, item in items)
        case Slice(start, stop, step):
            return any(not is_whole(bound) and may_vary(bound) for bound in (start, stop, step))
        case Mapping(item=item):
            return may_vary(item)
        case Union(members):
            return any(map(may_vary, members))
        case Instance(cls):
            return not any(base.__module__ in CONSTANT_MODULES for base in cls.__mro__)
        case _:
            dtype = getattr(type_, "dtype", None)
            return dtype is None or dtype.kind != "b"


def is_varied(flows: Flows, operand: Operand, active: Flow) -> bool:
    return not flows.of(operand).isdisjoint(active)


def is_whole(bound: Type) -> bool:
    """Whether a bound of a slice is an index, and so no number that a derivative goes through."""
    match bound:
        case Known(value):
            return isinstance(value, int)
        case Scalar(cls):
            return issubclass(cls, int | np.integer)
        case _:
            return False
