# SPDX-License-Identifier: Apache-2.0
"""Recurrences, filters and implicit derivatives: JAX's side."""
import optax
from jax.scipy.sparse.linalg import bicgstab, cg, gmres

from jax_common import *  # noqa: F403


def recurrence(x):
    def after(f, g):
        return g[0] * f[0], g[0] * f[1] + g[1]
    return lax.associative_scan(after, (nn.sigmoid(x), x))[1]


def kalman(seen):
    motion, look, noise = jnp.eye(4) + 0.1 * jnp.eye(4, 4, 2), jnp.eye(2, 4), 0.01 * jnp.eye(4)

    def step(state, z):
        mean, p = motion @ state[0], motion @ state[1] @ motion.T + noise
        innovation = look @ p @ look.T + jnp.eye(2)
        gain = jnp.linalg.solve(innovation, look @ p).T
        return (mean + gain @ (z - look @ mean), p - gain @ look @ p), mean

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), seen)[1]


def viterbi(moves, scores):
    def forward(best, score):
        by = best[:, None] + moves
        return by.max(0) + score, by.argmax(0)

    def back(state, origin):
        before = origin[state]
        return before, before

    last, origin = lax.scan(forward, scores[0], scores[1:])
    return lax.scan(back, last.argmax(), origin, reverse=True)[1]


def root_sum(a):
    def newton(g, x):
        return lax.fori_loop(0, 20, lambda i, y: y - g(y) / (3 * y * y + a), x)

    def divide(slope, y):
        return y / slope(jnp.ones_like(y))

    return lax.custom_root(lambda x: x * x * x + a * x - 1, jnp.ones_like(a), newton, divide).sum()


def conjugate_gradients(apply, b):
    def body(t):
        i, x, r, p, rs = t
        ap = apply(p)
        al = rs / jnp.dot(p, ap)
        r = r - al * ap
        n = jnp.dot(r, r)
        return i + 1, x + al * p, r, r + (n / rs) * p, n

    return lax.while_loop(lambda t: (t[0] < 200) & (t[4] > 1e-12), body,
                          (0, jnp.zeros_like(b), b, b, jnp.dot(b, b)))[1]


def solved_sum(a, b):
    return jnp.square(lax.custom_linear_solve(lambda v: a @ v, b, conjugate_gradients, symmetric=True)).sum()


@jax.custom_batching.custom_vmap
def solve(a, b):
    return jnp.linalg.solve(a, b)


@solve.def_vmap
def solve_many(_, mapped, a, b):
    return (jax.vmap(jnp.linalg.solve)(a, b) if mapped[0] else jnp.linalg.solve(a, b.T).T), True


on_arrays("associative_scan_1M", recurrence, some((1 << 20,)))
on_arrays("kalman_256_t200", jax.vmap(kalman), some((256, 200, 2), *SPLIT))
on_arrays("viterbi_64_t200_s32", jax.vmap(viterbi, in_axes=(None, 0)), some((32, 32)), some((64, 200, 32), *SPLIT))
on_arrays("custom_root_grad_1M", jax.grad(root_sum), lambda: jnp.abs(normal((1 << 20,), *SPLIT)) + 1)
on_arrays("custom_linear_solve_grad_512", jax.grad(solved_sum), spd(512), some((512,)))
on_arrays("custom_vmap_solve_512", jax.vmap(solve, in_axes=(None, 0)), spd(512), some((256, 512), *SPLIT))


def stencil(u):
    return 4.1 * u - jnp.roll(u, 1, 0) - jnp.roll(u, -1, 0) - jnp.roll(u, 1, 1) - jnp.roll(u, -1, 1)


def skewed(u):
    return stencil(u) + 0.5 * (jnp.roll(u, 1, 0) - jnp.roll(u, -1, 0))


def grid_cg(b):
    return cg(stencil, b, tol=1e-5, maxiter=100)[0]


def ctc(logits):
    labels = jnp.broadcast_to(jnp.arange(20) * 7 % 27 + 1, (32, 20))
    return optax.ctc_loss(logits, jnp.zeros((32, 100)), labels, jnp.zeros((32, 20))).sum()


on_arrays("cg_grid_256", grid_cg, some((256, 256)))
on_arrays("cg_grid_grad_256", jax.grad(lambda b: jnp.square(grid_cg(b)).sum()), some((256, 256)))
on_arrays("bicgstab_grid_256", lambda b: bicgstab(skewed, b, tol=1e-5, maxiter=50)[0], some((256, 256)))
on_arrays("gmres_grid_256", lambda b: gmres(skewed, b, tol=1e-5, maxiter=3)[0], some((256, 256)))
on_arrays("ctc_loss_grad_32_t100", jax.grad(ctc), some((32, 100, 28), *SPLIT))
