"""Runs programs in every system and prints what they cost: text or Markdown."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

import numpy as np

from tests.benchmarks import peers
from tests.benchmarks.program import Program
from tests.benchmarks.timing import best_seconds

HEADER = (
    "program", "primal", "zyg", "by hand", "zyg / hand", "its code / hand", "autograd", "JAX jit",
    "PyTorch",
)


@dataclass(frozen=True)
class Row:
    """Best seconds per system, seconds of the first call, and why a system has none."""

    name: str
    seconds: dict[str, float]
    first: dict[str, float]
    missing: dict[str, str]

    def cell(self, system: str) -> str:
        """Milliseconds and the multiple of the primal."""
        if system not in self.seconds:
            return "wrong" if self.failed(system) else "n/a"
        seconds = self.seconds[system]
        return f"{1e3 * seconds:.4g} ({seconds / self.seconds['primal']:.3g}x)"

    def failed(self, system: str) -> bool:
        return self.missing.get(system, "").startswith("wrong")

    def versus_hand(self, system: str) -> str:
        if system not in self.seconds:
            return "wrong" if self.failed(system) else "n/a"
        return f"{self.seconds[system] / self.seconds['hand']:.2f}x"

    def cells(self) -> tuple[str, ...]:
        return (
            self.name,
            f"{1e3 * self.seconds['primal']:.4g}",
            self.cell("zyg"),
            self.cell("hand"),
            self.versus_hand("zyg"),
            self.versus_hand("code"),
            *(self.cell(system) for system in ("autograd", "jax", "torch")),
        )


def measure(program: Program, systems: Iterable[str]) -> Row:
    """Checks each system's gradient against the hand-written one, then times them in turn."""
    calls = {"primal": peers.primal(program), "hand": peers.by_hand(program)}
    first: dict[str, float] = {}
    missing: dict[str, str] = {}
    for system in systems:
        try:
            call = peers.thunk(system, program)
            start = perf_counter()
            gradient = call()
            first[system] = perf_counter() - start
            peers.check_gradient(program, gradient)
        except peers.NotAvailable as reason:
            missing[system] = str(reason)
        except Exception as error:
            missing[system] = f"wrong: {type(error).__name__}: {error}"
        else:
            calls[system] = call
    return Row(program.name, best_seconds(calls), first, missing)


def machine() -> str:
    """What the numbers were measured on."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    for name, module in (("autograd", "autograd"), ("JAX", "jax"), ("PyTorch", "torch")):
        try:
            versions.append(f"{name} {version(module)}")
        except PackageNotFoundError:
            versions.append(f"{name} not installed")
    return f"{model}, {platform.system()}; {', '.join(versions)}; one process, one thread, float64"


def lines(rows: Iterable[tuple[str, ...]], markdown: bool) -> list[str]:
    """A table from its cells: the first row is the header."""
    table = list(rows)
    if markdown:
        written = ["| " + " | ".join(row) + " |" for row in table]
        return [written[0], "|---" * len(table[0]) + "|", *written[1:]]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]


def notes(rows: list[Row]) -> list[str]:
    """First calls (compilation included), the cost of indexing, and failures: a line each."""
    said = []
    for system, title in (("zyg", "zyg"), ("jax", "JAX")):
        times = [f"{row.name} {1e3 * row.first[system]:.3g}" for row in rows if system in row.first]
        if times:
            said.append(f"First call in {title}, with compilation, ms: {', '.join(times)}.")
    for system, title in (("primal", "the primal"), ("hand", "by hand"), ("zyg", "zyg")):
        times = [
            f"{1e9 * row.seconds[system] / int(row.name.partition('_')[2]):.0f} ({row.name})"
            for row in rows
            if row.name.startswith("indexing_") and system in row.seconds
        ]
        if times:
            said.append(f"Nanoseconds per element read, {title}: {', '.join(times)}.")
    said += [
        f"{row.name} in {system}: {why}"
        for row in rows
        for system, why in row.missing.items()
        if why.startswith("wrong")
    ]
    return said
