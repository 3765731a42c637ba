# SPDX-License-Identifier: Apache-2.0
"""Convolutions as networks have them, their gradients, blocks of layers, pooling: JAX's side."""
from jax_common import *  # noqa: F403


LAST, LINE, SPACE = ("NHWC", "HWIO", "NHWC"), ("NWC", "WIO", "NWC"), ("NDHWC", "DHWIO", "NDHWC")


def convolution(name, x, w, strides=None, padding="SAME", dims=None, **options):
    def conv(x, w):
        return lax.conv_general_dilated(x, w, strides or (1,) * (len(w.shape) - 2), padding, dimension_numbers=dims,
                                        **options)
    on_arrays(name + "_fwd", conv, some(x, *SPLIT), some(w))
    on_arrays(name + "_grad", jax.grad(lambda x, w: jnp.square(conv(x, w)).sum(), (0, 1)), some(x, *SPLIT), some(w))


convolution("conv7x7_s2_b8_224_3_64", (8, 224, 224, 3), (7, 7, 3, 64), (2, 2), dims=LAST)
convolution("conv3x3_nchw_b16_56_64", (16, 64, 56, 56), (64, 64, 3, 3))
convolution("conv3x3_s2_b16_56_64_128", (16, 56, 56, 64), (3, 3, 64, 128), (2, 2), dims=LAST)
convolution("conv3x3_b16_7_512", (16, 7, 7, 512), (3, 3, 512, 512), dims=LAST)
convolution("conv1x1_nchw_b16_14_256_1024", (16, 256, 14, 14), (1024, 256, 1, 1))
convolution("conv3x3_depthwise_b16_56_128", (16, 56, 56, 128), (3, 3, 1, 128), dims=LAST, feature_group_count=128)
convolution("conv3x3_depthwise_nchw_s2_b16_112_64", (16, 64, 112, 112), (64, 1, 3, 3), (2, 2), feature_group_count=64)
convolution("conv3x3_groups32_b16_28_256", (16, 28, 28, 256), (3, 3, 8, 256), dims=LAST, feature_group_count=32)
convolution("conv2x2_up_b8_64_128_64", (8, 64, 64, 128), (2, 2, 128, 64), padding=((1, 1), (1, 1)), dims=LAST,
            lhs_dilation=(2, 2))
convolution("conv1d_dilated_b8_16000_64", (8, 16000, 64), (2, 64, 64), padding=((512, 0),), dims=LINE,
            rhs_dilation=(512,))
convolution("conv1d_ncw_s5_b8_160000_1_64", (8, 1, 160000), (64, 1, 10), (5,), padding="VALID")
convolution("conv3d_b8_16_32_64", (8, 16, 16, 16, 32), (3, 3, 3, 32, 64), dims=SPACE)


def normalised(h, dims):
    return (h - h.mean(dims, keepdims=True)) * lax.rsqrt(h.var(dims, keepdims=True) + 1e-5)


def basic_block_loss(w0, w1, x):
    h = x
    for w in (w0, w1):
        h = jnp.maximum(normalised(lax.conv_general_dilated(h, w, (1, 1), "SAME"), (0, 2, 3)), 0)
    return jnp.square(x + h).mean()


def mobile_block_loss(wide, deep, narrow, x):
    def conv(h, w, groups):
        return normalised(lax.conv_general_dilated(h, w, (1, 1), "SAME", dimension_numbers=LAST,
                                                   feature_group_count=groups), (0, 1, 2))
    h = jnp.clip(conv(x, wide, 1), 0, 6)
    h = jnp.clip(conv(h, deep, 144), 0, 6)
    return jnp.square(x + conv(h, narrow, 1)).mean()


on_arrays("basic_block_nchw_grad_b16_56_64", jax.grad(basic_block_loss, (0, 1)), some((64, 64, 3, 3)),
          some((64, 64, 3, 3)), some((16, 64, 56, 56), *SPLIT))
on_arrays("mobile_block_grad_b16_56_24", jax.grad(mobile_block_loss, (0, 1, 2)), some((1, 1, 24, 144)),
          some((3, 3, 1, 144)), some((1, 1, 144, 24)), some((16, 56, 56, 24), *SPLIT))


def max_pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def average_pooled(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4


for pool, label, shape in [(max_pooled, "max_pool3x3_s2_b16_112_64", (16, 112, 112, 64)),
                           (average_pooled, "avg_pool2x2_nchw_b16_112_64", (16, 64, 112, 112))]:
    on_arrays(label + "_fwd", pool, some(shape, *SPLIT))
    on_arrays(label + "_grad", jax.grad(lambda x, pool=pool: jnp.square(pool(x)).sum()), some(shape, *SPLIT))


@case
def conv_network_step_b128_32():
    def loss(m, x, labels):
        kernels, dense, bias = m
        h = x
        for w in kernels:
            h = jnp.maximum(lax.conv_general_dilated(h, w, (1, 1), "SAME", dimension_numbers=LAST), 0)
            h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = h.mean((1, 2)) @ dense + bias
        return jnp.mean(nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, labels[:, None], -1)[:, 0])

    @jax.jit
    def step(now, x, labels):
        value, grads = jax.value_and_grad(loss)(now[0], x, labels)
        speed = jax.tree.map(lambda v, g: 0.9 * v + g, now[1], grads)
        return (jax.tree.map(lambda p, v: p - 0.01 * v, now[0], speed), speed), value
    model = ([normal((3, 3, 3, 32)) * .2, normal((3, 3, 32, 64)) * .06, normal((3, 3, 64, 128)) * .04],
             normal((128, 10)) * .1, jnp.zeros(10))
    x = normal((128, 32, 32, 3), ("x", "y"))
    labels = jax.device_put(random.randint(random.key(1), (128,), 0, 10), at(("x", "y")))
    return loop(lambda now: step(now, x, labels), jax.device_put((model, jax.tree.map(jnp.zeros_like, model)), at()))
