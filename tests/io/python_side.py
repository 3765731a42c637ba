#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python side of tests/io: files of NumPy and safetensors.

    python_side.py make FOLDER     write the fixtures (tests/io/fixtures was made so)
    python_side.py check FOLDER    read what the C++ side wrote, and compare

Needs numpy, safetensors and ml_dtypes: `python3 -m venv V && V/bin/pip install numpy safetensors ml_dtypes`.
"""

import pathlib
import sys

import ml_dtypes
import numpy as np
from safetensors import numpy as st
from safetensors import safe_open

DTYPES = {name: np.dtype(name) for name in
          "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split()}
METADATA = {"made by": "python", "ü": "\"quoted\" \\ text"}


def values(dtype, shape):
    """What both sides expect: element i is i % 7, minus 3 and a half where the dtype has that."""
    i = np.asarray(np.arange(int(np.prod(shape))).reshape(shape) % 7)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return i % 3 == 0
    if dtype.kind == "u":
        return i.astype(dtype)
    if dtype.kind == "i":
        return (i - 3).astype(dtype)
    return np.asarray(i - 2.5 + (2j if dtype.kind == "c" else 0)).astype(dtype)


def npy_arrays():
    out = {name: values(dtype, (3, 4)) for name, dtype in DTYPES.items()}
    out["scalar"] = values("float32", ())
    out["empty"] = values("float32", (0, 5))
    out["cube"] = values("int16", (2, 3, 4))
    return out


def tensors():
    out = npy_arrays()
    out["bfloat16"] = values(ml_dtypes.bfloat16, (3, 4))
    return out


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, x in npy_arrays().items():
        np.save(folder / f"{name}.npy", x)
    np.save(folder / "fortran.npy", np.asfortranarray(values("float32", (3, 4))))
    np.save(folder / "fortran_cube.npy", np.asfortranarray(values("int16", (2, 3, 4))))
    np.save(folder / "big_float64.npy", values("float64", (3, 4)).astype(">f8"))
    np.save(folder / "big_complex64.npy", values("complex64", (3, 4)).astype(">c8"))
    np.save(folder / "big_fortran_int16.npy", np.asfortranarray(values("int16", (3, 4)).astype(">i2")))
    for version in (2, 3):
        with open(folder / f"version{version}.npy", "wb") as out:
            np.lib.format.write_array(out, values("float32", (3, 4)), version=(version, 0))
    np.save(folder / "complex128_vector.npy", values("complex128", (3,)))
    np.save(folder / "refused_text.npy", np.array(["a", "bc"]))
    np.save(folder / "refused_object.npy", np.array([1, None], dtype=object), allow_pickle=True)
    np.save(folder / "refused_record.npy", np.zeros(2, dtype=[("x", "f4"), ("y", "i4")]))
    np.save(folder / "refused_bfloat16.npy", values(ml_dtypes.bfloat16, (3,)))
    np.savez(folder / "arrays.npz", **npy_arrays())
    np.savez_compressed(folder / "compressed.npz", **npy_arrays())
    st.save_file(tensors(), folder / "tensors.safetensors", METADATA)


def same(name, x, expected):
    assert x.dtype == expected.dtype and x.shape == expected.shape, f"{name}: {x.dtype}{x.shape}"
    assert x.tobytes() == expected.tobytes(), f"{name}: {x} is not {expected}"


def check(folder):
    for name, expected in npy_arrays().items():
        same(name, np.load(folder / f"{name}.npy"), expected)
    for file in ("arrays.npz", "compressed.npz"):
        with np.load(folder / file) as archive:
            assert sorted(archive.files) == sorted(npy_arrays()), archive.files
            for name, expected in npy_arrays().items():
                same(f"{file}[{name}]", archive[name], expected)
    with safe_open(folder / "tensors.safetensors", "np") as file:
        assert file.metadata() == METADATA, file.metadata()
        assert sorted(file.keys()) == sorted(tensors())
    read = st.load_file(folder / "tensors.safetensors")
    for name, expected in tensors().items():
        same(name, read[name], expected)
    print("python reads all of them")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
