"""Programs that read and change what an object holds, rows of tables among it, in every way."""

import copy
import dataclasses
import functools
import itertools
import operator
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np


class Holder:
    """Has arrays in lists and in a dict, and lists in a list."""

    def __init__(self, x):
        self.v = [np.array([x, x * x]), np.array([x, 2 * x])]
        self.w = [np.array([x, 3.0]), np.array([2.0, x])]
        self.d = {"a": np.array([x, 1.0]), "b": np.array([x * x, x])}
        self.r = [[x, x * x], [2 * x, 1.0]]


def called_twice(program):
    """A program of one number that changes tables before, between and behind two calls."""

    def whole(x):
        h = Holder(x)
        h.v[0][0] *= x
        h.r[0][1] += x**3
        h.d["a"][1] = x**3
        h.w[1][0] += x**3
        first = program(h, x)
        h.v[1][1] *= x
        h.r[1][0] = h.r[1][0] ** 2
        h.d["b"][0] *= x
        again = np.sum(program(h, x)) + h.r[1][0] * x + np.sum(h.d["b"])
        return np.sum(np.asarray(first) ** 2) + again

    whole.__name__ = program.__name__
    return whole


PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


# Built-in functions that are given a table


def at_once(name, read):
    read.__name__ = name
    PROGRAMS.append(read)


at_once("reduce_of_rows", lambda h, x: functools.reduce(np.add, h.v))
at_once("reduce_by_an_operator", lambda h, x: functools.reduce(operator.add, h.v))
at_once("reduce_by_a_lambda", lambda h, x: functools.reduce(lambda a, b: a + b, h.v))
at_once("reduce_of_a_dict", lambda h, x: functools.reduce(np.multiply, h.d.values()))
at_once("accumulated", lambda h, x: list(itertools.accumulate(h.v, np.add))[-1])
at_once("sum_of_mapped", lambda h, x: sum(map(np.sum, h.v)))
at_once("sum_of_rows", lambda h, x: sum(h.v))
at_once("sum_from_a_start", lambda h, x: sum(h.v, start=0.0))
at_once("sum_of_an_iterator", lambda h, x: sum(iter(h.v)))
at_once("sum_of_reversed", lambda h, x: sum(reversed(h.v)))
at_once("sum_of_values", lambda h, x: sum(h.d.values()))
at_once("sums_of_rows", lambda h, x: sum(map(sum, h.r)))
at_once("largest_array", lambda h, x: max(h.v, key=np.sum))
at_once("largest_value", lambda h, x: max(h.d.values(), key=np.sum))
at_once("largest_row", lambda h, x: max(h.r, key=lambda row: row[1])[1])
at_once("first_of_sorted", lambda h, x: sorted(h.v, key=lambda a: -a[1])[0] * 3)
at_once("starmapped", lambda h, x: sum(itertools.starmap(lambda a, b: a * b, h.v)))
at_once("chained_starred", lambda h, x: sum(itertools.chain(*h.v)))
at_once("chained_rows", lambda h, x: sum(itertools.chain.from_iterable(h.v)))
at_once("filtered_arrays", lambda h, x: list(filter(np.any, h.v))[0])
at_once("sliced_iterator", lambda h, x: next(itertools.islice(h.v, 1, None)))
at_once("rows_zipped_starred", lambda h, x: [a * b for a, b in zip(*h.v, strict=True)][0])
at_once("transposed", lambda h, x: [a + b for a, b in zip(*h.r, strict=True)][1])
at_once("einsum_starred", lambda h, x: np.einsum("i,i->", *h.v))
at_once("partial_of_a_row", lambda h, x: functools.partial(np.add, h.v[0])(h.v[1]))
at_once("concatenated", lambda h, x: np.concatenate(h.v))
at_once("stacked", lambda h, x: np.stack(h.v, 1))
at_once("stacked_values", lambda h, x: np.stack(list(h.d.values())))
at_once("array_of_values", lambda h, x: np.array([*h.d.values()]))
at_once("array_of_arrays", lambda h, x: np.array(h.v))
at_once("array_of_rows", lambda h, x: np.array(h.r) * x)
at_once("asarray_of_arrays", lambda h, x: np.asarray(h.v)[1])
at_once("matrix_product", lambda h, x: np.matmul(h.v, h.v))
at_once("dot_starred", lambda h, x: np.dot(*h.v))
at_once("products", lambda h, x: np.dot(h.v[0], h.v[1]) + h.v[0] @ h.w[1])
at_once("tuple_of_arrays", lambda h, x: tuple(h.v)[1])
at_once("reversed_list", lambda h, x: list(reversed(h.v))[0])
at_once("enumerated", lambda h, x: [a * i for i, a in enumerate(h.v)][1])
at_once("cycled", lambda h, x: next(itertools.cycle(h.v)))
at_once("pairs", lambda h, x: [np.add(*p) for p in itertools.combinations(h.v, 2)][0])
at_once("neighbours", lambda h, x: [a * b for a, b in itertools.pairwise(h.v)][0])
at_once("product_of_tables", lambda h, x: [a * b for a, b in itertools.product(h.v, h.v)][1])
at_once("zip_longest", lambda h, x: [a for (a,) in itertools.zip_longest(h.v)][1])
at_once("from_a_generator", lambda h, x: np.fromiter((a[0] for a in h.v), float))
at_once("starred_display", lambda h, x: [*h.v][1])
at_once("repeated", lambda h, x: (h.v * 2)[2])
at_once("reduced_by_a_ufunc", lambda h, x: np.multiply.reduce(h.v))
at_once("along_an_axis", lambda h, x: np.apply_along_axis(np.cumsum, 0, h.v))
at_once("itemgetter", lambda h, x: operator.itemgetter(1)(h.v))
at_once("grouped", lambda h, x: [[*g][0] for _, g in itertools.groupby(h.v, key=np.sum)][0])
at_once("mean_of_arrays", lambda h, x: np.mean(h.v, axis=0))
at_once("where_starred", lambda h, x: np.where(True, *h.v))
at_once("taken_while", lambda h, x: next(itertools.takewhile(np.any, h.v)))
at_once("copies", lambda h, x: [a.copy() for a in h.v][1])
at_once("popped_of_a_copy", lambda h, x: list(h.v).pop())
at_once("getitem_by_name", lambda h, x: h.v.__getitem__(1))
at_once("given_starred", lambda h, x: (lambda a, b: a * b)(*h.v))
at_once("collected_starred", lambda h, x: (lambda *v: np.stack(v) * x)(*h.v))
at_once("given_as_keywords", lambda h, x: (lambda a, b: a * b * x)(**h.d))
at_once("dict_of_enumerated", lambda h, x: dict(enumerate(h.v))[1])
at_once("dict_of_zipped", lambda h, x: dict(zip("ab", h.v, strict=True))["b"])
at_once("next_of_an_iterator", lambda h, x: next(iter(h.v)) * 2)
at_once("values_beside_rows", lambda h, x: [a * b for a, b in zip(h.d.values(), h.v)][0])
at_once("items", lambda h, x: sum(a * len(k) for k, a in h.d.items()))
at_once("flattened", lambda h, x: [q for row in h.r for q in row][1] * x)


