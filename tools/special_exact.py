# SPDX-License-Identifier: Apache-2.0
"""mpmath's versions of functions for which it has none that converges everywhere."""
import mpmath as m
import scipy.special as sp


def incomplete_gamma(p, x, upper):
    """Regularized; for large p the integral of the density until it has fallen to nothing."""
    if p <= 0 or x < 0:
        return m.nan if p < 0 or x < 0 or x == 0 else m.mpf(not upper)
    if p < 1e4 or x < 0.9 * p:
        if x < p + 1:  # DLMF 8.7.1; the other side is 1 less it
            factor = m.exp(p * m.log(x) - x - m.loggamma(p + 1)) if x else m.mpf(0)
            low = factor * m.hyp1f1(1, p + 1, x)
            return 1 - low if upper else low
        high = m.gammainc(p, x, regularized=True)
        return high if upper else 1 - high
    if (x > p) != upper:
        return 1 - incomplete_gamma(p, x, not upper)
    # In units of what the density falls by, and relative to it at x, since mpmath's goal is absolute.
    sign = 1 if upper else -1
    unit = sign / (abs(x - p) / x + 1 / m.sqrt(p))
    inside = m.quad(lambda u: m.exp((p - 1) * m.log1p(unit * u / x) - unit * u), [0, 1, 2, 4, 8, 16, 32, 64, 90],
                    method="gauss-legendre")
    return m.exp((p - 1) * m.log(x) - x - m.loggamma(p)) * abs(unit) * inside


def incomplete_beta(a, b, x, upper):
    """Regularized, by the continued fraction of DLMF 8.17.22, in Lentz's way."""
    if a < 0 or b < 0 or (a == 0 and b == 0) or not 0 <= x <= 1:
        return m.nan
    if a == 0 or b == 0 or x == 0 or x == 1:
        return m.mpf((x == 1 or (a == 0 and x != 0)) != upper)
    if x > (a + 1) / (a + b + 2):
        return incomplete_beta(b, a, 1 - x, not upper)
    size = m.loggamma(a + b) - m.loggamma(a + 1) - m.loggamma(b)
    over = under = 1 / (1 - (a + b) * x / (a + 1))
    c = m.mpf(1)
    for k in range(1, 200000):
        n = a + 2 * k
        for d in (k * (b - k) * x / ((n - 1) * n), -(a + k) * (a + b + k) * x / (n * (n + 1))):
            under, c = 1 / (1 + d * under), 1 + d / c
            change = under * c
            over *= change
        if abs(change - 1) < m.eps:
            break
    else:
        return None
    low = m.exp(a * m.log(x) + b * m.log1p(-x) + size) * over
    return 1 - low if upper else low


def normal_quantile(q):
    """By Newton's method from SciPy's."""
    y = m.mpf(float(sp.ndtri(float(q))))
    for _ in range(20):
        density = m.exp(-y * y / 2) / m.sqrt(2 * m.pi)
        step = (m.erfc(-y / m.sqrt(2)) / 2 - q) / density
        y -= step
        if abs(step) <= abs(y) * m.mpf(10) ** (2 - m.mp.dps):
            return y
    return None


def quantile(f):
    return lambda q, *p: f(q, *p) if 0 < q < 1 else m.nan if not 0 <= q <= 1 else None
