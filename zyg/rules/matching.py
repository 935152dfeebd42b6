"""Rules of the calls that patterns of `match` become (`ir.patterns`)."""

from __future__ import annotations

from ir import patterns
from ir.primitives import UNBOUND
from zyg.rules.registry import adjoint, constant, substitute

constant(
    *(patterns.is_present, patterns.is_sequence, patterns.is_mapping, patterns.is_instance),
    *(patterns.match_attributes, patterns.check_keys),
)


@adjoint(patterns.without_keys)
def without_keys(mapping, *keys):
    y = patterns.without_keys(mapping, *keys)
    return y, lambda y_bar: (y_bar, *[None for _ in keys])


@substitute(patterns.match_attribute)
def match_attribute(subject, attributes, position):
    name = attributes[position]
    return subject if name is None else getattr(subject, name, UNBOUND)