@program
def taken_apart(h, x):
    (a, b), (c, d) = h.r
    return a * b * c * d


# Read later, behind a change


@program
def map_read_later(h, x):
    m = map(lambda a: a * x, h.v)
    h.v[1][1] = x**3
    return sum(m)


@program
def map_of_a_ufunc_read_later(h, x):
    m = map(np.sum, h.v)
    h.v[0][1] = x**3
    return list(m)[0]


@program
def zip_read_later(h, x):
    m = zip(h.v, h.w, strict=True)
    h.v[1][1] = x**3
    return sum(a * b for a, b in m)


@program
def list_of_zip(h, x):
    m = list(zip(h.v, h.w, strict=True))
    h.v[1][1] = x**3
    return np.array(m)[0]


@program
def chain_read_later(h, x):
    m = itertools.chain(h.v, h.w)
    h.v[1][1] = x**3
    return sum(m)


@program
def generator_read_later(h, x):
    m = (a * 2 for a in h.v)
    h.v[1][1] = x**3
    return sum(m)


@program
def generator_of_rows_read_later(h, x):
    m = (a for a in h.v)
    h.v[1][1] = x**3
    return np.stack(list(m))


@program
def filter_read_later(h, x):
    m = filter(lambda a: a[0] > 0, h.v)
    h.v[1][1] = x**3
    return sum(m)


def rows_of(h):
    return [a for a in h.v]


