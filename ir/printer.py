"""IR to text: a listing in which every value has its own name and its type.

    function square(x: float):
        t_1: float = operator.mul(x, x)
        return t_1
"""

from __future__ import annotations

from collections import Counter

from ir.core import (
    Block,
    Call,
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
    guarded,
    named,
)
from ir.types import TOP


def format_function(function: Function) -> str:
    """The listing of a function."""
    return "\n".join(_Printer().function(function))


def format_block(block: Block) -> str:
    """The listing of a block alone."""
    return "\n".join(_Printer().block(block, "yield"))


class _Printer:
    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._counts: Counter[str] = Counter()

    def name(self, value: Value) -> str:
        if value not in self._names:
            self._counts[value.name] += 1
            number = self._counts[value.name]
            is_plain = number == 1 and value.name != "t"
            self._names[value] = value.name if is_plain else f"{value.name}_{number}"
        return self._names[value]

    def typed(self, value: Value) -> str:
        return self.name(value) if value.type == TOP else f"{self.name(value)}: {value.type!r}"

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Value):
            return self.name(operand)
        value = operand.value
        if callable(value) or hasattr(value, "__name__"):
            return named(value)
        return repr(value)

    def function(self, function: Function) -> list[str]:
        params = [self.typed(param) for param in function.params]
        captured = "".join(f" [{self.typed(value)}]" for value in function.captured)
        head = f"function {function.name}({', '.join(params)}){captured}:"
        return [head, *self.indented(self.block(function.body, "return"))]

    def indented(self, lines: list[str]) -> list[str]:
        return ["    " + line for line in lines]

    def block(self, block: Block, leave: str) -> list[str]:
        lines = [line for op in block.ops for line in self.op(op)]
        match block.exit:
            case Yield(values):
                if values:
                    lines.append(f"{leave} {', '.join(map(self.operand, values))}")
                elif not lines:
                    lines.append("pass")
            case Raise(exception, cause):
                parts = [] if exception is None else [self.operand(exception)]
                lines.append(" ".join(["raise", *parts]) + (
                    "" if cause is None else f" from {self.operand(cause)}"
                ))
        return lines

    def op(self, op: Op) -> list[str]:
        match op:
            case Call():
                args = [self.operand(arg) for arg in op.args]
                args += [f"{name}={self.operand(arg)}" for name, arg in op.kwargs.items()]
                call = f"{self.operand(op.callee)}({', '.join(args)})"
                return [f"{', '.join(map(self.typed, op.results))} = {call}"]
            case If():
                lines = [f"{self.results(op.results)}if {self.operand(op.cond)}:"]
                lines += self.indented(self.block(op.then, "yield"))
                lines += ["else:", *self.indented(self.block(op.orelse, "yield"))]
                return lines
            case Try():
                caught = ", ".join(map(self.operand, op.catches))
                lines = [f"{self.results(op.results)}try:"]
                first = guarded(op)
                lines += self.indented([line for inner in first for line in self.op(inner)])
                rest = Block([], op.body.ops[len(first) + 1 :], op.body.exit)
                lines += ["else:"] if len(first) < len(op.body.ops) else []
                lines += self.indented(self.block(rest, "yield"))
                lines.append(f"except {caught} as {self.typed(op.error)}:")
                return [*lines, *self.indented(self.block(op.handler, "yield"))]
            case For():
                items = ", ".join(map(self.typed, op.items))
                sources = ", ".join(map(self.operand, op.iterables))
                sources = f"reversed({sources})" if op.backwards else sources
                head = f"for {items} in {sources}"
                return self.loop(op, head)
            case While():
                return self.loop(op, "while")
            case Lambda():
                captures = ", ".join(map(self.operand, op.captures))
                lines = self.function(op.function) if op.function.code is not op.function else [
                    f"function {op.function.name}"
                ]
                return [f"{self.typed(op.result)} = closure[{captures}] {lines[0]}"]

    def loop(self, op: For | While, head: str) -> list[str]:
        pairs = zip(op.carried, op.init, strict=True)
        carried = ", ".join(f"{self.typed(p)} = {self.operand(o)}" for p, o in pairs)
        with_carried = f" with {carried}" if carried else ""
        lines = [f"{self.results(op.results)}{head}{with_carried}:"]
        return [*lines, *self.indented(self.block(op.body, "yield"))]

    def results(self, results: list[Value]) -> str:
        return f"{', '.join(map(self.typed, results))} = " if results else ""
