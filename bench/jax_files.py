# SPDX-License-Identifier: Apache-2.0
"""Opening files: NumPy's and safetensors' own readers."""
import os
import tempfile

import numpy as np
import safetensors
import safetensors.numpy

from jax_common import *  # noqa: F403


def opened(name, file, count, size, save, load):
    def make():
        folder = tempfile.TemporaryDirectory()
        path = os.path.join(folder.name, file)
        save(path, {f"layer{i}": np.full(size, i, np.float32) for i in range(count)})
        return lambda folder=folder: load(path)  # the folder goes with the case
    makers[name] = make


def save_safetensors(path, arrays):
    safetensors.numpy.save_file(arrays, path)


def save_npz(path, arrays):
    np.savez(path, **arrays)


def read_names(path):
    with safetensors.safe_open(path, "np") as file:
        return list(file.keys())


def load_npz(path):
    with np.load(path) as file:
        return {name: file[name] for name in file}


opened("open_safetensors_20k", "many.safetensors", 20000, 4, save_safetensors, read_names)
opened("load_safetensors_5k", "many.safetensors", 5000, 4, save_safetensors, safetensors.numpy.load_file)
opened("load_safetensors_16x4MiB", "large.safetensors", 16, 1 << 20, save_safetensors, safetensors.numpy.load_file)
opened("load_npz_500", "many.npz", 500, 4, save_npz, load_npz)
opened("load_npz_16x4MiB", "large.npz", 16, 1 << 20, save_npz, load_npz)
