"""The language of the IR: values, blocks, operations, functions.

A function is a tree of blocks, not a control-flow graph. Everything computed is a `Call` of a
Python callable; the other operations own blocks:

    def power(x, n):                 function power(x, n):
        y = 1.0                        y_2 = for _ in range(n) with y = 1.0:
        for _ in range(n):                 y_1 = operator.mul(y, x)
            y = y * x                      yield False, y_1
        return y                       return y_2

A block leaves through its last line only. `ir.syntax.desugar` moves each `break`, `continue` and
early `return` of the source into such a tail position, so that the body of a loop yields
`(stop, *carried, *collected)` and every pass is plain structural recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ir.primitives import UNBOUND
from ir.record import made, node, record
from ir.try_primitives import end_guarded
from ir.types import BOTTOM, TOP, Known, Type


@record
class Location:
    """A range of a source file: lines count from 1, columns from 0, as in `ast`."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@node
class Value:
    """An SSA value. Identity is equality; the name is the user's, for printing only."""

    name: str
    type: Type = TOP

    def __repr__(self) -> str:
        return f"%{self.name}"


@node
class Const:
    """A literal, or a Python object known at compile time."""

    value: Any

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


Operand: TypeAlias = Value | Const


@node
class Yield:
    """Hands values to the operation that owns the block; in the body of a function: returns."""

    values: list[Operand]


@node
class Raise:
    """Leaves the function by an exception: `raise exception from cause`."""

    exception: Operand | None
    cause: Operand | None
    loc: Location | None = None


Exit: TypeAlias = Yield | Raise


@node
class Block:
    params: list[Value]
    ops: list[Op]
    exit: Exit


@node
class Call:
    """`results = callee(*args, **kwargs)`. Several results unpack the returned tuple."""

    callee: Operand
    args: list[Operand]
    kwargs: dict[str, Operand]
    results: list[Value]
    loc: Location | None = None

    @property
    def result(self) -> Value:
        (result,) = self.results
        return result


@node
class If:
    """Runs one of two blocks, which take no parameters; what it yields are the results."""

    cond: Operand
    then: Block
    orelse: Block
    results: list[Value]
    loc: Location | None = None

    @property
    def blocks(self) -> tuple[Block, Block]:
        return self.then, self.orelse


@node
class Try:
    """Runs its body; where that raises what is in `catches`, the handler, with the exception.

    The body is guarded up to its call of `try_primitives.end_guarded`: what stands behind that is
    Python's `else`. Results are what the body or the handler yields, whichever has come to its
    end. Values of the body are lost when it fails: what must outlast a failure is computed by a
    `Try` of its own before.
    """

    body: Block
    handler: Block
    catches: list[Operand]
    results: list[Value]
    loc: Location | None = None

    @property
    def blocks(self) -> tuple[Block, Block]:
        return self.body, self.handler

    @property
    def error(self) -> Value:
        return self.handler.params[0]


@node
class For:
    """Iterates over one or several iterables in parallel, up to the shortest.

    The body takes one item of each iterable and the carried values, and yields
    `(stop, *carried, *collected)`; a true `stop` ends the loop after this iteration. Results are
    `(*carried, *collected)`: a collected result is the list of all that was yielded there. With
    `backwards`, the iterables are sequences, walked from last to first.
    """

    iterables: list[Operand]
    init: list[Operand]
    body: Block
    results: list[Value]
    backwards: bool = False
    loc: Location | None = None

    @property
    def blocks(self) -> tuple[Block]:
        return (self.body,)

    @property
    def items(self) -> list[Value]:
        return self.body.params[: len(self.iterables)]

    @property
    def carried(self) -> list[Value]:
        return self.body.params[len(self.iterables) :]


@node
class While:
    """Repeats its body until it yields a true `stop`; params, yields and results as in `For`."""

    init: list[Operand]
    body: Block
    results: list[Value]
    loc: Location | None = None

    @property
    def blocks(self) -> tuple[Block]:
        return (self.body,)

    @property
    def carried(self) -> list[Value]:
        return self.body.params


