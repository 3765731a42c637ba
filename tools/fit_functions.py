#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials and quotients of src/special/tables.hpp, and writes that file. Needs mpmath.

Each piece of a function, with its growth divided out, is met at Chebyshev's nodes by a quotient of polynomials of equal
degree (or by a polynomial), of the smallest degree whose largest relative error is below the target: one for float64,
one for float32. The comment of a table says what is fitted, where, and how well.
"""
import pathlib

import mpmath as mp

mp.mp.dps = 50
TARGETS = (("64", 3e-17), ("32", 2e-9))
PAGE = pathlib.Path(__file__).resolve().parent.parent / "src" / "special" / "tables.hpp"
lines = []


def value(c, x):
    y = mp.mpf(0)
    for k in reversed(c):
        y = y * x + k
    return y


def fitted(f, a, b, m, n):
    """Coefficients of p and q, q(0) = 1, lowest first."""
    count = m + n + 1
    left, right = mp.matrix(count, count), mp.matrix(count, 1)
    for i in range(count):
        x = (a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count))
        y = f(x)
        for k in range(m + 1):
            left[i, k] = x**k
        for k in range(1, n + 1):
            left[i, m + k] = -y * x**k
        right[i] = y
    s = mp.lu_solve(left, right)
    return [s[k] for k in range(m + 1)], [mp.mpf(1)] + [s[m + k] for k in range(1, n + 1)]


def array(name, c):
    lines.append(f"inline constexpr double {name}[] = {{{', '.join(mp.nstr(k, 17) for k in c)}}};")


def table(name, what, f, a, b, quotient=True):
    a, b = mp.mpf(a), mp.mpf(b)
    points = [a + (b - a) * (i + mp.mpf("0.5")) / 101 for i in range(101)]
    known = [f(x) for x in points]
    errors, arrays = [], []
    for suffix, target in TARGETS:
        best = None
        for degree in range(3, 15 if quotient else 34):
            p, q = fitted(f, a, b, degree, degree if quotient else 0)
            if min(value(q, a + (b - a) * i / 200) for i in range(201)) <= 0:
                continue  # a pole
            error = max(abs(value(p, x) / value(q, x) / y - 1) for x, y in zip(points, known))
            if best is None or error < best[0]:
                best = error, p, q
            if error < target:
                break
        errors.append(mp.nstr(best[0], 1))
        arrays += [(f"{name}_p{suffix}", best[1])] + ([(f"{name}_q{suffix}", best[2])] if quotient else [])
    lines.append(f"// {what}, {mp.nstr(a, 5)} to {mp.nstr(b, 5)}; errors {errors[0]} and {errors[1]}.")
    for each in arrays:
        array(*each)
    parts = [f"{{{name}_{k}64, {name}_{k}32}}" for k in ("p", "q")]
    lines.append(f"inline constexpr Quotient {name}{{{', '.join(parts)}}};" if quotient else
                 f"inline constexpr Series {name}{parts[0]};")


def asymptotic(step, count):
    """1 + step(1) + step(1) step(2) + ..."""
    total = term = mp.mpf(1)
    for k in range(1, count):
        term *= step(k)
        total += term
    return total


def scaled_erfc(t):
    x = 3 * (1 + t) / (1 - t)
    if x < 200:
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * asymptotic(lambda k: -(2 * k - 1) / (2 * x * x), 12)


def dawson(x):
    if x < 40:
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
    return asymptotic(lambda k: (2 * k - 1) / (2 * x * x), 16) / (2 * x)


def dawson_near(y):
    return dawson(mp.sqrt(y)) / mp.sqrt(y)


def dawson_far(t):
    x = 1 / mp.sqrt(t)
    return 2 * x * dawson(x)


def e1(s):
    return mp.exp(1 / s) * mp.e1(1 / s) / s if s > 1 / 80 else asymptotic(lambda k: -k * s, 40)


def ei(s):
    return mp.exp(-1 / s) * mp.ei(1 / s) / s if s > 1 / 150 else asymptotic(lambda k: k * s, 60)


def turned(s, c, angle):
    """The parts f and g of s = -f cos - g sin, c = f sin - g cos."""
    sin, cos = mp.sin(angle), mp.cos(angle)
    return -s * cos + c * sin, -s * sin - c * cos


def sine_f(t):
    x = 1 / mp.sqrt(t)
    if x < 80:
        return turned(mp.si(x) - mp.pi / 2, mp.ci(x), x)[0] * x
    return asymptotic(lambda k: -2 * k * (2 * k - 1) * t, 20)


def sine_g(t):
    x = 1 / mp.sqrt(t)
    if x < 80:
        return turned(mp.si(x) - mp.pi / 2, mp.ci(x), x)[1] * x * x
    return asymptotic(lambda k: -2 * k * (2 * k + 1) * t, 20)


def fresnel_parts(u):
    x = mp.sqrt(1 / (mp.pi * mp.sqrt(u)))
    return x, turned(mp.fresnels(x) - mp.mpf(1) / 2, mp.fresnelc(x) - mp.mpf(1) / 2, mp.pi * x * x / 2)


def fresnel_f(u):
    if u < 1e-5:
        return asymptotic(lambda k: -u * (4 * k - 1) * (4 * k - 3), 14)
    x, parts = fresnel_parts(u)
    return parts[0] * mp.pi * x


def fresnel_g(u):
    if u < 1e-5:
        return asymptotic(lambda k: -u * (4 * k + 1) * (4 * k - 1), 14)
    x, parts = fresnel_parts(u)
    return parts[1] * mp.pi**2 * x**3


def main():
    table("erfcx", "(1 + 2x) exp(x^2) erfc(x) of t = (x - 3) / (x + 3)", scaled_erfc, -1, 1, False)
    table("erfcx_near", "exp(x^2) erfc(x) of x", lambda x: mp.exp(x * x) * mp.erfc(x), 0, .5, False)
    cuts = [mp.mpf("3.25"), mp.mpf("4.25"), mp.mpf("6.25")]
    table("dawson_near", "F(x) / x of x^2", dawson_near, 0, cuts[0]**2)
    # Around their middles: else the digits of the quotient's parts cancel.
    for i, middle in enumerate(("0.075", "0.0405")):
        table(f"dawson_mid{i}", f"2x F(x) of 1 / x^2 - {middle}", lambda t, at=mp.mpf(middle): dawson_far(t + at),
              1 / cuts[i + 1]**2 - mp.mpf(middle), 1 / cuts[i]**2 - mp.mpf(middle))
    table("dawson_far", "2x F(x) of 1 / x^2", dawson_far, 0, 1 / cuts[2]**2)
    table("e1_near", "(E1(x) + log(x) + gamma) / x of x", lambda x: (mp.e1(x) + mp.log(x) + mp.euler) / x, 0, 1, False)
    table("e1_mid", "x exp(x) E1(x) of 1 / x", e1, mp.mpf(1) / 4, 1)
    table("e1_far", "x exp(x) E1(x) of 1 / x", e1, 0, mp.mpf(1) / 4)
    table("ei_near", "(Ei(x) - log(x) - gamma) / x of x", lambda x: (mp.ei(x) - mp.log(x) - mp.euler) / x, 0, 6,
          False)
    for i, (low, high) in enumerate(((6, 11), (11, 20), (20, 45), (45, mp.inf))):
        first, last = 1 / mp.mpf(high), 1 / mp.mpf(low)
        table(f"ei_far{i}", f"x exp(-x) Ei(x) of 1 / x less the middle of 1 / {high} and 1 / {low}",
              lambda s, middle=(first + last) / 2: ei(s + middle), (first - last) / 2, (last - first) / 2)
    table("si", "Si(x) / x of x^2", lambda y: mp.si(mp.sqrt(y)) / mp.sqrt(y), 0, 16, False)
    x0, x1 = (mp.findroot(mp.ci, mp.mpf(near)) for near in ("0.6165", "3.3842"))
    table("ci_low", "(Ci(x) - log(x / x0)) / (x^2 - x0^2) of x^2, x0 = 0.616505485620716",
          lambda y: (mp.ci(mp.sqrt(y)) - mp.log(y / x0**2) / 2) / (y - x0**2), 0, 4, False)
    table("ci_high", "Ci(x) / (x - x1) of x - 3, x1 = 3.38418042255119", lambda t: mp.ci(t + 3) / (t + 3 - x1), -1, 1,
          False)
    for part, f in (("f", sine_f), ("g", sine_g)):
        power = {"f": "x", "g": "x^2"}[part]
        table(f"sine_{part}_mid", f"{power} {part}(x) of 1 / x^2", f, mp.mpf(1) / 64, mp.mpf(1) / 16)
        table(f"sine_{part}_far", f"{power} {part}(x) of 1 / x^2", f, 0, mp.mpf(1) / 64)
    near, root = mp.mpf("2.5625"), lambda y: mp.sqrt(mp.sqrt(y))
    table("fresnel_s", "S(x) / x^3 of x^4", lambda y: mp.fresnels(root(y)) / root(y)**3, 0, near**2, False)
    table("fresnel_c", "C(x) / x of x^4", lambda y: mp.fresnelc(root(y)) / root(y), 0, near**2, False)
    table("fresnel_f", "pi x f(x) of (pi x^2)^-2", fresnel_f, 0, 1 / (mp.pi * near)**2)
    table("fresnel_g", "pi^2 x^3 g(x) of (pi x^2)^-2", fresnel_g, 0, 1 / (mp.pi * near)**2)
    head = ["// Coefficients of the special functions, made by tools/fit_functions.py.", "#pragma once", "",
            '#include "special/approximation.hpp"', "", "namespace tutti::special::table {", "",
            "// clang-format off: numbers, several to a line"]
    body = []
    for line in lines:
        while len(line) > 118:
            cut = line.rfind(", ", 0, 117) + 1
            body.append(line[:cut])
            line = "    " + line[cut + 1:]
        body.append(line)
    PAGE.write_text("\n".join(head + body + ["// clang-format on", "", "}  // namespace tutti::special::table", ""]))


if __name__ == "__main__":
    main()
