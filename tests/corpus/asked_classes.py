"""What classes answer: their items, their metaclasses, descriptors that print."""

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
