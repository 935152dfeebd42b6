"""Loops over checkpoints: what they give, keep and run again."""

import itertools
import linecache
import pickle
import re
import tracemalloc
from functools import lru_cache

import numpy as np
import pytest

import zyg
from tests.checkpoint_programs import PROGRAMS, Program, made
from tests.random_stores import SIZE, random_function
from zyg.binomial import fewest_steps, next_kept
from zyg.checkpointing import Checkpoints

BY_NAME = {program.name: program for program in PROGRAMS}
SLOTS = (1, 2, 3, 8, 100)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_value_side_effects_and_gradients_are_those_of_the_plain_loop(program):
    plain = program.plain()
    left = program.fresh_args()
    value = plain(*left)
    gradients = zyg.gradient(plain, *program.fresh_args())
    zyg.check_grads(lambda first, *rest: plain(first * 1.0, *rest), *program.args, order=1)
    for slots in SLOTS:
        marked = program.marked(slots)
        args = program.fresh_args()
        assert np.array_equal(marked(*args), value)
        assert same(args, left)
        args = program.fresh_args()
        found, ours = zyg.withgradient(marked, *args)
        assert np.array_equal(found, value)
        assert same(args, left)
        assert same(ours, gradients)
        found, back = zyg.pullback(marked, *program.fresh_args())
        assert np.array_equal(found, value)
        for _ in range(3):  # the second time, no state is left but the first
            assert same(back(1.0), gradients)


@pytest.mark.parametrize("name", ["scalar", "new arrays", "in place", "nested", "break"])
def test_derivatives_of_the_second_order_and_along_tangents(name):
    program = BY_NAME[name]
    plain, marked = program.plain(), program.marked(3)
    first, rest = program.args[0], program.args[1:]
    first_dot = np.ones_like(first) if np.ndim(first) else 1.0
    dots = [first_dot, *[None] * len(rest)]
    along, expected = (zyg.jvp(f, program.fresh_args(), dots) for f in (marked, plain))
    assert same(along, expected)
    second = [
        zyg.hessian(lambda x, f=f: f(x * 1.0, *rest), first) for f in (plain, marked)
    ]
    assert np.allclose(*second, rtol=1e-12, atol=1e-12)


def best(steps, slots):
    """The fewest runs of a step, by all ways there are: to the next kept state, and on from it."""

    @lru_cache(None)
    def of(length, room):
        if length <= 1:
            return 0
        if room == 1:
            return length * (length - 1) // 2
        return min(m + of(length - m, room - 1) + of(m, room) for m in range(1, length))

    return of(steps, slots)


def test_the_schedule_is_optimal():
    for steps, slots in itertools.product(range(1, 41), range(1, 8)):
        assert fewest_steps(steps, slots) == best(steps, slots)
        if slots > 1 and steps > 1:
            m = next_kept(steps, slots)
            rest = best(steps - m, slots - 1) + best(m, slots)
            assert m + rest == best(steps, slots)


def counting(**names):
    """The scalar program, which counts the runs of its body."""
    runs = [0]

    @zyg.nograd
    def tick():
        runs[0] += 1

    return made("""
def f(x, n, k):
    y = x
    for t in zyg.checkpoints(range(n), slots=k):
        tick()
        y = y + 0.1 * math.sin(y) * x
    return y
""", tick=tick), runs


@pytest.mark.parametrize(
    ("n", "k"),
    [(1, 1), (2, 1), (10, 1), (10, 3), (100, 5), (1000, 10), (300, 2), (57, 57), (57, 80)],
)
def test_runs_of_the_body_are_as_many_as_griewank_and_walther_tell(n, k):
    f, runs = counting()
    f(1.1, n, k)
    assert runs == [n]
    runs[0] = 0
    zyg.gradient(f, 1.1, n, k)
    # Beside the runs that lead to each iteration: one for the value of the last, and one for the
    # adjoint of each.
    assert runs == [fewest_steps(n, k) + 1 + n]
    runs[0] = 0
    _, back = zyg.pullback(f, 1.1, n, k)
    assert runs == [n]
    back(1.0)
    assert runs == [fewest_steps(n, k) + 1 + n]
    runs[0] = 0
    back(1.0)  # from the first state on
    assert runs == [fewest_steps(n, k) + n]


