"""Functions that are declared to have no derivative (`zyg.nograd`), and change what they are given.

    @zyg.nograd                         def note(self, x):
    def note(self, x):                      x = dropgrad(x)
        self.n = x**2                       self.n = x**2
        self.log.append(self.m)    ==>      log = dropgrad(self.log)
                                            log.append(dropgrad(self.m))

What it stores is a constant from then on, and no derivative goes on to what stood there before. So
such a function is code as any other, in which no derivative flows from what is read; what it calls
is called in the same way. One that changes nothing is called as it is, and so is one whose code zyg
can't look into.

Memory is known by its identity where objects hold it and something changes it in place: one that is
given away (`return self.a`, `self.best = self.a`) would have a derivative under its new name. That
is refused (`zyg.held.dropped_memory`); a copy is none of it.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    Lambda,
    Location,
    Op,
    Operand,
    Value,
    Yield,
    type_of,
)
from ir.errors import IRError, NeedsHeap, SourceNotFound, Unsupported
from ir.forgettable import IdentityTable
from ir.heap import HEAP, set_attribute
from ir.inference.special_calls import Folded, special
from ir.library.builtin_facts import IN_PLACE
from ir.made_functions import give_ir
from ir.memory.contents import holds_memory
from ir.memory.memory_facts import is_array_like
from ir.memory.place_state import NEW, SHALLOW
from ir.parse import parse_source
from ir.rewrite import blocks, free_values
from ir.syntax.locate import locate
from ir.types import TOP, Instance, Known, Top, Type, Union
from zyg.compiler.inference.dropped_derivatives import (
    CHANGING_OR_READING,
    as_constant,
    given_as_constant,
    is_operator,
    read_as_constant,
    stored_back_as_constant,
)
from zyg.rules.registry import constant, is_constant, rule_of, substitute_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls
    from zyg.compiler.inference.object_needs import ObjectNeeds

Dropping: TypeAlias = Callable[[object], object]
# What is no function that runs to its end: generators and coroutines.
_GOES_ON = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_FOUND = (Instance(types.FunctionType), Instance(types.MethodType))
_made: IdentityTable[types.FunctionType, tuple[types.FunctionType | None]] = IdentityTable()
_codes: IdentityTable[types.CodeType, bool] = IdentityTable()


def followed_call(
    specialiser: ObjectNeeds, inference: TypedCalls, caller: Function, callee: object,
    args: list[Operand], kwargs: dict[str, Operand], loc: Location | None,
) -> Operand | None:
    """The result of a call of a function that is declared to have no derivative, or is called by
    one; None where it changes nothing, or can't be looked into."""
    is_within = is_followed(caller)
    if callee is primitives.apply:
        function = args[0].value if isinstance(args[0], Const) else None
        applied = _code_for(function, is_within)
        if applied is None:
            return None
        operands = [Const(applied), *args[1:]]
        return inference.typed_call(Const(callee), operands, kwargs, ["t"], loc)[0]
    plain = _code_for(callee, is_within)
    if plain is None:
        return None
    types_ = tuple(map(type_of, args))
    given = {name: type_of(arg) for name, arg in kwargs.items()}
    if TOP in (*types_, *given.values()):
        return None  # what is changed in place there is found by the run time
    try:
        if not has_part_in_memory(specialiser, plain, types_, given):
            return None
        if _gives_what_it_changes(specialiser, plain, types_, given):
            return None
    except NeedsHeap:
        if inference.heap is None:
            raise
    except (Unsupported, SourceNotFound):
        return None
    return inference.typed_call(Const(plain), args, kwargs, ["t"], loc)[0]


def _code_for(callee: object, is_within: bool) -> types.FunctionType | None:
    """What is called in the place of a function, perhaps."""
    if not isinstance(callee, types.FunctionType) or not (is_within or is_constant(callee)):
        return None
    return code_of_constant(callee)


