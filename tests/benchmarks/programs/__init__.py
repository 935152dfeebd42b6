"""The programs that are timed, by name and in the order of the table."""

from tests.benchmarks.program import Program
from tests.benchmarks.programs import (
    fibonacci,
    held_state,
    in_place,
    indexing,
    kalman,
    mixture,
    mlp,
    power,
    rk4,
    rnn,
    rosenbrock,
    sequences,
    simulations,
)

PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        power.PROGRAM,
        rosenbrock.PROGRAM,
        rk4.PROGRAM,
        *mlp.PROGRAMS,
        *rnn.PROGRAMS,
        kalman.PROGRAM,
        mixture.PROGRAM,
        fibonacci.PROGRAM,
        *indexing.PROGRAMS,
        *in_place.PROGRAMS,
        *simulations.PROGRAMS,
        *sequences.PROGRAMS,
        *held_state.PROGRAMS,
    )
}
