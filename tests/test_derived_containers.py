"""Classes that derive from containers: as arguments, with methods of their own for items, refused.

Programs that make such containers are in `tests/corpus/derived_containers.py`.
"""

import copy
import enum
from collections import Counter, OrderedDict, defaultdict, deque
from typing import NamedTuple

import pytest

import zyg
from ir.derived import base_of, copied, derived, underived
from tests.corpus.derived_containers import (
    Aliased,
    Groups,
    Mirrored,
    Ordered,
    Params,
    Point,
    Stack,
    Tree,
    Vector,
    Window,
)


class Doubled(dict):
    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)


class Shifted(list):
    def __getitem__(self, index):
        return 1.0 + list.__getitem__(self, index)

    def __iter__(self):
        return iter([3.0 * list.__getitem__(self, i) for i in range(len(self))])


class Tripled(tuple):
    def __getitem__(self, index):
        return 3.0 * tuple.__getitem__(self, index)


class Pair(NamedTuple):
    a: float
    b: float = 1.0


class Times(Pair):
    def __getitem__(self, place):
        return (self.a, self.b)[place] * 3.0


class Backwards(Pair):
    def __iter__(self):
        yield self.b
        yield self.a


class Renamed(Pair):
    _fields = ("b", "a")


class Scaled(Pair):
    @classmethod
    def _make(cls, items):
        return cls(*[5.0 * item for item in items])


class Early(Pair):
    _field_defaults = {"b": 7.0}  # what `__new__` takes stays what it was


class Squared(tuple):
    _fields = ("a", "b")

    def __new__(cls, a, b):
        return super().__new__(cls, (a * a, b))


class Computed(dict):
    def __missing__(self, key):
        return self["a"] * len(key)


class Values(dict):
    def values(self):
        return [5.0 * value for value in super().values()]


class Checked(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, 2.0 * value)


class Noisy(list):
    def append(self, item):
        super().append(2.0 * item)


class Named(list):
    def __init__(self, items, name):
        super().__init__(items)
        self.name = name


class Unseen(dict):
    def __init__(self, x):
        super().__init__(x=x)
        locals()


class Extended(list):
    def extended(self, x):
        super().append(x)
        locals()


def unseen_change(items, x):
    own = Extended(items)
    own.extended(2.0)
    return own[1] * x


class Marked(dict):
    total = 0.0
    log = []


class Measure(float):
    pass


class Level(enum.IntEnum):
    HIGH = 3


def changed(p):
    p["a"] = p["a"] * p.norm()
    p.update(c=p["b"])
    return p.pop("a") * p["c"]


def grown(v):
    v.append(v.dot(v))
    v += [v[0]]
    v[0] *= v[2]
    return sum(v) * len(v)


def by_attributes(p):
    p.a = p.a * p.b
    return p.a * p["b"]


def with_dict(cls):
    return lambda a, b: cls(a=a, b=b)


GIVEN = [
    (changed, with_dict(Params)),
    (grown, lambda a, b: Vector([a, b])),
    (lambda v: (v.append(v[0] * v[1]) or v.peek()) ** 2, lambda a, b: Stack([a, b])),
    (by_attributes, with_dict(Tree)),
    (by_attributes, with_dict(Aliased)),
    (by_attributes, with_dict(Mirrored)),
    (lambda w: w.mean() * w.pop(), lambda a, b: Window([a, b])),
    (lambda p: p.norm() * (p - Point(1.0)).x, Point),
    (lambda d: d.first() * d["b"], with_dict(Ordered)),
    (lambda d: d["a"] * (d["b"] + d["c"]), lambda a, b: Groups(float, a=a, b=b)),
    (lambda d: d["a"] * d["b"], with_dict(Doubled)),
    (lambda d: d["a"] * d.get("b") + sum(d.values()), with_dict(Doubled)),
    (lambda s: s[0] * s[1] + sum(s) ** 2, lambda a, b: Shifted([a, b])),
    (lambda t: t[0] * t[1], lambda a, b: Tripled((a, b))),
    (lambda t: t.a * t.b, Pair),
    (lambda t: t[0] * t.b, Times),
    (lambda t: t.a / t.b, Backwards),
    (lambda t: t.a * t[1] ** 2, Renamed),
    (lambda t: t.a * t.b**2, Scaled),
    (lambda d: d["three"] * d["b"], with_dict(Computed)),
    (lambda d: d["b"] * d.get("three", 2.0), with_dict(Computed)),
]


