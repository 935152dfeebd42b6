"""Calls `zyg.checkpointed(f, *args)`: the pair of `f` keeps its arguments, and runs it again.

    def f_forward(x, w):                     def f_back(saved, y_bar):
        return f(x, w), (x, w)                   x, w = saved
                                                 ...             f and its adjoint, as one function

What `f` captures is an argument like others. A call of what isn't known when code is made does the
same at run time.
"""

from __future__ import annotations

import types
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
from zyg.compiler.inference.objects import is_place
from zyg.compiler.nested.inner_gradients import expansions
from zyg.compiler.nested.nesting import read_captured, read_own_defaults
from zyg.compiler.overwriting.mutation import unsupported
from zyg.compiler.run_time import from_api
from zyg.compiler.run_time.apart import class_of_held
from zyg.compiler.specialisation import RunAgain
from zyg.compiler.specialise import Specialiser
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import version_of
from zyg.held.memory_kinds import held_by
from zyg.held.reaching import reached
from zyg.held.shadow_calls import is_running
from zyg.signature import is_users

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
        if inference.heap is None:
            raise
        return None
    if inference.heap is not None and (made is None or made.stored or made.works_on_objects):
        return None
    if made is None or made.stored:
        raise NeedsHeap(f"a checkpointed call of `{source.name}`, which stores into objects", loc)
    if made.updates or made.spoiled:
        changed = repeated.ir_function.params[(*made.updates, *made.spoiled)[0]]
        raise unsupported(
            f"a checkpointed call of `{source.name}`, which changes `{changed.name}` in place", loc,
            "let it change a copy: it is called again with what it was given",
        )
    return inference.call(Const(repeated), *inputs, loc=loc)


class Reached:
    """What a call may read of objects, as it is now.

    Nothing is copied: what was put there since is another object, and what was changed in place
    tells the number of its changes.
    """

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        self._read = [function, *(arg for arg in args if is_place(type(arg)))]
        self._found = self._now()

    def _now(self) -> list[tuple[Any, int]]:
        return [(one, version_of(one)) for value in self._read for one in reached(value, held_by)]

    def unless_changed(self, name: str) -> None:
        """Raises if it isn't the same any more."""
        now = self._now()
        if len(now) != len(self._found) or any(
            one is not before or version != version_before
            for (one, version), (before, version_before) in zip(now, self._found, strict=True)
        ):
            raise NotDifferentiable(
                f"the checkpointed call of {name} reads an object that has been changed since; "
                "give it what it reads as arguments"
            )


class RunAgainBack:
    """The back function of a checkpointed call that was found at run time."""

    def __init__(
        self, pullback: Callable[..., Any], function: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], value: Any, read: Reached | None,
    ) -> None:
        self._pullback = pullback
        self._call = function, args, kwargs
        self._value = value
        self._read = read

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        function, args, kwargs = self._call
        if y_bar is None:
            return (None,) * (2 + len(args) + len(kwargs))
        name = getattr(function, "__name__", repr(function))
        if self._read is not None:
            self._read.unless_changed(name)
        value, back = self._pullback(function, *args, **kwargs)
        compare_values(name, self._value, value)
        return None, *back(y_bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RunAgainBack:
        """The same with copies of what it holds."""
        function, args, kwargs = self._call
        return RunAgainBack(
            self._pullback, function, copy(args), copy(kwargs), copy(self._value), self._read
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
        _unless_storing(function, args, kwargs)
    # Differentiated at once, for what can't be; what that keeps is let go.
    value, _ = pullback(function, *args, **kwargs)
    read = None
    if is_running():
        _unless_giving_objects(function, value)
        read = Reached(function, args)
    return value, RunAgainBack(pullback, function, args, kwargs, value, read)


def _unless_storing(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises for a function that changes objects, which it would find changed the second time."""
    plain, given = function, args
    if is_users(type(function)):
        plain, given = type(function).__call__, (function, *args)
    elif isinstance(function, types.MethodType):
        plain, given = function.__func__, (function.__self__, *args)
    if isinstance(plain, types.FunctionType) and from_api.may_store(plain, given, kwargs):
        raise NotDifferentiable(
            f"a checkpointed call of {plain.__name__}, which may store into objects; let it return "
            "what it computes"
        )


def _unless_giving_objects(function: Any, value: Any) -> None:
    found = class_of_held(value)
    if found is not None:
        raise NotDifferentiable(
            f"a checkpointed call of {getattr(function, '__name__', function)!s}, which gives a "
            f"{found.__name__}; let it give numbers and arrays"
        )


expansions[id(checkpointed)] = expanded_call
