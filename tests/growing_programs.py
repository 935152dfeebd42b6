"""Programs on containers whose time grows in proportion to how many numbers they get."""

from __future__ import annotations

import functools
import heapq
import itertools
from collections import defaultdict, deque


def running_mean(values):
    total = 0.0
    for x in values:
        total = total * 0.5 + x
        yield total


def over_a_generator(values):
    return sum(y * y for y in running_mean(values))


class Account:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, x):
        self.items.append(x)
        self.total += x * x


def into_an_object(values):
    account = Account()
    for x in values:
        account.add(x)
    return account.total + sum(account.items)


def neighbours(values):
    total = 0.0
    for a, b in itertools.pairwise(values):
        total += (b - a) ** 2 * a
    return total


def pairs_and_products(values):
    few = values[:: len(values) // 10]
    total = sum(a * b for a, b in itertools.combinations(few, 2))
    return total + sum(a * b for a, b in itertools.product(values, (1.0, 2.0)))


def of_two_lengths(values):
    return sum(a * b for a, b in itertools.zip_longest(values, values[3:], fillvalue=0.5))


def by_a_memo(values):
    found = {0: values[0]}
    for i in range(1, len(values)):
        found[i] = found[i - 1] * 0.9 + found[i // 2] * values[i]
    return found[len(values) - 1]


def solved(x, i, found):
    if i in found:
        return found[i]
    if i < 2:
        return x
    found[i] = solved(x, i // 2, found) * 0.5 + solved(x, i - i // 2, found) * x
    return found[i]


def by_a_recursive_memo(values):
    found = {}
    return sum([solved(values[0], i, found) for i in range(len(values))])


def summed_from(values, i):
    if i + 4 > len(values):
        return 0.0
    return values[i] * values[i - 1] + 0.5 * summed_from(values, i + 4)


def by_a_recursion_over_a_list(values):
    return summed_from(values, 0)


def of_two_neighbours(values, i):
    if i % 2 == 0:
        return values[i] * values[i - 1]
    return values[i] ** 2


def by_a_function_of_two_items(values):
    total = 0.0
    for i in range(len(values)):
        total = total * 0.5 + of_two_neighbours(values, i)
    return total


def by_a_memo_of_an_inner_function(values):
    first, found = values[0], {}

    def cost(i):
        if i in found:
            return found[i]
        if i < 2:
            return first
        found[i] = cost(i // 2) * 0.5 + cost(i - i // 2)
        return found[i]

    return sum([cost(i) for i in range(len(values))])


def aligned(values):
    first, second, found = values, values[:10], {}

    def computed(i, j):
        if i == 0 or j == 0:
            return 0.1 * (i + j)
        return min(cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1) * 0.9) + abs(
            first[i - 1] - second[j - 1]
        )

    def cost(i, j):
        if (i, j) not in found:
            found[i, j] = computed(i, j)
        return found[i, j]

    return sum([cost(i, 10) for i in range(len(first) + 1)])


def by_a_cached_function(values):
    @functools.cache
    def cost(i):
        if i < 2:
            return values[0]
        return cost(i // 2) * 0.5 + cost(i - i // 2) * 0.4 + values[i] * cost(i // 3)

    return sum([cost(i) for i in range(len(values))])


@functools.cache
def cost_of(i, x):
    return x if i < 2 else cost_of(i // 2, x) * 0.5 + cost_of(i - i // 2, x) * 0.4


def by_a_cached_function_of_a_number(values):
    cost_of.cache_clear()
    return sum([cost_of(i, values[0]) for i in range(len(values))])


def by_a_memo_that_is_asked(values):
    sums = {}
    for i, x in enumerate(values):
        sums[i % 60] = sums.get(i % 60, 0.0) + x * x
    return sum([sums.get(k, 0.0) ** 2 for k in range(70)])


def by_a_stack(values):
    waiting, total = [], 0.0
    for x in values:
        waiting.append(x * x)
        total += x
    while waiting:
        total += waiting.pop() * 2.0
    return total


def deleted_from_the_end(values):
    left, total = list(values), 0.0
    while len(left) > 1:
        total += left[-1] * left[-2]
        del left[-1]
    return total


def square(x):
    return x * x


def mapped(values):
    return sum(map(square, values)) + max(map(square, values))


def mapped_in_a_loop(values):
    total = 0.0
    for y in map(square, values):
        total = total * 0.5 + y
    return total


def by_a_queue(values):
    waiting, total = deque(), 0.0
    for x in values:
        waiting.append(x * x)
    while waiting:
        x = waiting.popleft()
        total += x * x
    return total


def breadth_first(values):
    """Distances in a binary tree."""
    waiting, found = deque([0]), {0: values[0]}
    while waiting:
        i = waiting.popleft()
        for j in (2 * i + 1, 2 * i + 2):
            if j < len(values):
                found[j] = found[i] + values[j] * values[j]
                waiting.append(j)
    return sum(found.values())


def table_of_rows(values):
    """A table of four columns, filled from what stands above and to the left."""
    rows = [[0.0] * 4 for _ in range(len(values) // 4)]
    rows[0][0] = values[0]
    for i in range(1, len(rows)):
        for j in range(1, 4):
            rows[i][j] = rows[i - 1][j - 1] * 0.5 + rows[i][j - 1] + values[4 * i + j]
    return rows[-1][-1]


def sums_by_key(values):
    sums = defaultdict(float)
    for i, x in enumerate(values):
        sums[i % 7] += x * x
    return sum(x * x for x in sums.values())


def lists_by_key(values):
    lists = defaultdict(list)
    for i, x in enumerate(values):
        lists[i % 7].append(x * x)
    return sum(sum(items) ** 2 for items in lists.values())


def pairs_by_key(values):
    """The edges of a graph, by where they begin."""
    edges = {}
    for i, x in enumerate(values):
        edges.setdefault(i // 3, []).append((i % 5, x * x))
    total = 0.0
    for start in edges:
        for end, weight in edges[start]:
            total += end * weight
    return total


def tables_by_key(values):
    tables = {k: [0.0] * 8 for k in range(len(values) // 8 + 1)}
    for i, x in enumerate(values):
        tables[i // 8][i % 8] += x * x
        tables[0][i % 7] += x
    return sum(x * x for table in tables.values() for x in table)


def by_a_heap(values):
    waiting, total = [], 0.0
    for x in values:
        heapq.heappush(waiting, x)
    while waiting:
        total = total * 0.9 + heapq.heappop(waiting)
    return total


def pairs_on_a_heap(values):
    """The shortest ways through a graph, by Dijkstra."""
    queue, found, done = [(0.0, 0)], {0: 0.0}, set()
    while queue:
        distance, i = heapq.heappop(queue)
        if i in done:
            continue
        done.add(i)
        for j in ((i + 1) % len(values), (3 * i + 1) % len(values)):
            through = distance + values[j]
            if j not in found or through < found[j]:
                found[j] = through
                heapq.heappush(queue, (through, j))
    return sum(found.values())


def relax(distances, i, j, weight):
    if distances[i] + weight < distances[j]:
        distances[j] = distances[i] + weight
        return True
    return False


def relaxed_by_a_function(values):
    """Shortest ways again, by a function that changes the list that it is given."""
    distances = [float("inf")] * len(values)
    distances[0] = 0.0
    for i in range(len(values)):
        for step in (1, 2, 3):
            if i + step < len(values):
                relax(distances, i, i + step, values[i] * step)
    return distances[-1]


def linked(values):
    """Nodes that each know the next one."""
    head = {"value": 0.0, "next": None}
    node = head
    for x in values:
        node["next"] = {"value": x * x, "next": None}
        node = node["next"]
    total, node = 0.0, head
    while node is not None:
        total += node["value"]
        node = node["next"]
    return total


def into_one_of_two_lists(values):
    small, large = [], []
    for x in values:
        bucket = small if x < 0.55 else large
        bucket.append(x * x)
    return sum(small) + 2.0 * sum(large)


def into_one_row_under_three_names(values):
    rows = [[0.0, 1.0]] * 3
    for i, x in enumerate(values):
        rows[i % 3][0] += x * rows[0][1]
    return rows[0][0] * rows[2][0]


PROGRAMS = [
    over_a_generator, into_an_object, neighbours, pairs_and_products, of_two_lengths, by_a_memo,
    by_a_stack, by_a_queue, breadth_first, table_of_rows, sums_by_key, deleted_from_the_end, mapped,
    mapped_in_a_loop, lists_by_key, pairs_by_key, tables_by_key, by_a_heap, pairs_on_a_heap,
    relaxed_by_a_function, by_a_recursive_memo, by_a_memo_of_an_inner_function,
    by_a_memo_that_is_asked, by_a_recursion_over_a_list, by_a_function_of_two_items, aligned,
    by_a_cached_function, by_a_cached_function_of_a_number, linked, into_one_of_two_lists,
    into_one_row_under_three_names,
]
