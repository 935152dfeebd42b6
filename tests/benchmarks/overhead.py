"""The fixed costs of zyg: a repeated call, the first gradient, the import, recompilation.

Each is measured in plain functions whose gradient by hand is known, so that the cost of a call is
what it takes beyond the code that it runs. First gradients and imports run in fresh processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.peers import check_gradient
from tests.benchmarks.program import Program
from tests.benchmarks.timing import best_seconds

HEADER = ("fixed cost", "measured", "allowed", "ms by hand")
ROOT = Path(__file__).resolve().parents[2]


def product(a, b, c):
    return (a * b) @ c


def product_by_hand(a, b, c):
    return b * c, a * c, a * b


def layers_of(layers, x):
    for w, b in layers:
        x = w @ x + b
    return x @ x


def layers_by_hand(layers, x):
    records = []
    for w, b in layers:
        records.append((w, x))
        x = w @ x + b
    x_bar = 2.0 * x
    layers_bar = []
    for w, x in reversed(records):
        layers_bar.append((x_bar[:, None] * x, x_bar))
        x_bar = x_bar @ w
    layers_bar.reverse()
    return layers_bar


def three_arrays() -> Program:
    arguments = tuple(np.random.default_rng(7).normal(size=(3, 4)))
    return Program("three arrays", product, product_by_hand, arguments)


def five_layers() -> Program:
    random = np.random.default_rng(8)
    layers = [(random.normal(size=(4, 4)), random.normal(size=4)) for _ in range(5)]
    data = {"x": random.normal(size=4)}

    def gradient_by_hand(layers: Any, x: Any) -> tuple[Any, ...]:
        return (layers_by_hand(layers, x),)

    return Program("five (W, b)", layers_of, gradient_by_hand, (layers,), data)


def flat(gradient: Any) -> list[Any]:
    """The arrays in nested tuples and lists, in order."""
    if isinstance(gradient, (list, tuple)):
        return [leaf for item in gradient for leaf in flat(item)]
    return [gradient]


def cost_of_repeated_call(zyg: Any, program: Program) -> tuple[float, float]:
    """Seconds of one `zyg.gradient` and of the same gradient by hand."""
    function, by_hand = program.primal, program.gradient_by_hand
    arguments, data = program.arguments, program.data
    calls: dict[str, Callable[[], Any]] = {
        "zyg": lambda: zyg.gradient(function, *arguments, **data),
        "hand": lambda: by_hand(*arguments, **data),
    }
    for ours, theirs in zip(flat(calls["hand"]()), flat(calls["zyg"]()), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-8)
    best = best_seconds(calls)
    return best["zyg"], best["hand"]


FUNCTION_OF_TWENTY_LINES = """
def model(w, b, x):
    hidden = np.tanh(w @ x + b)
    total = 0.0
    for i in range(3):
        if i % 2 == 0:
            hidden = hidden * w[i, i]
        else:
            hidden = np.sin(hidden) + b
        total = total + np.sum(hidden)
    scale = np.exp(-b)
    weighted = scale * hidden
    while total > 100.0:
        total = total / 2.0
    norm = np.sqrt(1.0 + np.sum(weighted**2))
    first, second = weighted[0], weighted[1]
    if first > second:
        result = first / norm
    else:
        result = second / norm
    return result + 0.1 * total
"""

FIRST_GRADIENT = """
import sys, time
sys.path[:0] = [{root!r}, {folder!r}]
import numpy as np
import zyg
from subject import model
rng = np.random.default_rng(9)
w, b, x = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)
start = time.perf_counter()
zyg.gradient(model, w, b, x)
print(time.perf_counter() - start)
"""

IMPORT = """
import sys, time
sys.path.insert(0, {root!r})
import numpy
start = time.perf_counter()
import zyg
print(time.perf_counter() - start)
"""


def subject(length: int) -> str:
    """A module of about `length` lines with the function of twenty lines in its middle."""
    filler = "\n\ndef unused_{}(x):\n    y = x + {}\n    return y * x\n"
    half = max(0, length - 22) // 2 // 5
    before = "".join(filler.format(i, i) for i in range(half))
    after = "".join(filler.format(i, i) for i in range(half, 2 * half))
    return "import numpy as np\n" + before + "\n" + FUNCTION_OF_TWENTY_LINES + after


def best_in_fresh_processes(program: str, times: int = 7) -> float:
    """The least of the seconds that several new interpreters print; they may keep bytecode."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]

    def seconds() -> float:
        run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return float(run.stdout)

    return min(seconds() for _ in range(times))


