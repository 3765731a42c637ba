# SPDX-License-Identifier: Apache-2.0
"""Records what JAX and SciPy give for signal, image, ndimage, interpolate, fft.dct, stats and linalg.

usage: record_scipy.py FILE.npz      (tests/scipy/recorded.npz)
Inputs are recorded too, under their own names; results under the names that the tests ask for. Values are SciPy's in
float64 where JAX refuses the argument or is less exact, else JAX's.
"""
import sys

import jax
import jax.image
import jax.numpy as jnp
import jax.scipy.fft as jfft
import jax.scipy.linalg as jlinalg
import jax.scipy.ndimage as jndimage
import jax.scipy.signal as jsignal
import jax.scipy.stats as jstats
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.stats
from jax.scipy.interpolate import RegularGridInterpolator

OUT = {}


def put(name, *results):
    for i, x in enumerate(results):
        x = np.asarray(x)
        if x.dtype == np.float64:
            x = x.astype(np.float32)
        if x.dtype == np.complex128:
            x = x.astype(np.complex64)
        OUT[f"{name}{' ' + str(i) if len(results) > 1 else ''}"] = x


def signals():
    x = np.sin(np.arange(12.) ** 1.3).astype(np.float32)
    y = np.array([1, -.5, 2.], np.float32)
    m = np.cos(np.arange(20.) * .7).reshape(4, 5).astype(np.float32)
    k = np.array([[1, 2], [-1, .5], [0, 3]], np.float32)
    s = (np.sin(np.arange(40.) * .9) + np.arange(40.) / 20).astype(np.float32)
    z = (x[:4] + 1j * x[4:8]).astype(np.complex64)
    OUT.update(x=x, y=y, m=m, k=k, s=s, z=z)
    for mode in ("full", "same", "valid"):
        for name in ("convolve", "correlate"):
            f, f2 = getattr(jsignal, name), getattr(jsignal, name + "2d")
            put(f"{name} {mode}", f(x, y, mode), f(y, x, mode))
            put(f"{name}2d {mode}", f2(m, k, mode), f2(k, m, mode))
        put(f"fftconvolve {mode}", jsignal.fftconvolve(m, k, mode), jsignal.fftconvolve(m, m[:2], mode, axes=[0])
            if mode != "valid" else jsignal.fftconvolve(m, m[:2], mode, axes=[0]))
    put("correlate complex", jsignal.correlate(z, 1j * z[:2]))
    put("detrend", jsignal.detrend(m), jsignal.detrend(m, axis=0, type="constant"), jsignal.detrend(x, bp=[5, 9]))
    put("stft", *jsignal.stft(s, fs=4., nperseg=8))
    put("stft even", *jsignal.stft(np.stack([s, 2 * s]), fs=4., nperseg=8, noverlap=6, nfft=10, detrend="linear",
                                   boundary="even", padded=False))
    put("stft complex", *jsignal.stft(s.astype(np.complex64) * 1j, nperseg=8, boundary=None, return_onesided=False))
    put("stft odd", *scipy.signal.stft(s, nperseg=8, window="hamming", boundary="odd"))
    put("stft axis", *jsignal.stft(np.stack([s, 2 * s], 1), nperseg=8, axis=0, boundary="constant"))
    for w in "hamming blackman bartlett boxcar cosine nuttall blackmanharris flattop hann".split():
        put("window " + w, scipy.signal.get_window(w, 5), scipy.signal.get_window(w, 6, False))
    put("welch", *jsignal.welch(s, fs=2., nperseg=16))
    put("welch median", *jsignal.welch(s, fs=2., nperseg=10, scaling="spectrum", detrend="linear", average="median"))
    put("welch rows", *jsignal.welch(np.stack([s, s ** 2], 1), nperseg=9, axis=0))
    put("csd", *jsignal.csd(s, s[::-1][:30], nperseg=16))
    put("csd median", *scipy.signal.csd(s, s[::-1] ** 2, nperseg=15, average="median"))


