"""The functions of `./dev sweep special`: their names, where their arguments lie, and SciPy's and mpmath's versions."""
import functools

import mpmath
import numpy as np
import scipy.special as sp
import scipy.stats as st

DIGITS = 50


# --- where arguments lie
class Region:
    """Numbers of one argument, made of many kinds; `real`: an error of the argument is one of the function's."""

    def __init__(self, make, real=True):
        self.make, self.real = make, real


def mixed(kinds, rng, n, dtype, edges=None, lo=-np.inf, hi=np.inf):
    """n numbers, of which each kind gives as many as the others, and a few that lie at the edges."""
    of = rng.integers(len(kinds), size=n)
    out = np.empty(n)
    for k, kind in enumerate(kinds):
        out[of == k] = kind(int((of == k).sum()))
    info = np.finfo(dtype)
    if edges is None:
        edges = np.array([0, -0.0, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, -info.tiny,
                          float(info.smallest_subnormal), -float(info.smallest_subnormal), info.tiny / 7, info.eps])
    some = rng.random(n) < 0.01
    out[some] = rng.choice([e for e in edges if not (e < lo or e > hi)], int(some.sum()))
    return out


def kinds_of(rng, dtype, lo, hi):
    """Kinds of numbers in lo..hi, which may be infinite."""
    info = np.finfo(dtype)
    digits = 23 if dtype == np.float32 else 52
    most = np.log10(info.max) - 0.5

    def sign(n):
        return np.where(rng.random(n) < 0.5, -1.0, 1.0) if lo < 0 else np.ones(n)

    def logarithmic(a, b):
        return lambda n: sign(n) * 10 ** rng.uniform(a, b, n)

    def wholes(n):
        return np.clip(sign(n) * rng.integers(0, 200, n), lo, min(hi, 1e6))

    def near(x):
        return x * (1 + np.where(rng.random(len(x)) < 0.5, -1, 1) * 2.0 ** -rng.integers(8, digits + 1, len(x)))

    def uniform(a, b):
        return lambda n: rng.uniform(max(a, lo), min(b, hi), n)

    kinds = [uniform(-4, 4), uniform(-30, 30), uniform(-700, 700), wholes, lambda n: wholes(n) + 0.5 * sign(n),
             lambda n: near(wholes(n)), lambda n: near(wholes(n) + 0.5 * sign(n)), logarithmic(-most, -4),
             logarithmic(-4, 1), logarithmic(-1, 4), logarithmic(2, most)]

    def inside(kind):
        def numbers(n):
            x = kind(n)
            odd = ~((x >= lo) & (x <= hi))
            x[odd] = uniform(max(lo, -10), min(hi, 10))(int(odd.sum()))
            return x
        return numbers

    return [inside(k) for k in kinds]


def line(lo=-np.inf, hi=np.inf):
    return Region(lambda rng, n, dtype: mixed(kinds_of(rng, dtype, lo, hi), rng, n, dtype, None, lo, hi))


def probability():
    """0 to 1, both ends closely, and what is outside."""
    def make(rng, n, dtype):
        digits = 24 if dtype == np.float32 else 53
        most = 37 if dtype == np.float32 else 300
        return mixed([lambda n: rng.random(n), lambda n: 10 ** rng.uniform(-most, 0, n),
                      lambda n: 1 - 2 ** rng.uniform(-digits, 0, n), lambda n: rng.integers(0, 33, n) / 32,
                      lambda n: 0.5 + 2 ** rng.uniform(-digits, -1, n) * np.where(rng.random(n) < 0.5, -1, 1),
                      lambda n: 10 ** rng.uniform(-10, 0, n), lambda n: rng.random(n), lambda n: rng.uniform(-1, 2, n)],
                     rng, n, dtype)
    return Region(make)


def signed_probability():
    inner = probability().make
    return Region(lambda rng, n, dtype: inner(rng, n, dtype) * np.where(rng.random(n) < 0.5, -1, 1))


def integers(lo, hi, odd=0.02):
    """Whole numbers, and few that are not."""
    def make(rng, n, dtype):
        x = rng.integers(lo, hi + 1, n).astype(float)
        large = rng.random(n) < 0.5
        x[large] = rng.integers(max(lo, -4), min(hi, 8) + 1, int(large.sum()))
        some = rng.random(n) < odd
        x[some] = rng.choice([lo + 0.5, lo + 1.5, np.nan, lo - 1], int(some.sum()))
        return x
    return Region(make, real=False)


