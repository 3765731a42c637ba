# SPDX-License-Identifier: Apache-2.0
"""JAX's side of `tutti_bench --processes N --compare-jax`: several processes on this machine, joined by gloo.

usage: jax_processes.py --processes N [--devices 8] [--seconds S] CASE...
Starts its own processes. The first one prints a line of JSON per case, {"name", "min_ms", "median_ms"}, of calls that
are waited for one by one for about S seconds. Ends with 1 when a process dies; then the others are killed.
"""
import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--processes", type=int, default=2)
parser.add_argument("--devices", type=int, default=8)
parser.add_argument("--seconds", type=float, default=1.0)
parser.add_argument("--rank", type=int, default=-1)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("cases", nargs="+")
arguments = parser.parse_args()


def start_all():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [sys.executable, __file__, f"--processes={arguments.processes}", f"--devices={arguments.devices}",
               f"--seconds={arguments.seconds}", f"--port={port}"]
    ranks = [subprocess.Popen(command + [f"--rank={r}"] + arguments.cases) for r in range(arguments.processes)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        while True:
            codes = [p.poll() for p in ranks]
            if any(c for c in codes if c is not None):
                return 1
            if all(c == 0 for c in codes):
                return 0
            time.sleep(0.05)
    finally:
        for p in ranks:
            p.kill()


if arguments.rank < 0:
    sys.exit(start_all())

local = arguments.devices // arguments.processes
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={local} " + os.environ.get("XLA_FLAGS", "")
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec as P

jax.config.update("jax_cpu_collectives_implementation", "gloo")
before = time.perf_counter()
jax.distributed.initialize(f"127.0.0.1:{arguments.port}", arguments.processes, arguments.rank)
initialize_ms = 1e3 * (time.perf_counter() - before)

shape = {8: (4, 2), 4: (2, 2), 2: (2, 1)}[arguments.devices]
mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(shape), ("x", "y"))


def normal(extents, *spec, key=0):
    values = np.random.default_rng(key).normal(size=extents).astype(np.float32)
    return jax.make_array_from_callback(extents, NamedSharding(mesh, P(*spec)), lambda index: values[index])


def predict(network, x):
    *hidden, (weight, bias) = network
    for w, b in hidden:
        x = jnp.maximum(x @ w + b, 0)
    return x @ weight + bias


def squared_error(network, x, y):
    return jnp.square(predict(network, x) - y).sum(-1).mean()


def gradient(width, batch, split):
    widths, network = [width] * 4 + [10], []
    for i, (m, n) in enumerate(zip(widths, widths[1:])):
        weight, bias = (), ()
        if split and i + 2 < len(widths):
            weight, bias = ((None, "y"), ("y",)) if i % 2 == 0 else (("y", None), ())
        network.append((normal((m, n), *weight, key=i) / m**0.5, normal((n,), *bias, key=i)))
    rows = "x" if split else ("x", "y")
    x, y, step = normal((batch, width), rows), normal((batch, 10), rows), jax.jit(jax.grad(squared_error))
    return lambda: step(network, x, y)


def psum(each):
    over = ("x", "y")
    x = normal((arguments.devices * each,), over)
    f = jax.jit(jax.shard_map(lambda v: lax.psum(v, over), mesh=mesh, in_specs=P(over), out_specs=P()))
    return lambda: f(x)


def reshard(n):
    x = normal((n, n), ("x", "y"))
    f = jax.jit(lambda v: v, out_shardings=NamedSharding(mesh, P(None, ("x", "y"))))
    return lambda: f(x)


def checkpoint(read):
    """1 GiB by Orbax, in a folder of temporary files."""
    import shutil
    import tempfile
    import orbax.checkpoint as ocp
    tree = [normal((4096, 4096), "x", "y", key=i) for i in range(16)]
    folder = os.path.join(tempfile.gettempdir(), f"jax_processes_{arguments.port}")
    checkpointer = ocp.StandardCheckpointer()

    def save():
        checkpointer.save(folder, tree, force=True)
        checkpointer.wait_until_finished()
        return tree

    def forget():
        multihost_utils.sync_global_devices("forget")
        if arguments.rank == 0:
            for path, _, names in os.walk(folder):
                for name in names:
                    file = os.open(os.path.join(path, name), os.O_RDONLY)
                    os.fdatasync(file)
                    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                    os.close(file)
        multihost_utils.sync_global_devices("forgotten")

    def restore():
        forget()
        return checkpointer.restore(folder, tree)
    if arguments.rank == 0:
        import atexit
        atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True))
    if not read:
        return save
    save()
    return restore


makers = {f"mlp_grad_{kind}_w{w}_b{b}": lambda w=w, b=b, kind=kind: gradient(w, b, kind == "tp")
          for w, b in ((64, 64), (512, 256), (2048, 1024)) for kind in ("dp", "tp")}
makers |= {"psum_8x1K": lambda: psum(1 << 10), "psum_8x1M": lambda: psum(1 << 20), "reshard_2048": lambda: reshard(2048),
           "files_save_1GiB": lambda: checkpoint(False), "files_restore_1GiB": lambda: checkpoint(True)}


def timed(step):
    def once():
        start = time.perf_counter()
        jax.block_until_ready(step())
        return time.perf_counter() - start
    once()
    one = once()
    # All processes make the same number of calls.
    count = int(np.clip(arguments.seconds / max(one, 1e-5), 3 if one > 0.5 else 5, 2000))
    count = int(multihost_utils.broadcast_one_to_all(np.int32(count)))
    return sorted(1e3 * once() for _ in range(count))


for name in arguments.cases:
    try:
        ms = [initialize_ms] if name == "initialize" else timed(makers[name]())
    except ImportError as error:
        if arguments.rank == 0:
            print(json.dumps({"name": name, "error": str(error)}), flush=True)
        continue
    if arguments.rank == 0:
        print(json.dumps({"name": name, "min_ms": ms[0], "median_ms": ms[len(ms) // 2]}), flush=True)
