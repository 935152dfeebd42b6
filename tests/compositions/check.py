"""The derivatives of a composition along a direction, each found in several ways."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import zyg
from tests.compositions.writer import written

STEPS = (1e-4, 3e-5, 1e-5)
LARGEST = 1e4
Function = Callable[..., Any]
Point = np.ndarray


def loaded(seed: int) -> Function:
    file, text = f"<composition {seed}>", written(seed)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def apart(point: Point) -> tuple[float, Point, Point]:
    return float(point[0]), point[1:4].copy(), point[4:].reshape(3, 3).copy()


def together(parts: Any) -> Point:
    return np.concatenate([np.ravel(part) for part in parts])


def slopes(function: Callable[[Point], float], point: Point, direction: Point) -> list[float]:
    return [
        (function(point + step * direction) - function(point - step * direction)) / (2 * step)
        for step in STEPS
    ]


def is_smooth(found: list[float]) -> bool:
    scale = 1.0 + max(map(abs, found))
    return bool(np.isfinite(found).all()) and max(found) - min(found) < 1e-4 * scale


class Composition:
    """A program, a point and a direction."""

    def __init__(self, seed: int) -> None:
        self.f = loaded(seed)
        draws = np.random.default_rng(seed)
        self.point = draws.normal(size=13) * 0.6 + 0.1
        self.along, self.again = draws.normal(size=(2, 13))

    def value(self, point: Point) -> float:
        return float(self.f(*apart(point)))

    def slope(self, point: Point) -> float:
        """The derivative along the direction, in reverse mode."""
        return float(together(zyg.gradient(self.f, *apart(point))) @ self.along)

    def first(self) -> dict[str, Callable[[], float]]:
        at, along = apart(self.point), apart(self.along)
        return {
            "gradient": lambda: self.slope(self.point),
            "jvp": lambda: zyg.jvp(self.f, at, along)[1],
        }

    def second(self) -> dict[str, Callable[[], float]]:
        f, along, again = self.f, apart(self.along), apart(self.again)
        at = apart(self.point)

        def reverse(n: float, v: Point, m: Point) -> Any:
            n_bar, v_bar, m_bar = zyg.gradient(f, n, v, m)
            return n_bar * along[0] + np.sum(v_bar * along[1]) + np.sum(m_bar * along[2])

        def forward(n: float, v: Point, m: Point) -> Any:
            return zyg.jvp(f, (n, v, m), along)[1]

        return {
            "reverse over reverse": lambda: together(zyg.gradient(reverse, *at)) @ self.again,
            "forward over reverse": lambda: zyg.jvp(reverse, at, again)[1],
            "reverse over forward": lambda: together(zyg.gradient(forward, *at)) @ self.again,
            "forward over forward": lambda: zyg.jvp(forward, at, again)[1],
        }


def check(seed: int) -> list[str] | None:
    """What is wrong with a composition, or refused; None if it has no derivative there."""
    composition = Composition(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = composition.value(composition.point)
        except (np.linalg.LinAlgError, ValueError):
            return None
        if not np.isfinite(value) or abs(value) > LARGEST:
            return None
        expected = slopes(composition.value, composition.point, composition.along)
        if not is_smooth(expected):
            return None
        faults = _faults(composition.first(), expected, 1e-5)
        if faults:
            return faults
        expected = slopes(composition.slope, composition.point, composition.again)
        return _faults(composition.second(), expected, 3e-5) if is_smooth(expected) else []


def _faults(
    ways: dict[str, Callable[[], float]], expected: list[float], tolerance: float
) -> list[str]:
    found = []
    scale = 1.0 + max(map(abs, expected))
    for name, way in ways.items():
        try:
            value = way()
        except zyg.ZygError as error:
            found.append(f"refused {name}: {str(error).splitlines()[0]}")
        except Exception as error:
            found.append(f"{name}: {error!r}")
        else:
            if not min(abs(value - one) for one in expected) <= tolerance * scale:
                found.append(f"{name}: {value}, by differences {expected}")
    return found