def shape(lo=-10, hi=10, odd=0.02):
    """Parameters of shapes: positive, over many orders, whole numbers and halves."""
    def make(rng, n, dtype):
        x = mixed([lambda n: 10 ** rng.uniform(lo, hi, n), lambda n: 10 ** rng.uniform(-2, 2, n),
                   lambda n: rng.integers(1, 40, n).astype(float), lambda n: rng.integers(0, 40, n) + 0.5,
                   lambda n: rng.uniform(0, 5, n), lambda n: rng.uniform(0, 200, n)], rng, n, dtype)
        outside = ~((x > 0) & np.isfinite(x)) | (x > 10.0**hi * 1.001) | (x < 10.0**lo)
        outside &= rng.random(n) > odd
        x[outside] = rng.uniform(0.1, 10, int(outside.sum()))
        return x
    return Region(make)


def parameter(most=30):
    """Of hypergeometric functions: both signs, whole numbers, those near them, halves."""
    def make(rng, n, dtype):
        return mixed([lambda n: rng.uniform(-3, 3, n), lambda n: rng.integers(-12, 13, n).astype(float),
                      lambda n: rng.integers(-12, 13, n) + 0.5, lambda n: rng.uniform(-most, most, n),
                      lambda n: rng.uniform(0, 4, n), lambda n: rng.integers(-3, 6, n).astype(float)], rng, n, dtype,
                     [0, np.nan, 1])
    return Region(make)


