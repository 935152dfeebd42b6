"""Walks over what objects hold where a class of the module is iterated over, so that unknown things
are asked for their iterators."""

import math

import numpy as np

from tests.corpus.registry import program


class Layer:
    def __init__(self, weight, activation):
        self.weight, self.activation = weight, activation
        self.last = 0.0

    def __call__(self, x):
        self.last = x
        return self.activation(self.weight * x)


class Net:
    def __init__(self, layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __iter__(self):
        return iter(self.layers)


@program((0.5, 1.2, 0.3))
def layers_of_unlike_activations(a, b, x):
    net = Net([Layer(a, math.tanh), Layer(b, lambda z: z * z)])
    total = 0.0
    for _ in range(2):
        out = net.forward(x)
        for layer in net:
            layer.weight -= 0.1 * layer.last * out
        total += out
    return total


@program((0.5, 1.2, np.array([0.3, -0.8, 1.2])))
def layers_added_between_walks(a, b, x):
    net = Net([Layer(a, np.tanh), Layer(b, lambda z: z * z)])
    out = net.forward(x)
    net.layers.append(Layer(out.sum(), np.sin))
    d = out.sum(0)
    out = net.forward(x)
    return np.sum(out) * d
