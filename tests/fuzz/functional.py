"""Random uses of functions that take functions: of the built-in ones, `functools`, `itertools`.

    v1 = reduce(lambda u2, u3: add(mul(u2, 5), u3), l4, a)
"""

from __future__ import annotations

from tests.fuzz.expressions import LONGEST
from tests.fuzz.held import Held
from tests.fuzz.scope import Scope


class Functional(Held):
    """Writes calls that hand functions and iterators on."""

    def use_function(self, scope: Scope) -> None:
        if self.chance(0.35):
            self.sort(scope)
            return
        name = self.fresh("v")
        self.write(f"{name} = {self.passing(scope)}")
        scope.bind(name)

    def sequence(self, scope: Scope) -> str:
        """A sequence of one item at least, and four at most."""
        known = [name for name, least in [*scope.lists.items(), *scope.tuples.items()] if least]
        if known and self.chance(0.8):
            return self.random.choice(known)
        return f"[{self.scalar(scope, 1)}, {self.scalar(scope, 1)}]"

    def key(self, scope: Scope) -> str:
        """A function to order numbers by."""
        u = self.fresh("u")
        return f"lambda {u}: {self.random.choice(['', '-'])}residue({u}, {self.constant()})"

    def folding(self, scope: Scope) -> str:
        u, w = self.fresh("u"), self.fresh("u")
        inner = scope.captured()
        times, self.times = self.times, self.times * LONGEST
        body = f"{self.random.choice(['add', 'sub'])}(mul({u}, {self.scalar(inner, 1)}), {w})"
        self.times = times
        return f"lambda {u}, {w}: {body}"

    def many(self, scope: Scope) -> str:
        """A function of one number that is called for each item."""
        times, self.times = self.times, self.times * LONGEST
        function = self.function(scope, 1)
        self.times = times
        return function

    def passing(self, scope: Scope) -> str:
        """A number that functions given to others compute."""
        self.spend(LONGEST)
        one, other = self.sequence(scope), self.sequence(scope)
        e, b = self.fresh("e"), self.fresh("e")
        kind = self.random.randrange(14)
        if kind < 2:
            return f"sum({self.random.choice(['', 'list'])}(map({self.many(scope)}, {one})))"
        if kind == 2:
            return f"sum(map({self.folding(scope)}, {one}, {other}))"
        if kind == 3:
            return f"sum(list(filter(lambda {e}: residue({e}, 2) == 0, {one})))"
        if kind in (4, 5):
            start = self.random.choice(["", f", {self.scalar(scope, 1)}"])
            return f"reduce({self.folding(scope)}, {one}{start})"
        if kind in (6, 7):
            return f"{self.random.choice(['min', 'max'])}({one}, key={self.key(scope)})"
        if kind == 8:
            return f"sum([mul({e}, {b}) for {e}, {b} in enumerate(accumulate({one}), 2)])"
        if kind == 9:
            return f"sum([mul({e}, {b}) for {e}, {b} in enumerate(chain({one}, {other}), 2)])"
        if kind == 10:
            return f"sum([mul({e}, {b}) for {e}, {b} in product({one}, {other})])"
        if kind == 11:
            return f"partial({self.folding(scope)}, {self.scalar(scope, 1)})({self.atom(scope)})"
        if kind == 12:
            return f"sum([mul({e}, {b}) for {e}, {b} in zip(islice({one}, 2), {other})])"
        fields = f"Point({self.scalar(scope, 1)}, v={self.scalar(scope, 1)})"
        return self.random.choice([
            f"(lambda p: mul(p.u, p.v))({fields})", f"{fields}._replace(u={self.atom(scope)}).u",
            f"sum({fields})",
        ])

    def sort(self, scope: Scope) -> None:
        """A list in another order, the same or a new one."""
        known = [name for name in scope.lists if scope.may_grow(name)]
        order = self.random.choice(["", ", reverse=True"])
        if known and not self.is_quiet and self.chance(0.7):
            name = self.random.choice(known)
            self.write(self.random.choice([
                f"{name}.sort(key={self.key(scope)}{order})", f"{name}.reverse()",
            ]))
            return
        name = self.fresh("l")
        self.write(f"{name} = sorted({self.sequence(scope)}, key={self.key(scope)}{order})")
        scope.lists[name] = 1
