"""How much of NumPy has derivatives: `python -m tests.numpy_coverage` prints a table.

Each public callable of a namespace is differentiated (it has a rule, or a substitute), constant
(nothing that it gives has a derivative), given a meaning by the compiler, or refused by name.
"""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

import zyg.rules  # noqa: F401  (registers the rules)
from ir.inference.special_calls import special_of
from zyg.rules.registry import is_constant, method_of_ufunc, rule_of, substitute_of

NAMESPACES: dict[str, Any] = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "numpy.random": np.random,
    "numpy.random.Generator": np.random.Generator,
    "numpy.ndarray": np.ndarray,
    "numpy.ufunc": np.ufunc,
}

IS_OLD = np.lib.NumpyVersion(np.__version__) < "2.0.0"

# Why a function has no derivative; docs/limits.md says the same.
_SHAPE = "a draw of one sample has no derivative in parameters of shape"
_COUNTS = "it counts; np.bincount, np.digitize and np.searchsorted serve"
_MATRIX = "np.matrix is not supported"
REFUSED = {
    **dict.fromkeys(("numpy.asmatrix", "numpy.bmat"), _MATRIX),
    **dict.fromkeys(
        [f"numpy.histogram{kind}" for kind in ("", "2d", "dd", "_bin_edges")], _COUNTS
    ),
    **dict.fromkeys(("numpy.i0", "numpy.kaiser"), "NumPy lacks the Bessel function of order 1"),
    **dict.fromkeys(
        ("numpy.frombuffer", "numpy.from_dlpack"), "it reads memory that others write; use np.array"
    ),
    "numpy.frompyfunc": "it gives arrays of objects; use np.vectorize",
    "numpy.nested_iters": "it gives views of buffers; iterate over rows",
    **dict.fromkeys(
        [f"numpy.unique_{kind}" for kind in ("all", "counts", "inverse")], "use np.unique"
    ),
    **{
        f"numpy.random.{owner}{name}": _SHAPE
        for owner in ("", "Generator.")
        for name in (
            *("beta", "chisquare", "dirichlet", "f", "gamma", "multivariate_normal"),
            *("noncentral_chisquare", "noncentral_f", "pareto", "power", "standard_gamma"),
            *("standard_t", "triangular", "vonmises", "wald", "weibull"),
        )
    },
    **{
        f"numpy.random.{name}": "it changes a container in a random order; use permutation"
        for name in ("shuffle", "Generator.shuffle", "Generator.permuted")
    },
    **{
        f"numpy.ndarray.{name}": "it reads or writes memory as it lies there"
        for name in ("byteswap", "dump", "dumps", "getfield", "setfield", "setflags", "tofile")
    },
    "numpy.ndarray.resize": "it gives an array other memory; use np.resize",
    "numpy.ndarray.to_device": "arrays lie in memory",
    "numpy.ndarray.view": "it reads memory as another type; use astype",
}
# What NumPy 1 has and NumPy 2 no longer: old names of others, and what has nothing to do with
# numbers.
REMOVED = set(
    "add_docstring add_newdoc add_newdoc_ufunc alltrue asfarray byte_bounds compare_chararrays "
    "cumproduct deprecate deprecate_with_doc disp fastCopyAndTranspose find_common_type "
    "get_array_wrap geterrobj in1d issctype issubclass_ issubsctype lookfor mat maximum_sctype "
    "msort obj2sctype product recfromcsv recfromtxt round_ safe_eval sctype2char set_numeric_ops "
    "set_string_function seterrobj sometrue source who itemset newbyteorder ptp tostring".split()
)
# What sets up generators or tests them has nothing to do with numbers.
_SERVICE = {"get_bit_generator", "set_bit_generator", "test", "bit_generator"}


def members(namespace: Any) -> dict[str, Any]:
    """The public functions of a module or class; classes and modules inside are left out."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in dir(namespace):
            member = getattr(namespace, name, None)
            if name[0] == "_" or not callable(member) or name in _SERVICE:
                continue
            if not isinstance(member, type) and not inspect.ismodule(member):
                found[name] = member
    return found


def kind_of(path: str, member: Any) -> str | None:
    """`differentiated`, `constant` or `refused`; None where nobody has decided."""
    owner = getattr(member, "__self__", None)
    if isinstance(owner, np.random.RandomState):  # np.random.normal is a method
        member = getattr(np.random.RandomState, member.__name__)
    if path in REFUSED:
        return "refused"
    if IS_OLD and path.rpartition(".")[2] in REMOVED and path != "numpy.ptp":
        return "refused"
    if path.startswith("numpy.ufunc.") and method_of_ufunc(np.multiply, member.__name__):
        return "differentiated"
    if any(found(member) is not None for found in (rule_of, substitute_of, special_of)):
        return "differentiated"
    return "constant" if is_constant(member) else None


def coverage() -> dict[str, dict[str | None, list[str]]]:
    """The names of each namespace by kind."""
    table: dict[str, dict[str | None, list[str]]] = {}
    for space, namespace in NAMESPACES.items():
        kinds: dict[str | None, list[str]] = defaultdict(list)
        for name, member in members(namespace).items():
            kinds[kind_of(f"{space}.{name}", member)].append(name)
        table[space] = kinds
    return table


def main() -> None:
    print(f"NumPy {np.__version__}")
    print(f"{'namespace':24}{'names':>7}{'differentiated':>16}{'constant':>10}{'refused':>9}")
    for space, kinds in coverage().items():
        counts = [len(kinds[kind]) for kind in ("differentiated", "constant", "refused")]
        names = sum(map(len, kinds.values()))
        print(f"{space:24}{names:7}{counts[0]:16}{counts[1]:10}{counts[2]:9}")
        if kinds[None]:
            print(f"  not classified: {', '.join(kinds[None])}")


if __name__ == "__main__":
    main()
