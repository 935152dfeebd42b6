"""Second derivatives of objects that change themselves when they are asked for an attribute."""

import pytest

from tests.orders_of_modes import check_second_derivative, forward, reverse


class Counting:
    """Changes itself when it is asked for what it doesn't hold."""

    def __init__(self, x):
        self.x = x
        self.count = 0

    def __getattr__(self, name):
        self.count += 1
        self.x = self.x * 1.5
        if name == "product":
            return self.x * self.count
        raise AttributeError(name)


def changed_by_reads(x):
    counting = Counting(x)
    total = counting.product * counting.product
    return total * counting.x * counting.count


@pytest.mark.parametrize("inner", [forward, reverse])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_second_derivative(inner, outer):
    check_second_derivative(changed_by_reads, inner, outer, 1.3)
