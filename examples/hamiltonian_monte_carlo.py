"""Hamiltonian Monte Carlo: samples of a posterior, from the log-density and its gradient.

Hubble's measurements of 24 nebulae (Proceedings of the National Academy of Sciences 15, 1929):
velocity against distance. With noise of a known size and a normal prior the posterior of intercept
and slope is normal, and its mean and covariance are known: the samples are compared with them.

The sampler is that of R. Neal, MCMC using Hamiltonian dynamics (2011), with leapfrog steps. Run it
with `python -m examples.hamiltonian_monte_carlo`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import zyg

# In megaparsecs, and kilometres per second.
DISTANCE = np.array([
    0.032, 0.034, 0.214, 0.263, 0.275, 0.275, 0.45, 0.5, 0.5, 0.63, 0.8, 0.9,
    0.9, 0.9, 0.9, 1.0, 1.1, 1.1, 1.4, 1.7, 2.0, 2.0, 2.0, 2.0,
])  # fmt: skip
VELOCITY = np.array([
    170.0, 290.0, -130.0, -70.0, -185.0, -220.0, 200.0, 290.0, 270.0, 200.0, 300.0, -30.0,
    650.0, 150.0, 500.0, 920.0, 450.0, 500.0, 500.0, 960.0, 500.0, 850.0, 800.0, 1090.0,
])  # fmt: skip
NOISE = 230.0
PRIOR = 1000.0


def log_density(parameters):
    """The logarithm of the posterior of (intercept, slope), but for a constant."""
    intercept, slope = parameters
    surprise = (VELOCITY - intercept - slope * DISTANCE) / NOISE
    return -0.5 * np.sum(surprise**2) - 0.5 * np.sum((parameters / PRIOR) ** 2)


def exact_posterior() -> tuple[np.ndarray, np.ndarray]:
    """Its mean and covariance, by linear algebra."""
    design = np.stack([np.ones_like(DISTANCE), DISTANCE], axis=1)
    precision = design.T @ design / NOISE**2 + np.eye(2) / PRIOR**2
    covariance = np.linalg.inv(precision)
    return covariance @ design.T @ VELOCITY / NOISE**2, covariance


def leapfrog(gradient: Callable, place, momentum, mass, step: float, count: int):
    """Moves a particle in the potential `-log_density`, whose gradient is `-gradient`."""
    momentum = momentum + 0.5 * step * gradient(place)
    for _ in range(count - 1):
        place = place + step * momentum / mass
        momentum = momentum + step * gradient(place)
    place = place + step * momentum / mass
    return place, momentum + 0.5 * step * gradient(place)


def sample(
    density: Callable, start, count: int, mass, step: float, steps: int, seed: int
) -> tuple[np.ndarray, float]:
    """Samples of a density, and the part of the proposals that were accepted."""
    random = np.random.default_rng(seed)
    gradient = zyg.grad(density)
    place, level = np.array(start), density(np.array(start))
    samples, accepted = np.empty((count, len(place))), 0
    for i in range(count):
        momentum = random.normal(size=len(place)) * np.sqrt(mass)
        # A length that varies: a fixed one may be a period of the motion.
        length = int(random.integers(1, 2 * steps))
        proposal, end = leapfrog(gradient, place, momentum, mass, step, length)
        proposed = density(proposal)
        change = proposed - level - 0.5 * np.sum((end**2 - momentum**2) / mass)
        if np.log(random.uniform()) < change:
            place, level = proposal, proposed
            accepted += 1
        samples[i] = place
    return samples, accepted / count


def main() -> tuple[np.ndarray, float]:
    mean, covariance = exact_posterior()
    samples, accepted = sample(
        log_density, start=(0.0, 0.0), count=4000, mass=np.array([1e-4, 1e-4]), step=0.4, steps=10,
        seed=1929,
    )  # fmt: skip
    samples = samples[200:]
    print(f"{100 * accepted:.0f} % of the proposals accepted")
    print("           sampled            exact")
    for name, found, expected in (
        ("intercept", samples[:, 0].mean(), mean[0]),
        ("slope", samples[:, 1].mean(), mean[1]),
        ("deviation", samples[:, 0].std(), np.sqrt(covariance[0, 0])),
        ("deviation", samples[:, 1].std(), np.sqrt(covariance[1, 1])),
        ("correlation", np.corrcoef(samples.T)[0, 1],
         covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])),
    ):  # fmt: skip
        print(f"{name:11} {found:9.2f} {expected:16.2f}")
    return samples, accepted


if __name__ == "__main__":
    main()
