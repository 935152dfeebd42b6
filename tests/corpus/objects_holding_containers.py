"""Objects that hold containers in containers, changed in place: grids, dicts of lists."""

import copy
from collections import deque

import numpy as np

from tests.corpus.registry import program


class Grid:
    def __init__(self, rows):
        self.rows = rows

    def put(self, i, j, value):
        self.rows[i][j] = value

    def get(self, i, j):
        return self.rows[i][j]

    def add(self, row):
        self.rows.append(row)

    def first_after(self, row, value):
        fill(row, value)
        return self.rows[0][0]


class Trainer:
    def __init__(self, weights, rate):
        self.params = {"w": weights, "b": np.zeros(1)}
        self.layers = [{"w": weights * 0.5, "g": weights * weights}]
        self.history = {"loss": [], "norms": []}
        self.rate = rate

    def step(self, x):
        error = np.sum(self.params["w"] * x) + self.params["b"][0] - 1.0
        for layer in self.layers:
            layer["w"] -= self.rate * error * layer["g"]
        self.params["w"][0] += self.rate * error
        self.params["b"] -= self.rate * error
        self.history["loss"].append(error * error)
        self.history["norms"].append(np.sum(self.layers[0]["w"] ** 2))


class Body:
    def __init__(self, position, velocity):
        self.state = {"position": position, "velocity": [velocity]}


class Flat:
    """Views of one vector of parameters."""

    def __init__(self, theta):
        self.weights = theta[:2]
        self.bias = theta[2:]
        self.log = []


def fill(row, value):
    row[0] = value * value


def fill_first(rows, value):
    rows[0][0] = value * value


def take_last(rows, value):
    row = rows.pop()
    row[0] = value * value
    return row[1]


def pair(value):
    return [value, value * value]


@program((2.0,))
def filled_by_nested_loops(x):
    grid = Grid([[0.0] * 3 for _ in range(2)])
    for i in range(2):
        for j in range(3):
            grid.rows[i][j] = x * i + j * x * x
    return grid.rows[1][2] * grid.rows[0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 3.0))
def changed_in_the_argument(grid, x):
    grid.rows[0][1] = x * grid.rows[1][0]
    grid.rows[1][0] *= grid.rows[0][1]
    return grid.rows[0][1] * grid.rows[0][0] + grid.rows[1][0]


@program((np.array([0.3, 0.2]), 0.1))
def trained_in_place(weights, rate):
    trainer = Trainer(weights * 1.0, rate)
    for k in range(3):
        trainer.step(np.array([1.0, 0.5 * k]))
    loss = trainer.history["loss"]
    return loss[-1] + loss[0] * trainer.history["norms"][2] + trainer.params["b"][0]


@program((1.5,))
def objects_in_lists_in_objects(x):
    grid = Grid([Body([x, 1.0], x * x), Body([1.0, x], 0.5)])
    for _ in range(2):
        for body in grid.rows:
            body.state["velocity"][0] -= 0.1 * body.state["position"][0]
            body.state["position"][0] += 0.1 * body.state["velocity"][0]
    return grid.rows[0].state["position"][0] * grid.rows[1].state["velocity"][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def one_row_in_two_containers(grid, x):
    row = grid.rows[0]
    grid.other = [row, row]
    grid.other[1][0] = x * row[1]
    row[1] = grid.rows[0][0] * x
    return grid.other[0][0] * grid.other[0][1] * grid.rows[0][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), Grid([[0.5, 1.5]]), 2.0))
