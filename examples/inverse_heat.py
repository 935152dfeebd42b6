"""An inverse heat problem: what a rod is made of, from thermometers on its surface.

A rod is heated in the middle and cools. How well each part of it conducts is unknown; every fifth
place has a thermometer, which is read every tenth of the time. The conductivity is found that
explains the readings best, smooth where they tell nothing: by L-BFGS, for which the gradient of the
whole simulation is wanted.

The simulation is the loop that one writes down for the heat equation, with the array of
temperatures changed in place. Its gradient needs the temperatures of each step, backwards.
`zyg.checkpoints` keeps a few of them, and computes the others again. Run it with
`python -m examples.inverse_heat`.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import numpy as np
from scipy import optimize

import zyg

PLACES = 51
STEPS = 2000
READINGS = 10
SPACING = 5  # of the thermometers
SLOTS = 20
TIME_STEP = 0.2  # in units in which the distance of two places is 1
SMOOTHNESS = 1e-7


def heated():
    """The temperatures at the beginning."""
    x = np.linspace(-1.0, 1.0, PLACES)
    return np.exp(-20.0 * x * x) + 0.5 * np.exp(-40.0 * (x + 0.7) ** 2)


def real_conductivity():
    """How well the rod conducts between two places: there is a piece of poor material in it."""
    x = np.linspace(-1.0, 1.0, PLACES - 1)
    return 1.0 - 0.6 * np.exp(-60.0 * (x - 0.3) ** 2) + 0.3 * x


def read(conductivity, u, steps, readings):
    """The temperatures at the thermometers, reading by reading."""
    found = np.zeros((readings, len(u[::SPACING])))
    for t in range(steps):
        flux = conductivity * (u[1:] - u[:-1])
        u[1:-1] += TIME_STEP * (flux[1:] - flux[:-1])
        if (t + 1) % (steps // readings) == 0:
            found[t * readings // steps] = u[::SPACING]
    return found


def misfit(log_conductivity, u, measured, slots):
    """How far a simulation is from the readings; the logarithm keeps the conductivity positive."""
    conductivity = np.exp(log_conductivity)
    u = u.copy()
    every = STEPS // len(measured)
    loss = SMOOTHNESS * np.sum(np.diff(log_conductivity) ** 2)
    step, spacing = TIME_STEP, SPACING
    for t in zyg.checkpoints(range(STEPS), slots=slots):
        flux = conductivity * (u[1:] - u[:-1])
        u[1:-1] += step * (flux[1:] - flux[:-1])
        if (t + 1) % every == 0:
            missed = u[::spacing] - measured[t // every]
            loss = loss + missed @ missed
    return loss


@dataclass(frozen=True)
class Found:
    """The conductivity, how far it is off at the worst place, and what was needed."""

    conductivity: np.ndarray
    error: float
    calls: int
    peak: int


def main() -> Found:
    u, real = heated(), real_conductivity()
    measured = read(real, u.copy(), STEPS, READINGS)
    start = np.zeros(PLACES - 1)
    value_and_gradient = zyg.value_and_grad(misfit)
    value_and_gradient(start, u, measured, SLOTS)
    tracemalloc.start()
    value_and_gradient(start, u, measured, SLOTS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    result = optimize.minimize(
        value_and_gradient, start, (u, measured, SLOTS), jac=True, method="L-BFGS-B",
        options={"maxiter": 40, "ftol": 1e-15, "gtol": 1e-9},
    )
    found = np.exp(result.x)
    error = np.max(np.abs(found / real - 1.0))
    print(f"{STEPS} steps of {PLACES} places, {SLOTS} of them kept: {peak / 1e3:.0f} kB")
    before = misfit(start, u, measured, SLOTS)
    print(f"misfit {before:.3g} -> {result.fun:.3g}, {result.nfev} calls")
    print("place   real  found")
    for i in range(0, PLACES - 1, 5):
        print(f"{i:5}  {real[i]:5.2f}  {found[i]:5.2f}")
    return Found(found, error, result.nfev, peak)


if __name__ == "__main__":
    main()
