# SPDX-License-Identifier: Apache-2.0
"""Reads and writes at places that index arrays name, stencils written with slices: JAX's side."""
from jax_common import *  # noqa: F403

N = 1 << 20


def places(shape, below, seed=1):
    return lambda: jax.device_put(random.randint(random.key(seed), shape, 0, below), at())


def squares_grad(f):
    return lambda x, *more: jax.grad(lambda x: (f(x, *more) ** 2).sum())(x)


# --- one index array and several

def along(x, i):
    return jnp.take_along_axis(x, i, 1)


TABLE, NUMBERS = some((4096, 256)), some((N,))
AT_I, AT_J, ROWS_AT = places((N,), 4096, 2), places((N,), 256, 3), places((8192,), 4096)
on_arrays("index_pairs_1M", lambda x, i, j: x[i, j], TABLE, AT_I, AT_J)
on_arrays("index_pairs_grad_1M", squares_grad(lambda x, i, j: x[i, j]), TABLE, AT_I, AT_J)
on_arrays("index_pairs_add_1M", lambda x, i, j, u: x.at[i, j].add(u), TABLE, AT_I, AT_J, NUMBERS)
on_arrays("index_pairs_set_1M", lambda x, i, j, u: x.at[i, j].set(u), TABLE, AT_I, AT_J, NUMBERS)
on_arrays("index_take_grad_1M", squares_grad(lambda x, i: jnp.take(x, i, 0)), NUMBERS, places((N,), N))
on_arrays("index_rows_grad_8192", squares_grad(lambda x, i: jnp.take(x, i, 0)), TABLE, ROWS_AT)
on_arrays("index_rows_add_8192", lambda x, i, u: x.at[i].add(u), TABLE, ROWS_AT, some((8192, 256)))
on_arrays("index_rows_set_8192", lambda x, i, u: x.at[i].set(u), TABLE, ROWS_AT, some((8192, 256)))
on_arrays("index_rows_max_8192", lambda x, i, u: x.at[i].max(u), TABLE, ROWS_AT, some((8192, 256)))
on_arrays("index_along_grad_1M", squares_grad(along), TABLE, places((4096, 256), 256))
on_arrays("index_argsort_grad_1M", squares_grad(lambda x: along(x, jnp.argsort(x, 1))), TABLE)


def segments(count):
    return lambda x, ids: jax.ops.segment_sum(x, ids, count)


on_arrays("index_segment_sum_1M_16", segments(16), NUMBERS, places((N,), 16))
on_arrays("index_segment_sum_1M_4096", segments(4096), NUMBERS, places((N,), 4096))
on_arrays("index_segment_sum_1M_512k", segments(N // 2), NUMBERS, places((N,), N // 2))
on_arrays("index_segment_grad_1M",
          jax.grad(lambda x: (segments(4096)(x, jnp.mod(jnp.arange(N) * 7919, 4096)) ** 2).sum()), NUMBERS)
on_arrays("index_bincount_1M", lambda i: jnp.bincount(i, length=4096), AT_I)
on_arrays("index_one_hot_16k", lambda i, w: nn.one_hot(i, 256) @ w, places((1 << 14,), 256), some((256, 64)))


def messages(nodes, source, target):
    return jax.ops.segment_sum(nodes[source], target, nodes.shape[0])


NODES, SOURCE, TARGET = some((4096, 64)), places((1 << 16,), 4096, 2), places((1 << 16,), 4096, 3)
on_arrays("index_messages_64k", messages, NODES, SOURCE, TARGET)
on_arrays("index_messages_grad_64k", squares_grad(messages), NODES, SOURCE, TARGET)

# --- frames of a signal, patches of images

HOP, WINDOW, FRAMES = 128, 512, 128
SIGNAL = (FRAMES - 1) * HOP + WINDOW


def sliced(x, starts):
    return jax.vmap(lambda start: lax.dynamic_slice(x, (start,), (WINDOW,)))(starts)


def sliding(x):
    return x[jnp.arange(FRAMES)[:, None] + jnp.arange(WINDOW)]


def dilated(x):
    return lax.conv_general_dilated_patches(x.reshape(1, 1, -1), (WINDOW,), (HOP,), "VALID")


STARTS = places((FRAMES,), SIGNAL - WINDOW)
on_arrays("frames_slices_128x512", sliced, some((SIGNAL,)), STARTS)
on_arrays("frames_slices_grad_128x512", squares_grad(sliced), some((SIGNAL,)), STARTS)
on_arrays("frames_sliding_128x512", sliding, some((SIGNAL,)))
on_arrays("frames_sliding_grad_128x512", squares_grad(sliding), some((SIGNAL,)))
on_arrays("frames_dilated_128x512", dilated, some((SIGNAL,)))
on_arrays("frames_dilated_grad_128x512", squares_grad(dilated), some((SIGNAL,)))

PATCH, STEP, ALONG = 16, 8, 31
IMAGE, PATCHES = (ALONG - 1) * STEP + PATCH, (ALONG, ALONG, PATCH, PATCH)


def patch_places():
    places = jnp.arange(ALONG)[:, None] * STEP + jnp.arange(PATCH)
    return places[:, None, :, None], places[None, :, None, :]


def patches_of(image):
    return image[patch_places()]


def patches_added(patches):
    return jnp.zeros((IMAGE, IMAGE), patches.dtype).at[patch_places()].add(patches)


def patches_in_float64():
    with jax.enable_x64(True):
        compiled, patches = jax.jit(patches_added), normal(PATCHES).astype(jnp.float64)

    def run():
        with jax.enable_x64(True):
            return compiled(patches)
    return run


on_arrays("frames_patches_31x31", patches_of, some((IMAGE, IMAGE)))
on_arrays("frames_patches_grad_31x31", squares_grad(patches_of), some((IMAGE, IMAGE)))
on_arrays("frames_patches_add_31x31", patches_added, some(PATCHES))
on_arrays("frames_patches_add_batch_8", jax.vmap(patches_added), some((8, *PATCHES)))
on_arrays("frames_patches_add_complex", lambda p: patches_added(lax.complex(p, p)), some(PATCHES))
makers["frames_patches_add_float64"] = patches_in_float64

# --- every other element; stencils

on_arrays("strided_add_1M", lambda x, u: x.at[::2].add(u), NUMBERS, some((N // 2,)))
on_arrays("strided_rows_set_4096x256", lambda x, u: x.at[1::2].set(u), TABLE, some((2048, 256)))
on_arrays("strided_columns_multiply_1M", lambda x, u: x.at[:, ::2].multiply(u), TABLE, some((4096, 128)))


def heat_100(u):
    def step(i, u):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(0.1 * around)
    return lax.fori_loop(0, 100, step, u)


def wave_100(u):
    return lax.fori_loop(0, 100, lambda i, u: u.at[1:-1].set(0.25 * (u[:-2] + 2 * u[1:-1] + u[2:])), u)


on_arrays("stencil_heat_512_100", heat_100, some((512, 512)))
on_arrays("stencil_wave_1M_100", wave_100, NUMBERS)
