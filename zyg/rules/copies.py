"""`copy.copy` and `copy.deepcopy` of numbers, arrays and containers.

What a call copies whose type is known, `zyg.compiler.run_time.copies` writes out; objects, too.
"""

from __future__ import annotations

import copy

from ir import facts
from zyg.held.copying import no_object, unless_shared
from zyg.rules.registry import adjoint, constant


@adjoint(copy.copy)
def copy_(x):
    _ = no_object(x)
    return copy.copy(x), lambda y_bar: (y_bar,)


@adjoint(copy.deepcopy)
def deepcopy(x):
    _ = unless_shared(x)
    return copy.deepcopy(x), lambda y_bar: (y_bar,)


facts.fresh(copy.deepcopy)
facts.result(copy.deepcopy, no_object)(lambda args, kwargs: args[0])
constant(no_object, unless_shared)
facts.effect(no_object, unless_shared)