@pytest.mark.parametrize(("f", "make"), GIVEN)
def test_gradient_of_an_argument(f, make):
    def of_numbers(a, b):
        return f(make(a, b))

    (gradient,) = zyg.gradient(f, make(2.0, 3.0))
    found = list(gradient.values() if isinstance(gradient, dict) else gradient)
    h = 1e-6
    a = (of_numbers(2.0 + h, 3.0) - of_numbers(2.0 - h, 3.0)) / (2 * h)
    b = (of_numbers(2.0, 3.0 + h) - of_numbers(2.0, 3.0 - h)) / (2 * h)
    assert found == pytest.approx([a, b], rel=1e-7)
    assert zyg.withgradient(f, make(2.0, 3.0))[0] == of_numbers(2.0, 3.0)


@pytest.mark.parametrize(
    ("f", "argument"),
    [
        (lambda d: sum(d.values()), Values(a=2.0)),
        (lambda d: sum(dict.values(d)), Values(a=2.0)),
        (lambda items: items.append(items[0]) or items[1], Noisy([2.0])),
        (lambda items: setattr(items, "name", 2.0) or items[0], Vector([2.0])),
    ],
)
def test_methods_that_were_replaced_are_refused(f, argument):
    with pytest.raises(zyg.ZygError, match=r"replaces its `|is stored in a Vector"):
        zyg.gradient(f, argument)


class Doubled(list):
    def __iter__(self):
        return iter([2 * x for x in list.__iter__(self)])


def test_items_that_a_class_gives_itself_have_no_tangents():
    def squares(xs):
        s = 0.0
        for x in xs:
            s += x * x
        return s

    for differentiate in (zyg.gradient, lambda f, xs: zyg.jvp(f, (xs,), ([1.0, 0.0],))):
        with pytest.raises(zyg.ZygError, match="replaces its `__iter__`"):
            differentiate(squares, Doubled([1.0, 2.0]))


@pytest.mark.parametrize("cls", [Times, Backwards, Renamed, Scaled, Early, Squared])
def test_named_tuples_that_are_no_plain_ones_are_not_made(cls):
    programs = [lambda x: cls(x, x)[0], lambda x: cls(2.0, x).a, lambda x: cls._make([x, x])[1]]
    for f in programs[: 3 if hasattr(cls, "_make") else 1]:
        for differentiate in (zyg.gradient, lambda f, x: zyg.jvp(f, (x,), (1.0,))):
            with pytest.raises(zyg.ZygError):
                differentiate(f, 2.0)


@pytest.mark.parametrize("cls", [Times, Backwards, Renamed, Scaled])
def test_methods_of_named_tuples_that_are_no_plain_ones_are_refused(cls):
    def replaced(pair, x):
        return pair._replace(a=x).b * x

    def as_dict(pair, x):
        return pair._asdict()["a"] * x

    for f in (replaced, as_dict):
        with pytest.raises(zyg.NotDifferentiable, match="replaces what a NamedTuple has"):
            zyg.gradient(f, cls(2.0, 3.0), 2.0)
    with pytest.raises(zyg.NotDifferentiable, match="replaces what a NamedTuple has"):
        zyg.jvp(lambda x: replaced(cls(2.0, 3.0), x), (2.0,), (1.0,))


def test_a_store_that_the_class_replaces_is_refused():
    def stored(d):
        d["a"] = d["a"] * 3.0
        return d["a"]

    with pytest.raises(zyg.ZygError, match="Checked derives from a container and replaces"):
        zyg.gradient(stored, Checked(a=2.0))
    with pytest.raises(zyg.ZygError, match="Checked"):
        zyg.gradient(lambda x: stored(Checked(a=x)), 2.0)


def test_an_instance_with_attributes_is_not_made():
    with pytest.raises(zyg.ZygError, match="the attribute `name` is stored in a Named"):
        zyg.gradient(lambda x: Named([x], "x")[0], 2.0)
    with pytest.raises(zyg.ZygError, match="`locals\\(\\)` is not supported"):
        zyg.gradient(lambda x: Unseen(x)["x"], 2.0)
    with pytest.raises(zyg.ZygError):
        zyg.gradient(lambda x: unseen_change(Vector([1.0]), x), 2.0)


def test_an_item_that_nobody_could_have_known_to_be_computed_is_refused():
    def f(items):
        return items[0]["three"] * items[0]["b"]

    elsewhere = type(f)(f.__code__, {"__name__": "elsewhere"})
    with pytest.raises(zyg.ZygError, match="`__missing__` of Computed computed the item 'three'"):
        zyg.gradient(elsewhere, [Computed(a=2.0, b=3.0), 1.0, "text", None, (1,)])


def test_attributes_beside_the_items_have_no_part_in_the_gradient():
    marked = Marked(a=2.0)
    marked.a = 3.0
    assert zyg.gradient(lambda p: p.a * p["a"] ** 2, marked) == ({"a": 12.0},)
    named = Named([2.0, 3.0], 5.0)
    assert zyg.gradient(lambda p: p.name * p[0] * p[1], named) == ([15.0, 10.0],)


