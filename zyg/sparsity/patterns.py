"""The pattern of a Jacobian or Hessian: the entries that may differ from zero.

    jacobian_sparsity(lambda x: x[1:] * x[:-1], np.ones(3))
    ->  ([[True, True, False], [False, True, True]],)       as scipy.sparse

The program runs once on index sets, in the place of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from zyg.errors import NotDifferentiable, ZygError
from zyg.flattening import is_leaf, leaves, numbers_of, with_leaves
from zyg.sparsity.index_sets import EMPTY, IndexSet, boxed, members
from zyg.sparsity.propagation import Run
from zyg.sparsity.traced import Traced, plain
from zyg.sparsity.user_code import UserCode

if TYPE_CHECKING:
    from scipy import sparse


def scipy_sparse() -> Any:
    """The module `scipy.sparse`."""
    try:
        from scipy import sparse
    except ImportError as error:
        raise ImportError(
            "sparse Jacobians and Hessians are matrices of scipy.sparse: install scipy"
        ) from error
    return sparse


def jacobian_sparsity(f: Callable[..., Any], *xs: Any) -> tuple[sparse.csr_array, ...]:
    """Which numbers of `f(*xs)` may depend on which numbers of each argument.

    One boolean matrix (`scipy.sparse.csr_array`) per positional argument: a row for each number of
    the result, a column for each number of the argument, both in the order of `zyg.flatten`. `f` is
    run once. The pattern holds no less than what the derivatives have, for the way that the program
    takes for these arguments: where a condition asks for their values, other values can have
    another pattern.

    >>> jacobian_sparsity(lambda x: x[1:] * x[:-1], np.ones(3))[0].toarray()
    array([[ True,  True, False],
           [False,  True,  True]])
    """
    y, _ = run_on_sets(f, xs)
    rows = [members(part) for part in _sets_of_numbers(y)]
    whole = incidence(rows, numbers_of(xs)[0].size)
    return tuple(columns_of(whole, [numbers_of(x)[0].size for x in xs]))


def hessian_sparsity(f: Callable[[Any], Any], x: Any) -> sparse.csr_array:
    """Which second derivatives of `f(x)`, a real number, may differ from zero.

    A symmetric boolean matrix (`scipy.sparse.csr_array`) with a row and a column for each number of
    `x`, in the order of `zyg.flatten`. The pattern holds each pair of numbers that an operation of
    `f` brings together in another way than by adding them; see `jacobian_sparsity` for conditions.

    >>> hessian_sparsity(lambda x: x[0] * x[1] + x[2] ** 2, np.ones(3)).toarray()
    array([[False,  True, False],
           [ True, False, False],
           [False, False,  True]])
    """
    y, run = run_on_sets(f, (x,))
    if np.size(plain(y)) != 1:
        raise TypeError("the Hessian is that of a function whose value is one real number")
    size = numbers_of(x)[0].size
    left = incidence([members(a) for a, _ in run.pairs], size).astype(np.int64)
    right = incidence([members(b) for _, b in run.pairs], size).astype(np.int64)
    products = left.T @ right
    return boolean(products + products.T)


def boolean(matrix: Any) -> Any:
    """The entries that are stored, as a boolean matrix in rows."""
    found = scipy_sparse().csr_array(matrix)
    found.sum_duplicates()
    found.sort_indices()
    found.data = np.ones(found.nnz, bool)
    return found


def incidence(sets: list[frozenset[int]], size: int) -> Any:
    """A boolean matrix with a row for each set."""
    counts = np.fromiter(map(len, sets), np.int64, len(sets))
    columns = np.fromiter(chain.from_iterable(sets), np.int64, int(counts.sum()))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    data = np.ones(len(columns), bool)
    found = scipy_sparse().csr_array((data, columns, starts), shape=(len(sets), size))
    found.sort_indices()
    return found


def columns_of(whole: Any, widths: Iterable[int]) -> Iterable[Any]:
    """The blocks of columns that belong to each of several arguments."""
    start = 0
    columns = whole.tocsc()
    for width in widths:
        yield columns[:, start : start + width].tocsr()
        start += width


def run_on_sets(f: Callable[..., Any], xs: tuple[Any, ...]) -> tuple[Any, Run]:
    """The value of `f(*xs)`, traced, and what the run has noted."""
    run = Run()
    start = 0

    def traced(leaf: Any) -> Traced:
        nonlocal start
        if np.iscomplexobj(leaf):
            raise NotDifferentiable("patterns are those of functions of real numbers")
        stop = start + np.size(leaf)
        numbers = [frozenset([i]) for i in range(start, stop)]
        start = stop
        if not isinstance(leaf, np.ndarray):
            return Traced(leaf, numbers[0], run)
        sets = np.empty(leaf.size, object)
        sets[:] = numbers
        return Traced(np.array(leaf, order="C"), sets.reshape(leaf.shape).copy(), run)

    code = UserCode(run)
    arguments = with_leaves(xs, traced, code.converted)
    try:
        y = with_leaves(code.converted(f)(*arguments), lambda leaf: leaf)
    except ZygError:
        if run.refusal is not None:
            raise run.refusal from None
        raise
    except Exception as error:
        if run.refusal is not None:
            raise run.refusal from error
        code.settle()
        f(*xs)  # an error of the program's own is raised as it is
        raise NotDifferentiable(
            f"the program can't be run on index sets ({type(error).__name__}: {error}); give the "
            "pattern: sparsity=pattern"
        ) from error
    finally:
        code.settle()
    if run.refusal is not None:
        raise run.refusal
    return y, run


def _sets_of_numbers(y: Any) -> Iterable[IndexSet]:
    """The sets of the numbers of a value, in the order of `flatten`."""
    if type(y) is Traced:
        if is_leaf(y.value):
            yield from boxed(y.sets).ravel().tolist()
    elif isinstance(y, (list, tuple)):
        for item in y:
            yield from _sets_of_numbers(item)
    elif isinstance(y, dict):
        for item in y.values():
            yield from _sets_of_numbers(item)
    else:
        for leaf in leaves(y):
            yield from [EMPTY] * np.size(leaf)
