"""The table of rules: each callee with arguments at which its derivative is checked.

`ROWS` holds what every user of the rules (a rule called directly, the compiler, the tracker, the
tape) has to differentiate correctly. Kinks have tests of their own.
"""

from __future__ import annotations

from tests import rule_rows_algebra, rule_rows_arrays, rule_rows_fourier, rule_rows_numbers
from tests.rule_row import Row

ROWS: tuple[Row, ...] = (
    *rule_rows_numbers.operators(),
    *rule_rows_numbers.scalars(),
    *rule_rows_numbers.complex_scalars(),
    *rule_rows_numbers.numpy_scalars(),
    *rule_rows_numbers.python_builtins(),
    *rule_rows_numbers.elementwise(),
    *rule_rows_numbers.binary(),
    *rule_rows_arrays.reductions(),
    *rule_rows_arrays.shapes(),
    *rule_rows_arrays.joining(),
    *rule_rows_arrays.insertions(),
    *rule_rows_arrays.creation(),
    *rule_rows_arrays.selections(),
    *rule_rows_algebra.products(),
    *rule_rows_algebra.linear_algebra(),
    *rule_rows_algebra.algebra(),
    *rule_rows_fourier.transforms(),
)
