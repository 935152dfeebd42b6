"""Draws among items, and of numbers, from generators of Python and NumPy with known seeds."""

import os
import random

import numpy as np

from tests.corpus.registry import program


class Deck:
    def __init__(self, cards):
        self.cards = cards


@program((2.0, 3.0))
def shuffled(x, y):
    random.seed(1)
    items = [x, y, x * y, 1.0]
    random.shuffle(items)
    generator = random.Random(2)
    generator.shuffle(items)
    return sum(i * item for i, item in enumerate(items))


@program((2.0, 3.0))
def shuffled_by_numpy(x, y):
    generator = np.random.default_rng(0)
    items, array = [x, y, x * y, 1.0], np.array([x, y, x * y, 1.0])
    rows = np.array([[x, y], [y, x * x], [x * y, 1.0]])
    generator.shuffle(items)
    generator.shuffle(array)
    generator.shuffle(rows)
    legacy = np.random.RandomState(3)
    legacy.shuffle(array)
    return items[0] * items[1] + array @ np.arange(4.0) + rows[0, 1] * rows[2, 0]


@program((2.0, 3.0))
def chosen_and_drawn(x, y):
    generator = random.Random(5)
    items = [x, y, x * y]
    a, b = generator.choices(items, k=2)
    (c,) = generator.choices(items, weights=[1, 2, 3])
    d, e = generator.sample(items, 2)
    return a * b * c + d * e * generator.choice(items) * generator.gauss(x, y)


@program((2.0, 3.0))
def drawn_from_what_objects_hold(x, y):
    generator = random.Random(7)
    deck = Deck([x, y, x * y, 1.0])
    generator.shuffle(deck.cards)
    drawn = deck.cards.pop() * generator.gauss(0.0, 1.0)
    deck.cards[0] *= generator.choices(deck.cards, k=1)[0]
    return drawn * sum(i * card for i, card in enumerate(deck.cards))


@program((2.0, 3.0))
def read_in_the_environment(x, y):
    deck = Deck([x])
    if os.environ.get("NO_SUCH_NAME") is None and os.getenv("NO_SUCH_NAME") is None:
        deck.cards.append(x * y)
    return deck.cards[-1] * int(os.environ.get("NO_SUCH_NAME", "2"))
