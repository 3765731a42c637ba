# SPDX-License-Identifier: Apache-2.0
"""mpmath's versions of functions that it lacks, or for which it is wrong or endless somewhere, for the sweep."""
import mpmath as m


def dawsn(x):
    if abs(x) < 100:
        return m.sqrt(m.pi) / 2 * m.exp(-x * x) * m.erfi(x)
    return 1 / (2 * x) * m.hyp2f0(1, 0.5, 1 / (x * x))


def fresnel(x):
    """Both integrals; far out what is left of their distance from 1/2."""
    if abs(x) < 1000:
        return m.fresnels(x), m.fresnelc(x)
    with m.workdps(m.mp.dps + 2 * int(m.log10(abs(x)))):
        sine, cosine = m.sinpi(x * x / 2), m.cospi(x * x / 2)
    y, u = abs(x), 1 / (m.pi * x * x) ** 2
    f, g = (1 - 3 * u + 105 * u**2 - 10395 * u**3) / (m.pi * y), (1 - 15 * u + 945 * u**2) / (m.pi**2 * y**3)
    s, c = m.mpf(1) / 2 - f * cosine - g * sine, m.mpf(1) / 2 + f * sine - g * cosine
    return (s, c) if x > 0 else (-s, -c)


def zeta(x, q):
    if x == 1 or (q <= 0 and q == m.floor(q)):
        return m.inf
    if q <= 0 and x != m.floor(x):
        return m.nan
    if q >= 2 and x > 5000:
        return m.mpf(0)  # beyond floats
    # Euler and Maclaurin's sum (mpmath's own takes minutes for large x).
    total, at, least = m.mpf(0), q, m.mpf(10) ** -m.mp.dps
    while at < m.mp.dps + x:
        term = at ** -x
        total += term
        at += 1
        if at > 1 and abs(term) < least * abs(total):
            return total
    total += at ** (1 - x) / (x - 1) + at ** -x / 2
    factor = x * at ** (-x - 1)
    for k in range(1, m.mp.dps):
        term = m.bernoulli(2 * k) / m.factorial(2 * k) * factor
        total += term
        if abs(term) < least * abs(total):
            break
        factor *= (x + 2 * k - 1) * (x + 2 * k) / at**2
    return total


def expn(n, x):
    """From E1 upwards, or by the continued fraction (mpmath's own is wrong for large n and x)."""
    n = int(n)
    if x < 0 or n < 0:
        return m.nan
    if x == 0:
        return m.inf if n < 2 else m.mpf(1) / (n - 1)
    if n == 0:
        return m.exp(-x) / x
    if x > 4:
        terms = 100 + 3 * m.mp.dps
        below = x + n + 2 * terms
        for k in range(terms, 0, -1):
            below = x + n + 2 * (k - 1) - k * (n + k - 1) / below
        return m.exp(-x) / below
    e, y = m.exp(-x), m.e1(x)
    for k in range(1, n):
        y = (e - x * y) / k
    return y


def faddeeva(x, y):
    """With the digits that a small part loses beside a large one."""
    small = sum(max(0, -int(m.log10(abs(v)))) for v in (x, y) if v)
    with m.workdps(m.mp.dps + small):
        z = m.mpc(x, y)
        return m.exp(-z * z) * m.erfc(-1j * z)


def sphere_harmonic(n, k, theta, phi):
    n, order = int(n), int(k)
    k = abs(order)
    if k > n:
        return m.mpc(0)
    x, s, before, p = m.cos(theta), abs(m.sin(theta)), m.mpf(0), 1 / m.sqrt(4 * m.pi)
    for i in range(1, k + 1):
        p *= -m.sqrt(1 + m.mpf(1) / (2 * i)) * s
    for i in range(k + 1, n + 1):
        up = m.sqrt(m.mpf(4 * i * i - 1) / (i * i - k * k))
        down = m.sqrt(m.mpf((i - 1) ** 2 - k * k) / (4 * (i - 1) ** 2 - 1)) if i > k + 1 else 0
        p, before = up * (x * p - down * before), p
    return (-p if order < 0 and k % 2 else p) * m.mpc(m.cos(order * phi), m.sin(order * phi))
