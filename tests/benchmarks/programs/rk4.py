"""The Lorenz system by the classical Runge-Kutta method: 1000 steps in Python floats."""

from tests.benchmarks.program import Program


def lorenz(x, y, z, sigma, rho, beta):
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def rk4(x, y, z, sigma, rho, beta):
    h = 0.005
    for _ in range(1000):
        x1, y1, z1 = lorenz(x, y, z, sigma, rho, beta)
        x2, y2, z2 = lorenz(x + 0.5 * h * x1, y + 0.5 * h * y1, z + 0.5 * h * z1, sigma, rho, beta)
        x3, y3, z3 = lorenz(x + 0.5 * h * x2, y + 0.5 * h * y2, z + 0.5 * h * z2, sigma, rho, beta)
        x4, y4, z4 = lorenz(x + h * x3, y + h * y3, z + h * z3, sigma, rho, beta)
        x = x + h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        y = y + h / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
        z = z + h / 6.0 * (z1 + 2.0 * z2 + 2.0 * z3 + z4)
    return x * x + y * y + z * z


def gradient_by_hand(x, y, z, sigma, rho, beta):
    """The right-hand side is written out in both directions: its calls would cost a third more.

    A record holds the four states at which the right-hand side was evaluated.
    """
    h = 0.005
    half = 0.5 * h
    sixth = h / 6.0
    records = []
    for _ in range(1000):
        x1 = sigma * (y - x)
        y1 = x * (rho - z) - y
        z1 = x * y - beta * z
        xa = x + half * x1
        ya = y + half * y1
        za = z + half * z1
        x2 = sigma * (ya - xa)
        y2 = xa * (rho - za) - ya
        z2 = xa * ya - beta * za
        xb = x + half * x2
        yb = y + half * y2
        zb = z + half * z2
        x3 = sigma * (yb - xb)
        y3 = xb * (rho - zb) - yb
        z3 = xb * yb - beta * zb
        xc = x + h * x3
        yc = y + h * y3
        zc = z + h * z3
        records.append((x, y, z, xa, ya, za, xb, yb, zb, xc, yc, zc))
        x = x + sixth * (x1 + 2.0 * x2 + 2.0 * x3 + sigma * (yc - xc))
        y = y + sixth * (y1 + 2.0 * y2 + 2.0 * y3 + (xc * (rho - zc) - yc))
        z = z + sixth * (z1 + 2.0 * z2 + 2.0 * z3 + (xc * yc - beta * zc))
    x_bar = 2.0 * x
    y_bar = 2.0 * y
    z_bar = 2.0 * z
    sigma_bar = rho_bar = beta_bar = 0.0
    for x, y, z, xa, ya, za, xb, yb, zb, xc, yc, zc in reversed(records):
        x4_bar = sixth * x_bar
        y4_bar = sixth * y_bar
        z4_bar = sixth * z_bar
        x2_bar = x3_bar = 2.0 * x4_bar
        y2_bar = y3_bar = 2.0 * y4_bar
        z2_bar = z3_bar = 2.0 * z4_bar

        sigma_bar += (yc - xc) * x4_bar
        rho_bar += xc * y4_bar
        beta_bar -= zc * z4_bar
        flow_bar = sigma * x4_bar
        xc_bar = (rho - zc) * y4_bar + yc * z4_bar - flow_bar
        yc_bar = flow_bar - y4_bar + xc * z4_bar
        zc_bar = -(xc * y4_bar) - beta * z4_bar
        x_bar += xc_bar
        y_bar += yc_bar
        z_bar += zc_bar
        x3_bar += h * xc_bar
        y3_bar += h * yc_bar
        z3_bar += h * zc_bar

        sigma_bar += (yb - xb) * x3_bar
        rho_bar += xb * y3_bar
        beta_bar -= zb * z3_bar
        flow_bar = sigma * x3_bar
        xb_bar = (rho - zb) * y3_bar + yb * z3_bar - flow_bar
        yb_bar = flow_bar - y3_bar + xb * z3_bar
        zb_bar = -(xb * y3_bar) - beta * z3_bar
        x_bar += xb_bar
        y_bar += yb_bar
        z_bar += zb_bar
        x2_bar += half * xb_bar
        y2_bar += half * yb_bar
        z2_bar += half * zb_bar

        sigma_bar += (ya - xa) * x2_bar
        rho_bar += xa * y2_bar
        beta_bar -= za * z2_bar
        flow_bar = sigma * x2_bar
        xa_bar = (rho - za) * y2_bar + ya * z2_bar - flow_bar
        ya_bar = flow_bar - y2_bar + xa * z2_bar
        za_bar = -(xa * y2_bar) - beta * z2_bar
        x_bar += xa_bar
        y_bar += ya_bar
        z_bar += za_bar
        x1_bar = x4_bar + half * xa_bar
        y1_bar = y4_bar + half * ya_bar
        z1_bar = z4_bar + half * za_bar

        sigma_bar += (y - x) * x1_bar
        rho_bar += x * y1_bar
        beta_bar -= z * z1_bar
        flow_bar = sigma * x1_bar
        x_bar += (rho - z) * y1_bar + y * z1_bar - flow_bar
        y_bar += flow_bar - y1_bar + x * z1_bar
        z_bar -= x * y1_bar + beta * z1_bar
    return x_bar, y_bar, z_bar, sigma_bar, rho_bar, beta_bar


def written_for_jax(x, y, z, sigma, rho, beta):
    from jax import lax

    h = 0.005

    def slope(state):
        x, y, z = state
        return lorenz(x, y, z, sigma, rho, beta)

    def moved(state, by, slopes):
        return tuple(value + by * rate for value, rate in zip(state, slopes, strict=True))

    def step(_, state):
        first = slope(state)
        second = slope(moved(state, 0.5 * h, first))
        third = slope(moved(state, 0.5 * h, second))
        fourth = slope(moved(state, h, third))
        return tuple(
            value + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
            for value, a, b, c, d in zip(state, first, second, third, fourth, strict=True)
        )

    x, y, z = lax.fori_loop(0, 1000, step, (x, y, z))
    return x * x + y * y + z * z


PROGRAM = Program(
    "rk4",
    rk4,
    gradient_by_hand,
    (1.0, 2.0, 20.0, 10.0, 28.0, 8.0 / 3.0),
    {},
    written_for_jax,
)
