"""The tape: a program as data, after the Wengert list of JuliaAutoDiff.

>>> from zyg import tape
>>> t = tape.trace(lambda x: x * tape.sigmoid(x), 0.0)
>>> gradient, = tape.append_adjoint(t)
>>> gradient.val
0.5

It records what a program computes, and appends the program of its gradient to the same list: by
the rules that the compiler uses, each run on values of the tape. What stands there can be read,
printed, run again with other inputs, and differentiated again.
"""

from zyg.tape import operators as _operators
from zyg.tape.adjoint import Adjoint
from zyg.tape.assumptions import Assumption, TapeMismatch
from zyg.tape.gradients import append_adjoint, gradient, trace
from zyg.tape.local_tracing import locally_trace
from zyg.tape.lowering import live_nodes, to_function, without_dead_nodes
from zyg.tape.nodes import Constant, Input, Node, Operation
from zyg.tape.primitives import UndifferentiablePrimitive, primitive, sigmoid
from zyg.tape.printing import to_graphviz, to_mermaid
from zyg.tape.recording import record
from zyg.tape.replay import replay
from zyg.tape.wengert import Tape
from zyg.tape.wrappers import ArrayWrapper, RealWrapper

_operators.define()

__all__ = [
    "Adjoint",
    "ArrayWrapper",
    "Assumption",
    "Constant",
    "Input",
    "Node",
    "Operation",
    "RealWrapper",
    "Tape",
    "TapeMismatch",
    "UndifferentiablePrimitive",
    "append_adjoint",
    "gradient",
    "live_nodes",
    "locally_trace",
    "primitive",
    "record",
    "replay",
    "sigmoid",
    "to_function",
    "to_graphviz",
    "to_mermaid",
    "trace",
    "without_dead_nodes",
]
