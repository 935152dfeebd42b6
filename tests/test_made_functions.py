"""Function objects that generated code makes, called where their type is not known."""

import zyg


def unused_capture(a, c):
    if value := c:
        kept = value
    return (lambda u: lambda v: (a if 1 else u) and v)(kept)(a) * c


def test_captured_variable_without_use():
    assert zyg.gradient(unused_capture, 2.0, 3.0) == (3.0, 2.0)
