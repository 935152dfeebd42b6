"""How much of SciPy has derivatives: `python -m tests.scipy_coverage` prints a table.

A callable is differentiated (it has a rule, or code that stands in its place), constant, or
refused by name where a derivative would go through it: SciPy's own code is never looked at. With a
namespace as argument the command prints its names.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections import defaultdict
from typing import Any

import scipy

from tests.numpy_coverage import members
from zyg.rules import registry

NAMESPACES = (
    *("linalg", "fft", "signal", "ndimage", "stats", "interpolate", "sparse", "sparse.linalg"),
    *("optimize", "integrate", "special"),
)


def kind_of(member: Any) -> str:
    plain = getattr(member, "__func__", member)
    if registry.rule_of(plain) is not None or registry.substitute_of(plain) is not None:
        return "differentiated"
    return "constant" if registry.is_constant(plain) else "refused"


def coverage() -> dict[str, dict[str, list[str]]]:
    """The names of each namespace by kind; classes that have a rule count as well."""
    table = {}
    for name in NAMESPACES:
        namespace = importlib.import_module(f"scipy.{name}")
        registry.register_imported()
        if f"scipy.{name}" in registry.LATE:
            registry.register_late(f"scipy.{name}")
        found = members(namespace) | {
            key: cls for key, cls in vars(namespace).items()
            if inspect.isclass(cls) and kind_of(cls) == "differentiated"
        }
        kinds: dict[str, list[str]] = defaultdict(list)
        for key, member in found.items():
            kinds[distribution_kind(member) or kind_of(member)].append(key)
        table[f"scipy.{name}"] = kinds
    return table


def distribution_kind(member: Any) -> str | None:
    """A distribution is an object: its density is asked for."""
    from zyg.rules.scipy_stats import FORMULAS, VECTORS

    if isinstance(member, VECTORS) or type(member) in {cls for cls, _ in FORMULAS}:
        return "differentiated"
    return None


def main() -> None:
    print(f"SciPy {scipy.__version__}")
    print(f"{'namespace':24}{'names':>7}{'differentiated':>16}{'constant':>10}{'refused':>9}")
    for space, kinds in coverage().items():
        counts = [len(kinds[kind]) for kind in ("differentiated", "constant", "refused")]
        print(f"{space:24}{sum(counts):7}{counts[0]:16}{counts[1]:10}{counts[2]:9}")
        if space in sys.argv[1:]:
            for kind, names in kinds.items():
                print(f"  {kind}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
