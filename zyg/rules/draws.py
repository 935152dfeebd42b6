"""Rules of random draws: those of a family of location and scale are moved and scaled noise.

    y = loc + scale * noise         loc_bar = sum(y_bar),  scale_bar = sum(y_bar * noise)

The reverse pass uses the draw of the forward pass. A call without varying parameters is a constant.
Distributions with parameters of shape have no rule: a derivative of one sample in them isn't
defined by the sample. Source: D. Kingma and M. Welling, "Auto-encoding variational Bayes" (2014),
section 2.4.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import unbroadcast
from zyg.cotangents.cotangent_items import scatter
from zyg.rules.reductions import inverse_or_zero
from zyg.rules.registry import adjoint, constant

constant(
    *(np.random.default_rng, np.random.seed, np.random.ranf, np.random.sample),
    *(np.random.Generator, np.random.RandomState, np.random.SeedSequence, np.random.PCG64),
)

# Draws without parameters, and draws of integers.
DISCRETE = (
    *("binomial", "bytes", "geometric", "get_state", "hypergeometric", "integers", "logseries"),
    *("multinomial", "multivariate_hypergeometric", "negative_binomial", "poisson", "rand"),
    *("randint", "randn", "random", "random_integers", "random_sample", "seed", "set_state"),
    *("spawn", "standard_cauchy", "standard_exponential", "standard_normal", "tomaxint", "zipf"),
)
for _source in (np.random.Generator, np.random.RandomState):
    constant(*[getattr(_source, name) for name in DISCRETE if hasattr(_source, name)])


def moved_bars(y_bar, y, loc, scale):
    """The cotangents of the location and the scale of a draw `y`."""
    noise = (y - loc) * inverse_or_zero(scale)
    return None, unbroadcast(y_bar, loc), unbroadcast(y_bar * noise, scale)


def scaled_bars(y_bar, y, scale):
    """The cotangent of the scale of a draw that has no location."""
    return None, unbroadcast(y_bar * y * inverse_or_zero(scale), scale)


@adjoint(np.random.Generator.normal, np.random.RandomState.normal)
def normal(self, loc=0.0, scale=1.0, size=None):
    y = self.normal(loc, scale, size)
    return y, lambda y_bar: moved_bars(y_bar, y, loc, scale)


@adjoint(np.random.Generator.laplace, np.random.RandomState.laplace)
def laplace(self, loc=0.0, scale=1.0, size=None):
    y = self.laplace(loc, scale, size)
    return y, lambda y_bar: moved_bars(y_bar, y, loc, scale)


@adjoint(np.random.Generator.logistic, np.random.RandomState.logistic)
def logistic(self, loc=0.0, scale=1.0, size=None):
    y = self.logistic(loc, scale, size)
    return y, lambda y_bar: moved_bars(y_bar, y, loc, scale)


@adjoint(np.random.Generator.gumbel, np.random.RandomState.gumbel)
def gumbel(self, loc=0.0, scale=1.0, size=None):
    y = self.gumbel(loc, scale, size)
    return y, lambda y_bar: moved_bars(y_bar, y, loc, scale)


@adjoint(np.random.Generator.exponential, np.random.RandomState.exponential)
def exponential(self, scale=1.0, size=None):
    y = self.exponential(scale, size)
    return y, lambda y_bar: scaled_bars(y_bar, y, scale)


@adjoint(np.random.Generator.rayleigh, np.random.RandomState.rayleigh)
def rayleigh(self, scale=1.0, size=None):
    y = self.rayleigh(scale, size)
    return y, lambda y_bar: scaled_bars(y_bar, y, scale)


@adjoint(np.random.Generator.uniform, np.random.RandomState.uniform)
def uniform(self, low=0.0, high=1.0, size=None):
    y = self.uniform(low, high, size)

    def back(y_bar):
        part = (y - low) * inverse_or_zero(np.subtract(high, low))
        return None, unbroadcast(y_bar * (1 - part), low), unbroadcast(y_bar * part, high)

    return y, back


@adjoint(np.random.Generator.lognormal, np.random.RandomState.lognormal)
def lognormal(self, mean=0.0, sigma=1.0, size=None):
    y = self.lognormal(mean, sigma, size)
    return y, lambda y_bar: moved_bars(y_bar * y, np.log(y), mean, sigma)


# Draws among given items: the same numbers are drawn for their positions.


@adjoint(np.random.Generator.permutation)
def permutation(self, x, axis=0):
    order = self.permutation(np.shape(x)[axis])
    return np.take(x, order, axis), lambda y_bar: (
        None,
        np.take(y_bar, np.argsort(order), axis),
    )


@adjoint(np.random.RandomState.permutation)
def legacy_permutation(self, x):
    order = self.permutation(np.shape(x)[0])
    return np.take(x, order, 0), lambda y_bar: (None, np.take(y_bar, np.argsort(order), 0))


@adjoint(np.random.Generator.choice, np.random.RandomState.choice)
def choice(self, a, size=None, replace=True, p=None):
    # Which items are drawn, with whatever probabilities, doesn't change with a small step.
    is_number = np.ndim(a) == 0
    chosen = self.choice(a if is_number else len(a), size, replace, p)

    def back(y_bar):
        return None, None if is_number else scatter(y_bar, np.shape(a), chosen)

    return chosen if is_number else np.take(a, chosen, 0), back
