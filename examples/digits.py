"""A small neural network that reads handwritten digits, in plain NumPy.

The data are the 1797 images of 8 x 8 pixels that scikit-learn carries. The parameters are a list
of `(weights, bias)` tuples; `zyg.value_and_grad` returns their gradient in the same shape: a list
of tuples. Run it with `python -m examples.digits`, or shortly with `--short`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.datasets import load_digits

import zyg

Parameters = list[tuple[np.ndarray, np.ndarray]]

LAYERS = (64, 48, 10)
LEARNING_RATE = 0.1
MOMENTUM = 0.9
BATCH = 64
EPOCHS = 40
SHORT_EPOCHS = 10


@dataclass(frozen=True)
class Digits:
    """Images as rows of 64 pixels between 0 and 1, and the digits they show."""

    images: np.ndarray
    labels: np.ndarray

    def accuracy(self, parameters: Parameters) -> float:
        """The share of images whose largest score is that of the right digit."""
        return float(np.mean(np.argmax(scores(parameters, self.images), axis=1) == self.labels))

    def batches(self, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All the images once, in random order, as batches of equal size."""
        order = rng.permutation(len(self.labels))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            yield self.images[chosen], self.labels[chosen]


def scores(parameters, images):
    """The network: tanh layers, then one linear layer that scores the ten digits."""
    activations = images
    for weights, bias in parameters[:-1]:
        activations = np.tanh(activations @ weights + bias)
    weights, bias = parameters[-1]
    return activations @ weights + bias


def cross_entropy(parameters, images, labels):
    """The mean negative log-probability that the network gives to the right digits."""
    raw = scores(parameters, images)
    shifted = raw - np.max(raw, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_total - shifted[np.arange(len(labels)), labels])


def split_digits(rng: np.random.Generator) -> tuple[Digits, Digits]:
    """Training data, and a fifth of the images that is held back for testing."""
    data = load_digits()
    order = rng.permutation(len(data.target))
    held_back = len(order) // 5
    images, labels = data.data[order] / 16.0, data.target[order]
    return (
        Digits(images[held_back:], labels[held_back:]),
        Digits(images[:held_back], labels[:held_back]),
    )


def initial_parameters(rng: np.random.Generator) -> Parameters:
    return [
        (rng.normal(scale=inputs**-0.5, size=(inputs, outputs)), np.zeros(outputs))
        for inputs, outputs in pairwise(LAYERS)
    ]


def scaled(factor: float, layers: Parameters) -> Parameters:
    return [(factor * weights, factor * bias) for weights, bias in layers]


def added(left: Parameters, right: Parameters) -> Parameters:
    pairs = zip(left, right, strict=True)
    return [(w_left + w_right, b_left + b_right) for (w_left, b_left), (w_right, b_right) in pairs]


def train(
    training: Digits, held_back: Digits, epochs: int, rng: np.random.Generator
) -> Parameters:
    """Stochastic gradient descent with momentum, also in plain NumPy."""
    loss_and_gradient = zyg.value_and_grad(cross_entropy)
    parameters = initial_parameters(rng)
    velocity = scaled(0.0, parameters)
    for epoch in range(1, epochs + 1):
        losses = []
        for images, labels in training.batches(rng):
            loss, gradient = loss_and_gradient(parameters, images, labels)
            velocity = added(scaled(MOMENTUM, velocity), scaled(-LEARNING_RATE, gradient))
            parameters = added(parameters, velocity)
            losses.append(loss)
        print(
            f"  epoch {epoch:2d}   loss {np.mean(losses):.4f}"
            f"   held-back accuracy {held_back.accuracy(parameters):.1%}"
        )
    return parameters


def main(arguments: Sequence[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--short", action="store_true", help=f"{SHORT_EPOCHS} epochs only")
    epochs = SHORT_EPOCHS if parser.parse_args(arguments).short else EPOCHS

    rng = np.random.default_rng(0)
    training, held_back = split_digits(rng)
    print(f"Digits: {len(training.labels)} images to learn from, {len(held_back.labels)} held back")
    accuracy = held_back.accuracy(train(training, held_back, epochs, rng))
    print(f"\nAccuracy on held-back images: {accuracy:.1%}")
    return accuracy


if __name__ == "__main__":
    main()
