"""Facts about indices, containers, methods and folds against what Python and NumPy give."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

from ir import facts
from ir.library.fact_rules import distributed
from ir.types import BOTTOM, TOP, Dict, Known, Method, Scalar, Tuple, join
from tests.abstract_values import ARRAYS, NUMBERS, SHAPES, Abstraction, K, Setting, check, covers
from tests.test_facts_of_cotangents import folded
from zyg.array_type import ANY, BIG, ONE, Array, Symbol, abstract_array

INDICES: tuple[Any, ...] = (
    K(0),
    K(-1),
    1,
    np.int64(0),
    K(None),
    K(...),
    K(slice(None)),
    K(slice(1, None)),
    K(slice(None, -1)),
    K(slice(None, None, -1)),
    K(slice(0, 1)),
    slice(1, 2),
    np.array([0, 1, 0]),
    np.array([[0], [1]]),
    np.array([True, False]),
    [0, 1],
    [],
    [True, False],
    np.array(0),
    K(True),
    np.ones((2, 3), bool),
)


def index_value(index: Any) -> Any:
    return index.value if isinstance(index, Setting) else index


def test_indexing() -> None:
    arrays = [np.arange(math.prod(s), dtype=float).reshape(s) for s in SHAPES]
    arrays += [np.ones((2, 2, 2, 2), np.float32), np.ones((2, 3), np.float32)]
    known = 0
    combinations = [
        *((index,) for index in INDICES),
        *itertools.product(INDICES, repeat=2),
        *itertools.product(INDICES[::2] + INDICES[12:15], repeat=3),
    ]
    for array, combination in itertools.product(arrays, combinations):
        if len(combination) > array.ndim + 2:
            continue
        abstract = Abstraction(shared=array.ndim % 2 == 0)
        types = tuple(
            Known(i.value) if isinstance(i, Setting) else abstract(i) for i in combination
        )
        x = abstract(array)
        values = tuple(map(index_value, combination))
        single = len(values) == 1 and array.size != 3
        try:
            value = array[values[0] if single else values]
        except Exception:
            continue
        index = types[0] if single else Tuple(types)
        result = facts.result_of(operator.getitem)((x, index), {})
        assert covers(result, value, abstract.sizes), (x, index, result, value.shape)
        known += result != TOP
    assert known > 2000


def test_an_ellipsis_separates_index_arrays() -> None:
    x, some = np.zeros((4, 2, 3)), np.array([0, 1, 0, 1, 0])
    for index in ((K(slice(None)), some, some), (K(slice(None)), some, K(...), some)):
        abstract = Abstraction()
        array = abstract(x)
        types = tuple(Known(i.value) if isinstance(i, Setting) else abstract(i) for i in index)
        result = facts.result_of(operator.getitem)((array, Tuple(types)), {})
        assert isinstance(result, Array)
        assert covers(result, x[tuple(map(index_value, index))], abstract.sizes)


def test_rows_of_arrays() -> None:
    for array in ARRAYS:
        type_ = abstract_array(array, 1)
        if array.ndim and isinstance(type_, Array):
            assert all(covers(facts.item_of(type_), row, {}) for row in array)


CONTAINERS: tuple[Any, ...] = (
    (1, 2.5),
    (),
    (1.0,),
    [1.5, 2.5],
    [],
    [1, 2],
    ["a"],
    range(4),
    {"a": 1, "b": 2.5},
    {},
    "abc",
    ((1, 2.0), "x"),
    {1: 2},
    {3, 4},
    np.arange(3.0),
)
CONTAINER_FUNCTIONS = (
    *(len, tuple, list, sorted, zip, enumerate, reversed, iter, sum, min, max, any, all, dict),
    *(dict.keys, dict.values, dict.items, dict.copy, list.copy, operator.not_, operator.truth),
    *(bool, str, repr),
)


@pytest.mark.parametrize("callee", CONTAINER_FUNCTIONS, ids=lambda f: f.__name__)
def test_container_functions(callee: Any) -> None:
    for container in CONTAINERS:
        check(callee, container)


def test_container_operators() -> None:
    indices = (0, -1, K(0), K(1), slice(1, None), K(slice(0, 1)), "a", K("a"), np.int64(0), True)
    for container in CONTAINERS:
        for index in indices:
            check(operator.getitem, container, index)
            check(dict.get, container, index) if isinstance(container, dict) else None
            check(dict.get, container, index, 1.5) if isinstance(container, dict) else None
            check(operator.mul, container, index)
            check(operator.mul, index, container)
            check(operator.contains, container, index)
        for other in CONTAINERS:
            for callee in (operator.add, operator.eq, operator.ne, operator.lt, operator.iadd):
                check(callee, container, other)
            check(zip, container, other)
            check(sum, [container], other)
    check(operator.getitem, (1, 2.5), K(1), must_know=True)
    check(sum, [1.5], must_know=True)
    check(sum, (1.5, 2), must_know=True)


def test_methods_of_literals() -> None:
    calls = {
        "float": (1.5, ("is_integer", "hex", "conjugate", "real", "imag", "as_integer_ratio")),
        "int": (3, ("bit_length", "real", "conjugate", "numerator")),
        "bool": (True, ("real", "conjugate", "imag")),
        "complex": (1j, ("conjugate", "real", "imag")),
        "str": ("a b", ("upper", "split", "strip", "isdigit", "encode", "title")),
    }
    for value, names in calls.values():
        for name in names:
            type_ = facts.attribute_of(Scalar(type(value)), name)
            found = getattr(value, name)
            if isinstance(type_, Method):
                assert isinstance(type_.function, Known)
                check(type_.function.value, value, must_know=True)
            else:
                assert type_ != TOP and covers(type_, found, {}), (value, name, type_)


def test_methods_of_arrays() -> None:
    x = Array(np.dtype(float), (Symbol(1, True), ONE))
    method = facts.attribute_of(x, "sum")
    assert method == Method(Known(np.ndarray.sum), x)
    assert facts.attribute_of(x, "T") == Array(np.dtype(float), (ONE, Symbol(1, True)))
    assert facts.attribute_of(x, "shape") == Tuple((Scalar(int), Known(1)))
    assert facts.attribute_of(x, "unknown") == TOP
    assert facts.descriptor_of(x, "T") is np.ndarray.T
    assert facts.descriptor_of(x, "sum") is None and facts.descriptor_of(TOP, "T") is None
    assert facts.descriptor_of(Scalar(np.float64), "shape") is np.generic.shape


def test_isinstance() -> None:
    classes = (int, float, complex, tuple, list, np.ndarray, np.floating, (int, float), bool)
    for value in (*NUMBERS, *CONTAINERS, np.ones(3)):
        for cls in classes:
            result = check(isinstance, value, K(cls))
            assert isinstance(result, Known), (value, cls)
        check(type, value)
        check(operator.is_, value, K(None))
        check(operator.is_not, K(None), value)


def test_folds() -> None:
    x = Array(np.dtype(float), (Symbol(1, True), ONE))
    assert folded(np.ndim, x) == 2
    assert folded(np.shape, Scalar(float)) == ()
    assert folded(np.shape, x) is None
    assert folded(np.iscomplexobj, x) is False
    assert folded(isinstance, x, K(np.ndarray)) is True
    assert folded(isinstance, TOP, K(float)) is None
    assert folded(operator.is_, Scalar(float), K(None)) is False
    assert folded(operator.is_not, TOP, K(None)) is None
    assert folded(len, Tuple((TOP, TOP))) == 2
    assert folded(operator.truth, Scalar(bool)) == 0
    assert folded(operator.truth, Scalar(float)) is None
    assert folded(float, Scalar(float)) == 0
    assert folded(float, Scalar(np.float64)) is None


def test_unions_and_bottom_distribute() -> None:
    either = join(Scalar(float), Array(np.dtype(float), (BIG,)))
    add = facts.result_of(operator.add)
    assert add is not None
    assert add((either, Scalar(float)), {}) == either
    assert add((BOTTOM, TOP), {}) == BOTTOM
    assert add((TOP, Scalar(float)), {}) == TOP
    assert distributed(lambda args, kwargs: args[0])((either,), {}) == either


def test_same_slice_has_the_same_symbol() -> None:
    getitem = facts.result_of(operator.getitem)
    assert getitem is not None
    x = Array(np.dtype(float), (Symbol(1, True),))
    tail, again = (getitem((x, Known(slice(1, None))), {}) for _ in range(2))
    head = getitem((x, Known(slice(None, -1))), {})
    shorter = getitem((x, Known(slice(None, -2))), {})
    assert tail == again == head != shorter
    anonymous = getitem((Array(np.dtype(float), (BIG,)), Known(slice(1, None))), {})
    assert anonymous == Array(np.dtype(float), (ANY,))


def test_what_an_empty_dict_gives() -> None:
    """An error: what a loop finds there that puts it there itself is no number of any kind."""
    getitem = facts.result_of(operator.getitem)
    assert getitem is not None
    for key in (Known("a"), Scalar(int), Scalar(str), TOP):
        assert getitem((Dict(()), key), {}) == BOTTOM
    full = Dict((("a", Scalar(float)),))
    assert getitem((full, Known("b")), {}) == BOTTOM
    assert getitem((full, Known("a")), {}) == Scalar(float)
    assert getitem((full, TOP), {}) == Scalar(float)


def test_a_wrong_fact_is_noticed() -> None:
    assert not covers(Scalar(float), np.float64(1), {})
    assert not covers(Array(np.dtype(float), (Symbol(1, True),)), np.ones(1), {})
    same = Array(np.dtype(float), (Symbol(1, False), Symbol(1, False)))
    assert covers(same, np.ones((2, 2)), {}) and not covers(same, np.ones((2, 3)), {})
    assert not covers(Tuple((Scalar(int),)), (1.0,), {})
    assert not covers(Array(np.dtype(np.float32), None), np.ones(1), {})
