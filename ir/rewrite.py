"""Walking, copying and substituting: what passes share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ir.core import (
    Block,
    Call,
    Exit,
    For,
    Function,
    If,
    Lambda,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
)

Mapping = dict[Value, Operand]


def walk(block: Block) -> list[Op]:
    """All operations of a block and of the blocks inside it, in program order."""
    found: list[Op] = []
    _add_ops(block, found)
    return found


def _add_ops(block: Block, found: list[Op]) -> None:
    for op in block.ops:
        found.append(op)
        if type(op) is not Call:
            for inner in blocks_of(op):
                _add_ops(inner, found)


def blocks(block: Block) -> list[Block]:
    """A block and all blocks inside it, the outer ones first."""
    found: list[Block] = []
    _add_blocks(block, found)
    return found


def _add_blocks(block: Block, found: list[Block]) -> None:
    found.append(block)
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _add_blocks(inner, found)


def count_uses(block: Block) -> Counter[Value]:
    """How often each value is read in a block, blocks inside it included."""
    read: list[Operand] = []
    for inner in blocks(block):
        for op in inner.ops:
            if type(op) is Call:  # the most frequent one by far
                read.append(op.callee)
                read += op.args
                if op.kwargs:
                    read += op.kwargs.values()
            else:
                read += operands_of(op)
        read += exit_operands(inner.exit)
    return Counter([operand for operand in read if type(operand) is Value])


def defined(block: Block) -> set[Value]:
    """The values that a block or a block inside it defines."""
    found: set[Value] = set()
    for inner in blocks(block):
        found.update(inner.params)
        for op in inner.ops:
            found.update(op.results)
    return found


def free_values(block: Block) -> list[Value]:
    """The values that a block reads from outside, in order of their first use."""
    own = defined(block)
    return [value for value in count_uses(block) if value not in own]


def free_of(op: Op) -> list[Value]:
    """The values that an operation reads, by itself or in its blocks, from outside of it."""
    found = dict.fromkeys(o for o in operands_of(op) if isinstance(o, Value))
    for block in blocks_of(op):
        found.update(dict.fromkeys(free_values(block)))
    return list(found)


def substitute(block: Block, mapping: Mapping) -> None:
    """Replaces operands in place, in a block and in all blocks inside it."""
    if not mapping:
        return

    def new(operand: Operand) -> Operand:
        while operand in mapping:  # which has no constants
            operand = mapping[operand]
        return operand

    is_apart = mapping.keys().isdisjoint
    for inner in blocks(block):
        for op in inner.ops:
            if not is_apart(operands_of(op)):
                replace_operands(op, new)
        if not is_apart(exit_operands(inner.exit)):
            replace_exit(inner.exit, new)


def replace_operands(op: Op, new: Callable[[Operand], Operand]) -> None:
    """Replaces the operands that an operation reads itself."""
    match op:
        case Call():
            op.callee = new(op.callee)
            op.args = [new(arg) for arg in op.args]
            op.kwargs = {name: new(arg) for name, arg in op.kwargs.items()}
        case If():
            op.cond = new(op.cond)
        case Try():
            op.catches = [new(operand) for operand in op.catches]
        case For():
            op.iterables = [new(iterable) for iterable in op.iterables]
            op.init = [new(operand) for operand in op.init]
        case While():
            op.init = [new(operand) for operand in op.init]
        case Lambda():
            op.captures = [new(operand) for operand in op.captures]
            op.defaults = [new(operand) for operand in op.defaults]
            op.kwdefaults = {name: new(operand) for name, operand in op.kwdefaults.items()}


def replace_exit(exit: Exit, new: Callable[[Operand], Operand]) -> None:
    match exit:
        case Yield():
            exit.values = [new(value) for value in exit.values]
        case Raise():
            exit.exception = None if exit.exception is None else new(exit.exception)
            exit.cause = None if exit.cause is None else new(exit.cause)


def clone(function: Function) -> Function:
    """A copy with values of its own, for a pass to change."""
    mapping: Mapping = {}
    return Function(
        name=function.name,
        params=[_fresh(value, mapping) for value in function.params],
        captured=[_fresh(value, mapping) for value in function.captured],
        body=clone_block(function.body, mapping),
        loc=function.loc,
        signature=function.signature,
        defaults=function.defaults,
        kwdefaults=function.kwdefaults,
        globals=function.globals,
        code=function.code,
        docstring=function.docstring,
    )


def clone_block(block: Block, mapping: Mapping) -> Block:
    """A copy of a block; `mapping` says what outer values become, and learns the new ones."""
    params = [_fresh(param, mapping) for param in block.params]
    ops = [clone_op(op, mapping) for op in block.ops]
    return Block(params, ops, clone_exit(block.exit, mapping))


def clone_exit(exit: Exit, mapping: Mapping) -> Exit:
    match exit:
        case Yield(values):
            return Yield([_mapped(value, mapping) for value in values])
        case Raise(exception, cause, loc):
            return Raise(
                None if exception is None else _mapped(exception, mapping),
                None if cause is None else _mapped(cause, mapping),
                loc,
            )


def clone_op(op: Op, mapping: Mapping) -> Op:
    """A copy of an operation, with new results that `mapping` learns."""

    def new(operand: Operand) -> Operand:
        return _mapped(operand, mapping)

    match op:
        case Call():
            kwargs = {name: new(arg) for name, arg in op.kwargs.items()}
            args = [new(arg) for arg in op.args]
            return Call(new(op.callee), args, kwargs, _all_fresh(op.results, mapping), op.loc)
        case If():
            cond = new(op.cond)
            then, orelse = clone_block(op.then, mapping), clone_block(op.orelse, mapping)
            return If(cond, then, orelse, _all_fresh(op.results, mapping), op.loc)
        case Try():
            catches = [new(operand) for operand in op.catches]
            body, handler = clone_block(op.body, mapping), clone_block(op.handler, mapping)
            return Try(body, handler, catches, _all_fresh(op.results, mapping), op.loc)
        case For():
            iterables = [new(iterable) for iterable in op.iterables]
            init = [new(operand) for operand in op.init]
            body = clone_block(op.body, mapping)
            results = _all_fresh(op.results, mapping)
            return For(iterables, init, body, results, op.backwards, op.loc)
        case While():
            init = [new(operand) for operand in op.init]
            body = clone_block(op.body, mapping)
            return While(init, body, _all_fresh(op.results, mapping), op.loc)
        case Lambda():
            return Lambda(
                op.function,
                [new(operand) for operand in op.captures],
                [new(operand) for operand in op.defaults],
                {name: new(operand) for name, operand in op.kwdefaults.items()},
                _fresh(op.result, mapping),
                op.loc,
            )


def _fresh(value: Value, mapping: Mapping) -> Value:
    new = Value(value.name, value.type)
    mapping[value] = new
    return new


def _all_fresh(values: list[Value], mapping: Mapping) -> list[Value]:
    return [_fresh(value, mapping) for value in values]


def _mapped(operand: Operand, mapping: Mapping) -> Operand:
    return mapping.get(operand, operand)  # type: ignore[arg-type]  # which has no constants
