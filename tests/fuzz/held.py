"""Random containers of arrays, lists and objects, and what changes through them.

    z1 = [x, np.zeros(3)]           x2 = z1[0]
    z1[residue(a, 2)][1] = b   ->   z1[0], z1[1] = z1[1], z1[0]
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.collected import Collected
from tests.fuzz.expressions import KEYS, LONGEST
from tests.fuzz.scope import Holder, Scope

# How often a container holds what has a name too, or its items get one: see `UNTOLD` of changes.
NAMED = 0.15
# Items of a container at least.
COUNT = 2


class Held(Collected):
    """Writes statements about containers of what can be changed itself."""

    def use_holder(self, scope: Scope) -> None:
        if not scope.holders or self.chance(0.2):
            self.make_holder(scope)
            return
        name = self.random.choice(list(scope.holders))
        kinds: list[tuple[float, Callable[[], None]]] = [
            (5, lambda: self.change_held(scope, name)),
            (3, lambda: self.change_each(scope, name)),
            (6, lambda: self.name_item(scope, name)),
            (1, lambda: self.swap_held(scope, name)),
            (1.5, lambda: self.replace_item(scope, name)),
        ]
        if scope.may_grow(name):
            kinds.append((1, lambda: self.grow_holder(scope, name)))
            kinds.append((0.7, lambda: self.rebuild(scope, name)))
        ((_, write),) = self.random.choices(kinds, [weight for weight, _ in kinds])
        write()

    def make_holder(self, scope: Scope) -> None:
        items = self.random.choice([(3,), (3,), (4,), "list", "list", "object"])
        made = self.random.choice(self.classes) if items == "object" and self.classes else None
        if items == "object" and made is None:
            items = (3,)
        holder = Holder(self.chance(0.4), items, made)
        name = self.fresh("z")
        first, second = (self.new_item(scope, holder) for _ in range(COUNT))
        if holder.is_dict:
            value = f"{{'a': {first}, 'b': {second}}}"
        elif self.chance(0.25):
            item, i = self.new_item(scope, holder, is_new=True), self.fresh("i")
            value = f"[{item} for {i} in range({COUNT})]"
        else:
            value = f"[{first}, {second}]"
        self.write(f"{name} = {value}")
        scope.holders[name] = holder

    def new_item(self, scope: Scope, holder: Holder, is_new: bool = False) -> str:
        """An item for a container: new most of the time."""
        has_name = not is_new and self.chance(NAMED)
        if holder.made is not None:
            known = [name for name, made in scope.objects.items() if made is holder.made]
            if known and has_name:
                return self.random.choice(known)
            return self.constructed(scope, holder.made)
        if holder.items == "list":
            known = [name for name, n in scope.lists.items() if n == 1 and scope.may_grow(name)]
            if known and has_name:
                return self.random.choice(known)
            return f"[{', '.join(self.scalar(scope) for _ in range(self.random.randint(1, 2)))}]"
        assert isinstance(holder.items, tuple)
        known = [name for name, shape in scope.arrays.items() if shape == holder.items]
        if known and has_name:
            name = self.random.choice(known)
            scope.views.add(name)
            return name
        return self.new_array(scope, holder.items)

    def item_of(self, scope: Scope, name: str) -> str:
        if scope.holders[name].is_dict:
            return f"{name}['{self.random.choice(KEYS[:COUNT])}']"
        return f"{name}[{self.index(scope, COUNT)}]"

    def change_item(self, scope: Scope, text: str, holder: Holder) -> None:
        """Changes an item, which an expression or name finds."""
        inner = scope.copy()
        if holder.made is not None:
            inner.objects[text] = holder.made
            self.change_object(inner, text)
        elif isinstance(holder.items, tuple):
            inner.arrays[text] = holder.items
            self.change_array(inner, text)
        else:
            inner.lists[text] = 1
            inner.iterated |= scope.iterated
            self.change_list(inner, text)

    def change_held(self, scope: Scope, name: str) -> None:
        self.change_item(scope, self.item_of(scope, name), scope.holders[name])

    def change_each(self, scope: Scope, name: str) -> None:
        holder = scope.holders[name]
        item = self.fresh(holder.prefix)
        header = f"for {item} in {name}:"
        inner = scope.copy()
        if holder.is_dict:
            header = f"for {item} in {name}.values():"
            if self.chance(0.4):
                header = f"for {self.fresh('key_')}, {item} in {name}.items():"
        elif self.chance(0.3):
            i = self.fresh("i")
            header = f"for {i}, {item} in enumerate({name}):"
            inner.freeze(i)
        inner.iterated.add(name)
        self.loops += 1
        with self.inside(header, LONGEST):
            self.change_item(inner, item, holder)
        self.loops -= 1

    def name_item(self, scope: Scope, name: str) -> None:
        """Another name for an item, by one of which it is changed."""
        if self.depth > 1 or not self.chance(0.6):
            self.change_held(scope, name)
            return
        holder = scope.holders[name]
        other, text = self.fresh(holder.prefix), self.item_of(scope, name)
        self.write(f"{other} = {text}")
        if holder.made is not None:
            scope.objects[other] = holder.made
        elif isinstance(holder.items, tuple):
            scope.arrays[other] = holder.items
            scope.views.add(other)
        else:
            scope.lists[other] = 1
        self.change_item(scope, self.random.choice([other, text]), holder)

    def swap_held(self, scope: Scope, name: str) -> None:
        one, other = ("'a'", "'b'") if scope.holders[name].is_dict else ("0", "1")
        if self.chance(0.3):
            other = one
            self.change_held(scope, name)
        self.write(f"{name}[{one}], {name}[{other}] = {name}[{other}], {name}[{one}]")

    def replace_item(self, scope: Scope, name: str) -> None:
        self.write(f"{self.item_of(scope, name)} = {self.new_item(scope, scope.holders[name])}")

    def grow_holder(self, scope: Scope, name: str) -> None:
        holder = scope.holders[name]
        item = self.new_item(scope, holder)
        if holder.is_dict:
            self.write(f"{name}['c'] = {item}")
            return
        self.write(f"{name}.append({item})")
        with self.inside(f"if len({name}) > {LONGEST}:"):
            self.write(self.random.choice([f"{name}.pop(0)", f"{name}.pop()", f"del {name}[0]"]))

    def rebuild(self, scope: Scope, name: str) -> None:
        """The container again, of other items or in another order."""
        holder = scope.holders[name]
        item, key = self.fresh(holder.prefix), self.fresh("key_")
        inner = scope.copy()
        value = item
        if holder.items == "list":
            value = f"[mul(e, {self.scalar(inner, 1)}) for e in {item}]"
        elif isinstance(holder.items, tuple):
            value = f"times({item}, {self.random.choice([item, self.scalar(inner, 1)])})"
        if holder.is_dict:
            self.write(f"{name} = {{{key}: {value} for {key}, {item} in {name}.items()}}")
        else:
            order = self.random.choice(["", "[::-1]"])
            self.write(f"{name} = [{value} for {item} in {name}{order}]")

    def everything_held(self, name: str, holder: Holder) -> str:
        """A sum over all that a container holds."""
        source = f"{name}.values()" if holder.is_dict else name
        value = "sum(e)" if holder.made is None else f"e.{holder.made.numbers[0]}"
        return f"sum([mul({value}, i) for i, e in enumerate({source}, 3)])"
