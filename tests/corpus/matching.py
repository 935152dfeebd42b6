"""`match` statements: every kind of pattern, guards, names that stay bound, exits out of cases."""

import collections
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.corpus.registry import program, raises


class Shape(NamedTuple):
    kind: str
    size: float


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Circle:
    center: Point
    radius: float


class Renamed:
    __match_args__ = ("second", "first")

    def __init__(self, first, second):
        self.first = first
        self.second = second


class Settings:
    LOW = 1
    HIGH = 2


@program((2.0, 0), (2.0, 1), (2.0, 2), (2.0, 7))
def literals(x, n):
    match n:
        case 0:
            return x
        case 1:
            return x * x
        case -1 | 2:
            y = 3 * x
        case _:
            y = math.sin(x)
    return y * y


@program((2.0, "up"), (2.0, "down"), (2.0, "hold"))
def text(x, word):
    match word:
        case "up":
            x = x * 2
        case "down":
            x = x / 2
    return x * x


@program((2.0, None), (2.0, True), (2.0, False), (2.0, 1))
def singletons(x, flag):
    match flag:
        case None:
            return x
        case True:
            return x**2
        case False:
            return x**3
        case 1:
            return x**4


@program((2.0, 1), (2.0, 2), (2.0, 3))
def named_constants(x, level):
    match level:
        case Settings.LOW:
            factor = x
        case Settings.HIGH:
            factor = x * x
        case other:
            factor = other * x
    return factor * 2


@program((3.0,), (0.5,))
def capture_and_guard(x):
    match x * 2:
        case y if y > 4:
            return y * x
        case y:
            return y + x * x


@program(((2.0, 3.0),), ((2.0,),), ((),), ((2.0, 3.0, 4.0, 5.0),))
def tuples_by_length(values):
    match values:
        case ():
            return 0.0
        case (x,):
            return x * x
        case (x, y):
            return x * y
        case (first, *middle, last):
            return first * last + sum(middle) ** 2


@program(([2.0, 3.0, 4.0],), ([2.0],), ([],))
def lists_with_a_star(values):
    match values:
        case [first, *rest] if rest:
            return first * rest[0] * rest[-1]
        case [_, *_]:
            return values[0] ** 3
        case [*everything]:
            return float(len(everything))


@program(([2.0, 3.0, 4.0],), ([2.0, 5.0],))
def ignored_items(values):
    match values:
        case [first, _, last]:
            return first * last
        case [*_, last]:
            return last * last


@program((2.0, ("move", 1.5)), (2.0, ("scale", 3.0)), (2.0, ("turn",)), (2.0, "move"))
def commands(x, command):
    match command:
        case ("move", distance):
            return x + distance**2
        case ("scale", factor):
            return x * factor
        case (name,):
            return x * len(name)
        case _:
            return x * x


@program((((1.0, 2.0), (3.0, 4.0)),), (((1.0, 2.0), 3.0),))
def nested_sequences(pairs):
    match pairs:
        case ((a, b), (c, d)):
            return a * d - b * c
        case ((a, b), c):
            return a * b * c


@program(({"x": 2.0, "y": 3.0},), ({"y": 3.0, "z": 2.0},), ({},))
def mappings(values):
    match values:
        case {"x": x, "y": y}:
            return x * y * y
        case {"y": y}:
            return y**3
        case {}:
            return 1.0


@program(({"kind": "a", "x": 2.0, "y": 3.0},), ({"kind": "b", "x": 2.0},), ({"kind": "c"},))
def mapping_with_rest(values):
    match values:
        case {"kind": "a", **rest}:
            return rest["x"] * rest["y"]
        case {"kind": "b" | "c" as kind, **rest}:
            return rest.get("x", 1.0) ** 2 if kind == "b" else 0.0


@program(({"outer": {"inner": [2.0, 3.0]}},), ({"outer": {"inner": [2.0]}},))
def nested_mapping(tree):
    match tree:
        case {"outer": {"inner": [x, y]}}:
            return x / y
        case {"outer": {"inner": [x]}}:
            return x * x


@program((2.0, 3.0, 0), (2.0, 3.0, 1))
def mapping_made_on_the_way(x, y, n):
    match {"n": n, "value": x * y}:
        case {"n": 0, "value": value}:
            return value * x
        case {"n": int(m), "value": value}:
            return value * y + m


@program((2.0,), ((2.0, 3.0),), ([2.0, 3.0],), ({"a": 2.0},), ("text",), (np.array([1.0, 2.0]),))
def kinds(value):
    match value:
        case float(x):
            return x**3
        case tuple((x, y)):
            return x * y
        case list():
            return value[0] * value[1] ** 2
        case dict(items):
            return items["a"] ** 2
        case str():
            return 1.0
        case np.ndarray(shape=(n,)):
            return np.sum(value) * n


@program((2.0, 3.0), (-2.0, 3.0))
def class_patterns(x, y):
    match Shape("disc" if x > 0 else "square", x * y):
        case Shape("disc", size):
            return math.pi * size**2
        case Shape(kind="square", size=size):
            return size**2 * x


