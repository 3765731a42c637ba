# SPDX-License-Identifier: Apache-2.0
"""Running functions and products, complex numbers, three components: JAX's side."""
from jax_common import *  # noqa: F403


def factors(shape):
    return lambda: jax.device_put(random.uniform(random.key(11), shape) + 0.5, at())


def complex_numbers(shape):
    return lambda: lax.complex(normal(shape), jax.device_put(random.normal(random.key(1), shape), at()))


def sum_grad(f):
    return jax.grad(lambda x: f(x).sum())


def gelu_exact(x):
    return nn.gelu(x, approximate=False)


SQUARE, VECTORS = factors((1024, 1024)), some((1 << 18, 3))
on_arrays("cumprod_1024", lambda x: jnp.cumprod(x, 1), SQUARE)
on_arrays("cumprod_columns_1024", lambda x: jnp.cumprod(x, 0), SQUARE)
on_arrays("cumprod_grad_1024", sum_grad(lambda x: jnp.cumprod(x, 1)), SQUARE)
on_arrays("cumprod_columns_grad_1024", sum_grad(lambda x: jnp.cumprod(x, 0)), SQUARE)
on_arrays("cummax_1024", lambda x: lax.cummax(x, 1), SQUARE)
on_arrays("cummax_columns_1024", lambda x: lax.cummax(x, 0), SQUARE)
on_arrays("cummax_grad_1024", sum_grad(lambda x: lax.cummax(x, 1)), SQUARE)
on_arrays("cumsum_grad_1024", sum_grad(lambda x: jnp.cumsum(x, 1) ** 2), SQUARE)
on_arrays("cumlogsumexp_grad_1024", sum_grad(lambda x: lax.cumlogsumexp(x, 1)), SQUARE)
on_arrays("prod_grad_1024", sum_grad(lambda x: jnp.prod(x, 1)), SQUARE)
on_arrays("complex_prod_1024", lambda z: jnp.prod(z, 1), complex_numbers((1024, 1024)))
on_arrays("complex_prod_columns_1024", lambda z: jnp.prod(z, 0), complex_numbers((1024, 1024)))
on_arrays("complex_cumsum_1024", lambda z: jnp.cumsum(z, 1), complex_numbers((1024, 1024)))
on_arrays("complex_cumprod_1024", lambda z: jnp.cumprod(z, 1), complex_numbers((1024, 1024)))
on_arrays("complex_sign_1M", jnp.sign, complex_numbers((1 << 20,)))
on_arrays("gelu_exact_1M", gelu_exact, some((1 << 20,)))
on_arrays("gelu_exact_grad_1M", sum_grad(gelu_exact), some((1 << 20,)))
on_arrays("cross_256k", jnp.cross, VECTORS, VECTORS)
on_arrays("cross_grad_256k", lambda x, y: jax.grad(lambda x: (jnp.cross(x, y) ** 2).sum())(x), VECTORS, VECTORS)
on_arrays("cross_first_dim_256k", lambda x, y: jnp.cross(x, y, axis=0), some((3, 1 << 18)), some((3, 1 << 18)))
on_arrays("kron_grad_32", lambda x, y: jax.grad(lambda x: (jnp.kron(x, y) ** 2).sum())(x), some((32, 32)),
          some((32, 32)))
