"""Records and nodes against the classes that `dataclasses` makes of the same fields."""

import dataclasses
import inspect

import pytest

from ir.record import made, node, record


class Point:
    x: int
    y: int = 2


class Many:
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int = 9
    items: list[int] = made(list)


def copy_of(cls):
    return type(cls.__name__, (), {
        name: value for name, value in vars(cls).items()
        if name not in ("__dict__", "__weakref__")
    })


def test_a_record_compares_by_its_fields():
    point = record(copy_of(Point))
    assert point(1) == point(1, 2) == point(x=1, y=2)
    assert point(1) != point(1, 3) and point(1) != (1, 2)
    assert len({point(1), point(1, 2), point(2)}) == 2
    assert repr(point(1)) == "Point(x=1, y=2)"


def test_records_of_different_classes_differ():
    assert record(copy_of(Point))(1) != record(copy_of(Point))(1)


def test_a_record_keeps_its_own_methods():
    class Modulo:
        number: int

        def __eq__(self, other):
            return self.number % 3 == other.number % 3

        def __hash__(self):
            return self.number % 3

    assert record(Modulo)(1) == record(Modulo)(4)


def test_a_node_is_equal_to_itself_alone():
    point = node(copy_of(Point))
    one = point(1)
    assert one == one and one != point(1)
    one.x = 5
    assert (one.x, one.y) == (5, 2)


def test_fields_match_in_their_order():
    match record(copy_of(Point))(1):
        case object(x=1, y=2) as found:
            assert found.__match_args__ == ("x", "y")
        case _:
            pytest.fail("no match")


def test_a_subclass_has_the_fields_of_its_base_first():
    base = node(copy_of(Point))

    @node
    class Labelled(base):
        label: str = ""

    assert vars(Labelled(1, 3, "a")) == {"x": 1, "y": 3, "label": "a"}


@pytest.mark.parametrize("cls", [Point, Many])
def test_signatures_are_enforced(cls):
    made_class = node(copy_of(cls))
    count = len(made_class.__match_args__)
    for args, kwargs in (((), {}), ((1,) * (count + 1), {}), ((1,) * (count - 1), {"z": 1})):
        with pytest.raises(TypeError):
            made_class(*args, **kwargs)


def test_each_instance_has_a_made_default_of_its_own():
    many = node(copy_of(Many))
    first, second = many(*range(8)), many(*range(8), items=[1])
    first.items.append(0)
    assert (first.i, first.items, second.items, many(*range(8)).items) == (9, [0], [1], [])


def test_the_parameters_are_those_of_a_dataclass():
    ours, theirs = record(copy_of(Point)), dataclasses.dataclass(copy_of(Point))
    names = [list(inspect.signature(cls).parameters) for cls in (ours, theirs)]
    assert names[0] == names[1]
