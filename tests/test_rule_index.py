"""Rules that are registered when their callable is first met: the tables, and who finds them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from zyg.rules import index

MODULES = sorted({rules for by_rules in index.NAMED.values() for rules in by_rules})
ROOT = Path(__file__).parent.parent

# Prints what a module registers rules for and is not looked for there, where it could be met.
MISSED = """
import importlib
import sys
import zyg
from zyg.rules import index, registry

seen = []
for name in ("adjoint", "substitute", "constant", "chosen_by"):
    def noting(*callees, register=getattr(registry, name)):
        frame = sys._getframe(1)
        while frame.f_globals is vars(registry):  # `share`
            frame = frame.f_back
        if frame.f_globals["__name__"] == "zyg.rules.{0}":
            seen.extend(
                callee for callee in callees
                if not isinstance(callee, str) and not registry._is_known(id(callee))
                and not registry.is_class_method(callee)
            )
        return register(*callees)
    setattr(registry, name, noting)
importlib.import_module("zyg.rules.{0}")
for callee in seen:
    module = registry._package(callee)
    name = getattr(callee, "__qualname__", None) or getattr(callee, "__name__", "")
    if "{0}" not in (*index.named(module, name), *index.LATE.get(module, ())):
        if module != "zyg.rules.{0}":
            print(module, name)
"""


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("module", MODULES)
def test_all_that_a_module_has_rules_for_leads_to_it(module):
    assert run(MISSED.format(module)) == []


def test_no_name_leads_astray():
    """Each name is that of something that has a rule, or of a class that has methods with one."""
    program = """
import importlib
from zyg.rules import index, registry

for module, by_rules in index.NAMED.items():
    home = importlib.import_module(module)
    for name in {name for listed in by_rules.values() for name in listed.split()}:
        if not hasattr(home, name.removesuffix(".")):
            print(module, name)
        elif not name.endswith("."):
            callee = getattr(home, name)
            if not registry.is_constant(callee) and registry.rule_of(callee) is None:
                if registry.substitute_of(callee) is None:
                    print(module, name)
"""
    of_other_versions = {"matrix_transpose", "unstack", "row_stack", "trapz"}
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        of_other_versions |= {"bool", "matvec", "trapezoid", "vecdot", "vecmat"}
    assert set(run(program)) <= {f"numpy {name}" for name in of_other_versions}


@pytest.mark.parametrize("first", ["rule_of(max)", "substitute_of(max)", "is_constant(min)"])
def test_a_callable_gets_all_that_there_is_for_it(first):
    assert run(f"""
import zyg
from zyg.rules import registry
registry.{first}
print(registry.rule_of(max) is not None, registry.substitute_of(max) is not None)
""") == ["True True"]


def test_a_rule_of_the_users_stays():
    """Also where zyg's own had not been asked for before."""
    assert run("""
import numpy as np
import zyg

@zyg.adjoint(np.concatenate)
def concatenate(arrays, axis=0):
    return np.concatenate(arrays, axis), lambda y_bar: ([7.0 * y_bar[:2], y_bar[2:]],)

@zyg.adjoint(max)
def largest(*numbers):
    return max(*numbers), lambda y_bar: tuple([5.0 for _ in numbers])

x = np.ones(2)
print(zyg.gradient(lambda x: np.sum(np.concatenate([x, np.zeros(2)])), x)[0].tolist())
print(zyg.gradient(lambda x: np.sum(np.stack([x, x])), x)[0].tolist())
print(zyg.gradient(lambda x: max(x, 2.0), 1.0), zyg.gradient(lambda x: max([x], key=abs), 1.0))
""") == ["[7.0, 7.0]", "[2.0, 2.0]", "(5.0,) (1.0,)"]


def test_threads_wait_for_rules_that_are_being_registered():
    assert run("""
import sys, threading
import numpy as np
import zyg
from zyg.rules import registry

sys.setswitchinterval(1e-6)
callees = [np.concatenate, np.where, np.reshape, np.add, np.linalg.inv, np.polyfit, sorted, zip]
start = threading.Barrier(8)
found = []

def ask(callee):
    start.wait()
    rule, other = registry.rule_of(callee), registry.substitute_of(callee)
    found.append(rule is not None or other is not None)

threads = [threading.Thread(target=ask, args=(callees[i % 4 * 2],)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(found == [True] * 8)
""") == ["True"]
