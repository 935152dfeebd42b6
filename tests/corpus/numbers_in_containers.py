"""Lists and dicts of numbers that loops change at places which only the run time knows."""

from collections import defaultdict

from tests.corpus.registry import program

FOLLOWING = {"first": "second", "second": "third", "third": None}


@program((1.3,))
def new_and_deleted_keys(x):
    found = {"a": x}
    for i, key in enumerate(["b", "c", "a", "d"]):
        found[key] = x * (i + 2) * found["a"]
    del found["b"]
    total = 0.0
    for key in ["c", "a", "d", "c"]:
        total += found[key] ** 2
    return total


@program((1.3,))
def popped_and_put_back(x):
    found = {"a": x, "b": x * x}
    total = 0.0
    for i in range(3):
        key = "ab"[i % 2]
        value = found.pop(key)
        total += value * i
        found[key] = value * x
        total += found[key]
    return total


@program((1.3,))
def growing_with_numbers_as_keys(x):
    found = {}
    for i in range(4):
        found[i] = x * i
        for key in found:
            found[key] = found[key] * x + 1.0
    return found[0] + found[1] * found[2] - found[3]


@program((1.3,))
def updated_and_defaulted(x):
    found = {"a": x, "b": 2 * x}
    for _ in range(3):
        found.update(a=found["b"] * x, c=found["a"])
        found["b"] = found.get("c", 1.0) + found.setdefault("z", x)
    return found["a"] * found["b"] * found["z"]


@program((1.3,))
def list_with_all_kinds_of_stores(x):
    items = [x, 2 * x, 3 * x]
    for i in range(5):
        j = i % len(items)
        items[j] = items[j] * items[(j + 1) % len(items)] + x
        if i == 2:
            items.append(x * x)
        if i == 3:
            items.pop(0)
        items[0:2] = [items[1], items[0] * x]
    return items[0] + items[-1] * items[1]


@program((1.3,))
def copied_before_it_is_changed(x):
    found = {"a": x, "b": 2 * x}
    total = 0.0
    for i in range(3):
        other = dict(found)
        other["a"] = other["b"] * x
        for key in ["a", "b"]:
            found[key] = found[key] + other[key] * i
        total += found["a"]
    return total


@program((1.3,))
def count_beside_a_number(x):
    found = {"a": x, "n": 1}
    for _ in range(3):
        found["n"] += 1
        found["a"] = found["a"] * found["n"] * x
    return found["a"]


@program((1.3,))
def two_names_of_a_dict(x):
    found = {"a": x}
    same = found
    for key in ["a", "b"]:
        same[key] = found["a"] * x
        found["a"] += same[key]
    return found["a"] * same["b"]


@program((1.3,))
def as_long_as_it_is_short(x):
    found = {"a": x}
    while len(found) < 5:
        found[str(len(found))] = sum(found.values()) * x
    return sum(found.values())


@program((1.3,))
def stored_where_dividing_fails(x):
    found = {"a": x, "b": x * x}
    total = 0.0
    for key in ["a", "b", "a"]:
        try:
            found[key] = found[key] * x
            total += found[key] / (0.0 if key == "b" else 1.0)
        except ZeroDivisionError:
            found[key] = found[key] + x
            total += found["a"]
    return total


@program((1.3,))
def sums_of_copies(x):
    items = [x * i for i in range(4)]
    same = items
    for i in range(4):
        same[i] = items[i - 1] * x
        others = list(items)
        others[i] = 0.0
        items[i] += sum(others)
    return sum(items)


@program((1.3,))
def lists_of_lists(x):
    grid = [[x * i * j for i in range(3)] for j in range(3)]
    for _ in range(2):
        for i in range(3):
            for j in range(3):
                grid[i][j] = grid[i][j] * x + grid[(i + 1) % 3][j]
    return sum([sum(row) for row in grid])


@program((1.3,))
def changed_by_a_helper(x):
    found = {"a": x, "b": x * x}

    def grow(found, key):
        found[key] = found[key] * x
        return found[key]

    total = 0.0
    for key in ["a", "b", "a"]:
        total += grow(found, key)
    return total + found["a"]


@program((1.3,))
def keys_from_a_global(x):
    rates = {"first": x, "second": 2.0 * x, "third": x * x}
    total = 0.0
    name = "first"
    while name is not None:
        total += rates[name] * x
        rates[name] *= total
        name = FOLLOWING[name]
    return total + sum(rates.values())


@program((1.3, 0.7))
def smallest_of_events(x, y):
    events = {"one": x, "two": y}
    time = 0.0
    for _ in range(5):
        name = min(events, key=events.get)
        time += events[name]
        events[name] = events[name] * 1.7 + y
    return time


@program(({"a": 0.3, "b": 0.7, "unused": 2.0},))
def argument_read_by_key(rates):
    total = 0.0
    for key in ["a", "b", "a"]:
        total = total * rates[key] + rates[key]
    return total


@program(([0.3, 0.7, 2.0],))
def argument_read_by_place(rates):
    total = 0.0
    for i in [0, 1, 0]:
        total = total * rates[i] + rates[i]
    return total


@program((1.3,))
def empty_lists_in_a_list(x):
    rows = [[], []]
    rows[0].append(x)
    rows[1].append(x * x)
    return rows[0][0] * rows[1][0]


@program((1.3,))
def empty_lists_made_alike(x):
    rows = [[] for _ in range(2)]
    rows[0].append(x)
    rows[1].append(x * x)
    return rows[0][0] * rows[1][0]


@program((1.3,))
def empty_lists_in_a_tuple(x):
    first, rows = 1, ([], [])
    rows[0].append(x)
    rows[first].append(x * x)
    return rows[0][0] * rows[1][0]


@program((1.3,))
def empty_dicts_in_a_list(x):
    tables = [{}, {}]
    tables[0]["u"] = x
    tables[1]["v"] = x * x
    return tables[0]["u"] * tables[1]["v"]


@program((1.3,))
def default_of_a_known_key(x):
    groups = {}
    groups.setdefault("a", []).append(x)
    groups.setdefault("a", []).append(x * x)
    groups.setdefault("b", 3.0 * x)
    return groups["a"][0] * groups["a"][1] * groups["b"]


@program((1.3,))
def default_lists_of_known_keys(x):
    groups = defaultdict(list)
    groups["a"].append(x)
    groups["b"].append(x * x)
    groups["a"].append(x)
    return sum(groups["a"]) * groups["b"][0]
