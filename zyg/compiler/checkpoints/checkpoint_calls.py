"""Calls `zyg.checkpointed(f, *args)`: the pair of `f` keeps its arguments, and runs it again.

    def f_forward(x, w):                     def f_back(saved, y_bar):
        return f(x, w), (x, w)                   x, w = saved
                                                 ...             f and its adjoint, as one function

What `f` captures is an argument like others. A call of what isn't known when code is made does the
same at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir.binding import CannotBind
from ir.core import Const, Function, Location, Operand, Parameters, Value, type_of
from ir.errors import NeedsHeap
from ir.forgettable import IdentityTable
from ir.inference.infer import Inference
from ir.types import Known
from zyg.checkpointing import checkpointed, compare_values
from zyg.compiler.checkpoints.checkpoint_loops import Repeated
from zyg.compiler.generated import identifier
from zyg.compiler.inference.arguments import bind_operands
from zyg.compiler.nested.inner_gradients import expansions
from zyg.compiler.nested.nesting import read_captured, read_own_defaults
from zyg.compiler.overwriting.mutation import unsupported
from zyg.compiler.specialisation import RunAgain
from zyg.compiler.specialise import Specialiser
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import is_running

__all__ = ["checkpointed"]

_repeated: IdentityTable[Function, Repeated] = IdentityTable()


def expanded_call(
    specialiser: Specialiser, inference: Inference, args: list[Operand],
    kwargs: dict[str, Operand], loc: Location | None,
) -> Operand | None:
    """The result of a checkpointed call; None where it is found at run time what is called."""
    if not args:
        return None
    function, *given = args
    if isinstance(function, Value) and function in inference.methods:
        function, owner = inference.methods[function]
        given = [owner, *given]
    target = specialiser.target(type_of(function))
    if target is None:
        return None
    source = target.source
    defaults, kwdefaults = read_own_defaults(inference, function, target)
    try:
        bound = bind_operands(inference, source, given, kwargs, None, defaults, kwdefaults)
    except CannotBind:
        return None
    captured = [
        read_captured(inference, function, value.name, type_)
        for value, type_ in zip(source.captured, target.captures, strict=True)
    ]
    repeated = _repeated.of(source)
    if repeated is None:
        params = [*source.captured, *source.params]
        repeated = Repeated(RunAgain(
            identifier(source.name), params, [], source.body, source.loc,
            Parameters(0, len(params), False, 0, False), globals=source.globals,
        ))
        _repeated.note(source, repeated)
    inputs = [*captured, *bound]
    try:
        made = specialiser.call(Known(repeated), tuple(map(type_of, inputs)), {})
    except NeedsHeap:
        made = None
    if made is None or made.stored or (made.works_on_objects and inference.heap is not None):
        raise unsupported(
            f"a checkpointed call of `{source.name}`, which works on objects", loc,
            "let it work on numbers and arrays",
        )
    if made.updates or made.spoiled:
        changed = repeated.ir_function.params[(*made.updates, *made.spoiled)[0]]
        raise unsupported(
            f"a checkpointed call of `{source.name}`, which changes `{changed.name}` in place", loc,
            "let it change a copy: it is called again with what it was given",
        )
    return inference.call(Const(repeated), *inputs, loc=loc)


class RunAgainBack:
    """The back function of a checkpointed call that was found at run time."""

    def __init__(
        self, pullback: Callable[..., Any], function: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], value: Any,
    ) -> None:
        self._pullback = pullback
        self._call = function, args, kwargs
        self._value = value

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        function, args, kwargs = self._call
        if y_bar is None:
            return (None,) * (2 + len(args) + len(kwargs))
        value, back = self._pullback(function, *args, **kwargs)
        compare_values(getattr(function, "__name__", repr(function)), self._value, value)
        return None, *back(y_bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RunAgainBack:
        """The same with copies of what it holds."""
        function, args, kwargs = self._call
        return RunAgainBack(
            self._pullback, function, copy(args), copy(kwargs), copy(self._value)
        )

    def held(self) -> dict[str, tuple[Any, ...]]:
        """What it holds, by name."""
        function, args, kwargs = self._call
        return {f"arguments of {getattr(function, '__name__', function)!s}": (
            *args, *kwargs.values()
        )}


def run_again(
    pullback: Callable[..., Any], function: Any, *args: Any, **kwargs: Any
) -> tuple[Any, RunAgainBack]:
    """The value of a checkpointed call, and its back function, at run time."""
    if is_running():
        raise NotDifferentiable(
            "a checkpointed call in a program that works on objects, of a function that isn't "
            "known when code is made: call it by its name"
        )
    # Differentiated at once, for what can't be; what that keeps is let go.
    value, _ = pullback(function, *args, **kwargs)
    return value, RunAgainBack(pullback, function, args, kwargs, value)


expansions[id(checkpointed)] = expanded_call
