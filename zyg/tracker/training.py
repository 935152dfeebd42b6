"""Training: steps of parameters, and the loop over data.

    for d in data:
        l = loss(*d)
        back(l)
        opt()
        cb()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import zeros_like
from zyg.tracker.graph import TrackedTuple, TrackedValue, plain
from zyg.tracker.propagation import back


def update(x: Any, delta: Any) -> Any:
    """Adds `delta` to the data of a parameter and sets its gradient to zero.

    The data is replaced, not written: what was recorded earlier keeps the numbers it was computed
    with.

    >>> from zyg.tracker import param
    >>> update(param(3.0), -0.5)
    2.5 (tracked)
    """
    if not isinstance(x, TrackedValue) or isinstance(x, TrackedTuple) or not x.tracker.isleaf:
        raise TypeError("update is for parameters: tracked values that param(x) made")
    moved = x.data + plain(delta)
    if np.shape(moved) != np.shape(x.data):
        raise ValueError(f"a step of shape {np.shape(plain(delta))} for one of {np.shape(x.data)}")
    is_array = isinstance(x.data, np.ndarray)
    x.data = np.array(moved, x.data.dtype) if is_array else type(x.data)(moved)
    x.tracker.data = x.data
    x.tracker.grad = zeros_like(x.data)
    return x


def train(
    loss: Callable[..., Any],
    data: Iterable[Any],
    opt: Callable[[], Any],
    cb: Callable[[], Any] = lambda: None,
    progress: bool = True,
) -> None:
    """Goes through the data once: loss, `back`, a step of the optimiser, the callback.

    Each item of the data is a tuple of arguments for `loss`, or its one argument. The progress is
    shown where tqdm is installed. An interrupt ends the training between two steps, or in the
    middle of one without touching the gradients, and shows a short trace.
    """
    try:
        for d in shown(data) if progress else data:
            back(loss(*d) if isinstance(d, tuple) else loss(d), once=True)
            opt()
            cb()
    except KeyboardInterrupt:
        raise KeyboardInterrupt("training was interrupted") from None


def shown(data: Iterable[Any]) -> Iterable[Any]:
    """The data with a bar of progress, where tqdm is installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return data
    bar: Iterable[Any] = tqdm(data)
    return bar
