"""Prints what `jvp` costs where a rule can't be looked into, and through differential equations.

    python -m tests.benchmarks.tangents_found

For a matrix of n rows and columns, in plain primals: by the pullback of the back function, and one
number of the result after the other, as it is for small results. Then the states of an oscillator
at 50 times, along three parameters: by the equation of the sensitivities, and by a gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.benchmarks.threads import use_one_thread

SIZES = 20, 60


def functions() -> dict[str, Callable[[Any], Any]]:
    import numpy as np

    return {
        "np.array([a, 2 * a])": lambda a: np.array([a, 2 * a]),
        "einsum('ij,jk', a, a)": lambda a: np.einsum("ij,jk", a, a),
        "cumprod(a)": np.cumprod,
        "std(a, axis=1)": lambda a: np.std(a, axis=1),
        "norm(a, axis=1)": lambda a: np.linalg.norm(a, axis=1),
        "pinv(a)": np.linalg.pinv,
        "qr(a)[1]": lambda a: np.linalg.qr(a)[1],
        "svd(a)[1]": lambda a: np.linalg.svd(a)[1],
    }


def states(stiffness: Any, friction: Any, speed: Any) -> Any:
    import numpy as np
    from scipy.integrate import odeint

    def slope(y: Any, t: Any) -> Any:
        return np.array([y[1], -stiffness * y[0] - friction * y[1]])

    return odeint(slope, [1.0, speed], np.linspace(0.0, 5.0, 50))


def main() -> None:
    use_one_thread()
    import numpy as np

    import zyg
    from tests.benchmarks.timing import best_seconds
    from zyg.compiler.forward_mode import tangent_transposed

    random = np.random.default_rng(1)
    for n in SIZES:
        a, a_dot = random.standard_normal((2, n, n))
        for name, f in functions().items():
            plain = best_seconds({"primal": partial(f, a)}, rounds=30)["primal"]
            found = {}
            for way, few in ("at once", tangent_transposed.FEW), ("one by one", 10**9):
                tangent_transposed.FEW, usual = few, tangent_transposed.FEW
                run = partial(zyg.jvp, lambda a, f=f: f(a), (a,), (a_dot,))
                found[way] = best_seconds({way: run}, rounds=3)[way] / plain
                tangent_transposed.FEW = usual
            ratios = "  ".join(f"{way} {ratio:9.1f}" for way, ratio in found.items())
            print(f"n = {n:3}  {name:24} primal {1e3 * plain:8.4f} ms  {ratios}")
    given = 2.0, 0.1, 0.3
    seconds = best_seconds({
        "primal": partial(states, *given),
        "jvp": partial(zyg.jvp, states, given, (1.0, 0.5, 0.2)),
        "jacobian": partial(zyg.jacobian, states, *given),
        "gradient": partial(zyg.gradient, lambda *p: np.sum(states(*p) ** 2), *given),
    }, rounds=3)
    print("  ".join(f"{key} {value / seconds['primal']:.0f}" for key, value in seconds.items()))


if __name__ == "__main__":
    main()
