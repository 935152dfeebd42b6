"""A small compiler toolkit for Python functions: source to structured SSA and back.

    >>> import ir
    >>> def halve(x, least):
    ...     while x > least:
    ...         x = x / 2
    ...     return x
    >>> function = ir.parse(halve)
    >>> print(function)
    function halve(x, least):
        x_3 = while with x_2 = x:
            t_1 = operator.gt(x_2, least)
            t_2 = operator.truth(t_1)
            stop, x_4 = if t_2:
                x_5 = operator.truediv(x_2, 2)
                yield False, x_5
            else:
                yield True, x_2
            yield stop, x_4
        return x_3
    >>> ir.verify(function)
    >>> ir.load(function)(20.0, 3.0)
    2.5

`parse` gives the same object to all who ask; a pass works on a `ir.rewrite.clone` of it.
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
    Try,
    Value,
    While,
    Yield,
)
from ir.emit import emit
from ir.errors import IRError, SourceNotFound, Unsupported
from ir.inference import (
    special_attributes as special_attributes,  # what reads of attributes mean to it
)
from ir.inference import (
    special_displays as special_displays,  # what displays and unpacking mean to it
)
from ir.library import (
    late_calls as late_calls,  # calls that few programs have, and inference resolves
)
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
    "Try",
    "Unsupported",
    "Value",
    "While",
    "Yield",
    "emit",
    "load",
    "parse",
    "verify",
]