def constants_put(
    inference: TypedCalls, caller: Function, memory: Operand, operands: list[Operand],
    loc: Location | None,
) -> list[Operand]:
    """The operands of a change of memory, without the derivatives of what is put there."""
    if not operands or not is_followed(caller):
        return operands
    *rest, put = operands
    places = inference.places
    if is_array_like(type_of(memory)):
        return [*rest, inference.call(as_constant, put, loc=loc)]
    if places is not None and places.returned(memory, []) in (NEW, SHALLOW):
        return operands  # it is looked at when the container is given away
    given = _in_place_of(inference, caller.params)
    return [*rest, inference.call(given_as_constant, put, *given, loc=loc)]


def _in_place_of(inference: TypedCalls, params: list[Value]) -> list[Operand]:
    """What stands for the parameters of a function in its typed copy."""
    assert inference.copied is not None
    _, mapping = inference.copied
    return [
        mapping[param] for param in params if param in mapping and type_of(mapping[param]) != HEAP
    ]


def has_part_in_memory(
    specialiser: ObjectNeeds, function: types.FunctionType, args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> bool:
    """Whether a function reads or changes what objects hold, or changes what it is given; raises
    where that can't be known."""
    made = specialiser.call(Known(function), args, kwargs)
    if made is None:
        raise Unsupported("a function that is declared to have no derivative and isn't known")
    return bool(made.works_on_objects or made.updates or made.spoiled)


def _gives_what_it_changes(
    specialiser: ObjectNeeds, function: types.FunctionType, args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> bool:
    """Whether a function may return memory that it is given, and changes it."""
    made = specialiser.call(Known(function), args, kwargs)
    return made is not None and bool(made.updates or made.spoiled) and (
        holds_memory(made.value_type) and made.returned not in (NEW, SHALLOW)
    )


def leaves_memory_alone(
    specialiser: ObjectNeeds, function: types.FunctionType, args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> bool:
    """Whether a function that is declared to have no derivative is known to do nothing else than
    to compute something."""
    plain = code_of_constant(function)
    if TOP in (*args, *kwargs.values()):
        return False
    try:
        return plain is not None and not has_part_in_memory(specialiser, plain, args, kwargs)
    except (Unsupported, SourceNotFound):
        return False


def is_code_of_constant(function: types.FunctionType) -> bool:
    """Whether this is a function in which no derivative flows."""
    return _codes.of(function.__code__) is not None


def is_followed(function: Function) -> bool:
    """Whether this is code of a function that has no derivative, by declaration."""
    return _codes.of(function.code) is not None


def code_of_constant(function: types.FunctionType) -> types.FunctionType | None:
    """The function in which no derivative flows from what it reads; None where its source isn't
    known, or needn't be."""
    code = id(function.__code__)
    known = _made.of(function, code)
    if known is None:
        known = (_without_derivatives(function) if _is_of_user(function) else None,)
        _made.note(function, known, code)
    return known[0]


def _is_of_user(function: types.FunctionType) -> bool:
    package = str(function.__module__).partition(".")[0]
    code = function.__code__
    if package in ("zyg", "ir", "numpy", "scipy") or code.co_freevars or code.co_flags & _GOES_ON:
        return False
    if rule_of(function) is not None or substitute_of(function) is not None:
        return False
    return package == "__main__" or package not in sys.stdlib_module_names


def _without_derivatives(function: types.FunctionType) -> types.FunctionType | None:
    try:
        source = parse_source(locate(function.__code__, function.__globals__), function.__globals__)
    except IRError:
        return None
    _drop_in(source)
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    give_ir(made, source)
    _codes.note(made.__code__, True)
    return made


def _drop_in(function: Function) -> None:
    """Lets no derivative flow from what a function is given and reads, in place."""
    given = list(map(_again, function.params))
    known = given + [v for v in free_values(function.body) if v not in function.params]
    for block in blocks(function.body):
        _drop_reads(block, known)
    function.body.ops[:0] = _drops(read_as_constant, given, function.params, None)
    function.params[:] = given
    if isinstance(function.body.exit, Yield):
        function.body.exit.values[:] = [
            _given_away(value, known, function.body.ops) for value in function.body.exit.values
        ]


def _drop_reads(block: Block, known: list[Value]) -> None:
    called = {op.callee for op in block.ops if isinstance(op, Call)}
    back = _stored_back(block)
    found: list[Op] = []
    for op in block.ops:
        if isinstance(op, Lambda):
            _drop_in(op.function)
        elif isinstance(op, For):
            count = len(op.iterables)
            op.body.params[:count] = _dropped_before(op.body, op.body.params[:count])
        elif isinstance(op, Call) and isinstance(op.callee, Value):
            op.callee = _looked_at(op.callee, found, op.loc)
        elif isinstance(op, Call) and _is_call_of(op, primitives.apply):
            op.args[0] = _looked_at(op.args[0], found, op.loc)
        elif isinstance(op, Call) and _is_call_of(op, set_attribute):
            marker = stored_back_as_constant if id(op) in back else given_as_constant
            op.args[-1] = _given_away(op.args[-1], known, found, op.loc, marker)
        found.append(op)
        if isinstance(op, Call) and called.isdisjoint(op.results):
            dropping = _dropping(op.callee)
            if dropping is not None:
                values = list(op.results)
                op.results[:] = map(_again, values)
                found += _drops(dropping, op.results, values, op.loc)
    block.ops[:] = found


def _stored_back(block: Block) -> set[int]:
    """The `id` of stores of what an attribute holds already: `self.a *= 2`."""
    made = {value: op for op in block.ops if isinstance(op, Call) for value in op.results}
    found = set()
    for op in made.values():
        if not _is_call_of(op, set_attribute) or not isinstance(op.args[-1], Value):
            continue
        changed = made.get(op.args[-1])
        if changed is None or not isinstance(changed.callee, Const) or (
            changed.callee.value not in IN_PLACE or not isinstance(changed.args[0], Value)
        ):
            continue
        read = made.get(changed.args[0])
        if read is not None and _is_call_of(read, getattr) and read.args == op.args[:2]:
            found.add(id(op))
    return found


def _is_call_of(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee


def _looked_at(function: Operand, ops: list[Op], loc: Location | None) -> Value:
    callee = Value("f")
    ops.append(Call(Const(callee_of_constant), [function], {}, [callee], loc))
    return callee


def _given_away(
    value: Operand, known: list[Value], ops: list[Op], loc: Location | None = None,
    marker: Callable[..., object] = given_as_constant,
) -> Operand:
    if isinstance(value, Const):
        return value
    constant_value = Value(value.name)
    ops.append(Call(Const(marker), [value, *known], {}, [constant_value], loc))
    return constant_value


def _dropped_before(block: Block, values: list[Value]) -> list[Value]:
    """Other values in the place of those that a block is given, which it drops first."""
    given = list(map(_again, values))
    block.ops[:0] = _drops(read_as_constant, given, values, None)
    return given


def _again(value: Value) -> Value:
    return Value(value.name, value.type)


def _drops(
    dropping: Dropping, own: Sequence[Value], values: Sequence[Value], loc: Location | None
) -> list[Op]:
    return [
        Call(Const(dropping), [read], {}, [value], loc)
        for read, value in zip(own, values, strict=True)
    ]


def _dropping(callee: Operand) -> Dropping | None:
    """What drops the derivative of the results of a call, if they may have one."""
    if isinstance(callee, Value):
        return as_constant
    if callee.value in CHANGING_OR_READING:
        return read_as_constant
    return as_constant if is_operator(callee) else None


def callee_of_constant(callee: Any) -> Any:
    """What is called in the place of what only the run time finds."""
    if isinstance(callee, types.MethodType) and isinstance(callee.__func__, types.FunctionType):
        code = code_of_constant(callee.__func__)
        return callee if code is None else types.MethodType(code, callee.__self__)
    return (
        code_of_constant(callee) if isinstance(callee, types.FunctionType) else None
    ) or callee


constant(callee_of_constant)


@special(callee_of_constant)
def _callee_of_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What is known is looked at where it is called."""
    type_ = type_of(args[0])
    return None if isinstance(type_, Top | Union) or type_ in _FOUND else args
