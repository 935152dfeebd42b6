"""What classes and modules answer: items, what metaclasses compute, descriptors that print, names
of one of several."""

import operator
import sys

from tests.corpus import elsewhere
from tests.corpus.registry import program


class Scales:
    def __class_getitem__(cls, scale):
        return lambda x: x * scale


class Squares:
    factor = 2.0

    def __class_getitem__(cls, x):
        return cls.factor * x * x


class WithItems(type):
    def __getitem__(cls, scale):
        return lambda x: x * scale * cls.factor


class Made(metaclass=WithItems):
    factor = 3.0


@program((1.5,))
def items_of_classes(x):
    return Scales[x](x) * Squares[x] + Made[x](x)


@program((1.5, 0), (1.5, 1))
def an_item_of_one_of_several_classes(x, which):
    return [Scales, Made][which][x](x)


class Loud:
    """Says when it is read, and knows no class."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        print("read of", type(obj).__name__)
        return getattr(obj, self.name) * 2

    def __set__(self, obj, value):
        print("stored")
        setattr(obj, self.name, value * value)


class Reading:
    value = Loud()

    def __init__(self, value):
        self.value = value


@program((1.5,))
def a_descriptor_that_is_read_as_often_as_it_should(x):
    reading = Reading(x)
    reading.value = reading.value * x
    return reading.value * x


class Totals(type):
    """Answers for its classes: by a property, a method, and for any other name."""

    @property
    def double(cls):
        return 2 * cls.total

    def raise_by(cls, x):
        cls.total += x

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return cls.total * len(name)


class Counted(metaclass=Totals):
    total = 0.0


class CountedToo(Counted):
    total = 1.0


@program((1.5,))
def what_a_metaclass_computes(x):
    Counted.total = x
    product = Counted.double * Counted.total
    Counted.raise_by(x * x)
    return product * Counted.anything + Counted.double


@program((1.5,))
def what_the_metaclass_of_one_of_several_classes_computes(x):
    Counted.total, CountedToo.total = x, x * x
    product = x
    for cls in (Counted, CountedToo):
        cls.raise_by(x)
        product *= cls.double
    return product + [Counted, CountedToo][int(x)].total


class Base:
    total = 0.0

    def read(self):
        return self.total


class Above(Base):
    def read(self):
        return super().total


@program((1.5, 0), (1.5, 1))
def an_attribute_of_one_of_several_classes(x, which):
    Base.total = x
    cls = [Base, Above][which]
    return cls.total * x * max([Base, Above], key=lambda cls: cls.total).total


@program((1.5,))
def an_attribute_above(x):
    Base.total = x
    return Above().read() * Base().read()


@program((1.5,))
def attributes_with_defaults(x):
    Base.total = x
    return getattr(Above, "total", 2.0) * getattr(Base, "total", x) + getattr(Base, "other", x)


@program((1.5,))
def names_of_modules_that_are_found(x):
    elsewhere.set_offset(x)
    found = sys.modules[elsewhere.__name__]
    return found.OFFSET * operator.attrgetter("OFFSET")(elsewhere) * elsewhere.OFFSET


@program((1.5,))
def names_of_modules_that_are_stored(x):
    elsewhere.OFFSET = x
    product = elsewhere.OFFSET * x
    elsewhere.OFFSET = product * x
    clipped, elsewhere.clipped = elsewhere.clipped, lambda y: y * product
    try:
        return elsewhere.clipped(x) * elsewhere.OFFSET
    finally:
        elsewhere.clipped = clipped
