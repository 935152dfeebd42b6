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
"""

from __future__ import annotations

import inspect
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.core import Block, Call, Const, For, Function, Lambda, Location, Op, Operand, Value, type_of
from ir.errors import IRError, NeedsHeap, SourceNotFound, Unsupported
from ir.forgettable import IdentityTable
from ir.inference.special_calls import Folded, special
from ir.library.builtin_facts import IN_PLACE
from ir.made_functions import give_ir
from ir.memory.memory_facts import is_array_like
from ir.parse import parse_source
from ir.rewrite import blocks
from ir.syntax.locate import locate
from ir.types import TOP, Closure, Instance, Known, Method, Top, Type, Union, class_of
from zyg.compiler.inference.objects import is_place
from zyg.held.held_views import VIEWS
from zyg.held.memory_kinds import MEMORY
from zyg.rules.registry import constant, is_constant, rule_of, substitute_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls
    from zyg.compiler.inference.object_needs import ObjectNeeds

Dropping: TypeAlias = Callable[[object], object]
_READS = (
    getattr, operator.getitem, primitives.unpack, primitives.unpack_starred, primitives.augmented,
    primitives.load_global,
)
# Changes by which a container comes to hold what it is given, and no copy of that.
_HOLDING = frozenset(map(id, (
    primitives.stored, primitives.appended, primitives.inserted, primitives.pushed,
    primitives.pushed_left, primitives.defaulted,
)))
# What is no function that runs to its end: generators and coroutines.
_GOES_ON = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_PLAIN = (int, str, bytes, types.NoneType, range, *VIEWS)
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
    inference: TypedCalls, caller: Function, change: Any, memory: Operand, operands: list[Operand],
    loc: Location | None,
) -> list[Operand]:
    """The operands of a change of memory, without the derivatives of what is put there.

    Memory that a container comes to hold stays the memory that it is.
    """
    if not operands or not is_followed(caller):
        return operands
    *rest, put = operands
    if class_of(type_of(put)) in MEMORY and id(change) in _HOLDING and not (
        is_array_like(type_of(memory))
    ):
        return operands
    return [*rest, inference.call(as_constant, put, loc=loc)]


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
    for block in blocks(function.body):
        _drop_reads(block)
    function.params[:] = _dropped_before(function.body, function.params)


def _drop_reads(block: Block) -> None:
    called = {op.callee for op in block.ops if isinstance(op, Call)}
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
        found.append(op)
        if isinstance(op, Call) and called.isdisjoint(op.results):
            dropping = _dropping(op.callee)
            if dropping is not None:
                values = list(op.results)
                op.results[:] = map(_again, values)
                found += _drops(dropping, op.results, values, op.loc)
    block.ops[:] = found


def _is_call_of(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee


def _looked_at(function: Operand, ops: list[Op], loc: Location | None) -> Value:
    callee = Value("f")
    ops.append(Call(Const(callee_of_constant), [function], {}, [callee], loc))
    return callee


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
    if callee.value in _READS:
        return read_as_constant
    if callee.value in IN_PLACE:
        return read_as_constant
    is_operator = getattr(callee.value, "__module__", None) == "_operator"
    return as_constant if is_operator else None


def as_constant(x: object) -> object:
    """`x` itself, through which no derivative flows."""
    return x


def read_as_constant(x: object) -> object:
    """The same for what a function reads; what is memory stays the memory that it is, since what
    the function stores there isn't to be told from it."""
    return x


def callee_of_constant(callee: Any) -> Any:
    """What is called in the place of what only the run time finds."""
    if isinstance(callee, types.MethodType) and isinstance(callee.__func__, types.FunctionType):
        code = code_of_constant(callee.__func__)
        return callee if code is None else types.MethodType(code, callee.__self__)
    return (
        code_of_constant(callee) if isinstance(callee, types.FunctionType) else None
    ) or callee


constant(as_constant, read_as_constant, callee_of_constant)
facts.result(as_constant, read_as_constant)(lambda args, kwargs: args[0])


@special(callee_of_constant)
def _callee_of_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What is known is looked at where it is called."""
    type_ = type_of(args[0])
    return None if isinstance(type_, Top | Union) or type_ in _FOUND else args


@special(as_constant)
def _as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What has no derivative of its own stays as it is."""
    (operand,) = args
    made = self.definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Call) and isinstance(made.callee, Const):
        callee = made.callee.value
        is_operator = getattr(callee, "__module__", None) == "_operator"
        if callee is as_constant or (
            is_operator and all(_is_number(type_of(arg)) for arg in made.args)
        ):
            return [operand]  # its operands have none
    return [operand] if _is_plain(type_of(operand)) else None


@special(read_as_constant)
def _read_as_constant(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = type_of(args[0])
    if _is_plain(type_) or class_of(type_) in MEMORY:
        return args
    return self.typed_call(Const(as_constant), args, {}, names, loc)


def _is_number(type_: Type) -> bool:
    return class_of(type_) in (bool, int, float, complex)


def _is_plain(type_: Type) -> bool:
    """Whether a value has no derivative of its own: what an object, a function or an iterator leads
    to is read of it."""
    cls = class_of(type_)
    return isinstance(type_, Known | Closure | Method) or (
        cls is not None and (is_place(cls) or hasattr(cls, "__next__") or issubclass(cls, _PLAIN))
    )
