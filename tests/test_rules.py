"""Every rule of the table against central differences, and the completeness of the table."""

from __future__ import annotations

import cmath
import math
import operator
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import zyg
import zyg.rules
from tests.rule_check import check_rule
from tests.rule_row import Row
from tests.rule_table import ROWS
from zyg.cotangents.cotangent import project, unbroadcast
from zyg.cotangents.cotangent_items import accumulate_at
from zyg.rules import registry
from zyg.rules.linalg import singular_bar


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_rule(row: Row) -> None:
    rule = registry.rule_of(row.callee)
    assert rule is not None, "no rule"
    check_rule(rule, row.call, row.args, row.kwargs)


def test_every_rule_has_a_row() -> None:
    # These two consume or only pass on what they get; tests/test_cotangent.py has them.
    tested = {id(registry.rule_of(row.callee)) for row in ROWS}
    tested |= {id(registry.rule_of(accumulate_at)), id(registry.rule_of(project))}
    # What is refused by name, and the gradient of that.
    refused = np.poly1d, np.lib.stride_tricks.as_strided, singular_bar
    tested |= {id(registry.rule_of(callee)) for callee in refused}
    # Containers and iterators are no numbers: tests/test_containers.py has those. What adjoints are
    # put together from takes cotangents: the second order of the corpus runs through all of it.
    # Changes in place have tests/test_changes.py, heaps tests/test_heaps.py, exceptions
    # tests/test_exceptions.py, random draws tests/test_draws.py, copies tests/test_copies.py, SciPy
    # tests/test_scipy_*.py, methods of ufuncs tests/test_ufunc_methods.py, classes derived from
    # containers tests/test_derived_containers.py, patterns tests/corpus/matching.py, what tangents
    # are put together from tests/test_nesting_of_modes.py and tests/test_compositions.py.
    # Vectorized functions have tests/test_substitutes.py, squares of sizes tests/test_kinks.py.
    kinds = (
        "attributes", "averages", "containers", "functional", "iteration", "iteration_twice",
        "lazy", "assembly", "squares",
        "cotangents", "changes", "attempts", "collection_classes", "draws", "copies",
        "special_functions", "special_gamma", "special_bessel", "special_integrals",
        "special_polynomials", "scipy_solve", "scipy_matrices", "scipy_riccati",
        "scipy_factorisations", "scipy_factors", "scipy_fft", "scipy_signal", "scipy_ndimage",
        "scipy_stats",
        "scipy_interpolate", "scipy_splines", "scipy_lines", "scipy_grids", "scipy_objects",
        "scipy_filters", "scipy_stats_frozen", "scipy_stats_frozen_vectors",
        "scipy_stats_samples", "scipy_stats_vectors",
        "scipy_fitpack", "stats_of_positives",
        "special_probabilities", "special_waves", "special_carlson", "special_series",
        "deep_copies", "scipy_sparse",
        "scipy_optimize", "scipy_integrate", "ufunc_methods",
        "running_extrema", "heaps", "derived_classes", "matching",
        "tangents_of_cotangents", "tangents_twice", "vectorized",
    )
    elsewhere = {f"zyg.rules.{kind}" for kind in kinds}
    # tests/test_undo.py
    elsewhere |= {"zyg.compiler.run_time.memory", "zyg.compiler.overwriting.replica"}
    # Functions of ours that programs call: tests/test_nesting_of_utilities.py.
    elsewhere |= {"zyg.flattening", "zyg.rules.hooks", "zyg.compiler.reverse.returned"}
    elsewhere |= {"zyg.blocks"}  # tests/test_jacobians_inside.py
    elsewhere |= {"zyg.rules.array_parts"}  # tests/test_views_held_twice.py
    # What inner gradients do with objects: tests/test_nested_changes.py, test_nested_arguments.py.
    elsewhere |= {"zyg.compiler.inference.objects", "zyg.compiler.nested.nested_arguments"}
    elsewhere |= {"zyg.compiler.forward_mode.tangents_again"}  # tests/test_nested_jvp.py
    # What derivatives of derivatives of solvers call: tests/test_scipy_*_twice.py.
    solvers = "solvers_inside", "integrals_inside", "flows_inside"
    elsewhere |= {f"zyg.inside.{kind}" for kind in solvers}
    missing = [
        rule for rule in registry._rules.values()
        if id(rule) not in tested and rule.__module__ not in elsewhere
        and rule.__module__.startswith("zyg.")  # other tests register rules of their own
    ]
    assert not missing


def classified(callee: object) -> bool:
    return registry.rule_of(callee) is not None or registry.is_constant(callee)


def test_every_ufunc_is_classified() -> None:
    ufuncs = {name: f for name, f in vars(np).items() if isinstance(f, np.ufunc)}
    assert not [name for name, f in ufuncs.items() if not classified(f)]


