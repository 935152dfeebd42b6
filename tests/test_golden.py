"""The generated code of a dozen functions is what `tests/golden` holds, to the letter.

A difference is no bug by itself: `python -m tests.golden_programs --write`, then read it as code.
"""

import pytest

from tests.golden_programs import FOLDER, all_texts

TEXTS = dict(all_texts())


@pytest.mark.parametrize("name", TEXTS)
def test_generated_code_is_golden(name):
    assert TEXTS[name]() == (FOLDER / name).read_text()


def test_each_golden_file_has_a_program():
    assert {path.name for path in FOLDER.iterdir()} == set(TEXTS)
