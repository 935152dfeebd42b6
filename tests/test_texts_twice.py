"""Second derivatives of code that works on objects and searches texts."""

import re

import zyg

NUMBERS = re.compile(r"\d+")


def counting_what_a_pattern_finds(text):
    numbers = [float(found) for found in NUMBERS.findall(text)]
    calls = 0

    def weighted(x):
        nonlocal calls
        calls += 1
        return x * numbers[0] + calls

    return weighted


def by_a_pattern(x):
    return counting_what_a_pattern_finds("12 and 3")(x) ** 2


def test_texts_are_searched_in_code_that_works_on_objects():
    assert zyg.jvp(lambda x: zyg.gradient(by_a_pattern, x)[0], (2.0,), (1.0,)) == (600.0, 288.0)
    assert zyg.gradient(lambda x: zyg.gradient(by_a_pattern, x)[0], 2.0) == (288.0,)