def images():
    im = np.sin(np.arange(24.)).reshape(4, 6).astype(np.float32)
    OUT["im"] = im
    for method in ("nearest", "linear", "lanczos3", "lanczos5", "cubic", "cubic-pytorch", "area"):
        for antialias in (0, 1):
            put(f"resize {method} {antialias}", jax.image.resize(im, (3, 4), method, bool(antialias)),
                jax.image.resize(im[:2], (2, 9), method, bool(antialias)),
                jax.image.resize(im, (7, 2), method, bool(antialias)))
    put("scale", jax.image.scale_and_translate(im, (3, 6), (0,), jnp.array([.7]), jnp.array([.3]), "linear"),
        jax.image.scale_and_translate(im, (4, 6), (1,), jnp.array([1.5]), jnp.array([-1.]), "cubic", False),
        jax.image.scale_and_translate(im, (5, 6), (0, 1), jnp.array([.7, 1.2]), jnp.array([.3, .1]), "lanczos3"))

    def moved(s, t):
        return (jax.image.scale_and_translate(im, (3, 6), (0, 1), s, t, "linear") * jnp.arange(18.).reshape(3, 6)).sum()
    put("scale grad", *jax.grad(moved, argnums=(0, 1))(jnp.array([.7, 1.2]), jnp.array([.3, .1])))
    c = np.array([[.5, 1.5, -1.2, 5.3, 2.], [1.5, 2.5, .4, -.6, 4.]], np.float32)
    OUT["places"] = c
    for mode in ("constant", "nearest", "mirror", "reflect", "wrap"):
        put("map " + mode, jndimage.map_coordinates(im, list(c), 1, mode, .25),
            jndimage.map_coordinates(im, list(c), 0, mode, .25),
            jndimage.map_coordinates((im * 10).astype(np.int32), list(c), 1, mode, 3))
    points = (jnp.array([1., 2., 4.]), jnp.array([0., 1., 3., 4.]))
    q = np.array([[1.5, .5], [4., 4.], [3.1, 2.9], [0., 1.], [1., 0.]], np.float32)
    OUT["queries"] = q
    put("grid", RegularGridInterpolator(points, jnp.array(im[:3, :4]))(q),
        RegularGridInterpolator(points, jnp.array(im[:3, :4]))(q, method="nearest"),
        RegularGridInterpolator(points, jnp.array(im[:3, :4]), fill_value=None)(q),
        RegularGridInterpolator(points[:1], jnp.array(im[:3, :4]))(jnp.array([[1.2], [3.]])))


def cosines():
    x, m = OUT["x"], OUT["m"]
    for n in (1, 2, 3, 5, 8, 12):
        for norm in ("backward", "ortho", "forward"):
            for kind in (2, 3):
                put(f"dct {n} {norm} {kind}", scipy.fft.dct(x[:n], kind, norm=norm),
                    scipy.fft.idct(x[:n], kind, norm=norm))
    put("dct n", jfft.dct(x[:5], n=3), jfft.dct(x[:5], n=7), jfft.idct(x[:5], n=7))
    put("dctn", jfft.dctn(m), jfft.dctn(m, norm="ortho"), jfft.idctn(m), scipy.fft.dctn(m, s=[3], axes=[0]),
        scipy.fft.idctn(m, s=[2, 6]))
    put("dct complex", jfft.dct(OUT["z"]))


