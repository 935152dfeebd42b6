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
# So many tests that stand together stay together: the checks of one program.
NEIGHBOURS = 6


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rows", type=_share, metavar="FIRST:STEP",
        help="of tests with many rows, run those from the first one on in steps",
    )
    parser.addoption(
        "--few", type=_share, metavar="FIRST:STEP",
        help="of tests with few rows or one, run those from the first one on in steps",
    )
    parser.addoption(
        "--part", type=_share, metavar="PART:COUNT",
        help="run one of so many parts of equal size of all tests, counted from 0",
    )


def _share(text: str) -> tuple[int, int]:
    first, step = map(int, text.split(":"))
    return first % step, step


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of this process: CI runs two beside each other, and other rows on each Python."""
    kept = items
    for name, chosen in ("few", _of_few), ("rows", _of_rows), ("part", _of_part):
        share = config.getoption(name)
        if share is not None:
            kept = chosen(kept, *share)
    ids = {id(item) for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in ids])
    items[:] = kept


def _of_rows(items: list[pytest.Item], first: int, step: int) -> list[pytest.Item]:
    """All small tables, and these rows of the large ones."""
    sizes = Counter(map(_test_of, items))
    seen: Counter[str] = Counter()
    kept = []
    for item in items:
        test = _test_of(item)
        if sizes[test] < FEW or seen[test] % step == first:
            kept.append(item)
        seen[test] += 1
    return kept


def _of_few(items: list[pytest.Item], first: int, step: int) -> list[pytest.Item]:
    """All large tables, and all rows of each so many-th of the small ones."""
    sizes = Counter(map(_test_of, items))
    small = [test for test in sizes if sizes[test] < FEW]
    chosen = set(small[first::step])
    return [item for item in items if sizes[_test_of(item)] >= FEW or _test_of(item) in chosen]


def _of_part(items: list[pytest.Item], part: int, count: int) -> list[pytest.Item]:
    """Groups of neighbours by turns: they share what is compiled, and a file isn't one part's."""
    return [item for place, item in enumerate(items) if place // NEIGHBOURS % count == part]


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
    long as a program under test has. What is left then stays, as the reports of tests do."""
    is_last = nextitem is None or nextitem.path != item.path
    if is_last or next(_runs) % OFTEN == 0:
        zyg.cache_clear()
        gc.collect()
        gc.freeze()
