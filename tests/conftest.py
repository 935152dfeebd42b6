"""What keeps 25,000 tests of compiled code in one process fast: little work for the collector."""

import gc
from collections import Counter

import pytest

import zyg

# Fewer rows than these all run: a table is large because its rows are alike.
FEW = 40


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


@pytest.fixture(autouse=True, scope="module")
def _forget_compiled_code():
    yield
    zyg.cache_clear()
