# SPDX-License-Identifier: Apache-2.0
"""Complex numbers, frames of a signal, spectral methods, bundle adjustment: JAX's side."""
from jax_common import *  # noqa: F403


# --- complex numbers

def numbers(n, part):
    re = normal((n,), *SPLIT).astype(part)
    im = jax.device_put(random.normal(random.key(1), (n,)), at(*SPLIT)).astype(part)
    return lax.complex(re, im), lax.complex(im, re)


def under_x64(make):
    def made():
        with jax.enable_x64(True):
            call = make()

        def run():
            with jax.enable_x64(True):
                return call()
        return run
    return made


def complex_steps(z, w):
    def step(i, x):
        y = lax.complex(x, z.imag)
        return jnp.where(x > 0, -y / w, y.conj() / (jnp.abs(y) + 1)).real
    return lax.fori_loop(0, 20, step, z.real)


def complex_cases():
    def add(name, f, n):
        def make(part):
            def made():
                compiled, (z, w) = jax.jit(f), numbers(n, part)
                return lambda: compiled(z, w)
            return made
        makers["complex_" + name] = make(jnp.float32)
        makers["complex128_" + name] = under_x64(make(jnp.float64))
    add("div_1M", lambda z, w: z / w, 1 << 20)
    add("where_1M", lambda z, w: jnp.where(z.real > 0, z, w), 1 << 20)
    add("neg_1M", lambda z, w: -z, 1 << 20)
    add("reciprocal_1M", lambda z, w: jnp.reciprocal(z), 1 << 20)
    add("steps_64k", complex_steps, 1 << 16)


complex_cases()

# --- frames of a signal

HOP, WINDOW = 128, 512


def places(n):
    return jnp.arange(n)[:, None] * HOP + jnp.arange(WINDOW)


def frames_of(x, n=128):
    return x[places(n)]


def overlapped(frames):
    n = len(frames)
    return jnp.zeros((n - 1) * HOP + WINDOW).at[places(n)].add(frames)


def griffin_lim(magnitude):
    n = len(magnitude)
    window = 0.5 - 0.5 * jnp.cos(jnp.arange(WINDOW).astype(jnp.float32) * (2 * jnp.pi / WINDOW))
    norm = overlapped(jnp.tile(window ** 2, (n, 1))) + 1e-3

    def signal_of(spectrum):
        return overlapped(jnp.fft.irfft(spectrum) * window) / norm

    def step(i, signal):
        spectrum = jnp.fft.rfft(frames_of(signal, n) * window)
        return signal_of(magnitude * (spectrum / (jnp.abs(spectrum) + 1e-8)))

    return lax.fori_loop(0, 20, step, signal_of(magnitude.astype(jnp.complex64)))


SIGNAL = 127 * HOP + WINDOW
on_arrays("frames_gather_128x512", frames_of, some((SIGNAL,)))
on_arrays("frames_gather_batch_16", jax.vmap(frames_of), some((16, SIGNAL), *SPLIT))
on_arrays("frames_scatter_add_128x512", overlapped, some((128, WINDOW)))
on_arrays("frames_scatter_add_batch_16", jax.vmap(overlapped), some((16, 128, WINDOW), *SPLIT))
on_arrays("frames_gather_grad_128x512", jax.grad(lambda x: (frames_of(x) ** 2 * jnp.arange(WINDOW)).sum()),
          some((SIGNAL,)))
