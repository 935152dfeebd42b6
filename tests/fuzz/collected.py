"""Random deques, default dicts and variables that inner functions assign."""

from __future__ import annotations

from tests.fuzz.expressions import KEYS, LONGEST
from tests.fuzz.instances import Instances
from tests.fuzz.scope import Callee, Scope


class Collected(Instances):
    """Writes statements about deques, default dicts, and variables that functions share."""

    def use_collection(self, scope: Scope) -> None:
        if self.chance(0.6):
            self.use_deque(scope)
        else:
            self.use_table(scope)

    def use_deque(self, scope: Scope) -> None:
        if not scope.deques or self.chance(0.15):
            name, items = self.fresh("q"), [self.scalar(scope) for _ in range(2)]
            limit = ""
            if self.chance(0.5):
                limit = f", maxlen={2 + self.numbers % 2}"  # full at once, or by the next item
            self.write(f"{name} = deque([{', '.join(items)}]{limit})")
            scope.deques[name] = 2
            return
        name = self.random.choice(list(scope.deques))
        item = self.scalar(scope)
        kind = self.random.randrange(11)
        if kind < 3 and scope.may_grow(name):
            way = self.random.choice(["append({})", "append({})", "appendleft({})", "extend([{}])"])
            self.write(f"{name}.{way.format(item)}")
            with self.inside(f"if len({name}) > {LONGEST}:"):
                self.write(f"{name}.{self.random.choice(['pop', 'popleft'])}()")
        elif kind == 3 and scope.may_grow(name):
            target, way = self.fresh("v"), self.random.choice(["pop", "popleft"])
            with self.inside(f"if len({name}) > 2:"):
                self.write(f"{target} = {name}.{way}()")
                self.write(f"{name}[0] = mul({target}, {item})")
        elif kind in (4, 5, 8, 9, 10) and scope.may_grow(name):
            self.write(f"{name}.rotate({self.random.choice([1, -1, 2])})")
        elif kind == 6:
            self.write(f"{name}[{self.index(scope, 2)}] += {item}")
        else:
            self.write(f"{name}[{self.index(scope, 2)}] = {item}")

    def use_table(self, scope: Scope) -> None:
        if not scope.tables or self.chance(0.15):
            name = self.fresh("g")
            factory = self.random.choice(["int", "float", "lambda: 3", "list"])
            self.write(f"{name} = defaultdict({factory})")
            scope.tables[name] = factory
        name = self.random.choice(list(scope.tables))
        if not scope.may_grow(name):
            self.use_deque(scope)
            return
        keys = [f"'{self.random.choice(KEYS)}'", f"residue({self.atom(scope)}, 3)"]
        place, item = f"{name}[{self.random.choice(keys)}]", self.scalar(scope)
        if scope.tables[name] == "list":
            self.write(f"{place}.append({item})")
        elif self.chance(0.7):
            self.write(f"{place} {self.random.choice('+-')}= {item}")
        else:
            self.write(f"{place} = {self.random.choice(['mul', 'add'])}({place}, {item})")

    def share_variable(self, scope: Scope) -> None:
        """A variable that an inner function assigns, and the function."""
        if self.loops:
            self.change(scope)
            return
        name, function, parameter = self.fresh("c"), self.fresh("k"), self.fresh("u")
        maker = self.fresh("m") if self.chance(0.3) else ""
        before = self.cost
        value = self.scalar(scope)
        if not maker:
            self.write(f"{name} = {value}")
            scope.bind(name)
            if self.chance(0.5):
                scope.frozen.add(name)
            self.assigning_function(scope, name, function, parameter)
        else:
            with self.inside(f"def {maker}({name}):"):
                self.assigning_function(scope, name, function, parameter)
                self.write(f"return {function}")
            self.write(f"{function} = {maker}({value})")
        cost = max(1, (self.cost - before) // self.times)
        scope.callees.append(Callee(function, 1, cost))
        if not maker and self.chance(0.4):
            # The variable of a comprehension has that name too.
            total, item, other = self.fresh("v"), self.scalar(scope, 1), self.atom(scope)
            self.write(f"{total} = sum([mul({name}, {item}) for {name} in ({other}, 3)])")
            scope.bind(total)

    def assigning_function(
        self, scope: Scope, name: str, function: str, parameter: str
    ) -> None:
        inner = scope.captured()
        inner.bind(parameter)
        inner.bind(name)
        with self.inside(f"def {function}({parameter}):"):
            self.write(f"nonlocal {name}")
            if self.chance(0.4):
                with self.inside(f"if {self.condition(inner)}:"):
                    self.write(f"{name} = {self.scalar(inner)}")
            else:
                operation = self.random.choice(["add", "mul", "sub"])
                self.write(f"{name} = {operation}({name}, {self.scalar(inner)})")
            self.write(f"return mul({parameter}, {name})")
