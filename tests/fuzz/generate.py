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
from tests.fuzz.statements import THEMES, Statements

INPUTS = 3
# Of the arrays that a program is given.
LENGTH = 4
# The most characters of a program of which second derivatives are taken.
SHORT = 2500


def generate(seed: int) -> Program:
    """The random program of this seed."""
    random = Random(seed)
    arrays = random.choice(["", "", "x", "xy"])
    source = Writer(random).program(arrays)
    inputs = tuple(
        (*_numbers(random, 3), *(_numbers(random, LENGTH) for _ in arrays)) for _ in range(INPUTS)
    )
    return Program(source, inputs, seed)


def _numbers(random: Random, count: int) -> tuple[int, ...]:
    return tuple(random.randrange(1, P) for _ in range(count))


class Writer(Statements):
    """Writes whole functions."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.results = 1
        themes = [*THEMES, "attempts"]
        self.themes = random.sample(themes, random.choice([0, 0, 1, 1, 2, 2, 3]))

    def program(self, arrays: str) -> str:
        callees: list[Callee] = []
        if "objects" in self.themes:
            for _ in range(self.random.randint(1, 2)):
                self.cost = 0
                self.classes.append(self.write_class(callees))
                self.lines += ["", ""]
                if self.chance(0.5):
                    self.changing_object(callees)
                    self.lines += ["", ""]
        if "attempts" in self.themes:
            for write in (self.write_manager, self.write_raising):
                if self.chance(0.5):
                    self.cost = 0
                    write(callees)
                    self.lines += ["", ""]
        kinds = [
            self.plain,
            self.plain,
            self.pair,
            self.starred,
            self.starred,
            self.recursive,
            self.tree_recursive,
            self.mutual,
            self.higher_order,
            self.changing_array,
            self.changing_array,
            self.changing_container,
            self.making_array,
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
        for name in arrays:
            scope.arrays[name] = (LENGTH,)
        header = f"def {ENTRY}({', '.join(['a', 'b', 'c', *arrays])}):"
        self.function_body(header, scope, self.random.randint(3, 6), 0)
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
        terms += [self.array_sum(name, len(shape)) for name, shape in scope.arrays.items()]
        for name, made in scope.objects.items():
            terms += [f"mul({name}.{number}, {k})" for k, number in enumerate(made.numbers, 2)]
            terms += [f"{name}.x.sum()"] if made.shape else []
            terms += [f"sum({name}.l)"] if made.has_list else []
        terms += [f"sum([mul(e, i) for i, e in enumerate({name}, 3)])" for name in scope.deques]
        terms += [self.everything_held(name, holder) for name, holder in scope.holders.items()]
        for name, factory in scope.tables.items():
            items = f"sum([sum(e) for e in {name}.values()])"
            terms.append(items if factory == "list" else f"sum({name}.values())")
        half = len(terms) // 2
        if self.results == 2:
            return f"{' + '.join(terms[:half])}, {' + '.join(terms[half:])}"
        return " + ".join(terms)

    def array_sum(self, name: str, rank: int) -> str:
        """A sum in which each item has its own factor."""
        if self.chance(0.3):
            return f"{name}.sum()"
        items = name if rank == 1 else f"{name}.reshape(-1)"
        return f"sum([mul(e, i) for i, e in enumerate({items}, 3)])"

    def result(self, scope: Scope) -> str:
        names = self.random.sample(scope.scalars, min(3, len(scope.scalars)))
        sums = [f"mul({name}, {k})" for k, name in enumerate(names, 2)]
        if scope.arrays and self.chance(0.5):
            name = self.random.choice(list(scope.arrays))
            sums.append(self.array_sum(name, len(scope.arrays[name])))
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
        with self.inside(f"def {name}(*rest):"):
            self.write(f"s = {self.constant()}")
            with self.inside("for v in rest:", 6):
                scope.bind("v")
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

    def changing_array(self, callees: list[Callee]) -> None:
        """A function that changes an array, perhaps in a branch or loop, and gives a number."""
        name = self.fresh("h")
        shape = self.random.choice([(4,), (4,), (3,), (2, 2)])
        scope = self.helper_scope(callees, ["a"])
        scope.arrays["v"] = shape
        with self.inside(f"def {name}(v, a):"):
            self.change_array(scope, "v")
            if self.block(scope, self.random.randint(0, 1), 2):
                self.change_array(scope, "v")
                self.write(f"return {self.everything(scope)}")
        callees.append(Callee(name, 1, self.cost + 1, changes=shape))

    def changing_container(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        kind = self.random.choice(["list", "list", "dict"])
        scope = self.helper_scope(callees, ["a"])
        if kind == "list":
            scope.lists["v"] = 1
        else:
            scope.dicts["v"] = ()
        with self.inside(f"def {name}(v, a):"):
            for _ in range(self.random.randint(1, 2)):
                (self.change_list if kind == "list" else self.change_dict)(scope, "v")
            if self.block(scope, self.random.randint(0, 1), 2):
                self.write(f"return {self.everything(scope)}")
        callees.append(Callee(name, 1, self.cost + 1, changes=kind))

    def changing_object(self, callees: list[Callee]) -> None:
        name = self.fresh("h")
        made = self.random.choice(self.classes)
        scope = self.helper_scope(callees, ["a"])
        scope.objects["v"] = made
        with self.inside(f"def {name}(v, a):"):
            self.change_object(scope, "v")
            if self.block(scope, self.random.randint(0, 1), 2):
                self.change_object(scope, "v")
                self.write(f"return {self.everything(scope)}")
        callees.append(Callee(name, 1, self.cost + 1, changes=made.name))

    def making_array(self, callees: list[Callee]) -> None:
        """A function that gives a new array, which it has filled item by item."""
        name, i = self.fresh("h"), self.fresh("i")
        scope = self.helper_scope(callees, ["a"])
        with self.inside(f"def {name}(a):"):
            self.write(f"v = np.zeros({LENGTH})")
            scope.arrays["v"] = (LENGTH,)
            with self.inside(f"for {i} in range({LENGTH}):", LENGTH):
                scope.bind(i)
                self.write(f"v[{i}] = {self.scalar(scope)}")
                if self.chance(0.4):
                    with self.inside(f"if {self.condition(scope)}:"):
                        self.write(self.random.choice(["break", "break", "continue"]))
                self.write(f"v[{i}] += {self.scalar(scope, 1)}")
            self.write("return v")
        callees.append(Callee(name, 1, self.cost + 1, results=0))
