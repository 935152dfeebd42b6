"""`copy.copy` and `copy.deepcopy` of numbers, arrays and containers.

What a call copies whose type is known, `zyg.compiler.copies` writes out; objects, too.
"""

from __future__ import annotations

import copy

from ir import facts
from zyg.copying import copied_apart, no_object
from zyg.rules.registry import adjoint, constant


@adjoint(copy.copy)
def copy_(x):
    return copy.copy(no_object(x)), lambda y_bar: (y_bar,)


@adjoint(copy.deepcopy)
def deepcopy(x):
    return copy.deepcopy(copied_apart(x)), lambda y_bar: (y_bar,)


facts.fresh(copy.deepcopy)
facts.result(copy.deepcopy, no_object, copied_apart)(lambda args, kwargs: args[0])
constant(no_object, copied_apart)
