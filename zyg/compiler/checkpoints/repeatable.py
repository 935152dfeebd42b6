"""Whether a function surely does the same when it is run again with equal arguments.

What it reads elsewhere (globals, attributes of objects, captured variables) may be changed in
between, and what is not known may draw random numbers.
"""

from __future__ import annotations

import types

from ir import facts, primitives
from ir.core import Call, Const, Operand, type_of
from ir.memory.memory_facts import CHANGING
from ir.rewrite import walk
from ir.simplify import DISPLAYS
from ir.types import Closure, Known
from zyg.compiler.inference.object_needs import PASSING
from zyg.compiler.reverse.cotangent_types import is_numeric
from zyg.compiler.specialisation import Specialisation
from zyg.rules.registry import is_constant, rule_of, takes_pullback

DRAWS = "zyg.rules.draws"
ELSEWHERE = (
    primitives.load_global, primitives.read_global, primitives.read_captured,
    primitives.read_default,
)


def is_repeatable(made: Specialisation) -> bool:
    """Whether all that a function calls is known, and depends on its arguments alone."""
    functions = made.with_callees()
    known = {
        id(source) for one in functions for source in (one.source, one.source.code)
        if source is not None
    }
    return all(
        _is_repeatable(op, known) for one in functions for op in walk(one.function.body)
        if isinstance(op, Call)
    )


def _is_library(owner: Operand) -> bool:
    """Whether this is a module whose contents stay what they are, such as `np.pi`."""
    module = owner.value if isinstance(owner, Const) else None
    return isinstance(module, types.ModuleType) and (
        module.__name__.partition(".")[0] in ("math", "cmath", "numpy", "scipy")
    )


def _is_repeatable(call: Call, known: set[int]) -> bool:
    callee = call.callee
    if isinstance(callee, Const) and callee.value is primitives.updating:
        callee = call.args[0]
    type_ = type_of(callee)
    if isinstance(type_, Closure):
        return id(type_.code) in known
    if not isinstance(type_, Known):
        return False
    function = type_.value
    if function in ELSEWHERE:
        return False
    if function is getattr:
        return is_numeric(type_of(call.args[0])) or _is_library(call.args[0])
    if id(function) in PASSING or id(function) in DISPLAYS or facts.is_pure(function):
        return True
    rule = rule_of(function)
    if rule is not None:
        return rule.__module__ != DRAWS and not takes_pullback(rule)
    if is_constant(function):
        return False
    if isinstance(function, types.FunctionType):
        # A check that inference has put there, or a function that is looked into itself.
        is_own = str(function.__module__).startswith(("ir.", "zyg."))
        return is_own or id(function.__code__) in known
    if id(function) in CHANGING or facts.is_helper(function):
        return True
    return hasattr(function, "ir_function") and id(function.ir_function) in known
