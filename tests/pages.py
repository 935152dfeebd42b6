"""The examples of the documentation: found in the pages, run, compared with what the pages say.

A fenced block of `python` is an example. The examples of a page run in order, in one namespace. The
block of `text` that follows one is what it prints; an exception is printed as its last lines. Each
example is a file of its own, which its output calls `example.py`.

`python -m tests.pages` writes what the examples print into the pages.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zyg

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLE = re.compile(
    r"^```python\n(?P<source>.*?)^```\n(?P<between>\n*```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
PLAIN_BLOCK = "\n```text\n{}```\n"
REQUIRED = re.compile(r"^(?:import|from) (scipy)\b", re.MULTILINE)
COMING = ("code_adjoint", "code_gradient", "code_ir", "explain", "check_grads")


@dataclass(frozen=True)
class Example:
    """A fenced block of Python, and the text that stands behind it."""

    page: str
    number: int
    source: str
    output: str
    start: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.page}_{self.number}"

    def is_runnable(self) -> bool:
        """Whether what it uses is there: packages, public functions."""
        coming = [name for name in COMING if f"zyg.{name}" in self.source]
        return all(map(importlib.util.find_spec, REQUIRED.findall(self.source))) and all(
            hasattr(zyg, name) for name in coming
        )

    def printed(self, namespace: dict[str, Any], folder: Path) -> str:
        """Runs the example; what it prints."""
        file = f"{self.name}.py"
        (folder / file).write_text(self.source)
        captured = io.StringIO()
        with contextlib.redirect_stdout(captured):
            try:
                exec(compile(self.source, file, "exec"), namespace)
            except Exception as error:
                captured.write("".join(traceback.format_exception_only(error)))
        printed = re.sub(rf"\b{re.escape(self.page)}_\d+\.py", "example.py", captured.getvalue())
        return printed.rstrip("\n") + "\n" if printed else ""


def examples(page: Path) -> list[Example]:
    """The examples of a page, in order."""
    found = EXAMPLE.finditer(page.read_text())
    return [
        Example(page.stem, i, match["source"], match["output"] or "", match.start(), match.end())
        for i, match in enumerate(found, start=1)
    ]


def run(page: Path, folder: Path) -> Iterator[tuple[Example, str]]:
    """Runs the examples of a page; gives each with what it printed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for example in examples(page):
            if example.is_runnable():
                yield example, example.printed(namespace, folder)


def rewrite(page: Path, folder: Path) -> None:
    """Puts what the examples print behind them."""
    text = page.read_text()
    done, position = "", 0
    for example, printed in run(page, folder):
        block = f"```python\n{example.source}```\n"
        done += text[position : example.start] + block
        done += PLAIN_BLOCK.format(printed) if printed else ""
        position = example.end
    page.write_text(done + text[position:])


def main(pages: list[Path]) -> None:
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            rewrite(page, Path(folder))


if __name__ == "__main__":
    main([DOCS / os.path.basename(name) for name in sys.argv[1:]] or sorted(DOCS.glob("*.md")))
