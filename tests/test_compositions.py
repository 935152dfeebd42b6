"""Random compositions of NumPy's functions: first and second derivatives in all orders of modes."""

import pytest

from tests.compositions.check import check
from tests.compositions.templates import EXPRESSIONS
from tests.compositions.writer import written

# So many batches make a large table, of which CI runs a few rows each time.
BATCH, COUNT = 20, 12
# `np.c_` in a `jvp` inside of differentiated code.
MOST_REFUSED = 6


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize(
    "first",
    [
        0,
        *(pytest.param(n, marks=pytest.mark.thorough) for n in range(BATCH, COUNT * BATCH, BATCH)),
    ],
)
def test_compositions(first):
    found = {seed: check(seed) for seed in range(first, first + BATCH)}
    refused = 0
    for seed, faults in found.items():
        wrong = [fault for fault in faults or () if not fault.startswith("refused")]
        assert not wrong, f"seed {seed}: {wrong}\n{written(seed)}"
        refused += bool(faults)
    assert refused <= MOST_REFUSED, found
    assert sum(faults is not None for faults in found.values()) > BATCH // 2


def test_each_template_is_written():
    texts = "\n".join(map(written, range(3000)))
    for lines in EXPRESSIONS.values():
        for line in lines:
            fixed = line.replace("{", "\0").replace("}", "\0").split("\0")[::2]
            assert all(part in texts for part in fixed), line
