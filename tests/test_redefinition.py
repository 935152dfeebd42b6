"""The next call sees what was redefined; what does not matter to the code compiles nothing."""

import linecache
import types

import numpy as np
import pytest

import zyg

NUMBERS = iter(range(1000))


def define(module, source):
    """Runs a text in a module, as a cell of a notebook does."""
    file = f"<cell {next(NUMBERS)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), vars(module))


@pytest.fixture
def module():
    return types.ModuleType("notebook")


def slope(module):
    """The gradient of the module's `f` at 3.0, in all forms."""
    (found,) = zyg.gradient(module.f, 3.0)
    assert zyg.withgradient(module.f, 3.0)[1] == (found,)
    y, back = zyg.pullback(module.f, 3.0)
    assert back(1.0) == (found,)
    assert y == module.f(3.0)
    return found


def test_a_global_helper(module):
    define(module, "def helper(x): return x * x\ndef f(x): return helper(x)")
    assert slope(module) == 6.0
    define(module, "def helper(x): return 5.0 * x")
    assert slope(module) == 5.0
    module.helper = lambda x: x
    assert slope(module) == 1.0


def test_a_helper_deep_down(module):
    define(module, "def a(x): return x * x\ndef b(x): return a(x) + x\ndef f(x): return b(x)")
    assert slope(module) == 7.0
    define(module, "def a(x): return 2.0 * x")
    assert slope(module) == 3.0
    define(module, "def b(x): return a(x)")
    assert slope(module) == 2.0


def test_after_many_calls(module):
    define(module, "def helper(x): return x * x\nK = 1.0\ndef f(x): return helper(x) * K")
    for _ in range(10):
        assert slope(module) == 6.0
    define(module, "def helper(x): return x")
    assert slope(module) == 1.0
    module.K = 2
    assert slope(module) == 2.0
    del module.K
    for call in (zyg.gradient, zyg.pullback):
        with pytest.raises(NameError, match="K"):
            call(module.f, 3.0)
    module.K = 4.0
    assert slope(module) == 4.0


def test_an_attribute_of_a_module(module):
    module.library = types.ModuleType("library")
    define(module.library, "def g(x): return x * x")
    define(module, "def f(x): return library.g(x)")
    assert slope(module) == 6.0
    define(module.library, "def g(x): return 7.0 * x")
    assert slope(module) == 7.0
    module.library = types.SimpleNamespace(g=lambda x: 8.0 * x)
    assert slope(module) == 8.0


def test_a_builtin_that_gets_hidden(module):
    define(module, "def f(x): return abs(x) * 2.0")
    assert slope(module) == 2.0
    module.abs = lambda x: 3.0 * x
    assert slope(module) == 6.0
    del module.abs
    assert slope(module) == 2.0


def test_a_rule_that_is_added_later(module):
    define(module, "def a(x): return x * x\ndef b(x): return a(x)\ndef f(x): return b(x)")
    assert slope(module) == 6.0
    zyg.adjoint(module.a)(lambda x: (x * x, lambda y_bar: 100.0 * y_bar))
    assert slope(module) == 100.0
    zyg.adjoint(module.a)(lambda x: (x * x, lambda y_bar: 200.0 * y_bar))
    assert slope(module) == 200.0
    zyg.adjoint(module.f)(lambda x: (x * x, lambda y_bar: 300.0 * y_bar))
    assert slope(module) == 300.0


def test_nograd_that_is_added_later(module):
    define(module, "def a(x): return x * x\ndef f(x): return a(x) + x")
    assert slope(module) == 7.0
    zyg.nograd(module.a)
    assert slope(module) == 1.0


def test_a_global_constant_of_another_type(module):
    define(module, "def f(x): return x * K if n is None else x * n")
    for k, n, expected in [
        (2.0, None, 2.0), (3, None, 3.0), (np.float64(4.0), None, 4.0), (1.0, 5, 5.0),
        (1.0, True, 1.0), (1.0, False, 0.0), (1.0, None, 1.0),
    ]:  # fmt: skip
        module.K, module.n = k, n
        assert slope(module) == expected


