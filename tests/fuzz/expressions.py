"""Random expressions and conditions over the names of a scope."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.lines import Lines
from tests.fuzz.scope import Callee, Scope

LONGEST = 4
BUDGET = 3000
KEYS = ("a", "b", "c")
# How often a function captures a variable that is bound again later, by a loop for example: a
# compiler may refuse that, as it must know that no such function outlives the binding.
REBOUND = 0.01
# How what these methods do is written.
OPERATORS = {
    "__call__": "{0}({1})", "__add__": "({0} + {1})", "__mul__": "({0} * {1})",
    "__matmul__": "({0} @ {1})", "__getitem__": "{0}[{1}]", "__neg__": "(-{0})",
    "__invert__": "(~{0})",
}


class Expressions(Lines):
    """Writes expressions."""

    def pick(self, options: list[tuple[float, Callable[[], str]]]) -> str:
        weights = [weight for weight, _ in options]
        ((_, write),) = self.random.choices(options, weights)
        return write()

    def spend(self, cost: int = 1) -> None:
        self.cost += cost * self.times

    def affords(self, cost: int) -> bool:
        return self.cost + cost * self.times <= BUDGET

    def constant(self) -> str:
        return str(self.random.choice([1, 2, 3, 5, 7, 11]))

    def atom(self, scope: Scope) -> str:
        if scope.scalars and self.chance(0.85):
            return self.random.choice(scope.scalars)
        return self.constant()

    def scalar(self, scope: Scope, depth: int = 2) -> str:
        """An expression whose value is a number of the field."""
        self.spend()
        if depth <= 0:
            return self.atom(scope)
        down = depth - 1
        options: list[tuple[float, Callable[[], str]]] = [
            (3, lambda: self.atom(scope)),
            (9, lambda: self.primitive(scope, down)),
            (1.2, lambda: self.ternary(scope, down)),
            (1.0, lambda: self.short_circuit(scope, down)),
            (0.7, lambda: self.lambda_call(scope, down)),
            (0.7, lambda: self.display_item(scope, down)),
        ]
        if scope.lists:
            options.append((2, lambda: self.list_item(scope, down)))
        if scope.lists or scope.tuples:
            options.append((1.5, lambda: self.summed(scope, down)))
        if scope.tuples:
            options.append((1.5, lambda: self.tuple_item(scope)))
        if scope.dicts:
            options.append((1.5, lambda: self.dict_item(scope, down)))
        if scope.arrays:
            options.append((4, lambda: self.array_item(scope)))
        if scope.objects:
            options.append((4, lambda: self.object_part(scope, down)))
        if scope.deques or scope.tables:
            options.append((2, lambda: self.collection_item(scope)))
        callees = [c for c in scope.callees if c.results == 1 and self.affords(c.cost)]
        callees = [c for c in callees if not c.changes or (
            not self.is_quiet and self.changed_by(c, scope)
        )]
        if callees:
            callee = self.random.choice(callees)
            options.append((3, lambda: self.call(callee, scope, down)))
        return self.pick(options)

    def primitive(self, scope: Scope, depth: int) -> str:
        name = self.random.choice(["add", "sub", "mul", "mul", "neg"])
        operands = [self.scalar(scope, depth) for _ in range(1 if name == "neg" else 2)]
        return f"{name}({', '.join(operands)})"

    def ternary(self, scope: Scope, depth: int) -> str:
        then, orelse = self.scalar(scope, depth), self.scalar(scope, depth)
        return f"({then} if {self.condition(scope, depth)} else {orelse})"

    def short_circuit(self, scope: Scope, depth: int) -> str:
        word = self.random.choice(["or", "and"])
        first = self.scalar(scope, depth)
        if self.chance(0.3):
            # Rarely zero by itself, so that both operands are reached.
            first = f"mul({first}, residue({self.atom(scope)}, 2))"
        return f"({first} {word} {self.scalar(scope, depth)})"

    def lambda_call(self, scope: Scope, depth: int) -> str:
        a = self.shadowing(scope, "u")
        inner = scope.copy() if self.chance(REBOUND) else scope.captured()
        inner.bind(a)
        b = self.fresh("u")
        if self.chance(0.3):
            return (
                f"(lambda {a}: lambda {b}: {self.with_name(inner, b, depth)})"
                f"({self.scalar(scope, depth)})({self.scalar(scope, depth)})"
            )
        if self.chance(0.5):
            default = self.scalar(scope, depth)
            body = self.with_name(inner, b, depth)
            return f"(lambda {a}, {b}={default}: {body})({self.scalar(scope, depth)})"
        return f"(lambda {a}: {self.scalar(inner, depth)})({self.scalar(scope, depth)})"

    def with_name(self, scope: Scope, name: str, depth: int) -> str:
        """An expression that surely reads this name too."""
        inner = scope.copy()
        inner.bind(name)
        return f"mul({name}, {self.scalar(inner, depth)})"

    def shadowing(self, scope: Scope, prefix: str) -> str:
        """A name for an inner scope: new, or that of an outer variable."""
        if scope.scalars and self.chance(0.15):
            return self.random.choice(scope.scalars)
        return self.fresh(prefix)

    def display_item(self, scope: Scope, depth: int) -> str:
        items = [self.scalar(scope, depth) for _ in range(2)]
        index = self.random.choice(["0", "1", "-1", f"residue({self.atom(scope)}, 2)"])
        if self.chance(0.3):
            return f"{{'a': {items[0]}, 'b': {items[1]}}}['{self.random.choice('ab')}']"
        opening, closing = self.random.choice(["()", "[]"])
        return f"{opening}{', '.join(items)}{closing}[{index}]"

    def list_item(self, scope: Scope, depth: int) -> str:
        name, length = self.random.choice(list(scope.lists.items()))
        if length == 0:
            test = self.random.choice([name, f"len({name}) > 0", f"not not {name}"])
            return f"({name}[{self.random.choice([0, -1])}] if {test} else {self.atom(scope)})"
        return f"{name}[{self.index(scope, length)}]"

    def index(self, scope: Scope, length: int) -> str:
        if self.chance(0.4):
            return f"residue({self.atom(scope)}, {length})"
        return str(self.random.randrange(-length, length))

    def tuple_item(self, scope: Scope) -> str:
        name, length = self.random.choice(list(scope.tuples.items()))
        return f"{name}[{self.index(scope, length)}]"

    def dict_item(self, scope: Scope, depth: int) -> str:
        name, keys = self.random.choice(list(scope.dicts.items()))
        if not keys or self.chance(0.3):
            return f"{name}.get('{self.random.choice(KEYS)}', {self.scalar(scope, depth)})"
        return f"{name}['{self.random.choice(keys)}']"

    def array_item(self, scope: Scope) -> str:
        name = self.random.choice(list(scope.arrays))
        shape = scope.arrays[name]
        if self.chance(0.15):
            return f"{name}.sum()"
        indices = [self.index(scope, length) for length in shape]
        return f"{name}[{self.random.choice([', ', ']['] ).join(indices)}]"

    def object_part(self, scope: Scope, depth: int) -> str:
        name = self.random.choice(list(scope.objects))
        methods = [m for m in scope.objects[name].callables if self.affords(m.cost)]
        if methods and not self.is_quiet and self.chance(0.3):
            return self.method_call(scope, name, self.random.choice(methods), depth)
        return self.attribute(scope, name)

    def method_call(self, scope: Scope, name: str, method: Callee, depth: int) -> str:
        self.spend(method.cost)
        form = OPERATORS.get(method.name, "{0}." + method.name + "({1})")
        return form.format(name, self.scalar(scope, depth))

    def attribute(self, scope: Scope, name: str) -> str:
        made = scope.objects[name]
        if made.properties and self.chance(0.3):
            method = self.random.choice(made.properties)
            self.spend(method.cost)
            return OPERATORS.get(method.name, "{0}." + method.name).format(name)
        if made.shape and self.chance(0.3):
            return f"{name}.x[{self.index(scope, made.shape[0])}]"
        if made.has_list and self.chance(0.3):
            return self.random.choice([f"sum({name}.l)", f"{name}.l[0]"])
        return f"{name}.{self.random.choice(made.numbers)}"

    def collection_item(self, scope: Scope) -> str:
        name = self.random.choice([*scope.deques, *scope.tables])
        if name in scope.deques:
            return self.random.choice([f"{name}[{self.index(scope, 2)}]", f"sum({name})"])
        if scope.tables[name] == "list":
            return f"sum([sum(e) for e in {name}.values()])"
        if not self.is_quiet and scope.may_grow(name) and self.chance(0.6):
            return f"{name}['{self.random.choice(KEYS)}']"
        return f"sum({name}.values())"

    def changed_by(self, callee: Callee, scope: Scope) -> list[str]:
        """Names that can be given to a function for it to change them."""
        kind = callee.changes
        if kind == "list":
            # It leaves one item at least.
            return [name for name, n in scope.lists.items() if n == 1 and scope.may_grow(name)]
        if kind == "dict":
            return [name for name in scope.dicts if scope.may_grow(name)]
        if isinstance(kind, str):
            return [name for name, made in scope.objects.items() if made.name == kind]
        return [name for name, shape in scope.arrays.items() if shape == kind]

    def summed(self, scope: Scope, depth: int) -> str:
        name = self.random.choice([*scope.lists, *scope.tuples])
        if self.chance(0.2):
            return f"sum({name})"
        return f"sum({self.comprehended(scope, depth)})"

    def comprehended(self, scope: Scope, depth: int) -> str:
        """The inside of a comprehension: `expression for names in iterable if condition`."""
        targets, iterable = self.iteration(scope)
        inner = scope.copy()
        for target in targets:
            inner.bind(target)
        times, self.times = self.times, self.times * LONGEST
        body = f"mul({self.random.choice(targets)}, {self.scalar(inner, depth)})"
        if self.chance(0.3):
            body = self.scalar(inner, depth)
        condition = ""
        if self.chance(0.3):
            condition = f" if {self.condition(inner, 0)}"
        self.times = times
        return f"{body} for {', '.join(targets)} in {iterable}{condition}"

    def iteration(self, scope: Scope) -> tuple[list[str], str]:
        """Targets, and an iterable of at most `LONGEST` items."""
        a = self.shadowing(scope, "e")
        b = self.fresh("e")
        sequences = [*scope.lists, *scope.tuples]
        kinds: list[tuple[list[str], str]] = [([a], f"range({self.random.randint(1, 3)})")]
        if sequences:
            one, other = self.random.choice(sequences), self.random.choice(sequences)
            kinds += [
                ([a], one),
                ([a], f"reversed({one})"),
                ([a], f"{one}[1:]"),
                ([a, b], f"zip({one}, {other})"),
                ([a, b], f"enumerate({one})"),
            ]
        if scope.dicts:
            kinds.append(([a], f"{self.random.choice(list(scope.dicts))}.values()"))
        kinds += [([a], name) for name in scope.deques]
        for name, factory in scope.tables.items():
            if factory != "list":
                kinds.append(([a], f"[{name}[{b}] for {b} in {name}]"))
        return self.random.choice(kinds)

    def call(self, callee: Callee, scope: Scope, depth: int, changed: str = "") -> str:
        """A call, with the arguments given in one of the ways that Python has."""
        self.spend(callee.cost)
        arguments = []
        if callee.changes:
            arguments.append(changed or self.random.choice(self.changed_by(callee, scope)))
        if callee.takes_function:
            arguments.append(self.function(scope, depth))
        if callee.counted:
            arguments.append(str(self.random.randint(0, 3)))
        if callee.starred:
            given = [self.scalar(scope, depth) for _ in range(self.random.randint(0, 2))]
            sequences = [*scope.lists, *scope.tuples]
            if scope.lists and self.chance(0.5):
                sequences = list(scope.lists)
            if sequences:
                at = self.random.randint(0, len(given))
                given.insert(at, f"*{self.random.choice(sequences)}")
            return f"{callee.name}({', '.join([*arguments, *given])})"
        optional = self.random.randint(0, callee.optional)
        values = [self.scalar(scope, depth) for _ in range(callee.parameters + optional)]
        keywords = [
            f"{name}={self.scalar(scope, depth)}"
            for name in callee.keyword_only
            if self.chance(0.6)
        ]
        if values and self.chance(0.15):
            values = [f"*({', '.join(values)},)"]
        return f"{callee.name}({', '.join([*arguments, *values, *keywords])})"

    def function(self, scope: Scope, depth: int) -> str:
        """A function of one scalar, as an expression."""
        simple = [
            c.name
            for c in scope.callees
            if c.is_simple
            and not c.changes
            and c.parameters <= 1 <= c.parameters + c.optional and c.cost < 40
        ]
        if simple and self.chance(0.5):
            return self.random.choice(simple)
        name = self.shadowing(scope, "u")
        inner = scope.captured()
        return f"lambda {name}: {self.with_name(inner, name, depth)}"

    def condition(self, scope: Scope, depth: int = 1) -> str:
        """An expression that is true for some values and false for others."""
        atom = self.scalar(scope, min(depth, 1))
        k = self.random.choice([2, 2, 3, 4])
        r = self.random.randrange(k)
        residue = f"residue({atom}, {k})"
        options: list[tuple[float, Callable[[], str]]] = [
            (5, lambda: f"{residue} {self.random.choice(['==', '!='])} {r}"),
            (2, lambda: f"{residue} {self.random.choice(['<', '<=', '>', '>='])} {k // 2}"),
            (1, lambda: f"{residue} {self.random.choice(['in', 'not in'])} (0, 2)"),
            (1, lambda: f"0 {self.random.choice(['<', '<='])} {residue} < {k}"),
            (1, lambda: residue),
            (1, lambda: f"not {residue}"),
        ]
        if depth > 0:
            options.append((2, lambda: self.joined(scope, depth - 1)))
        if depth > 0 and (scope.lists or scope.tuples):
            options.append((1.5, lambda: self.quantified(scope)))
        return self.pick(options)

    def joined(self, scope: Scope, depth: int) -> str:
        word = self.random.choice(["and", "or"])
        return f"({self.condition(scope, depth)} {word} {self.condition(scope, depth)})"

    def quantified(self, scope: Scope) -> str:
        sequence = self.random.choice([*scope.lists, *scope.tuples])
        name = self.fresh("e")
        word, comparison = self.random.choice(["any", "all"]), self.random.choice(["==", "!="])
        return f"{word}(residue({name}, 3) {comparison} 0 for {name} in {sequence})"
