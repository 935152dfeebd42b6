"""Names for what a program gives none: `vx` for `body.vx`, `u_i` for `u[i]`, `rate` for `p["rate"]`
and for what is handed on as the parameter `rate`.

The name of a temporary is `t`, by which the compiler knows that it may print it in the place where
it is read. A suggestion stands beside that name, and goes where the name goes: into copies of a
value, into records, and, as `vx_bar`, into the names of cotangents. Where code is printed, what has
no name of the user's gets the suggested one.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping

from ir.core import Block, Operand, Value
from ir.rewrite import blocks


class Suggested(str):
    """A name of the compiler's, with the one that tells a reader what it stands for."""

    __slots__ = ("suggestion",)
    suggestion: str

    def __new__(cls, name: str, suggestion: str) -> Suggested:
        made = super().__new__(cls, name)
        made.suggestion = suggestion
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:  # helpers are stored without
        return str, (str(self),)


def suggestion_of(name: str) -> str | None:
    return name.suggestion if isinstance(name, Suggested) else None


def derived(name: str, ending: str) -> str:
    """The name of what belongs to something: of `x`, with the ending `_bar`, `x_bar`."""
    if isinstance(name, Suggested):
        return Suggested(f"{name}{ending}", f"{name.suggestion}{ending}")
    return f"{name}{ending}"


def suggest_derived(operand: Operand, origin: str, ending: str) -> None:
    """Names a value after the one that it belongs to, if only that has a suggested name."""
    suggestion = suggestion_of(origin)
    if suggestion is not None:
        suggest(operand, f"{suggestion}{ending}")


def temporary(suggestion: str | None) -> str:
    """The name of a temporary for which this name is suggested, if it is one that may be used."""
    if suggestion is None:
        return "t"
    plain = suggestion.strip("_")
    if not plain.isidentifier() or keyword.iskeyword(plain) or hasattr(builtins, plain):
        return "t"
    return Suggested("t", plain)


def temporary_of_class(name: str, cls: type) -> str:
    """The name of an object that is made: its class's, if it has none."""
    if name != "t" or isinstance(name, Suggested):
        return name
    return temporary(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower())


def suggest(operand: Operand, name: str | None) -> None:
    """Names a value after the place where it is stored or given to, if it has no name."""
    if isinstance(operand, Value) and type(operand.name) is str and operand.name == "t":
        operand.name = temporary(name)


def suggest_names(given: Mapping[Value, Operand]) -> None:
    """Names what is given to parameters after these."""
    for param, operand in given.items():
        suggest(operand, param.name)


def forget_suggestions(body: Block) -> None:
    """Gives temporaries of helpers, which have few readers, their plain names; in place."""
    for block in blocks(body):
        for value in [*block.params, *(value for op in block.ops for value in op.results)]:
            value.name = str(value.name)
