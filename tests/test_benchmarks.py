"""The benchmarks' hand-written adjoints are right: they are what zyg is measured against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.benchmarks import overhead, peers, table, timing
from tests.benchmarks.program import Program
from tests.benchmarks.programs import PROGRAMS

SMALL = [name for name in PROGRAMS if name not in ("indexing_10000", "indexing_100000")]


def directional_difference(program: Program, direction: tuple[Any, ...], step: float) -> float:
    """The derivative along a direction, to fourth order in the step."""

    def at(t: float) -> float:
        moved = [a + t * d for a, d in zip(program.arguments, direction, strict=True)]
        for i, a in enumerate(program.arguments):
            if isinstance(a, int):
                moved[i] = a
        return float(program.primal(*moved, **program.data))

    near = at(step) - at(-step)
    far = at(2.0 * step) - at(-2.0 * step)
    return (8.0 * near - far) / (12.0 * step)


def random_direction(program: Program, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    return tuple(
        0.0 if isinstance(a, int) else random.normal(size=np.shape(a))[()]
        for a in program.arguments
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SMALL)
def test_gradient_by_hand_agrees_with_differences(name: str, seed: int) -> None:
    program = PROGRAMS[name]
    gradient = program.gradient_by_hand(*program.arguments, **program.data)
    direction = random_direction(program, seed)
    exact = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
    scale = sum(float(np.sum(np.abs(g * d))) for g, d in zip(gradient, direction, strict=True))
    # The Lorenz system stretches a step until higher orders show, events change their order.
    step = 1e-6 if name in ("rk4", "leapfrog", "mean_stay") else 1e-4
    difference = directional_difference(program, direction, step)
    assert difference == pytest.approx(exact, rel=1e-6, abs=1e-6 * scale)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_by_hand_is_shaped_like_the_arguments(name: str) -> None:
    program = PROGRAMS[name]
    gradient = program.gradient_by_hand(*program.arguments, **program.data)
    assert [np.shape(g) for g in gradient] == [np.shape(a) for a in program.arguments]


@pytest.mark.parametrize("name", PROGRAMS)
def test_neither_primal_nor_adjoint_writes_to_its_inputs(name: str) -> None:
    program = PROGRAMS[name]
    inputs = [*program.arguments, *program.data.values()]
    before = [np.copy(value) for value in inputs]
    program.primal(*program.arguments, **program.data)
    program.gradient_by_hand(*program.arguments, **program.data)
    assert all(map(np.array_equal, inputs, before))


def test_ties_of_the_mixture_are_split() -> None:
    program = PROGRAMS["mixture"]
    logits, means, log_scales = program.arguments
    twins = np.array([0, 0, 1, 2, 3])
    gradient = program.gradient_by_hand(
        logits[twins], means[twins], log_scales[twins], **program.data
    )
    assert all(g[0] == pytest.approx(g[1], rel=1e-12) for g in gradient)


def test_the_filter_by_hand_raises_what_the_primal_raises() -> None:
    program = PROGRAMS["kalman"]
    for f in (program.primal, program.gradient_by_hand):
        with pytest.raises(OverflowError):
            f(1e4, 0.0, **program.data)


@pytest.mark.parametrize("system", peers.SYSTEMS)
@pytest.mark.parametrize("name", SMALL)
def test_gradient_of_each_system_equals_the_one_by_hand(name: str, system: str) -> None:
    if system != "zyg":
        pytest.importorskip(system)
    if system == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    try:
        call = peers.thunk(system, PROGRAMS[name])
    except peers.NotAvailable as reason:
        pytest.skip(str(reason))
    peers.check_gradient(PROGRAMS[name], call())


def test_check_gradient_fails_on_a_wrong_gradient() -> None:
    program = PROGRAMS["kalman"]
    noise_bar, drift_bar = program.gradient_by_hand(*program.arguments, **program.data)
    with pytest.raises(AssertionError):
        peers.check_gradient(program, (noise_bar, drift_bar * (1.0 + 1e-6)))
    with pytest.raises(AssertionError):
        peers.check_gradient(program, (noise_bar, np.array([drift_bar])))


@pytest.mark.parametrize("program", [overhead.three_arrays(), overhead.five_layers()])
def test_gradient_by_hand_of_the_overhead_programs(program: Program) -> None:
    leaves = overhead.flat(list(program.arguments))
    gradient = overhead.flat(program.gradient_by_hand(*program.arguments, **program.data))
    for leaf, leaf_bar in zip(leaves, gradient, strict=True):
        for index in np.ndindex(leaf.shape):
            kept = leaf[index]
            values = []
            for step in (1e-6, -1e-6):
                leaf[index] = kept + step
                values.append(program.primal(*program.arguments, **program.data))
            leaf[index] = kept
            difference = (values[0] - values[1]) / 2e-6
            assert leaf_bar[index] == pytest.approx(difference, rel=1e-5, abs=1e-5)


def test_generated_module_has_the_function_and_the_length() -> None:
    source = overhead.subject(5_000)
    assert 4_900 < source.count("\n") < 5_100
    names: dict[str, Any] = {}
    exec(compile(source, "subject.py", "exec"), names)
    random = np.random.default_rng(9)
    value = names["model"](random.normal(size=(4, 4)), random.normal(size=4), np.ones(4))
    assert math.isfinite(value)
    assert 20 <= overhead.FUNCTION_OF_TWENTY_LINES.strip().count("\n") + 1 <= 22


def test_best_seconds_orders_a_fast_and_a_slow_call() -> None:
    best = timing.best_seconds(
        {"fast": lambda: sum(range(100)), "slow": lambda: sum(range(10_000))}, rounds=3
    )
    assert 0.0 < best["fast"] < best["slow"]


def test_table_is_valid_markdown() -> None:
    row = table.Row("power", {"primal": 1e-3, "hand": 3e-3, "zyg": 3.3e-3}, {}, {})
    written = table.lines([table.HEADER, row.cells()], markdown=True)
    assert len({line.count("|") for line in written}) == 1
    assert "3 (3x)" in written[2] and "1.10x" in written[2]