def distributions():
    x = np.array([-7.5, -2, -.5, 0, .3, 1, 2.5, 8, 30], np.float32)
    q = np.array([-.1, 0, 1e-5, .3, .8, 1, 1.1, np.nan], np.float32)
    OUT.update(points=x, q=q)
    d, double = scipy.stats, x.astype(np.float64)
    with np.errstate(all="ignore"):
        for a, b in ((-1, 2), (3, 9), (-30, -2.5)):
            t = d.truncnorm(a, b, .2, 2)
            for name in "logpdf pdf logcdf cdf logsf sf".split():
                put(f"truncnorm {a} {name}", getattr(t, name)(double))
        put("vonmises", *[d.vonmises(k).logpdf(double) for k in (.01, 2.5, 200.)])
        inside = np.where((double >= 0) & (double <= 2 * np.pi), double, np.nan)
        put("wrapcauchy", *[np.where(np.isnan(inside), -np.inf, d.wrapcauchy(c).logpdf(inside)) for c in (.1, .9)])
        for b in (.5, 1., 3.5):
            put(f"gennorm {b}", d.gennorm(b).logpdf(double), d.gennorm(b).cdf(double))
        for name in "logpdf pdf logcdf cdf logsf sf".split():
            put("pareto " + name, getattr(d.pareto(2.5, .2, 2), name)(double))
            put("gumbel_r " + name, getattr(d.gumbel_r(.2, 2), name)(double))
            put("gumbel_l " + name, getattr(d.gumbel_l(.2, 2), name)(double))
        put("ppf", d.pareto(2.5, .2, 2).ppf(q), jstats.gumbel_r.ppf(q, .2, 2.), jstats.gumbel_l.ppf(q, .2, 2.))
        k = np.array([-1, 0, 1, 5, 12, 300])
        OUT["numbers"] = k.astype(np.int32)
        put("counts", d.nbinom(4.5, .3).logpmf(k), d.betabinom(12, 2.5, .7).logpmf(k))
    mean, root = np.array([.5, -1, 2]), np.array([[2, 0, 0], [.3, 1, 0], [-.7, .4, .5]])
    cov = root @ root.T
    v = np.sin(np.arange(12.)).reshape(4, 3)
    OUT.update(mean=mean.astype(np.float32), cov=cov.astype(np.float32), v=v.astype(np.float32))
    put("multivariate_normal", d.multivariate_normal(mean, cov).logpdf(v), d.multivariate_normal(mean, 2.5).logpdf(v),
        d.norm(.5, 2.5 ** .5).logpdf(v),
        np.stack([d.multivariate_normal(mean, c).logpdf(w) for c, w in zip((cov, 2 * cov, cov, cov), v)]))
    alpha, p = np.array([2.5, 1, .7]), np.array([[.2, .3, .5], [.6, .1, .3]])
    OUT.update(alpha=alpha.astype(np.float32), p=p.astype(np.float32))
    put("dirichlet", np.array([d.dirichlet(alpha).logpdf(r) for r in p]))
    put("multinomial", d.multinomial(7, p[0]).logpmf([[2, 2, 3], [7, 0, 0], [1, 1, 1]]))
    put("poisson entropy", d.poisson([0, .1, 3, 30, 99, 101, 5000]).entropy())
    ties = np.array([[3, 1, 3, 2, 1, 3.], [0, 0, 5, -1, 5, 5]], np.float32)
    OUT["ties"] = ties
    for method in "average min max dense ordinal".split():
        put("rankdata " + method, jstats.rankdata(ties, method), jstats.rankdata(ties, method, axis=1))
    put("mode", *jstats.mode(ties, axis=1), *jstats.mode(ties, axis=None))
    put("sem", jstats.sem(ties, axis=1), jstats.sem(ties, axis=None, ddof=0))
    data = np.stack([np.sin(np.arange(20.)), np.cos(np.arange(20.) * 1.7) + .1 * np.arange(20)])
    w = 1 + np.arange(20.) % 3
    OUT.update(data=data.astype(np.float32), w=w.astype(np.float32))
    at = np.array([[.1, -2, .5], [1, .3, -4]])
    OUT["at"] = at.astype(np.float32)
    for name, kde in (("plain", d.gaussian_kde(data)), ("weighted", d.gaussian_kde(data, "silverman", w)),
                      ("narrow", d.gaussian_kde(data, .2))):
        put("kde " + name, kde(at), kde.logpdf(at), kde.integrate_gaussian([.2, .4], [[1, .3], [.3, 2]]),
            kde.integrate_kde(d.gaussian_kde(data[:, :7])))
    put("kde one", d.gaussian_kde(data[0])(at[0]), d.gaussian_kde(data[0]).integrate_box_1d(-.5, .8))
    kde = jstats.gaussian_kde(data.astype(np.float32))
    put("kde resample", kde.resample(jax.random.key(0), (4,)))


