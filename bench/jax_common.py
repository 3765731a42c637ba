# SPDX-License-Identifier: Apache-2.0
"""What the files of JAX's side of the benchmarks share: the mesh, how cases are named, and their arguments."""
import argparse
import os
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--devices", type=int, default=8, choices=(1, 8))
DEVICES = parser.parse_args().devices
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES} " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn, random
from jax.sharding import NamedSharding, PartitionSpec as P

BATCH_SECONDS, BATCHES_A_ROUND = 0.05, 3   # timing.cpp has the same numbers
mesh = jax.make_mesh((4, 2) if DEVICES == 8 else (1, 1), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
makers, once = {}, set()


def case(make):
    makers[make.__name__] = make
    return make


def at(*spec):
    return NamedSharding(mesh, P(*spec))


def normal(shape, *spec):
    return jax.device_put(random.normal(random.key(0), shape), at(*spec))


def on_array(name, shape, spec, fn):
    def make():
        compiled, x = jax.jit(fn), normal(shape, *spec)
        return lambda: compiled(x)
    makers[name] = make


SPLIT = (("x", "y"),)
BOTH, ROWS, COLUMNS = ("x", "y"), (("x", "y"), None), (None, ("x", "y"))


def on_arrays(name, fn, *arguments):
    def make():
        compiled, given = jax.jit(fn), [a() for a in arguments]
        return lambda: compiled(*given)
    makers[name] = make


def some(shape, *spec, dtype=jnp.float32):
    return lambda: normal(shape, *spec).astype(dtype)


def spd(n):
    def make():
        a = random.normal(random.key(0), (n, n))
        return jax.device_put(a @ a.T / n + jnp.eye(n), at())
    return make


def integers(shape, below, *spec):
    return lambda: jax.device_put(random.randint(random.key(1), shape, 0, below), at(*spec))


def between(least, most):
    return lambda: jax.device_put(random.uniform(random.key(0), (1 << 20,), minval=least, maxval=most), at(*SPLIT))


def loop(step, state):
    """A step (state) -> (state, result) that goes on from its own state."""
    def run():
        nonlocal state
        state, result = step(state)
        return result
    return run
