"""Local tracing: the derivative of one operation, appended as nodes of primitives.

    Node #2 { op=sigmoid input=[#0] }

    locally_trace(lambda x: sigmoid(x) * (1 - sigmoid(x)), delta, [x])

    Node #4 { op=subtract input=[Const(1), #2] }        sigmoid(x) is found again
    Node #5 { op=multiply input=[#2, #4] }
    Node #6 { op=multiply input=[#1, #5] }
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from zyg.tape.nodes import Node, Operation
from zyg.tape.recording import call
from zyg.tape.wengert import Tape
from zyg.tape.wrappers import Wrapper


def locally_trace(
    derivative: Callable[..., Any], out_gradient: Any, inputs: Sequence[Any]
) -> list[Operation]:
    """Appends `out_gradient * derivative(*inputs)`; the operations that are new on the tape.

    Inputs and gradient are nodes, values of a tape, or plain. Control flow in the derivative is
    unrolled, and what stands on the tape already is taken from there. The last of the operations
    is the gradient.
    """
    tape = _tape_of([out_gradient, *inputs])
    beginning = len(tape)
    outer = tape.known, tape.own
    tape.known, tape.own = tape.find_again(), None
    try:
        slope = derivative(*map(_wrapped, inputs))
        call(operator.mul, (_wrapped(out_gradient), slope))
    finally:
        tape.known, tape.own = outer
    return [node for node in tape.nodes[beginning:] if isinstance(node, Operation)]


def _wrapped(x: Any) -> Any:
    if not isinstance(x, Node):
        return x
    return x.value if x.tape.is_constant(x.idx) else x.tape.wrapper(x.idx)


def _tape_of(operands: list[Any]) -> Tape:
    for x in operands:
        if isinstance(x, (Node, Wrapper)):
            return x.tape
    raise TypeError("nothing to trace: neither the gradient nor an input stands on a tape")
