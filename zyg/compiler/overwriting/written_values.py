"""Which values name memory that is changed in place, by whatever version of it."""

from __future__ import annotations

from ir.core import Block, Call, For, If, Operand, Try, Value, While, Yield
from ir.memory.memory_facts import changed_by


def written_values(body: Block) -> set[Value]:
    """The values that a block makes or reads of which a version, this or another, is changed."""
    groups: dict[Value, Value] = {}

    def find(value: Value) -> Value:
        while value in groups:
            value = groups[value]
        return value

    def unite(a: Operand, b: Operand) -> None:
        if isinstance(a, Value) and isinstance(b, Value):
            left, right = find(a), find(b)
            if left is not right:
                groups[left] = right

    changed: list[Value] = []
    seen: list[Value] = []

    def scan(block: Block) -> None:
        for op in block.ops:
            seen.extend(op.results)
            match op:
                case Call():
                    before = changed_by(op)
                    changed.extend(before)
                    # Behind a call, new versions come after its value.
                    for old, new in zip(before, op.results[-len(before) :], strict=False):
                        unite(new, old)
                case If() | Try():
                    for inner in op.blocks:
                        scan(inner)
                        if isinstance(inner.exit, Yield):
                            for result, value in zip(op.results, inner.exit.values, strict=True):
                                unite(result, value)
                case For() | While():
                    seen.extend(op.body.params)
                    scan(op.body)
                    ends = op.body.exit.values[1:] if isinstance(op.body.exit, Yield) else []
                    for param, start in zip(op.carried, op.init, strict=True):
                        unite(param, start)
                    for param, end, result in zip(op.carried, ends, op.results, strict=False):
                        unite(param, end)
                        unite(param, result)
                case _:
                    pass

    scan(body)
    roots = {find(value) for value in changed}
    return {value for value in (*seen, *changed, *groups) if find(value) in roots}