def one_row_in_two_objects(first, second, x):
    second.rows[0] = first.rows[1]
    second.rows[0][1] = x * first.rows[1][0]
    first.rows[1][0] *= second.rows[0][1]
    return first.rows[1][0] * second.rows[0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def rows_swapped(grid, x):
    for _ in range(3):
        grid.rows[0], grid.rows[1] = grid.rows[1], grid.rows[0]
        grid.rows[0][0] += x * grid.rows[1][1]
    return grid.rows[0][0] * grid.rows[1][0]


@program((0.9,))
def appended_while_earlier_rows_are_read(x):
    grid = Grid([[x]])
    for k in range(4):
        grid.rows.append([grid.rows[k][0] * x, grid.rows[-1][0]])
        grid.rows[k][0] += grid.rows[k + 1][1]
    return grid.rows[4][0] * grid.rows[2][1] + grid.rows[1][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def row_that_has_left(grid, x):
    row = grid.rows[0]
    grid.rows[1][0] = row[1] * x
    del grid.rows[0]
    grid.rows[0][1] = row[0] * grid.rows[0][0]
    row[0] = grid.rows[0][1]
    return row[0] * grid.rows[0][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def rebound_in_the_middle(grid, x):
    old = grid.rows
    grid.rows = [[x, x], [1.0, x]]
    old[0][0] = grid.rows[0][0] * x
    grid.rows[0][1] = old[0][0]
    grid.rows = old
    grid.rows[1] = [old[0][0] * x, 2.0]
    return grid.rows[0][0] * grid.rows[1][0] * grid.rows[0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 1.5))
def methods_that_change_rows(grid, x):
    grid.put(0, 0, grid.get(1, 1) * x)
    grid.add([grid.get(0, 0)])
    grid.put(2, 0, grid.get(2, 0) * x)
    grid.rows[1] = grid.rows[2]
    y = grid.first_after(grid.rows[0], x) * grid.first_after(grid.rows[1], x * x)
    fill_first(grid.rows, grid.get(2, 0) + x)
    grid.add([x, x * x])
    return y * grid.get(2, 0) * grid.get(0, 0) + take_last(grid.rows, x)


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def loops_over_rows(grid, x):
    for row in grid.rows:
        row[0] = x * row[1]
        for j in range(len(row)):
            row[j] *= grid.rows[0][0]
    for i, row in enumerate(grid.rows):
        row[1] += i * grid.rows[0][1]
    for first, last in zip(grid.rows, reversed(grid.rows), strict=True):
        first[0] += last[1]
    return sum([sum(row) for row in grid.rows]) + grid.rows[0][0] * grid.rows[1][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def shallow_copies(grid, x):
    rows = list(grid.rows)
    grid.rows[0][0] = x
    fill_first(rows, grid.rows[1][1])
    grid.rows[0] = [x, x]
    return sum([sum(row) for row in rows]) + rows[0][0] * grid.rows[0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def deep_copies(grid, x):
    grid.rows[0][0] = x * x
    other = copy.deepcopy(grid)
    other.rows[0][0] *= grid.rows[1][1]
    grid.rows[0][0] = x
    other.rows.append(grid.rows[0])
    other.rows[2][1] *= x
    return other.rows[0][0] * grid.rows[0][1] * grid.rows[0][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 1.5))
def moved_by_methods_of_lists(grid, x):
    grid.rows.insert(0, [x, x * x])
    grid.rows[0][0] *= 2.0
    grid.rows.reverse()
    grid.rows[2][1] += grid.rows[0][0]
    grid.rows[0:1] = [[x, 2.0], [x * x, 1.0]]
    grid.rows += [pair(x)]
    grid.rows[4][0] *= grid.rows[1][0]
    del grid.rows[0:2]
    grid.rows[0] += [x]
    grid.rows[0][2] *= x
    return grid.rows[2][0] * grid.rows[0][2] * grid.rows[1][1]


@program((Grid({"a": [1.0, 2.0], "b": {"c": [3.0]}}), 2.0))
def dicts_of_lists(grid, x):
    grid.rows["a"][0] *= x
    grid.rows["b"]["c"].append(grid.rows["a"][0] * x)
    grid.rows["b"]["d"] = grid.rows["b"]["c"]
    grid.rows["b"]["d"][0] += x
    del grid.rows["b"]["c"]
    grid.rows["e"] = [x]
    grid.rows.update(f=[x * x])
    grid.rows["f"][0] *= grid.rows["e"][0]
    for key in ("g", "h", "g"):
        grid.rows.setdefault(key, []).append(x * len(grid.rows))
    gone = grid.rows.pop("a")
    gone[1] *= grid.rows["g"][1]
    return grid.rows["b"]["d"][0] * grid.rows["b"]["d"][1] * grid.rows["f"][0] * gone[1]


@program((Grid([np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])]), 0.5))
def lists_of_arrays(grid, x):
    view = grid.rows[0][1:]
    grid.rows[0][1] = x
    view *= x
    grid.rows.append(view)
    grid.rows[2][0] += grid.rows[1][0]
    grid.rows[1][:] = grid.rows[0] * x
    grid.rows[0], grid.rows[1] = grid.rows[1], grid.rows[0]
    for k in range(2):
        grid.rows[k][1:-1] += x * grid.rows[1 - k][2:]
    return np.sum(grid.rows[0] * grid.rows[1]) + np.sum(grid.rows[2])


@program((np.array([1.0, 2.0, 3.0, 4.0]),))
def views_of_one_array(theta):
    flat = Flat(theta)
    flat.log.append(np.sum(flat.weights))
    flat.weights = flat.weights * 1.0
    flat.weights[0] *= flat.bias[1]
    return np.sum(flat.weights * flat.bias) * flat.log[0] * theta[3]


@program((np.array([1.0, 2.0, 3.0, 4.0]), 2.0))
def part_of_a_local_array(theta, x):
    whole = theta * x
    flat = Flat(whole)
    flat.weights[0] = 3.0 * x
    return whole[3] * flat.weights[1] * whole[0] + flat.bias[0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def tuples_of_rows(grid, x):
    grid.pair = (grid.rows[0], [x, x])
    grid.pair[0][0] = x * grid.pair[1][1]
    grid.pair[1][0] = grid.rows[0][0]
    first, second = grid.pair
    second[1] = first[0] * x
    grid.rows.append(second)
    return grid.rows[2][1] * grid.pair[1][0] + grid.rows[0][0]


@program((2.0,))
def under_a_local_name_before_and_behind(x):
    grid = Grid([])
    row = [x, x * x]
    y = row[0] * row[1]
    grid.rows.append(row)
    row[0] = x * 3
    z = row[0] * grid.rows[0][1]
    row.append(x)
    return y * z * grid.rows[-1][2]


@program((2.0,))
def exposed_again(x):
    grid, other = Grid([[1.0]]), Grid([])
    row = [x, 2.0]
    grid.rows[0] = row
    grid.rows[0][0] = 0.5 * x
    other.rows.append(row)
    return row[0] * other.rows[0][1] * x


@program((2.0,))
def nothing_is_read_behind(x):
    row = np.array([x, x * x])
    grid = Grid(None)

    def look(row):
        grid.first = row[0]
        return row[1]

    y = look(row)
    z = np.sum(row)
    grid.rows = [row]
    grid.rows[0][0] = 1.0
    return z * y


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def grown_before_an_error(grid, x):
    try:
        grid.rows[0][0] = x * grid.rows[1][0]
        grid.rows.append([x])
        grid.rows[5][0] = x
    except IndexError:
        grid.rows[2][0] *= grid.rows[0][0]
    return grid.rows[2][0] * grid.rows[0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 0.8))
def grown_and_taken_down(grid, x):
    k = 0
    while len(grid.rows) < 5:
        grid.rows.append([grid.rows[-1][0] * x, grid.rows[k][1]])
        k += 1
    while len(grid.rows) > 2:
        row = grid.rows.pop()
        grid.rows[0][0] += row[0] * row[1]
    return grid.rows[0][0] * grid.rows[1][1]


@program((1.5,))
def three_levels(x):
    grid = Grid([[[0.0] * 2 for _ in range(2)] for _ in range(2)])
    for i in range(2):
        for j in range(2):
            for k in range(2):
                grid.rows[i][j][k] = x * (i + 1) + j * k * x * x
    grid.rows[0][1] = grid.rows[1][0]
    grid.rows[0][1][0] *= grid.rows[1][1][1]
    return grid.rows[1][0][0] * grid.rows[0][0][1]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def deque_of_rows(grid, x):
    grid.queue = deque()
    grid.queue.append([x, 1.0])
    grid.queue.append(grid.rows[0])
    grid.queue[0][1] = x * grid.queue[1][0]
    grid.queue.appendleft([x])
    grid.queue[0][0] *= grid.queue[1][1]
    first, last = grid.queue.popleft(), grid.queue.pop()
    last[0] *= first[0]
    return grid.rows[0][0] * grid.queue[0][1]


@program(([[1.0, 2.0], [3.0, 4.0]], 2.0))
def shared_by_functions(given, x):
    rows = [[x, x], [1.0, x]]

    def put(i, value):
        rows[i][0] = value
        rows[-1][-1] += given[i][0]

    put(0, x * x)
    rows.append([x])
    put(1, rows[0][0] * x)
    return rows[1][0] * rows[0][1] * rows[2][0]


@program((Grid([[1.0, 2.0], [3.0, 4.0]]), 2.0))
def changed_by_a_generator(grid, x):
    def scaled():
        for row in grid.rows:
            row[0] *= x
            yield row

    y = 0.0
    for row in scaled():
        y += row[0] * row[1]
        row[1] += y
    return y * grid.rows[1][1]


@program((1.3,))
def list_that_grows_while_an_object_holds_a_row_of_it(x):
    rows = [np.array([x, 1.0]), np.array([2.0, x])]
    grid = Grid(rows[0])
    rows.append(grid.rows * 2)
    grid.rows += 1
    return sum([row.sum() for row in rows]) * grid.rows[0]


@program((1.3,))
def rows_held_in_turn_while_the_list_grows(x):
    rows = [[x, 1.0], [2.0, x]]
    grid = Grid(None)
    for k in range(2):
        grid.rows = rows[k]
        rows.append([x * k, grid.rows[0]])
    grid.rows[0] = 7.0 * x
    return sum([row[0] * row[1] for row in rows])


def made_elsewhere(x):
    return [[x, 1.0], [2.0, x]]


@program((1.3,))
def row_of_a_list_that_a_function_made(x):
    rows = made_elsewhere(x)
    grid = Grid(rows[0])
    rows[0][1] = x * x
    rows.append([x, grid.rows[1]])
    grid.rows[0] = 5 * x
    return sum([row[0] * row[1] for row in rows])


class Joint:
    def __init__(self, length, **options):
        self.length = length
        self.__dict__.update(options)

    def moved(self, angle):
        return self.length * self.rotation(angle)


@program((np.array([0.3, -0.5]), 1.2))
def list_that_begins_with_what_a_loop_goes_on_with(angles, length):
    joints = [Joint(length, rotation=np.sin), Joint(0.5 * length, rotation=np.cos)]
    end = np.zeros(2)
    points = [end]
    for joint, angle in zip(joints, angles):
        end = end + joint.moved(angle) * np.array([1.0, angle])
        points.append(end)
    return np.sum(points[-1] * points[1]) + points[-1][0]


class Smoothing:
    def __init__(self, weights):
        self.weights = weights
        self.running = {"mean": 0.0}

    def __call__(self, signal):
        windows = np.lib.stride_tricks.sliding_window_view(signal, len(self.weights))
        smooth = windows @ self.weights
        self.running["mean"] = 0.9 * self.running["mean"] + 0.1 * np.mean(smooth)
        return smooth - self.running["mean"]


@program((np.array([0.3, -0.5, 1.2, 0.4]), np.array([0.6, 0.5])))
def windows_beside_a_running_mean(signal, weights):
    smoothing = Smoothing(weights)
    return np.sum(smoothing(smoothing(signal) ** 2) ** 3) + smoothing.running["mean"]


def filled(items, n, y):
    if n == 0:
        return y
    items[n % 3] = items[n % 3] * 0.7 + y
    return filled(items, n - 1, y * 0.5 + items[0] * 0.3)


class Holder:
    def __init__(self, items):
        self.items = items


@program((1.3,))
def list_changed_by_a_recursion(x):
    holder = Holder([x, 0.5, x * 2.0])
    filled(holder.items, 2, holder.items[0])
    return holder.items[1] * holder.items[2]


@program((1.3,))
def array_changed_by_a_recursion(x):
    holder = Holder(np.array([x, 0.5, x * 2.0]))
    filled(holder.items, 3, holder.items[0])
    return holder.items[1] * holder.items[2]
