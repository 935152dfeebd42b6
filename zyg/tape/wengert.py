"""The tape: a growing list of calls, each of which names its parents by their indices.

    t = Tape()
    x = t.input(0.5)            #0      Input
    y = 1 - x                   #1      Constant 1
                                #2      Operation subtract, parents (1, 0)

Values and calls are kept in two lists; `tape.nodes` shows them as nodes. Nobody changes what stands
on a tape, it only grows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.tape.assumptions import Assumption, Kind
from zyg.tape.forms import Form, Layout
from zyg.tape.nodes import CONSTANT, INPUT, Node, Nodes
from zyg.tape.wrappers import WRAPPERS, ArrayWrapper, RealWrapper, Wrapper
from zyg.unusual_arrays import refuse_unusual

# A function, the indices of its parents, and the form of its arguments if they are not just those.
Recorded: TypeAlias = tuple[Any, tuple[int, ...], Form | None]
NO_CALL_CONSTANT: Recorded = (CONSTANT, (), None)
NO_CALL_INPUT: Recorded = (INPUT, (), None)


def identity(x: Any) -> Any:
    """A value once more, as the argument of a nested gradient: its uses are told apart."""
    return x


# The value of a node that nobody will ask for any more.
SPENT: Final = object()


class Tape:
    """The Wengert list of a program.

    >>> from zyg.tape import Tape
    >>> t = Tape()
    >>> x = t.input(3.0)
    >>> y = x * x + 1
    >>> t.nodes[y.idx]
    Node #3 { op=add input=[#1, Const(1)] }
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.calls: list[Recorded] = []
        self.assumptions: list[Assumption] = []
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.names: list[str] = []  # of the inputs
        self.adjoints: list[int] = []  # where each adjoint program begins
        self.arguments: tuple[Any, ...] | None = None  # with slots for the inputs
        self.result: Any = None  # with slots for the outputs
        # While an adjoint is recorded: the nodes that are found again, by function and parents.
        self.known: dict[tuple[Any, tuple[int, ...]], int] | None = None
        self.own: tuple[Any, tuple[int, ...], Form | None, int] | None = None
        # For a gradient of plain values: the back functions that the rules have given, by node.
        self.backs: dict[int, Callable[[Any], Any]] | None = None
        self.refusal: Exception | None = None  # what the program was refused, if anything
        self._seen: dict[tuple[Any, tuple[int, ...]], int] = {}
        self._seen_until = 0
        self._constants: dict[Any, int] = {}
        self._assumed: set[int] = set()
        self._active = bytearray()
        self.program: Any = None  # what replays it

    @property
    def nodes(self) -> Sequence[Node]:
        """All nodes in the order of their indices; parents stand in front of their children."""
        return Nodes(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "program": None}  # replay makes it again

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        own = {CONSTANT: NO_CALL_CONSTANT, INPUT: NO_CALL_INPUT}
        self.calls = [
            own[call[0]] if isinstance(call[0], str) else call for call in self.calls
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Tape of {len(self)} nodes, {len(self.inputs)} inputs>"

    def __str__(self) -> str:
        from zyg.tape.printing import listing

        return listing(self)

    # Nodes

    def append(
        self, value: Any, function: Any, parents: tuple[int, ...], form: Form | None = None
    ) -> int:
        """Appends a call that has given a value; the index of its node."""
        self.values.append(value)
        self.calls.append((function, parents, form))
        return len(self.values) - 1

    def input(self, value: Any, name: str = "") -> Any:
        """A new input; what is computed from it is recorded.

        >>> Tape().input(3)
        RealWrapper{int}(3, #0)
        """
        if isinstance(value, Wrapper):
            raise NotDifferentiable(
                "a value of a tape is no input of another one: pass x.val, or give it to "
                "tape.gradient, which appends to the tape of its arguments"
            )
        if isinstance(value, (list, tuple)):
            value = np.array(value)
        if isinstance(value, np.ndarray):
            refuse_unusual(value)
            value = frozen_copy(value)
        elif not isinstance(value, (int, float, complex, np.number)):
            raise NotDifferentiable(
                f"an input is a number or an array of them, not a {type(value).__name__}"
            )
        self.values.append(value)
        self.calls.append(NO_CALL_INPUT)
        idx = len(self.values) - 1
        self.inputs.append(idx)
        self.names.append(name or f"x{len(self.inputs)}")
        return self.wrapper(idx)

    def output(self, x: Any) -> None:
        """Declares an output. Without one, the last node is the output."""
        self.outputs = [*self.outputs, self.index_of(x)]
        self.result = None

    def constant(self, value: Any) -> int:
        """The index of the constant node of a number or array; equal ones are one node."""
        if isinstance(value, np.ndarray):
            return self._constant_array(value)
        # Zeros may differ in their sign.
        key = (type(value), value or repr(value))
        idx = self._constants.get(key)
        if idx is None:
            idx = self._constants[key] = self._new_constant(value)
        return idx

    def _constant_array(self, value: np.ndarray[Any, Any]) -> int:
        """Arrays are copied: the program may write into its own later."""
        refuse_unusual(value)
        key = (np.ndarray, id(value))
        idx = self._constants.get(key)
        if idx is None or not is_same_array(self.values[idx], value):
            idx = self._constants[key] = self._new_constant(frozen_copy(value))
        return idx

    def _new_constant(self, value: Any) -> int:
        self.values.append(value)
        self.calls.append(NO_CALL_CONSTANT)
        return len(self.values) - 1

    def is_constant(self, idx: int) -> bool:
        return self.calls[idx] is NO_CALL_CONSTANT

    def is_spent(self, idx: int) -> bool:
        """Whether the value of a node was given up, by a gradient that needs it no more."""
        return self.values[idx] is SPENT

    def wrapper(self, idx: int) -> Any:
        """The value of a node, wrapped."""
        value = self.values[idx]
        return (ArrayWrapper if type(value) is np.ndarray else RealWrapper)(value, self, idx)

    def index_of(self, x: Any) -> int:
        """The node of an operand: a wrapper of this tape, a number, an array."""
        if type(x) in WRAPPERS:
            if x.tape is not self:
                raise self.refused(mixed())
            return int(x.idx)
        return self.constant(x)

    def layout(self) -> Layout:
        return Layout(self.index_of)

    def output_indices(self) -> list[int]:
        """The outputs: those that were declared, or else the last node."""
        if self.outputs:
            return self.outputs
        if not self.values:
            raise ValueError("this tape is empty: record something first")
        return [len(self.values) - 1]

    # Assumptions

    def assume(self, idx: int, expected: Any) -> None:
        """Notes that the program depends on a value, or on the kind of a value."""
        if idx not in self._assumed and not self.is_constant(idx):
            if not isinstance(expected, Kind):
                self._assumed.add(idx)
            self.assumptions.append(Assumption(idx, expected))

    def is_active(self, idx: int, is_flat: Callable[[Any], bool]) -> bool:
        """Whether a value depends on inputs by calls that have derivatives.

        `is_flat` says which functions have none.
        """
        active = self._active
        for i in range(len(active), len(self.calls)):
            function, parents, _ = self.calls[i]
            if function is INPUT:
                active.append(np.result_type(self.values[i]).kind != "b")
            elif function is CONSTANT:
                active.append(False)
            elif function is identity:
                active.append(True)
            else:
                is_any = any(active[parent] for parent in parents)
                active.append(is_any and not is_flat(function))
        return bool(active[idx])

    # Refusals

    def refused(self, error: Exception) -> Exception:
        """Notes that the program was refused something, in case that a handler of its own catches
        the error, and it goes another way than it would with plain numbers."""
        if self.known is None and self.refusal is None:
            self.refusal = error
        return error

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Runs a program; raises what it was refused, even if it has caught that."""
        outer = self._taken_refusal()
        try:
            yield
        except Exception as error:
            refusal = self._taken_refusal()
            if refusal is not None and refusal is not error:
                raise refusal from error
            raise
        finally:
            refusal, self.refusal = self.refusal, outer
        if refusal is not None:
            raise refusal

    def _taken_refusal(self) -> Exception | None:
        refusal, self.refusal = self.refusal, None
        return refusal

    # Nodes that are found again

    def find_again(self) -> dict[tuple[Any, tuple[int, ...]], int]:
        """The nodes by function and parents, for calls that need not be recorded twice."""
        seen = self._seen
        for idx in range(self._seen_until, len(self.calls)):
            function, parents, form = self.calls[idx]
            if form is None and parents and function is not identity:
                seen.setdefault((function, parents), idx)
        self._seen_until = len(self.calls)
        return seen


def mixed() -> TypeError:
    return NotDifferentiable(
        "values of two tapes were mixed: pass what an inner gradient refers to as an argument"
    )


def frozen_copy(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy that is not written into; one number that is spread over a shape stays one."""
    if array.size > 1 and not any(array.strides):
        return np.broadcast_to(array.flat[0], array.shape)
    copied = np.array(array, subok=False)
    copied.flags.writeable = False
    return copied


def is_same_array(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays hold the same bits; NaN is the same as itself."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(np.array_equal(a, b)) or a.tobytes() == b.tobytes()
