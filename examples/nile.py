"""Maximum likelihood for a Kalman filter: the level of the Nile, 1871 to 1970.

The local-level model of J. Durbin and S. J. Koopman, Time Series Analysis by State Space Methods
(2nd edition 2012, chapter 2): each year's flow is a level plus noise, and the level drifts.

    flow[t]      = level[t] + Normal(0, noise)
    level[t + 1] = level[t] + Normal(0, drift)

The filter below is the loop that a statistician would write, one year after the other, in plain
floats. `zyg.value_and_grad` turns its likelihood into the function that `scipy.optimize.minimize`
wants with `jac=True`. Run it with `python -m examples.nile`.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import optimize

import zyg

DATA = Path(__file__).parent / "data" / "nile.csv"
OUTPUT = Path(__file__).parent / "output"

# Durbin and Koopman (2012), chapter 2: the variances that maximise the likelihood.
PUBLISHED_NOISE = 15099.0
PUBLISHED_DRIFT = 1469.1

# Half of the width of a central 90 % interval of the normal distribution, in deviations.
NINETY_PERCENT = 1.6449


def filter_step(flow, level, variance, noise, drift):
    """One year of the Kalman filter: the prediction for next year, and how likely this one was."""
    surprise = flow - level
    spread = variance + noise
    gain = variance / spread
    log_density = -0.5 * (math.log(2.0 * math.pi * spread) + surprise**2 / spread)
    return level + gain * surprise, gain * noise + drift, log_density


def negative_log_likelihood(log_variances, flows):
    """What the optimiser makes small; logarithms keep both variances positive.

    Nothing is known of the level before 1871, so the first flow is its estimate and the
    likelihood counts from the second year on (the book's diffuse initialisation).
    """
    noise = math.exp(log_variances[0])
    drift = math.exp(log_variances[1])
    level = flows[0]
    variance = noise + drift
    total = 0.0
    for flow in flows[1:]:
        level, variance, log_density = filter_step(flow, level, variance, noise, drift)
        total += log_density
    return -total


@dataclass(frozen=True)
class Estimate:
    """The fitted variances, in (10^8 cubic metres)^2, and the log-likelihood they reach."""

    noise: float
    drift: float
    log_likelihood: float


def read_flows(path: Path = DATA) -> tuple[list[int], list[float]]:
    """The years and the annual flows, in 10^8 cubic metres."""
    with path.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [int(row["year"]) for row in rows], [float(row["volume"]) for row in rows]


def fit(flows: list[float]) -> Estimate:
    """Maximises the likelihood from a start that splits the sample variance in two halves."""
    objective = zyg.value_and_grad(negative_log_likelihood)

    def progress(intermediate_result: optimize.OptimizeResult) -> None:
        noise, drift = np.exp(intermediate_result.x)
        print(
            f"  log-likelihood {-intermediate_result.fun:10.4f}"
            f"   noise {noise:8.1f}   drift {drift:8.1f}"
        )

    start = np.log([np.var(flows) / 2, np.var(flows) / 2])
    result = optimize.minimize(
        objective, start, args=(flows,), jac=True, method="BFGS", callback=progress
    )
    noise, drift = np.exp(result.x)
    return Estimate(float(noise), float(drift), -float(result.fun))


def filtered_levels(flows: list[float], noise: float, drift: float) -> tuple[list, list]:
    """The level of each year as known at its end, and the standard deviation of that."""
    level, variance = flows[0], noise + drift
    levels, deviations = [level], [math.sqrt(noise)]
    for flow in flows[1:]:
        level, variance, _ = filter_step(flow, level, variance, noise, drift)
        levels.append(level)
        deviations.append(math.sqrt(variance - drift))
    return levels, deviations


def plot(years: list[int], flows: list[float], estimate: Estimate, path: Path) -> None:
    levels, deviations = map(np.array, filtered_levels(flows, estimate.noise, estimate.drift))
    margin = NINETY_PERCENT * deviations
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(years, levels - margin, levels + margin, alpha=0.25, label="90 % band")
    axes.plot(years, levels, label="filtered level")
    axes.plot(years, flows, ".", color="black", label="annual flow")
    axes.set(title="The Nile at Aswan", xlabel="year", ylabel="flow in $10^8$ m³")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main(output: Path = OUTPUT) -> Estimate:
    years, flows = read_flows()
    print(f"Local-level model of the Nile, {years[0]} to {years[-1]}: maximum likelihood")
    estimate = fit(flows)

    print("\n                     estimate   Durbin and Koopman")
    print(f"  noise variance    {estimate.noise:9.1f}   {PUBLISHED_NOISE:9.1f}")
    print(f"  drift variance    {estimate.drift:9.1f}   {PUBLISHED_DRIFT:9.1f}")

    path = output / "nile.png"
    plot(years, flows, estimate, path)
    print(f"\nPlot written to {path}")

    print("\nWhat zyg wrote for one step of the filter:\n")
    arguments = flows[1], flows[0], estimate.noise + estimate.drift, estimate.noise, estimate.drift
    print(zyg.code_adjoint(filter_step, *arguments))
    return estimate


if __name__ == "__main__":
    main()
