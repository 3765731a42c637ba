# SPDX-License-Identifier: Apache-2.0
"""Elements that are moved, taken and packed, images, and small numbers: JAX's side."""
from jax_common import *  # noqa: F403

IMAGES = (64, 224, 224, 3)


def whole_numbers(shape, below, dtype):
    return lambda: integers(shape, below)().astype(dtype)


def normalized(images):
    mean, deviation = jnp.array([0.485, 0.456, 0.406]), jnp.array([0.229, 0.224, 0.225])
    return (images.astype(jnp.float32) / 255 - mean) / deviation


on_arrays("pad_reflect_images_16x256", lambda x: jnp.pad(x, ((0, 0), (4, 4), (4, 4), (0, 0)), mode="reflect"),
          some((16, 256, 256, 3)))
on_arrays("pad_edge_2048", lambda x: jnp.pad(x, 8, mode="edge"), some((2048, 2048)))
on_arrays("flip_rows_2048", lambda x: jnp.flip(x, 1), some((2048, 2048)))
on_arrays("flip_images_uint8_64x224", lambda x: jnp.flip(x, 2), whole_numbers(IMAGES, 256, jnp.uint8))
on_arrays("normalize_images_64x224", normalized, whole_numbers(IMAGES, 256, jnp.uint8))
on_arrays("channels_first_64x224", lambda x: jnp.transpose(x, (0, 3, 1, 2)), some(IMAGES))
on_arrays("channels_last_64x224", lambda x: jnp.transpose(x, (0, 2, 3, 1)), some((64, 3, 224, 224)))
on_arrays("take_columns_2048x1000", lambda x, i: jnp.take(x, i, 1), some((2048, 2048)), integers((1000,), 2048))
on_arrays("take_along_axis_2048", lambda x, i: jnp.take_along_axis(x, i, 1), some((2048, 2048)),
          integers((2048, 2048), 2048))
on_arrays("packbits_4M", lambda x: jnp.packbits(x > 0), some((1 << 22,)))
on_arrays("unpackbits_1M", jnp.unpackbits, whole_numbers((1 << 20,), 256, jnp.uint8))
on_arrays("cross_1M", jnp.cross, some((1 << 20, 3)), some((1 << 20, 3)))
on_arrays("product_batch_10000x3", lambda x: x @ x, some((10000, 3, 3)))
on_arrays("product_int32_512", lambda x: x @ x, integers((512, 512), 1000))
on_arrays("outer_int32_2048", lambda x: jnp.outer(x, x), integers((2048,), 1000))
on_arrays("sum_complex_rows_2048", lambda x: jnp.sum(lax.complex(x, x * 2) * 3, 1), some((2048, 2048)))
