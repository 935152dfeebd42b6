"""Whether the compiler differentiates a random program rightly, compared with `==`."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.fuzz.field import P
from tests.fuzz.oracles import Run, by_duals
from tests.fuzz.program import FILE, Inputs, Program

Differentiate: TypeAlias = Callable[[Program], AbstractContextManager[Run]]

# A program with `try` in nested loops takes twenty to compile (known debts in docs/design.md).
SECONDS = 60
REFUSALS = ("Unsupported", "UnsupportedSyntax", "SharedMemory", "NotDifferentiable")


@dataclass(frozen=True)
class Failure:
    """A program for which the compiler does something else than the oracle."""

    program: Program
    inputs: Inputs
    expected: object
    found: object

    @property
    def kind(self) -> str:
        """What sort of failure: `wrong` numbers, or the class of the exception."""
        return "wrong" if isinstance(self.found, tuple) else str(self.found).partition("(")[0]

    @property
    def is_refusal(self) -> bool:
        """Whether the compiler said that it doesn't support a line of the program, or one that a
        dataclass of the program has."""
        found = str(self.found)
        return self.kind in REFUSALS and (FILE in found or "<init of dataclass" in found)

    def __str__(self) -> str:
        return (
            f"seed {self.program.seed}, inputs {self.inputs}\n"
            f"expected {self.expected!r}\nfound    {self.found!r}\n\n{self.program.source}"
        )


class TookTooLong(BaseException):
    """Generated code that doesn't end, say because an exit got lost."""


def check(
    program: Program, differentiate: Differentiate | None = None,
    reference: Differentiate = by_duals,
) -> Failure | None:
    """The first input at which value, derivatives or the class of exception differ, if any."""
    if differentiate is None:
        from tests.fuzz.compiled import by_zyg

        differentiate = by_zyg
    with reference(program) as oracle, differentiate(program) as run:
        for inputs in program.inputs:
            expected, found = outcome(oracle, inputs), outcome(run, inputs)
            if found != expected:
                return Failure(program, inputs, expected, found)
    return None


def failures(
    programs: Iterable[Program], differentiate: Differentiate | None = None,
    reference: Differentiate = by_duals,
) -> Iterator[Failure]:
    for program in programs:
        if (failure := check(program, differentiate, reference)) is not None:
            yield failure


def count_failures(programs: Iterable[Program], differentiate: Differentiate | None = None) -> int:
    """How many of the programs fail: the way to try a compiler with a bug put in.

    Programs that are refused don't count. The compiler's cache is cleared before each program,
    so a patch takes effect at once.
    """
    return sum(not failure.is_refusal for failure in failures(programs, differentiate))


def outcome(run: Run, inputs: Inputs) -> object:
    """`(values, derivatives modulo P)`, or the exception: its class where it is the program's."""
    try:
        with time_limit(SECONDS):
            values, derivatives = run(inputs)
    except UnboundLocalError as error:
        return type(error)
    except (Exception, TookTooLong) as error:
        return repr(error)
    return values, tuple(exact(derivative) for derivative in derivatives)


def exact(derivative: Any) -> object:
    """A derivative modulo P; None is zero, and a float must still be exact."""
    if derivative is None:
        return 0
    if isinstance(derivative, float) and (abs(derivative) >= 2**53 or derivative % 1):
        return derivative
    return int(derivative) % P


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in the main thread of a system that has alarms, after so many seconds of
    its own work: other processes don't count."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGVTALRM"):
        yield
        return

    is_reporting = False

    def give_up(signum: int, frame: object) -> None:
        if not is_reporting:
            raise TookTooLong(f"more than {seconds} s")

    def report(unraisable: sys.UnraisableHookArgs) -> None:
        """Hands on what a finalizer raised, apart from this, and is not interrupted at it."""
        nonlocal is_reporting
        is_reporting = True
        try:
            if not issubclass(unraisable.exc_type, TookTooLong):
                reported(unraisable)
        finally:
            is_reporting = False

    reported, sys.unraisablehook = sys.unraisablehook, report
    previous = signal.signal(signal.SIGVTALRM, give_up)
    # Again and again: handlers of the program may catch the first, or a finalizer may swallow it.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:  # where it strikes just before it is stopped, it has been taken
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
        sys.unraisablehook = reported
