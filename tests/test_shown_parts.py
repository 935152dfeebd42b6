"""What views of arrays show: items, and the real and imaginary parts of complex ones."""

import numpy as np
import pytest

from zyg import NotDifferentiable
from zyg.held.shown_parts import (
    clear_marked,
    marks_of,
    new_marks,
    shown_by,
    where_marked,
)

OWNER = np.zeros((2, 3), complex)
BAR = np.arange(6).reshape(2, 3) + 1j * np.arange(10, 16).reshape(2, 3)
VIEWS = {
    "whole": lambda a: a,
    "rows backwards": lambda a: a[::-1],
    "transposed": lambda a: a.T,
    "part of a column": lambda a: a[1:, 2],
    "real": lambda a: a.real,
    "imaginary, of a row": lambda a: a[1].imag,
    "real, of every second one": lambda a: a.real[:, ::2],
    "imaginary, transposed and backwards": lambda a: a.T.imag[::-1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_show_the_same_of_numbers_for_each_item(name):
    view, flat = VIEWS[name](OWNER), BAR.ravel().copy()
    shown = shown_by(view, OWNER, flat)
    np.testing.assert_array_equal(shown, VIEWS[name](BAR))
    shown[...] = 0
    cleared = BAR.copy()
    VIEWS[name](cleared)[...] = 0
    np.testing.assert_array_equal(flat.reshape(2, 3), cleared)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("other", VIEWS)
def test_marks_are_of_what_is_shown(name, other):
    marks, view = new_marks(OWNER), VIEWS[other](OWNER)
    marks_of(VIEWS[name](OWNER), OWNER, marks)[...] = True
    marked = np.zeros((2, 3), complex)
    VIEWS[name](marked)[...] = 1 if "real" in name or "imag" in name else 1 + 1j
    kept = BAR.real * marked.real + 1j * BAR.imag * marked.imag
    shown = marks_of(view, OWNER, marks)
    found = where_marked(shown, VIEWS[other](BAR), 0, view)
    np.testing.assert_array_equal(found, VIEWS[other](kept))
    rest = VIEWS[other](BAR).copy()
    clear_marked(shown, rest)
    np.testing.assert_array_equal(rest, VIEWS[other](BAR - kept))


def test_numbers_that_are_real_have_no_imaginary_parts_to_show():
    with pytest.raises(NotDifferentiable, match="another dtype"):
        shown_by(OWNER.imag, OWNER, np.zeros(6))


def test_views_of_another_dtype_are_refused():
    with pytest.raises(NotDifferentiable, match="another dtype"):
        marks_of(OWNER.view(np.int64), OWNER, new_marks(OWNER))
