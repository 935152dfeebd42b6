"""Rows of the rules of `scipy.special`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from tests.rule_row import Options, Row, cases, cplx, real, signed, single, table

COMPLEX = np.array([0.3 + 0.4j, 1.2 - 0.5j])
ANYWHERE = (
    *("gamma", "rgamma", "erf", "erfc", "erfcx", "erfi", "dawsn", "expit", "log_expit", "ndtr"),
    *("log_ndtr", "j0", "j1", "i0", "i1", "i0e", "i1e", "exp10", "exp2", "expm1", "cbrt", "cosm1"),
    *("exprel", "sindg", "cosdg", "tandg", "cotdg", "expi", "ellipk", "ellipe"),
)
POSITIVE = (
    *("gammaln", "loggamma", "psi", "erfinv", "erfcinv", "logit", "ndtri", "entr", "y0", "y1"),
    *("k0", "k1", "k0e", "k1e", "log1p", "exp1", "spence"),
)


@table
def of_one() -> Iterator[Row]:
    for name in ANYWHERE:
        yield from cases(getattr(special, name), (signed(2, 3),), (real(3),), (0.4,))
    for name in POSITIVE:
        yield from cases(getattr(special, name), (real(2, 3),), (0.4,))
    for name in ("fresnel", "airy", "wofz", "lambertw"):
        yield from cases(getattr(special, name), (real(2, 3),), (0.4,), (COMPLEX,))
    for name in ("sici", "shichi"):
        yield from cases(getattr(special, name), (real(2, 3),), (0.4,))
    yield from cases(special.lambertw, (-0.3 * real(3), -1), (0.0,))
    for name in ("erf", "gamma", "erfc", "dawsn", "expm1"):
        yield from cases(getattr(special, name), (COMPLEX,))
    for name in ("erf", "expit", "gammaln"):
        yield from cases(getattr(special, name), (single(3),))
    yield from cases(special.ellipk, (0.0,))
    yield from cases(special.ellipe, (0.0,))
    yield from cases(special.exprel, (0.0,))
    yield from cases(special.spence, (1.0,))


@table
def of_one_more() -> Iterator[Row]:
    for name in ("ber", "bei", "berp", "beip", "ker", "kei", "kerp", "keip", "ellipkm1"):
        yield from cases(getattr(special, name), (real(2, 3),), (0.4,))
    for name in ("ber", "bei", "berp", "beip"):
        yield from cases(getattr(special, name), (0.0,), (signed(3),))
    yield from cases(special.ndtri_exp, (-real(2, 3),), (-30.0,))
    yield from cases(special.wrightomega, (signed(2, 3),), (0.4,), (COMPLEX,))
    yield from cases(special.powm1, (real(3), signed(2, 3)), (0.4, 1.3))
    for callee in (special.elliprf, special.elliprd, special.elliprg):
        yield from cases(callee, (real(3), real(2, 3), real(2, 1)), (0.4, 0.7, 0.3))
        yield from cases(callee, (0.4, 0.4, 0.4), (0.3, 0.7, 0.3))
    yield from cases(special.elliprc, (real(3), real(2, 3)), (0.4, 0.4), (real(3), -real(2, 3)))
    yield from cases(
        special.elliprj, (real(3), real(2, 3), real(2, 1), real(3)), (0.4, 0.4, 0.4, 0.4),
        (0.4, 0.7, 0.3, 0.7), (real(3), 0.7, 0.3, -real(2, 3)),
    )
    z = 0.4 + 0.3j
    yield from cases(special.elliprf, (z, 1 - z, z * z))
    yield from cases(special.elliprj, (z, 1 - z, z * z, 2 * z))
    for callee in (special.ellipkinc, special.ellipeinc):
        yield from cases(callee, (2 * signed(2, 3), signed(3)), (0.4, 0.0), (7.1, 0.7), (1.2, 0.95))
    yield from cases(special.kolmogorov, (real(2, 3),), (1.4,), (0.999,))
    yield from cases(special.kolmogi, (real(2, 3),), (0.4,))
    yield from cases(special.zetac, (1 + real(2, 3),), (0.4,), (-0.7 * real(3),), (7.5,))
    yield from cases(special.zeta, (2.4,), (1 + real(3), real(2, 3)), (2.4, 0.3))
    yield from cases(special.ellipj, (signed(2, 3), real(3)), (0.4, 0.7))


@table
def of_several() -> Iterator[Row]:
    for callee in (special.xlogy, special.xlog1py, special.rel_entr, special.kl_div):
        yield from cases(callee, (real(3), real(2, 3)), (0.4, real(3)))
    for callee in (special.huber, special.pseudo_huber):
        yield from cases(callee, (0.5, signed(2, 3)), (real(3), 2.0))
    for callee in (special.beta, special.betaln, special.poch):
        yield from cases(callee, (real(3), real(2, 3)), (0.4, 0.7))
    for callee in (special.logsumexp, special.softmax, special.log_softmax):
        yield from cases(callee, (signed(4),), (signed(2, 3), 1), (real(2, 3), Options(axis=0)))
    yield from cases(special.logsumexp, (signed(2, 3), Options(axis=1, keepdims=True)))
    for callee in (special.logsumexp, special.softmax, special.log_softmax):
        yield from cases(callee, (cplx(2, 3), 1), (cplx(3),))
    yield from cases(special.factorial, (4.3,), (real(2, 3),), (np.array([-0.5, 2.0, 3.5]),))
    yield from cases(special.comb, (4.3, 2), (5.2 + real(3), 1.4 + real(3)), (2.5, 3.0))
    yield from cases(special.comb, (4.3, 2.2, Options(repetition=True)))
    yield from cases(special.perm, (4.3, 2), (5.2 + real(3), 1.4 + real(3)), (2.5, 3.0))
    yield from cases(special.logsumexp, (cplx(4), None, cplx(4)))
    yield from cases(special.logsumexp, (signed(4), None, real(4)), (signed(2, 3), 0, real(3)))
    yield from cases(special.binom, (real(3) + 2, real(2, 3)))
    yield from cases(special.boxcox, (real(3), 0.4), (real(3), real(2, 3)), (0.4, 0.0))
    # Where nothing can be selected, a count is 0: as of 0.5 out of -0.4, and of 2.3 out of 0.6.
    yield from cases(special.factorial, (real(3),), (signed(2, 3),), (2.5,))
    yield from cases(special.comb, (real(3) + 2, real(2, 3)), (real(3), signed(2, 3)), (2.6, 1.3))
    yield from cases(special.comb, (real(3) + 2, real(2, 3), Options(repetition=True)))
    yield from cases(special.perm, (real(3) + 2, real(2, 3)), (real(3), signed(2, 3)), (2.6, 1.3))
    yield from cases(special.multigammaln, (real(3) + 2, 3))
    yield from cases(special.voigt_profile, (signed(2, 3), real(3), real(2, 1)), (0.4, 0.7, 0.3))
    yield from cases(special.owens_t, (signed(2, 3), signed(3)), (0.4, 0.7))


@table
def with_parameters() -> Iterator[Row]:
    """Only the last positional argument varies."""
    for name in ("gammainc", "gammaincc", "gammaincinv"):
        yield from cases(getattr(special, name), (1.3, real(2, 3)), (np.array([1, 2, 3]), real(3)))
    for name in ("betainc", "betaincinv"):
        yield from cases(getattr(special, name), (1.3, 2.1, real(2, 3)))
    for name in ("jv", "yv", "iv", "kv", "ive", "kve"):
        yield from cases(getattr(special, name), (1, real(3)), (0.7, real(2, 3)), (2.0, 0.4))
    yield from cases(special.expn, (0, real(3)), (np.array([0, 1, 2]), real(3)))
    for name in ("jn", "yn", "kn", "expn", "polygamma"):
        yield from cases(getattr(special, name), (2, real(3)))
    for name in ("hankel1", "hankel2"):
        yield from cases(getattr(special, name), (1, real(3)), (0.7, real(2, 3)))
    for name in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"):
        yield from cases(getattr(special, name), (2, real(3)))
        yield from cases(getattr(special, name), (1, real(3), Options(derivative=True)))
    for name in ("legendre", "chebyt", "chebyu", "hermite", "hermitenorm", "laguerre"):
        callee = getattr(special, f"eval_{name}")
        yield from cases(callee, (3, signed(2, 3)), (0, 0.4), (np.array([0, 1, 2]), signed(3)))
    for callee in (special.eval_gegenbauer, special.eval_genlaguerre):
        yield from cases(callee, (3, 0.7, signed(2, 3)), (0, 1.5, 0.4))
    yield from cases(special.eval_jacobi, (3, 0.3, 0.7, signed(2, 3)), (0, 1.5, 0.2, 0.4))
    yield from cases(special.stdtr, (3, signed(2, 3)))
    yield from cases(special.hyp0f1, (1.3, signed(3)))
    yield from cases(special.hyp1f1, (1.3, 2.1, signed(3)))
    yield from cases(special.hyp2f1, (1.3, 2.1, 0.7, signed(3)))


@table
def with_more_parameters() -> Iterator[Row]:
    for name in ("chdtr", "chdtrc", "chdtri", "gammainccinv", "stdtrit"):
        yield from cases(getattr(special, name), (3, real(2, 3)), (np.array([1, 2, 3]), real(3)))
    for name in ("fdtr", "fdtrc", "fdtri", "betaincc", "betainccinv"):
        if hasattr(special, name):  # the last two since SciPy 1.12
            yield from cases(getattr(special, name), (3, 4, real(2, 3)), (2.5, 1.7, 0.4))
    for name in ("gdtr", "gdtrc", "gdtrix"):
        yield from cases(getattr(special, name), (1.3, 2, real(2, 3)), (0.7, 1.7, 0.4))
    for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc"):
        yield from cases(getattr(special, name), (2, 5, real(2, 3)), (0, 4, 0.4))
    for name in ("pdtr", "pdtrc"):
        yield from cases(getattr(special, name), (2, real(2, 3)), (np.array([0, 1, 4]), real(3)))
    for name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"):
        yield from cases(getattr(special, name), (1, real(3)), (0.7, real(2, 3), Options(n=2)))
    for name in ("jve", "yve", "hankel1e", "hankel2e"):
        yield from cases(getattr(special, name), (1, real(3)), (0.7, real(2, 3)), (2, COMPLEX))
    for name in ("struve", "modstruve"):
        yield from cases(getattr(special, name), (1, real(2, 3)), (0.7, 0.4))
    yield from cases(special.hyperu, (1.3, 0.7, real(2, 3)), (2, 3, 0.4))


@table
def at_other_places() -> Iterator[Row]:
    for name in ("chebyc", "chebys", "sh_chebyt", "sh_chebyu", "sh_legendre"):
        callee = getattr(special, f"eval_{name}")
        yield from cases(callee, (3, signed(2, 3)), (0, 0.4), (np.array([0, 1, 2]), signed(3)))
    yield from cases(special.eval_sh_jacobi, (3, 2.3, 0.7, signed(2, 3)), (0, 1.5, 0.6, 0.4))
    if hasattr(special, "softplus"):
        yield from cases(special.softplus, (signed(2, 3),), (-800.0,))


@table
def at_edges() -> Iterator[tuple[Row, tuple[float, ...]]]:
    """Calls at the edge of where a function is defined, or where a formula is 0 / 0, and the slopes
    of those of their arguments that they have."""
    yield from zip(cases(special.xlogy, (0.0, 0.0)), ((-np.inf, 0.0),), strict=True)
    for callee, args, slopes in (
        (special.xlogy, (0.0, 0.5), (np.log(0.5), 0.0)),
        (special.xlog1py, (0.0, -1.0), (-np.inf, 0.0)),
        (special.rel_entr, (0.0, 0.5), (-np.inf, 0.0)),
        (special.kl_div, (0.0, 0.5), (-np.inf, 1.0)),
        (special.boxcox, (0.0, 1.5), (0.0, 1 / 1.5**2)),
        (special.boxcox, (2.0, 0.0), (0.5, 0.5 * np.log(2.0) ** 2)),
        (special.pseudo_huber, (0.0, 1.0), (1.0, 0.0)),
        (special.pseudo_huber, (0.0, 0.0), (0.0, 0.0)),
        (special.poch, (0.0, 1.0), (1.0, 0.0)),
        (special.poch, (-1.0, 2.0), (-1.0, 0.0)),
        (special.binom, (5.0, 6.0), (1 / 6, -1 / 6)),
        (special.voigt_profile, (0.5, 0.0, 1.0), (-0.64 / np.pi, 0.0, -0.48 / np.pi)),
        (special.elliprg, (0.0, 1.0, 1.0), (np.pi / 8, np.pi / 16, np.pi / 16)),
        (special.kolmogorov, (0.0,), (0.0,)),
    ):
        yield Row(callee, args), slopes
