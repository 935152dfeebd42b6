"""Generator functions that walk: trees, graphs, subsets, by recursion and by queues."""

import math
from collections import deque

from tests.corpus.registry import program


def inorder(node):
    if node:
        yield from inorder(node.get("left"))
        yield node["value"]
        yield from inorder(node.get("right"))


@program((2.0,))
def walk_of_dicts(x):
    tree = {
        "value": x,
        "left": {"value": x * x, "right": {"value": 3.0}},
        "right": {"value": x**3},
    }
    total = 0.0
    for value in inorder(tree):
        total = total * 0.5 + value
    return total


def leaves(nested):
    for item in nested:
        if isinstance(item, list):
            yield from leaves(item)
        else:
            yield item


@program((2.0,))
def flattened(x):
    total = 1.0
    for leaf in leaves([x, [2.0, [x * x, []], x], [[[3.0 * x]]]]):
        total = total * leaf + 1.0
    return total


@program(([1.0, [2.0, 3.0], [[4.0]]],))
def flattened_argument(nested):
    total = 1.0
    for k, leaf in enumerate(leaves(nested)):
        total += leaf ** (k + 1)
    return total


def breadth_first(graph, start):
    waiting, seen = deque([start]), {start}
    while waiting:
        node = waiting.popleft()
        yield node
        for neighbour in graph[node]:
            if neighbour not in seen:
                seen.add(neighbour)
                waiting.append(neighbour)


@program(({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0},))
def search_in_a_graph(weights):
    graph = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": []}
    total = 1.0
    for node in breadth_first(graph, "a"):
        total = total * 0.5 + weights[node] ** 2
    return total


def paths(graph, node, cost):
    if node not in graph:
        yield cost
        return
    for neighbour, length in graph[node]:
        yield from paths(graph, neighbour, cost + length)


@program((1.0, 2.5))
def shortest_path(x, y):
    graph = {"a": [("b", x), ("c", y)], "b": [("c", x * y), ("d", 4.0)], "c": [("d", x)]}
    return min(paths(graph, "a", 0.0)) * x


@program((1.0, 2.5))
def paths_with_a_weight(x, y):
    graph = {"a": [("b", x), ("c", y)], "b": [("c", x * y), ("d", 4.0)], "c": [("d", x)]}
    return sum(math.exp(-cost) for cost in paths(graph, "a", 0.0))


def subsets(items):
    if not items:
        yield []
        return
    for rest in subsets(items[1:]):
        yield rest
        yield [items[0], *rest]


@program(([1.0, 2.0, 3.0],))
def sums_of_subsets(items):
    total = 0.0
    for subset in subsets(items):
        total += sum(subset) ** 2
    return total


def towers(n, source, target, spare):
    if n > 0:
        yield from towers(n - 1, source, spare, target)
        yield source, target
        yield from towers(n - 1, spare, target, source)


@program((2.0,))
def towers_of_hanoi(x):
    loads = [x, 0.0, 1.0]
    for source, target in towers(3, 0, 2, 1):
        moved = loads[source] * 0.5
        loads[source] -= moved
        loads[target] += moved * x
    return loads[0] * loads[1] + loads[2]
