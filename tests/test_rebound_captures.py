"""Variables that functions capture and that are bound again, by each kind of statement: the
functions see what they are when they are called."""

import pytest

from tests.random_checks import outcomes
from tests.random_code import names_of


class Given:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


def total(v):
    if isinstance(v, (list, tuple)):
        return sum(v)
    return sum(v.values()) if isinstance(v, dict) else v


# What makes a function `f` of the variable `v`.
MAKERS = {
    "lambda": "f = lambda: total(v)", "def": "def f(): return total(v)",
    "nested": "def f(): return (lambda: total(v))()",
    "generator": "f = lambda: sum(total(v) for i in range(2))",
    "default": "f = lambda g=lambda: total(v): g()", "list": "fs = [lambda: total(v)]; f = fs[0]",
    "comprehension": "f = [lambda: total(v) * i for i in range(3)][0]",
}
# What binds it behind that.
BINDINGS = {
    "assignment": "v = x**3", "augmented": "v += x**3", "annotated": "v: float = x**3",
    "walrus": "y = (v := x**3)", "for": "for v in [x, x**3]: pass", "chain": "v = w = x**3",
    "with": "with Given(x**3) as v: pass", "unpacking": "v, w = x**3, x",
    "star": "*v, w = x**3, x * x, x", "match": "match [x**3, x]:\n        case [v, w]: pass",
    "match_as": "match [x**3, x]:\n        case [_, w] as v: pass",
    "match_star": "match [x, x**3, x]:\n        case [w, *v]: pass",
    "match_rest": "match {'a': x, 'b': x**3}:\n        case {'a': w, **v}: pass",
    "comprehension": "[(v := z) for z in [x, x**3]]", "branch": "if x > 0: v = x**3",
    "try": "try: v = x**3\n    finally: pass", "itself": "v = f() * x",
    "in_a_loop": "for i in range(2): v = f() * x", "del": "del v; v = x**3",
    "nonlocal": "def store():\n        nonlocal v\n        v = x**3\n    store()",
    "else_of_a_loop": "for i in range(2): pass\n    else: v = x**3",
}
# Functions that are made in what binds the variable.
IN_THE_STATEMENT = {
    "tuple": "v, f = x**3, lambda: total(v)", "tuple_behind": "f, v = (lambda: total(v)), x**3",
    "list": "v = [x * x, lambda: v[0]]; f = v[1]",
    "dict": "v = {'a': x * x, 'f': lambda: v['a']}; f = v['f']",
    "augmented": "v = [x * x]; v += [lambda: v[0]]; f = v[1]",
    "walrus": "f = (v := [x * x, lambda: v[0]])[1]",
    "annotated": "v: list = [x * x, lambda: v[0]]; f = v[1]",
    "argument": "v = tuple([x * x, lambda: v[0]]); f = v[1]",
    "called_there": "v = (lambda: v)() * x; f = lambda: v",
    "branch": "v = x**3 if (lambda: v)() > 0 else x; f = lambda: v",
    "comprehension": "v = [x * x, [lambda: v[0] for i in range(2)][1]]; f = v[1]",
    "recursive": "v = lambda n: x if n == 0 else x * v(n - 1); f = lambda: v(3)",
    "default": (
        "def v(n, g=lambda: v(0)): return x * x if n == 0 else g() * x\n    f = lambda: v(1)"
    ),
}


def program(name, *statements):
    lines = ["def f0(x):", "v = x", *statements, "return f() * x"]
    return names_of(["\n    ".join(lines)], f"<{name}>", {"total": total, "Given": Given})["f0"]


@pytest.mark.thorough
@pytest.mark.parametrize("binding", BINDINGS)
def test_bound_behind_the_function(binding):
    for name, maker in MAKERS.items():
        f = program(f"{binding} {name}", maker, BINDINGS[binding])
        assert list(outcomes(f)) == [True] * 3, name


@pytest.mark.thorough
@pytest.mark.parametrize("statement", IN_THE_STATEMENT)
def test_bound_by_the_statement_that_makes_the_function(statement):
    assert list(outcomes(program(statement, IN_THE_STATEMENT[statement]))) == [True] * 3