def test_a_global_list(module):
    define(module, "def f(x): return x * weights[0]")
    for weights in ([2.0], [3], (4.0,), np.array([5.0]), {0: 6.0}):
        module.weights = weights
        assert slope(module) == weights[0]
    module.weights[0] = 7.0
    assert slope(module) == 7.0


def test_global_data_is_read_when_the_program_reads_it(module):
    module.K = 2.0
    define(module, "def f(x): return x * K")
    assert slope(module) == 2.0
    misses = zyg.cache_info().misses
    module.K = 5.0
    assert slope(module) == 5.0
    assert zyg.cache_info().misses == misses


def test_the_contents_of_a_closure(module):
    define(
        module,
        "def make():\n"
        "    factor, inner = 2.0, lambda x: x\n"
        "    def f(x): return inner(x) * factor\n"
        "    def change(k, g):\n"
        "        nonlocal factor, inner\n"
        "        factor, inner = k, g\n"
        "    return f, change\n"
        "f, change = make()",
    )
    assert slope(module) == 2.0
    module.change(3.0, lambda x: x)
    assert slope(module) == 3.0
    module.change(3, lambda x: x * x)
    assert slope(module) == 18.0
    module.change(np.array(3.0), np.sin)
    assert slope(module) == pytest.approx(3 * np.cos(3.0))


def test_defaults_and_code_that_are_assigned(module):
    define(module, "def f(x, k=2.0): return x * k\ndef g(x, k=1.0): return x + k")
    assert slope(module) == 2.0
    module.f.__defaults__ = (5,)
    assert slope(module) == 5.0
    module.f.__code__ = module.g.__code__
    assert slope(module) == 1.0


def test_a_class_attribute(module):
    define(
        module,
        "class Model:\n    def g(self, x): return x * 2.0\nm = Model()\n"
        "def f(x): return m.g(x)",
    )
    assert slope(module) == 2.0
    define(module, "Model.g = lambda self, x: x * 3.0")
    assert slope(module) == 3.0
    define(module, "m.g = lambda x: x * 4.0")
    assert slope(module) == 4.0


def misses(call):
    before = zyg.cache_info().misses
    call()
    return zyg.cache_info().misses - before


def test_fresh_lambdas_and_sizes_compile_nothing():
    def scaled(factor):
        return lambda x: np.sum(x * factor)

    def call(n):
        np.testing.assert_equal(zyg.gradient(scaled(float(n)), np.ones(n))[0], np.full(n, n))

    assert misses(lambda: call(3)) == 1
    assert misses(lambda: [call(n) for n in range(2, 20)]) == 0
    assert misses(lambda: call(1)) == 1


def test_fresh_functions_as_arguments_compile_nothing():
    def apply(g, x):
        return g(x)

    def call(factor):
        assert zyg.gradient(apply, lambda x: x * factor, 2.0)[1] == factor

    assert misses(lambda: call(3.0)) >= 1
    assert misses(lambda: [call(float(i)) for i in range(10)]) == 0


def test_a_rule_that_calls_what_it_stands_for_by_a_constant_function():
    def square(x):
        return x * x

    @zyg.nograd
    def as_it_is(x):
        return square(x)

    @zyg.adjoint(square)
    def square_(x):
        return as_it_is(x), lambda y_bar: (y_bar * 2 * x,)

    def f(x):
        return square(x) * 3

    assert zyg.gradient(f, 2.0) == (12.0,)
    assert zyg.jvp(f, (2.0,), (1.0,)) == (12.0, 12.0)


