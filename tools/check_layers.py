#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom in src/ and include/tutti/; `--table` draws the graph of includes between src/'s folders."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The rooms of src/ from the ground up: a file includes its own room and those below it, never one above.
ORDER = [
    "base", "tree", "mesh", "device", "ir", "array", "lane", "ops", "lax", "numpy",  # the vocabulary, and its faces
    "trace", "transform", "regions", "frontend", "propagate", "partition", "compile", "run",  # the stages
    "backend", "simulated", "distributed", "api",
    "io", "checkpoint", "data",  # files: the first two hold shares of arrays' memory
]

# The values that every stage may use. Homes of operations are not among them: a stage asks an Op (ir/op.hpp) and names
# none.
VOCABULARY = ["base/", "tree/", "mesh/", "device/", "ir/", "array/"]

# What a stage may include beyond the vocabulary and itself: the product of the stage before it, and what is said here.
STAGES = {
    "trace": [],
    "transform": ["trace/", "ops/collective/"],  # the cotangent of a value that does not vary is a psum
    "propagate": ["ops/placement/sharding_constraint.hpp"],  # it says where outputs lie
    "partition": ["propagate/sharded_program.hpp", "propagate/sites.hpp",
                  # Regions are opened by batching, local programs are recorded.
                  "trace/trace.hpp", "transform/transform.hpp",
                  "ops/collective/", "regions/shard_map.hpp", "regions/loops.hpp", "ops/placement/", "ops/movement/",
                  "ops/elementwise/comparison.hpp",  # views become rolls, and choices between them
                  "ops/elementwise/bits.hpp",
                  # Dims of products and sums come in parts, scans become running sums.
                  "ops/contraction/dot_general.hpp", "ops/reduction/", "ops/elementwise/arithmetic.hpp",
                  "ops/fft/fft.hpp"],  # a transform of several dims is one of each
    "compile": ["partition/local_program.hpp", "lane/vector_ir.hpp", "ops/contraction/", "ops/movement/",
                "ops/reduction/", "ops/elementwise/", "ops/linalg/direct_solve.hpp"],
    "run": ["compile/plan.hpp"],
    "distributed": ["run/transport.hpp", "run/pool.hpp",  # how processes find each other, and agree
                    "run/processors.hpp"],
}

# Arrows that run back up, each with the page of docs/design/ that gives its reason.
UPWARD = {}

# Written against the public headers alone.
CLIENTS = ["nn", "linen", "optim", "random", "debug", "linalg", "fft", "special", "scipy", "image"]

# Public headers for users, not for the library: only api, frontend, the clients and tests include them.
SURFACE = ["tutti/tutti.hpp", "tutti/transform/transforms.hpp", "tutti/transform/custom_rules.hpp",
           "tutti/transform/jit.hpp", "tutti/nn/", "tutti/optim/", "tutti/linen/", "tutti/random/", "tutti/data/",
           "tutti/io/", "tutti/checkpoint/", "tutti/scipy/", "tutti/image/",
           "tutti/debug/debug.hpp"]
ABOVE_SURFACE = ["api", "frontend", "io", "checkpoint", "data", *CLIENTS]

# Headers of big libraries, and the only folders that may include them.
CONFINED = {
    r"llvm(-c)?/": ["backend/cpu/"],
    r"(dnnl|oneapi/dnnl)": ["backend/cpu/"],
    r"(cblas|lapacke|libxsmm|pocketfft)": ["backend/"],
    r"backend/cpu/kernels/linalg/lapack_routines": ["backend/cpu/kernels/linalg/"],
    r"backend/cpu/kernels/": ["backend/cpu/", "simulated/devices.cpp"],  # simulated devices run the CPU's kernels
    r"([xei]mm|x86)\w*\.h": ["base/processor.hpp"],
    r"arm_neon\.h": ["lane/vectors.hpp"],
    r"xla/pjrt/|pjrt": ["backend/pjrt/"],
    r"mpi\.h": ["distributed/", "backend/mpi/"],
    r"zip\.h": ["io/"],
    r"xxhash\.h": ["checkpoint/"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == "<", match[2]


def is_std(name):
    return "/" not in name and "." not in name


def room(name):
    """The room of a header of src/, or None for one of another project or a public one."""
    first = name.split("/")[0]
    return first if "/" in name and (ROOT / "src" / first).is_dir() else None


def starts(name, prefixes):
    return any(name.startswith(p) for p in prefixes)


def allowed(folder, name):
    """Whether a file in src/`folder`/ may include `name`, a header of src/."""
    to = room(name)
    if to == folder or (folder, name) in UPWARD:
        return True
    if folder in CLIENTS or to in CLIENTS:
        return False
    if ORDER.index(to) > ORDER.index(folder):
        return False
    return folder not in STAGES or starts(name, VOCABULARY + STAGES[folder])


# Public headers that are about a library, and included by who uses it; tutti.hpp includes none of them.
FOREIGN = {("include/tutti/format.hpp", "fmt/format.h")}


def check_public(path, where):
    for number, _, name in includes(path):
        if not is_std(name) and not name.startswith("tutti/") and (str(where), name) not in FOREIGN:
            yield f"{where}:{number}: a public header includes the standard library and tutti/ only, not {name}"


def check_private(path, where):
    inside = path.relative_to(ROOT / "src").as_posix()
    folder = inside.split("/")[0]
    for number, _, name in includes(path):
        for pattern, places in CONFINED.items():
            if re.match(pattern, name) and not starts(inside, places):
                yield f"{where}:{number}: {name} may be included under src/{', src/'.join(places)} only"
        if starts(name, SURFACE) and folder not in ABOVE_SURFACE:
            yield f"{where}:{number}: src/{folder} may not include {name}: it lies above"
        if room(name) and not allowed(folder, name):
            yield f"{where}:{number}: src/{folder} may not include {name}: see ORDER and STAGES in check_layers.py"


def table():
    """Rows include columns, both from the ground up: what stands right of the diagonal runs back up."""
    counts = collections.Counter()
    for path in ROOT.glob("src/*/**/*.[ch]pp"):
        folder = path.relative_to(ROOT / "src").parts[0]
        counts.update((folder, room(name)) for _, _, name in includes(path) if room(name) not in (None, folder))
    rooms = ORDER + [c for c in CLIENTS if (ROOT / "src" / c).is_dir()]
    print(" " * 11 + "".join(f"{r[:5]:>6}" for r in rooms))
    for i, row in enumerate(rooms):
        cells = ["#" if j == i else counts[row, c] or ("." if j < i else "") for j, c in enumerate(rooms)]
        print((f"{row:<11}" + "".join(f"{cell:>6}" for cell in cells)).rstrip())
    upward = sum(n for (a, b), n in counts.items() if rooms.index(b) > rooms.index(a))
    print(f"includes that run back up: {upward}")


def main():
    found = []
    for path in sorted(ROOT.glob("include/**/*.hpp")):
        found += check_public(path, path.relative_to(ROOT))
    for path in sorted(ROOT.glob("src/*/**/*.[ch]pp")):
        found += check_private(path, path.relative_to(ROOT))
    if "--table" in sys.argv:
        table()
    print("\n".join(found) if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
