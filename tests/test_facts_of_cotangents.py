"""Facts about cotangents, and the calls of them that fold."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const, Value
from ir.types import TOP, Scalar, Type, join
from tests.abstract_values import NUMBERS, Abstraction, K, Setting, check
from zyg.array_type import ANY, ONE, Array, Symbol
from zyg.cotangents import cotangent, cotangent_items


def folded(callee: Any, *types: Any) -> Any:
    operands = [
        Const(t.value) if isinstance(t, Setting) else Value(f"x{i}", t) for i, t in enumerate(types)
    ]
    fold = facts.fold_of(callee)
    assert fold is not None
    result = fold(Call(Const(callee), list(operands), {}, [Value("y")]))
    if isinstance(result, Const):
        return result.value
    return operands.index(result) if result in operands else result


COTANGENT_ARRAYS = tuple(
    np.ones(shape, dtype)
    for shape in ((), (1,), (3,), (2, 3), (1, 3), (2, 1), (0,), (1, 1))
    for dtype in (np.float64, np.float32, np.complex128, np.int8)
)


def is_broadcast(x: Any, bar: Any) -> bool:
    """Whether `bar` can be the cotangent of what `x` was broadcast to."""
    if isinstance(x, tuple | list | dict | str) or isinstance(bar, tuple | list | dict | str):
        return True
    try:
        return np.broadcast_shapes(np.shape(bar), np.shape(x)) in (np.shape(bar), np.shape(x))
    except ValueError:
        return False


def test_cotangents() -> None:
    some = (*COTANGENT_ARRAYS, *NUMBERS, None, "text", (1.0, np.ones(2)), [1.0], {"a": 1.0})
    for x in some:
        check(cotangent.conj, x)
        check(cotangent.zeros_like, x)
    for bar, x in itertools.product(some, repeat=2):
        for shared in (False, True) if is_broadcast(x, bar) else ():
            check(cotangent.unbroadcast, bar, x, abstraction=Abstraction(shared=shared))
            check(cotangent.accumulate, bar, x, abstraction=Abstraction(shared=shared))
        for index in (K(0), 0, K(slice(None)), np.array([0, 0])):
            check(cotangent_items.one_hot, bar, x, index)
    for bar, shape in itertools.product((2.0, 1, np.float32(2), 1j), (3, (2, 3), (1,))):
        shape = shape if isinstance(shape, tuple) else (shape,)
        check(cotangent_items.scatter, bar, K(shape), K(0))


def test_folds_of_cotangents_change_nothing() -> None:
    """Where `unbroadcast(bar, like)` folds to `bar`, it returns `bar` for all such arguments."""
    some = (*COTANGENT_ARRAYS, *NUMBERS)
    count = 0
    for like, other in itertools.product(some, repeat=2):
        with np.errstate(all="ignore"):
            try:
                bar = like * other
            except (ValueError, TypeError, OverflowError):
                continue
        abstract = Abstraction(shared=True)
        fold = folded(cotangent.unbroadcast, abstract(bar), abstract(like))
        if fold is not None:
            count += 1
            result = cotangent.unbroadcast(bar, like)
            assert np.shape(result) == np.shape(bar), (bar, like)
            assert np.array_equal(result, bar), (bar, like)
    assert count > 100
    for x in some:
        if folded(cotangent.conj, Abstraction()(x)) == 0:
            assert np.array_equal(cotangent.conj(x), x)


def test_unbroadcast_folds_only_where_sizes_agree() -> None:
    n, m = Symbol(1, True), Symbol(2, True)
    small = Symbol((n, "1:"), False)
    real, both = np.dtype(float), np.dtype(complex)

    def fold(bar: Type, like: Type) -> bool:
        return folded(cotangent.unbroadcast, bar, like) == 0

    assert fold(Array(real, (n,)), Array(real, (n,)))
    assert fold(Array(real, (n, ONE)), Array(np.dtype(np.float32), (m, ONE)))
    assert fold(Array(real, (small,)), Array(real, (small,)))
    assert not fold(Array(real, (n,)), Array(real, (small,)))
    assert not fold(Array(real, (ANY,)), Array(real, (ANY,)))
    assert not fold(Array(real, (n,)), Array(real, (ONE,)))
    assert not fold(Array(real, (ONE,)), Array(real, (n,)))
    assert not fold(Array(real, (n, m)), Array(real, (m,)))
    assert not fold(Array(both, (n,)), Array(real, (n,)))
    assert fold(Array(real, (n,)), Array(both, (n,)))
    assert not fold(Array(real, None), Array(real, None))
    assert fold(Scalar(float), Scalar(float)) and fold(Scalar(np.float64), Scalar(float))
    assert not fold(Scalar(complex), Scalar(float)) and not fold(TOP, Scalar(float))
    assert not fold(join(Scalar(float), Array(real, (n,))), Scalar(float))
    added = folded(cotangent.accumulate, Scalar(float), Array(real, (n,)))
    assert isinstance(added, Call) and added.callee.value is operator.add
    assert folded(cotangent.accumulate, TOP, Scalar(float)) is None