@pytest.mark.parametrize(("value", "other"), [
    ("'rk4'", "'euler'"), ("True", "False"), ("('rk4', 2)", "('euler', 2)"), ("b'1'", "b'2'"),
    ("(None, True)", "(None, False)"),
])
def test_flags_that_stay_compile_nothing(module, value, other):
    define(module, f"MODE = {value}\ndef f(x): return x * x if MODE == {value} else x")
    assert slope(module) == 6.0
    misses = zyg.cache_info().misses
    for _ in range(5):
        assert slope(module) == 6.0
    assert zyg.cache_info().misses == misses
    define(module, f"MODE = {other}")
    assert slope(module) == 1.0
    define(module, "MODE = 7")
    assert slope(module) == 1.0


def reload(old, new):
    """What `%autoreload` of IPython does to functions that others know."""
    old.__code__, old.__defaults__ = new.__code__, new.__defaults__
    old.__kwdefaults__ = new.__kwdefaults__


BEFORE = """
def small(x, k=2.0): return k * x
def large(x, *, rounds=2):
    total = 0.0
    for _ in range(rounds):
        total += x * x
    return total
class Scale:
    def __init__(self, k): self.k = k
    def applied(self, x): return self.k * x
    @property
    def square(self): return self.k**2
"""
AFTER = """
def small(x, k=5.0): return k * x * x
def large(x, *, rounds=3):
    total = 1.0
    for _ in range(rounds):
        total *= x
    return total
class Scale:
    def __init__(self, k): self.k = k * k
    def applied(self, x): return self.k + x
    @property
    def square(self): return self.k * 3
"""
READERS = {
    "small": ("return small(x)", 2.0, 30.0),
    "large": ("return large(x)", 12.0, 27.0),
    "found": ("return [large][0](x) + sum(map(large, [x]))", 24.0, 54.0),
    "method": ("return Scale(x).applied(x)", 6.0, 7.0),
    "property": ("return Scale(x).square", 6.0, 18.0),
    "nested": ("g = lambda y: small(y) + large(y)\n    return g(x)", 14.0, 57.0),
}


@pytest.mark.parametrize("reader", READERS)
def test_functions_that_are_reloaded_in_place(module, reader):
    text, before, after = READERS[reader]
    define(module, f"{BEFORE}\ndef f(x):\n    {text}")
    for _ in range(5):
        assert slope(module) == before
    newer = types.ModuleType("newer")
    define(newer, AFTER)
    reload(module.small, newer.small)
    reload(module.large, newer.large)
    for name in "__init__", "applied":
        reload(getattr(module.Scale, name), getattr(newer.Scale, name))
    reload(module.Scale.square.fget, newer.Scale.square.fget)
    assert slope(module) == pytest.approx(after)


def test_defaults_that_are_replaced(module):
    define(module, f"{BEFORE}\ndef f(x): return small(x) + large(x)")
    assert slope(module) == 14.0
    module.small.__defaults__ = (3.0,)
    assert slope(module) == 15.0
    module.large.__kwdefaults__["rounds"] = 1
    assert slope(module) == 9.0
    module.large.__kwdefaults__ = {"rounds": 0}
    assert slope(module) == 3.0


def test_constructors_that_are_replaced(module):
    define(module, f"{BEFORE}\ndef f(x): return Scale(x).k * x")
    assert slope(module) == 6.0
    module.Scale.__init__ = lambda self, k: setattr(self, "k", k * k)
    assert slope(module) == 27.0
    del module.Scale.__init__
    module.Scale.__new__ = lambda cls, k: types.SimpleNamespace(k=2.0)
    with pytest.raises(zyg.NotDifferentiable, match="Scale has no rule"):
        zyg.gradient(module.f, 3.0)


def test_a_dataclass_that_is_reloaded_in_place(module):
    text = "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    x: float\n    k: int = "
    define(module, f"{text}2\ndef f(x): return Pair(x).x * Pair(x).k")
    assert slope(module) == 2.0
    newer = types.ModuleType("newer")
    define(newer, f"{text}3\n    def __post_init__(self): self.x = self.x**2")
    reload(module.Pair.__init__, newer.Pair.__init__)
    for name in "__post_init__", "__dataclass_fields__", "k":
        setattr(module.Pair, name, getattr(newer.Pair, name))
    assert slope(module) == 18.0