@program
def list_of_rows_kept(h, x):
    m = rows_of(h)
    h.v[1][1] = x**3
    return np.array(m)


@program
def joined_displays(h, x):
    m = [*h.v, *h.w]
    h.v[1][1] = x**3
    return np.concatenate(m)


@program
def dict_of_rows(h, x):
    m = {"q": h.v[1], "z": h.w[0]}
    h.v[1][1] = x**3
    return m["q"] * 2 + sum(m.values())


def total(values):
    s = 0
    for a in values:
        s = s + a
    return s


@program
def values_given_to_a_function(h, x):
    m = {"q": h.v[1], "z": h.w[0]}
    values = m.values()
    h.v[1][1] = x**3
    return [a for a in values][0] * total(m.values())


@program
def zip_given_to_a_function(h, x):
    m = {"q": h.v[1], "z": h.w[0]}
    pairs = zip(m.values(), h.v, strict=True)
    h.v[1][1] = x**3
    return (lambda z: [a * b for a, b in z][0])(pairs)


@program
def items_given_to_a_function(h, x):
    def added(pairs):
        s = 0
        for _, a in pairs:
            s = s + a
        return s

    m = {"q": h.v[1], "z": h.w[0]}
    pairs = m.items()
    h.v[1][1] = x**3
    h.w[0][1] = x**2
    return added(pairs) + added(enumerate(m.values()))


@program
def tuple_of_rows(h, x):
    m = (h.v[1], h.w[0])
    h.v[1][1] = x**3
    return np.stack(m)


@program
def tuple_of_a_row_and_a_number(h, x):
    m = (h.v[1], x * x)
    h.v[1][1] = x**3
    return m[0] * m[1]


@program
def tuples_in_a_table(h, x):
    h.t = [(np.array([x]), 1), (np.array([x * x]), 2)]
    for a, k in h.t:
        a *= k * x
    return sum(a * k for a, k in h.t)


@program
def unpacked_rows(h, x):
    a, b = h.v
    h.v[0][1] = x**3
    return a * b


@program
def starred_target(h, x):
    a, *b = h.v
    b[0][0] = x**3
    return a * h.v[1]


@program
def extended_list(h, x):
    m = []
    m.extend(h.v)
    m += h.w
    h.v[0][1] = x**3
    return m[0] * m[1] * m[2]


@program
def deque_of_rows(h, x):
    m = deque(h.v)
    h.v[0][1] = x**3
    return m[0] * m[1]


@program
def deep_copy(h, x):
    v = copy.deepcopy(h.v)
    h.v[0][1] = x**3
    return v[0] * h.v[0]


@program
def chosen_row(h, x):
    a = h.v[0] if x > 1 else np.ones(2)
    h.v[0][1] = x**3
    return a * 2


@program
def chosen_table(h, x):
    a = h.v if x > 1 else []
    h.v[0][1] = x**3
    return np.stack(a)


@program
def bound_in_a_loop(h, x):
    a = None
    for k in range(2):
        if k:
            a = h.v[k]
    h.v[1][1] = x**3
    return a


@program
def collected_in_a_loop(h, x):
    a = []
    for k in range(2):
        a.append(h.v[k])
        h.v[k][1] = x**3
    return np.stack(a)


@program
def found_in_a_handler(h, x):
    try:
        a = h.v[5]
    except IndexError:
        a = h.v[1]
    h.v[1][1] = x**3
    return a


@program
def view_of_a_row(h, x):
    m = h.v[0][:1]
    h.v[0][0] = x**3
    return m * x


# Given to functions, returned and captured


@program
def captured_table(h, x):
    v = h.v

    def f(k):
        return v[k] * x

    h.v[1][1] = x**3
    return f(0) * f(1)


@program
def captured_and_stacked(h, x):
    v = h.v
    f = lambda k: np.stack(v)[k] * x
    h.v[1][1] = x**3
    return f(0) * f(1)


@program
def default_value(h, x):
    f = lambda k, v=h.v: np.stack(v)[k] * x
    h.v[1][1] = x**3
    return f(0) * f(1)


@program
def changed_by_a_callee(h, x):
    def f(v):
        v[0][1] = v[0][1] * x
        return v[0]

    return f(h.v) * 2


