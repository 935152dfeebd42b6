"""Random `with` and `match` statements, and exceptions that are raised again.

    with W1(mul(a, b)) as w2:          match residue(w2, 4):
        c = add(w2, 3)            ->       case 0 | 3: b = mul(c, c)
                                           case m3 if residue(m3, 2) == 1: b = 5
"""

from __future__ import annotations

from tests.fuzz.attempts import EXCEPTIONS, Attempts
from tests.fuzz.scope import Callee, Class, Manager, Scope


class Guarded(Attempts):
    """Writes statements whose bodies run under some condition or care."""

    def write_manager(self, callees: list[Callee]) -> None:
        """A class of context managers, some of which swallow one kind of exception."""
        swallows = self.random.choice(["", "", "ValueError", "KeyError"])
        name = self.fresh("W")
        scope = Scope(callees=[c for c in callees if c.cost < 30 and not c.changes])
        scope.objects["self"] = Class(name, ("u",), (), False, ())
        with self.inside(f"class {name}:"):
            with self.inside("def __init__(self, u):"):
                self.write("self.u = u")
            self.write("")
            with self.inside("def __enter__(self):"):
                if self.chance(0.5):
                    self.write(f"self.u = {self.scalar(scope)}")
                self.write(f"return {self.scalar(scope, 1)}")
            self.write("")
            with self.inside("def __exit__(self, kind, value, trace):"):
                self.write(f"self.u {self.random.choice(['=', '+='])} {self.scalar(scope)}")
                if swallows:
                    self.write(self.random.choice([
                        f"return kind is {swallows}",
                        f"return kind is not None and issubclass(kind, {swallows})",
                    ]))
                elif self.chance(0.3):
                    self.write("return False")
        self.managers.append(Manager(name, swallows))

    def write_raising(self, callees: list[Callee]) -> None:
        """A function that raises for some values."""
        kind = self.random.choice(["ValueError", "KeyError"])
        name = self.fresh("h")
        scope = Scope(callees=[c for c in callees if c.cost < 30])
        scope.bind("a")
        with self.inside(f"def {name}(a):"):
            if self.chance(0.5):
                self.assign(scope)
            with self.inside(f"if {self.condition(scope)}:"):
                self.write(f"raise {kind}('no')")
            self.write(f"return mul(a, {self.scalar(scope)})")
        self.raising.append((name, kind))

    def assign(self, scope: Scope) -> None:
        raise NotImplementedError

    def guard(self, scope: Scope, nesting: int) -> bool:
        """A `with` statement."""
        manager = self.random.choice(self.managers) if self.managers else None
        if manager is None or self.chance(0.2):
            swallows = self.random.choice(["", "ValueError"])
            context = f"suppress({swallows})" if swallows else "np.errstate(all='ignore')"
            header = f"with {context}:"
            return self.guarded_body(header, scope, swallows, "", nesting)
        held, name = self.fresh("w"), self.fresh("v")
        has_name = self.chance(0.8)
        value = f"{manager.name}({self.scalar(scope)})"
        is_known = self.chance(0.6)
        if is_known:
            self.write(f"{held} = {value}")
            value = held
        header = f"with {value}{f' as {name}' if has_name else ''}:"
        falls = self.guarded_body(header, scope, manager.swallows, name * has_name, nesting)
        if falls and is_known:
            after = self.fresh("v")
            self.write(f"{after} = {held}.u")
            scope.bind(after)
        return falls

    def guarded_body(
        self, header: str, scope: Scope, swallows: str, name: str, nesting: int
    ) -> bool:
        before, inner = scope.copy(), scope.copy()
        if name:
            inner.bind(name)
        outer, self.is_quiet = self.is_quiet, self.is_quiet or bool(swallows)
        with self.inside(header):
            falls = self.block(inner, 1, nesting + 1)
            if falls and swallows:
                self.fail(inner, swallows)
            if falls:
                self.assign(inner)
                falls = self.block(inner, self.random.randint(0, 1), nesting + 1)
        self.is_quiet = outer
        if swallows:
            before.maybe |= {*inner.scalars, *inner.maybe} - set(before.scalars)
            scope.become_join_of([before, inner] if falls else [before])
            return True
        if falls:
            scope.become_join_of([inner])
        return falls

    def raise_again(self, scope: Scope, nesting: int) -> bool:
        """An exception that its first handler raises again, perhaps as another one."""
        kind = self.random.choice(list(EXCEPTIONS))
        other = self.random.choice([kind, *EXCEPTIONS])
        total = self.target(scope)
        inner = scope.copy()
        with self.inside("try:"):
            with self.inside("try:"):
                self.fail(inner, kind)
                self.write(f"{total} = {self.scalar(inner)}")
            caught = self.fresh("e")
            with self.inside(f"except {kind} as {caught}:"):
                self.write(f"{total} = {self.scalar(scope)}")
                self.write(self.random.choice([
                    "raise", f"raise {caught}", f"raise {other}('again') from {caught}",
                ]))
            if self.chance(0.3):
                with self.inside("finally:"):
                    noted = self.fresh("v")
                    self.write(f"{noted} = {self.scalar(scope)}")
            with self.inside(f"if {self.condition(scope)}:"):
                self.write(f"{total} = {self.scalar(scope)}")
        with self.inside(f"except ({kind}, {other}):"):
            after = scope.copy()
            after.bind(total)
            self.write(f"{total} = mul({total}, {self.scalar(after)})")
        scope.bind(total)
        return True

    def target(self, scope: Scope) -> str:
        raise NotImplementedError

    def match(self, scope: Scope, nesting: int) -> bool:
        """A `match` on a small number, on a pair, or on what a sequence holds."""
        after = []
        kind = self.random.randrange(3)
        a, b = self.fresh("v"), self.fresh("v")
        if kind == 0:
            subject = f"residue({self.scalar(scope)}, 4)"
            cases = ["0", "1 | 2", f"{a} if {a} == 3"]
            bound: list[list[str]] = [[], [], [a]]
        elif kind == 1:
            subject = f"(residue({self.atom(scope)}, 2), {self.scalar(scope)})"
            cases, bound = [f"(0, {a})", f"(1, {b})"], [[a], [b]]
        else:
            subject = self.random.choice([*scope.lists, *scope.tuples, "(3, 5)"])
            cases, bound = [f"[{a}]", f"[{a}, {b}]", f"[{a}, *_]"], [[a], [a, b], [a]]
        cases.append("_")
        bound.append([])
        with self.inside(f"match {subject}:"):
            for case, names in zip(cases, bound, strict=True):
                inner = scope.copy()
                for name in names:
                    inner.bind(name)
                with self.inside(f"case {case}:"):
                    if self.block(inner, self.random.randint(1, 2), nesting + 1):
                        after.append(inner)
        if not after:
            return False
        scope.become_join_of(after)
        return True
