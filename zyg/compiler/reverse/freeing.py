"""Records that hold arrays are let go one by one, where a joint form walks over them.

    for u in reversed(us):              for u in reversed(us):
        ...                      ->         us.pop()
                                            ...

A pullback may be called again, and keeps its records. Where records are numbers, the time that it
takes would show.
"""

from __future__ import annotations

from ir import primitives
from ir.core import Block, Call, Const, For, Loop, Op, Value
from ir.rewrite import count_uses
from ir.types import Known, Sequence, Tuple, Type
from zyg.compiler.reverse.cotangent_types import is_array


def free_records(body: Block) -> None:
    """Lets the reversed loops of a joint form forget each record that they take."""
    collected = {
        value for op in body.ops if isinstance(op, Loop)
        for value in op.results[len(op.init) :]
    }
    uses = count_uses(body)
    for op in body.ops:
        if not isinstance(op, For) or not op.backwards:
            continue
        # Behind what takes the records apart, which is printed as part of the loop.
        at = sum(1 for inner in op.body.ops if _takes_apart(inner, op))
        op.body.ops[at:at] = [
            Call(Const(list.pop), [records], {}, [Value("_", Known(None))], op.loc)
            for records in op.iterables
            if isinstance(records, Value) and records in collected and uses[records] == 1
            and _holds_arrays(records.type)
        ]


def _takes_apart(inner: Op, loop: For) -> bool:
    return (
        isinstance(inner, Call) and isinstance(inner.callee, Const)
        and inner.callee.value is primitives.unpack and inner.args[0] in loop.items
        and inner in loop.body.ops[: len(loop.items)]
    )


def _holds_arrays(type_: Type) -> bool:
    match type_:
        case Tuple(items):
            return any(map(_holds_arrays, items))
        case Sequence(item=item):
            return _holds_arrays(item)
        case _:
            return is_array(type_)
