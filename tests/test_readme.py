"""The first program of the README prints what the README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_first_program_prints_what_stands_below_it(tmp_path):
    text = README.read_text()
    program = tmp_path / "first_program.py"
    program.write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1))
    expected = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    run = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "PYTHONPATH": str(README.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout == expected
