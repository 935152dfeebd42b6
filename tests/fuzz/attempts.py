"""Random `try` statements: what is raised in them is always caught.

Bodies change nothing in place most of the time: where a handler goes on with what a failing body
has changed, a compiler may refuse.
"""

from __future__ import annotations

from tests.fuzz.functional import Functional
from tests.fuzz.scope import Scope

# How often what a `try` guards may change something in place.
CHANGED = 0.05
# What is raised, and what else catches it.
EXCEPTIONS = {
    "ValueError": ("ValueError", "(KeyError, ValueError)", "Exception"),
    "KeyError": ("KeyError", "LookupError", "(KeyError, TypeError)", "Exception"),
    "IndexError": ("IndexError", "LookupError", "Exception"),
    "ZeroDivisionError": ("ZeroDivisionError", "ArithmeticError", "Exception"),
}


class Attempts(Functional):
    """Writes `try` statements."""

    def block(self, scope: Scope, size: int, nesting: int) -> bool:
        raise NotImplementedError

    def attempt(self, scope: Scope, nesting: int) -> bool:
        kind = self.random.choice(list(EXCEPTIONS))
        has_handler = self.chance(0.85)
        has_finally = not has_handler or self.chance(0.3)
        before = scope.copy()
        inner = scope.copy()
        inner.iterated |= {*inner.lists, *inner.dicts}  # a handler finds what was there before
        after = []
        outer, self.is_quiet = self.is_quiet, self.is_quiet or not self.chance(CHANGED)
        with self.inside("try:"):
            falls = self.block(inner, self.random.randint(0, 1), nesting + 1)
            if falls and has_handler:
                self.fail(inner, kind)
            if falls:
                falls = self.block(inner, 1, nesting + 1)
        bound = {*inner.scalars, *inner.maybe} - set(before.scalars)
        inner.iterated = set(before.iterated)
        if has_handler:
            self.is_quiet = outer
            catch = self.random.choice(EXCEPTIONS[kind])
            others = [name for name in EXCEPTIONS if name != kind]
            if self.chance(0.3):
                self.handler(before, self.random.choice(others), bound, after, nesting)
            self.handler(before, catch, bound, after, nesting)
            if falls and self.chance(0.25):
                with self.inside("else:"):
                    falls = self.block(inner, 1, nesting + 1)
        if falls:
            after.append(inner)
        if after:
            scope.become_join_of(after)
        else:
            scope.maybe |= bound
        if has_finally:
            self.is_quiet = self.is_quiet or not has_handler
            with self.inside("finally:"):
                self.assign(scope)
                if after and self.chance(0.3):
                    self.assign(scope)
        self.is_quiet = outer
        return bool(after)

    def handler(
        self, before: Scope, catch: str, bound: set[str], after: list[Scope], nesting: int
    ) -> None:
        handled = before.copy()
        handled.maybe |= bound
        name = f" as {self.fresh('e')}" if self.chance(0.2) else ""
        with self.inside(f"except {catch}{name}:"):
            if self.block(handled, 1, nesting + 1):
                after.append(handled)

    def fail(self, scope: Scope, kind: str) -> None:
        """A statement that fails for some values."""
        atom, value = self.atom(scope), self.fresh("v")
        raising = [name for name, other in self.raising if other == kind]
        if raising and self.chance(0.5):
            self.write(f"{value} = {self.random.choice(raising)}({self.scalar(scope, 1)})")
            scope.bind(value)
            return
        if kind == "ValueError" or self.chance(0.4):
            with self.inside(f"if {self.condition(scope)}:"):
                self.write(f"raise {kind}('no')")
            return
        if kind == "KeyError":
            failing = f"{{0: {self.scalar(scope, 1)}}}[residue({atom}, 2)]"
        elif kind == "IndexError":
            failing = f"[{self.scalar(scope, 1)}, {atom}][residue({atom}, 3)]"
        else:
            failing = f"mul({self.scalar(scope, 1)}, 6 // residue({atom}, 3))"
        self.write(f"{value} = {failing}")
        scope.bind(value)
