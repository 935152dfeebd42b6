"""Around a run of generated code that works on objects: what holds in this thread as it runs.

    with ForwardPass(memory, names) as held, ReversePass(held, is_joint=True) as shadows:
        x_bar, = run(x)

Passes may stand inside of each other. They are classes since short programs take little more time
than a generator as a context manager does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir.generators import Watching
from ir.tracebacks import forget_frames
from zyg.compiler.run_time.wrappers import forget_cached
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import Holding, RunningNames
from zyg.held.shadow_calls import Run, running, state
from zyg.held.shadows import Shadows


class ForwardPass:
    """Around a forward pass of code that takes the heap; objects hold the values in `held`.

    `leaves_arrays`: nobody changes arrays in place which objects may know; they are values.
    """

    __slots__ = ("_before", "_generators", "_holding", "_names")

    def __init__(
        self, held: list[Any], names: RunningNames, leaves_arrays: bool = False
    ) -> None:
        self._holding = Holding(leaves_arrays)
        self._names = names
        self._generators = Watching()
        self._before = state.run, state.held, state.names
        for value in held:
            self._holding.enter(value)
        # Who else knows an array is not known: all of it is the objects'.
        self._holding.parts.clear()

    def __enter__(self) -> Holding:
        state.run, state.held, state.names = Run(), self._holding, self._names
        self._generators.__enter__()
        return self._holding

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._generators.__exit__()
        run = state.run
        state.run, state.held, state.names = self._before
        if error is None and run is not None:
            # They are kept, and would keep all that the frames hold which they have left.
            for made in run.errors.values():
                forget_frames(made)
        if error is None and any(one._state > 0 for one in self._generators.made):
            raise NotDifferentiable(
                "a generator with `finally` or `with` is left before its end, and nobody "
                "closes it; take all of its items, or call its `close`"
            )


class ReversePass:
    """Around a whole adjoint: gives the table that it fills.

    `held` is the memory that objects hold where it begins: behind the forward pass, which in the
    joint form (`is_joint`) still has to run.
    """

    __slots__ = ("_before", "_contents", "_held", "_made")

    def __init__(self, held: Holding, is_joint: bool = False) -> None:
        self._held = held if is_joint else held.copy()
        self._contents = held.contents
        self._before = running.shadows, state.held

    def __enter__(self) -> Shadows:
        self._made = Shadows(self._contents)
        running.shadows, state.held = self._made, self._held
        return self._made

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        running.shadows, state.held = self._before
        if error is None:
            self._made.unless_remembered()


def joint_without_objects(run: Callable[..., Any], *inputs: Any) -> Any:
    """Runs the joint form of code that works on objects, of which it is given none: a whole call
    of the API."""
    return _joint(run, inputs, False)


def joint_leaving_arrays(run: Callable[..., Any], *inputs: Any) -> Any:
    """The same where objects hold arrays that nobody changes in place, beside what changes."""
    return _joint(run, inputs, True)


def _joint(run: Callable[..., Any], inputs: tuple[Any, ...], leaves_arrays: bool) -> Any:
    forget_cached()
    passing = ForwardPass([], RunningNames(), leaves_arrays)
    with passing as held, ReversePass(held, is_joint=True):
        return run(*inputs)