def peak_of(f, *args):
    tracemalloc.start()
    try:
        zyg.gradient(f, *args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["new arrays", "in place"])
def test_memory_is_that_of_the_states_that_are_kept(name):
    text = BY_NAME[name].text.replace("range(20)", "range(150)")
    slots = 6
    marked = made(text.replace("MARK", "zyg.checkpoints").replace("SLOTS", str(slots)))
    plain = made(text.replace("MARK(", "(").replace(", slots=SLOTS", ""))
    u = np.linspace(0.0, 1.0, 20_000)
    for f in (marked, plain):
        zyg.gradient(f, u.copy(), 0.2)
    few, all_ = peak_of(marked, u.copy(), 0.2), peak_of(plain, u.copy(), 0.2)
    # One more before the last iteration, and what an iteration, its adjoint and its caller use.
    assert few < (slots + 1 + 14) * u.nbytes
    assert all_ > 140 * u.nbytes


def test_a_pullback_with_checkpoints_can_be_pickled():
    for name in ("scalar", "in place", "nested"):
        program = BY_NAME[name]
        _, back = zyg.pullback(program.marked(3), *program.fresh_args())
        again = pickle.loads(pickle.dumps(back))
        assert same(again(1.0), back(1.0))


def test_what_a_pullback_keeps_is_its_own():
    f = BY_NAME["new arrays"].marked(3)
    u = np.linspace(0.0, 1.0, 7)
    expected = zyg.gradient(f, u.copy(), 0.2)
    _, back = zyg.pullback(f, u, 0.2)
    u[:] = 7.0
    assert same(back(1.0), expected)


def test_where_nothing_is_differentiated_checkpoints_are_the_items():
    assert list(zyg.checkpoints(range(3), 2)) == [0, 1, 2]
    assert len(zyg.checkpoints([1, 2], slots=9)) == 2
    assert repr(zyg.checkpoints(range(3), slots=2)) == "checkpoints(range(0, 3), slots=2)"
    assert isinstance(zyg.checkpoints((), 1), Checkpoints)
    f = made("""
def f(x, n):
    total = 0
    for t in zyg.checkpoints(range(n), slots=2):
        total = total + t
    return x * total
""")
    assert zyg.gradient(f, 2.0, 5) == (10.0, 0)


def test_objects_may_be_read():
    class Model:
        def __init__(self, w):
            self.w = w

    program = Program("objects", """
def f(model, x):
    for t in MARK(range(7), slots=SLOTS):
        x = math.tanh(x * model.w) + 0.1 * model.w
    return x
""", ())
    ours, theirs = (
        zyg.gradient(f, Model(0.7), 0.3) for f in (program.marked(2), program.plain())
    )
    assert ours[1] == pytest.approx(theirs[1], rel=1e-14)
    assert ours[0]["w"] == pytest.approx(theirs[0]["w"], rel=1e-14)


@pytest.mark.parametrize("name", ["factor", "table"])
def test_what_is_read_elsewhere_and_changed_in_between_is_noticed(name):
    names = {"factor": 0.7, "table": np.ones(2)}
    f = made("""
def f(x, n):
    for t in zyg.checkpoints(range(n), slots=2):
        x = math.sin(x * factor) * table[t % 2]
    return x
""", **names)
    _, back = zyg.pullback(f, 1.0, 5)
    before = back(1.0)
    if name == "factor":
        f.__globals__["factor"] = 0.5
    else:
        f.__globals__["table"][:] = 2.0
    with pytest.raises(zyg.NotDifferentiable, match="something else"):
        back(1.0)
    f.__globals__["factor"] = 0.7
    f.__globals__["table"][:] = 1.0
    assert back(1.0) == before