# --- functions
class Function:
    def __init__(self, name, args, scipy, exact=None, relate=None):
        self.name, self.args, self.call, self.mpmath, self.relate = name, args, scipy, exact, relate

    def scipy(self, *args):
        """Its values; where it fails, those of halves of the points, at last NaN."""
        try:
            return np.asarray(self.call(*args), np.float64)
        except (OverflowError, ValueError, ZeroDivisionError):
            n = len(args[0])
            if n <= 1:
                return np.full(n, np.nan)
            halves = (slice(0, n // 2), slice(n // 2, n))
            return np.concatenate([self.scipy(*[a[half] for a in args]) for half in halves])

    def points(self, rng, n, dtype):
        x = [a.make(rng, n, dtype) for a in self.args]
        return self.relate(rng, x) if self.relate else x

    def exact(self, at):
        """mpmath's value as a float64; None where it has none."""
        if not np.all(np.isfinite(at)):
            return None
        try:
            with mpmath.workdps(DIGITS):
                y = self.mpmath(*[mpmath.mpf(float(v)) for v in at])
                y = mpmath.re(y) if abs(mpmath.im(y)) <= abs(y) * mpmath.mpf(10) ** -20 else mpmath.nan
                return float(y)
        except (ValueError, ZeroDivisionError, mpmath.NoConvergence, OverflowError, TypeError):
            return None


def some_near(i, centre, share=0.4):
    """Moves a share of argument i to where `centre` of the others is, within a few standard deviations or digits."""
    def move(rng, x):
        n = len(x[0])
        some = rng.random(n) < share
        c = centre(*[v for k, v in enumerate(x) if k != i])
        width = np.where(rng.random(n) < 0.7, 3 / np.sqrt(np.abs(c) + 1), 10 ** rng.uniform(-8, 0, n))
        x[i] = np.where(some & np.isfinite(c), c * (1 + width * rng.normal(size=n)), x[i])
        return x
    return move


def unary():
    m = mpmath
    r, positive = line(), line(0)
    phi = lambda x: m.erfc(-x / m.sqrt(2)) / 2
    loggamma = lambda x: m.log(abs(m.gamma(x))) if abs(x) < 1e6 else m.re(m.loggamma(x))
    return [
        Function("erf", [r], sp.erf, m.erf), Function("erfc", [r], sp.erfc, m.erfc),
        Function("erfinv", [signed_probability()], sp.erfinv, m.erfinv),
        Function("erfcx", [r], sp.erfcx, lambda x: m.exp(x * x) * m.erfc(x)),
        Function("dawsn", [r], sp.dawsn,
                 lambda x: m.sqrt(m.pi) / 2 * m.exp(-x * x) * m.erfi(x) if abs(x) < 100
                 else 1 / (2 * x) * m.hyp2f0(1, 0.5, 1 / (x * x))),
        Function("logit", [probability()], sp.logit, lambda p: m.log(p / (1 - p))),
        Function("expit", [r], sp.expit, lambda x: 1 / (1 + m.exp(-x))),
        Function("ndtr", [r], sp.ndtr, phi), Function("log_ndtr", [r], sp.log_ndtr, lambda x: m.log(phi(x))),
        Function("ndtri", [probability()], sp.ndtri, None),
        Function("gammaln", [r], lambda x: np.where(np.isinf(x), np.inf, sp.gammaln(x)), loggamma),
        Function("digamma", [r], sp.digamma, m.digamma),
        Function("gamma", [r], sp.gamma, m.gamma), Function("gammasgn", [line(-1e9)], sp.gammasgn),
        Function("loggamma", [r], sp.loggamma, lambda x: loggamma(x) if x >= 0 else None),
        Function("factorial", [line(-5)], lambda x: sp.factorial(x), lambda x: m.factorial(x) if x >= 0 else m.mpf(0)),
        Function("i0", [r], sp.i0, lambda x: m.besseli(0, x)), Function("i1", [r], sp.i1, lambda x: m.besseli(1, x)),
        Function("i0e", [r], sp.i0e, lambda x: m.besseli(0, x) * m.exp(-abs(x))),
        Function("i1e", [r], sp.i1e, lambda x: m.besseli(1, x) * m.exp(-abs(x))),
        Function("entr", [r], sp.entr), Function("exp1", [line(-1)], sp.exp1, m.e1),
        Function("expi", [r], sp.expi, m.ei),
        Function("sici_si", [r], lambda x: sp.sici(x)[0], m.si),
        Function("sici_ci", [positive], lambda x: sp.sici(x)[1], m.ci),
        Function("fresnel_s", [r], lambda x: sp.fresnel(x)[0], m.fresnels),
        Function("fresnel_c", [r], lambda x: sp.fresnel(x)[1], m.fresnelc),
        Function("spence", [line(-1)], sp.spence, lambda x: m.polylog(2, 1 - x)),
        # As jax.scipy.special.zeta, special::zeta is NaN below 1, where SciPy continues Riemann's function.
        Function("zeta1", [line(1)], lambda x: sp.zeta(x), m.zeta),
    ]


def several():
    m = mpmath
    r, positive = line(), line(0)
    order = integers(0, 12)
    a = shape()

    def tail(p, x, upper):
        """The incomplete gamma functions; for large p the integral of the density over 40 deviations."""
        if p < 1e5:
            return m.gammainc(p, x, regularized=True) if upper else m.gammainc(p, 0, x, regularized=True)
        if abs(x - p) > 0.5 * p:
            return m.mpf((x < p) == upper)
        if (x > p) != upper:
            return 1 - tail(p, x, not upper)
        scale = m.loggamma(p)
        width, sign = m.sqrt(p), 1 if upper else -1
        step = width / (1 + abs(x - p) / width)
        return m.quad(lambda t: m.exp((p - 1) * m.log(t) - t - scale),
                      [x + sign * step * k for k in (0, 1, 2, 4, 8, 16, 32, 64, 90)][::sign])

    def polygamma(n, x):
        y = sp.polygamma(np.where((n >= 0) & (n == np.floor(n)), n, 0), x)
        return np.where((n >= 0) & (n == np.floor(n)), y, np.nan)

    def bessel(v):
        return Function(f"bessel_j{v}", [line(-24, 24)], lambda x: sp.jv(v, x), lambda x: m.besselj(v, x))

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
        tail = lambda t: m.erfc(t / m.sqrt(2)) / 2
        if w > 1:
            return sign * ((tail(h) + tail(w * h)) / 2 - tail(h) * tail(w * h) - abs(owens(w * h, 1 / w)))
        end = min(w, 14 / h) if h else w
        return sign * m.quad(lambda t: m.exp(-h * h * (1 + t * t) / 2) / (1 + t * t),
                             m.linspace(0, end, 25)) / (2 * m.pi)

    def gauss(a, b, c, x):
        return m.hyp2f1(a, b, c, x)

    plane = [line(-30, 30), line(-30, 30)]
    return [
        Function("polygamma", [order, line(-100)], polygamma, lambda n, x: m.psi(int(n), x)),
        Function("gammainc", [a, positive], sp.gammainc, lambda p, x: tail(p, x, False),
                 some_near(1, lambda p: p)),
        Function("gammaincc", [a, positive], sp.gammaincc, lambda p, x: tail(p, x, True),
                 some_near(1, lambda p: p)),
        Function("beta", [line(-1e30, 1e30), line(-1e30, 1e30)], sp.beta, m.beta),
        Function("betaln", [shape(), shape()], sp.betaln,
                                                           lambda p, q: m.log(abs(m.beta(p, q)))),
        Function("betainc", [a, a, probability()], sp.betainc,
                 lambda p, q, x: m.betainc(p, q, 0, x, regularized=True), some_near(2, lambda p, q: p / (p + q))),
        Function("zeta", [line(1), line(-20)], sp.zeta,
                 lambda x, q: m.zeta(x, q) if x < 1000 else m.mpf(q) ** -x if q > 0 else None),
        Function("rel_entr", [line(-1), line(-1)], sp.rel_entr, lambda x, y: x * m.log(x / y),
                 some_near(1, lambda x: x)),
        Function("kl_div", [line(-1), line(-1)], sp.kl_div, lambda x, y: x * m.log(x / y) - x + y,
                 some_near(1, lambda x: x)),
        Function("xlogy", [r, line(-1)], sp.xlogy, lambda x, y: x * m.log(y) if x else m.mpf(0)),
        Function("xlog1py", [r, line(-2)], sp.xlog1py, lambda x, y: x * m.log1p(y) if x else m.mpf(0)),
        Function("poch", [line(-50, 300), line(-20, 300)], sp.poch, m.rf),
        Function("comb", [line(0, 1e6), line(0, 1e6)], comb(False), m.binomial),
        Function("boxcox", [line(-1), line(-50, 50)], sp.boxcox,
                 lambda x, l: (m.mpf(x) ** l - 1) / l if l else m.log(x)),
        Function("boxcox1p", [line(-1), line(-50, 50)], sp.boxcox1p,
                 lambda x, l: ((1 + x) ** l - 1) / l if l else m.log1p(x)),
        Function("owens_t", [line(-40, 40), r], sp.owens_t, owens),
        Function("expn", [integers(0, 60), line(-1)],
                 lambda n, x: np.where((n >= 0) & (n == np.floor(n)) & (n < 1e9),
                                       sp.expn(np.where((n >= 0) & (n < 1e9), n, 0).astype(int), x), np.nan),
                 lambda n, x: m.expint(int(n), x)),
        Function("multigammaln", [shape(-2, 6), integers(1, 5, 0)], multigammaln),
        Function("hyp1f1", [parameter(), parameter(), line(-300, 300)], sp.hyp1f1, m.hyp1f1),
        Function("hyp2f1", [parameter(), parameter(), parameter(), line(-np.inf, 1)], sp.hyp2f1, gauss),
        Function("hyp2f1_polynomial", [integers(-12, 0, 0), parameter(), parameter(), line()], sp.hyp2f1, gauss),
        Function("wofz_re", plane, lambda x, y: sp.wofz(x + 1j * y).real),
        Function("wofz_im", plane, lambda x, y: sp.wofz(x + 1j * y).imag),
        *[bessel(v) for v in (0, 1, 2, 5)],
        Function("sph_harm_re", [integers(0, 12, 0), integers(-12, 12, 0), line(0, 4), line(-7, 7)],
                 lambda n, k, t, p: sp.sph_harm_y(n.astype(int), k.astype(int), t, p).real),
        Function("sph_harm_im", [integers(0, 12, 0), integers(-12, 12, 0), line(0, 4), line(-7, 7)],
                 lambda n, k, t, p: sp.sph_harm_y(n.astype(int), k.astype(int), t, p).imag),
    ]


def distributions():
    m = mpmath
    x, positive, p = line(), line(-1), probability()
    whole = integers(0, 300)
    out = []

    def add(name, d, methods, args, relate=None, exact=()):
        for method in methods.split():
            first = p if method in ("ppf", "isf") else args[0]
            out.append(Function(f"{name}_{method}", [first, *args[1:]], getattr(d, method), dict(exact).get(method),
                                None if method in ("ppf", "isf") else relate))

    densities = "logpdf pdf"
    tails = "cdf sf logcdf logsf"
    add("norm", st.norm, f"{densities} {tails} ppf isf", [x])
    add("expon", st.expon, f"{densities} {tails} ppf", [positive])
    add("uniform", st.uniform, f"{densities} cdf ppf", [x])
    add("laplace", st.laplace, f"{densities} cdf", [x], None, {"logpdf": lambda v: -abs(v) - m.log(2)})
    add("logistic", st.logistic, f"{densities} cdf sf ppf isf", [x])
    add("cauchy", st.cauchy, f"{densities} {tails} ppf isf", [x])
    gamma_log = lambda v, a: (a - 1) * m.log(v) - v - m.loggamma(a) if v > 0 and a > 0 else None
    lower = lambda v, a: m.gammainc(a, 0, v, regularized=True) if v > 0 and a > 0 else None
    upper = lambda v, a: m.gammainc(a, v, regularized=True) if v > 0 and a > 0 else None
    log_of = lambda f: lambda *v: None if f(*v) is None else m.log(f(*v))
    exp_of = lambda f: lambda *v: None if f(*v) is None else m.exp(f(*v))
    of_gamma = {"logpdf": gamma_log, "pdf": exp_of(gamma_log), "cdf": lower, "sf": upper, "logcdf": log_of(lower),
                "logsf": log_of(upper)}
    add("gamma", st.gamma, f"{densities} {tails}", [positive, shape(-6, 6)], some_near(0, lambda a: a), of_gamma)
    half = lambda f: lambda v, k: None if f(v / 2, k / 2) is None else f(v / 2, k / 2)
    of_chi2 = {k: half(f) for k, f in of_gamma.items() if k not in ("logpdf", "pdf")}
    chi2_log = lambda v, k: None if gamma_log(v / 2, k / 2) is None else gamma_log(v / 2, k / 2) - m.log(2)
    add("chi2", st.chi2, f"{densities} {tails}", [positive, shape(-6, 6)], some_near(0, lambda k: k),
        {**of_chi2, "logpdf": chi2_log, "pdf": exp_of(chi2_log)})
    beta_log = lambda v, a, b: ((a - 1) * m.log(v) + (b - 1) * m.log1p(-v) - m.log(m.beta(a, b))
                                if 0 < v < 1 and a > 0 and b > 0 else None)
    beta_low = lambda v, a, b: m.betainc(a, b, 0, v, regularized=True) if 0 < v < 1 and a > 0 and b > 0 else None
    beta_high = lambda v, a, b: m.betainc(b, a, 0, 1 - v, regularized=True) if 0 < v < 1 and a > 0 and b > 0 else None
    add("beta", st.beta, f"{densities} {tails}", [p, shape(-3, 4), shape(-3, 4)],
        some_near(0, lambda a, b: a / (a + b)),
        {"logpdf": beta_log, "pdf": exp_of(beta_log), "cdf": beta_low, "sf": beta_high, "logcdf": log_of(beta_low),
         "logsf": log_of(beta_high)})
    t_log = lambda v, k: (m.loggamma((k + 1) / 2) - m.loggamma(k / 2) - m.log(m.pi * k) / 2
                          - (k + 1) / 2 * m.log1p(v * v / k) if k > 0 else None)
    add("t", st.t, densities, [x, shape(-3, 8)], None, {"logpdf": t_log, "pdf": exp_of(t_log)})
    poisson_log = lambda k, mu: (k * m.log(mu) - mu - m.loggamma(k + 1)
                                 if k >= 0 and k == m.floor(k) and mu > 0 else None)
    add("poisson", st.poisson, "logpmf pmf cdf", [whole, shape(-6, 6)], None,
        {"logpmf": poisson_log, "pmf": exp_of(poisson_log)})
    add("bernoulli", st.bernoulli, "logpmf pmf cdf ppf", [integers(-1, 2), p])
    binom_log = lambda k, n, q: (m.log(m.binomial(n, k)) + k * m.log(q) + (n - k) * m.log1p(-q)
                                 if 0 <= k <= n and k == m.floor(k) and 0 < q < 1 else None)
    add("binom", st.binom, "logpmf pmf", [whole, integers(0, 300, 0), p], None,
        {"logpmf": binom_log, "pmf": exp_of(binom_log)})
    add("geom", st.geom, "logpmf pmf", [integers(1, 300), p])
    return out


@functools.cache
def functions():
    return [*unary(), *several(), *distributions()]
