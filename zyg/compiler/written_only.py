"""Globals that a program writes only, as logs are: their contents are changed as the source says.

    LOG.append(loss)      appended_aside(LOG, loss)      an effect, like `print`

That is right as long as no derivative can come back out of what was written: nothing in the program
reads the name, no argument and no other name may mean the same memory, and nothing is called that
isn't seen. Where one of these doesn't hold, the name is shared (`ir.shared_names`).
"""

from __future__ import annotations

import operator
import sys
from types import FunctionType
from typing import Any

import numpy as np

from ir.core import (
    Block,
    Call,
    Const,
    Lambda,
    Op,
    Operand,
    Value,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.memory.contents import held_classes
from ir.rewrite import walk
from ir.shared_names import ASIDE, name_read
from ir.types import Closure, Known, Method, Type
from zyg.compiler.assigned import Shared
from zyg.compiler.origins import is_run_time
from zyg.compiler.specialisation import Specialisation, is_exact
from zyg.rules.registry import is_constant, rule_of, takes_pullback

_ASIDE = tuple(ASIDE.values())
_ARITHMETIC = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.iadd, operator.isub,
    operator.imul, operator.itruediv,
)
_LEAVES = (
    int, float, complex, bool, str, bytes, type(None), np.ndarray, np.generic, np.dtype,
)


def read_in(made: Specialisation, is_whole: bool) -> Shared:
    """The names that a program changes aside, and has to share: all of them where something isn't
    known (`is_whole`: the code has a form that allows for none)."""
    every = made.with_callees()
    aside: Shared = {}
    for one in every:
        if one.aside and _may_hold_derivatives(one):
            aside.update(one.aside)
    if not aside or is_whole or any(map(_is_unseen, every)):
        return aside
    done = [one for one in every if one.is_done]
    if any(map(_may_hold_the_same, made.inputs)) or any(_calls_unknown(one) for one in done):
        return aside
    for key, (owner, name) in made.all_names().items():
        if key not in aside and not isinstance(_value_of(owner, name), _LEAVES):
            return aside
    read = set().union(*(_read(one) for one in done))
    return {key: found for key, found in aside.items() if key in read}


def _may_hold_derivatives(one: Specialisation) -> bool:
    """Whether what a function writes aside is more than text and whole numbers."""
    return not one.is_done or any(
        not is_exact(type_of(operand))
        for op in walk(one.function.body)
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value in _ASIDE
        for operand in op.args[1:]
    )


def _value_of(owner: Any, name: str) -> Any:
    return getattr(owner, name, owner) if isinstance(owner, type) else owner.get(name)


def _is_unseen(one: Specialisation) -> bool:
    """Whether a function runs as it is, other than one of Python's library."""
    module = str(one.source.globals.get("__name__")).partition(".")[0]
    return (not one.is_done or one.calls_unseen) and module not in sys.stdlib_module_names


def _may_hold_the_same(type_: Type) -> bool:
    """Whether an input may be, or know, a list or dict that a global knows as well."""
    match type_:
        case Closure(captures=captures, defaults=defaults, kwdefaults=kwdefaults):
            held = [*captures, *defaults, *(item for _, item in kwdefaults)]
            return any(map(_may_hold_the_same, held))
        case Known(FunctionType() as function):
            return bool(function.__closure__ or function.__defaults__ or function.__kwdefaults__)
        case Known(value):
            return not isinstance(value, _LEAVES)
        case _:
            classes = held_classes(type_)
            return classes is None or not classes <= {np.ndarray}


def _calls_unknown(one: Specialisation) -> bool:
    """Whether a function calls what isn't known when code is made."""
    for op in walk(one.function.body):
        if not isinstance(op, Call):
            continue
        callee = op.callee.value if isinstance(op.callee, Const) else None
        if callee is None and not isinstance(op.callee.type, Closure | Method):  # type: ignore[union-attr]
            return True
        rule = rule_of(callee)
        if rule is not None and takes_pullback(rule):
            return True
        for arg in (*op.args, *op.kwargs.values()):
            if isinstance(arg, Const) and isinstance(arg.value, FunctionType) and not (
                is_constant(arg.value) or is_run_time(arg.value) or callee in _ASIDE
            ):
                return True
    return False


def _read(one: Specialisation) -> set[tuple[int, str]]:
    """The names of whose contents a function reads something."""
    module_globals = one.function.globals
    uses: dict[Value, list[Op | None]] = {}
    _note_uses(one.function.body, uses)
    found: set[tuple[int, str]] = set()
    for op in walk(one.function.body):
        if isinstance(op, Lambda):
            for inner in walk(op.function.body):
                named = name_read(inner, op.function.globals)
                if named is not None:
                    found.add((id(named[0]), named[1]))
        named = name_read(op, module_globals)
        if named is not None and not all(
            _is_written_only(value, uses) for value in op.results
        ):
            found.add((id(named[0]), named[1]))
    return found


def _note_uses(block: Block, uses: dict[Value, list[Op | None]]) -> None:
    def note(operands: list[Operand], op: Op | None) -> None:
        for operand in operands:
            if isinstance(operand, Value):
                uses.setdefault(operand, []).append(op)

    for op in block.ops:
        note(operands_of(op), op)
        for inner in blocks_of(op):
            _note_uses(inner, uses)
    note(exit_operands(block.exit), None)


def _is_written_only(value: Value, uses: dict[Value, list[Op | None]]) -> bool:
    """Whether all that is done with a value is to change it, or an element of it."""
    for op in uses.get(value, ()):
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        callee = op.callee.value
        if callee in _ASIDE and op.args[0] is value:
            if any(arg is value for arg in op.args[1:]):
                return False
        elif callee is getattr and isinstance(op.result.type, Method):
            if uses.get(op.result):
                return False
        elif callee is operator.getitem and op.args[0] is value and op.args[1] is not value:
            if not (_is_written_only(op.result, uses) or _goes_there(op.result, uses)):
                return False
        else:
            return False
    return True


def _goes_there(value: Value, uses: dict[Value, list[Op | None]]) -> bool:
    """Whether all that is computed from a value is written aside, as in `COUNTS[key] += 1`."""
    for op in uses.get(value, ()):
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        callee = op.callee.value
        if callee in _ASIDE:
            if op.args[0] is value:
                return False
        elif callee not in _ARITHMETIC or not _goes_there(op.result, uses):
            return False
    return True