@program
def table_returned(h, x):
    w = (lambda v: v)(h.v)
    h.v[1][1] = x**3
    return np.stack(w)


@program
def row_returned(h, x):
    w = (lambda v: v[1])(h.v)
    h.v[1][1] = x**3
    return w * 2


@program
def table_in_a_dict_returned(h, x):
    w = (lambda v: {"s": v})(h.v)
    h.v[1][1] = x**3
    return np.stack(w["s"])


def each(rows):
    for row in rows:
        yield row


@program
def generator_of_a_table(h, x):
    w = each(h.v)
    h.v[1][1] = x**3
    return sum(w)


@program
def rows_changed_by_a_generator(h, x):
    for row in each(h.v):
        row[0] *= x
    return np.stack(list(each(h.v)))


def first_and_rest(rows):
    return rows[0] if len(rows) == 1 else rows[0] + first_and_rest(rows[1:])


@program
def recursion(h, x):
    h.v[1][0] = x**3
    return first_and_rest(h.v)


@program
def row_of_another_frame(h, x):
    row = h.v[0]

    def choose(k):
        nonlocal row
        row = h.v[k]

    choose(1)
    row[0] = x**3
    return h.v[1] * row


class Boxed(Exception):
    pass


@program
def row_in_an_exception(h, x):
    try:
        raise Boxed(h.v[0])
    except Boxed as e:
        a = e.args[0]
    a[0] = x**3
    return h.v[0] * a


@program
def changed_before_a_handler(h, x):
    try:
        a = h.v[0]
        a[0] = x**3
        h.v[7]
    except IndexError:
        a[1] = x**2
    return h.v[0]


# Other objects that hold them


Pair = namedtuple("Pair", "a b")


@program
def named_tuple(h, x):
    n = Pair(h.v[0], h.v[1])
    h.v[0][0] = x**3
    return n.a * n.b


@dataclasses.dataclass
class Two:
    a: object
    b: object


@program
def dataclass_of_rows(h, x):
    n = Two(h.v[0], h.v)
    h.v[0][0] = x**3
    n.a[1] = x**4
    return n.a * n.b[1] * h.v[0]


@program
def read_by_getattr(h, x):
    v = h.v
    v[0][0] = x**3
    return np.stack(h.v)


@program
def defaultdict_of_rows(h, x):
    m = defaultdict(list)
    m["a"].append(h.v[0])
    h.v[0][0] = x**3
    return m["a"][0] * x


# Copies of tables, whose rows are the same


@program
def sum_of_tables_changed_before(h, x):
    m = h.v + h.w
    h.v[0][0] = x**3
    return m[0] * m[3]


@program
def sum_of_tables_changed_through_it(h, x):
    m = h.v + h.w
    m[0][0] = x**3
    return m[0] * h.v[0]


@program
def repeated_and_changed(h, x):
    m = h.v * 2
    m[2][0] = x**3
    return m[0] * h.v[0]


@program
def sliced_and_changed(h, x):
    m = h.v[1:]
    m[0][0] = x**3
    return h.v[1] * m[0]


@program
def copied_and_changed(h, x):
    m, n = h.v.copy(), copy.copy(h.v)
    m[0][0] = x**3
    n[1][0] = x**3
    return h.v[0] * m[0] * h.v[1]


@program
def sorted_and_changed(h, x):
    m = sorted(h.v, key=lambda a: a[1])
    m[0][0] = x**3
    return h.v[0] * m[1] + h.v[1]


@program
def largest_changed(h, x):
    m, n = max(h.r, key=lambda row: row[0]), max(h.v, key=np.sum)
    m[0] = x**3
    n[0] = x**3
    return h.r[0][0] * h.r[1][0] * h.v[0] * h.v[1]


@program
def copies_of_a_dict(h, x):
    m, n, o = dict(h.d), {**h.d}, h.d.copy()
    m["a"][0] = x**3
    n["b"][0] = o["a"][0] * x
    return h.d["a"] * m["b"] * o["b"]


@program
def merged_dicts(h, x):
    m = h.d | {"c": h.v[0]}
    m["a"][0] = x**3
    m["c"][0] = x**2
    return h.d["a"] * m["b"] * h.v[0]


@program
def dict_of_zipped_and_changed(h, x):
    m = dict(zip("pq", h.v, strict=True))
    m["p"][0] = x**3
    return h.v[0] * m["q"]


