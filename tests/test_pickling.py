"""A pickled pullback gives the same in a process that knows nothing but the user's modules."""

import inspect
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zyg

MODEL = '''
import math

import numpy as np

import zyg

RATE = 2.0


def helper(x):
    return math.sin(x) * x * RATE


def powers(x, n):
    y = 1.0
    for _ in range(n):
        y = y * helper(x)
    return y


def fib(n, x):
    return x if n < 2 else fib(n - 1, x) * fib(n - 2, x)


def network(params, x):
    for w, b in params:
        x = np.tanh(w @ x + b)
    return x, {"norm": np.sum(x**2)}


def total(x):
    return np.sum(x) * 2.0


def applied(functions, x):
    return functions["f"](x)


def cube(x):
    return x**3


@zyg.adjoint(cube)
def cube_rule(x):
    return x**3, lambda y_bar: y_bar * 3 * x**2
'''

RESTORE = """
import pickle, sys
sys.path[:0] = {path!r}
with open({file!r}, "rb") as file:
    pickled = file.read()
with open({file!r}, "wb") as file:
    back = pickle.loads(pickled)
    pickle.dump((back({seed!r}), repr(back), pickle.dumps(back)), file)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pickling")
    (folder / "pickled_model.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    import pickled_model

    yield pickled_model
    sys.path.remove(str(folder))
    del sys.modules["pickled_model"]


def elsewhere(pickled, seed, folder, tmp_path):
    """What a fresh process makes of a pickled pullback: gradients, its text, its pickle."""
    file = tmp_path / "back.pickle"
    file.write_bytes(pickled)
    path = [str(folder), str(Path(zyg.__file__).parents[1])]
    program = RESTORE.format(path=path, file=str(file), seed=seed)
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ})
    return pickle.loads(file.read_bytes())


PARAMS = [(np.ones((2, 2)) / 3, np.array([0.1, 0.2])), (np.eye(2), np.zeros(2))]
# A dict with a key that is no string is unknown to the compiler, so what it holds is, too.
CASES = {
    "helper in a loop": (lambda model: (model.powers, 2.0, 3), 1.0),
    "recursion": (lambda model: (model.fib, 5, 1.5), 1.0),
    "structures": (lambda model: (model.network, PARAMS, np.ones(2)), ([1.0, 2.0], {"norm": 3.0})),
    "shape only": (lambda model: (model.total, np.ones(3)), 1.0),
    "run-time dispatch": (lambda model: (model.applied, {"f": model.helper, 3: 1}, 2.0), 1.0),
    "rule at run time": (lambda model: (model.applied, {"f": model.cube, 3: 1}, 2.0), 1.0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fresh_process_gives_the_same(model, name, tmp_path):
    call, seed = CASES[name]
    _, back = zyg.pullback(*call(model))
    folder = Path(model.__file__).parent
    found, text, again = elsewhere(pickle.dumps(back), seed, folder, tmp_path)
    np.testing.assert_equal(found, back(seed))
    assert text == repr(back)
    np.testing.assert_equal(pickle.loads(again)(seed), back(seed))


def test_structural_gradients_survive(model):
    _, back = zyg._pullback(model.powers, 2.0, 3)
    assert pickle.loads(pickle.dumps(back))(1.0) == back(1.0)


def test_a_shape_weighs_nothing(model):
    _, back = zyg.pullback(model.total, np.ones(100_000))
    pickled = pickle.dumps(back)
    assert len(pickled) < 10_000
    np.testing.assert_equal(pickle.loads(pickled)(1.0), back(1.0))


def test_a_repeated_value_keeps_its_value():
    _, back = zyg.pullback(lambda x, y: np.sum(x * y), np.broadcast_to(3.0, 4), np.ones(4))
    restored = pickle.loads(pickle.dumps(back))
    np.testing.assert_equal(restored(1.0), (np.ones(4), np.full(4, 3.0)))


def test_source_of_the_restored_adjoint(model):
    _, back = zyg.pullback(model.powers, 2.0, 3)
    restored = pickle.loads(pickle.dumps(back))
    assert inspect.getsource(restored._adjoint.run).startswith("def powers_back(")
    assert inspect.getsource(back._adjoint.run).startswith("def powers_back(")


def test_an_error_in_a_restored_adjoint_shows_the_users_line(model):
    _, back = zyg.pullback(lambda x: np.dot(x, 2.0), np.ones(2))
    restored = pickle.loads(pickle.dumps(back))
    with pytest.raises(ValueError, match="shape"):
        restored(np.ones(3))


def test_pullbacks_say_what_they_hold(model):
    _, back = zyg.pullback(lambda x: np.sin(x), np.ones(100))
    assert "float64[" in repr(back) and "1 value, 800 bytes" in repr(back)
    _, back = zyg.pullback(model.total, np.ones(100))
    assert ", 8 bytes" in repr(back)


def test_later_changes_of_arguments_do_not_matter(model):
    def dispatched(functions, x):
        return functions["f"](x)

    for function in (np.sin, lambda x: x * x):
        x = np.array([1.0, 2.0])
        _, back = zyg.pullback(dispatched, {"f": function, 3: 1}, x)
        before = back(np.ones(2))[1]
        x[:] = 7.0
        np.testing.assert_equal(back(np.ones(2))[1], before)


class Log:
    def __init__(self):
        self.items = []


class Point:
    def __init__(self, x):
        self.x = x

    def move(self, step):
        self.x = self.x + step * self.x


def logged(x):
    log = Log()
    for _ in range(3):
        log.items.append(x * x)
    return sum(log.items)


def moved(x):
    point = Point(x)
    point.move(x)
    return point.x


def test_pullback_of_memory_that_objects_hold_is_refused():
    """It goes by the identity of the memory, which another process doesn't know."""
    _, back = zyg.pullback(logged, 2.0)
    with pytest.raises(TypeError, match="memory that objects hold"):
        pickle.dumps(back)
    assert back(1.0) == (12.0,)
    _, back = zyg.pullback(moved, 2.0)
    assert pickle.loads(pickle.dumps(back))(1.0) == back(1.0) == (5.0,)
