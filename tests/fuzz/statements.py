"""Random statements: assignments, branches, loops with every kind of exit, inner functions.

Each program has one theme or two at most, so that its parts have to do with each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.expressions import KEYS, LONGEST, REBOUND
from tests.fuzz.guarded import Guarded
from tests.fuzz.scope import Callee, Scope

DEEPEST = 3
KEY = "key_"


class Statements(Guarded):
    """Writes blocks of statements into `lines`.

    Each method that writes a statement changes the scope to what holds after it and says whether
    control can get there.
    """

    def block(self, scope: Scope, size: int, nesting: int) -> bool:
        """Writes statements as long as control can get there."""
        return all(self.statement(scope, nesting) for _ in range(size))

    def statement(self, scope: Scope, nesting: int) -> bool:
        if scope.maybe and self.chance(0.005):
            self.read_maybe(scope)
            return True
        if self.themes and self.chance(0.4 if nesting == 0 else 0.15):
            theme = self.random.choice(self.themes)
            if theme != "attempts":
                if not self.is_quiet:
                    THEMES[theme](self, scope)
                    return True
            elif nesting < DEEPEST and self.affords(60) and self.lines[-1].strip() != "try:":
                write = self.random.choice([self.attempt] * 3 + [self.guard, self.raise_again])
                return write(scope, nesting)
        if not self.is_quiet and self.chance(0.3):
            self.change(scope)
            return True
        if nesting < DEEPEST and self.affords(60):
            (nested,) = self.random.choices([*NESTED], NESTED.values())
            if nested is not None:
                return nested(self, scope, nesting)
        (write,) = self.random.choices([*SIMPLE], SIMPLE.values())
        if write is Statements.walrus and self.is_quiet and not self.chance(0.05):
            write = Statements.assign  # what binds in a failing statement may be refused
        write(self, scope)
        return True

    def target(self, scope: Scope) -> str:
        names = scope.assignable
        if names and (len(names) > 5 or self.chance(0.6)):
            return self.random.choice(names)
        return self.fresh("v")

    def assign(self, scope: Scope) -> None:
        value = self.scalar(scope, 3)
        names = [self.target(scope) for _ in range(2 if self.chance(0.1) else 1)]
        self.write(f"{' = '.join(names)} = {value}")
        for name in names:
            scope.bind(name)

    def augment(self, scope: Scope) -> None:
        if not scope.assignable:
            self.assign(scope)
            return
        name = self.random.choice(scope.assignable)
        if self.chance(0.5):
            self.write(f"{name} {self.random.choice('+-')}= {self.scalar(scope)}")
        else:
            operation = self.random.choice(["add", "mul", "sub"])
            self.write(f"{name} = {operation}({name}, {self.scalar(scope)})")

    def unpack(self, scope: Scope) -> None:
        names = scope.assignable
        pairs = [c for c in scope.callees if c.results == 2 and self.affords(c.cost)]
        if len(names) >= 2 and self.chance(0.4):
            chosen = self.random.sample(names, min(len(names), self.random.choice([2, 2, 3])))
            values = [*chosen[1:], chosen[0]]
            if self.chance(0.3):
                values[0] = self.scalar(scope)
            self.write(f"{', '.join(chosen)} = {', '.join(values)}")
            return
        if pairs and self.chance(0.6):
            a, b = self.fresh("v"), self.target(scope)
            self.write(f"{a}, {b} = {self.call(self.random.choice(pairs), scope, 1)}")
            bound = [a, b]
        elif scope.tuples and self.chance(0.4):
            name = self.random.choice(list(scope.tuples))
            a, rest = self.fresh("v"), self.fresh("l")
            pattern = f"{a}, *{rest}" if self.chance(0.5) else f"*{rest}, {a}"
            self.write(f"{pattern} = {name}")
            scope.lists[rest] = scope.tuples[name] - 1
            bound = [a]
        elif self.chance(0.5):
            a, b, c = self.target(scope), self.fresh("v"), self.fresh("v")
            values = [self.scalar(scope) for _ in range(3)]
            self.write(f"{a}, ({b}, {c}) = {values[0]}, ({values[1]}, {values[2]})")
            bound = [a, b, c]
        else:
            a, b = self.fresh("v"), self.fresh("v")
            self.write(f"{a}, {b} = {self.scalar(scope)}, {self.scalar(scope)}")
            bound = [a, b]
        for name in bound:
            scope.bind(name)

    def walrus(self, scope: Scope) -> None:
        inner = self.fresh("w")
        value = self.scalar(scope)
        scope.bind(inner)
        name = self.target(scope)
        self.write(f"{name} = mul(({inner} := {value}), {self.scalar(scope)})")
        scope.bind(name)

    def read_maybe(self, scope: Scope) -> None:
        maybe = self.random.choice(sorted(scope.maybe))
        name = self.target(scope)
        self.write(f"{name} = add({maybe}, {self.scalar(scope)})")
        scope.bind(name)
        scope.bind(maybe)

    def make_list(self, scope: Scope) -> None:
        value, length = self.list_value(scope)
        known = [name for name, least in scope.lists.items() if least <= length]
        name = self.random.choice(known) if known and self.chance(0.5) else self.fresh("l")
        self.write(f"{name} = {value}")
        scope.lists.setdefault(name, length)

    def list_value(self, scope: Scope) -> tuple[str, int]:
        """A list and its least length."""
        kind = self.random.randrange(13)
        if kind < 2 or not scope.lists:
            size = self.random.randint(1, 3)
            return f"[{', '.join(self.scalar(scope) for _ in range(size))}]", size
        name, least = self.random.choice(list(scope.lists.items()))
        item = self.scalar(scope)
        if kind in (2, 11):
            return f"({name} + [{item}])[-{LONGEST}:]", min(least + 1, LONGEST)
        if kind == 3:
            return f"[{item}, *{name}][:{LONGEST}]", min(least + 1, LONGEST)
        if kind == 4:
            return f"{name}[::-1]", least
        if kind == 5:
            self.spend(16)
            a, b = self.fresh("e"), self.fresh("e")
            return f"[mul({a}, {b}) for {a} in {name} for {b} in [{item}, {a}]][:{LONGEST}]", 0
        if kind in (6, 10):
            self.spend(16)
            a, b = self.fresh("e"), self.fresh("e")
            return f"[sum([mul({b}, {item}) for {b} in [{a}, 3]]) for {a} in {name}]", least
        if kind in (7, 12) and scope.assignable:
            total, a = self.random.choice(scope.assignable), self.fresh("e")
            return f"[({total} := add(mul({total}, 3), {a})) for {a} in {name}]", least
        wrapped = self.random.choice(["[{}]", *["list({})"] * 4])
        return wrapped.format(self.comprehended(scope, 1)), 0

    def make_tuple(self, scope: Scope) -> None:
        if scope.tuples and self.chance(0.7):
            name, length = self.random.choice(list(scope.tuples.items()))
            item = self.scalar(scope)
            if length < LONGEST and self.times <= LONGEST and self.chance(0.6):
                self.write(f"{name} += ({item},)")
                return
            if length < LONGEST:
                new = self.fresh("t")
                longer = self.random.choice([f"{name} + ({item},)", f"(*{name}, {item})"])
                self.write(f"{new} = {longer}")
                scope.tuples[new] = length + 1
                return
        length = self.random.randint(2, 3)
        known = [name for name, least in scope.tuples.items() if least == length]
        name = self.random.choice(known) if known and self.chance(0.5) else self.fresh("t")
        items = ", ".join(self.scalar(scope) for _ in range(length))
        value = f"({self.scalar(scope)},) * {length}" if self.chance(0.1) else f"({items})"
        self.write(f"{name} = {value}")
        scope.tuples.setdefault(name, length)

    def make_dict(self, scope: Scope) -> None:
        keys = KEYS[: self.random.randint(1, 3)]
        items = [(key, self.scalar(scope)) for key in keys]
        kinds = ["display", "display", "call", "comprehension"]
        kinds += ["update", "update", "of items"] if scope.dicts else []
        kind = self.random.choice(kinds)
        if kind == "display":
            value = "{" + ", ".join(f"'{key}': {item}" for key, item in items) + "}"
        elif kind == "call":
            value = f"dict({', '.join(f'{key}={item}' for key, item in items)})"
        elif kind == "comprehension":
            name = self.fresh("e")
            value = f"mul({items[0][1]}, i) for i, {name} in enumerate('{''.join(keys)}')"
            value = f"{{{name}: {value}}}"
        elif kind == "update":
            old = self.random.choice(list(scope.dicts))
            keys = tuple(sorted({*scope.dicts[old], keys[-1]}))
            value = f"{{**{old}, '{items[-1][0]}': {items[-1][1]}}}"
        else:
            old = self.random.choice(list(scope.dicts))
            keys = scope.dicts[old]
            k, v = self.fresh("e"), self.fresh("e")
            value = f"{{{k}: add({v}, {items[0][1]}) for {k}, {v} in {old}.items()}}"
        known = [name for name, old_keys in scope.dicts.items() if set(old_keys) <= set(keys)]
        name = self.random.choice(known) if known and self.chance(0.4) else self.fresh("d")
        self.write(f"{name} = {value}")
        scope.dicts.setdefault(name, keys)

    def assertion(self, scope: Scope) -> None:
        value = self.scalar(scope, 1)
        self.write(f"assert residue({value}, 3) < 3, f'{{{self.atom(scope)}}}'")

    def closure(self, scope: Scope) -> None:
        """An inner function in one of its forms; it captures what isn't assigned again."""
        if not self.loops or self.chance(REBOUND):
            captured = self.fresh("c")
            self.write(f"{captured} = {self.scalar(scope)}")
            scope.freeze(captured)
        kind = self.random.randrange(6)
        before = self.cost
        if kind == 0:
            name, other = self.fresh("k"), self.fresh("k")
            self.write(f"{name}, {other} = {self.lambda_of(scope)}, {self.lambda_of(scope)}")
            names = [name, other]
        elif kind == 1:
            names = [self.fresh("k")]
            self.write(f"{names[0]} = {self.lambda_of(scope)}")
        elif kind == 2:
            names = [self.fresh("k")]
            with self.inside(f"if {self.condition(scope)}:"):
                self.inner_function(names[0], scope)
            with self.inside("else:"):
                self.inner_function(names[0], scope)
        elif kind == 3:
            names = [self.fresh("k")]
            one, other = self.lambda_of(scope), self.lambda_of(scope)
            self.write(f"{names[0]} = {one} if {self.condition(scope)} else {other}")
        elif kind == 4:
            names = [self.fresh("k")]
            maker = self.fresh("m")
            with self.inside(f"def {maker}(b):"):
                inner = scope.captured()
                inner.freeze("b")
                self.write(f"return {self.lambda_of(inner)}")
            self.write(f"{names[0]} = {maker}({self.scalar(scope)})")
        else:
            names = [self.fresh("k")]
            self.inner_function(names[0], scope)
        cost = max(1, (self.cost - before) // self.times)
        in_loop = self.loops > 0
        scope.callees += [Callee(name, 1, cost, made_in_loop=in_loop) for name in names]

    def lambda_of(self, scope: Scope) -> str:
        name = self.shadowing(scope, "u")
        return f"(lambda {name}: {self.with_name(scope.captured(), name, 2)})"

    def inner_function(self, name: str, scope: Scope) -> None:
        inner = scope.captured()
        parameter = self.fresh("u")
        inner.bind(parameter)
        loops, self.loops = self.loops, 0
        with self.inside(f"def {name}({parameter}):"):
            if self.chance(0.4):
                with self.inside(f"if {self.condition(inner)}:"):
                    self.write(f"return {self.scalar(inner)}")
            if self.chance(0.4):
                self.assign(inner)
            self.write(f"return mul({parameter}, {self.scalar(inner)})")
        self.loops = loops

    def exit(self, scope: Scope) -> bool:
        """Leaves the block, in a way that is possible here."""
        kinds = ["return", *(["break", "break", "continue", "continue"] if self.loops else [])]
        kind = self.random.choice(kinds)
        self.write(f"return {self.result(scope)}" if kind == "return" else kind)
        return False

    def result(self, scope: Scope) -> str:
        """What the function being written returns early."""
        return self.scalar(scope)

    def branch(self, scope: Scope, nesting: int) -> bool:
        condition = self.condition(scope)
        if self.chance(0.15):
            name = self.fresh("w")
            condition = f"residue(({name} := {self.scalar(scope)}), 3) == 1"
            scope.bind(name)
        headers = [f"if {condition}:"]
        elifs = self.random.choice([0, 0, 0, 1, 2])
        headers += [f"elif {self.condition(scope)}:" for _ in range(elifs)]
        has_else = self.chance(0.5)
        headers += ["else:"] if has_else else []
        after = [] if has_else else [scope.copy()]
        for header in headers:
            inner = scope.copy()
            with self.inside(header):
                falls = self.block(inner, self.random.randint(1, 2), nesting + 1)
                if falls and self.chance(0.25):
                    falls = self.exit(inner)
            if falls:
                after.append(inner)
        if not after:
            return False
        scope.become_join_of(after)
        return True

    def correlated(self, scope: Scope, nesting: int) -> bool:
        """A variable that is bound, and later read, under the same condition."""
        flag, name = self.fresh("c"), self.fresh("m")
        self.write(f"{flag} = residue({self.scalar(scope)}, 2)")
        scope.bind(flag)
        scope.frozen.add(flag)
        with self.inside(f"if {flag} == 0:"):
            self.write(f"{name} = {self.scalar(scope)}")
        if not self.block(scope, self.random.randint(1, 2), nesting + 1):
            return False
        with self.inside(f"if {flag} == 0:"):
            result = self.target(scope)
            self.write(f"{result} = mul({name}, {self.scalar(scope)})")
        if result not in scope.scalars:
            scope.maybe.add(result)
        scope.maybe.add(name)
        return True

    def body(
        self, scope: Scope, nesting: int, bound: list[str], iterable: str = ""
    ) -> None:
        """The inside of a loop: statements, among them exits, then perhaps a last exit."""
        inner = scope.copy()
        containers = [*scope.lists, *scope.dicts, *scope.deques, *scope.tables]
        inner.iterated |= {name for name in containers if re.search(rf"\b{name}\b", iterable)}
        if iterable.startswith("reversed(") or iterable.endswith("s()"):
            # A compiler may want positions to read what the loop changes.
            for name in inner.iterated:
                inner.lists.pop(name, None)
                inner.dicts.pop(name, None)
                inner.deques.pop(name, None)
        for name in bound:
            inner.bind(name)
        self.loops += 1
        falls = self.block(inner, self.random.randint(1, 3), nesting + 1)
        if falls and self.chance(0.35):
            after = inner.copy()
            with self.inside(f"if {self.condition(inner)}:"):
                if self.chance(0.5):
                    self.assign(after)
                self.exit(after)
            if self.chance(0.6):
                self.block(inner, 1, nesting + 1)
        self.loops -= 1
        scope.maybe |= {n for n in [*inner.scalars, *inner.maybe] if n not in scope.scalars}

    def loop_else(self, scope: Scope, nesting: int) -> None:
        if self.chance(0.3):
            inner = scope.copy()
            inner.iterated |= {*inner.lists, *inner.dicts}  # they may be left as they are
            with self.inside("else:"):
                if self.block(inner, 1, nesting + 1) and self.chance(0.2):
                    self.exit(inner)
            scope.maybe |= {n for n in inner.scalars if n not in scope.scalars}

    def for_loop(self, scope: Scope, nesting: int) -> bool:
        if self.chance(0.12):
            return self.bound_in_first_iteration(scope, nesting)
        targets, iterable, least = self.loop_iterable(scope)
        with self.inside(f"for {', '.join(targets)} in {iterable}:", LONGEST - 1):
            numbers = [target for target in targets if not target.startswith(KEY)]
            self.body(scope, nesting, numbers, iterable)
        if least > 0:
            for target in numbers:
                scope.bind(target)
        self.loop_else(scope, nesting)
        return True

    def loop_iterable(self, scope: Scope) -> tuple[list[str], str, int]:
        """Targets, an iterable, and how many items it has at least."""
        a = self.target(scope) if self.chance(0.2) else self.fresh("i")
        if self.chance(0.25):
            count = self.random.randint(1, 3)
            texts = [f"range({count})", f"range(1, {count + 1})", f"reversed(range({count}))"]
            return [a], self.random.choice(texts), count
        if self.chance(0.2):
            return [a], f"range(residue({self.scalar(scope)}, 4))", 0
        if self.chance(0.2):
            return [a], f"({self.scalar(scope)}, {self.scalar(scope)})", 2
        _, iterable = self.iteration(scope)
        b = self.fresh("i")
        pairs = iterable.startswith(("zip", "enumerate"))
        if scope.dicts and self.chance(0.6):
            name, keys = self.random.choice(list(scope.dicts.items()))
            return self.random.choice([
                ([a], f"[{name}[{b}] for {b} in {name}]", len(keys)),
                ([a], f"{name}.values()", len(keys)),
                *[([KEY + b, a], f"{name}.items()", 0)] * 4,
            ])
        return [a, b] if pairs else [a], iterable, 0

    def bound_in_first_iteration(self, scope: Scope, nesting: int) -> bool:
        i, name = self.fresh("i"), self.fresh("m")
        with self.inside(f"for {i} in range({self.random.randint(1, 3)}):", LONGEST - 1):
            inner = scope.copy()
            inner.bind(i)
            with self.inside(f"if {i} == 0:"):
                self.write(f"{name} = {self.scalar(inner)}")
            with self.inside("else:"):
                inner.bind(name)
                self.write(f"{name} = mul({name}, {self.scalar(inner)})")
            self.body(scope, nesting, [i, name])
        scope.bind(i)
        scope.bind(name)
        return True

    def while_loop(self, scope: Scope, nesting: int) -> bool:
        count = self.fresh("n")
        kind = self.random.randrange(4)
        start = str(self.random.randint(1, 3))
        if self.chance(0.5):
            start = f"residue({self.scalar(scope)}, 4)"
        self.write(f"{count} = {start if kind else 0}")
        scope.bind(count)
        scope.frozen.add(count)
        if kind == 0:
            with self.inside("while True:", LONGEST - 1):
                self.write(f"{count} += 1")
                with self.inside(f"if {count} > {self.random.randint(1, 3)}:"):
                    if self.chance(0.8):
                        self.write("break")
                    else:
                        self.write(f"return {self.result(scope)}")
                self.body(scope, nesting, [])
            return True
        if kind == 1:
            header, first = f"while ({count} := {count} - 1) >= 0:", ""
        elif kind == 2:
            header = f"while {count} > 0 and {self.condition(scope)}:"
            first = f"{count} -= 1"
        else:
            header, first = f"while {count}:", f"{count} -= 1"
        with self.inside(header, LONGEST - 1):
            if first:
                self.write(first)
            self.body(scope, nesting, [])
        self.loop_else(scope, nesting)
        return True


# What a program is made of, and how often. Another kind of statement is a method of `Statements`,
# a row here, and a row in `constructs.ALL`, which says how to find it in a text.
SIMPLE: dict[Callable[[Statements, Scope], None], float] = {
    Statements.assign: 6,
    Statements.augment: 3,
    Statements.unpack: 3,
    Statements.walrus: 1.2,
    Statements.make_list: 3.5,
    Statements.make_tuple: 3,
    Statements.make_dict: 2.5,
    Statements.assertion: 1,
    Statements.closure: 1.5,
}
# What the programs of a theme have more of; those of "attempts" more `try`.
THEMES: dict[str, Callable[[Statements, Scope], None]] = {
    "objects": Statements.use_object,
    "collections": Statements.use_collection,
    "shared variables": Statements.share_variable,
    "containers": Statements.use_holder,
    "functions": Statements.use_function,
}
# These hold blocks, and say whether control gets behind them.
NESTED: dict[Callable[[Statements, Scope, int], bool] | None, float] = {
    None: 9,
    Statements.branch: 6,
    Statements.for_loop: 6,
    Statements.while_loop: 3,
    Statements.correlated: 1,
    Statements.match: 0.5,
}
