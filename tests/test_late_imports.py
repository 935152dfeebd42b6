"""What few programs need is imported when it is needed, and not before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    "cmath", "numpy.fft", "ir.attribute_dicts", "ir.complex_facts", "ir.imports",
    "ir.itertools_facts", "ir.matching_calls", "ir.patterns", "ir.scalar_facts",
    "ir.special_imports", "ir.special_slots", "zyg.checkpointing", "zyg.counts",
    "zyg.compiler.operator_methods", "zyg.compiler.quiet_methods", "zyg.compiler.refusals",
    "zyg.numpy_results", "zyg.numpy_transforms", "zyg.rules.generators",
    "zyg.rules.mutating_methods", "zyg.rules.scalar",
    "copy", "dataclasses", "astor", "ir.attempts", "ir.catching", "ir.liveness", "ir.pieces",
    "ir.tracebacks", "zyg.back_functions", "zyg.compiler.attempted_calls",
    "zyg.compiler.calling", "zyg.compiler.checkpoint_loops", "zyg.compiler.copies",
    "zyg.compiler.dynamic", "zyg.compiler.fields", "zyg.compiler.object_bars",
    "zyg.compiler.object_calls", "zyg.contents_key", "zyg.held_contents", "zyg.guards",
    "zyg.object_gradients", "zyg.portable", "zyg.pullback_calls", "zyg.rules.composites",
    "zyg.rules.einsum", "zyg.tracing",
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
    from zyg.compiler.stepping import READERS
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
    "from ir.special_calls import special_of; assert special_of(dict.__setitem__)",
    "from zyg.rules import registry; assert registry.rule_of(__import__('math').sin)",
    "from zyg.rules import registry; assert registry.substitute_of(list.sort)",
    "from zyg.rules import registry; assert registry.substitute_of(next)",
    "import zyg.readers as r; from zyg.rules import registry; assert registry.rule_of(r.read_once)",
]


@pytest.mark.parametrize("question", ASKED)
def test_what_is_known_late_is_there_when_it_is_asked_for(question):
    subprocess.run(
        [sys.executable, "-c", ASKING.format(question)], check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )


def test_first_gradient_imports_nothing(modules):
    assert [name for name in modules[1] if name.partition(".")[0] in ("ir", "zyg")] == []
