"""What few programs need is imported when it is needed, and not before."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ir.late import MethodOf
from ir.memory.place_merging import PlaceMerging
from ir.syntax.statements import StatementParser
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.reverse.accumulation import Accumulation
from zyg.compiler.reverse.transpose import Transposer

PROGRAM = """
import sys
import numpy as np
known = set(sys.modules)
import zyg

def f(x, w):
    total = 0.0
    for i in range(len(x)):
        if i % 2 == 0:
            total = total + np.sin(x[i]) * w[i]
    return total + np.dot(np.exp(x), w)

imported = set(sys.modules) - known
zyg.gradient(f, np.ones(3), np.ones(3))
print(*sorted(imported))
print(*sorted(set(sys.modules) - known - imported))
"""
# Imported by programs on objects, with `try`, with unknown callees; by errors and pickles.
LATE = [
    "ir.memory.changes", "ir.memory.collection_changes", "ir.library.collection_facts",
    "ir.syntax.comprehensions",
    "ir.memory.held_iterators", "ir.memory.held_tables", "ir.memory.held_walks",
    "ir.syntax.parse_generators",
    "ir.memory.place_writes", "ir.inference.special_names", "ir.inference.steps",
    "zyg.compiler.forward.forward_calls",
    "zyg.compiler.reverse.held_items", "zyg.compiler.reverse.item_contributions",
    "zyg.compiler.reverse.masked_arms",
    "zyg.compiler.run_time.memory", "zyg.compiler.nested.nesting",
    "zyg.compiler.overwriting.preserve",
    "zyg.compiler.inference.texts", "zyg.compiler.overwriting.undo",
    "zyg.facts.cotangent_place_facts", "zyg.held.held_memory",
    "zyg.held.iterators", "zyg.facts.numpy_arrangements", "zyg.facts.numpy_places",
    "zyg.facts.numpy_products",
    "zyg.held.shadows", "zyg.rules.binary", "zyg.rules.indexing", "zyg.rules.iteration",
    "zyg.rules.methods", "zyg.rules.reductions", "zyg.rules.shape",
    "cmath", "numpy.fft", "ir.syntax.attribute_dicts", "ir.library.complex_facts", "ir.imports",
    "ir.library.itertools_facts", "ir.library.matching_calls", "ir.patterns",
    "ir.library.scalar_facts",
    "ir.inference.special_imports", "ir.inference.special_slots", "zyg.checkpointing",
    "zyg.calls.counts",
    "zyg.compiler.inference.operator_methods", "zyg.compiler.inference.quiet_methods",
    "zyg.compiler.run_time.refusals",
    "zyg.facts.numpy_results", "zyg.facts.numpy_transforms", "zyg.rules.generators",
    "zyg.rules.mutating_methods", "zyg.rules.scalar",
    "copy", "dataclasses", "astor", "ir.syntax.attempts", "ir.catching", "ir.syntax.liveness",
    "ir.syntax.pieces",
    "ir.tracebacks", "zyg.calls.back_functions", "zyg.compiler.run_time.attempted_calls",
    "zyg.compiler.calling", "zyg.compiler.checkpoints.checkpoint_loops",
    "zyg.compiler.run_time.copies",
    "zyg.compiler.run_time.dynamic", "zyg.compiler.inference.fields",
    "zyg.compiler.reverse.last_records",
    "zyg.compiler.reverse.nested_tests", "zyg.compiler.reverse.object_bars", "zyg.calls.running",
    "zyg.compiler.run_time.object_calls", "zyg.calls.contents_key", "zyg.held.held_contents",
    "zyg.calls.guards",
    "zyg.calls.object_gradients", "zyg.calls.portable", "zyg.calls.pullback_calls",
    "zyg.rules.composites", "zyg.rules.einsum", "zyg.calls.tracing",
]


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """What `import zyg` imports, and what the first gradient does."""
    file = tmp_path_factory.mktemp("program") / "program.py"
    file.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    first, second = done.stdout.splitlines()
    return first.split(), second.split()


@pytest.mark.parametrize("module", LATE)
def test_module_is_imported_late(module, modules):
    assert module not in modules[0]


def test_what_stands_for_readers_of_iterators():
    """The table that is asked of each call, and the functions, which are imported late."""
    from zyg.compiler.inference.stepping import READERS
    from zyg.rules.generators import CONSUMERS

    assert READERS.keys() == CONSUMERS.keys()


ASKING = """
import numpy as np
import zyg
from ir import facts
{}
"""
ASKED = [
    "assert facts.is_pure(np.fft.fft) and facts.result_of(np.fft.fft)",
    "assert facts.result_of(np.fft.rfft) and facts.is_pure(np.fft.ifft)",
    "assert facts.is_pure(np.linalg.qr) and facts.result_of(np.linalg.qr)",
    "assert facts.result_of(np.ndarray.take) and facts.is_pure(np.pad)",
    "assert facts.is_pure(str.upper) and facts.result_of(str.upper)",
    "assert facts.result_of(float.is_integer) and facts.result_of(complex.conjugate)",
    "import cmath; assert facts.result_of(cmath.exp)",
    "import itertools; assert facts.result_of(itertools.chain)",
    "from ir import patterns; assert facts.is_pure(patterns.is_sequence)",
    "from ir.inference.special_calls import special_of; assert special_of(dict.__setitem__)",
    "from zyg.rules import registry; assert registry.rule_of(__import__('math').sin)",
    "from zyg.rules import registry; assert registry.substitute_of(list.sort)",
    "from zyg.rules import registry; assert registry.substitute_of(next)",
    "from zyg.held.readers import read_once; from zyg.rules import registry; "
    "assert registry.rule_of(read_once)",
]


@pytest.mark.parametrize("question", ASKED)
def test_what_is_known_late_is_there_when_it_is_asked_for(question):
    subprocess.run(
        [sys.executable, "-c", ASKING.format(question)], check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )


# Where the IR of rules isn't kept from an earlier process, they are parsed, with what they need.
FOR_RULES = {"ir.syntax.comprehensions", "ir.syntax.shared_memory"}


def test_first_gradient_imports_nothing(modules):
    ours = {name for name in modules[1] if name.partition(".")[0] in ("ir", "zyg")}
    assert ours <= FOR_RULES


def late_classes():
    """The classes that stand for others, which are imported when a method of them is called."""
    seen = [Transposer, Augmenter, StatementParser, PlaceMerging, Accumulation]
    return {
        base for cls in seen for base in cls.__mro__
        if any(isinstance(member, MethodOf) for member in vars(base).values())
    }


@pytest.mark.parametrize("stand_in", sorted(late_classes(), key=lambda cls: cls.__name__))
def test_a_late_class_is_declared_with_all_its_methods(stand_in):
    """But for those that stand in it for others to give."""
    declared = {name for name, item in vars(stand_in).items() if isinstance(item, MethodOf)}
    (late,) = {vars(stand_in)[name]._cls for name in declared}
    cls = getattr(late._module, late._name)
    methods = {name: item for name, item in vars(cls).items() if inspect.isfunction(item)}
    given = {name for name, item in methods.items() if "given by" in inspect.getsource(item)}
    assert declared == methods.keys() - given
    assert "__init__" not in methods
    others = vars(cls).keys() - methods.keys()
    assert all(name.startswith("__") for name in others)
    assert cls.__mro__[1].__name__ == stand_in.__mro__[1].__name__


def test_there_are_late_classes():
    assert len(late_classes()) == 7


# Prints what a module says of callables that don't lead to it.
UNDECLARED = """
import importlib
import numpy
import zyg
from ir import facts
from ir.inference import special_calls

