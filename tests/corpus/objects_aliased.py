"""Objects under several names, whose attributes are read and changed in an awkward order."""

import math
from dataclasses import dataclass

from tests.corpus.registry import program


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def move(self, other, factor):
        self.x += factor * other.y
        other.x += factor * self.y
        self.y *= other.x

    def swap(self, other):
        self.x, other.x = other.x, self.x


class Equal:
    """Each object is equal to each other one."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Slotted:
    __slots__ = ("next", "x")

    def __init__(self, x, next=None):
        self.x = x
        self.next = next


@dataclass
class Pair:
    first: float
    second: float


class Scaled(Point):
    scale = 2.0

    @property
    def area(self):
        return self.x * self.y * self.scale

    @area.setter
    def area(self, value):
        self.x = value / self.y


@program((2.0, 3.0))
def changed_through_two_names(a, b):
    p = Point(a, b)
    q = p
    p.x = 0.1 * a * b
    q.x *= p.x
    p.y = q.x + p.y
    q.x = p.y * q.y
    return p.x * q.y + math.sin(0.1 * q.x)


def tangled(p, q, factor):
    """The same code for objects that are one and for two."""
    p.x = q.x * factor
    q.x += p.x * p.y
    p.y, q.y = q.x, p.x * q.y
    q.x -= factor
    p.x *= q.x
    return p.x * p.y + q.x * q.y


@program((2.0, 3.0))
def one_object_for_two_parameters(a, b):
    p, q = Point(a, b), Point(b, a)
    return tangled(p, p, a) + tangled(p, q, b) + tangled(q, q, 0.5)


@program((2.0, 3.0, True), (2.0, 3.0, False))
def one_object_or_two(a, b, is_one):
    p = Point(a, b)
    q = p if is_one else Point(b, a)
    return tangled(p, q, a)


@program((Point(1.5, 2.5), 2.0))
def argument_in_two_places(p, a):
    points = [p, Point(a, a), p]
    for q in points:
        q.x = q.x * a + q.y
        p.y += q.x
    return sum([q.x * q.y for q in points])


@program((2.0, 3.0))
def every_pair_moves(a, b):
    points = [Point(a, b), Point(b, 0.5 * a), Point(0.1 * a, 0.2)]
    for p in points:
        for q in points:
            p.move(q, 0.01)
    return points[0].x * points[1].y + points[2].x


@program((2.0, 3.0))
def swapped_in_a_loop(a, b):
    p, q = Point(a, b), Point(b, 1.0)
    for _ in range(3):
        p.swap(q)
        p.x *= a
        p, q = q, p
        p.swap(p)
        q.y += p.x
    return p.x * q.y - q.x


@program((2.0, 3.0))
def equal_objects_are_not_one(a, b):
    p, q = Equal(a), Equal(b)
    p.x = p.x * q.x
    q.x = q.x + p.x
    return p.x * math.sin(q.x)


@program((Equal(2.0), Equal(3.0)))
def equal_arguments_are_not_one(p, q):
    p.x *= q.x
    return p.x * p.x * q.x


@program((Pair(2.0, 3.0), 1.5))
def object_without_hash(pair, factor):
    other = Pair(pair.second, pair.first)
    pair.first *= factor
    other.first += pair.first
    pair.second = other.first * pair.second
    return pair.first * pair.second + other.second


@program((2.0, 3.0))
def chain_that_bites_its_tail(a, b):
    first = Slotted(a)
    second = Slotted(b, first)
    first.next = second
    node = first
    for _ in range(4):
        node.next.x += node.x * 0.1
        node = node.next
    return first.x * second.x


@program((2.0,))
def stored_in_itself(a):
    node = Slotted(a)
    node.next = node
    node.next.x = node.x * node.next.next.x
    node.x += node.next.x
    return node.next.x * a


@program((2.0, 3.0))
def deleted_and_stored_again(a, b):
    p = Point(a, b)
    x = p.x * p.y
    del p.x
    p.x = x * a
    del p.y
    p.y = p.x + b
    return p.x * p.y


@program((2.0, 3.0))
def deleted_behind_an_error(a, b):
    p = Point(a, b)
    del p.x
    try:
        y = p.x * b
    except AttributeError:
        p.x = b * b
        y = a
    return y * p.x


@program((2.0, 3.0))
def property_between_stores(a, b):
    p = Scaled(a, b)
    area = p.area
    p.area = area * a
    p.y += p.x
    p.scale = p.x
    return p.area * p.scale


@program((2.0, 3.0))
def subclass_beside_its_base(a, b):
    result = 0.0
    for p in (Point(a, b), Scaled(b, a)):
        p.x *= p.y
        result += p.x * p.x
    return result


@program((2.0, 3.0))
def taken_away_without_a_read(a, b):
    p = Point(a, b)
    p.x = a * b
    p.x = b
    p.y = p.x
    p.x = 1.0
    return p.y * p.y * a


@program((2.0, 3.0))
def number_of_several_kinds(a, b):
    p = Point(0, a)
    for _ in range(3):
        p.x += p.y * b
        p.y = p.x if p.x < 10.0 else 1
    return p.x * a


@program((2.0, 3.0))
def number_where_an_object_was(a, b):
    p = Point(a, None)
    p.y = Point(b, p)
    p.y.x *= p.y.y.x
    p.x = p.y.x
    p.y = p.y.x + a
    return p.x * p.y


@program((2.0, 3.0), (3.0, 2.0))
def stored_in_arms(a, b):
    p, q = Point(a, b), Point(b, a)
    if a < b:
        p.x = q.x * a
        q = p
    else:
        q.x += p.y
    q.x *= p.x
    for _ in range(2):
        if q.x > p.x:
            q.y += p.x
        else:
            p.y -= q.x * 0.1
            q, p = p, q
    return p.x * q.y + p.y


@program((2.0, 3.0))
def read_around_a_call_that_stores(a, b):
    p = Point(a, b)

    def double(q):
        q.x = 2.0 * q.x
        return q.y

    x = p.x
    y = double(p)
    return x * y * p.x


@program((2.0, 3.0, 0), (2.0, 3.0, 2))
def loop_that_may_not_run(a, b, n):
    p, q = Point(a, b), Point(b, a)
    for i in range(n):
        p.x += q.x * i
    return p.x * q.x


@program((Point(2.0, 3.0), Point(0.5, 0.25), 2.0))
def only_some_attributes_count(p, q, a):
    q.x = p.x * a
    return q.x * q.x


@program((2.0, 3.0))
def counted_beside(a, b):
    p = Point(a, 0)
    for i in range(4):
        p.y += 1
        p.x *= b if p.y % 2 else 0.5
    return p.x * p.y