REFUSED = {
    "elsewhere than in a `for`": "for i, t in enumerate(zyg.checkpoints(range(n), 3)): x *= t",
    "elsewhere than in a `for` ": """
    c = zyg.checkpoints(range(n), slots=3)
    for t in c: x = x * t
    for t in c: x = x * t""",
    "a comprehension": "x = sum([x * t for t in zyg.checkpoints(range(n), slots=3)])",
    "changes `log` in place": """
    log = []
    for t in zyg.checkpoints(range(n), slots=3):
        x = x * t
        log.append(x)
    x = sum(log)""",
    "changes it under another name": """
    u = np.ones((n, 2))
    for row in zyg.checkpoints(u, slots=3):
        x = x * row[0]
        u[-1] = x""",
    "works on objects": """
    o = Holder()
    o.y = x
    for t in zyg.checkpoints(range(n), slots=3):
        o.y = o.y * x
    x = o.y""",
    "take a range, a list or an array": """
    for a, b in zyg.checkpoints(zip([n], [n]), slots=3):
        x = x * a + b""",
    "can't be gone over again": "for a in zyg.checkpoints(iter(range(n)), slots=3): x = x * a",
    "at least has to be kept": "for a in zyg.checkpoints(range(n), slots=0): x = x * a",
    "number of states, not": "for a in zyg.checkpoints(range(n), slots=2.5): x = x * a",
    "something else when it was run again":
        "for a in zyg.checkpoints(range(n), slots=2): x = x + 0.1 * np.random.normal()",
    "it takes an iterable and `slots`": "for a in zyg.checkpoints(range(n)): x = x * a",
    "share memory": """
    u = np.ones(9) * x
    v = u.reshape(3, 3)
    for t in zyg.checkpoints(range(n), slots=3):
        u = u * x
        w = np.zeros(2)
        s[0] = s[0] * x
        v = v * s[0]
    x = np.sum(u) + np.sum(v)""",
}


class Holder:
    pass


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_run_again_is_refused(reason):
    body = REFUSED[reason]
    body = body if body.startswith("\n") else f"\n    {body}"
    f = made(f"def f(x, n, s):{body}\n    return x\n", Holder=Holder)
    with pytest.raises((zyg.ZygError, TypeError, ValueError), match=reason.strip()):
        zyg.gradient(f, 1.1, 6, np.ones(2))


def random_stores(seed):
    """A random function with stores into arrays and their views, plain and with marked loops."""
    plain = random_function(seed)
    source = "".join(linecache.cache[plain.__code__.co_filename][2])
    marked = re.sub(
        r"for (\w+) in (range\(.*\)):",
        rf"for \1 in zyg.checkpoints(\2, slots={1 + seed % 3}):", source,
    )
    return plain, marked if marked != source else None


@pytest.mark.parametrize(
    "first", [0, 130, pytest.param(1000, marks=pytest.mark.thorough)]
)
def test_random_programs_with_stores(first):
    same_ones = refused = 0
    for seed in range(first, first + (100 if first == 1000 else 10)):
        plain, marked = random_stores(seed)
        if marked is None:
            continue

        def args(seed=seed):
            random = np.random.default_rng(seed)
            return random.uniform(-1, 1, SIZE), random.uniform(-1, 1, (SIZE, SIZE)), 0.4

        try:
            expected = zyg.gradient(plain, *args())
            left = args()
            plain(*left)
            ours = args()
            found = zyg.gradient(made(marked), *ours)
        except zyg.ZygError:
            refused += 1
            continue
        assert same(found, expected), f"seed {seed}:\n{marked}"
        assert same(ours, left)
        same_ones += 1
    assert same_ones > 3 * refused
