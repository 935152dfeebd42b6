"""The form that the compiler relies on: what rules may contain, and that second order is closed.

A rule is straight-line code, then `return value, back`, where `back` is one nested function. All
that rules and their helpers call has a rule or is constant, so that `back` is differentiable.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import operator
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import zyg.rules
from zyg.rules.registry import is_constant, method_of_ufunc, rule_of, substitute_of

MODULES = [
    importlib.import_module(f"zyg.rules.{info.name}")
    for info in pkgutil.iter_modules(zyg.rules.__path__)
    if info.name not in ("registry", "tangent_registry")
]
# No rules, but what methods and functions do, as users could write it; and rules of functions that
# call functions, which run and call back: they aren't code that is differentiated.
PROGRAMS = (
    *("zyg.rules.mutating_methods", "zyg.rules.array_stores", "zyg.rules.generators"),
    *("zyg.rules.taking_all", "zyg.rules.heaps", "zyg.rules.mappings", "zyg.rules.class_methods"),
    "zyg.rules.draws_of_python",
    *("zyg.rules.scipy_integrate", "zyg.rules.scipy_integrate_tangents"),
    "zyg.rules.scipy_optimize",
)


def functions_of(module: ModuleType) -> list[ast.FunctionDef]:
    tree = ast.parse(inspect.getsource(module))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in tree.body:
        if isinstance(node, ast.If):
            found += [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
    return found


def is_rule(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(d, ast.Call) and ast.unparse(d.func) == "adjoint"
        for d in function.decorator_list
    )


RULES = [
    pytest.param(function, id=f"{module.__name__}.{function.name}")
    for module in MODULES
    for function in functions_of(module)
    if is_rule(function)
]


@pytest.mark.parametrize("rule", RULES)
def test_outer_part_ends_in_value_and_back(rule: ast.FunctionDef) -> None:
    *outer, last = rule.body
    assert isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
    _, back = last.value.elts
    nested = [node for node in outer if isinstance(node, ast.FunctionDef)]
    assert len(nested) <= 1
    if nested:
        assert isinstance(back, ast.Name) and back.id == nested[0].name
        *names, result = nested[0].body
        assert isinstance(result, ast.Return)
        assert all(isinstance(node, ast.Assign) for node in names)
    else:
        assert isinstance(back, ast.Lambda)
    for node in outer:
        assert isinstance(node, (ast.Assign, ast.If, ast.FunctionDef))
        if isinstance(node, ast.If):
            assert [type(inner) for inner in node.body] == [ast.Raise] and not node.orelse


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_mutation(module: ModuleType) -> None:
    if module.__name__ in PROGRAMS:
        return
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        assert not isinstance(node, (ast.AugAssign, ast.Try, ast.With, ast.Delete))
        if isinstance(node, ast.Assign):
            assert not any(isinstance(target, ast.Subscript) for target in node.targets)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_second_order_is_closed(module: ModuleType) -> None:
    roots = {"np": np, "math": math, "operator": operator}
    unknown = set()
    for function in functions_of(module):
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            path = ast.unparse(node.func).split(".")
            if path[0] not in roots or not all(name.isidentifier() for name in path):
                continue
            callee = roots[path[0]]
            for name in path[1:]:
                # Functions of newer versions stand behind a test of the version.
                callee = getattr(callee, name, len)
            known = rule_of(callee) or substitute_of(callee) or is_constant(callee)
            if isinstance(getattr(callee, "__self__", None), np.ufunc):
                # `at` is written out as a store.
                known = path[-1] == "at" or method_of_ufunc(callee.__self__, path[-1])
            if not known:
                unknown.add(".".join(path))
    assert not unknown
