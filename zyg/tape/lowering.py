"""From a tape to IR, which `ir.emit` prints as straight-line Python; and to a tape without what
nobody reads.

    Node #0 { input=2.0 }                           def program(x):
    Node #1 { op=sin input=[#0] }            ->         return np.sin(x) * x
    Node #2 { op=multiply input=[#1, #0] }
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ir import primitives
from ir.builder import Builder
from ir.core import Const, Function, Operand, Parameters, Value
from zyg.tape.assumptions import Assumption, expect
from zyg.tape.forms import Form, Slot
from zyg.tape.nodes import CONSTANT, INPUT
from zyg.tape.uniform import Uniform, as_operator
from zyg.tape.wengert import Tape

# A value that is read once, by one of the next calls, is printed in the place where it is read.
NEAR = 4


def live_nodes(tape: Tape) -> list[int]:
    """The nodes that inputs, outputs and assumptions need, in order."""
    live = bytearray(len(tape))
    for idx in [*tape.inputs, *tape.output_indices(), *(a.idx for a in tape.assumptions)]:
        live[idx] = True
    for idx in range(len(tape) - 1, -1, -1):
        if live[idx]:
            for parent in tape.calls[idx][1]:
                live[parent] = True
    return [idx for idx in range(len(tape)) if live[idx]]


def without_dead_nodes(tape: Tape) -> Tape:
    """The same program on a tape of its own, without nodes that nobody reads.

    >>> from zyg.tape import append_adjoint, trace
    >>> t = trace(lambda x: x * x, 3.0)
    >>> gradient = append_adjoint(t)
    >>> len(t), len(without_dead_nodes(t))
    (3, 2)
    """
    live = live_nodes(tape)
    new = {idx: position for position, idx in enumerate(live)}
    pruned = Tape()
    for idx in live:
        function, parents, form = tape.calls[idx]
        if function is CONSTANT or function is INPUT:
            pruned.calls.append(tape.calls[idx])
        else:
            pruned.calls.append((function, tuple([new[parent] for parent in parents]), form))
        pruned.values.append(tape.values[idx])
    pruned.inputs = [new[idx] for idx in tape.inputs]
    pruned.outputs = [new[idx] for idx in tape.output_indices()]
    pruned.names = list(tape.names)
    pruned.assumptions = [Assumption(new[a.idx], a.expected) for a in tape.assumptions]
    pruned.adjoints = [
        next((new[idx] for idx in live if idx >= start), len(live)) for start in tape.adjoints
    ]
    pruned.arguments, pruned.result = tape.arguments, tape.result
    return pruned


def to_function(tape: Tape, name: str = "program") -> Function:
    """The program as a function of its inputs, which returns the outputs.

    >>> import ir
    >>> from zyg.tape import trace
    >>> print(ir.emit(to_function(trace(lambda x, y: x * y + 1.0, 2.0, 3.0))))
    def program(x, y):
        return x * y + 1.0
    <BLANKLINE>
    """
    return _Lowering(tape).function(name)


class _Lowering:
    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.builder = Builder()
        self.uniform = Uniform(tape, self.builder)
        self.operands: dict[int, Operand] = {}
        self.params = [Value(name) for name in distinct(tape.names)]
        for idx, param in zip(tape.inputs, self.params, strict=True):
            self.operands[idx] = param

    def function(self, name: str) -> Function:
        tape, builder = self.tape, self.builder
        live = live_nodes(tape)
        near = self._read_nearby(live)
        assumed: dict[int, list[Any]] = {}
        for assumption in tape.assumptions:
            assumed.setdefault(assumption.idx, []).append(assumption.expected)
        for idx in live:
            self._lower(idx, "t" if idx in near else self._name(idx))
            for expected in assumed.get(idx, ()):
                builder.call(expect, self._operand_of(idx), Const(expected))
        outputs = [self._operand_of(idx) for idx in tape.output_indices()]
        if len(outputs) != 1:
            outputs = [builder.call(primitives.build_tuple, *outputs)]
        body = builder.block([], outputs)
        signature = Parameters(0, len(self.params), False, 0, False)
        return Function(name, self.params, [], body, None, signature)

    def _name(self, idx: int) -> str:
        """Numbers are called by their nodes; arrays share names, so that memory is free early."""
        return "a" if type(self.tape.values[idx]) is np.ndarray else f"t{idx}"

    def _lower(self, idx: int, name: str) -> None:
        """Appends the call of one node."""
        tape, uniform = self.tape, self.uniform
        function, parents, form = tape.calls[idx]
        if function is INPUT:
            return
        if function is CONSTANT:
            if not uniform.note_constant(idx):
                self.operands[idx] = Const(tape.values[idx])
            return
        if form is None:
            function = as_operator(tape, function, parents)
        if uniform.note_spread(idx, function, self.operands):
            return
        value = Value(name)
        numbers = uniform.numbers_for(idx, function)
        if numbers is not None:
            operands = [numbers.get(parent) or self.operands[parent] for parent in parents]
            self.builder.calls(function, operands, [value])
            if uniform.is_number(idx):
                uniform.note(idx, value)
                return
        else:
            args, kwargs = self._arguments(parents, form)
            self.builder.calls(function, args, [value], kwargs=kwargs)
        self.operands[idx] = value

    def _operand_of(self, idx: int) -> Operand:
        """The value of a node, spread over its shape if it was kept as a number."""
        if idx not in self.operands:
            spread = self.uniform.spread(idx)
            assert spread is not None
            self.operands[idx] = spread
        return self.operands[idx]

    def _read_nearby(self, live: list[int]) -> set[int]:
        """The nodes that are read once, soon after they were computed."""
        tape = self.tape
        uses: Counter[int] = Counter(a.idx for a in tape.assumptions)
        uses.update(tape.output_indices())
        near: set[int] = set()
        calls = [idx for idx in live if type(tape.calls[idx][0]) is not str]
        position = {idx: i for i, idx in enumerate(calls)}
        for i, idx in enumerate(calls):
            for parent in tape.calls[idx][1]:
                uses[parent] += 1
                if parent in position and i - position[parent] <= NEAR:
                    near.add(parent)
        outputs = tape.output_indices()
        return {idx for idx in near if uses[idx] == 1} | {i for i in outputs if uses[i] == 1}

    def _arguments(
        self, parents: tuple[int, ...], form: Form | None
    ) -> tuple[list[Operand], dict[str, Operand]]:
        operands = [self._operand_of(parent) for parent in parents]
        if form is None:
            return operands, {}
        args = [self._operand(part, operands) for part in form.args]
        return args, {name: self._operand(part, operands) for name, part in form.kwargs.items()}

    def _operand(self, part: Any, operands: list[Operand]) -> Operand:
        """An argument; a container is built of its items."""
        if type(part) is Slot:
            return operands[part.position]
        if type(part) is list:
            return self._built(primitives.build_list, part, operands)
        if type(part) is tuple:
            items = [self._operand(item, operands) for item in part]
            if all(isinstance(item, Const) for item in items):
                return Const(tuple(item.value for item in items if isinstance(item, Const)))
            return self.builder.call(primitives.build_tuple, *items)
        if isinstance(part, tuple):
            return self._built(type(part), list(part), operands)
        if type(part) is dict:
            pairs = [each for pair in part.items() for each in pair]
            return self._built(primitives.build_dict, pairs, operands)
        if type(part) is slice:
            return self._built(slice, [part.start, part.stop, part.step], operands)
        return Const(part)

    def _built(self, make: Any, items: list[Any], operands: list[Operand]) -> Operand:
        return self.builder.call(make, *[self._operand(item, operands) for item in items])


def distinct(names: list[str]) -> list[str]:
    """Names for parameters, each once."""
    taken: set[str] = set()
    result = []
    for name in names:
        unique, number = name, 0
        while unique in taken or not unique.isidentifier():
            number += 1
            unique = f"{name}_{number}" if name.isidentifier() else f"x{number}"
        taken.add(unique)
        result.append(unique)
    return result