@node
class Lambda:
    """Makes a function object of nested source; `captures` fill `function.captured` in order."""

    function: Function
    captures: list[Operand]
    defaults: list[Operand]
    kwdefaults: dict[str, Operand]
    result: Value
    loc: Location | None = None

    @property
    def results(self) -> list[Value]:
        return [self.result]


Loop: TypeAlias = For | While
Branch: TypeAlias = If | Try
Op: TypeAlias = Call | If | Try | For | While | Lambda


@record
class Parameters:
    """How Python binds arguments: the kinds of `Function.params`, in their order."""

    positional_only: int
    positional: int
    vararg: bool
    keyword_only: int
    kwarg: bool


@node
class Function:
    """A function: `params` as in the source, `captured` the variables of enclosing scopes.

    `defaults` counts the trailing positional parameters that have one; their values belong to
    the function object (or to `Lambda`), not to the code.
    """

    name: str
    params: list[Value]
    captured: list[Value]
    body: Block
    loc: Location | None
    signature: Parameters
    defaults: int = 0
    kwdefaults: tuple[str, ...] = ()
    globals: dict[str, Any] = made(dict)
    code: Any = None
    docstring: str | None = None
    # The function that this one is the catching variant of (`ir.catching`).
    plain: Function | None = None
    # Whether all memory that it is given is held by objects (`ir.memory.held`).
    inputs_are_held: bool = False
    # Inputs of compiler-made code whose last versions it returns behind its value.
    updates: tuple[int, ...] = ()
    # What that does to the elements of each.
    effects: list[Any] = made(list)
    # Which parts of its value are new memory, as far as who made it knows
    # (`ir.memory.place_state`).
    returned: Any = None
    # Inputs whose memory compiler-made code changes, whether or not it returns versions.
    changes: tuple[int, ...] = ()
    # Whether it was made of typed IR, in which all was asked that is asked of the user's code.
    is_generated: bool = False

    def __str__(self) -> str:
        from ir.printer import format_function

        return format_function(self)


def type_of(operand: Operand) -> Type:
    """The type of an operand; a constant is known, and `UNBOUND` is no value at all."""
    if type(operand) is Value:
        return operand.type
    assert type(operand) is Const
    return BOTTOM if operand.value is UNBOUND else Known(operand.value)


def blocks_of(op: Op) -> tuple[Block, ...]:
    """The blocks that an operation owns and runs (a `Lambda` runs nothing)."""
    kind = type(op)
    return () if kind is Call or kind is Lambda else op.blocks  # type: ignore[union-attr]


def operands_of(op: Op) -> list[Operand]:
    """The operands that an operation reads itself, not those read inside its blocks."""
    if type(op) is Call:  # the most frequent one by far
        if op.kwargs:
            return [op.callee, *op.args, *op.kwargs.values()]
        return [op.callee, *op.args]
    match op:
        case If():
            return [op.cond]
        case Try():
            return op.catches
        case For():
            return [*op.iterables, *op.init]
        case While():
            return op.init
        case Lambda():
            return [*op.captures, *op.defaults, *op.kwdefaults.values()]
        case _:
            raise AssertionError(op)


def is_end_guarded(op: Op) -> bool:
    """Whether an operation ends what a `Try` guards."""
    return type(op) is Call and type(op.callee) is Const and op.callee.value is end_guarded


def guarded(op: Try) -> list[Op]:
    """The operations of a body whose exceptions go to the handler."""
    ops = op.body.ops
    end = next((i for i, inner in enumerate(ops) if is_end_guarded(inner)), len(ops))
    return ops[:end]


def exit_operands(exit: Exit) -> list[Operand]:
    if isinstance(exit, Yield):
        return exit.values
    return [operand for operand in (exit.exception, exit.cause) if operand is not None]


def named(callee: Callable[..., Any]) -> str:
    """A readable name of a callable, for printing and for messages."""
    name = getattr(callee, "__qualname__", None) or getattr(callee, "__name__", None)
    module = getattr(callee, "__module__", None)
    if name is None:
        return repr(callee)
    if module in (None, "builtins"):
        return str(name)
    return f"{'operator' if module == '_operator' else module}.{name}"
