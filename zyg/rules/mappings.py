"""Methods that classes of mappings get from `collections.abc`.

The environment is such a mapping, of texts, which have no derivatives.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping

from zyg.rules.registry import constant, substitute

environment_value = functools.partial(os.environ.get)


@substitute(Mapping.get)
def get(self, key, default=None):
    if self is os.environ:
        return environment_value(key, default)
    try:
        return self[key]
    except KeyError:
        return default


constant(environment_value, os.getenv)
