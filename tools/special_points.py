# SPDX-License-Identifier: Apache-2.0
"""Where the arguments of `./dev sweep special` lie: numbers of many kinds, tails, edges, what is outside."""
import mpmath
import numpy as np


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


class Function:
    """`exact` is mpmath's version, which takes and returns mpmath's numbers or None; `limits` takes floats where one of
    them is not finite, and says what a function that continues to there is; `relate` moves arguments to each other."""

    def __init__(self, name, args, scipy, exact=None, relate=None, limits=None):
        self.name, self.args, self.call, self.mpmath, self.relate = name, args, scipy, exact, relate
        self.limits = limits

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
        """Arguments of `dtype` as float64."""
        x = [a.make(rng, n, dtype) for a in self.args]
        x = self.relate(rng, x) if self.relate else x
        return [np.asarray(a, dtype).astype(np.float64) for a in x]

    def sensitivity(self, args):
        """sum |x_i df / dx_i| by central differences; 0 where there is none. Two steps: next to a pole one of them may
        reach beyond it."""
        total = np.zeros_like(args[0])
        for i, x in enumerate(args):
            if not self.args[i].real:
                continue
            changes = []
            for step in (2.0**-26, 2.0**-20):
                up, down = list(args), list(args)
                up[i], down[i] = x * (1 + step), x * (1 - step)
                changes.append(np.abs(self.scipy(*up) - self.scipy(*down)) / (2 * step))
            change = np.minimum(*changes)
            total += np.where(np.isfinite(change), change, 0)
        return total

    def exact(self, at):
        """mpmath's value and sensitivity at one point; None where it has none."""
        if not np.all(np.isfinite(at)):
            value = self.limits(*map(float, at)) if self.limits else None
            return None if value is None else (float(value), 0.0)
        value, digits = self._agreed(at)
        if value is None:
            return None
        return float(value), float(self._slopes(at, value, digits)) if mpmath.isfinite(value) else 0.0

    def _agreed(self, at):
        """The value on which so many digits and half as many agree; 0 and infinity may come of digits that cancel."""
        before = None
        for digits in (30, 60, 120, 240, 480, 960):
            y = self._with(digits, [mpmath.mpf(float(v)) for v in at])
            same = y is not None and before is not None and (digits == 960 or not (y == 0 or mpmath.isinf(y))) and (
                y == before or (mpmath.isnan(y) and mpmath.isnan(before)) or abs(y - before) <= abs(y) * 1e-25)
            if same:
                return y, digits
            before = y
        return None, 0

    def _with(self, digits, x):
        try:
            with mpmath.workdps(digits):
                y = self.mpmath(*x)
                if y is None:
                    return None
                return mpmath.re(y) if abs(mpmath.im(y)) <= abs(y) * mpmath.mpf(10) ** -20 else mpmath.nan
        except (ArithmeticError, ValueError, TypeError, NotImplementedError, mpmath.libmp.NoConvergence):
            return None

    def _slopes(self, at, value, digits):
        """At a coarser step than the digits allow, since arguments have errors of half a unit of floats."""
        total = mpmath.mpf(0)
        for i, x in enumerate(at):
            if not self.args[i].real or x == 0:
                continue
            ends = []
            for sign in (-1, 1):
                moved = [mpmath.mpf(float(v)) for v in at]
                with mpmath.workdps(digits):
                    moved[i] *= 1 + sign * mpmath.mpf(2) ** -54
                ends.append(self._with(digits, moved))
            if None in ends or not all(map(mpmath.isfinite, ends)):
                continue
            with mpmath.workdps(digits):
                total += abs(ends[1] - ends[0]) * mpmath.mpf(2) ** 53
        return total
