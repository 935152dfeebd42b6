"""Scalars that record closures, as in micrograd: the least that run-time tracking takes.

After A. Karpathy's micrograd: a value holds its parents and a closure that adds to their
gradients; `backward` sorts the graph and calls the closures.
"""

from __future__ import annotations

from collections.abc import Callable


class Value:
    """A number with a gradient."""

    __slots__ = ("_backward", "_parents", "data", "grad")

    def __init__(self, data: float, parents: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self._parents = parents
        self._backward: Callable[[], None] = lambda: None

    def __add__(self, other: Value | float) -> Value:
        y = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + y.data, (self, y))

        def backward() -> None:
            self.grad += out.grad
            y.grad += out.grad

        out._backward = backward
        return out

    def __mul__(self, other: Value | float) -> Value:
        y = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * y.data, (self, y))

        def backward() -> None:
            self.grad += y.data * out.grad
            y.grad += self.data * out.grad

        out._backward = backward
        return out

    def backward(self) -> None:
        """Micrograd sorts by recursion; this loop gives the same order to longer chains."""
        order: list[Value] = []
        seen = {id(self)}
        stack = [(self, iter(self._parents))]
        while stack:
            value, parents = stack[-1]
            for parent in parents:
                if id(parent) not in seen:
                    seen.add(id(parent))
                    stack.append((parent, iter(parent._parents)))
                    break
            else:
                order.append(value)
                stack.pop()
        self.grad = 1.0
        for value in reversed(order):
            value._backward()
