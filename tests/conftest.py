"""What keeps 25,000 tests of compiled code in one process fast: little work for the collector."""

import gc
from collections import Counter
from itertools import count

import pytest

import zyg

# After so many tests, compiled code is forgotten.
OFTEN = 200
# Fewer rows than these all run: a table is large because its rows are alike.
FEW = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rows", type=_share, metavar="FIRST:STEP",
        help="of tests with many rows, run those from the first one on in steps",
    )


def _share(text: str) -> tuple[int, int]:
    first, step = map(int, text.split(":"))
    return first % step, step


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A part of the large tables; CI runs another one on each of the other Pythons."""
    share = config.getoption("rows")
    if share is None:
        return
    first, step = share
    sizes = Counter(map(_test_of, items))
    seen: Counter[str] = Counter()
    kept, left = [], []
    for item in items:
        test = _test_of(item)
        is_kept = sizes[test] < FEW or seen[test] % step == first
        (kept if is_kept else left).append(item)
        seen[test] += 1
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def pytest_collection_finish() -> None:
    """What pytest has collected stays to the end: the garbage collector needn't look at it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 10)


_runs = count(1)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forgets compiled code, which refers to itself: of gigabytes, one collection would take as
    long as a program under test has."""
    is_last = nextitem is None or nextitem.path != item.path
    if is_last or next(_runs) % OFTEN == 0:
        zyg.cache_clear()
        gc.collect()