@program
def comprehensions_of_rows(h, x):
    m = [a for a in h.v if a[0] > 0]
    n = {k: a for k, a in h.d.items()}
    m[0][0] = x**3
    n["a"][0] = x**3
    return h.v[0] * m[1] * h.d["a"]


@program
def asarray_of_a_row(h, x):
    m = np.asarray(h.v[0])
    m[0] = x**3
    return h.v[0] * m


@program
def either_row(h, x):
    a = h.r[0] or h.r[1]
    a[0] = x**3
    return h.r[0][0] * a[1]


@program
def table_replaced_by_copies(h, x):
    old = h.v
    h.v = [a.copy() for a in old]
    old[0][0] = x**3
    return h.v[0] * old[0]


@program
def table_replaced_by_a_list_of_its_rows(h, x):
    old = h.v
    h.v = list(old)
    old[0][0] = x**3
    return h.v[0] * old[1]


# Local lists of rows that change


@program
def popped_from_a_copy(h, x):
    m = list(h.v)
    y = m.pop(0)
    h.v[0][1] = x**3
    return y


@program
def popped_and_changed(h, x):
    q = [np.array([x, 1.0]), h.v[0]]
    row = q.pop()
    row[0] *= x
    return row * h.v[1] * q[0]


@program
def popped_twice(h, x):
    q = list(h.v)
    row = q.pop()
    row[0] *= x
    row = q.pop()
    row[0] *= x
    return row * h.v[1]


@program
def popped_until_empty(h, x):
    s = 0.0
    q = list(h.v)
    while q:
        row = q.pop()
        row[0] *= x
        s = s + row
    return s * h.v[0]


@program
def moved_by_an_insertion(h, x):
    q = list(h.v)
    row = q[0]
    q.insert(0, np.array([x, 1.0]))
    row[0] *= x
    return row * h.v[1] * q[0]


@program
def replaced_in_a_copy(h, x):
    q = list(h.v)
    row = q[0]
    q[0] = np.array([x, 1.0])
    row[0] *= x
    return row * h.v[1] * q[0]


@program
def popped_from_a_dict(h, x):
    q = {"a": h.v[0], "b": h.v[1]}
    row = q.pop("a")
    row[0] *= x
    return row * h.v[1] * q["b"]


@program
def reversed_copy(h, x):
    q = list(h.v)
    row = q[0]
    q.reverse()
    row[0] *= x
    return row * h.v[1] * q[0]


# Changes of tables


@program
def exchanged(h, x):
    h.v[0], h.v[1] = h.v[1], h.v[0]
    h.v[0][1] = x**3
    return h.v[0] + 2 * h.v[1]


@program
def appended_and_deleted(h, x):
    h.v.append(np.array([x, x * x]))
    del h.v[0]
    h.v[1][0] *= x
    return h.v[0] * h.v[1]


@program
def inserted(h, x):
    a = np.array([x, x * x])
    h.v.insert(0, a)
    a[0] = x**3
    return h.v[0] * h.v[1]


@program
def turned_round(h, x):
    h.v.reverse()
    h.v[0][0] = x**3
    return h.v[0] * h.v[1]


@program
def sorted_in_place(h, x):
    h.v.sort(key=lambda a: -a[1])
    h.v[0][0] = x**3
    return h.v[0] * h.v[1]


@program
def cleared_and_filled(h, x):
    m = list(h.v)
    h.v.clear()
    h.v.extend(m)
    m[0][0] = x**3
    return h.v[0] * h.v[1]


@program
def all_items_replaced(h, x):
    m = [a * x for a in h.v]
    h.v[:] = m
    m[0][0] = x**3
    return h.v[0] * h.v[1]


@program
def extended_by_a_list(h, x):
    m = [np.array([x, x])]
    h.v += m
    m[0][0] = x**3
    return h.v[0] * h.v[2]


@program
def multiplied_in_place(h, x):
    h.v *= 2
    h.v[0][0] = x**3
    return h.v[2] * h.v[1]


@program
def extended_by_a_generator(h, x):
    h.v.extend(a * x for a in h.w)
    h.v[2][0] = x**3
    return h.v[2] * h.v[1]


@program
def row_of_two_tables(h, x):
    a = np.array([x, 1.0])
    h.v.append(a)
    h.w.append(a)
    h.w[-1][0] = x**3
    return h.v[-1] * a


