"""A small compiler toolkit for Python functions: source to structured SSA and back.

    >>> import ir
    >>> from math import gcd
    >>> function = ir.parse(gcd_steps)   # doctest: +SKIP
"""

from ir.closures import load_function as load
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Location,
    Raise,
    Value,
    While,
    Yield,
)
from ir.emit import emit
from ir.errors import IRError, SourceNotFound, Unsupported
from ir.parse import parse
from ir.verify import verify

__all__ = [
    "Block",
    "Call",
    "Const",
    "For",
    "Function",
    "IRError",
    "If",
    "Lambda",
    "Location",
    "Raise",
    "SourceNotFound",
    "Unsupported",
    "Value",
    "While",
    "Yield",
    "emit",
    "load",
    "parse",
    "verify",
]
