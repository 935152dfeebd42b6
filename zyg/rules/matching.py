"""Rules of the calls that patterns of `match` become (`ir.patterns`)."""

from __future__ import annotations

from ir import patterns
from ir.primitives import UNBOUND
from zyg.cotangents.cotangent_items import unless_computed
from zyg.rules.registry import adjoint, constant, substitute

constant(
    *(patterns.is_present, patterns.is_sequence, patterns.is_mapping, patterns.is_instance),
    *(patterns.match_attributes, patterns.check_keys),
)


@adjoint(patterns.without_keys)
def without_keys(mapping, *keys):
    y = patterns.without_keys(mapping, *keys)
    return y, lambda y_bar: (bars_of_rest(y_bar, mapping), *(None,) * len(keys))


def bars_of_rest(y_bar, mapping):
    if y_bar is not None and not isinstance(mapping, dict):
        unless_computed(mapping)
    return y_bar


@substitute(patterns.match_attribute)
def match_attribute(subject, attributes, position):
    name = attributes[position]
    return subject if name is None else getattr(subject, name, UNBOUND)
