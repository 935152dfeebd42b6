"""What random compositions are made of: expressions by the kind of their value.

A number, a vector of 3, a matrix of 3 x 3, and a definite matrix stand for `{n}`, `{v}`, `{m}` and
`{d}`. All are smooth nearly everywhere, and of moderate size.
"""

from __future__ import annotations

NUMBERS = """
    np.sum({v})
    np.sum({m})
    {n} * {n}
    np.sin({n})
    {n} ** 2
    {n} ** 3
    np.exp(0.1 * {n})
    {v}[1]
    {m}[0, 2]
    {v} @ {v}
    np.trace({m})
    np.linalg.norm({m})
    np.max({v})
    np.linalg.slogdet({d})[1]
    np.mean({m})
    np.log(1.5 + {n} ** 2)
    np.prod({v})
    np.var({v})
    np.std({m} + np.arange(3.0))
    {n} if {n} > 0.3 else -2 * {n}
    np.linalg.det({m})
    np.dot({v}, {v})
    np.hypot({n}, 1.3)
    float(1.2) * {n}
    np.logaddexp({n}, {n})
    sum([item for item in {v}])
    max({n}, {n})
    abs({n} - 0.123)
    np.einsum('i,ij->', {v}, {m})
    np.arctan2({n}, 1.0 + {n} ** 2)
    np.median({v})
    np.trapezoid({v})
    np.ptp({v})
    np.interp({n}, np.array([-9.0, 0.0, 9.0]), {v})
    np.quantile({v}, 0.4)
"""
VECTORS = """
    {v} * {v}
    {v} + {n}
    np.tanh({v})
    {m} @ {v}
    {m}[1]
    {m}[:, 0]
    np.diag({m})
    np.sort({v})
    {v}[::-1]
    np.cumsum({v})
    np.where({v} > 0.1, {v}, 2 * {v})
    np.sum({m}, axis=0)
    np.mean({m}, axis=1)
    np.linalg.solve({d}, {v})
    np.linalg.eigvalsh({d})
    np.linalg.eigh({d})[0]
    np.linalg.svd({m} + np.diag([1.0, 3.0, 6.0]))[1]
    np.array([{n}, {n}, {n}])
    np.stack([{n}, {n}, 1.0])
    np.concatenate([{v}[:2], {v}[2:]])
    np.roll({v}, 1)
    np.maximum({v}, {v})
    {v} ** 2
    {v} ** 3
    np.abs({v}) ** 1.5
    np.exp(-{v} ** 2)
    {v} / (1.0 + {v} ** 2)
    np.max({m}, axis=1)
    np.clip({v}, -0.5, 0.8)
    np.cross({v}, {v})
    np.convolve({v}, {v})[1:4]
    np.gradient({v})
    np.split(np.concatenate([{v}, {v}]), 2)[0]
    np.hstack([{n}, {v}[:2]])
    np.real(np.fft.ifft(np.fft.fft({v}) * np.fft.fft({v})))
    np.abs(np.fft.fft({v} + np.array([1.0, 2.0, 4.0])))
    np.prod({m}, axis=0)
    np.take({v}, [2, 0, 2])
    {m}.ravel()[2:5]
    np.log1p({v} ** 2)
    np.apply_along_axis(lambda row: np.sum(row) * row[0], 1, {m})
    np.polyval({v}, {v})
    np.cumprod({v})
    np.expm1(0.3 * {v})
    np.flip({v})
    np.minimum({v}, {n})
    {v}.copy()
    np.nan_to_num({v})
    np.square({v})
    np.linalg.norm({m}, axis=0)
    np.ravel({m}.T)[[0, 4, 5]]
    np.logaddexp.reduce({m}, axis=0)
    np.add.accumulate({v})
    np.subtract.outer({v}, {v})[1]
"""
MATRICES = """
    {m} * {m}
    {m} @ {m}
    {m}.T
    np.outer({v}, {v})
    np.linalg.inv({d})
    np.linalg.cholesky({d})
    {m} + {v}
    {m} + {v}[:, None]
    np.diag({v})
    np.tril({m})
    np.sin({m})
    np.vstack([{v}, {v}, {v}])
    np.stack([{v}, {v}, {v}], axis=1)
    np.kron(np.eye(1), {m})
    np.reshape(np.concatenate([{v}, {v}, {v}]), (3, 3))
    np.einsum('ij,kj->ik', {m}, {m})
    {m} ** 2
    np.linalg.qr({m} + np.diag([1.0, 3.0, 6.0]))[1]
    np.linalg.qr({m} + np.diag([1.0, 3.0, 6.0]))[0]
    np.swapaxes({m}, 0, 1)
    np.rot90({m})
    np.tensordot({m}, {m}, axes=([1], [1]))
    np.linalg.matrix_power({m}, 2)
    np.linalg.pinv({d})
    np.pad({m}[1:, 1:], ((1, 0), (0, 1)), mode='edge')
    np.broadcast_to({v}, (3, 3))
    np.cov({m})
    np.multiply.outer({v}, {v})
    np.tile({v}, (3, 1))
    np.cumsum({m}, axis=1)
    np.diff(np.c_[{v}, {m}], axis=1)
    np.triu({m}, 1) + np.eye(3) * {n}
"""
DEFINITE = """
    {m} @ {m}.T + np.diag([2.0, 3.0, 5.0])
"""
EXPRESSIONS = {
    kind: [line.strip() for line in lines.strip().splitlines()]
    for kind, lines in {"n": NUMBERS, "v": VECTORS, "m": MATRICES, "d": DEFINITE}.items()
}
# Statements that bind `{new}`, of the kind that comes first; `{v}` and so on are as above.
STATEMENTS = {
    "a_call": [("n", "{new} = {n}"), ("v", "{new} = {v}"), ("m", "{new} = {m}")],
    "rows": [("v", "{new}, _, _ = {m}")],
    "eigenvalues": [("v", "{new}, _ = np.linalg.eigh({d})")],
    "stores": [("v", "{new} = np.zeros(3)\n{new}[:] = {v}\n{new}[2:] += {n}")],
    "a_loop": [
        ("n", "{new} = 0.0\nfor item in {v}:\n    {new} = 0.5 * {new} + np.sin(item) * {n}"),
        ("n", "{new} = 0.0\nfor i, item in enumerate({v}):\n    {new} = {new} * item + i * {n}"),
        ("n", "{new} = 0.0\nfor a, b in zip({v}, {m}):\n    {new} = {new} + a * np.sum(b) * {n}"),
    ],
    "a_branch": [("v", "if {n} > 0.2:\n    {new} = {v}\nelse:\n    {new} = {v}")],
    "a_table": [
        ("m", "{new} = np.zeros((3, 3))\nfor i in range(3):\n    {new}[i] = {v} * (i + 1)"),
    ],
    "a_comprehension": [("v", "{new} = np.array([item * {n} for item in {v}])")],
    "a_dict": [("n", "d = dict(a={n}, b={v})\n{new} = d['a'] * np.sum(d['b'])")],
}
