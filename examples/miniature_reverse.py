"""Reverse mode below a hundred lines: how little it takes where the IR is structured.

    for _ in range(n):     ==>     for _ in range(n): records.append((y,)); y = y * x
        y = y * x                  for record in reversed(records):
                                       x_bar = x_bar + y_bar * record[0]; y_bar = y_bar * x

A block hands out, as one record, what its adjoint reads of it; `break` and early `return` need no
more. Whatever else than `FACTORS`, `if` and loops a derivative would pass through raises.
"""

from operator import add, getitem, mul

import ir
from ir import Call, Const, For, If, Value, While, Yield
from ir.builder import Builder
from ir.primitives import build_tuple
from ir.rewrite import clone, defined, free_values, substitute
from ir.simplify import eliminate_dead

ZERO, ONE = Const(0.0), Const(1.0)
FACTORS = {add: lambda x, y: (ONE, ONE), mul: lambda x, y: (y, x)}


class Adjoint(Builder):
    """Runs a block backwards; makes the operations of the block hand out what that reads."""

    def __init__(self, block, seeds):
        super().__init__()
        if not isinstance(block.exit, Yield):
            raise ir.Unsupported("`raise` has no adjoint here", block.exit.loc)
        self.bars = {}
        self.contribute(block.exit.values, seeds)
        for op in reversed(block.ops):
            bars = [self.bars.pop(result, ZERO) for result in op.results]
            if any(bar is not ZERO for bar in bars):
                self.reverse(op, bars)

    def contribute(self, operands, bars):
        for operand, bar in zip(operands, bars, strict=True):
            if isinstance(operand, Value) and bar is not ZERO:
                known = self.bars.get(operand, ZERO)
                self.bars[operand] = bar if known is ZERO else self.call(add, known, bar)

    def reverse(self, op, bars):
        match op:
            case Call(Const(callee), args) if callee in FACTORS:
                for arg, factor in zip(args, FACTORS[callee](*args), strict=True):
                    if isinstance(arg, Value):
                        bar = bars[0] if factor is ONE else self.call(mul, bars[0], factor)
                        self.contribute([arg], [bar])
            case If(cond):
                (a, b), (then, orelse) = op.blocks, [Adjoint(block, bars) for block in op.blocks]
                targets, record = list(then.bars | orelse.bars), Value("record")
                adjoints = then.close(a, targets, record), orelse.close(b, targets, record)
                self.append(If(cond, *adjoints, bars_of(targets)))
                op.results.append(record)
                self.contribute(targets, self.ops[-1].results)
            case For() | While() if len(op.results) == len(op.init):
                body = Adjoint(op.body, [ZERO, *(seeds := bars_of(op.carried))])
                outer = [value for value in body.bars if value not in op.carried]
                if not defined(op.body).isdisjoint(outer):
                    raise ir.Unsupported("the items of a loop have no cotangents here", op.loc)
                body.contribute(outer, sums := bars_of(outer))
                targets, record, records = [*op.carried, *outer], Value("record"), Value("records")
                adjoint = body.close(op.body, targets, record, Const(False))
                adjoint.params = [record, *seeds, *sums]
                init, results = [*bars, *(ZERO for _ in outer)], bars_of(targets)
                self.append(For([records], init, adjoint, results, backwards=True))
                op.results.append(records)
                self.contribute([*op.init, *outer], results)
            case _:
                raise ir.Unsupported("this has no adjoint here", op.loc)

    def close(self, forward, targets, record, *first):
        """The adjoint block; it takes the record apart that the forward block now hands out."""
        adjoint = self.block([], [*first, *(self.bars.get(target, ZERO) for target in targets)])
        saved = [value for value in free_values(adjoint) if value in defined(forward)]
        forward.ops.append(Call(Const(build_tuple), saved, {}, [Value("record")]))
        forward.exit.values += forward.ops[-1].results
        own = {value: Value(value.name) for value in saved}
        substitute(adjoint, own)
        adjoint.ops[:0] = [
            Call(Const(getitem), [record, Const(i)], {}, [v]) for i, v in enumerate(own.values())
        ]
        return adjoint


def bars_of(values):
    return [Value(f"{value.name}_bar") for value in values]


def gradient(function):
    """The IR of a function that returns the gradient of a scalar function, as a tuple."""
    made = clone(ir.parse(function))  # what `parse` gives is shared
    eliminate_dead(made.body)
    adjoint = Adjoint(made.body, [ONE])
    bars = [adjoint.bars.get(param, ZERO) for param in made.params]
    made.body.exit = Yield([adjoint.call(build_tuple, *bars)])
    made.body.ops += adjoint.ops
    eliminate_dead(made.body)
    return made


def main():
    def logistic(x, rate, steps):
        for _ in range(steps):
            x = rate * x * (1.0 + -1.0 * x)
            if x > 0.9:
                break
        return x

    made = gradient(logistic)
    print(ir.emit(made))
    print(ir.load(made)(0.3, 3.7, 5))


if __name__ == "__main__":
    main()
