"""The distributions of `./dev sweep special`."""
import mpmath
import scipy.stats as st

from special_points import Function, integers, line, probability, shape, some_near


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
