"""Deep copies of containers that hold objects, in code that is differentiated more than once.

Those of objects are made for each class (`zyg.compiler.run_time.copies`). All are differentiated as
the user's functions are.
"""

from __future__ import annotations

from typing import Any


def deep_copied(x: Any) -> Any:
    """A deep copy of what is reached once, in code that inference looks through."""
    raise AssertionError("inference puts what copies a value of its type in its place")


def deep_copy_of_list(items: Any) -> Any:
    """A deep copy of a list that holds objects."""
    return [deep_copied(item) for item in items]


def deep_copy_of_dict(table: Any) -> Any:
    """The same of a dict, the keys of which are texts, numbers and the like."""
    return {key: deep_copied(item) for key, item in table.items()}
