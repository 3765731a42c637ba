# SPDX-License-Identifier: Apache-2.0
"""The special functions of `./dev sweep special`: names, where their arguments lie, SciPy's and mpmath's versions."""
import mpmath
import numpy as np
import scipy.special as sp

from special_exact import incomplete_beta, incomplete_gamma, normal_quantile, quantile
import special_references as exact
from special_points import Function, integers, line, parameter, probability, shape, signed_probability, some_near


def unary():
    m = mpmath
    r, positive = line(), line(0)
    phi = lambda x: m.erfc(-x / m.sqrt(2)) / 2
    loggamma = lambda x: m.log(abs(m.gamma(x))) if abs(x) < 1e6 else m.re(m.loggamma(x))
    return [
        Function("erf", [r], sp.erf, m.erf), Function("erfc", [r], sp.erfc, m.erfc),
        Function("erfinv", [signed_probability()], sp.erfinv, m.erfinv),
        Function("erfcx", [r], sp.erfcx, lambda x: m.exp(x * x) * m.erfc(x)),
        Function("dawsn", [r], sp.dawsn, exact.dawsn),
        Function("logit", [probability()], sp.logit, lambda p: m.log(p / (1 - p))),
        Function("expit", [r], sp.expit, lambda x: 1 / (1 + m.exp(-x))),
        Function("ndtr", [r], sp.ndtr, phi), Function("log_ndtr", [r], sp.log_ndtr, lambda x: m.log(phi(x))),
        Function("ndtri", [probability()], sp.ndtri, quantile(normal_quantile)),
        Function("gammaln", [r], lambda x: np.where(np.isinf(x), np.inf, sp.gammaln(x)), loggamma),
        Function("digamma", [r], sp.digamma, m.digamma),
        Function("gamma", [r], sp.gamma, m.gamma), Function("gammasgn", [line(-1e9)], sp.gammasgn),
        Function("loggamma", [r], sp.loggamma, lambda x: loggamma(x) if x >= 0 else None),
        Function("factorial", [line(-5)], lambda x: sp.factorial(x), lambda x: m.factorial(x) if x >= 0 else m.mpf(0)),
        Function("i0", [r], sp.i0, lambda x: m.besseli(0, x)), Function("i1", [r], sp.i1, lambda x: m.besseli(1, x)),
        Function("i0e", [r], sp.i0e, lambda x: m.besseli(0, x) * m.exp(-abs(x))),
        Function("i1e", [r], sp.i1e, lambda x: m.besseli(1, x) * m.exp(-abs(x))),
        Function("entr", [r], sp.entr, lambda x: -x * m.log(x) if x > 0 else m.mpf(0) if x == 0 else -m.inf),
        Function("exp1", [line(-1)], sp.exp1, m.e1),
        Function("expi", [r], sp.expi, m.ei),
        Function("sici_si", [r], lambda x: sp.sici(x)[0], m.si),
        Function("sici_ci", [positive], lambda x: sp.sici(x)[1], m.ci),
        Function("fresnel_s", [r], lambda x: sp.fresnel(x)[0], lambda x: exact.fresnel(x)[0]),
        Function("fresnel_c", [r], lambda x: sp.fresnel(x)[1], lambda x: exact.fresnel(x)[1]),
        Function("spence", [line(-1)], sp.spence, lambda x: m.polylog(2, 1 - x)),
        # As jax.scipy.special.zeta, special::zeta is NaN below 1, where SciPy continues Riemann's function.
        Function("zeta1", [line(1)], lambda x: sp.zeta(x), m.zeta),
    ]


