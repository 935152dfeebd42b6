"""The rule of `np.einsum`: each cotangent is again an einsum.

    z = einsum("ij,jk->ik", x, y)       x_bar = einsum("ik,jk->ij", z_bar, y)

Labels in lists become letters: `einsum(x, [0, 1], [1, 0])` is `einsum("ab->ba", x)`.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.options import in_order
from zyg.rules.registry import Unread, adjoint, constant, goes_beyond, stand_in

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@goes_beyond(np.einsum)
def takes_lists(*operands, **options):
    """Whether the operands aren't preceded by text, or aren't known to be."""
    first = operands[0] if operands else ""
    return not isinstance(first, str) and not (isinstance(first, Unread) and first.cls is str)


@stand_in(np.einsum)
def einsum_of_lists(
    *operands, out=None, dtype=None, order="K", casting="safe", optimize=False
):
    """The operands and their labels in turns, or what isn't said by labels: dtype, order."""
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], operands[1:]
    else:
        count = len(operands) // 2
        labels = [[*operands[2 * i + 1]] for i in range(count)]
        output = [*operands[-1]] if len(operands) % 2 == 1 else None
        subscripts = subscripts_of(labels, output)
        arrays = [operands[2 * i] for i in range(count)]
    if dtype is not None:
        arrays = [converted(x, dtype, casting) for x in arrays]
    return in_order(np.einsum(subscripts, *arrays, optimize=optimize), order)


def subscripts_of(labels, output=None):
    """The text that says what lists of labels say."""
    output = implicit_output(labels) if output is None else output
    return ",".join(map(letters, labels)) + "->" + letters(output)


def letters(labels):
    return "".join(["..." if label is ... else LETTERS[label] for label in labels])


def implicit_output(labels):
    """An ellipsis, then what stands in one place only, in ascending order."""
    joined = [label for group in labels for label in group]
    once = sorted([label for label in joined if label is not ... and joined.count(label) == 1])
    return [..., *once] if ... in joined else once


def converted(x, dtype, casting):
    if not np.can_cast(np.result_type(x), dtype, casting):
        raise TypeError(
            f"Iterator operand cannot be cast from {np.result_type(x)} to {np.dtype(dtype)} "
            f"according to the rule '{casting}'"
        )
    return np.asarray(x).astype(dtype)


constant(subscripts_of)


@adjoint(np.einsum)
def einsum(subscripts, *operands, optimize=False):
    z = np.einsum(subscripts, *operands, optimize=optimize)

    def back(z_bar):
        return (
            None,
            *[einsum_bar(z_bar, subscripts, operands, i, optimize) for i in range(len(operands))],
        )

    return z, back


def einsum_bar(z_bar, subscripts, operands, position, optimize):
    """The cotangent of the operand at `position`.

    A label that only this operand has was summed over: it is spread again.
    A label that stands twice reads a diagonal: it is put back there, by an identity matrix.
    """
    inputs, output = labels_of(subscripts, operands)
    own = inputs[position]
    like = operands[position]
    others = [labels for i, labels in enumerate(inputs) if i != position]
    factors = [conj(x) for i, x in enumerate(operands) if i != position]
    target = ""
    for axis, label in enumerate(own):
        if label in target:
            fresh = unused_label(inputs, output, target)
            others = [*others, label + fresh]
            factors = [*factors, np.eye(np.shape(like)[axis], dtype=np.result_type(z_bar))]
            target = target + fresh
        else:
            target = target + label
    known = "".join([output, *others])
    result = "".join([label for label in target if label in known])
    # A path is for the operands of the forward pass.
    way = optimize if isinstance(optimize, (bool, str)) else True
    bar = np.einsum(",".join([output, *others]) + "->" + result, z_bar, *factors, optimize=way)
    if len(result) < len(target):
        lengths = [
            np.shape(bar)[result.index(label)] if label in result else np.shape(like)[axis]
            for axis, label in enumerate(target)
        ]
        sizes = [n if label in result else 1 for label, n in zip(target, lengths, strict=True)]
        bar = np.broadcast_to(np.reshape(bar, sizes), lengths)
    return unbroadcast(bar, like)


def unused_label(inputs, output, target):
    taken = set("".join(inputs) + output + target)
    return next(label for label in LETTERS if label not in taken)


def labels_of(subscripts, operands):
    """The labels of each operand and of the result, with each ellipsis written out."""
    source, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = source.split(",")
    spare = [label for label in LETTERS if label not in subscripts]
    hidden = [
        np.ndim(x) - len(labels.replace("...", "")) if "..." in labels else 0
        for labels, x in zip(inputs, operands, strict=True)
    ]
    ellipsis = "".join(spare[: max(hidden)])
    written = [
        labels.replace("...", ellipsis[len(ellipsis) - n :])
        for labels, n in zip(inputs, hidden, strict=True)
    ]
    if not arrow:
        letters = source.replace(",", "").replace("...", "")
        output = "..." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return written, output.replace("...", ellipsis)