@program
def row_twice_in_a_table(h, x):
    a = np.array([x, 1.0])
    h.v.append(a)
    h.v.append(a)
    h.v[-1][0] = x**3
    return h.v[-2] * a


@program
def row_replaced_by_another(h, x):
    old = h.v[0]
    h.v[0] = h.v[1]
    h.v[1][0] = x**3
    return h.v[0] * old


@program
def row_replaced_by_a_new_one(h, x):
    old = h.v[0]
    h.v[0] = old * x
    old[0] = x**3
    return h.v[0] * old


@program
def got_from_a_dict(h, x):
    m = h.d.get("a")
    m[0] = x**3
    return h.d["a"] * m


@program
def set_as_a_default(h, x):
    m, n = h.d.setdefault("a", np.zeros(2)), h.d.setdefault("n", np.zeros(2))
    m[0] = x**3
    n[0] = x**3
    return h.d["n"] * h.d["a"] * m


@program
def popped_and_put_back(h, x):
    m = h.d.pop("a")
    m[0] = x**3
    h.d["a"] = m
    m[1] = x**4
    return h.d["a"] * x


@program
def updated_by_a_row(h, x):
    h.d.update({"a": h.v[0]})
    h.v[0][0] = x**3
    return h.d["a"] * x


@program
def row_grown(h, x):
    row = h.r[0]
    row += [x**3]
    h.r[1] += [x**2]
    return h.r[0].pop() * h.r[1].pop() * row[0]


# Rows that loops and functions change


@program
def rows_of_a_loop(h, x):
    for row in h.r:
        row[0] += x * x
    return h.r[0][0] * h.r[1][0]


@program
def neighbours_of_a_loop(h, x):
    for a, b in itertools.pairwise(h.v):
        b[0] += a[0] * x
        a[1] = b[0]
    for a, b in zip(h.v, h.w, strict=True):
        b[0] += a[0] * x
        a[1] = b[0]
    return h.v[0] * h.v[1] * h.w[1]


@program
def row_carried_by_a_loop(h, x):
    a = h.v[0]
    for k in range(2):
        a[0] = a[0] * x
        a = h.v[k]
    return h.v[0] * h.v[1] * a


@program
def row_of_a_branch(h, x):
    a = h.v[0]
    if x > 1:
        a = h.v[1]
    a[0] = x**3
    (h.w[0] if x > 1 else h.w[1])[0] = x**3
    return h.v[0] * h.v[1] * h.w[0]


@program
def matched_list(h, x):
    match h.v:
        case [a, b]:
            a[0] = x**3
            return a * b * h.v[0]
    return 0.0


@program
def matched_dict(h, x):
    match h.d:
        case {"a": a}:
            h.d["a"][0] = x**3
            return a * x
    return 0.0


@program
def results_stored_into_rows(h, x):
    a = h.v[1]
    np.multiply(h.v[0], x, out=a)
    h.v[0].fill(x * x)
    np.add.at(h.v[0], [0, 0], x)
    return h.v[0] * h.v[1]


@program
def listed_row(h, x):
    t = h.v[0].tolist()
    h.v[0][0] = x**3
    return t[0] * t[1]


@program
def unzipped(h, x):
    a, b = zip(*[(row, row[0]) for row in h.v], strict=True)
    h.v[0][0] = x**3
    return a[0] * b[1]


# Deeper tables


@program
def lists_of_lists_of_lists(h, x):
    h.z = [[[x, x * x], [2 * x]], [[1.0], [x, x]]]
    h.z[0][1].append(x**3)
    a = h.z[1]
    a[1][0] = x**2
    b = a[0]
    b.append(x)
    return h.z[0][1][1] * h.z[1][1][0] * h.z[1][0][1] * sum(map(sum, h.z[0]))


@program
def lists_of_arrays_in_a_dict(h, x):
    h.z = OrderedDict({"p": [np.array([x]), np.array([x * x])], "q": [np.array([2 * x])]})
    for rows in h.z.values():
        for a in rows:
            a *= x
    return sum(a for rows in h.z.values() for a in rows)


@program
def array_of_a_deep_table(h, x):
    h.z = [[[x, x * x], [2 * x, x]], [[1.0, x], [x, x]]]
    h.z[0][1][0] = x**3
    return np.array(h.z)
