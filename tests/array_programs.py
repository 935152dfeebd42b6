"""Random programs of NumPy functions on small arrays: elementwise, along axes, by parts, in place.

    def f(x, y, s):
        t1 = np.cumsum(y, axis=1)
        t2 = t1.copy()
        t2[0] += s
        ...
        return np.sum(t2) * 1.3 + np.sum(t1) * -0.7

Each statement is run as it is written, so that shapes fit and numbers stay moderate.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

OF_ITEMS = """
np.sin({a})|np.exp(-np.abs({a}))|np.tanh({a})|np.sqrt(1.0 + {a} * {a})|np.log(2.0 + {a} ** 2)
1.0 / (1.5 + np.cos({a}))|np.abs({a})|np.arctan({a})|-{a}|np.square({a})|np.exp2({a}) * 0.3
np.log1p({a} ** 2)|np.cosh(0.3 * {a})|np.expm1(0.2 * {a})|np.sign({a}) * {a} ** 2|np.sinc({a})
np.cbrt(2.0 + {a} ** 2)|{a} ** 3 * 0.2|(1.5 + np.abs({a})) ** 0.7|np.clip({a}, -0.5, 0.8)
np.heaviside({a}, 0.5) * {a}|np.floor({a}) + {a}
"""
OF_PAIRS = """
{a} + {b}|{a} - {b}|{a} * {b}|{a} + {b}|{a} - {b}|{a} * {b}|{a} / (1.5 + {b} ** 2)
np.maximum({a}, {b})|np.minimum({a}, {b} * 0.9)|np.hypot({a}, {b} + 0.1)|np.logaddexp({a}, {b})
np.arctan2({a}, 2.0 + {b} ** 2)|np.where({a} > {b}, {a}, {b} * 0.5)|np.fmax({a}, {b})
np.where({a} > 0.3, {b}, {a} * {b})|np.power(1.2 + np.abs({a}), {b})|np.copysign({a}, {b}) * {a}
np.where({a} > 0, np.sqrt(np.abs({a}) + 0.01), {b})|np.multiply({a}, {b})
np.select([{a} > 0.5, {a} > 0], [{a}, {b}], 0.1)|np.float_power(1.2 + {a} ** 2, {b})
"""
ALONG_AXES = """
np.sum({a}, axis={n}{keep})|np.mean({a}, axis={n}{keep})|np.max({a}, axis={n}{keep})
np.min({a}, {n})|np.var({a}, axis={n}{keep})|np.std({a}, axis={n}{keep})|np.ptp({a}, axis={n})
np.prod({a}, axis={n}{keep})|np.cumsum({a}, axis={n})|np.cumprod({a}, axis={n})
np.sort({a}, axis={n})|np.flip({a}, {n})|np.roll({a}, 1, axis={n})|np.diff({a}, axis={n})
np.median({a}, axis={n})|np.linalg.norm({a}, axis={n})|np.take({a}, [0, -1], axis={n})
np.repeat({a}, 2, axis={n})|np.concatenate([{a}, {a} * 0.5], axis={n})|np.expand_dims({a}, {n})
np.gradient({a}, axis={n})|np.quantile({a}, 0.3, axis={n})|np.logaddexp.reduce({a}, axis={n})
np.add.accumulate({a}, axis={n})|np.multiply.reduce({a}, axis={n})|np.average({a}, axis={n})
np.partition({a}, 1, axis={n})|np.stack([{a}, np.sin({a})], axis={n})|np.nansum({a}, axis={n})
np.take_along_axis({a}, np.argsort({a}, axis={n}), axis={n})|np.maximum.accumulate({a}, axis={n})
np.insert({a}, 1, 0.5, axis={n})|np.delete({a}, 0, axis={n})|np.array_split({a}, 2, axis={n})[0]
np.pad({a}, 1, mode="edge")|np.pad({a}, 1, mode="reflect")|np.pad({a}, 1)|np.tile({a}, 2)
np.sum({a})|{a}.sum()|{a}.mean({n})|np.linalg.norm({a})|np.ravel({a})|{a}.T|np.squeeze({a})
np.swapaxes({a}, 0, -1)|np.moveaxis({a}, 0, -1)
"""
OF_VECTORS = """
{a}[::2]|{a}[::-1]|{a}[1:]|{a}[[0, 0, -1]]|{a}[{a} > 0.1]|{a}[0]|np.outer({a}, {a})|{a}[None, :]
{a}[:, None]|{a} @ {a}|np.convolve({a}, {a}, "same")|np.diag({a})|np.vander({a}, 3)
np.interp({a}, [-3.0, 0.0, 3.0], [1.0, -0.5, 2.0])|np.correlate({a}, {a}, "full")
np.array([{a}[0], {a}[-1] * 2.0, 0.3])|np.fft.fft({a}).real|np.abs(np.fft.rfft({a}))
np.array([v * v for v in {a}])|sum(v * v for v in {a})|max({a}) * 1.0|np.array(list({a}))
np.polyval({a}, 0.4)|np.inner({a}, {a})|np.ediff1d({a})
"""
OF_MATRICES = """
{a}[0]|{a}[:, 1]|{a}[:, ::-1]|{a}[..., 0]|{a}[1, :]|{a} @ {a}.T|np.einsum("ij->j", {a})
np.einsum("ij,kj->ik", {a}, {a})|np.trace({a} @ {a}.T)|{a}.reshape(-1)|np.tril({a})
np.triu({a}, 1)|np.linalg.inv(2.0 * np.eye(len({a})) + {a} @ {a}.T)
np.linalg.slogdet(np.eye(len({a})) + {a} @ {a}.T)[1]|np.rot90({a})
np.linalg.solve(2.0 * np.eye(len({a})) + {a} @ {a}.T, {a})|np.vstack([{a}, {a}[0]])
np.linalg.cholesky(np.eye(len({a})) + {a} @ {a}.T)|np.diagonal({a} @ {a}.T)
np.tensordot({a}, {a}, axes=([1], [1]))|np.hstack([{a}, {a}])|{a}[[0, 1], [1, 0]]
np.kron({a}, np.eye(2))[:, ::2]|np.array([row.sum() for row in {a}])
np.linalg.eigvalsh({a} @ {a}.T + np.diag(np.arange(len({a}))))|np.linalg.norm({a}, axis=1)
np.linalg.svd({a} + np.eye(*{a}.shape), compute_uv=False)|np.cov({a})
np.linalg.matrix_power(0.5 * {a} @ {a}.T, 2)|np.apply_along_axis(np.sum, 0, {a})
np.linalg.det(np.eye(len({a})) + {a} @ {a}.T)|np.linalg.multi_dot([{a}, {a}.T, {a}])
np.where(np.eye(*{a}.shape) > 0, {a}, 0.1)|np.einsum("ij,j->i", {a}, {a}[0])|{a} @ {a}[1]
"""
CHANGES_OF_VECTORS = """
{t}[0] = {b}|{t}[1:] += {b}|{t}[::2] *= 0.5|{t}[-1] = {t}[0] * {t}[1]|{t} += {c}|{t} *= {c}
{t}[[0, 1]] = {t}[[1, 0]]|{t}[{t} < 0] = {b}|{t}[1:] = {t}[:-1] * 1.1|{t}[:] = np.flip({t})
np.add.at({t}, [0, 0], {b})|np.multiply({t}, {c}, out={t})|np.sin({t}, out={t})|{t}.sort()
{t} -= {t}.mean()|{t}[1] += {t}[0] ** 2|np.negative({t}, out={t}, where={t} < 0)
"""
CHANGES_OF_MATRICES = """
{t}[0] = {b}|{t}[:, 0] += {b}|{t}[1] *= {t}[0]|{t} += {c}|{t} *= {c}|{t}[{t} < 0] = {b}
{t}.T[0] = {b}|{t}[..., -1] = {t}[..., 0] * {b}|np.tanh({t}, out={t})|{t}[0] += {t}[1]
{t} /= 1.0 + {t}[0] ** 2|np.add({t}, {c}, out={t})|{t}[:, ::-1] -= {c}|{t} -= {t}.mean(axis=0)
"""
IN_LOOPS = """
{t} = {t} * 0.5 + np.sin({b})|{t} = np.tanh({t} + {b})|{t} = {t} + 0.1 * i * {b}
{t} = np.maximum({t}, {b}) * 0.9|{t} = {t} - 0.1 * {t} ** 2|if i % 2: {t} = {t} * {b}
if np.sum({t}) > 0.5: {t} = {t} * 0.7
"""


def _templates(table: str) -> list[str]:
    return [template for line in table.split("\n") for template in line.split("|") if template]


class _Writer:
    def __init__(self, random: Random, values: dict[str, Any]) -> None:
        self.random = random
        self.values = values
        self.lines: list[str] = []

    def statements(self, lines: list[str], name: str) -> bool:
        """Appends statements that set a name, unless they fail or give what isn't moderate."""
        values = dict(self.values)
        try:
            with np.errstate(all="raise"):
                exec("\n".join(lines), {"np": np}, values)
        except (ArithmeticError, ValueError, TypeError, IndexError, np.linalg.LinAlgError):
            return False
        array = np.asarray(values[name])
        if array.dtype != float or not 0 < array.size <= 60:
            return False
        if not np.all(np.isfinite(array)) or not 1e-3 < np.max(np.abs(array)) < 30:
            return False
        self.values[name] = values[name]
        self.lines += lines
        return True

    def name(self, fits: Callable[[Any], bool] = lambda array: True) -> str | None:
        """One of the values, the last ones more often."""
        names = [name for name, value in self.values.items() if fits(np.asarray(value))]
        if not names:
            return None
        at = int(len(names) * (1 - self.random.random() ** 2))
        return names[min(at, len(names) - 1)]

    def new(self) -> str:
        return f"t{len(self.values)}"

    def expression(self) -> None:
        a, b = self.name(), self.name()
        array = np.asarray(self.values[a])
        tables = [OF_ITEMS, OF_PAIRS]
        if array.ndim:
            tables += [ALONG_AXES, (OF_VECTORS, OF_MATRICES)[array.ndim > 1]]
        template = self.random.choice(_templates(self.random.choice(tables)))
        text = template.format(
            a=a, b=b, n=self.random.randrange(array.ndim) if array.ndim else 0,
            keep=self.random.choice(["", ", keepdims=True"]),
        )
        name = self.new()
        self.statements([f"{name} = {text}"], name)

    def change(self) -> None:
        a = self.name(lambda array: array.ndim > 0)
        if a is None:
            return
        array, name = np.asarray(self.values[a]), self.new()
        table = _templates(CHANGES_OF_MATRICES if array.ndim > 1 else CHANGES_OF_VECTORS)
        b = self.name(lambda array: not array.ndim) or "0.7"
        c = self.name(lambda other: other.shape == array.shape)
        changes = [
            self.random.choice(table).format(t=name, b=b, c=c)
            for _ in range(self.random.randint(1, 3))
        ]
        self.statements([f"{name} = {a}.copy()", *changes], name)

    def loop(self) -> None:
        a, b, name = self.name(), self.name(), self.new()
        body = [
            "    " + self.random.choice(_templates(IN_LOOPS)).format(t=name, b=b)
            for _ in range(self.random.randint(1, 2))
        ]
        lines = [f"{name} = {a} * 1.0", f"for i in range({self.random.randint(1, 3)}):", *body]
        if self.random.random() < 0.4:
            sums = f"sums_{name}"
            lines = [f"{sums} = []", *lines, f"    {sums}.append(np.sum({name}))"]
            lines.append(f"{name} = {name} + sum({sums})")
        self.statements(lines, name)


def program(seed: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function of a vector, a matrix and a number, and arguments for it."""
    random, draws = Random(seed), np.random.default_rng(seed)
    given = {"x": draws.normal(size=3), "y": draws.normal(size=(2, 3)), "s": float(draws.normal())}
    writer = _Writer(random, dict(given))
    size = random.choice([4, 7, 10])
    while len(writer.lines) < size:
        kind = random.random()
        if kind < 0.75:
            writer.expression()
        elif kind < 0.9:
            writer.change()
        else:
            writer.loop()
    made = [name for name in writer.values if name not in given]
    terms = [
        f"np.sum({name}) * {random.choice([0.5, 1.3, -0.7])}"
        for name in [*random.sample(made, min(3, len(made))), made[-1]]
    ]
    lines = [*writer.lines, f"return {' + '.join(terms)}"]
    text = f"def f({', '.join(given)}):\n" + "".join(f"    {line}\n" for line in lines)
    file, names = f"<array program {seed}>", {"np": np}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["f"], tuple(given.values())