declared = {{
    *(key for key, module in special_calls._late_callees.items() if module == "{0}"),
    *(
        key for key, declare in facts._of_modules.items()
        if isinstance(key, int) and getattr(declare, "args", ()) == ("{0}",)
    ),
}}
for other in {1}:  # which it imports
    importlib.import_module(other)
tables = special_calls.SPECIAL, facts._results, facts._folds, facts._makers
before = [set(table) for table in tables]
assert declared, "not a late module"
importlib.import_module("{0}")
home = vars(importlib.import_module("{0}")).values()
for table, known in zip(tables, before):
    for key in table.keys() - known - declared - set(map(id, home)):
        print(key, table[key])
"""
DECLARED = {
    "ir.memory.changes": [], "ir.memory.collection_changes": ["ir.memory.changes"],
    "ir.library.collection_facts": [], "ir.memory.looked_up": [], "ir.library.attempt_facts": [],
    "ir.inference.special_names": [], "ir.inference.steps": [], "zyg.facts.numpy_arrangements": [],
    "zyg.facts.numpy_products": [], "zyg.facts.numpy_places": [], "zyg.facts.numpy_displays":
    ["zyg.facts.numpy_arrangements"], "zyg.facts.numpy_changes": [], "zyg.facts.numpy_missing": [],
    "zyg.facts.numpy_selections": [],
    "zyg.facts.permissions": [], "zyg.facts.cotangent_place_facts": [],
}


@pytest.mark.parametrize("module", DECLARED)
def test_all_that_a_late_module_knows_of_is_declared(module):
    done = subprocess.run(
        [sys.executable, "-c", UNDECLARED.format(module, DECLARED[module])],
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert done.stderr == ""
    assert done.stdout == ""


def test_without_assertions():
    """`python -O` has bytecode of its own, and what is imported late is the same."""
    program = PROGRAM.replace("print", "0 and print") + "print(zyg.gradient(f, x, x)[0][0])"
    program = program.replace("zyg.gradient(f, np", "x = np.ones(3)\nzyg.gradient(f, np")
    done = [
        subprocess.run(
            [sys.executable, *options, "-c", program], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        ).stdout
        for options in ([], ["-O"])
    ]
    assert done[0] == done[1] != ""


@pytest.mark.parametrize("first", ["folds", "functional"])
def test_all_rules_of_a_callable_are_found_whichever_module_was_imported(first):
    program = f"import zyg, zyg.rules.{first}; print(*zyg.gradient(max, 1.0, 1.0))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True,
        text=True,
    )
    assert found.stdout.split() == ["0.5", "0.5"]