def several():
    m = mpmath
    r, positive = line(), line(0)
    order = integers(0, 12)
    a = shape()

    def polygamma(n, x):
        y = sp.polygamma(np.where((n >= 0) & (n == np.floor(n)), n, 0), x)
        return np.where((n >= 0) & (n == np.floor(n)), y, np.nan)

    def bessel(v):
        return Function(f"bessel_j{v}", [line(-24, 24)], lambda x: sp.jv(v, x), lambda x: m.besselj(v, x))

    def zeta(x, q):
        """SciPy's, but NaN of NaN, and for an infinite x the limit."""
        y = np.where(np.isinf(x) & (q > 0), np.where(q > 1, 0, np.where(q == 1, 1, np.inf)), sp.zeta(x, q))
        return np.where(np.isnan(x) | np.isnan(q), np.nan, y)

    def of_numbers(f):
        """SciPy's, but NaN of NaN."""
        return lambda *x: np.where(np.any(np.isnan(x), axis=0), np.nan, f(*x))

    def comb(repetition):
        return lambda n, k: np.where(np.isnan(n) | np.isnan(k), np.nan, sp.comb(n, k, repetition=repetition))

    def multigammaln(x, d):
        y = np.full_like(x, np.nan)
        for k in range(1, 6):
            at = (d == k) & (x > 0.5 * (k - 1))
            y[at] = sp.multigammaln(x[at], k)
        return y

    def owens(h, w):
        h, sign = abs(h), 1 if w >= 0 else -1
        w = abs(w)
        tail = lambda t: m.erfc(t / m.sqrt(2)) / 2 if t < 1e6 else m.mpf(0)
        if h > 1e6:
            return m.mpf(0)
        if w > 1:
            return sign * ((tail(h) + tail(w * h)) / 2 - tail(h) * tail(w * h) - abs(owens(w * h, 1 / w)))
        end = min(w, 14 / h) if h else w
        # What is integrated is about 1: mpmath's goal is absolute.
        return sign * m.exp(-h * h / 2) * m.quad(lambda t: m.exp(-(h * t) ** 2 / 2) / (1 + t * t),
                                                 m.linspace(0, end, 9), method="gauss-legendre") / (2 * m.pi)

    def owens_limits(h, w):
        """At an infinite slope half of the tail."""
        if np.isnan(h) or np.isnan(w) or np.isinf(h):
            return np.nan if np.isnan(h) or np.isnan(w) else 0
        with m.workdps(30):
            return float(m.sign(w) * m.erfc(abs(m.mpf(h)) / m.sqrt(2)) / 4)

    def gauss(a, b, c, x):
        ends = any(v <= 0 and v == m.floor(v) for v in (a, b))  # a polynomial, also where c is the same
        for top in (c - a, c - b):  # a power times a polynomial, which mpmath does not see far out
            if top <= 0 and top == m.floor(top) and x < 1 and not ends:
                return (1 - x) ** (c - a - b) * m.hyp2f1(c - a, c - b, c, x)
        return m.hyp2f1(a, b, c, x)

    def gauss_limits(*x):
        """What it goes to at an infinite x: what it is far out, where that is huge or tiny."""
        if np.any(np.isnan(x)) or not np.all(np.isfinite(x[:3])):
            return np.nan
        if 0 in x[:2]:
            return 1
        far = m.hyp2f1(*x[:3], m.sign(x[3]) * m.mpf(10) ** 3000)
        size = abs(far)
        return float(m.sign(far)) * np.inf if size > 1e300 else 0 if size < 1e-300 else None

    plane = [line(-30, 30), line(-30, 30)]
    return [
        Function("polygamma", [order, line(-100)], polygamma, lambda n, x: m.psi(int(n), x)),
        Function("gammainc", [a, positive], sp.gammainc, lambda p, x: incomplete_gamma(p, x, False),
                 some_near(1, lambda p: p)),
        Function("gammaincc", [a, positive], sp.gammaincc, lambda p, x: incomplete_gamma(p, x, True),
                 some_near(1, lambda p: p)),
        Function("beta", [line(-1e30, 1e30), line(-1e30, 1e30)],
                 lambda p, q: np.where(np.isnan(p) | np.isnan(q), np.nan, sp.beta(p, q)), m.beta),
        Function("betaln", [shape(), shape()],
                 lambda p, q: np.where(np.isneginf(p) | np.isneginf(q), np.nan, sp.betaln(p, q)),
                 lambda p, q: m.log(abs(m.beta(p, q)))),
        Function("betainc", [a, a, probability()], sp.betainc,
                 lambda p, q, x: incomplete_beta(p, q, x, False), some_near(2, lambda p, q: p / (p + q))),
        Function("zeta", [line(1), line(-20)], zeta, exact.zeta),
        Function("rel_entr", [line(-1), line(-1)], sp.rel_entr, lambda x, y: x * m.log(x / y),
                 some_near(1, lambda x: x)),
        Function("kl_div", [line(-1), line(-1)], sp.kl_div, lambda x, y: x * m.log(x / y) - x + y,
                 some_near(1, lambda x: x)),
        Function("xlogy", [r, line(-1)], sp.xlogy, lambda x, y: x * m.log(y) if x else m.mpf(0)),
        Function("xlog1py", [r, line(-2)], sp.xlog1py, lambda x, y: x * m.log1p(y) if x else m.mpf(0)),
        Function("poch", [line(-50, 300), line(-20, 300)],
                 lambda z, k: np.where(np.isnan(z) | np.isnan(k), np.nan, sp.poch(z, k)),
                 lambda z, k: m.mpf(0) if z <= 0 and z == m.floor(z) and k != m.floor(k) else m.rf(z, k)),
        Function("comb", [line(0, 1e6), line(0, 1e6)], comb(False), m.binomial),
        Function("boxcox", [line(-1), line(-50, 50)],
                 lambda x, l: np.where((x == np.inf) & (l < 0), -1 / l, sp.boxcox(x, l)),
                 lambda x, l: (m.mpf(x) ** l - 1) / l if l else m.log(x)),
        Function("boxcox1p", [line(-1), line(-50, 50)],
                 lambda x, l: np.where((x == np.inf) & (l < 0), -1 / l, sp.boxcox1p(x, l)),
                 lambda x, l: ((1 + x) ** l - 1) / l if l else m.log1p(x)),
        Function("owens_t", [line(-40, 40), r], sp.owens_t, owens, limits=owens_limits),
        Function("expn", [integers(0, 60), line(-1)],
                 lambda n, x: np.where((n >= 0) & (n == np.floor(n)) & (n < 1e9),
                                       sp.expn(np.where((n >= 0) & (n < 1e9), n, 0).astype(int), x), np.nan),
                 exact.expn),
        Function("multigammaln", [shape(-2, 6), integers(1, 5, 0)], multigammaln,
                 lambda x, d: m.fsum([m.loggamma(x - m.mpf(k) / 2) for k in range(int(d))]
                                     + [d * (d - 1) * m.log(m.pi) / 4]) if 2 * x > d - 1 else m.nan),
        Function("hyp1f1", [parameter(), parameter(), line(-300, 300)], sp.hyp1f1, m.hyp1f1),
        Function("hyp2f1", [parameter(), parameter(), parameter(), line(-np.inf, 1)], of_numbers(sp.hyp2f1), gauss,
                 limits=gauss_limits),
        Function("hyp2f1_polynomial", [integers(-12, 0, 0), parameter(), parameter(), line()], of_numbers(sp.hyp2f1),
                 gauss, limits=gauss_limits),
        Function("wofz_re", plane, lambda x, y: sp.wofz(x + 1j * y).real, lambda x, y: exact.faddeeva(x, y).real),
        Function("wofz_im", plane, lambda x, y: sp.wofz(x + 1j * y).imag, lambda x, y: exact.faddeeva(x, y).imag),
        *[bessel(v) for v in (0, 1, 2, 5)],
        Function("sph_harm_re", [integers(0, 12, 0), integers(-12, 12, 0), line(0, 4), line(-7, 7)],
                 of_numbers(lambda n, k, t, p: sp.sph_harm_y(n.astype(int), k.astype(int), t, p).real),
                 lambda *x: exact.sphere_harmonic(*x).real),
        Function("sph_harm_im", [integers(0, 12, 0), integers(-12, 12, 0), line(0, 4), line(-7, 7)],
                 of_numbers(lambda n, k, t, p: sp.sph_harm_y(n.astype(int), k.astype(int), t, p).imag),
                 lambda *x: exact.sphere_harmonic(*x).imag),
    ]