def first_gradient(length: int) -> float:
    """Seconds of the first gradient with every cache cold, in a file of `length` lines."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "subject.py").write_text(subject(length))
        return best_in_fresh_processes(FIRST_GRADIENT.format(root=str(ROOT), folder=folder))


def import_time() -> float:
    """Seconds of `import zyg` once NumPy is there."""
    return best_in_fresh_processes(IMPORT.format(root=str(ROOT)))


def compilations(zyg: Any, calls: Callable[[], None]) -> int:
    """How many signatures `zyg.cache_info()` counts as missed while `calls` runs."""
    before = zyg.cache_info().misses
    calls()
    return int(zyg.cache_info().misses - before)


def new_sizes(zyg: Any) -> int:
    """Compilations for arrays of other sizes, once one size was compiled."""
    zyg.gradient(product, *np.ones((3, 4)))

    def calls() -> None:
        for n in (3, 5, 100):
            check_gradient(
                Program("sizes", product, product_by_hand, tuple(np.ones((3, n)))),
                zyg.gradient(product, *np.ones((3, n))),
            )

    return compilations(zyg, calls)


def fresh_lambdas(zyg: Any) -> int:
    """Compilations for new function objects of one code, once one was compiled."""

    def scaled(factor: float) -> Callable[[Any], Any]:
        return lambda x: factor * x * x

    assert zyg.gradient(scaled(1.0), 3.0) == (6.0,)

    def calls() -> None:
        for factor in (2.0, 3.0, 4.0):
            assert zyg.gradient(scaled(factor), 3.0) == (6.0 * factor,)

    return compilations(zyg, calls)


def microseconds_beyond(zyg: Any, program: Program) -> tuple[str, str]:
    with_zyg, by_hand = cost_of_repeated_call(zyg, program)
    return f"{1e6 * (with_zyg - by_hand):.2f} µs", f"{1e3 * by_hand:.4g}"


def measure() -> list[tuple[str, str, str, str]]:
    """The rows of the table, header first; without zyg each says n/a."""
    try:
        import zyg
    except ImportError:
        zyg = None
    present = zyg is not None and hasattr(zyg, "gradient")

    def milliseconds(seconds: float) -> tuple[str, str]:
        return f"{1e3 * seconds:.1f} ms", ""

    wanted: list[tuple[str, str, Callable[[], tuple[str, str]]]] = [
        (
            "repeated call beyond the code it runs, three arrays",
            "4 µs",
            lambda: microseconds_beyond(zyg, three_arrays()),
        ),
        (
            "repeated call beyond the code it runs, list of five (W, b)",
            "10 µs",
            lambda: microseconds_beyond(zyg, five_layers()),
        ),
        (
            "first gradient of a function of 20 lines, caches cold",
            "20 ms",
            lambda: milliseconds(first_gradient(22)),
        ),
        (
            "the same in a file of 5,000 lines",
            "20 ms",
            lambda: milliseconds(first_gradient(5_000)),
        ),
        ("import zyg beyond import numpy", "30 ms", lambda: milliseconds(import_time())),
        ("compilations for three new array sizes", "0", lambda: (str(new_sizes(zyg)), "")),
        ("compilations for three fresh lambdas", "0", lambda: (str(fresh_lambdas(zyg)), "")),
    ]
    rows = [HEADER]
    for name, allowed, find in wanted:
        try:
            measured, by_hand = find() if present else ("n/a", "")
        except Exception as error:
            measured, by_hand = f"failed: {type(error).__name__}: {error}".splitlines()[0], ""
        rows.append((name, measured, allowed, by_hand))
    return rows
