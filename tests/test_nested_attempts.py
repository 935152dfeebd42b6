"""How often inference types what stands in `try` in nested loops: no level many times over."""

import zyg
from ir.inference.typed_calls import TypedCalls
from tests.differences import check_gradient


class Account:
    def __init__(self):
        self.total = 0.0
        self.count = 0


def add(account, x):
    account.total += x
    if x < 0.0:
        raise ValueError("negative")
    account.count += 1


def two_levels(xs):
    account = Account()
    for y in xs:
        try:
            add(account, y)
            for x in xs:
                try:
                    add(account, x)
                    account.total *= x / (account.count - 3)
                except ZeroDivisionError:
                    account.total += account.count
        except ValueError:
            account.total *= 2.0
    return account.total


def four_levels(xs):
    account = Account()
    for w in xs:
        try:
            add(account, w)
            for z in xs:
                try:
                    add(account, z)
                    for y in xs:
                        try:
                            add(account, y)
                            for x in xs:
                                try:
                                    add(account, x)
                                    account.total *= x / (account.count - 3)
                                except ZeroDivisionError:
                                    account.total += account.count
                        except ValueError:
                            account.total *= 2.0
                except ValueError:
                    account.total *= 3.0
        except ValueError:
            account.total *= 4.0
    return account.total


def test_calls_that_are_typed_grow_by_less_than_threefold_with_each_level(monkeypatch):
    plain, counts = TypedCalls.typed_call, []

    def counted(self, *args, **kwargs):
        counts[-1] += 1
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(TypedCalls, "typed_call", counted)
    for f in (two_levels, four_levels):
        counts.append(0)
        zyg.code_gradient(f, [1.0, 2.0])
    assert counts[1] < 6 * counts[0]


def test_gradients_of_such_programs():
    for xs in ([1.5, -2.0], [0.5, 2.0]):
        check_gradient(two_levels, (xs,), zyg.pullback)
        check_gradient(four_levels, (xs,), zyg.pullback)
