"""Running a recorded program again, with other inputs of the same shapes.

    t = trace(f, 2.0)       replay(t, 3.0) == f(3.0)

The tape is printed as a straight-line function once, and that function is called. What the tape
takes for granted is checked: `TapeMismatch` where `f` would do something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ir
from zyg.tape.assumptions import TapeMismatch, expect, kind_of
from zyg.tape.forms import Slot
from zyg.tape.lowering import live_nodes, to_function
from zyg.tape.nodes import CONSTANT, INPUT
from zyg.tape.recording import applied
from zyg.tape.structures import filled, paired
from zyg.tape.wengert import Tape

# Python takes long to compile functions of more operations than this: they are interpreted.
LONGEST_FUNCTION = 5000


def replay(tape: Tape, *xs: Any) -> Any:
    """What the program gives for other arguments: its value, or the gradients in a tuple if
    `append_adjoint` was called.

    >>> from zyg.tape import append_adjoint, trace
    >>> t = trace(lambda x, y: x * x * y, 2.0, 3.0)
    >>> replay(t, 3.0, 5.0)
    45.0
    >>> gradients = append_adjoint(t)
    >>> replay(t, 3.0, 5.0)
    (30.0, 9.0)
    """
    program: Program | None = tape.program
    if program is None or not program.is_of(tape):
        program = tape.program = Program(tape)
    return program(*xs)


class Program:
    """A tape, as it is now, as a function of the arguments of `trace`, or of its inputs."""

    def __init__(self, tape: Tape) -> None:
        outputs = tape.output_indices()
        self._state = len(tape.values), len(tape.assumptions)
        self._outputs = tape.outputs
        self._structure = tape.arguments
        self._result = in_order(outputs) if tape.result is None else tape.result
        self._inputs = [tape.values[idx] for idx in tape.inputs]
        # Arguments that are inputs as they stand need no conversion if they are of these kinds.
        is_flat = self._structure is None or all(type(x) is Slot for x in self._structure)
        self._classes = tuple(map(type, self._inputs)) if is_flat else None
        self._arrays = [
            (i, x.shape, x.dtype) for i, x in enumerate(self._inputs) if type(x) is np.ndarray
        ]
        # Results that are arrays may be memory of arguments, constants or one another.
        self._found = [i for i, idx in enumerate(outputs) if type(tape.values[idx]) is np.ndarray]
        self._shared = {
            i for i, idx in enumerate(outputs)
            if idx in tape.inputs or tape.is_constant(idx) or outputs.index(idx) != i
        }  # fmt: skip
        is_long = len(tape) > LONGEST_FUNCTION
        function: Callable[..., Any]
        function = interpreted(tape) if is_long else ir.load(to_function(tape))
        self._function: Callable[..., tuple[Any, ...]]
        self._direct: Callable[..., Any]
        if len(outputs) == 1 and not is_long:
            self._function = lambda *xs: (function(*xs),)
        else:
            self._function = function
        # What the function gives, as it is: numbers, one or a tuple of several.
        if not self._found and not is_long and self._result == in_order(outputs):
            self._direct = function
        elif not self._found and self._result == (Slot(0),):
            self._direct = self._function
        else:
            self._direct = self._arranged

    def is_of(self, tape: Tape) -> bool:
        """Whether the tape is still what it was."""
        values, assumptions = self._state
        return (
            len(tape.values) == values
            and len(tape.assumptions) == assumptions
            and tape.outputs is self._outputs
        )

    def __call__(self, *xs: Any) -> Any:
        if tuple(map(type, xs)) != self._classes:
            return self._direct(*self._converted(xs))
        for i, shape, dtype in self._arrays:
            if xs[i].shape != shape or xs[i].dtype != dtype:
                return self._direct(*self._converted(xs))
        return self._direct(*xs)

    def _arranged(self, *xs: Any) -> Any:
        """The outputs in the structure of the result, arrays in memory of their own."""
        outputs = list(self._function(*xs))
        for i in self._found:
            if i in self._shared or outputs[i].base is not None:
                outputs[i] = outputs[i].copy()
        return filled(self._result, outputs)

    def _converted(self, xs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs that arguments hold, of the types of those that were recorded."""
        found: dict[int, Any] = {}
        structure = self._structure
        if structure is None:
            found = dict(enumerate(xs))
        elif len(xs) != len(structure) or not paired(structure, xs, found):
            raise TapeMismatch(
                "the program was recorded with other arguments: their number, what they are made "
                "of, flags, texts and functions are fixed"
            )
        if len(found) != len(self._inputs):
            raise TapeMismatch(f"{len(found)} values for {len(self._inputs)} inputs")
        return tuple([like(found[i], then) for i, then in enumerate(self._inputs)])


def in_order(outputs: list[int]) -> Any:
    """The outputs of a tape as its result: one, or a tuple of several."""
    return Slot(0) if len(outputs) == 1 else tuple(map(Slot, range(len(outputs))))


def like(x: Any, recorded: Any) -> Any:
    """An argument as a value of the type of the input that it stands for.

    A program may ask for types: only a float of NumPy's stands for one of Python's.
    """
    cls = type(recorded)
    if cls is float and type(x) is np.float64:
        return float(x)
    if type(x) is not cls:
        raise TapeMismatch(
            f"a {type(x).__name__} was given where the program was recorded with a {cls.__name__}"
        )
    if cls is np.ndarray and (x.shape, x.dtype) != (recorded.shape, recorded.dtype):
        raise TapeMismatch(
            f"an array {kind_of(x)} was given where the program was recorded with one of "
            f"{kind_of(recorded)}"
        )
    return x


def interpreted(tape: Tape) -> Callable[..., Any]:
    """The program, run node by node."""
    live = [idx for idx in live_nodes(tape) if tape.calls[idx][0] not in (CONSTANT, INPUT)]
    assumed: dict[int, list[Any]] = {}
    for assumption in tape.assumptions:
        assumed.setdefault(assumption.idx, []).append(assumption.expected)
    steps = [(idx, *tape.calls[idx], assumed.get(idx, ())) for idx in live]
    constants = {idx: tape.values[idx] for idx in live_nodes(tape) if tape.is_constant(idx)}
    inputs, outputs = list(tape.inputs), list(tape.output_indices())
    at_inputs = [(idx, expected) for idx in inputs for expected in assumed.get(idx, ())]

    def run(*xs: Any) -> tuple[Any, ...]:
        values: dict[int, Any] = dict(constants)
        values.update(zip(inputs, xs, strict=True))
        for idx, expected in at_inputs:
            expect(values[idx], expected)
        for idx, function, parents, form, assumptions in steps:
            operands = [values[parent] for parent in parents]
            args, kwargs = (operands, {}) if form is None else form.filled(operands)
            values[idx] = applied(function, args, kwargs)
            for expected in assumptions:
                expect(values[idx], expected)
        return tuple([values[idx] for idx in outputs])

    return run

