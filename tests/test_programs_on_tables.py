"""Second derivatives of programs on tables that objects hold, in the four orders of the modes."""

import pytest

import zyg
from tests import programs_on_boxes, programs_on_tables
from tests.orders_of_modes import forward, reverse
from tests.programs_on_tables import called_twice

X = 1.3
PROGRAMS = [*programs_on_tables.PROGRAMS, *programs_on_boxes.PROGRAMS]
ORDERS = [(reverse, reverse), (forward, reverse), (reverse, forward), (forward, forward)]
# Those that have none yet.
REFUSED = set("""
    accumulated bound_in_a_loop chain_read_later chained_rows chained_starred
    collected_in_a_loop cycled defaultdict_of_rows einsum_starred filtered_arrays
    generator_of_rows_read_later grouped list_of_an_object merged_dicts named_tuple
    reduce_of_a_dict reduced_by_a_ufunc row_in_an_exception
    rows_changed_by_a_generator rows_zipped_starred
    table_in_a_dict_returned table_returned transposed unzipped view_of_a_row where_starred
    zip_longest
""".split())
# Those that have none in some orders, by the first letters of the two modes, the inner one first.
REFUSED_IN_ORDERS = {
    "dot_starred": "ff fr",
    "from_a_generator": "ff fr",
    "given_as_keywords": "ff fr rf",
    "pairs": "ff",
    "product_of_tables": "ff fr rf",
}


def second_difference(f, step=2e-4):
    return (f(X + step) - 2 * f(X) + f(X - step)) / step**2


def letters(inner, outer):
    return inner.__name__[0] + outer.__name__[0]


def check(program, inner, outer):
    f, name = called_twice(program), program.__name__
    if name in REFUSED or letters(inner, outer) in REFUSED_IN_ORDERS.get(name, ""):
        with pytest.raises(zyg.ZygError):
            outer(inner(f))(X)
    else:
        assert outer(inner(f))(X) == pytest.approx(second_difference(f), rel=1e-4)


def programs(places):
    return pytest.mark.parametrize("place", places, ids=lambda i: PROGRAMS[i].__name__)


# By turns one order for each; another one, and two programs of three, are among the thorough tests.
@pytest.mark.thorough
@programs(range(0, len(PROGRAMS), 3))
def test_second_derivative(place):
    check(PROGRAMS[place], *ORDERS[place % 4])


@pytest.mark.thorough
@programs([place for place in range(len(PROGRAMS)) if place % 3])
def test_second_derivative_of_the_others(place):
    check(PROGRAMS[place], *ORDERS[place % 4])


@pytest.mark.thorough
@programs(range(len(PROGRAMS)))
def test_in_another_order(place):
    check(PROGRAMS[place], *ORDERS[(place + place // 4 % 3 + 1) % 4])
