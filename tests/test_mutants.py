"""Programs of the corpus that are changed at random have right derivatives, or are refused."""

import pytest

from tests.mutants import outcomes

BATCH = 100


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 24 * BATCH, BATCH))
def test_right_or_refused(first):
    found = list(outcomes(range(first, first + BATCH)))
    wrong = [f"{mutant.name}: {said}\n{mutant.source}" for mutant, said in found
             if said.startswith("wrong")]
    assert not wrong, "\n\n".join(wrong)
    assert sum(said == "right" for _, said in found) >= BATCH // 4
