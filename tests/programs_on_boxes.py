"""Programs on tables in a module with a class that overloads operators.

Where such a class is, `row[0]` of what has no type may be anything.
"""

import numpy as np

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


class Box:
    def __init__(self, v):
        self.v = v

    def row(self, k):
        return self.v[k]

    @property
    def first(self):
        return self.v[0]

    def __getitem__(self, k):
        return self.v[k]

    def __iter__(self):
        return iter(self.v)

    def __len__(self):
        return len(self.v)


@program
def methods(h, x):
    b = Box(h.v)
    b.row(0)[0] = x**3
    h.v[1][1] = x**4
    return b.first * b[1]


@program
def sum_of_an_object(h, x):
    b = Box(h.v)
    h.v[1][1] = x**4
    return sum(b)


@program
def list_of_an_object(h, x):
    b = Box(h.v)
    h.v[1][1] = x**4
    return np.stack(list(b))


@program
def objects_in_a_list(h, x):
    boxes = [Box(h.v), Box(h.w)]
    h.v[1][1] = x**4
    return sum(b[1] for b in boxes)
