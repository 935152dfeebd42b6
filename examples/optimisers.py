"""Derivatives for `scipy.optimize`: `minimize`, `least_squares` and `root`, on three real problems.

    minimize        logistic regression: did O-rings of the space shuttle fail in the cold?
                    Newton's method by conjugate gradients, with `jac` and `hessp`
    least_squares   Misra's measurements of dental materials, a reference data set of NIST;
                    `jac` is a Jacobian
    root            the five points where a spacecraft rests between earth and moon; the equations
                    are a gradient, and their `jac` is a Hessian

Each function is written for its value alone. Run it with `python -m examples.optimisers`.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

import zyg

# 23 flights before Challenger: temperature at the start in degrees Fahrenheit, and whether an
# O-ring was damaged. Dalal, Fowlkes and Hoadley, Journal of the American Statistical Association 84
# (1989); their estimates of the intercept and the slope.
TEMPERATURE = np.array([
    66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58,
]) * 1.0  # fmt: skip
DAMAGED = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]) * 1.0
PUBLISHED_RISK = (15.043, -0.2322)

# Misra1a of NIST's Statistical Reference Datasets, and its certified parameters.
PRESSURE = np.array([
    77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0,
])  # fmt: skip
VOLUME = np.array([
    10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47,
    81.78,
])  # fmt: skip
CERTIFIED = (2.3894212918e2, 5.5015643181e-4)

# The moon's part of the mass of both.
MOON = 0.0121505856


def damage_risk(parameters):
    """The negative log-likelihood of the flights, for odds that depend on the temperature."""
    intercept, slope = parameters
    log_odds = intercept + slope * TEMPERATURE
    return np.sum(np.logaddexp(0.0, log_odds) - DAMAGED * log_odds)


def fit_risk() -> optimize.OptimizeResult:
    return optimize.minimize(
        damage_risk,
        np.zeros(2),
        method="trust-ncg",
        jac=zyg.grad(damage_risk),
        hessp=lambda parameters, direction: zyg.hvp(damage_risk, parameters, direction),
        options={"gtol": 1e-8},
    )


def adsorption_residuals(parameters):
    """What the model misses of each measurement of a volume."""
    limit, rate = parameters
    return limit * (1.0 - np.exp(-rate * PRESSURE)) - VOLUME


def fit_adsorption() -> optimize.OptimizeResult:
    return optimize.least_squares(
        adsorption_residuals,
        (500.0, 1e-4),  # the start that NIST asks for
        jac=lambda parameters: zyg.jacobian(adsorption_residuals, parameters)[0],
        x_scale="jac",
        xtol=1e-12,
        gtol=1e-12,
    )


def potential(place):
    """Gravity of earth and moon, and the centrifugal force, in the frame that turns with them."""
    x, y = place
    to_earth = np.hypot(x + MOON, y)
    to_moon = np.hypot(x - 1.0 + MOON, y)
    return -(1.0 - MOON) / to_earth - MOON / to_moon - 0.5 * (x * x + y * y)


def point_of_rest(start) -> np.ndarray:
    """The Lagrange point near `start`."""
    found = optimize.root(
        zyg.grad(potential), np.array(start), jac=lambda place: zyg.hessian(potential, place)
    )
    assert found.success, found.message
    return found.x


def points_of_rest() -> list[np.ndarray]:
    starts = ((0.8, 0.0), (1.2, 0.0), (-1.0, 0.0), (0.5, 0.8), (0.5, -0.8))
    return list(map(point_of_rest, starts))


def main() -> None:
    risk = fit_risk()
    intercept, slope = risk.x
    at_launch = 1.0 / (1.0 + np.exp(-(intercept + slope * 31.0)))
    print(f"O-rings: intercept {intercept:.3f}, slope {slope:.4f}, after {risk.nit} steps")
    print(f"  the risk at the 31 degrees of Challenger's start: {100 * at_launch:.2f} %")
    adsorption = fit_adsorption()
    print("Misra1a: {:.7e}, {:.7e}, after {} evaluations".format(*adsorption.x, adsorption.nfev))
    print("Lagrange points of earth and moon:")
    for x, y in points_of_rest():
        print(f"  {x:9.6f} {y:9.6f}")


if __name__ == "__main__":
    main()
