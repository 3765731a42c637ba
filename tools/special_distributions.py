# SPDX-License-Identifier: Apache-2.0
"""The distributions of `./dev sweep special`."""
import mpmath as m
import numpy as np
import scipy.stats as st

from special_exact import incomplete_beta, incomplete_gamma, normal_quantile, quantile
from special_points import Function, integers, line, probability, shape, some_near

CONTINUOUS = "logpdf pdf cdf sf logcdf logsf"


def log_or_none(y):
    return -m.inf if y == 0 else m.log(y)


def log_of(y, other, at):
    """log(y), near 1 by the other tail."""
    return y if y is None else log_or_none(y) if y < 0.5 else m.log1p(-other(*at))


class Density:
    """mpmath's versions of a distribution's methods, of its log density and its tails on `support`."""

    def __init__(self, log_density, lower, upper, support=(-m.inf, m.inf), valid=lambda *p: True):
        self.log_density, self.lower, self.upper, self.support, self.valid = log_density, lower, upper, support, valid

    def _inside(self, f, below, above):
        def of(x, *p):
            if m.isnan(x) or any(map(m.isnan, p)) or not self.valid(*p):
                return m.nan
            if x < self.support[0] or x == -m.inf:
                return m.mpf(below)
            if x > self.support[1] or x == m.inf:
                return m.mpf(above)
            return f(x, *p)
        return of

    def methods(self):
        density, lower, upper = self.log_density, self.lower, self.upper
        return {"logpdf": self._inside(density, -m.inf, -m.inf), "logpmf": self._inside(density, -m.inf, -m.inf),
                "pdf": self._inside(lambda *v: m.exp(density(*v)), 0, 0),
                "pmf": self._inside(lambda *v: m.exp(density(*v)), 0, 0),
                "cdf": self._inside(lower, 0, 1), "sf": self._inside(upper, 1, 0),
                "logcdf": self._inside(lambda *v: log_of(lower(*v), upper, v), -m.inf, 0),
                "logsf": self._inside(lambda *v: log_of(upper(*v), lower, v), 0, -m.inf)}


def limits_of(exact):
    """At infinite first arguments as `exact`; other infinite arguments have no meaning of their own."""
    def limits(x, *p):
        return exact(m.mpf(x), *map(m.mpf, p)) if np.all(np.isfinite(p)) else None
    return limits


def continuous():
    x, positive, p = line(), line(-1), probability()
    half, two_pi = m.mpf(1) / 2, lambda: 2 * m.pi

    def add(name, d, methods, args, density, inverse=None, relate=None):
        exact = density.methods()
        if inverse:
            exact["ppf"], exact["isf"] = quantile(inverse), quantile(lambda q: -inverse(q))  # of symmetric ones
        for method in methods.split():
            inverted = method in ("ppf", "isf")
            yield Function(f"{name}_{method}", [p if inverted else args[0], *args[1:]], getattr(d, method),
                           exact[method], None if inverted else relate,
                           None if inverted else limits_of(exact[method]))

    normal = Density(lambda v: -v * v / 2 - m.log(two_pi()) / 2, lambda v: m.erfc(-v / m.sqrt(2)) / 2,
                     lambda v: m.erfc(v / m.sqrt(2)) / 2)
    yield from add("norm", st.norm, CONTINUOUS + " ppf isf", [x], normal, normal_quantile)
    exponential = Density(lambda v: -v, lambda v: -m.expm1(-v), lambda v: m.exp(-v), (0, m.inf))
    yield from add("expon", st.expon, CONTINUOUS + " ppf", [positive], exponential, lambda q: -m.log1p(-q))
    uniform = Density(lambda v: m.mpf(0), lambda v: v, lambda v: 1 - v, (0, 1))
    yield from add("uniform", st.uniform, "logpdf pdf cdf ppf", [x], uniform, lambda q: q)
    laplace = Density(lambda v: -abs(v) - m.log(2), lambda v: m.exp(v) / 2 if v < 0 else 1 - m.exp(-v) / 2, None)
    yield from add("laplace", st.laplace, "logpdf pdf cdf", [x], laplace)
    logistic = Density(lambda v: -abs(v) - 2 * m.log1p(m.exp(-abs(v))), lambda v: 1 / (1 + m.exp(-v)),
                       lambda v: 1 / (1 + m.exp(v)))
    yield from add("logistic", st.logistic, "logpdf pdf cdf sf ppf isf", [x], logistic, lambda q: m.log(q / (1 - q)))
    cauchy = Density(lambda v: -m.log(m.pi) - m.log1p(v * v), lambda v: m.atan2(1, -v) / m.pi,
                     lambda v: m.atan2(1, v) / m.pi)
    yield from add("cauchy", st.cauchy, CONTINUOUS + " ppf isf", [x], cauchy, lambda q: -m.cot(m.pi * q))

    def gamma_log(v, a):
        return (a - 1) * m.log(v) - v - m.loggamma(a) if v > 0 else None

    def gamma_tail(upper):
        return lambda v, a: incomplete_gamma(a, v, upper) if v > 0 else m.mpf(upper)

    of_gamma = Density(gamma_log, gamma_tail(False), gamma_tail(True), (0, m.inf), lambda a: a > 0)
    yield from add("gamma", st.gamma, CONTINUOUS, [positive, shape(-6, 6)], of_gamma, None,
                   some_near(0, lambda a: a))
    of_chi2 = Density(lambda v, k: gamma_log(v / 2, k / 2) - m.log(2) if v > 0 else None,
                      lambda v, k: of_gamma.lower(v / 2, k / 2), lambda v, k: of_gamma.upper(v / 2, k / 2), (0, m.inf),
                      lambda k: k > 0)
    yield from add("chi2", st.chi2, CONTINUOUS, [positive, shape(-6, 6)], of_chi2, None, some_near(0, lambda k: k))

    def beta_log(v, a, b):
        size = m.loggamma(a) + m.loggamma(b) - m.loggamma(a + b)
        return (a - 1) * m.log(v) + (b - 1) * m.log1p(-v) - size if 0 < v < 1 else None

    of_beta = Density(beta_log, lambda v, a, b: incomplete_beta(a, b, v, False),
                      lambda v, a, b: incomplete_beta(a, b, v, True), (0, 1), lambda a, b: a > 0 and b > 0)
    yield from add("beta", st.beta, CONTINUOUS, [p, shape(-3, 4), shape(-3, 4)], of_beta, None,
                   some_near(0, lambda a, b: a / (a + b)))

    def t_log(v, k):
        return (m.loggamma((k + 1) / 2) - m.loggamma(k / 2) - m.log(m.pi * k) * half
                - (k + 1) / 2 * m.log1p(v * v / k))

    of_t = Density(t_log, None, None, valid=lambda k: k > 0)
    yield from add("t", st.t, "logpdf pdf", [x, shape(-3, 8)], of_t)


