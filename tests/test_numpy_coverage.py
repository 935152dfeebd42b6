"""No public function of NumPy slips through: it has derivatives, is constant, or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numpy_coverage import NAMESPACES, REFUSED, coverage

LIMITS = (Path(__file__).parents[1] / "docs" / "limits.md").read_text()


@pytest.mark.parametrize("space", NAMESPACES)
def test_every_name_is_classified(space: str) -> None:
    assert coverage()[space][None] == []


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_refused_stands_in_the_docs(path: str) -> None:
    assert f"`{path.rpartition('.')[2]}`" in LIMITS
