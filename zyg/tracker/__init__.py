"""Run-time tracking, after Flux.Tracker: values that remember how they were computed.

>>> from zyg.tracker import back, param
>>> a, b = param(2), param(3)
>>> c = a * b
>>> back(c)
>>> c, a.grad, b.grad
(6.0 (tracked), 3.0, 2.0)

It differentiates any program, parsed or not, by the rules that the compiler uses, and records each
operation as it runs.
"""

from zyg.tracker import operators as _operators
from zyg.tracker.custom import checkpoint, defback, hook, propagate, rule, track
from zyg.tracker.gradients import Grads, Params, forward, gradient
from zyg.tracker.graph import (
    Call,
    Tracked,
    TrackedArray,
    TrackedMatrix,
    TrackedReal,
    TrackedVector,
    data,
    grad,
    istracked,
    param,
)
from zyg.tracker.propagation import LossError, back, scan
from zyg.tracker.training import train, update

_operators.define()

__all__ = [
    "Call",
    "Grads",
    "LossError",
    "Params",
    "Tracked",
    "TrackedArray",
    "TrackedMatrix",
    "TrackedReal",
    "TrackedVector",
    "back",
    "checkpoint",
    "data",
    "defback",
    "forward",
    "grad",
    "gradient",
    "hook",
    "istracked",
    "param",
    "propagate",
    "rule",
    "scan",
    "track",
    "train",
    "update",
]