def discrete():
    p, whole = probability(), integers(0, 300)

    def add(name, d, methods, args, density, more=()):
        exact = {**density.methods(), **dict(more)}
        for method in methods.split():
            yield Function(f"{name}_{method}", args, getattr(d, method), exact[method], None,
                           limits_of(exact[method]) if method in density.methods() else None)

    def at_wholes(f):
        return lambda k, *q: f(k, *q) if k == m.floor(k) else -m.inf

    def poisson_log(k, mu):
        return (k * m.log(mu) - mu if mu else -m.inf if k else 0) - m.loggamma(k + 1)

    poisson = Density(at_wholes(poisson_log), lambda k, mu: incomplete_gamma(m.floor(k) + 1, mu, True), None,
                      (0, m.inf), lambda mu: mu >= 0)
    yield from add("poisson", st.poisson, "logpmf pmf cdf", [whole, shape(-6, 6)], poisson)

    def bernoulli_log(k, q):
        return log_or_none(q if k == 1 else 1 - q)

    bernoulli = Density(at_wholes(bernoulli_log), lambda k, q: 1 - q if k < 1 else m.mpf(1), None, (0, 1),
                        lambda q: 0 <= q <= 1)
    # As JAX's, the quantile of 0 is 0, where SciPy's is -1, the number before the first; so is that of 1 where p is 0.
    def bernoulli_quantile(q, at):
        known = (at >= 0) & (at <= 1)
        none = (q == 0) | ((q >= 0) & (q <= 1) & (at == 0))
        return np.where(none, np.where(known, 0, np.nan), st.bernoulli.ppf(q, at))

    of_bernoulli = Function("bernoulli_ppf", [integers(-1, 2), p], bernoulli_quantile)
    yield from add("bernoulli", st.bernoulli, "logpmf pmf cdf", [integers(-1, 2), p], bernoulli)
    yield of_bernoulli

    def times(n, y):
        """n y, with 0 times -inf = 0."""
        return n * y if n else m.mpf(0)

    def binom_log(k, n, q):
        choices = m.loggamma(n + 1) - m.loggamma(k + 1) - m.loggamma(n - k + 1)
        return choices + times(k, log_or_none(q)) + times(n - k, log_or_none(1 - q)) if k <= n else -m.inf

    binom = Density(at_wholes(binom_log), None, None, (0, m.inf), lambda n, q: n >= 0 and 0 <= q <= 1)
    yield from add("binom", st.binom, "logpmf pmf", [whole, integers(0, 300, 0), p], binom)
    # Of p = 0 it is 0 everywhere, as JAX's, where SciPy's is NaN.
    geom = Density(at_wholes(lambda k, q: times(k - 1, log_or_none(1 - q)) + log_or_none(q)), None, None, (1, m.inf),
                   lambda q: 0 <= q <= 1)

    def of_zero(f, value):
        return lambda k, q: np.where((q == 0) & ~np.isnan(k), value, f(k, q))

    for f in add("geom", st.geom, "logpmf pmf", [integers(1, 300), p], geom):
        f.call = of_zero(f.call, -np.inf if f.name == "geom_logpmf" else 0)
        yield f


def distributions():
    return [*continuous(), *discrete()]
