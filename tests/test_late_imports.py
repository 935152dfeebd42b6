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


def test_first_gradient_imports_nothing(modules):
    assert [name for name in modules[1] if name.partition(".")[0] in ("ir", "zyg")] == []
