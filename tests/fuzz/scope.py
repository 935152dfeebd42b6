"""What the generator knows at a place of the program that it writes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Callee:
    """A function that can be called here: how, and what a call costs.

    `parameters` are scalars. `counted` functions take a small count before them (recursion),
    `takes_function` ones a function of one scalar. `results` is 1 for a scalar, 2 for a tuple,
    0 for a new array.
    One `made_in_loop` is bound anew by each iteration. The first argument is one that the function
    `changes`: a "list", a "dict", an array of a shape, or an object of the class of this name.
    """

    name: str
    parameters: int
    cost: int
    optional: int = 0
    keyword_only: tuple[str, ...] = ()
    starred: bool = False
    counted: bool = False
    takes_function: bool = False
    results: int = 1
    made_in_loop: bool = False
    changes: str | tuple[int, ...] = ""

    @property
    def is_simple(self) -> bool:
        """Whether it can be passed where a function of scalars is expected."""
        return self.results == 1 and not (self.counted or self.takes_function or self.starred)


@dataclass(frozen=True)
class Class:
    """A class of the program: the numbers, array and list that its objects hold, its methods.

    The array is attribute `x`, of this shape if not the empty one, the list attribute `l`.
    """

    name: str
    numbers: tuple[str, ...]
    shape: tuple[int, ...]
    has_list: bool
    callables: tuple[Callee, ...]
    properties: tuple[Callee, ...] = ()

    def with_method(self, method: Callee, is_property: bool) -> Class:
        if is_property:
            return replace(self, properties=(*self.properties, method))
        return replace(self, callables=(*self.callables, method))


@dataclass(frozen=True)
class Manager:
    """A class of context managers with one number `u`, and the exception that they swallow."""

    name: str
    swallows: str


@dataclass(frozen=True)
class Holder:
    """A list of two items at least, or a dict with keys "a" and "b".

    The items are arrays of a shape, each a "list" of one number at least, or an "object" of the
    class that is `made`.
    """

    is_dict: bool
    items: str | tuple[int, ...]
    made: Class | None = None

    @property
    def prefix(self) -> str:
        """How names for an item begin."""
        return {"list": "l", "object": "o"}.get(str(self.items), "x")


@dataclass
class Scope:
    """Names that are bound on every path to here.

    Containers have a least length that every later assignment keeps, lists also a greatest one.
    `frozen` scalars are not assigned again; `stable` ones may be captured by closures too.
    `maybe` scalars are bound on some paths only. Arrays have a shape that every later assignment
    keeps; `views` are arrays with other names too, `copies` those of which one may be a copy, as
    far as a compiler can tell. Loops run over what is `iterated`, which keeps its length. `deques`
    hold two items at least, `tables` are default dicts of a factory, `holders` contain what can be
    changed itself.
    """

    scalars: list[str] = field(default_factory=list)
    frozen: set[str] = field(default_factory=set)
    stable: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)
    lists: dict[str, int] = field(default_factory=dict)
    tuples: dict[str, int] = field(default_factory=dict)
    dicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    callees: list[Callee] = field(default_factory=list)
    arrays: dict[str, tuple[int, ...]] = field(default_factory=dict)
    views: set[str] = field(default_factory=set)
    copies: set[str] = field(default_factory=set)
    iterated: set[str] = field(default_factory=set)
    objects: dict[str, Class] = field(default_factory=dict)
    deques: dict[str, int] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    holders: dict[str, Holder] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(
            list(self.scalars),
            set(self.frozen),
            set(self.stable),
            set(self.maybe),
            dict(self.lists),
            dict(self.tuples),
            dict(self.dicts),
            list(self.callees),
            dict(self.arrays),
            set(self.views),
            set(self.copies),
            set(self.iterated),
            dict(self.objects),
            dict(self.deques),
            dict(self.tables),
            dict(self.holders),
        )

    def may_grow(self, name: str) -> bool:
        return name not in self.iterated

    def bind(self, name: str) -> None:
        if name not in self.scalars:
            self.scalars.append(name)
        self.maybe.discard(name)

    def freeze(self, name: str) -> None:
        """Binds a name that is assigned by one statement only."""
        self.bind(name)
        self.frozen.add(name)
        self.stable.add(name)

    @property
    def assignable(self) -> list[str]:
        return [name for name in self.scalars if name not in self.frozen]

    def captured(self) -> Scope:
        """What a closure may read: what stays as it is."""
        inner = Scope(callees=[c for c in self.callees if not c.made_in_loop])
        for name in self.scalars:
            if name in self.stable:
                inner.freeze(name)
        return inner

    def become_join_of(self, scopes: list[Scope]) -> None:
        """Continues after branches of which these fall through."""
        first, *others = scopes
        every = [name for name in first.scalars if all(name in s.scalars for s in others)]
        some = {name for s in scopes for name in [*s.scalars, *s.maybe]}
        self.frozen = set().union(*(s.frozen for s in scopes))
        self.stable = set.intersection(*(s.stable for s in scopes))
        self.scalars, self.maybe = every, some - set(every)
        self.lists = _least([s.lists for s in scopes])
        self.tuples = _least([s.tuples for s in scopes])
        self.dicts = {
            name: tuple(key for key in keys if all(key in s.dicts[name] for s in others))
            for name, keys in first.dicts.items()
            if all(name in s.dicts for s in others)
        }
        self.arrays = {
            name: shape for name, shape in first.arrays.items()
            if all(name in s.arrays for s in others)
        }
        self.objects = {
            name: made for name, made in first.objects.items()
            if all(s.objects.get(name) is made for s in others)
        }
        self.deques = _least([s.deques for s in scopes])
        self.tables = {
            name: factory for name, factory in first.tables.items()
            if all(name in s.tables for s in others)
        }
        self.holders = {
            name: holder for name, holder in first.holders.items()
            if all(s.holders.get(name) == holder for s in others)
        }
        self.views = set().union(*(s.views for s in scopes))
        self.copies = set().union(*(s.copies for s in scopes))
        self.callees = [c for c in first.callees if all(c in s.callees for s in others)]


def _least(lengths: list[dict[str, int]]) -> dict[str, int]:
    first, *others = lengths
    return {
        name: min(n, *(other[name] for other in others)) if others else n
        for name, n in first.items()
        if all(name in other for other in others)
    }
