"""Second derivatives of programs that read attributes of classes where a base may have them."""

import pytest

from tests.derivatives_twice import MODES, slope_of


class Base:
    total = 0.0
    rate = 2.0

    def __init__(self, x):
        self.x = x

    def read(self):
        return self.total * self.x


class Above(Base):
    def scaled(self):
        return super().rate * super().total * self.x


class Third(Above):
    total = 1.0


def stored_in_one_object(x):
    Base.total = x
    one, other = Above(x), Above(x * x)
    other.total = x**3
    return one.read() * other.read() + one.total


def stored_below(x):
    Base.total = x
    read = Above.total * x
    Above.total = x * x
    return read + Above.total * Above(x).read() * Third(x).read()


def in_a_loop(x):
    for i in range(3):
        Base.total = Base.total * 0.5 + x * i
        Above(x).read()
    return Above(x).read() * Third.total


def by_super(x):
    Base.total = x * x
    return Above(x).scaled() * x


def with_defaults(x):
    Base.total = x
    return getattr(Above, "none", x * x) * getattr(Third, "rate", x) * getattr(Above, "total", 1.0)


def of_one_of_several(x):
    Base.total = x
    total = 0.0
    for name in ("base", "third", "base"):
        cls = {"base": Base, "third": Third}[name]
        total += cls.total * Above.total * cls.rate
    return total


@pytest.fixture(autouse=True)
def names():
    yield
    put_back()


def put_back():
    Base.total, Third.total = 0.0, 1.0
    if "total" in vars(Above):
        del Above.total


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f", [stored_in_one_object, stored_below, in_a_loop, by_super, with_defaults, of_one_of_several]
)
def test_second_derivative(f, mode):
    def fresh(x):
        put_back()
        return f(x)

    step = 1e-3
    values = [fresh(x) for x in (1.5 - step, 1.5, 1.5 + step)]
    put_back()
    found = mode(slope_of(f))(1.5)
    expected = (values[0] - 2 * values[1] + values[2]) / step**2
    assert found == pytest.approx(expected, rel=1e-4)
