"""Which calls in differentiated code differentiate, and what they are in terms of.

    zyg.gradient(f, x)          the joint form of `f`, by `zyg.compiler.nested.nesting`

Most programs have none, so that what makes IR of them is imported at the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.core import Const, Function, Location, Operand
from ir.errors import Unsupported
from ir.record import node

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls
    from zyg.compiler.specialise import Specialiser

# The public functions that differentiate, and whether they return the value too.
_differentiating: dict[int, bool] = {}


def differentiates(function: Any, with_value: bool) -> None:
    """Declares that calls of `function(f, *args)` give the gradients of `f`."""
    _differentiating[id(function)] = with_value


def _as_it_is(inference: TypedCalls, args: list[Operand], with_value: bool, loc: Any) -> Any:
    return None


# Makes IR of a gradient of a function that is known at run time only; set by `zyg.api`.
unknown: Any = _as_it_is
# Other functions that differentiate, by what makes IR of their calls.
expansions: dict[int, Any] = {}


def _no_code(callee: object) -> Any:
    return None


def no_code(solver: Any) -> Unsupported:
    return Unsupported(
        f"{solver.__module__.partition('._')[0]}.{solver.__name__} inside of a function whose "
        "gradient is differentiated", advice="it has first derivatives only",
    )


# The plain code for calls of a solver in a program with inner gradients; set by `zyg.api`.
solver_inside: Any = _no_code


@node
class Derived:
    """The joint form of a function as something that IR can call."""

    ir_function: Function
    passed: list[int]
    active: list[int]
    loaded: Any = None
    # Whether it works on objects, and is a program like the user's there.
    is_of_program: bool = False

    @property
    def __name__(self) -> str:
        return self.ir_function.name

    def __call__(self, *args: Any) -> Any:
        if self.loaded is None:
            from ir.closures import load_function

            self.loaded = load_function(self.ir_function)
        found = self.loaded(*args)
        return found[0] if self.ir_function.updates else found


class Unsettled(Exception):
    """What objects hold isn't known yet: a gradient is made when all else has been looked at."""


class HoldsMemory(Exception):
    """Objects hold memory that changes: it has to be followed (`ir.memory.followed_memory`)."""


class HoldsViews(Exception):
    """Objects hold views of arrays: what stands for contents is that of the whole ones."""


class Stepped(Exception):
    """An iterator of Python's own goes on by steps, and what these do isn't known: the generator
    that stands for it has to be in its place."""


class MayBeLocal(Exception):
    """Memory that objects hold is changed by a name that may mean memory of the function's own:
    that should be theirs, too (`ir.syntax.changed_names`)."""


class CallsSolver(Exception):
    """The function of an inner gradient calls a solver, whose rule is for first derivatives: plain
    code has to be in the place of solvers."""


class Opened(Exception):
    """A gradient would have to know what the run time finds: see `zyg.compiler.run_time.apart`."""


def expanded(
    specialiser: Specialiser,
    inference: TypedCalls,
    callee: Operand,
    args: list[Operand],
    kwargs: dict[str, Operand],
    loc: Location | None,
) -> Operand | None:
    """The result of a call that differentiates, in terms of the joint form; None for others."""
    if not isinstance(callee, Const):
        return None
    if id(callee.value) in expansions:
        found: Operand | None = expansions[id(callee.value)](
            specialiser, inference, args, kwargs, loc
        )
        return found
    with_value = _differentiating.get(id(callee.value))
    if with_value is None or not args:
        return None
    from zyg.compiler.nested import nesting

    return nesting.expanded(specialiser, inference, args, kwargs, with_value, loc)