on_arrays("griffin_lim_128", griffin_lim, lambda: jnp.abs(normal((128, WINDOW // 2 + 1))))

# --- Navier-Stokes in a periodic box


def waves(n):
    kx, ky = jnp.fft.fftfreq(n, 1 / n)[:, None], jnp.fft.rfftfreq(n, 1 / n)[None]
    return kx, ky, kx * kx + ky * ky, (jnp.abs(kx) < n / 3) & (jnp.abs(ky) < n / 3)


def vorticity_after_50(w):
    kx, ky, squared, kept = waves(len(w))

    def step(i, w):
        hat = jnp.fft.rfft2(w)
        stream = jnp.where(squared > 0, hat / jnp.where(squared > 0, squared, 1), 0)
        u, v = jnp.fft.irfft2(1j * ky * stream), jnp.fft.irfft2(-1j * kx * stream)
        change = -(u * jnp.fft.irfft2(1j * kx * hat) + v * jnp.fft.irfft2(1j * ky * hat))
        return jnp.fft.irfft2((hat + 1e-3 * jnp.where(kept, jnp.fft.rfft2(change), 0)) / (1 + 1e-6 * squared))

    return lax.fori_loop(0, 50, step, w)


def projected_50(u):
    _, _, squared, _ = waves(len(u))

    def step(i, u):
        pressure = jnp.where(squared > 1e-6, -jnp.fft.rfft2(u) / jnp.where(squared > 1e-6, squared, 1), 0)
        return u - 0.01 * jnp.fft.irfft2(pressure) + 1e-3 * jnp.sin(u)

    return lax.fori_loop(0, 50, step, u)


on_arrays("spectral_vorticity_128_50", vorticity_after_50, some((128, 128)))
on_arrays("spectral_pressure_128_50", projected_50, some((128, 128)))


def vorticity(n):
    def in_float64():
        compiled, w = jax.jit(vorticity_after_50), normal((n, n)).astype(jnp.float64)
        return lambda: compiled(w)
    on_arrays(f"spectral_vorticity_{n}_50", vorticity_after_50, some((n, n)))
    makers[f"spectral_vorticity_float64_{n}_50"] = under_x64(in_float64)


vorticity(64)
vorticity(256)

# --- bundle adjustment and a curve by Levenberg and Marquardt


def projected(p, cameras, points):
    shape, turns, at = (cameras, points, 3), p[:6 * cameras].reshape(cameras, 1, 6), p[6 * cameras:]
    at = at.reshape(1, points, 3)
    turn = turns[..., :3]
    angle = jnp.sqrt((turn ** 2).sum(-1, keepdims=True) + 1e-12)
    axis = turn / angle
    turned = (at * jnp.cos(angle)
              + jnp.cross(jnp.broadcast_to(axis, shape), jnp.broadcast_to(at, shape)) * jnp.sin(angle)
              + axis * (axis * at).sum(-1, keepdims=True) * (1 - jnp.cos(angle)))
    seen = turned + turns[..., 3:]
    return seen[..., :2] / (seen[..., 2:] + 5)


def adjusted(residual, start):
    def cost_of(p):
        return jnp.square(residual(p)).sum()

    def step(f):
        i, p, damping, cost = f
        j, r = jax.jacfwd(residual)(p), residual(p)
        a = j.T @ j
        damped = a + damping * jnp.diag(jnp.diagonal(a) + 1e-6)
        q = p - jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(damped), j.T @ r)
        new = cost_of(q)
        better = new < cost
        return (i + 1, jnp.where(better, q, p), jnp.where(better, damping * 0.3, damping * 4),
                jnp.where(better, new, cost))

    first = 0, start, jnp.asarray(1e-3, start.dtype), cost_of(start)
    return lax.while_loop(lambda f: (f[0] < 30) & (f[3] > 1e-20), step, first)[1]


def bundle(cameras, points):
    def made():
        count = 6 * cameras + 3 * points
        truth = 0.3 * normal((count,)).astype(jnp.float64)
        off = 0.05 * jax.device_put(random.normal(random.key(1), (count,)), at()).astype(jnp.float64)
        noise = 1e-3 * normal((cameras, points, 2)).astype(jnp.float64)
        compiled = jax.jit(lambda start, seen: adjusted(
            lambda p: (projected(p, cameras, points) - seen).reshape(-1), start))
        start, seen = truth + off, projected(truth, cameras, points) + noise
        return lambda: compiled(start, seen)
    makers[f"lm_bundle_{cameras}x{points}"] = under_x64(made)


bundle(4, 24)
bundle(3, 8)
bundle(8, 60)


def curve(points):
    def of(p, t):
        return p[0] * jnp.exp(-p[1] * t) + p[2]

    def times():
        return jax.device_put(jnp.linspace(0, 4, points), at())

    on_arrays(f"lm_curve_{points}", lambda start, t, seen: adjusted(lambda p: of(p, t) - seen, start),
              lambda: jax.device_put(jnp.ones(3), at()), times,
              lambda: of(jnp.array([2, 1.3, 0.5]), times()) + 0.05 * normal((points,)))


curve(100)
curve(10000)
