"""Parameters of an ordinary differential equation: hares and lynxes around Hudson Bay.

The Lotka-Volterra equations for prey and predator,

    d hare / dt = (alpha - beta * lynx) * hare
    d lynx / dt = (delta * hare - gamma) * lynx

are solved by a plain loop of Runge-Kutta steps in floats. The numbers of pelts are lognormal
around the solution. Model, priors and the figures to compare with are those of B. Carpenter
(2018), Predator-Prey Population Dynamics: the Lotka-Volterra model in Stan,
https://mc-stan.org/users/documentation/case-studies/lotka-volterra-predator-prey.html. Stan
samples the posterior and reports its mean; here `scipy.optimize` climbs to its mode, led by
`zyg.value_and_grad`. Run it with `python -m examples.lotka_volterra`.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import optimize

import zyg

DATA = Path(__file__).parent / "data" / "lynx_hare.csv"
OUTPUT = Path(__file__).parent / "output"

NAMES = ("alpha", "beta", "gamma", "delta", "hare", "lynx", "sigma_hare", "sigma_lynx")

# Posterior means that the case study states; it gives none for the initial populations.
PUBLISHED = {
    "alpha": 0.55,
    "beta": 0.028,
    "gamma": 0.80,
    "delta": 0.024,
    "sigma_hare": 0.25,
    "sigma_lynx": 0.25,
}

STEPS_PER_YEAR = 10

# From one peak of the hares to the next (1903 and 1913), in years.
CYCLE = 10.0


def growth(hare, lynx, alpha, beta, gamma, delta):
    """The right-hand side of the equations, in thousands of animals a year."""
    return (alpha - beta * lynx) * hare, (delta * hare - gamma) * lynx


def runge_kutta_step(hare, lynx, alpha, beta, gamma, delta):
    """Both populations a step of time later, by the classical method of order four."""
    h = 1.0 / STEPS_PER_YEAR
    u1, v1 = growth(hare, lynx, alpha, beta, gamma, delta)
    u2, v2 = growth(hare + h / 2 * u1, lynx + h / 2 * v1, alpha, beta, gamma, delta)
    u3, v3 = growth(hare + h / 2 * u2, lynx + h / 2 * v2, alpha, beta, gamma, delta)
    u4, v4 = growth(hare + h * u3, lynx + h * v3, alpha, beta, gamma, delta)
    return (
        hare + h / 6 * (u1 + 2 * u2 + 2 * u3 + u4),
        lynx + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4),
    )


def normal(x, mean, deviation):
    """The log-density of a normal distribution."""
    return -0.5 * ((x - mean) / deviation) ** 2 - math.log(deviation * math.sqrt(2 * math.pi))


def lognormal(x, log_median, deviation):
    """The log-density of a lognormal distribution."""
    return normal(math.log(x), log_median, deviation) - math.log(x)


def negative_log_posterior(log_parameters, pelts):
    """What the optimiser makes small; logarithms keep all eight parameters positive."""
    alpha, beta, gamma, delta, hare, lynx, sigma_hare, sigma_lynx = [
        math.exp(parameter) for parameter in log_parameters
    ]
    total = normal(alpha, 1.0, 0.5) + normal(gamma, 1.0, 0.5)
    total += normal(beta, 0.05, 0.05) + normal(delta, 0.05, 0.05)
    total += lognormal(sigma_hare, -1.0, 1.0) + lognormal(sigma_lynx, -1.0, 1.0)
    total += lognormal(hare, math.log(10.0), 1.0) + lognormal(lynx, math.log(10.0), 1.0)
    for year, (hare_pelts, lynx_pelts) in enumerate(pelts):
        if year > 0:
            for _ in range(STEPS_PER_YEAR):
                hare, lynx = runge_kutta_step(hare, lynx, alpha, beta, gamma, delta)
        total += lognormal(hare_pelts, math.log(hare), sigma_hare)
        total += lognormal(lynx_pelts, math.log(lynx), sigma_lynx)
    return -total


def read_pelts(path: Path = DATA) -> tuple[list[int], list[tuple[float, float]]]:
    """The years, and the pelts of hares and lynxes taken in each, in thousands."""
    with path.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    pelts = [(float(row["hare"]), float(row["lynx"])) for row in rows]
    return [int(row["year"]) for row in rows], pelts


def fit(pelts: list[tuple[float, float]]) -> dict[str, float]:
    """The mode of the posterior density, parameters by name.

    The start comes from two facts about the equations: small cycles have the angular frequency
    `sqrt(alpha * gamma)`, and the populations average `gamma / delta` and `alpha / beta`.
    """
    objective = zyg.value_and_grad(negative_log_posterior)

    def progress(intermediate_result: optimize.OptimizeResult) -> None:
        print(f"  log posterior density {-intermediate_result.fun:10.4f}")

    frequency = 2 * math.pi / CYCLE
    mean_hare, mean_lynx = np.mean(pelts, axis=0)
    rates = [frequency, frequency / mean_lynx, frequency, frequency / mean_hare]
    start = np.log([*rates, *pelts[0], 0.5, 0.5])
    result = optimize.minimize(
        objective, start, args=(pelts,), jac=True, method="BFGS", callback=progress
    )
    return dict(zip(NAMES, np.exp(result.x).tolist(), strict=True))


def populations(parameters: dict[str, float], steps: int) -> np.ndarray:
    """The solution of the equations from the first year on: a row for each step of time."""
    rates = [parameters[name] for name in NAMES[:4]]
    states = [(parameters["hare"], parameters["lynx"])]
    for _ in range(steps):
        states.append(runge_kutta_step(*states[-1], *rates))
    return np.array(states)


def plot(
    years: list[int], pelts: list[tuple[float, float]], parameters: dict[str, float], path: Path
) -> None:
    steps = (len(years) - 1) * STEPS_PER_YEAR
    times, fitted = np.linspace(years[0], years[-1], steps + 1), populations(parameters, steps)
    measured = np.array(pelts)
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    panels = figure.subplots(2, sharex=True)
    for column, (axes, name) in enumerate(zip(panels, ("hare", "lynx"), strict=True)):
        axes.plot(times, fitted[:, column], label="fitted")
        axes.plot(years, measured[:, column], ".", color="black", label="pelts")
        axes.set_ylabel(f"{name}, thousands")
        axes.legend(loc="upper right")
    axes.set_xticks(years[::5])
    axes.set_xlabel("year")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main(output: Path = OUTPUT) -> dict[str, float]:
    years, pelts = read_pelts()
    print(f"Hares and lynxes, {years[0]} to {years[-1]}: maximum a posteriori")
    parameters = fit(pelts)

    print("\n                posterior mode   Carpenter's posterior mean")
    for name, value in parameters.items():
        published = f"{PUBLISHED[name]:.3f}" if name in PUBLISHED else "not stated"
        print(f"  {name:12s}{value:18.4f}   {published}")

    path = output / "lotka_volterra.png"
    plot(years, pelts, parameters, path)
    print(f"\nPlot written to {path}")
    return parameters


if __name__ == "__main__":
    main()
