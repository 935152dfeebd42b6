"""Random changes in place: of arrays and their views, of lists and dicts.

What is stored into arrays by `=` is reduced, by `+=` at least its right side, and products of
arrays are reduced at once: so numbers stay whole and far below 2**53, forwards and backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.expressions import KEYS, LONGEST, Expressions
from tests.fuzz.scope import Callee, Scope

SHAPES = ((3,), (4,), (4,), (2, 2), (2, 2), (2, 3))
# Doubling an array in place, once in each iteration, stays exact this often.
MOST_DOUBLED = 9
# How often an array is bound to one of two others, or a variable to a view of unknown origin: a
# compiler may refuse changes of what may be the memory of several names.
UNTOLD = 0.06
# How often an array gets another name outside of branches and loops only, for the same reason.
OUTSIDE = 0.7

Shape = tuple[int, ...]


class Changes(Expressions):
    """Writes statements that change something in place."""

    def change(self, scope: Scope) -> None:
        kinds: list[tuple[float, Callable[[], None]]] = [(1.5, lambda: self.make_array(scope))]
        if scope.arrays:
            kinds += [
                (6, lambda: self.change_array(scope, self.any_array(scope))),
                (3.0, lambda: self.make_view(scope)),
                (1.3, lambda: self.swap_arrays(scope)),
                (0.8, lambda: self.swap_items(scope)),
            ]
        if scope.lists:
            kinds.append((4, lambda: self.change_list(scope)))
        if scope.dicts:
            kinds.append((2.5, lambda: self.change_dict(scope)))
        changing = [
            c for c in scope.callees
            if c.changes and self.affords(c.cost) and self.changed_by(c, scope)
        ]
        if changing:
            kinds.append((6, lambda: self.change_by_call(scope, changing)))
        ((_, write),) = self.random.choices(kinds, [weight for weight, _ in kinds])
        write()

    def change_by_call(self, scope: Scope, callees: list[Callee]) -> None:
        callee = self.random.choice(callees)
        changed = self.random.choice(self.changed_by(callee, scope))
        if not isinstance(callee.changes, str) and self.chance(0.8):
            # An adjoint that reads what the call overwrites.
            product = self.fresh("x")
            self.write(f"{product} = times({changed}, {changed})")
            scope.arrays[product] = callee.changes
        call = self.call(callee, scope, 1, changed)
        if self.chance(0.3):
            self.write(call)
        else:
            name = self.fresh("v")
            self.write(f"{name} = {call}")
            scope.bind(name)

    # Making arrays, and other names of them

    def any_array(self, scope: Scope) -> str:
        return self.random.choice(list(scope.arrays))

    def make_array(self, scope: Scope) -> None:
        shape = self.random.choice(SHAPES)
        makers = [c for c in scope.callees if c.results == 0 and self.affords(c.cost)]
        if makers and self.chance(0.5):
            shape, value = (4,), self.call(self.random.choice(makers), scope, 1)
        else:
            value = self.new_array(scope, shape)
            if self.chance(0.1):
                value = f"np.empty({shape})"
        known = [
            name for name, old in scope.arrays.items()
            if old == shape and name not in scope.views
        ]
        is_rebound = known and self.chance(0.3 if self.depth == 1 else 0.03)
        name = self.random.choice(known) if is_rebound else self.fresh("x")
        self.write(f"{name} = {value}")
        scope.arrays[name] = shape
        if "empty" in value:
            del scope.arrays[name]
            filled = self.random.choice([".fill({})", "[:] = {}"]).format(self.scalar(scope))
            self.write(f"{name}{filled}")
            scope.arrays[name] = shape

    def new_array(self, scope: Scope, shape: Shape) -> str:
        size = shape[0] if len(shape) == 1 else shape
        others = [name for name, other in scope.arrays.items() if other == shape]
        if others and self.chance(0.6):
            other = self.random.choice(others)
            return self.random.choice([
                f"{other}.copy()", f"np.zeros_like({other})", self.vector(scope, shape, other),
                self.vector(scope, shape, other),
            ])
        if self.chance(0.3):
            return f"np.zeros({size})"
        if self.chance(0.2):
            return f"np.full({size}, {self.constant()}.0)"
        rows = [
            f"[{', '.join(self.scalar(scope, 1) for _ in range(shape[-1]))}]"
            for _ in range(shape[0] if len(shape) > 1 else 1)
        ]
        items = f"[{', '.join(rows)}]" if len(shape) > 1 else rows[0]
        return f"np.array({items}, dtype=float)"

    def vector(self, scope: Scope, shape: Shape, first: str) -> str:
        """A new array of a shape, computed from one of that shape and another or a number."""
        function = self.random.choice(["plus", "minus", "times", "times"])
        others = self.of_shape(scope, shape)
        if others and self.chance(0.6):
            return f"{function}({first}, {self.random.choice(others)})"
        return f"{function}({first}, {self.scalar(scope, 1)})"

    def of_shape(self, scope: Scope, shape: Shape) -> list[str]:
        """Arrays and parts of arrays that have this shape."""
        found = []
        for name, known in scope.arrays.items():
            if known == shape:
                found += [name] if len(shape) > 1 else [name, f"{name}[::-1]"]
            found += [f"{name}{text}" for text, part in parts(known) if part == shape]
        return found

    def values(self, scope: Scope, shape: Shape) -> str:
        """An array of a shape, new or a part of another."""
        found = self.of_shape(scope, shape)
        if not found or self.chance(0.1):
            return self.new_array(scope, shape)
        first = self.random.choice(found)
        return first if self.chance(0.3) else self.vector(scope, shape, first)

    def make_view(self, scope: Scope) -> None:
        name = self.any_array(scope)
        if self.chance(UNTOLD):
            self.one_of_two(scope, name)
            return
        if self.depth > 1 and self.chance(OUTSIDE):
            self.change_array(scope, name)
            return
        view = self.fresh("x")
        if self.chance(0.15):
            self.write(f"{view} = {name}")
            shape = scope.arrays[name]
        else:
            shape = scope.arrays[name]
            others = shapings(shape) if self.chance(0.5) else []
            text, shape = self.random.choice(others or parts(shape))
            self.write(f"{view} = {name}{text}")
            if others and text != ".T":
                scope.copies |= {name, view}
        scope.arrays[view] = shape
        scope.views |= {name, view}
        if self.chance(0.7):
            self.change_array(scope, self.random.choice([name, view]))

    def one_of_two(self, scope: Scope, name: str) -> None:
        """A name of one of two arrays, one of which is changed by it or by its own."""
        shape = scope.arrays[name]
        others = [other for other in self.of_shape(scope, shape) if other != name]
        view = self.fresh("x")
        other = self.random.choice(others or [f"{name}.copy()"])
        self.write(f"{view} = {name} if {self.condition(scope)} else {other}")
        scope.arrays[view] = shape
        scope.views |= {name, view, other}
        changed = self.random.choice([name, view, view])
        self.change_array(scope, changed)
        if self.chance(0.5):
            # So that it is read behind the change.
            total = self.fresh("v")
            self.write(f"{total} = {self.random.choice([view, name])}.sum()")
            scope.bind(total)

    def swap_arrays(self, scope: Scope) -> None:
        known = {
            shape: [
                n for n, s in scope.arrays.items() if s == shape and n not in scope.views
            ]
            for shape in scope.arrays.values()
        }
        pairs = [names for names in known.values() if len(names) > 1]
        if not pairs or (self.depth > 1 and self.chance(0.5)):
            self.make_array(scope)
            return
        x, y = self.random.sample(self.random.choice(pairs), 2)
        if self.chance(0.5):
            self.change_array(scope, x)
        self.write(f"{x}, {y} = {y}, {x}")

    # Stores into arrays

    def change_array(self, scope: Scope, name: str) -> None:
        self.spend()
        if self.depth > 1 and name in scope.copies and not self.chance(UNTOLD):
            name = self.array_for_branches(scope)
        shape = scope.arrays[name]
        kinds: list[tuple[float, Callable[[], None]]] = [
            (4, lambda: self.store_item(scope, name, shape)),
            (4, lambda: self.store_part(scope, name, shape)),
            (2, lambda: self.change_whole(scope, name, shape)),
            (1, lambda: self.store_overlapping(scope, name, shape)),
        ]
        if len(shape) == 1:
            kinds.append((2, lambda: self.store_chosen(scope, name, shape)))
        else:
            kinds.append((0.7, lambda: self.change_rows(scope, name, shape)))
        ((_, write),) = self.random.choices(kinds, [weight for weight, _ in kinds])
        write()

    def array_for_branches(self, scope: Scope) -> str:
        """One that isn't seen through `reshape`: what may be a copy can be changed only where it
        surely is changed."""
        names = [name for name in scope.arrays if name not in scope.copies]
        if not names:
            names = [self.fresh("x")]
            self.write(f"{names[0]} = np.zeros(3)")
            scope.arrays[names[0]] = (3,)
        return self.random.choice(names)

    def store_item(self, scope: Scope, name: str, shape: Shape) -> None:
        indices = [self.index(scope, length) for length in shape]
        is_told = not any("residue" in index for index in indices)
        between = "][" if is_told and self.chance(0.4) else ", "
        place = f"{name}[{between.join(indices)}]"
        kind = self.random.randrange(4)
        if kind == 0:
            self.write(f"{place} {self.random.choice('+-')}= {self.reduced(scope)}")
        elif kind == 1:
            self.write(f"{place} = mul({place}, {self.scalar(scope)})")
        else:
            self.write(f"{place} = {self.reduced(scope)}")

    def reduced(self, scope: Scope) -> str:
        """A number that is below the prime."""
        function = self.random.choice(["add", "mul", "sub"])
        return f"{function}({self.scalar(scope)}, {self.atom(scope)})"

    def store_part(self, scope: Scope, name: str, shape: Shape) -> None:
        text, part = self.random.choice(parts(shape))
        kind = self.random.randrange(5)
        if kind == 0:
            self.write(f"{name}{text} = {self.reduced(scope)}")
        elif kind <= 2:
            sign = self.random.choice(["+", "+", "-"])
            first = self.random.choice(self.of_shape(scope, part))
            self.write(f"{name}{text} {sign}= {self.vector(scope, part, first)}")
        else:
            self.write(f"{name}{text} = {self.values(scope, part)}")

    def store_overlapping(self, scope: Scope, name: str, shape: Shape) -> None:
        """Reads of the same array as the one that is written, at other places."""
        pairs = [
            (target, source)
            for target, one in parts(shape) for source, other in parts(shape)
            if one == other and target != source
        ]
        if not pairs:
            self.store_item(scope, name, shape)
            return
        target, source = self.random.choice(pairs)
        if self.times <= MOST_DOUBLED and self.chance(0.6):
            self.write(f"{name}{target} {self.random.choice('+-')}= {name}{source}")
        else:
            self.write(f"{name}{target} = {name}{source}")

    def change_whole(self, scope: Scope, name: str, shape: Shape) -> None:
        kind = self.random.randrange(7)
        if kind == 0:
            self.write(f"{name}.fill({self.reduced(scope)})")
        elif kind == 1:
            self.write(f"np.copyto({name}, {self.values(scope, shape)})")
        elif kind == 2:
            self.write(f"np.negative({name}, out={name})")
        elif kind == 3:
            self.write(f"{name} *= {self.random.choice(self.of_shape(scope, shape))}")
            self.write(f"{name}[:] = reduced({name})")
        elif kind == 4:
            self.write(f"{name}[:] = {self.values(scope, shape)}")
        else:
            self.write(f"{name} {self.random.choice('+-')}= {self.vector(scope, shape, name)}")

    def store_chosen(self, scope: Scope, name: str, shape: Shape) -> None:
        (length,) = shape
        indices = [self.random.randrange(length) for _ in range(3)]
        source = self.new_array(scope, (3,))
        kind = self.random.randrange(5)
        if kind == 0:
            mask = self.random.choice(self.of_shape(scope, shape))
            mask = f"chosen({mask}, {self.random.choice([2, 3])})"
            self.write(f"{name}[{mask}] = {self.reduced(scope)}")
        elif kind == 1:
            self.write(f"np.add.at({name}, {indices}, {source})")
        elif kind == 2:
            self.write(f"{name}[{indices}] += {source}")
        else:
            self.write(f"{name}[{indices}] = {source}")

    def change_rows(self, scope: Scope, name: str, shape: Shape) -> None:
        row, i = self.fresh("row"), self.fresh("i")
        inner = scope.copy()
        header = f"for {row} in {name}:"
        if self.chance(0.5):
            header = f"for {i}, {row} in enumerate({name}):"
            inner.freeze(i)
        self.loops += 1
        with self.inside(header, shape[0]):
            del inner.arrays[name]
            inner.arrays[row] = shape[1:]
            self.change_array(inner, row)
        self.loops -= 1

    def swap_items(self, scope: Scope) -> None:
        name = self.any_array(scope)
        one, other = (
            ", ".join(str(self.random.randrange(n)) for n in scope.arrays[name]) for _ in range(2)
        )
        self.write(f"{name}[{one}], {name}[{other}] = {name}[{other}], {name}[{one}]")

    # Lists and dicts

    def change_list(self, scope: Scope, name: str = "") -> None:
        name = name or self.random.choice(list(scope.lists))
        least = scope.lists[name]
        kinds: list[tuple[float, Callable[[], None]]] = []
        if least > 0:
            kinds.append((3, lambda: self.store_list_item(scope, name, least)))
        if least > 1:
            kinds.append((1, lambda: self.store_list_slice(scope, name)))
        if scope.may_grow(name):
            kinds.append((4, lambda: self.grow(scope, name, least)))
            kinds.append((2, lambda: self.shrink(scope, name, least)))
        if not kinds:
            self.make_array(scope)
            return
        ((_, write),) = self.random.choices(kinds, [weight for weight, _ in kinds])
        write()

    def store_list_item(self, scope: Scope, name: str, least: int) -> None:
        place = f"{name}[{self.index(scope, least)}]"
        if self.chance(0.3):
            self.write(f"{place} {self.random.choice('+-')}= {self.scalar(scope)}")
        elif self.chance(0.2):
            other = f"{name}[{self.index(scope, least)}]"
            self.write(f"{place}, {other} = {other}, {place}")
        else:
            self.write(f"{place} = {self.scalar(scope)}")

    def store_list_slice(self, scope: Scope, name: str) -> None:
        items = [self.scalar(scope) for _ in range(2)]
        text = self.random.choice(["[:2]", "[-2:]", "[:2][::-1]"[:4]])
        self.write(f"{name}{text} = [{', '.join(items)}]")

    def grow(self, scope: Scope, name: str, least: int) -> None:
        item = self.scalar(scope)
        self.write(self.random.choice([
            f"{name}.append({item})",
            f"{name}.append({item})",
            f"{name}.insert({self.random.choice([0, 1, -1])}, {item})",
            f"{name}.extend([{item}, {self.atom(scope)}])",
            f"{name} += [{item}]",
            f"{name}[1:1] = [{item}]",
        ]))
        if self.chance(0.7) or self.times > 1:
            guard = "while" if self.chance(0.3) else "if"
            with self.inside(f"{guard} len({name}) > {LONGEST}:"):
                shorter = [f"{name}.pop(0)", f"{name}.pop()", f"del {name}[0]"]
                self.write(self.random.choice(shorter) if guard == "while" else (
                    self.random.choice([f"del {name}[{LONGEST}:]", f"{name}[{LONGEST}:] = []"])
                ))
        scope.lists[name] = min(least + 1, LONGEST)

    def shrink(self, scope: Scope, name: str, least: int) -> None:
        place = self.random.choice(["", "0", "-1"])
        if least > 1 and not self.loops:
            scope.lists[name] = least - 1
            if self.chance(0.7):
                value = self.fresh("v")
                self.write(f"{value} = {name}.pop({place})")
                scope.bind(value)
            else:
                self.write(f"del {name}[{place or -1}]")
            return
        with self.inside(f"if len({name}) > {max(least, 1)}:"):
            inner = scope.copy()
            target = self.fresh("v")
            if inner.assignable and self.chance(0.7):
                target = self.random.choice(inner.assignable)
            self.write(f"{target} = {name}.pop({place})")

    def change_dict(self, scope: Scope, name: str = "") -> None:
        name = name or self.random.choice(list(scope.dicts))
        keys = scope.dicts[name]
        key = self.random.choice(KEYS if scope.may_grow(name) else keys or KEYS)
        if not scope.may_grow(name) and not keys:
            self.make_array(scope)
            return
        kind = self.random.randrange(8)
        value = self.scalar(scope)
        if kind < 2 and keys:
            key = self.random.choice(keys)
            self.write(f"{name}['{key}'] {self.random.choice('+-')}= {value}")
        elif kind == 2 and keys:
            key = self.random.choice(keys)
            self.write(f"{name}['{key}'] = mul({name}['{key}'], {value})")
        elif kind == 3:
            self.write(f"{name}.update({key}={value})")
        elif kind == 4:
            target = self.fresh("v")
            self.write(f"{target} = {name}.setdefault('{key}', {value})")
            scope.bind(target)
        elif kind == 5 and len(keys) > 1 and not self.loops and scope.may_grow(name):
            target, gone = self.fresh("v"), self.random.choice(keys)
            if self.chance(0.5):
                self.write(f"{target} = {name}.pop('{gone}')")
                scope.bind(target)
            else:
                self.write(f"del {name}['{gone}']")
            scope.dicts[name] = tuple(k for k in keys if k != gone)
            return
        else:
            self.write(f"{name}['{key}'] = {value}")
        scope.dicts[name] = tuple(sorted({*keys, key}))


def parts(shape: Shape) -> list[tuple[str, Shape]]:
    """Index expressions of parts of an array of this shape, which share its memory."""
    places: dict[str, Any] = {
        "[1:]": np.s_[1:], "[:-1]": np.s_[:-1], "[::2]": np.s_[::2], "[1::2]": np.s_[1::2],
        "[::-1]": np.s_[::-1], "[1:3]": np.s_[1:3], "[-2:]": np.s_[-2:], "[:2]": np.s_[:2],
        "[2:0:-1]": np.s_[2:0:-1],
    }
    if len(shape) == 2:
        places = {
            "[0]": 0, "[-1]": -1, "[:, 0]": np.s_[:, 0], "[:, -1]": np.s_[:, -1],
            "[0, ::-1]": np.s_[0, ::-1], "[:, 1:]": np.s_[:, 1:], "[:, :-1]": np.s_[:, :-1],
            "[::-1]": np.s_[::-1], "[1:, :]": np.s_[1:, :], "[:1]": np.s_[:1],
        }
    array = np.empty(shape)
    found = [(text, array[place].shape) for text, place in places.items()]
    return [(text, part) for text, part in found if 0 not in part]


def shapings(shape: Shape) -> list[tuple[str, Shape]]:
    """Other ways to see the same items."""
    if len(shape) == 2:
        flat = (shape[0] * shape[1],)
        return [(".T", shape[::-1])] * 6 + [(".reshape(-1)", flat), (".ravel()", flat)]
    return [(".ravel()", shape), *[(".reshape(2, 2)", (2, 2))] * (shape == (4,))]
