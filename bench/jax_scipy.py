# SPDX-License-Identifier: Apache-2.0
"""Names of jax.scipy, jax.image, jax.experimental.ode and Optax: JAX's side."""
import jax.image
import jax.scipy.fft
import jax.scipy.ndimage
import jax.scipy.optimize
import jax.scipy.signal
import jax.scipy.stats
import optax
from jax.experimental.ode import odeint

from jax_common import *  # noqa: F403


def there_and_back(x):
    return jax.scipy.signal.istft(jax.scipy.signal.stft(x, nperseg=512)[2], nperseg=512)[1]


def moved(x):
    i, j = jnp.meshgrid(jnp.linspace(0, 500, 512), jnp.linspace(5, 511, 512), indexing="ij")
    return jax.scipy.ndimage.map_coordinates(x, [i + jnp.sin(j), j], 1, mode="nearest")


def hunted(y0):
    def slope(y, t):
        return jnp.stack([y[0] * (1.1 - 0.4 * y[1]), y[1] * (0.1 * y[0] - 0.4)])
    return odeint(slope, jnp.abs(y0) + 1, jnp.linspace(0., 10., 11), rtol=1e-5, atol=1e-5)


def flow_loss(w, y0):
    def slope(y, t, w):
        return jnp.tanh(y @ w)
    return jnp.square(odeint(slope, y0, jnp.array([0., 1.]), w / 8, rtol=1e-4, atol=1e-4)[1]).sum()


def regression(x):
    labels = x[:, 0] + 0.5 * x[:, 1] > 0

    def loss(w):
        logits = x @ w
        return jnp.mean(nn.softplus(logits) - labels * logits) + 1e-3 * jnp.sum(w * w)

    opt = optax.lbfgs()
    from_state = optax.value_and_grad_from_state(loss)

    def step(i, now):
        w, state = now
        value, grads = from_state(w, state=state)
        updates, state = opt.update(grads, state, w, value=value, grad=grads, value_fn=loss)
        return optax.apply_updates(w, updates), state

    w0 = jnp.zeros(x.shape[1])
    return lax.fori_loop(0, 10, step, (w0, opt.init(w0)))[0]


def rosenbrock_minimum(x0):
    def f(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    return jax.scipy.optimize.minimize(f, 0.1 * x0, method="BFGS", options={"maxiter": 20}).x


on_arrays("stft_64x16k", lambda x: jax.scipy.signal.stft(x, nperseg=512)[2], some((64, 1 << 14), *SPLIT))
on_arrays("welch_64x16k", lambda x: jax.scipy.signal.welch(x, nperseg=1024)[1], some((64, 1 << 14), *SPLIT))
on_arrays("stft_istft_1M", there_and_back, some((1 << 20,)))
on_arrays("convolve2d_9x9_512", lambda x: jax.scipy.signal.convolve2d(x, jnp.ones((9, 9)) / 81, "same"),
          some((512, 512)))
on_arrays("resize_cubic_16x512_128", lambda x: jax.image.resize(x, (16, 128, 128, 3), "cubic"),
          some((16, 512, 512, 3), *SPLIT))
on_arrays("map_coordinates_512", moved, some((512, 512)))
on_arrays("dctn_1024", lambda x: jax.scipy.fft.dctn(x, norm="ortho"), some((1024, 1024)))
on_arrays("odeint_hunters_4096", hunted, some((2, 4096)))
on_arrays("odeint_grad_64", jax.grad(flow_loss), some((64, 64)), some((256, 64)))
on_arrays("lbfgs_logistic_4096x256", regression, some((4096, 256)))
on_arrays("minimize_rosenbrock_32", rosenbrock_minimum, some((32,)))
on_arrays("kde_2x4096_1024", lambda data, at: jax.scipy.stats.gaussian_kde(data)(at), some((2, 4096)), some((2, 1024)))
