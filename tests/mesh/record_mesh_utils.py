#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records how JAX orders described devices: writes mesh_utils_cases.inc beside this file.

Run with a Python that has jax; the tests need only what it wrote. `devices` here and `described` in topology.cpp make the same devices.
"""
import itertools
import math
import pathlib
import random
import warnings

import jax
from jax.experimental import mesh_utils


class Mock:
    def __init__(self, id, platform, kind, process, coords, core, slice_index):
        self.id, self.platform, self.device_kind, self.process_index = id, platform, kind, process
        self.client = None
        if platform == "tpu":
            self.coords, self.core_on_chip = coords, core
        if slice_index is not None:
            self.slice_index = slice_index

    def __repr__(self):
        return f"Mock({self.id})"


def devices(platform, kind, box, cores, origin, per_process, slices, stride):
    out = []
    for s, z, y, x, core in itertools.product(range(slices), range(box[2]), range(box[1]), range(box[0]), range(cores)):
        at = (x + origin[0], y + origin[1], z + origin[2])
        out.append(Mock(len(out), platform, kind, len(out) // per_process, at, core, s if slices > 1 else None))
    return [out[i * stride % len(out)] for i in range(len(out))]


def run(case):
    platform, kind, box, cores, origin, per_process, slices, stride, drop, inner, outer, options = case
    ds = devices(platform, kind, box, cores, origin, per_process, slices, stride)
    ds = ds[:len(ds) - drop]
    flags = options.split()
    try:
        if "make_mesh" in flags:
            return [d.id for d in jax.make_mesh(inner, [f"a{i}" for i in range(len(inner))], devices=ds).devices.flat], ""
        if outer:
            grid = mesh_utils.create_hybrid_device_mesh(
                inner, outer, ds, process_is_granule="process" in flags,
                should_sort_granules_by_key="unsorted" not in flags, allow_split_physical_axes="split" in flags)
        else:
            grid = mesh_utils.create_device_mesh(
                inner, ds, contiguous_submeshes="contiguous" in flags, allow_split_physical_axes="split" in flags)
        return [d.id for d in grid.flat], ""
    except Exception as e:
        return [], type(e).__name__


def case(kind, box, inner, options="", outer=(), cores=1, origin=(0, 0, 0), per_process=4, slices=1, stride=1, drop=0, platform="tpu"):
    return (platform, kind, box, cores, origin, per_process, slices, stride, drop, inner, outer, options)


def shapes_of(n, rng, most=3):
    """A random way to write n as a product of up to `most` sizes."""
    out = [1] * rng.randint(1, most)
    left, p = n, 2
    while left > 1:
        while left % p == 0:
            out[rng.randrange(len(out))] *= p
            left //= p
        p += 1
    return tuple(out)


def cases():
    rng = random.Random(18)
    yield from (case(k, (2, 2, 1), s, cores=2) for k in ("TPU v2", "TPU v3") for s in ((8,), (4, 2), (2, 4), (2, 2, 2), (1, 8)))
    yield from (case("TPU v3", (4, 2, 1), s, cores=2) for s in ((2, 8), (4, 4), (16,), (8, 2)))
    yield from (case("TPU v3", (2, 2, 1), (4, 2), cores=2, stride=3), case("TPU v2", (1, 2, 1), (2, 2), cores=2))
    for kind in ("TPU v4 lite", "TPU8i"):
        yield from (case(kind, (2, 2, 1), s, stride=t) for s in ((4,), (2, 2)) for t in (1, 3))
        yield from (case(kind, (4, 2, 1), s) for s in ((8,), (2, 4), (4, 2)))
    yield case("TPU8i", (2, 2, 1), (8,), cores=2)
    for kind in ("TPU v5 lite", "TPU v6 lite"):
        yield from (case(kind, (2, 2, 1), s, stride=t) for s in ((4,), (2, 2), (1, 4)) for t in (1, 3))
        yield from (case(kind, (4, 2, 1), s, stride=t) for s in ((8,), (2, 4)) for t in (1, 5))
        yield from (case(kind, b, s) for b in ((2, 4, 1), (2, 2, 2)) for s in ((8,), (4, 2)))
        yield from (case(kind, (4, 4, 1), s) for s in ((16,), (1, 16), (4, 4), (16, 1, 1), (8, 2), (2, 2, 4)))
        yield from (case(kind, (4, 4, 1), s, "split") for s in ((8, 2), (2, 8), (2, 2, 4)))
        yield from (case(kind, (4, 4, 1), s, "make_mesh") for s in ((8, 2), (16,), (2, 4)))
        yield case(kind, (2, 2, 1), (2, 2), origin=(2, 0, 0))
    yield from (case("TPU v5p", (2, 2, 2), s, stride=t) for s in ((8,), (2, 4)) for t in (1, 3))
    yield from (case("TPU v5p", (2, 2, 1), s, cores=2) for s in ((8,), (4, 2), (2, 2, 2), (2, 4)))
    for kind in ("TPU7x", "TPU7"):
        yield from (case(kind, b, s, cores=2) for b, s in (((2, 2, 1), (8,)), ((2, 2, 1), (4, 2)), ((2, 2, 2), (2, 8)), ((2, 2, 2), (16,)),
                                                         ((2, 2, 4), (4, 8)), ((2, 2, 8), (8, 8)), ((4, 4, 1), (4, 8)), ((4, 4, 1), (16, 2)),
                                                         ((2, 1, 1), (2, 2)), ((2, 2, 3), (3, 8))))
    # Tori, with whole axes.
    for box, shapes in {
        (4, 4, 1): ((4, 4), (16,), (2, 8)), (2, 2, 1): ((2, 2), (4, 1), (4,)), (4, 4, 4): ((16, 4), (4, 16), (64,), (4, 4, 4), (8, 8), (1, 4, 16)),
        (4, 4, 8): ((8, 16), (16, 8), (4, 32), (32, 4), (128,), (2, 64)), (2, 4, 8): ((8, 8), (2, 32), (16, 4), (4, 2, 8), (64, 1)),
        (4, 2, 1): ((2, 4), (4, 2), (8,)), (8, 4, 3): ((3, 32), (12, 8), (32, 3), (96,), (24, 4), (6, 16)),
    }.items():
        yield from (case("TPU v4", box, s) for s in shapes)
        yield from (case("TPU v4", box, s, "split", stride=5) for s in shapes if math.prod(box) % 5)
    yield case("TPU v4", (4, 4, 4), (16, 4), origin=(4, 0, 8))
    # Boxes of processes.
    for box, shapes in {(2, 2, 1): ((2, 2), (4,)), (2, 2, 4): ((4, 4), (16,), (4, 1, 4)), (4, 4, 4): ((16, 4), (4, 16), (1, 16, 4)),
                        (4, 8, 8): ((64, 4), (4, 64)), (8, 8, 8): ((64, 8),), (4, 4, 2): ((4, 8),)}.items():
        yield from (case("TPU v4", box, s, "contiguous") for s in shapes)
    # Splitting.
    for _ in range(60):
        box = tuple(rng.choice((1, 2, 4, 8)) for _ in range(3))
        if 2 < math.prod(box) <= 128:
            yield case("TPU v4", box, shapes_of(math.prod(box), rng, 4), "split")
    for box in ((4, 6, 1), (12, 2, 2), (6, 6, 1)):
        yield from (case("TPU v4", box, shapes_of(math.prod(box), rng), "split") for _ in range(3))
    # Bad descriptions.
    yield case("TPU v4", (4, 4, 1), (4, 2))
    yield case("TPU v4", (4, 4, 1), (15,), drop=1)
    yield case("TPU v4", (2, 2, 1), (8,), cores=2)
    # Other platforms.
    for platform, kind in (("gpu", "NVIDIA H100"), ("cpu", "cpu"), ("axon", "mystery")):
        yield from (case(kind, (8, 1, 1), s, stride=t, platform=platform, per_process=8) for s in ((8,), (2, 4)) for t in (1, 3, 7))
    yield from (case("NVIDIA H100", (16, 1, 1), s, stride=t, platform="gpu") for s in ((4, 4), (2, 8)) for t in (1, 5))
    # Several CPU processes, in orders in which every process has a box (others are tutti's own).
    yield from (case("cpu", (16, 1, 1), s, platform="cpu") for s in ((4, 4), (2, 8), (16,), (8, 2), (2, 2, 4)))
    # Two networks.
    for inner, outer in (((4, 2), (2, 1)), ((4, 2), (1, 2)), ((2, 4), (2, 1)), ((8,), (2,)), ((2, 2, 2), (1, 2, 1)), ((8,), (2, 1)), ((2, 4), (2,)),
                         ((2, 2), (2, 2)), ((4, 4), (2, 1))):
        yield case("TPU v4", (4, 2, 1), inner, outer=outer, slices=2)
        yield case("TPU v3", (2, 2, 1), inner, outer=outer, slices=2, cores=2, stride=5)
        yield case("NVIDIA H100", (16, 1, 1), inner, "process", outer=outer, per_process=8, platform="gpu", stride=3)
        yield case("NVIDIA H100", (16, 1, 1), inner, "process unsorted", outer=outer, per_process=8, platform="gpu", stride=11)
    yield case("TPU v4", (4, 4, 1), (8, 2), "split", outer=(2, 2), slices=4)
    yield case("TPU v4", (4, 4, 1), (8, 2), outer=(2, 2), slices=4)
    yield case("TPU v4", (4, 4, 1), (4, 4), "unsorted", outer=(4, 1), slices=4, stride=37)
    yield case("TPU v4", (4, 4, 1), (4, 4), outer=(1, 1))
    # make_mesh
    yield from (case("TPU v3", (4, 2, 1), s, "make_mesh", cores=2) for s in ((8,), (2, 8), (4, 2), (4, 4), (16,), (4, 8)))
    yield from (case("TPU v4", (4, 4, 1), s, "make_mesh") for s in ((4, 4), (8, 2), (16,)))
    yield case("TPU v4", (4, 2, 1), (4, 4), "make_mesh", slices=2)
    yield case("TPU v4", (4, 2, 1), (4, 2), "make_mesh", slices=2)


def numbers(xs):
    return "{" + ", ".join(map(str, xs)) + "}"


def main():
    warnings.simplefilter("ignore")
    lines, seen = [], set()
    for c in cases():
        if c in seen:
            continue
        seen.add(c)
        ids, error = run(c)
        platform, kind, box, cores, origin, per_process, slices, stride, drop, inner, outer, options = c
        lines.append(f'{{"{platform}", "{kind}", {numbers(box)}, {cores}, {numbers(origin)}, {per_process}, {slices}, {stride}, {drop}, '
                     f'{numbers(inner)}, {numbers(outer)}, "{options}", "{error}",\n "{" ".join(map(str, ids))}"}},\n')
    here = pathlib.Path(__file__).parent
    (here / "mesh_utils_cases.inc").write_text(f"// Written by record_mesh_utils.py with jax {jax.__version__}.\n" + "".join(lines))
    print(len(lines), "cases")


if __name__ == "__main__":
    main()