@program((Point(2.0, 3.0),), (Circle(Point(2.0, 3.0), 4.0),), (Renamed(2.0, 3.0),))
def objects(shape):
    match shape:
        case Point(x, y):
            return x * y**2
        case Circle(Point(x, y=height), radius) if radius > 0:
            return x * height * radius
        case Renamed(a, b):
            return a**3 * b


@program((Point(1, 3.0),), (Point(2.0, 1),), (Point(2.0, 3.0),))
def attributes_as_literals(point):
    match point:
        case Point(x=1, y=y):
            return y * y
        case Point(x=x, y=1):
            return x**3
        case Point():
            return point.x * point.y


@program((1.3,), (2.3,))
def objects_that_were_made_here(x):
    pair = Renamed(x, x * x)
    pair.second *= 3.0
    match [pair, Renamed(first=2.0, second=x)]:
        case [Renamed(first=a), Renamed(second=b)] if a > 2:
            return a * b
        case [Renamed(second=a), Renamed(b, 2.0)]:
            return a * b * pair.second


@program((("a", 2.0),), (("b", 2.0, 3.0),), ((2.0, "c"),))
def alternatives_bind_the_same_names(value):
    match value:
        case ("a", x) | (x, "c"):
            return x * x
        case ("b", x, y) | (x, y, "b"):
            return x * y


@program(((2.0, (3.0, 4.0)),))
def as_patterns(value):
    match value:
        case (float() as x, (y, _) as pair):
            return x * y * pair[1]


@program((2.0, [1, 2, 3, 4]))
def exits_in_cases(x, steps):
    total = 0.0
    for step in steps:
        match step:
            case 1:
                continue
            case 3:
                total += x**2
                break
            case n:
                total += n * x
    return total


@program((2.0, 3), (2.0, 8), (2.0, 9))
def returns_from_a_loop(x, n):
    while True:
        match n % 4:
            case 0:
                return x**n
            case 1 | 2:
                n += 1
                x = x * 1.1
            case _:
                return x * n


@program((2.0, 3.0))
def names_stay_bound(x, y):
    match (x, y):
        case (a, b) if a > b:
            a = 1.0
        case (c, _):
            pass
    return a * b + c


@program((2.0,))
def subject_is_evaluated_once(x):
    def noisy(value):
        print("subject")
        return value

    match noisy(x * x):
        case 0.0 | 1.0:
            x = 0.0
        case y if print("first guard"):
            x = 0.0
        case y if y > 3:
            print("taken")
            x = y * x
    return x


@program((2.0, collections.deque([3.0, 4.0]), range(2)))
def other_sequences(x, values, numbers):
    match numbers:
        case [start, stop]:
            x = x * (stop - start)
    match values:
        case [a, b]:
            x = x * len(values)
    return x * x


@program((2.0, "ab"), (2.0, b"ab"))
def text_is_no_sequence(x, value):
    match value:
        case [_, _]:
            x = 0.0
        case str() | bytes():
            x = x * x
    return x


@program((2.0, 3.0))
def matched_in_nested_function(x, y):
    def apply(operation: tuple[str, Any]):
        match operation:
            case ("add", z):
                return x + z
            case ("mul", z):
                return x * z

    return apply(("add", y)) * apply(("mul", y))


@program(([("push", 2.0), ("push", 3.0), ("mul",), ("push", 4.0), ("add",)],))
def stack_machine(instructions):
    stack = ()
    for instruction in instructions:
        match instruction, stack:
            case ("push", value), _:
                stack = (value, *stack)
            case ("mul",), (a, b, *rest):
                stack = (a * b, *rest)
            case ("add",), (a, b, *rest):
                stack = (a + b, *rest)
    return stack[0]


@program((3.0,))
def expression_tree(x):
    def evaluate(tree):
        match tree:
            case "x":
                return x
            case int() | float():
                return tree
            case ("+", a, b):
                return evaluate(a) + evaluate(b)
            case ("*", a, b):
                return evaluate(a) * evaluate(b)
            case ("^", a, int(n)):
                return evaluate(a) ** n

    return evaluate(("+", ("*", 2.0, ("^", "x", 3)), ("*", "x", -1)))


@program((1.5, 0.5))
def everything_caught_in_a_list(x, y):
    def evaluate(tree):
        match tree:
            case ("*", a, b):
                return evaluate(a) * evaluate(b)
            case {"name": name}:
                return {"x": x, "y": y}[name]
            case [*terms]:
                return sum(map(evaluate, terms))

    return evaluate([("*", {"name": "x"}, {"name": "y"}), {"name": "x"}])


@raises(TypeError, (Point(1.0, 2.0),))
def too_many_positional_patterns(point):
    match point:
        case Point(x, y, z):
            return x * y * z


@raises(UnboundLocalError, ([1.0, 2.0],))
def name_of_a_failed_pattern(values):
    match values:
        case [x]:
            pass
    return x
