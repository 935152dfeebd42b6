"""What inference knows about `cmath`; imported by the first program that calls it.

    cmath.exp     (complex)    -> complex
    cmath.phase   (complex)    -> float
"""

from __future__ import annotations

import cmath

from ir.library.fact_rules import FLOAT, always
from ir.types import Scalar, Tuple

for _name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
              "acosh", "atanh", "exp", "log", "log10", "sqrt", "rect"):
    always(Scalar(complex), getattr(cmath, _name))
always(FLOAT, cmath.phase)
always(Tuple((FLOAT, FLOAT)), cmath.polar)
