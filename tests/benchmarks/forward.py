"""Prints what `jvp` costs beside the tangent that one writes by hand.

    python -m tests.benchmarks.forward

Both give the value and the derivative along one direction of all arguments. Also `hvp` as a
multiple of `gradient`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.benchmarks.threads import use_one_thread

AIM = 1.15


Case = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]


def cases() -> dict[str, Case]:
    """Function, tangent by hand, arguments that are moved, and others."""
    import numpy as np

    from tests.benchmarks.programs import mlp, tangents

    random = np.random.default_rng(0)

    def noise(*shape: int) -> Any:
        return random.standard_normal(shape) / shape[-1] ** 0.5

    found: dict[str, Case] = {
        "chain of scalars": (tangents.chain, tangents.chain_by_hand, (0.7,), ()),
        "elementwise, 10^4": (
            tangents.arrays, tangents.arrays_by_hand, (np.linspace(0.5, 2.0, 10_000),), ()
        ),
        "rk4, 500 steps": (
            tangents.oscillator, tangents.oscillator_by_hand, (1.0, 0.0, 2.0, 0.1), ()
        ),
        "rnn, 50 steps": (
            tangents.rnn, tangents.rnn_by_hand, (noise(32, 32), noise(32, 16), noise(32)),
            (noise(50, 16), noise(32)),
        ),
    }
    for program in mlp.PROGRAMS:
        data = program.data["inputs"], program.data["targets"]
        found[program.name] = mlp.mlp, tangents.mlp_by_hand, program.arguments, data
    return found


def second_order() -> dict[str, tuple[Callable[..., Any], Any]]:
    """Functions of one argument, and these: all weights of a network as a tuple."""
    import numpy as np

    from tests.benchmarks.programs import mlp, rnn
    from tests.benchmarks.programs.tangents import rosenbrock

    found: dict[str, tuple[Callable[..., Any], Any]] = {
        "Rosenbrock, n = 100": (rosenbrock, np.linspace(-1.0, 1.3, 100))
    }
    for program in (*mlp.PROGRAMS, *rnn.PROGRAMS):
        found[program.name] = of_weights(program.primal, **program.data), program.arguments
    return found


def of_weights(function: Callable[..., Any], inputs: Any, targets: Any) -> Callable[..., Any]:
    return lambda weights: function(*weights, inputs, targets)


def main() -> None:
    use_one_thread()
    import numpy as np

    import zyg
    from tests.benchmarks.timing import best_seconds

    random = np.random.default_rng(1)
    print(f"milliseconds; the aim is {AIM} of the tangent by hand")
    for name, (function, by_hand, moved, fixed) in cases().items():
        dots = tuple(
            random.standard_normal(x.shape) if isinstance(x, np.ndarray) else 1.0 for x in moved
        )
        primals, tangents = (*moved, *fixed), (*dots, *(None for _ in fixed))
        np.testing.assert_allclose(
            zyg.jvp(function, primals, tangents), by_hand(*primals, *dots), rtol=1e-9
        )
        seconds = best_seconds({
            "primal": partial(function, *primals),
            "by hand": partial(by_hand, *primals, *dots),
            "jvp": partial(zyg.jvp, function, primals, tangents),
        }, rounds=60)
        ratio = seconds["jvp"] / seconds["by hand"]
        times = "  ".join(f"{key} {1e3 * value:8.4f}" for key, value in seconds.items())
        print(f"{name:20} {times}  jvp/by hand {ratio:.2f}")
    for name, (function, x) in second_order().items():
        vector, unflatten = zyg.flatten(x)
        v = unflatten(np.cos(np.arange(vector.size)))
        seconds = best_seconds({
            "gradient": partial(zyg.gradient, function, x),
            "hvp": partial(zyg.hvp, function, x, v),
        }, rounds=60)
        print(f"hvp of {name}: {seconds['hvp'] / seconds['gradient']:.2f} gradients")


if __name__ == "__main__":
    main()
