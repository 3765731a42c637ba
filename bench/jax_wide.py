# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, transforms, convolution, sorting, indexing, statistics, simulation: JAX's side."""
from jax_common import *  # noqa: F403


# --- linear algebra and Fourier transforms

on_arrays("product_batch_4096x4", jnp.matmul, some((4096, 4, 4), *SPLIT), some((4096, 4, 4), *SPLIT))
on_arrays("product_100000x3_3", jnp.matmul, some((100000, 3), *SPLIT), some((3, 3)))
on_arrays("cholesky_1024", jnp.linalg.cholesky, spd(1024))
on_arrays("solve_1024", jnp.linalg.solve, some((1024, 1024)), some((1024, 16)))
on_arrays("eigh_256", jnp.linalg.eigh, spd(256))
on_arrays("svd_256", jnp.linalg.svd, some((256, 256)))
on_arrays("qr_512", jnp.linalg.qr, some((512, 512)))
on_arrays("hessenberg_256", lambda a: lax.linalg.hessenberg(a)[0], some((256, 256)))
on_arrays("tridiagonal_256", lambda a: lax.linalg.tridiagonal(a)[1], spd(256))
on_arrays("schur_256", lambda a: lax.linalg.schur(a)[0], some((256, 256)))
on_arrays("cholesky_update_512", lax.linalg.cholesky_update, lambda: jax.device_put(jnp.eye(512), at()), some((512,)))
on_arrays("qdwh_256", lambda a: lax.linalg.qdwh(a)[0], some((256, 256)))
on_arrays("batched_solve_4096x8", jnp.linalg.solve, some((4096, 8, 8), *SPLIT), some((4096, 8, 1), *SPLIT))
on_arrays("fft2_1024", jnp.fft.fft2, some((1024, 1024), dtype=jnp.complex64))
on_arrays("rfft_4096x1024", jnp.fft.rfft, some((4096, 1024), *SPLIT))


# --- convolution, sorting, indexing, simulation, random numbers, transfers

def conv3x3(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def resnet_loss(w0, w1, x):
    h = x
    for w in (w0, w1):
        h = conv3x3(h, w)
        h = jnp.maximum((h - h.mean((0, 1, 2))) * lax.rsqrt(h.var((0, 1, 2)) + 1e-5), 0)
    return jnp.square(x + h).mean()


def energy(x):
    squared = jnp.square(x[:, None] - x[None]).sum(-1) + 1e-2
    return -0.5 * (lax.rsqrt(squared) * (1 - jnp.eye(len(x)))).sum()


def lattice_step(f):
    velocities = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    g = jnp.stack([jnp.roll(f[i], v, (0, 1)) for i, v in enumerate(velocities)])
    density = g.sum(0)
    ux = sum(g[i] * v[0] for i, v in enumerate(velocities)) / density
    uy = sum(g[i] * v[1] for i, v in enumerate(velocities)) / density
    relaxed = []
    for i, (x, y) in enumerate(velocities):
        along = ux * x + uy * y
        still = density * weights[i] * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy))
        relaxed.append(g[i] + 0.6 * (still - g[i]))
    return jnp.stack(relaxed)


def life_step(g):
    n = sum(jnp.roll(g, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0))
    return ((n == 3) | ((g == 1) & (n == 2))).astype(jnp.int8)


def option_price(s, k, t, r, v):
    cdf = jax.scipy.stats.norm.cdf
    d = (jnp.log(s / k) + (r + v * v / 2) * t) / (v * jnp.sqrt(t))
    return (s * cdf(d) - k * jnp.exp(-r * t) * cdf(d - v * jnp.sqrt(t))).sum()


on_arrays("conv3x3_fwd_b64_32_64", conv3x3, some((64, 32, 32, 64), *SPLIT), some((3, 3, 64, 64)))
on_arrays("resnet_block_grad_b64_32_64", jax.grad(resnet_loss, (0, 1)), some((3, 3, 64, 64)), some((3, 3, 64, 64)),
          some((64, 32, 32, 64), *SPLIT))
on_arrays("embedding_grad_50k_d256_4096", jax.grad(lambda e, i: jnp.square(e[i]).sum()), some((50000, 256)),
          integers((4096,), 50000, *SPLIT))
