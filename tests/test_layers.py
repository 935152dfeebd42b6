"""The layers of the design: each module imports only what stands below it."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# From the lowest to the highest; a module may import those of its own layer and of lower ones.
LAYERS = [
    ["ir"],
    [
        "zyg.errors", "zyg.signature", "zyg.array_type", "zyg.unusual_arrays", "zyg.cotangents",
        "zyg.held", "zyg.tangents.tangent", "zyg.tangents.tangent_sets", "zyg.tangents.no_tangent",
        "zyg.wrapped_values", "zyg.binomial", "zyg.checkpointing",
    ],
    ["zyg.facts", "zyg.arrays", "zyg.tangents"],
    ["zyg.rules"],
    ["zyg.compiler"],
    ["zyg.calls"],
    [
        "zyg.api", "zyg.inside.calls_inside", "zyg.inside.solvers_inside",
        "zyg.inside.minima_inside", "zyg.inside.integrals_inside", "zyg.inside.flows_inside",
    ],
    ["zyg.checking", "zyg.inspection", "zyg.flattening", "zyg.holdings"],
    ["zyg.forward", "zyg.blocks", "zyg.inside"],
    ["zyg.sparsity"],
    ["zyg.derivatives"],
    ["zyg", "zyg.precompile"],
]  # fmt: skip
# Beside the compiler, which they never import.
BESIDE = ["zyg.rebinding", "zyg.pruning", "zyg.tracker", "zyg.tape"]


def matches(module, pattern):
    if pattern == "zyg":
        return module == "zyg"
    return module == pattern or module.startswith(pattern + ".")


def layer_of(module):
    for number, patterns in enumerate(LAYERS):
        if any(matches(module, pattern) for pattern in patterns):
            return number
    if any(matches(module, pattern) for pattern in BESIDE):
        return 3.5
    return None


def modules():
    """The modules of both packages by name."""
    found = {}
    for package in ("ir", "zyg"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()


def imports(tree):
    """The modules that a module imports, also within functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module


def ours(name):
    return name.partition(".")[0] in ("ir", "zyg")


@pytest.mark.parametrize("module", MODULES)
def test_layer(module):
    layer = layer_of(module)
    assert layer is not None, f"{module} belongs to no layer: add it to LAYERS"
    for name in imports(ast.parse(MODULES[module].read_text())):
        if ours(name):
            assert layer_of(name) is not None, name
            assert layer_of(name) <= layer, f"{module} imports {name}, which stands above it"


@pytest.mark.parametrize("module", [m for m in MODULES if m.partition(".")[0] == "ir"])
def test_the_toolkit_stands_alone(module):
    allowed = {*sys.stdlib_module_names, "gast", "astor", "ir"}
    roots = {name.partition(".")[0] for name in imports(ast.parse(MODULES[module].read_text()))}
    assert roots <= allowed


def test_the_test_sees_a_wrong_import():
    tree = ast.parse("def late():\n    from zyg.compiler import assemble\n")
    assert list(imports(tree)) == ["zyg.compiler.assemble"]
    assert layer_of("zyg.compiler.assemble") > layer_of("zyg.rules.binary")
    assert layer_of("zyg.api") > layer_of("zyg.compiler.assemble")
    assert layer_of("zyg.facts.numpy_facts") < layer_of("zyg.rules.registry")
