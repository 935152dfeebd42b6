"""Nodes of a tape, as they are shown: immutable, each known by its index.

    Node #42 { op=sigmoid input=[#16] }

A node is made when somebody asks for it; the tape keeps lists.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

if TYPE_CHECKING:
    from zyg.tape.wengert import Tape

# What stands in the place of the function where a node is no call.
CONSTANT: Final = "constant"
INPUT: Final = "input"


class Primitive(str):
    """The name of an operation, which calls the function that it stands for.

    >>> import operator
    >>> op = primitive_named(operator.mul)
    >>> op, op == "multiply", op(2, 3)
    ('multiply', True, 6)
    """

    __slots__ = ("function",)

    function: Any

    @property
    def __name__(self) -> str:
        return str(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


# Python's operators have the names of the ufuncs that do the same.
OPERATOR_NAMES: dict[Any, str] = {
    operator.add: "add", operator.sub: "subtract", operator.mul: "multiply",
    operator.truediv: "divide", operator.floordiv: "floor_divide", operator.mod: "remainder",
    operator.pow: "power", operator.matmul: "matmul", operator.neg: "negative",
    operator.pos: "positive", operator.abs: "absolute", abs: "absolute",
    operator.lt: "less", operator.le: "less_equal", operator.eq: "equal",
    operator.ne: "not_equal", operator.gt: "greater", operator.ge: "greater_equal",
    operator.and_: "bitwise_and", operator.or_: "bitwise_or", operator.xor: "bitwise_xor",
    operator.invert: "invert",
}  # fmt: skip


@functools.lru_cache(4096)
def primitive_named(function: Any) -> Primitive:
    """The operation that a recorded function is."""
    name = OPERATOR_NAMES.get(function) or getattr(function, "__name__", str(function))
    primitive = Primitive(name)
    primitive.function = function
    return primitive


class Node:
    """One entry of a tape: `idx`, `value`, `op`, `parents` (indices). Two are equal if they are
    the same entry of the same tape."""

    __slots__ = ("idx", "tape")

    idx: int
    tape: Tape

    def __init__(self, tape: Tape, idx: int) -> None:
        object.__setattr__(self, "tape", tape)
        object.__setattr__(self, "idx", idx)

    @property
    def value(self) -> Any:
        return self.tape.values[self.idx]

    @property
    def op(self) -> Primitive | None:
        """What computes the value; nothing, for constants and inputs."""
        return None

    @property
    def parents(self) -> tuple[int, ...]:
        return self.tape.calls[self.idx][1]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("nodes don't change: change the program, and record it again")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.tape is other.tape and self.idx == other.idx

    def __hash__(self) -> int:
        return hash((id(self.tape), self.idx))

    def __repr__(self) -> str:
        from zyg.tape.printing import shown_node

        return shown_node(self)


class Constant(Node):
    """A literal value, or an array that was no input."""

    __slots__ = ()


class Input(Node):
    """A value that the program was given."""

    __slots__ = ()


class Operation(Node):
    """A call of a function with the values of other nodes."""

    __slots__ = ()

    @property
    def op(self) -> Primitive:
        return primitive_named(self.tape.calls[self.idx][0])


_KINDS: dict[Any, type[Node]] = {CONSTANT: Constant, INPUT: Input}


def node_at(tape: Tape, idx: int) -> Node:
    function = tape.calls[idx][0]
    kind = _KINDS.get(function, Operation) if type(function) is str else Operation
    return kind(tape, idx)


class Nodes(Sequence[Node]):
    """The nodes of a tape, by their indices."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def __len__(self) -> int:
        return len(self._tape)

    @overload
    def __getitem__(self, index: int) -> Node: ...

    @overload
    def __getitem__(self, index: slice) -> list[Node]: ...

    def __getitem__(self, index: int | slice) -> Node | list[Node]:
        positions = range(len(self._tape))[index]
        if isinstance(positions, range):
            return [node_at(self._tape, idx) for idx in positions]
        return node_at(self._tape, positions)

    def __iter__(self) -> Iterator[Node]:
        return (node_at(self._tape, idx) for idx in range(len(self._tape)))

    def __repr__(self) -> str:
        return repr(list(self))