def test_a_missing_item_read_as_an_attribute_raises_what_the_class_does():
    def f(x, cls):
        return cls(a=x).b

    with pytest.raises(AttributeError, match="b"):
        zyg.gradient(lambda x: f(x, Tree), 2.0)
    with pytest.raises(KeyError, match="b"):
        zyg.gradient(lambda x: f(x, Aliased), 2.0)
    with pytest.raises(AttributeError, match="b"):
        zyg.gradient(lambda x: f(x, Mirrored), 2.0)


def test_an_item_that_hides_a_method_is_refused():
    with pytest.raises(zyg.ZygError, match="can't tell whether its attributes are its items"):
        zyg.gradient(lambda x: Mirrored(values=x).values, 2.0)


def test_numbers_of_derived_classes_forwards():
    assert zyg.jvp(lambda x: x * Level.HIGH + Measure(2.0) * x, (2.0,), (1.0,)) == (10.0, 5.0)


def test_mappings_of_collections_from_dicts_and_names():
    def f(x, y):
        ordered = OrderedDict({"a": x}, b=y)
        groups = defaultdict(float, {"a": x}, b=y)
        counts = Counter({"a": x}, b=y)
        return ordered["a"] * groups["b"] * counts["a"] + ordered["b"] * groups["a"] * counts["b"]

    assert zyg.gradient(f, 2.0, 3.0) == (21.0, 16.0)


def test_the_union_of_counters_in_place_is_refused():
    def f(x):
        counts = Counter({"a": x})
        counts |= Counter({"a": 3.0})
        return counts["a"] * x

    with pytest.raises(zyg.ZygError, match="augmented assignment"):
        zyg.gradient(f, 2.0)


@pytest.mark.parametrize(
    "items",
    [
        Params(a=[1.0]), Vector([[1.0]]), Window([[1.0]], 3), Groups(float, a=[1.0]),
        Ordered(a=[1.0]), Point([1.0], [2.0]), Mirrored(a=[1.0]), Shifted([[1.0]]), Marked(a=[2.0]),
    ],
)
def test_copies_have_the_class_and_items_of_their_own(items):
    made = copied(items, copy.copy)
    assert type(made) is type(items)
    base = base_of(type(items)) or list
    assert repr(base.__repr__(made)) == repr(base.__repr__(items))
    (inner,) = [*(dict.values(made) if isinstance(made, dict) else base.__iter__(made))][:1]
    (before,) = [*(dict.values(items) if isinstance(items, dict) else base.__iter__(items))][:1]
    assert inner == before and inner is not before
    assert getattr(made, "maxlen", None) == getattr(items, "maxlen", None)
    assert getattr(made, "default_factory", None) == getattr(items, "default_factory", None)


def test_made_and_taken_apart():
    for items in ([1.0], {"a": 1.0}, deque([1.0], 2), (1.0, 2.0), defaultdict(list, a=1.0)):
        cls = type("Own", (type(items),), {})
        made = derived(cls, items)
        assert type(made) is cls and base_of(cls) is type(items)
        assert type(underived(made)) is type(items) and underived(made) == items
    assert base_of(Doubled) is base_of(dict) is base_of(Computed) is None


def test_what_the_class_holds_for_all():
    def f(x):
        marked = Marked(a=x)
        Marked.total = x * x
        marked.log.append(x)
        return marked.total * marked["a"] * marked.log[-1]

    assert zyg.gradient(f, 2.0) == (32.0,)
    own = Marked(a=1.0)
    own.total = 3.0
    with pytest.raises(zyg.ZygError, match="stands both in it and in its class"):
        zyg.gradient(lambda p: p.total * p["a"], own)


def test_a_global_that_comes_to_hold_something_else():
    def f(x):
        return x * SETTINGS["a"]

    assert zyg.gradient(f, 3.0) == (2.0,)
    SETTINGS["a"] = 1 + 2j
    assert zyg.gradient(lambda x: f(x).real, 3.0) == (1.0,)


SETTINGS = Marked(a=2.0)


class Scaled(NamedTuple):
    factor: float
    offset: float

    def __call__(self, x, power=1):
        return self.factor * x**power + self.offset

    def doubled(self):
        return Scaled(2.0 * self.factor, self.offset)


HELD = Scaled(3.0, 0.5)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Scaled(x, 2.0)(x, power=2) + Scaled(2.0, x).doubled()(x),
        lambda x: HELD(x) * x,
        lambda x: called_with(Scaled(x, 2.0 * x), x),
        lambda x: (lambda f: (lambda t: f(t, 3)))(Scaled(x, 1.0))(x),
        lambda x: sum(f(x) for f in [Scaled(x, 1.0), Scaled(2.0, x)]),
    ],
)
def test_named_tuples_that_are_called(f):
    zyg.check_grads(f, 0.7)
    assert zyg.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(zyg.gradient(f, 0.7)[0])


def called_with(f, x):
    return f(x) ** 2
