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
from zyg.tape.assumptions import TapeMismatch, expect
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
    values: list[Any] = []
    structure = tape.arguments
    if structure is None:
        values = list(xs)
    elif len(xs) != len(structure) or not paired(structure, xs, values):
        raise TapeMismatch(
            "the program was recorded with other arguments: their number, what they are made of, "
            "flags, texts and functions are fixed"
        )
    if len(values) != len(tape.inputs):
        raise TapeMismatch(f"{len(values)} values for {len(tape.inputs)} inputs")
    values = [like(x, tape.values[idx]) for x, idx in zip(values, tape.inputs, strict=True)]
    key = len(tape), tuple(tape.outputs), len(tape.assumptions)
    program = tape.programs.get(key)
    if program is None:
        program = tape.programs[key] = runnable(tape)
    outputs = [own(y) for y in program(*values)]
    if tape.result is not None:
        return filled(tape.result, outputs)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def like(x: Any, recorded: Any) -> Any:
    """An argument as a value of the type of the input that it stands for."""
    cls = type(recorded)
    if type(x) is cls and cls is float:
        return x
    if cls is np.ndarray:
        x = np.asarray(x)
        if x.shape != recorded.shape:
            raise TapeMismatch(f"an array of shape {x.shape}, recorded was {recorded.shape}")
        if x.dtype == recorded.dtype:
            return x
    if np.shape(x) != np.shape(recorded) or isinstance(x, (str, bytes)) or x is None:
        raise TapeMismatch(f"{x!r} is given for a {cls.__name__}")
    if not np.can_cast(np.result_type(x), np.result_type(recorded), "same_kind"):
        raise TapeMismatch(f"{x!r} is given for what was recorded as {np.result_type(recorded)}")
    return x.astype(recorded.dtype) if cls is np.ndarray else cls(x)


def own(y: Any) -> Any:
    """A result that shares no memory with arguments or constants."""
    return y.copy() if isinstance(y, np.ndarray) and y.base is not None else y


def runnable(tape: Tape) -> Callable[..., Any]:
    """The program as a function that gives the tuple of its outputs."""
    shared = {*tape.inputs, *(i for i in tape.output_indices() if tape.is_constant(i))}
    copied = [idx in shared for idx in tape.output_indices()]
    if len(tape) > LONGEST_FUNCTION:
        run: Callable[..., Any] = interpreted(tape)
    else:
        function = ir.load(to_function(tape))
        run = function if len(copied) != 1 else lambda *xs: (function(*xs),)
    if not any(copied):
        return run
    return lambda *xs: tuple([
        np.array(y) if is_copied and isinstance(y, np.ndarray) else y
        for y, is_copied in zip(run(*xs), copied, strict=True)
    ])  # fmt: skip


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

