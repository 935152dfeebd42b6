"""What inference knows of the methods and attributes of Python's numbers and texts.

    str.upper           (str)      -> str
    complex.conjugate   (complex)  -> complex

Imported by the first program that calls one.
"""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType
from typing import Any

from ir import facts
from ir.library.fact_rules import by_class, declare, declare_by_class
from ir.types import Type


def _declare_methods(cls: type) -> None:
    """The public methods and attributes of an immutable class, by example."""
    for name, member in vars(cls).items():
        if isinstance(member, MethodDescriptorType | GetSetDescriptorType | MemberDescriptorType):
            if not name.startswith("_"):
                facts.pure(member)
                if facts.result_of(member) is None:
                    _declare_member(member)


def _declare_member(member: Any) -> None:
    if isinstance(member, MethodDescriptorType):
        declare_by_class(member)
    else:
        declare_by_class_attribute(member)


def declare_by_class_attribute(member: Any) -> None:
    """A descriptor as a callee: the compiler calls it for an attribute of a value of known type."""

    @declare(member)
    def attribute(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        return by_class(member.__get__, args, kwargs)


for _cls in (int, float, complex, str):
    _declare_methods(_cls)
