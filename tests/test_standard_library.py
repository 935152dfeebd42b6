"""Functions of the standard library that carry no derivatives, in programs on objects."""

import base64
import csv
import datetime
import hashlib
import io
import json
import logging
import os
import pprint
import random
import re
import time

import pytest

import zyg
from tests.differences import check_gradient


class Model:
    def __init__(self, x):
        self.x = x
        self.losses = []
        self.rate = {"rate": 0.1}
        self.found = None

    def step(self, k):
        self.x = self.x - self.rate["rate"] * k * self.x**2
        self.losses.append(self.x * 2)


def of_json(model):
    model.found = json.loads('{"rate": 0.1, "k": [1, 2]}')
    return len(model.found["k"])


def of_dates(model):
    model.found = datetime.datetime.now().isoformat(), time.strftime("%Y"), time.time()
    return len(model.found[1])


def of_files(model):
    model.found = os.path.join("a", "b"), io.StringIO()
    csv.writer(model.found[1]).writerow(["a", 2])
    return len(model.found[1].getvalue())


def of_texts(model):
    digits = re.match(r"(\d+)", "12ab").group(1)
    model.found = hashlib.md5(b"a").hexdigest(), base64.b64encode(b"a"), pprint.pformat([1])
    return int(digits) + len(model.found[0])


def of_draws(model):
    random.seed(3)
    model.found = random.choice([1, 2, 4]), random.randint(0, 2), random.random()
    return model.found[0] + model.found[1] + model.found[2]


def of_logs(model):
    logging.getLogger("model").info("x %s", model.x)
    return 2.0


def of_class_methods(model):
    model.found = int.from_bytes(b"a", "big"), float.fromhex("0x1p1")
    return model.found[0] + model.found[1] + len(dict.fromkeys("ab"))


READERS = [of_json, of_dates, of_files, of_texts, of_draws, of_logs, of_class_methods]


@pytest.mark.parametrize("read", READERS)
def test_in_a_program_on_objects(read):
    def f(x):
        model = Model(x)
        model.step(1)
        factor = read(model)
        model.step(2)
        return model.x * factor + model.losses[0]

    check_gradient(f, (1.3,), zyg.pullback)


@pytest.mark.parametrize("read", [of_dates, of_class_methods])
def test_in_a_program_on_numbers(read):
    def f(x):
        return x * x * read(Model(2.0))

    check_gradient(f, (1.3,), zyg.pullback)


def test_a_draw_among_numbers_that_vary():
    def f(x):
        random.seed(1)
        model = Model(x)
        model.step(1)
        first, second = random.sample([model.x, 2 * x, 3.0], 2)
        return first * 3 + second

    check_gradient(f, (1.3,), zyg.pullback)


def test_numbers_that_are_copied_by_json_are_refused():
    def copied(x):
        return json.loads(json.dumps([x]))[0] ** 2

    def copied_into_an_object(x):
        model = Model(x)
        model.found = json.loads(json.dumps({"x": model.x}))
        return model.found["x"] ** 2

    for f in (copied, copied_into_an_object):
        with pytest.raises(zyg.NotDifferentiable):
            zyg.gradient(f, 2.0)