def matrices():
    a = np.sin(np.arange(16.) ** 1.4).reshape(4, 4) + 2.5 * np.eye(4)
    b, c = np.cos(np.arange(9.)).reshape(3, 3) + np.eye(3), np.sin(np.arange(12.) ** 1.7).reshape(4, 3)
    turn = np.array([[0, -1, .3], [1, 0, .2], [0, .1, 2.]])
    OUT.update(a=a.astype(np.float32), b=b.astype(np.float32), c=c.astype(np.float32), turn=turn.astype(np.float32))
    put("sqrtm", *[scipy.linalg.sqrtm(m).astype(complex) for m in (a, turn, np.diag([4., 0, 0]))])
    put("funm", jlinalg.funm(jnp.array(a, jnp.float32), jnp.sin), jlinalg.funm(jnp.array(turn, jnp.float32), jnp.exp))
    put("expm_frechet", *scipy.linalg.expm_frechet(a / 4, np.outer(a[0], a[1])))
    for side in ("right", "left"):
        put("polar " + side, *scipy.linalg.polar(a, side), *scipy.linalg.polar(c, side))
    put("sylvester", scipy.linalg.solve_sylvester(a, b, c), scipy.linalg.solve_sylvester(turn, 3 * b, turn))
    t, r = np.array([3, 1, -.5, .2]), np.array([9, .7, .4, -1])
    OUT.update(t=t.astype(np.float32), r=r.astype(np.float32))
    put("toeplitz", scipy.linalg.solve_toeplitz((t, r), a[0]), scipy.linalg.solve_toeplitz((t, r), a),
        scipy.linalg.solve_toeplitz(t, a[0]))
    put("eigh_tridiagonal", scipy.linalg.eigh_tridiagonal(t, r[1:])[0])
    put("hessenberg", scipy.linalg.hessenberg(a))
    u, v = jnp.array(t), jnp.array(r[:3])
    put("circulant", jlinalg.circulant(u), jlinalg.hankel(u), jlinalg.hankel(u, v), jlinalg.companion(u),
        jlinalg.fiedler(u), jlinalg.leslie(u, v))
    for n in (1, 2, 3, 4, 6, 7):
        put(f"fiedler_companion {n}", scipy.linalg.fiedler_companion(np.arange(2., n + 3)))
    for mode in ("full", "same", "valid"):
        put("convolution_matrix " + mode, *[scipy.linalg.convolution_matrix(t[:m], n, mode) for m, n in
                                            ((4, 6), (4, 4), (3, 2), (1, 3))])
    put("dft", scipy.linalg.dft(5), scipy.linalg.dft(6, "sqrtn"), scipy.linalg.dft(4, "n"))
    put("orders", scipy.linalg.hadamard(8).astype(np.float32), scipy.linalg.helmert(5),
        scipy.linalg.helmert(4, full=True), scipy.linalg.hilbert(4), scipy.linalg.invhilbert(6),
        *[f(6, kind).astype(float) for f in (scipy.linalg.pascal, scipy.linalg.invpascal)
          for kind in ("symmetric", "lower", "upper")])


def main():
    signals()
    images()
    cosines()
    distributions()
    matrices()
    np.savez_compressed(sys.argv[1], **OUT)
    print(len(OUT), "arrays")


if __name__ == "__main__":
    main()