on_arrays("sort_1M", jnp.sort, some((1 << 20,)))
on_arrays("argsort_rows_4096x256", lambda x: jnp.argsort(x, -1), some((4096, 256), *SPLIT))
on_arrays("cumsum_16M", jnp.cumsum, some((1 << 24,)))
on_arrays("gather_rows_1M_64", lambda t, i: t[i], some((1 << 18, 64)), integers((1 << 20,), 1 << 18, *SPLIT))
on_arrays("top_k_rows_4096x1024_8", lambda x: lax.top_k(x, 8), some((4096, 1024), *SPLIT))
on_arrays("segment_sum_4M_to_1000", lambda x, i: jax.ops.segment_sum(x, i, 1000), some((1 << 22,), *SPLIT),
          integers((1 << 22,), 1000, *SPLIT))
on_arrays("histogram_4M_256", lambda i: jnp.bincount(i, length=256), integers((1 << 22,), 256, *SPLIT))
on_arrays("searchsorted_1M_4096", jnp.searchsorted, lambda: jnp.sort(some((4096,))()), some((1 << 20,), *SPLIT))


def kmeans_step(x, centers):
    d = (x * x).sum(1)[:, None] - 2 * x @ centers.T + (centers * centers).sum(1)
    nearest = d.argmin(1)
    n = jax.ops.segment_sum(jnp.ones(len(x)), nearest, 32)
    return jax.ops.segment_sum(x, nearest, 32) / n[:, None]


on_arrays("kmeans_step_1M_16_k32", kmeans_step, some((1 << 20, 16), *SPLIT), some((32, 16)))
on_arrays("boolean_where_sum_16M", lambda x: jnp.where(x > 0, x, 0).sum(), some((1 << 24,), *SPLIT))
on_arrays("argmax_rows_4096", lambda x: x.argmax(-1), some((4096, 4096), *SPLIT))
on_arrays("var_mean_axis0_4096", lambda x: (x.mean(0), x.var(0)), some((4096, 4096), *SPLIT))
on_arrays("int8_sum_64M", lambda x: x.astype(jnp.int32).sum(),
          lambda: jax.device_put(jnp.ones((1 << 26,), jnp.int8), at(*SPLIT)))
on_arrays("nbody_grad_2048", jax.grad(energy), some((2048, 3)))
on_arrays("lbm_d2q9_512", lattice_step,
          lambda: jax.device_put(random.uniform(random.key(0), (9, 512, 512)) + 0.5, at(None, ("x", "y"))))
on_arrays("black_scholes_grad_1M", jax.grad(option_price, (0, 2, 3, 4)), between(50, 150), between(50, 150),
          between(.1, 2), between(0, .1), between(.1, .5))
on_arrays("monte_carlo_pi_16M",
          lambda k: 4 * (jnp.square(random.uniform(k, (1 << 24, 2))).sum(1) < 1).mean(), lambda: random.key(0))
on_arrays("uniform_16M", lambda k: random.uniform(k, (1 << 24,)), lambda: random.key(0))
on_arrays("life_1024", life_step, lambda: integers((1024, 1024), 2, *SPLIT)().astype(jnp.int8))


@case
def jit_200_leaves():
    leaves = [normal((8,)) + 0 for _ in range(200)]
    step = jax.jit(lambda now: [a + 1 for a in now])
    return lambda: step(leaves)


@case
def eager_chain_20_small():
    x = normal((64,))

    def chain():
        y = x
        for _ in range(10):
            y = jnp.tanh(y) * 2.0
        return y
    return chain


@case
def grad_eager_mlp_small():
    layers, x = [(normal((32, 32)), normal((32,))) for _ in range(3)], normal((16, 32))

    def loss(layers, x):
        for w, b in layers:
            x = jnp.tanh(x @ w + b)
        return jnp.square(x).mean()
    step = jax.grad(loss)
    return lambda: step(layers, x)


@case
def to_host_64MB():
    step, x = jax.jit(lambda x: x + 1), normal((1 << 24,), *SPLIT)
    return lambda: np.asarray(step(x)).sum() * 0


