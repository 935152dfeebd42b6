"""Random structured programs: helpers of several kinds, then `program(a, b, c)`.

    generate(7).source        the same text for the same seed

They end by construction: counts bound every loop and recursion, and `Expressions.cost` their
product. Variables that closures capture aren't assigned again afterwards.
"""

from __future__ import annotations

from random import Random

from tests.fuzz.field import P
from tests.fuzz.program import ENTRY, Program
from tests.fuzz.scope import Callee, Scope
from tests.fuzz.statements import Statements

INPUTS = 3


def generate(seed: int) -> Program:
    """The random program of this seed."""
    random = Random(seed)
    source = Writer(random).program()
    inputs = tuple(tuple(random.randrange(1, P) for _ in range(3)) for _ in range(INPUTS))
    return Program(source, inputs, seed)


class Writer(Statements):
    """Writes whole functions."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.results = 1

    def program(self) -> str:
        callees: list[Callee] = []
        kinds = [
            self.plain,
            self.plain,
            self.pair,
            self.starred,
            self.recursive,
            self.tree_recursive,
            self.mutual,
            self.higher_order,
        ]
        for helper in self.random.sample(kinds, self.random.randint(0, 3)):
            self.cost = 0
            helper(callees)
            self.lines += ["", ""]
        self.cost = 0
        scope = Scope(callees=callees)
        for name in "abc":
            scope.bind(name)
        if self.chance(0.5):
            scope.freeze("a")
        self.function_body(f"def {ENTRY}(a, b, c):", scope, self.random.randint(3, 6), 0)
        return "\n".join(self.lines) + "\n"

    def function_body(self, header: str, scope: Scope, size: int, nesting: int) -> None:
        with self.inside(header):
            if self.block(scope, size, nesting):
                self.write(f"return {self.everything(scope)}")

    def everything(self, scope: Scope) -> str:
        """A result that depends on all that the function has computed."""
        terms = [f"mul({name}, {k})" for k, name in enumerate(scope.scalars, 2)]
        terms += [f"sum({name})" for name in [*scope.lists, *scope.tuples]]
        terms += [f"sum({name}.values())" for name in scope.dicts]
        half = len(terms) // 2
        if self.results == 2:
            return f"{' + '.join(terms[:half])}, {' + '.join(terms[half:])}"
        return " + ".join(terms)

    def result(self, scope: Scope) -> str:
        names = self.random.sample(scope.scalars, min(3, len(scope.scalars)))
        sums = [f"mul({name}, {k})" for k, name in enumerate(names, 2)]
        values = [" + ".join([*sums, self.scalar(scope)]) for _ in range(self.results)]
        return ", ".join(values)

    def helper_scope(self, callees: list[Callee], names: list[str]) -> Scope:
        scope = Scope(callees=[c for c in callees if c.cost < 30])
        for name in names:
            scope.bind(name)
        return scope

    def plain(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        optional, keyword_only = self.random.randint(0, 1), self.random.randint(0, 1)
        parameters = ["a", *(["b=3"] * optional), *(["*", "k=5"] if keyword_only else [])]
        names = [p.split("=")[0] for p in parameters if p != "*"]
        scope = self.helper_scope(callees, names)
        header = f"def {name}({', '.join(parameters)}):"
        self.function_body(header, scope, self.random.randint(1, 3), 1)
        callees.append(Callee(name, 1, self.cost + 1, optional, ("k",) * keyword_only))

    def pair(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        scope = self.helper_scope(callees, ["a", "b"])
        self.results = 2
        self.function_body(f"def {name}(a, b):", scope, self.random.randint(1, 2), 2)
        self.results = 1
        callees.append(Callee(name, 2, self.cost + 1, results=2))

    def starred(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        scope = self.helper_scope(callees, ["s"])
        scope.tuples["rest"] = 0
        with self.inside(f"def {name}(*rest):"):
            self.write(f"s = {self.constant()}")
            with self.inside("for v in rest:", 6):
                scope.bind("v")
                del scope.tuples["rest"]
                if self.chance(0.4):
                    with self.inside(f"if {self.condition(scope)}:"):
                        self.write(self.random.choice(["continue", "break", "return mul(s, v)"]))
                self.write(f"s = add(mul(s, v), {self.scalar(scope, 1)})")
            self.write("return s")
        callees.append(Callee(name, 0, self.cost + 1, starred=True))

    def recursive(self, callees: list[Callee]) -> None:
        name = self.fresh("r")
        scope = self.helper_scope(callees, ["a", "b"])
        with self.inside(f"def {name}(n, a, b):", 4):
            with self.inside("if n <= 0:"):
                self.write(f"return {self.scalar(scope)}")
            self.block(scope, self.random.randint(0, 1), 3)
            call = f"{name}(n - 1, {self.scalar(scope, 1)}, {self.scalar(scope, 1)})"
            self.write(f"return {self.random.choice([call, f'mul(a, {call})'])}")
        callees.append(Callee(name, 2, self.cost + 1, counted=True))

    def tree_recursive(self, callees: list[Callee]) -> None:
        name = self.fresh("r")
        scope = self.helper_scope(callees, ["a"])
        with self.inside(f"def {name}(n, a):", 15):
            with self.inside(f"if n == 0 or {self.condition(scope, 0)}:"):
                self.write(f"return {self.scalar(scope, 1)}")
            left, right = (f"{name}(n - 1, {self.scalar(scope, 1)})" for _ in range(2))
            self.write(f"return add({left}, mul({right}, a))")
        callees.append(Callee(name, 1, self.cost + 1, counted=True))

    def mutual(self, callees: list[Callee]) -> None:
        one, other = self.fresh("r"), self.fresh("r")
        scope = self.helper_scope(callees, ["a"])
        for name, next_name in ((one, other), (other, one)):
            with self.inside(f"def {name}(n, a):", 4):
                result, following = self.scalar(scope, 1), self.scalar(scope, 1)
                call = f"mul({next_name}(n - 1, {following}), 2)"
                self.write(f"return {result} if n == 0 else {call}")
            self.lines += ["", ""]
        callees.append(Callee(one, 1, self.cost + 1, counted=True))

    def higher_order(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        text = self.random.choice(["f(f(a))", "add(f(a), f(3))", "sum(f(e) for e in [a, 2])"])
        self.spend(90)
        with self.inside(f"def {name}(f, a):"):
            self.write(f"return {text}")
        callees.append(Callee(name, 1, self.cost, takes_function=True))
