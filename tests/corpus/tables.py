"""Tables of numbers, lists of lists, that dynamic programming fills place by place."""

import math

from tests.corpus.registry import program

XS = [0.3, 1.4, -0.7, 2.1]
YS = [0.9, -0.2, 1.7]
GRID = [[0.5, -1.2, 2.0], [0.3, 0.8, -0.6], [1.4, -0.9, 0.2]]
RAGGED = [[0.7], [1.1, -0.4], [0.2, 0.9, -1.3]]
CUBE = [[[0.5, -1.2], [2.0, 0.3]], [[0.8, -0.6], [1.4, -0.9]]]


@program((XS, YS))
def warped_distance(xs, ys):
    n, m = len(xs), len(ys)
    table = [[math.inf] * (m + 1) for _ in range(n + 1)]
    table[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (xs[i - 1] - ys[j - 1]) ** 2
            table[i][j] = cost + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[n][m]


@program((GRID, XS[:3]))
def log_partition(transitions, scores):
    count = len(scores)
    alpha = [[0.0] * count for _ in range(4)]
    for s in range(count):
        alpha[0][s] = scores[s]
    for t in range(1, 4):
        for s in range(count):
            total = 0.0
            for r in range(count):
                total += math.exp(alpha[t - 1][r] + transitions[r][s])
            alpha[t][s] = math.log(total) + scores[s] * t
    return sum([alpha[3][s] * (s + 1) for s in range(count)])


@program((GRID,))
def chart_of_spans(rules):
    n = 4
    chart = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        chart[i][i + 1] = rules[i % 3][0]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            k = i + width
            for j in range(i + 1, k):
                chart[i][k] += chart[i][j] * chart[j][k] * rules[width % 3][1]
    return chart[0][n]


@program((100.0, 1.35, 0.02))
def option_tree(spot, up, rate):
    n = 4
    values = [[0.0] * (k + 1) for k in range(n + 1)]
    for j in range(n + 1):
        values[n][j] = max(spot * up ** (2 * j - n) - 95.0, 0.0)
    for k in range(n - 1, -1, -1):
        for j in range(k + 1):
            held = 0.5 * (values[k + 1][j] + values[k + 1][j + 1]) / (1.0 + rate)
            values[k][j] = max(held, spot * up ** (2 * j - k) - 96.0)
    return values[0][0]


@program((CUBE, 1.3))
def three_levels(cube, x):
    table = [[[x * k for k in range(3)] for _ in range(3)] for _ in range(3)]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                table[i + 1][j][k] = table[i][j + 1][k] * cube[i][j][k] + x
                table[i][j][k + 1] += table[i + 1][j][k] * cube[j][k][i]
    return table[2][1][1] * table[0][1][2] + table[1][0][1]


@program((GRID, 1.3))
def every_kind_of_change(grid, x):
    for i in range(3):
        for j in range(3):
            grid[i][j] *= x
            grid[i][j] += grid[i - 1][j] * grid[i][j - 1]
            grid[i][-1] -= grid[-1][j]
            grid[j][i] /= 1.0 + grid[i][i] ** 2
    return grid[0][0] * grid[2][1] + grid[1][2]


@program((GRID, 1.3))
def row_by_another_name(grid, x):
    for i in range(3):
        row = grid[i]
        for j in range(3):
            row[j] = row[j] * x + row[j - 1]
            if j:
                row[j - 1] += grid[i][j] * x
            grid[i][j] *= row[0]
    return grid[0][1] * grid[1][2] + grid[2][0]


@program((XS, YS))
def two_rows_that_take_turns(xs, ys):
    before = [float(j) for j in range(len(ys) + 1)]
    now = [0.0] * (len(ys) + 1)
    for i in range(len(xs)):
        now[0] = i + 1.0
        for j in range(len(ys)):
            now[j + 1] = xs[i] * ys[j] + 0.5 * before[j + 1] * now[j] - 0.3 * before[j]
        before, now = now, before
    return before[-1] + now[1]


@program((XS, 1.3))
def rows_that_are_appended(xs, x):
    rows = [[x, x * x]]
    for value in xs:
        row = [value]
        for j in range(1, len(rows[-1]) + 1):
            row.append(row[j - 1] * x + rows[-1][j - 1])
        rows.append(row)
        rows[-2][0] *= value
    return rows[-1][-1] * rows[2][0] + rows[1][1]


@program((GRID, 1.3))
def rows_that_are_replaced(grid, x):
    for i in range(3):
        fresh = [x * grid[i - 1][j] + grid[i][0] for j in range(3)]
        grid[i] = fresh
        for j in range(3):
            grid[i][j] += grid[i - 1][-1] * grid[i][j - 1]
    return grid[0][1] * grid[1][2] + grid[2][0]


@program((RAGGED, 1.3))
def rows_of_other_lengths(rows, x):
    total = 0.0
    for i in range(3):
        total += rows[i][-1] * x
        rows[i] = [x * rows[i][0], total, rows[i - 1][-1]]
        rows[i][-1] *= rows[i][1]
        total += rows[i][-1] + rows[2][-1]
    return total * rows[0][1]


@program((RAGGED, 1.3))
def rows_that_grow(rows, x):
    for i in range(3):
        for j in range(2):
            rows[i].append(rows[i][-1] * x + rows[i - 1][j - 1])
            rows[i][-2] *= x
        rows[0][0] += rows[i][j]
    return rows[0][-1] * rows[1][-2] + rows[2][1]


@program((GRID, 1.3))
def rows_that_change_places(grid, x):
    for i in range(2):
        grid[i][i + 1] += x * grid[i + 1][i]
        grid[i], grid[i + 1] = grid[i + 1], grid[i]
        grid[i][0] *= grid[i + 1][1]
    return grid[0][0] * grid[1][1] + grid[2][2] * grid[2][0]


@program((GRID, 1.3))
def rows_that_come_and_go(grid, x):
    grid.append([x * value for value in grid[0]])
    grid[3][0] += grid[1][0]
    last = grid.pop()
    last[1] *= x
    grid.insert(1, last)
    grid[1][2] = grid[0][0] * x
    del grid[0]
    grid[1][1] += grid[0][1]
    return grid[0][0] + grid[0][1] * grid[0][2] + grid[1][1] ** 2


@program((GRID, 1.3))
def rows_in_a_loop(grid, x):
    for row in grid:
        for j in range(len(row)):
            row[j] = row[j] * x + row[0]
    total = 0.0
    for row, other in zip(grid, grid[1:]):
        for a, b in zip(row, other):
            total += a * b
    return total + grid[1][1]


def swept(grid, x):
    for i in range(1, len(grid)):
        for j in range(len(grid)):
            grid[i][j] += x * grid[i - 1][j]
    return grid[-1][0]


def filled(xs, ys):
    table = [[0.0] * len(ys) for _ in xs]
    for i in range(len(xs)):
        for j in range(len(ys)):
            table[i][j] = xs[i] * ys[j] + 0.5 * table[i - 1][j - 1]
    return table


@program((GRID, 1.3))
def table_that_a_function_changes(grid, x):
    first = swept(grid, x)
    grid[0][0] *= first
    second = swept(grid, x * x)
    return first * second + grid[1][0]


@program((XS, YS))
def table_that_a_function_returns(xs, ys):
    table = filled(xs, ys)
    table[0][0] *= table[1][1]
    other = filled(ys, xs)
    total = 0.0
    for i in range(len(xs)):
        for j in range(len(ys)):
            total += table[i][j] * other[j][i] * (i - j)
    return total


@program((XS, YS))
def table_as_the_result(xs, ys):
    table = filled(xs, ys)
    table[1][2] += table[2][1]
    return table


@program((XS,))
def whole_numbers_at_first(xs):
    table = [[0] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(i):
            table[i][j] = table[i - 1][j] + xs[i] * xs[j]
    return table[3][0] * table[3][2] + table[2][1]


@program((GRID, 1.3))
def dicts_in_a_list(grid, x):
    states = [{"low": x, "high": 2.0} for _ in range(4)]
    for i in range(1, 4):
        for key in ("low", "high"):
            states[i][key] = states[i - 1]["low"] * grid[i - 1][0] + states[i - 1][key] ** 2
        states[i]["high"] += states[i]["low"]
    return states[3]["low"] * states[3]["high"] + states[1]["high"]


@program((XS, 1.3))
def lists_in_a_dict(xs, x):
    table = {"in": [0.0] * 4, "out": [x] * 4}
    for i in range(1, 4):
        table["in"][i] = table["out"][i - 1] * xs[i] + table["in"][i - 1]
        table["out"][i] += math.sin(table["in"][i]) * table["out"][i - 1]
    return table["in"][3] * table["out"][3] + table["out"][1]


@program((XS, 1.3))
def tables_in_a_dict(xs, x):
    charts = {}
    for name in ("open", "closed"):
        charts[name] = [[x] * 3 for _ in range(3)]
    for i in range(1, 3):
        for j in range(1, 3):
            charts["open"][i][j] = charts["closed"][i - 1][j - 1] * xs[j] + x
            charts["closed"][i][j] += charts["open"][i][j - 1] * charts["open"][i][j]
    return charts["open"][2][2] * charts["closed"][2][1] + charts["closed"][2][2]


@program((GRID, 1.3))
def copies_of_rows(grid, x):
    table = [list(row) for row in grid]
    other = [row[:] for row in table]
    for i in range(1, 3):
        for j in range(1, 3):
            table[i][j] += other[i - 1][j] * table[i][j - 1]
            other[i][j] = table[i][j] * grid[j][i] * x
        table[i - 1] = other[i][:]
        other[i] = list(table[i])
        table[i][0] *= other[i][2]
    return table[2][2] * other[1][1] + table[0][1] * other[2][0]


@program((GRID, 1.3), (GRID, -0.4))
def branches_that_change_rows(grid, x):
    for i in range(3):
        for j in range(3):
            if (i + j) % 2:
                grid[i][j] = grid[j][i] * x
            elif x > 0:
                grid[j][i] += grid[i][j] ** 2
            else:
                grid[i] = [value * x for value in grid[j]]
            grid[i][j] -= x
    return grid[0][1] + grid[1][1] * grid[2][0]