def test_every_function_of_math_is_classified() -> None:
    functions = {name: f for name, f in vars(math).items() if callable(f) and name[0] != "_"}
    assert not [name for name, f in functions.items() if not classified(f)]


# Statements and containers: the compiler gives these a meaning of their own, not a rule.
COMPILED = {"setitem", "delitem", "attrgetter", "itemgetter", "methodcaller", "call"}


def test_every_function_of_cmath_is_classified() -> None:
    functions = {name: f for name, f in vars(cmath).items() if callable(f) and name[0] != "_"}
    assert not [name for name, f in functions.items() if not classified(f)]


def test_every_operator_is_classified() -> None:
    names = [n for n in operator.__all__ if n not in COMPILED and not in_place(n)]
    assert not [name for name in names if not classified(getattr(operator, name))]


def in_place(name: str) -> bool:
    return (name.startswith("i") and hasattr(operator, name[1:])) or name in ("iand", "ior")


def wrong_factor(x: Any) -> Any:
    return np.sin(x), lambda y_bar: 1.01 * y_bar * np.cos(x)


def missing_conj(x: Any) -> Any:
    return np.exp(x), lambda y_bar: y_bar * np.exp(x)


def wrong_axis(a: Any) -> Any:
    return np.sum(a, axis=0), lambda y_bar: np.broadcast_to(y_bar[:, None], np.shape(a))


def no_unbroadcast(x: Any, y: Any) -> Any:
    return x * y, lambda z_bar: (z_bar * y, z_bar * x)


def wrong_operand(x: Any, y: Any) -> Any:
    return x - y, lambda z_bar: (unbroadcast(z_bar, x), unbroadcast(z_bar, y))


def dropped(x: Any, y: Any) -> Any:
    return x * y, lambda z_bar: (None, z_bar * x)


def double_precision(x: Any) -> Any:
    return np.sin(x), lambda y_bar: y_bar * np.cos(x) * np.ones(np.shape(x))


def other_value(x: Any) -> Any:
    return np.asarray(np.sin(x)), lambda y_bar: y_bar * np.cos(x)


def writes_argument(x: Any) -> Any:
    def back(y_bar: Any) -> Any:
        bar = y_bar * np.cos(x)
        x[...] = 0
        return bar

    return np.sin(x), back


THREE = np.array([0.2, 0.5, 0.7])
SQUARE = np.array([[0.2, 0.5], [0.3, 0.9]])


@pytest.mark.parametrize(
    ("rule", "call", "args"),
    [
        (wrong_factor, np.sin, (0.3,)),
        (wrong_factor, np.sin, (THREE,)),
        (missing_conj, np.exp, (THREE + 1j,)),
        (wrong_axis, lambda a: np.sum(a, axis=0), (SQUARE,)),
        (no_unbroadcast, operator.mul, (SQUARE, SQUARE[:1])),
        (no_unbroadcast, operator.mul, (THREE, 2.0)),
        (wrong_operand, operator.sub, (THREE, THREE)),
        (dropped, operator.mul, (0.5, 0.7)),
        (double_precision, np.sin, (THREE.astype(np.float32),)),
        (other_value, np.sin, (0.3,)),
        (writes_argument, np.sin, (THREE.copy(),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_wrong_rule_is_caught(rule: Any, call: Any, args: Any) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_rule(rule, call, args, {})


OWN_RULES = """
import numpy as np, zyg

@zyg.adjoint(np.linalg.det, np.polyval)
def mine(*args):
    return 7.0, lambda y_bar: tuple(5.0 * np.ones_like(x) for x in args)

zyg.gradient(lambda a: np.sum(np.linalg.inv(a)) + np.cov(a[0]), np.eye(2))  # registers the others
assert zyg.gradient(np.linalg.det, np.eye(2))[0][0, 1] == 5.0
assert zyg.gradient(lambda x: np.polyval(np.ones(2), x), 2.0) == (5.0,)
print("own rules stay")
"""


def test_rules_registered_late_replace_none_of_the_users() -> None:
    run = subprocess.run(
        [sys.executable, "-c", OWN_RULES], capture_output=True, text=True, check=False
    )
    assert run.stdout == "own rules stay\n", run.stderr


def test_a_rule_without_source_is_called() -> None:
    def shrunk(x: Any) -> Any:
        return x / 2.0

    names: dict[str, Any] = {}
    exec("def rule(x): return x / 2.0, lambda y_bar: y_bar / 2.0", names)
    zyg.adjoint(shrunk)(names["rule"])
    np.testing.assert_array_equal(zyg.gradient(lambda x: shrunk(x) ** 2, 3.0), 1.5)
