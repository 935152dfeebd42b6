"""The rule of `np.einsum`: each cotangent is again an einsum.

z = einsum("ij,jk->ik", x, y)     x_bar = einsum("ik,jk->ij", z_bar, y)
"""

from __future__ import annotations

import numpy as np

from zyg.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


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

    A label that only this operand has was summed over: it is spread again, by a factor of ones.
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
    for axis, label in enumerate(own):
        if label not in output and not any(label in labels for labels in others):
            others = [*others, label]
            factors = [*factors, np.ones(np.shape(like)[axis], np.result_type(z_bar))]
    program = (
        ",".join([output, *others])
        + "->"
        + "".join([label for label in target if label in output or any(label in o for o in others)])
    )
    return unbroadcast(np.einsum(program, z_bar, *factors, optimize=optimize), like)


def unused_label(inputs, output, target):
    taken = set("".join(inputs) + output + target)
    return next(label for label in LETTERS if label not in taken)


def labels_of(subscripts, operands):
    """The labels of each operand and of the result, with each ellipsis written out."""
    if not isinstance(subscripts, str):
        raise NotDifferentiable(
            "np.einsum has a rule for subscripts in a string, not for lists of axis numbers"
        )
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
