"""What has no name of the user's is called in generated code after where it is read or stored."""

import math
import re

import numpy as np
import pytest

import zyg
from ir.core import Value
from ir.suggestions import Suggested, derived, suggest, temporary


class Body:
    def __init__(self, x, velocity):
        self.x = x
        self.velocity = velocity


def moved(x, dt):
    body = Body(x, math.sin(x))
    for _ in range(3):
        body.x += dt * body.velocity * body.x
    return body.x


def of_items(w, x):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i] * x[i]
    return total


def of_rows(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += math.exp(m[i, j]) * m[i][j]
    return total


def of_keys(p):
    return p["rate"] * math.exp(p["rate"] * p["time"])


def beside_a_name(p):
    rate = 2.0
    for _ in range(2):
        rate *= p["rate"] * p["rate"]
    return rate


def of_a_builtin(p):
    return p["sum"] * sum([p["sum"], p["max"]]) * p["max"]


def of_a_word(p):
    return p["lambda"] ** 2 * math.exp(p["lambda"]) + p["two words"] ** 3


def of_branches(x, is_round):
    total = 0.0
    for item in x:
        total += math.pi * item["radius"] ** 2 if is_round(item) else item["side"] ** 2
    return total


def code_of(function, *args):
    return str(zyg.code_adjoint(function, *args))


def test_attributes_and_items_name_what_is_read_and_its_cotangent():
    code = code_of(moved, 0.5, 0.1)
    assert "velocity = body.velocity" in code
    assert "x_bar = body_bar.x" in code
    code = code_of(of_items, np.ones(3), np.ones(3))
    assert "w_i = w[i]" in code and "x_i = x[i]" in code and "x_bar[i] += " in code


def test_indices_of_two_dimensions_are_put_together():
    assert "m_ij" in code_of(of_rows, np.ones((2, 2)))


def test_what_is_made_is_called_by_its_class():
    assert "body = new_object(Body)" in code_of(lambda x: Body(x, x).x ** 2, 0.5)


def test_functions_of_variables_are_called_as_in_mathematics():
    code = code_of(lambda x: next(math.sin(x) * math.cos(x) for _ in range(3)), 0.5)
    assert "sin_x" in code and "cos_x" in code


def test_a_variable_of_the_user_keeps_its_name():
    code = code_of(beside_a_name, {"rate": 0.5})
    assert "rate = 2.0" in code and re.search(r"\bt\w* = p\['rate'\]", code)
    assert zyg.gradient(beside_a_name, {"rate": 0.5}) == ({"rate": 8.0 * 0.5**3},)


@pytest.mark.parametrize(
    ("function", "p"),
    [(of_a_builtin, {"sum": 0.5, "max": 2.0}), (of_a_word, {"lambda": 0.5, "two words": 2.0})],
)
def test_no_name_hides_a_builtin_or_is_a_keyword(function, p):
    code = code_of(function, p)
    assert not re.search(r"\b(sum|max|lambda|two words) = ", code)
    zyg.check_grads(function, p)


def test_what_is_one_of_two_things_is_called_by_neither():
    shapes = [{"radius": 0.5, "side": 2.0}]
    code = code_of(of_branches, shapes, lambda item: item["radius"] < 1.0)
    assert "side = radius" not in code and "radius = " in code
    assert zyg.gradient(of_branches, shapes, lambda item: True)[0][0]["radius"] == math.pi


def test_no_loop_rebinds_what_it_walks_over():
    code = code_of(of_rows, np.ones((2, 2)))
    heads = re.findall(r"for (.*) in (.*):", code)
    assert heads
    for targets, walked in heads:
        assert not set(re.findall(r"\w+", targets)) & set(re.findall(r"\w+", walked)) - {"_"}


def test_suggestions_go_where_names_go():
    name = temporary("_rate")
    assert name == "t" and isinstance(name, Suggested) and name.suggestion == "rate"
    assert derived(name, "_bar").suggestion == "rate_bar" and derived("x", "_bar") == "x_bar"
    named, unnamed = Value("y"), Value("t")
    suggest(named, "rate")
    suggest(unnamed, "rate")
    suggest(unnamed, "time")
    assert (named.name, unnamed.name.suggestion) == ("y", "rate")
