"""Objects that hold dicts which make what is missing."""

from collections import defaultdict

from tests.corpus.registry import program


class Graph:
    def __init__(self, make):
        self.edges = defaultdict(make)

    def connect(self, a, b, weight):
        self.edges[a].append((b, weight))
        self.edges[b].append((a, weight))

    def degree(self, a):
        return sum(weight for _, weight in self.edges[a])


@program((2.0, 3.0))
def graph_of_lists(x, y):
    graph = Graph(list)
    graph.connect("a", "b", x)
    graph.connect("b", "c", x * y)
    return graph.degree("b") ** 2 * graph.degree("a") + len(graph.edges["d"]) * x


@program((2.0, 3.0))
def graph_of_dicts(x, y):
    graph = Graph(dict)
    for a, b, weight in (("a", "b", x), ("b", "c", y), ("a", "c", x * y), ("a", "b", x * x)):
        graph.edges[a][b] = weight
    graph.edges["b"]["c"] *= graph.edges["a"]["c"]
    return graph.edges["a"]["b"] * graph.edges["b"]["c"] * (1 + len(graph.edges["e"]))


class Moments:
    def __init__(self):
        self.sums = defaultdict(lambda: [0.0, 0.0])

    def add(self, key, value):
        self.sums[key][0] += value
        self.sums[key][1] += value * value

    def variance(self, key, count):
        total, squares = self.sums[key]
        return squares / count - (total / count) ** 2


@program((2.0, 3.0))
def moments_by_key(x, y):
    moments = Moments()
    for key, value in (("a", x), ("b", y), ("a", x * y), ("a", y)):
        moments.add(key, value)
    return moments.variance("a", 3) * moments.sums["b"][1] + moments.variance("c", 1)


class Account:
    def __init__(self):
        self.totals, self.counts = defaultdict(float), defaultdict(int)

    def add(self, key, value):
        self.totals[key] += value
        self.counts[key] += 1

    def mean(self, key):
        return self.totals[key] / self.counts[key]


@program((2.0, 3.0))
def means_by_key(x, y):
    account = Account()
    for key, value in (("a", x), ("b", y), ("a", x * y)):
        account.add(key, value)
    return account.mean("a") * account.mean("b") + account.totals["c"] * x