@case
def eager_index_update():
    x = normal((256, 256))
    return lambda: x.at[3:7, ::2].set(1.0)[5]


@case
def device_put_64MB():
    host = np.ones(1 << 24, np.float32)
    return lambda: jax.device_put(host, at(*SPLIT))


# --- what statistics, sets, segments and scans do

on_arrays("top_k_rows_4096x4096", lambda x: lax.top_k(x, 16), some((4096, 4096), *SPLIT))
on_arrays("median_rows_4096x1024", lambda x: jnp.median(x, -1), some((4096, 1024), *SPLIT))
on_arrays("histogram_4M", lambda x: jnp.histogram(x, 256, (-4, 4))[0], some((1 << 22,)))
on_arrays("searchsorted_1M_in_64k", jnp.searchsorted, lambda: jnp.sort(some((1 << 16,))()), some((1 << 20,), *SPLIT))
on_arrays("segment_sum_1M_64", lambda x, i: jax.ops.segment_sum(x, i, 4096), some((1 << 20, 64)),
          integers((1 << 20,), 4096))
on_arrays("cumlogsumexp_4M", lax.cumlogsumexp, some((1 << 22,)))
on_arrays("interp_4M_in_1k", lambda x: jnp.interp(x, jnp.linspace(-4, 4, 1024), jnp.sin(jnp.linspace(-4, 4, 1024))),
          some((1 << 22,), *SPLIT))
on_arrays("convolve_1M_63", lambda x, w: jnp.convolve(x, w, "same"), some((1 << 20,)), some((63,)))
on_arrays("expm_128", jax.scipy.linalg.expm, some((128, 128)))
on_arrays("jacfwd_tanh_256", jax.jacfwd(jnp.tanh), some((256,)))
on_arrays("hessian_quartic_128", jax.hessian(lambda x: (x ** 4).sum() + x.prod()), some((128,)))
on_arrays("complex_mul_exp_4M", lambda z: jnp.exp(z * z), some((1 << 22,), *SPLIT, dtype=jnp.complex64))
on_arrays("tridiagonal_solve_256x4096", lambda dl, d, du, b: jax.lax.linalg.tridiagonal_solve(dl, d + 4, du, b),
          some((256, 4096), *SPLIT), some((256, 4096), *SPLIT), some((256, 4096), *SPLIT), some((256, 4096, 1), *SPLIT))
on_arrays("elementwise_f32_1M",
          lambda x, y: (jnp.sinh(x), jnp.arcsinh(x), jnp.cbrt(x), lax.erfc(x), jnp.remainder(x, y)),
          some((1 << 20,), *SPLIT), some((1 << 20,), *SPLIT))
on_arrays("gcd_1M", jnp.gcd, integers((1 << 20,), 1 << 30), integers((1 << 20,), 1 << 30))


def double_functions():
    def under_x64(f):
        def run():
            with jax.enable_x64(True):
                return f()
        return run
    x = under_x64(lambda: normal((1 << 20,)).astype(jnp.float64))()
    compiled = jax.jit(lambda x: (jnp.exp(-x * x), jnp.log1p(x * x), jnp.sin(x), lax.erf(x), jnp.abs(x) ** x))
    return under_x64(lambda: compiled(x))


makers["elementwise_f64_1M"] = double_functions
on_arrays("gamma_1M", lambda k: random.gamma(k, 2.5, (1 << 20,)), lambda: random.key(0))
on_arrays("poisson_1M", lambda k: random.poisson(k, 30., (1 << 20,)), lambda: random.key(0))
on_arrays("float8_round_16M", lambda x: (x.astype(jnp.float8_e4m3fn) * 2).astype(jnp.float32), some((1 << 24,), *SPLIT))
on_arrays("int4_weights_4096", lambda w, scale, x: x @ (w.astype(jnp.float32) * scale),
          lambda: jnp.round(some((4096, 4096))() * 2).astype(jnp.int4), some((4096,)), some((16, 4096)))
on_arrays("vectorize_distance_1024", jnp.vectorize(lambda x, y: jnp.sqrt(jnp.square(x - y).sum()), signature="(n),(n)->()"),
          lambda: some((1024, 1, 16), *SPLIT)(), some((1, 1024, 16)))
