"""Whether a program can begin again, with nobody noticing, when it has found that names overlap.

    first, second = [a], [a]       the run finds that `second[0]` is what was changed as `first[0]`;
    first[0][0] = x                it is made again by code that knows memory by its identity
    y = np.sum(second[0])

Up to there it may have changed memory of its own, and what it was given, which is put back. What
prints, draws numbers, reads clocks, takes items out of iterators or calls what isn't known has done
that once, and must not do it again.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Operand, operands_of, type_of
from ir.heap import HEAP, STORES
from ir.memory.held_types import CONTAINERS, item_held
from ir.memory.memory_facts import CHANGING
from ir.rewrite import walk
from ir.simplify import DISPLAYS
from ir.types import Closure, Instance, Iterator, Known, Method, Top, Tuple, Type, Union
from zyg.compiler.checkpoints.repeatable import DRAWS, ELSEWHERE
from zyg.compiler.inference.object_needs import PASSING
from zyg.compiler.inference.objects import is_place
from zyg.compiler.run_time import memory
from zyg.compiler.specialisation import Specialisation
from zyg.rules.registry import is_constant, rule_of, takes_pullback

# What raises `SharedMemory` when the program runs.
CHECKS = {
    id(check) for check in (
        memory.check_distinct, memory.check_outside, memory.check_separate, memory.check_apart,
        memory.check_rows_apart, memory.check_view, memory.written_view,
    )
}
# Functions of these modules neither print nor draw, but for those below.
_LIBRARIES = {
    "operator", "_operator", "math", "cmath", "numpy", "scipy", "builtins", "_functools", "copy",
}
_OURS = {"ir", "zyg"}
# What calls a function that it is given, which may not be known.
_CALLING = {
    id(function) for function in (
        map, filter, sorted, min, max, functools.reduce, np.vectorize, np.apply_along_axis,
        np.apply_over_axes, np.piecewise, np.fromfunction, np.frompyfunc, primitives.apply,
    )
}
# What keeps a value, or reads one, and calls nothing.
_HANDING_ON = (PASSING | DISPLAYS | set(map(id, ELSEWHERE))) - {id(primitives.apply)}
_WITH_EFFECTS = {
    id(function) for function in (
        print, input, open, next, iter, exec, eval, setattr, delattr, __import__, vars, globals,
    )
}


def asks_at_run_time(made: Specialisation) -> bool:
    """Whether a program may find when it runs that names mean the same memory."""
    return any(
        isinstance(op, Call) and isinstance(op.callee, Const) and id(op.callee.value) in CHECKS
        for one in made.with_callees() for op in walk(one.function.body)
    )


def may_begin_again(made: Specialisation) -> bool:
    """Whether all that a program does before it finds that can be taken back."""
    if any(_may_be_consumed(type_) for type_ in made.inputs if type_ != HEAP):
        return False
    functions = made.with_callees()
    if made.heap is not None and any(map(_knows_objects, functions)):
        return False
    known = {
        id(source) for one in functions for source in (one.source, one.source.code)
        if source is not None
    }
    return all(
        _leaves_no_trace(op, known)
        for one in functions if not _is_of_library(one.source.globals)
        for op in walk(one.function.body) if isinstance(op, Call)
    )


def _knows_objects(made: Specialisation) -> bool:
    """Whether a program works on an object, or a class, that was there before it."""
    return any(
        (isinstance(operand, Const) and is_place(type(operand.value)))
        or (isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value in STORES
        and isinstance(operand, Const) and isinstance(operand.value, type))
        for op in walk(made.function.body) for operand in operands_of(op)
    )


def _is_of_library(module_globals: dict[str, Any]) -> bool:
    package = str(module_globals.get("__name__")).partition(".")[0]
    return package in _LIBRARIES or package in _OURS


def _may_be_consumed(type_: Type) -> bool:
    """Whether a value is an iterator, or an object, or may hold one."""
    if isinstance(type_, Tuple):
        return any(map(_may_be_consumed, type_.items))
    if isinstance(type_, Union):
        return any(map(_may_be_consumed, type_.members))
    if isinstance(type_, CONTAINERS):
        return _may_be_consumed(item_held(type_))
    return isinstance(type_, Top | Iterator | Instance)


def _leaves_no_trace(call: Call, known: set[int]) -> bool:
    callee: Operand = call.callee
    if isinstance(callee, Const) and callee.value is primitives.updating:
        callee = call.args[0]
    number = id(callee.value) if isinstance(callee, Const) else 0
    if number == id(getattr):
        return not isinstance(type_of(call.args[0]), Top | Instance)
    if number in _HANDING_ON:
        return True
    # What a call is given it may call, too.
    given = [type_of(operand) for operand in (*call.args, *call.kwargs.values())]
    functions = [type_ for type_ in given if _is_function(type_)]
    is_unknown = number in _CALLING and any(isinstance(type_, Top) for type_ in given)
    return not is_unknown and all(
        _is_harmless(type_, known) for type_ in (type_of(callee), *functions)
    )


def _is_function(type_: Type) -> bool:
    return isinstance(type_, Closure | Method) or (
        isinstance(type_, Known) and callable(type_.value) and not isinstance(type_.value, type)
    )


def _is_harmless(type_: Type, known: set[int]) -> bool:
    """Whether calls of a function leave no trace."""
    if isinstance(type_, Method):
        type_ = type_.function
    if isinstance(type_, Closure):
        return id(type_.code) in known
    if not isinstance(type_, Known):
        return False
    function: Any = type_.value
    if id(function) in _WITH_EFFECTS:
        return False
    if id(function) in CHANGING or facts.is_pure(function) or facts.is_helper(function):
        return True
    if isinstance(function, type):
        is_container = function.__module__ in ("builtins", "collections")
        return is_container or issubclass(function, BaseException)
    package = str(getattr(function, "__module__", "")).partition(".")[0]
    rule = rule_of(function)
    if package in _OURS:  # checks, and what changes the memory that it is given
        return rule is None or not takes_pullback(rule)
    if rule is not None and (rule.__module__ == DRAWS or takes_pullback(rule)):
        return False
    if isinstance(function, types.GetSetDescriptorType):  # `a.flat`
        return True
    if package in _LIBRARIES or isinstance(function, types.MethodDescriptorType):
        return rule is not None or is_constant(function)
    if isinstance(function, types.FunctionType):
        return rule is None and not is_constant(function) and id(function.__code__) in known
    return hasattr(function, "ir_function") and id(function.ir_function) in known
