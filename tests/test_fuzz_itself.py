"""The fuzzer without the compiler: its oracles agree, it holds each construct, it finds bugs."""

import signal
from collections import Counter
from contextlib import nullcontext

import pytest

from tests.fuzz import check as check_module
from tests.fuzz import oracles
from tests.fuzz.check import check, count_failures, outcome
from tests.fuzz.constructs import ALL, constructs
from tests.fuzz.field import P
from tests.fuzz.generate import generate
from tests.fuzz.oracles import Tape, by_duals, by_tape
from tests.fuzz.program import Program, flat, load, outputs, with_arrays
from tests.fuzz.reduction import reduced

pytestmark = pytest.mark.thorough

COUNT = 200


def outcome_of(program, inputs):
    with by_duals(program) as run:
        return outcome(run, inputs)


@pytest.fixture(scope="module")
def programs():
    return [generate(seed) for seed in range(COUNT)]


def test_same_seed_same_program(programs):
    assert generate(7) == programs[7]
    assert len({program.source for program in programs}) == COUNT


def test_each_construct_in_one_percent_of_programs():
    count = 1000
    seen = Counter(name for seed in range(count) for name in constructs(generate(seed).source))
    rare = {name: seen[name] for name in ALL if seen[name] < count / 100}
    assert not rare


def test_programs_end_with_values_that_depend_on_the_inputs(programs):
    outcomes = [outcome_of(p, inputs) for p in programs for inputs in p.inputs]
    values = [o for o in outcomes if isinstance(o, tuple)]
    assert {o for o in outcomes if not isinstance(o, tuple)} == {UnboundLocalError}
    assert len(values) >= 0.95 * len(outcomes)
    assert sum(any(derivatives) for _, derivatives in values) >= 0.95 * len(values)
    assert sum(all(derivatives) for _, derivatives in values) >= 0.4 * len(values)


def test_values_are_those_of_a_plain_run(programs):
    for program in programs:
        f = load(program.source)
        for inputs in program.inputs:
            found = outcome_of(program, inputs)
            if isinstance(found, tuple):
                arguments = with_arrays(inputs, flat(inputs), float)
                assert found[0] == tuple(outputs(f(*arguments), arguments))


def test_oracles_agree(programs):
    assert count_failures(programs, by_tape) == 0


def test_known_derivatives():
    source = "def program(a, b, c):\n    return mul(a, mul(a, b)) + sub(5, c) - neg(b)\n"
    value = 4 * 3 + (5 - 7) % P - (-3 % P)
    for oracle in (by_duals, by_tape):
        with oracle(Program(source, ())) as run:
            assert run((2, 3, 7)) == ((value,), (12, 5, P - 1))


class WrongProduct(Tape):
    """Forgets the derivative of a product by its second factor."""

    def mul(self, a, b):
        value = oracles._value(a) * oracles._value(b) % P
        return self.number(value, [(a, oracles._value(b))])


def by_wrong_tape(program):
    return by_tape(program, WrongProduct)


def test_wrong_derivatives_are_found_and_reduced(programs):
    assert count_failures(programs[:50], by_wrong_tape) > 25
    failed = filter(None, (check(p, by_wrong_tape) for p in programs[:50]))
    failure = min(failed, key=lambda failure: len(failure.program.source))
    small = reduced(failure, by_wrong_tape)
    assert check(small, by_wrong_tape) is not None
    assert len(small.source.splitlines()) <= 5
    assert small.source.count("mul") == 1


def test_other_failures_are_found():
    program = generate(3)
    inputs = program.inputs[0]
    value, derivatives = outcome_of(program, inputs)
    changes = [
        lambda inputs: ((value[0] + 1, *value[1:]), derivatives),
        lambda inputs: (value, derivatives[:2]),
        lambda inputs: (value, (float(2**60), *derivatives[1:])),
        lambda inputs: 1 // 0,
    ]
    assert all(check(program, lambda p, run=run: nullcontext(run)) is not None for run in changes)
    equal = value, tuple(float(d - P) if d else None for d in derivatives)
    assert check(Program(program.source, (inputs,)), lambda p: nullcontext(lambda i: equal)) is None


def test_what_does_not_end_is_stopped_also_where_the_alarm_is_swallowed(monkeypatch):
    monkeypatch.setattr(check_module, "SECONDS", 0.05)
    swallowed = []

    class Finalized:
        def __del__(self):
            while not swallowed:
                try:
                    while True:
                        pass
                except check_module.TookTooLong as error:
                    swallowed.append(error)

    def run(inputs):
        Finalized()
        while True:
            pass

    assert "TookTooLong" in outcome(run, (1,))
    assert len(swallowed) == 1
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_what_does_not_end_is_not_reduced(monkeypatch):
    monkeypatch.setattr(check_module, "SECONDS", 0.05)
    program, runs = generate(3), []

    def run(inputs):
        runs.append(inputs)
        while True:
            pass

    def differentiate(program):
        return nullcontext(run)

    failure = check(program, differentiate)
    assert failure.kind == check_module.TookTooLong.__name__
    small = reduced(failure, differentiate)
    assert small.source == program.source
    assert len(runs) == 1
