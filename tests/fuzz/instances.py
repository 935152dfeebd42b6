"""Random classes, data classes among them, whose objects programs make, change, name and call.

    class K1:                              o2 = K1(add(a, b))
        def __init__(self, a):        ->   o2.u += mul(c, o2.m4(a))
            self.u = mul(a, 3)             o2.x[1] = o2.u
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.fuzz.changes import Changes
from tests.fuzz.expressions import OPERATORS
from tests.fuzz.scope import Callee, Class, Scope

# How often an object gets a second name, or one of two: see `UNTOLD` of changes.
ALIASED = 0.1


class Instances(Changes):
    """Writes classes, and statements about their objects."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        # The static methods, and the properties that can be set of each class.
        self.static: set[str] = set()
        self.generated: set[str] = set()
        self.settable: set[tuple[str, str]] = set()

    def write_class(self, callees: list[Callee]) -> Class:
        numbers = self.random.choice([("u",), ("u", "v"), ("u", "v")])
        shape = (3,) if self.chance(0.3) else ()
        made = Class(self.fresh("K"), numbers, shape, self.chance(0.2), ())
        if self.classes and self.chance(0.6):
            return self.derived_class(self.classes[-1], callees)
        if self.chance(0.4):
            self.write("@dataclass")
            self.generated.add(made.name)
            header = f"class {made.name}:"
            with self.inside(header):
                for name in numbers:
                    default = " = 3" if name == "v" and not shape and not made.has_list else ""
                    self.write(f"{name}: float{default}")
                if shape:
                    self.write("x: object")
                if made.has_list:
                    self.write("l: list")
                return self.methods(made, callees)
        with self.inside(f"class {made.name}:"):
            if self.chance(0.15):
                held = [*numbers, *["x"] * bool(shape), *["l"] * made.has_list]
                self.write(f"__slots__ = {tuple(held)}")
                self.write("")
            parameters = [*numbers, *(["x"] if shape else []), *(["l"] if made.has_list else [])]
            scope = Scope(callees=[c for c in callees if c.cost < 30])
            with self.inside(f"def __init__(self, {', '.join(parameters)}):"):
                for name in numbers:
                    scope.bind(name)
                for name in numbers:
                    value = name if self.chance(0.5) else self.scalar(scope, 1)
                    self.write(f"self.{name} = {value}")
                for name in parameters[len(numbers):]:
                    self.write(f"self.{name} = {name}")
            return self.methods(made, callees)

    def derived_class(self, base: Class, callees: list[Callee]) -> Class:
        """A class that inherits attributes and methods, and goes on where these stop."""
        made = replace(base, name=self.fresh("K"))
        if base.name in self.generated:
            self.generated.add(made.name)
        with self.inside(f"class {made.name}({base.name}):"):
            parameters = [*base.numbers, *["x"] * bool(base.shape), *["l"] * base.has_list]
            # The constructors that `dataclass` writes have no source.
            if base.name not in self.generated and self.chance(0.5):
                with self.inside(f"def __init__(self, {', '.join(parameters)}):"):
                    first = f"mul({parameters[0]}, {self.constant()})"
                    given = ", ".join([first, *parameters[1:]])
                    self.write(f"super().__init__({given})")
                    self.write(f"self.{parameters[0]} += {self.constant()}")
            for method in base.callables:
                if self.chance(0.7):
                    scope = Scope()
                    scope.bind("a")
                    scope.objects["self"] = replace(base, callables=())
                    self.write("")
                    if method.name in self.static:
                        self.write("@staticmethod")
                        with self.inside(f"def {method.name}(a):"):
                            self.write(f"return mul({base.name}.{method.name}(a), 3)")
                        continue
                    with self.inside(f"def {method.name}(self, a):"):
                        self.change_object(scope, "self")
                        self.write(f"return add(super().{method.name}(a), {self.scalar(scope, 1)})")
            return self.methods(made, callees)

    def static_method(self, made: Class, callees: list[Callee]) -> Class:
        name = self.fresh("m")
        scope = Scope(callees=[c for c in callees if c.cost < 30 and not c.changes])
        scope.bind("a")
        is_class = self.chance(0.5)
        self.write("")
        self.write("@classmethod" if is_class else "@staticmethod")
        with self.inside(f"def {name}(cls, a):" if is_class else f"def {name}(a):"):
            self.write(f"return mul(a, {self.scalar(scope)})")
        if not is_class:
            self.static.add(name)
        return made.with_method(Callee(name, 1, self.cost + 1), False)

    def setter(self, made: Class, name: str) -> None:
        """The setter of a property, written behind it."""
        scope = Scope()
        scope.bind("a")
        scope.objects["self"] = replace(made, callables=(), properties=())
        self.write("")
        self.write(f"@{name}.setter")
        with self.inside(f"def {name}(self, a):"):
            self.write(f"self.{made.numbers[0]} = {self.scalar(scope)}")
        self.settable.add((made.name, name))

    def methods(self, made: Class, callees: list[Callee]) -> Class:
        if self.chance(0.15):
            made = self.static_method(made, callees)
        for _ in range(self.random.randint(1, 2)):
            before, self.cost = self.cost, 0
            name = self.fresh("m")
            scope = Scope(callees=[c for c in callees if c.cost < 30 and not c.changes])
            scope.objects["self"] = made
            self.write("")
            is_property = self.chance(0.25)
            known = [method.name for method in (*made.callables, *made.properties)]
            special = [n for n, text in OPERATORS.items() if ("{1}" in text) != is_property]
            special = [n for n in special if n not in known]
            if special and self.chance(0.35):
                name = self.random.choice(special)
            elif is_property:
                self.write("@property")
            with self.inside(f"def {name}(self):" if is_property else f"def {name}(self, a):"):
                if not is_property:
                    scope.bind("a")
                    for _ in range(self.random.randint(1, 2)):
                        self.change_object(scope, "self")
                    if self.chance(0.3):
                        with self.inside(f"if {self.condition(scope)}:"):
                            self.write(f"return {self.scalar(scope)}")
                        self.change_object(scope, "self")
                self.write(f"return mul({self.attribute(scope, 'self')}, {self.scalar(scope)})")
            if is_property and name not in OPERATORS and self.chance(0.4):
                self.setter(made, name)
            method = Callee(name, 0 if is_property else 1, self.cost + 1)
            made = made.with_method(method, is_property)
            self.cost = before
        return made

    def make_object(self, scope: Scope) -> None:
        classes = [made for made in self.classes if self.affords(10)]
        if not classes:
            self.make_array(scope)
            return
        made = self.random.choice(classes)
        value = self.constructed(scope, made)
        known = [name for name, other in scope.objects.items() if other is made and name != "self"]
        name = self.random.choice(known) if known and self.chance(0.1) else self.fresh("o")
        self.write(f"{name} = {value}")
        scope.objects[name] = made

    def constructed(self, scope: Scope, made: Class) -> str:
        """A new object."""
        given = [self.scalar(scope) for _ in made.numbers]
        if made.shape:
            items = [self.scalar(scope, 1) for _ in range(made.shape[0])]
            array = f"np.array([{', '.join(items)}], dtype=float)"
            given.append(self.random.choice([array, f"np.zeros({made.shape[0]})"]))
        if made.has_list:
            given.append(f"[{self.scalar(scope)}]")
        return f"{made.name}({', '.join(given)})"

    def use_object(self, scope: Scope) -> None:
        if not scope.objects or self.chance(0.2):
            self.make_object(scope)
            return
        name = self.random.choice(list(scope.objects))
        same = [o for o, made in scope.objects.items() if made is scope.objects[name]]
        kinds: list[tuple[float, Callable[[], None]]] = [
            (6, lambda: self.change_object(scope, name)),
            (2, lambda: self.call_method(scope, name)),
            (2, lambda: self.change_in_turn(scope, same)),
            (1, lambda: self.name_object(scope, name, same)),
        ]
        changing = [c for c in scope.callees if c.changes == scope.objects[name].name]
        changing = [c for c in changing if self.affords(c.cost)]
        if changing:
            kinds.append((3, lambda: self.change_by_call(scope, changing)))
        ((_, write),) = self.random.choices(kinds, [weight for weight, _ in kinds])
        write()

    def call_method(self, scope: Scope, name: str) -> None:
        methods = [m for m in scope.objects[name].callables if self.affords(m.cost)]
        if not methods:
            self.change_object(scope, name)
            return
        call = self.method_call(scope, name, self.random.choice(methods), 2)
        if self.chance(0.3):
            self.write(call)
        else:
            value = self.fresh("v")
            self.write(f"{value} = {call}")
            scope.bind(value)

    def change_object(self, scope: Scope, name: str) -> None:
        """A store into an attribute, or into the array or list that it holds."""
        made = scope.objects[name]
        inner = scope.copy()
        if made.shape and self.chance(0.3):
            inner.arrays = {f"{name}.x": made.shape}
            if self.chance(0.1):
                self.write(f"{name}.x = {self.new_array(inner, made.shape)}")
            else:
                self.change_array(inner, f"{name}.x")
            return
        if made.has_list and self.chance(0.3):
            inner.lists = {f"{name}.l": 1}
            self.change_list(inner, f"{name}.l")
            return
        place = f"{name}.{self.random.choice(made.numbers)}"
        if self.chance(0.4):
            self.write(f"{place} {self.random.choice('+-')}= {self.scalar(scope)}")
        elif any(cls == made.name for cls, _ in self.settable) and self.chance(0.4):
            names = sorted(name for cls, name in self.settable if cls == made.name)
            self.write(f"{name}.{self.random.choice(names)} = {self.scalar(scope)}")
        elif len(made.numbers) > 1 and self.chance(0.2):
            other = f"{name}.{self.random.choice(made.numbers)}"
            self.write(f"{place}, {other} = {other}, {place}")
        else:
            self.write(f"{place} = {self.scalar(scope)}")

    def change_in_turn(self, scope: Scope, names: list[str]) -> None:
        name = self.fresh("o")
        chosen = [self.random.choice(names), *names[:1]]
        opening, closing = self.random.choice(["()", "[]"])
        self.loops += 1
        with self.inside(f"for {name} in {opening}{', '.join(chosen)}{closing}:", 2):
            inner = scope.copy()
            inner.objects[name] = scope.objects[names[0]]
            self.change_object(inner, name)
        self.loops -= 1

    def name_object(self, scope: Scope, name: str, same: list[str]) -> None:
        if not self.chance(ALIASED):
            self.change_object(scope, name)
            return
        other = self.fresh("o")
        value = name
        if self.chance(0.5):
            value = f"{name} if {self.condition(scope)} else {self.random.choice(same)}"
        self.write(f"{other} = {value}")
        scope.objects[other] = scope.objects[name]
        self.change_object(scope, self.random.choice([name, other]))
