#!/usr/bin/env python3
"""Checks who includes whom. The tables say what is allowed; docs: design/architecture, section "Folders"."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Values that every stage may use, lowest first: a folder includes itself and those before it.
VOCABULARY = ["base", "tree", "mesh", "ir", "array", "ops"]

# What an op's home holds. An Eqn points to one, so these headers belong to the vocabulary from `ir` on; the homes do not.
OP_CONTRACT = ["ops/op_def.hpp", "ops/vector_ir.hpp"]
KNOW_OPS = ["ir", "array"]

# The stages in the order of the pipeline, and the headers in which a stage hands on its product.
# A stage includes the vocabulary without the homes, itself and the product of the stage before it.
STAGES = {
    "trace": ["trace/trace.hpp"],
    "transform": [],
    "propagate": ["propagate/sharded_program.hpp"],
    "partition": ["partition/local_program.hpp"],
    "compile": ["compile/plan.hpp"],
    "run": [],
}

# What single folders may include beyond that.
EXTRA = {
    "transform": ["ops/calls.hpp", "ops/collective.hpp", "ops/shard_map.hpp", "ops/sharding_constraint.hpp"],  # the cotangent of a value that does not vary is a psum
    "propagate": ["ops/sharding_constraint.hpp", "ops/shard_map.hpp", "ops/inspect_sharding.hpp",  # these say, or ask, where a value lies
                  "ops/calls.hpp"],  # they are inlined
    "partition": ["ops/collective.hpp", "ops/shard_map.hpp", "ops/sharding_constraint.hpp",
                  "transform/transform.hpp",  # manual regions are opened by batching
                  "ops/movement.hpp",  # movement: parameters whose extents become local
                  "trace/trace.hpp"],  # it records the local program as a trace does
    "compile": ["backend/backend.hpp", "ops/movement.hpp", "ops/elementwise_ops.hpp"],
    "run": ["backend/backend.hpp", "ops/collective.hpp", "partition/local_program.hpp"],  # per_device runs a LocalProgram
}

# src/backend and src/distributed: the vocabulary with the homes, themselves, and these.
ENGINE = ["compile/", "ops/", "run/"]

# Sees everything in src.
COMPOSITION_ROOT = "api"

# Written against the public headers alone.
CLIENTS = ["nn", "linen", "optim", "random", "data", "checkpoint", "debug"]

# Public headers for users, not for the library: below them all. Only api, the clients and tests include them.
SURFACE = ["tutti/tutti.hpp", "tutti/transforms.hpp", "tutti/custom_rules.hpp", "tutti/jit.hpp", "tutti/nn.hpp", "tutti/optim.hpp",
           "tutti/activations.hpp", "tutti/nn_conv.hpp", "tutti/optim_core.hpp", "tutti/optim_parts.hpp", "tutti/optim_combine.hpp", "tutti/schedules.hpp",
           "tutti/losses.hpp", "tutti/linen.hpp", "tutti/linen_layers.hpp", "tutti/train_state.hpp",
           "tutti/random.hpp", "tutti/data.hpp", "tutti/debug.hpp", "tutti/progress.hpp"]

# Headers of big libraries, and the only folders that may include them.
CONFINED = {
    r"llvm(-c)?/": ["backend/cpu/"],
    r"(dnnl|oneapi/dnnl)": ["backend/cpu/"],
    r"(cblas|lapacke|libxsmm|fftw3|pocketfft)": ["backend/"],
    r"xla/pjrt/|pjrt": ["backend/pjrt/"],
    r"mpi\.h": ["distributed/"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == "<", match[2]


def is_std(name):
    return "/" not in name and "." not in name


def ours(name):
    """Whether `name` is a header of src/, as opposed to one of another project."""
    return "/" in name and (ROOT / "src" / name.split("/")[0]).is_dir()


def starts(name, prefixes):
    return any(name.startswith(p) for p in prefixes)


def allowed_in_src(folder):
    """The prefixes of src/ that a file in src/`folder`/ may include."""
    own = [folder + "/"]
    if folder == COMPOSITION_ROOT:
        return [""]
    if folder in VOCABULARY:
        below = [v + "/" for v in VOCABULARY[: VOCABULARY.index(folder)]]
        return below + (OP_CONTRACT if folder in KNOW_OPS else []) + own
    if folder in CLIENTS:
        return own
    vocabulary = [v + "/" for v in VOCABULARY if v != "ops"] + OP_CONTRACT
    if folder in STAGES:
        names = list(STAGES)
        place = names.index(folder)
        product = STAGES[names[place - 1]] if place > 0 else []
        return vocabulary + product + EXTRA.get(folder, []) + own
    return vocabulary + ENGINE + own


def check_public(path, where):
    for number, _, name in includes(path):
        if not is_std(name) and not name.startswith("tutti/"):
            yield f"{where}:{number}: a public header includes the standard library and tutti/ only, not {name}"


def check_private(path, where):
    inside = path.relative_to(ROOT / "src").as_posix()
    folder = inside.split("/")[0]
    allowed = allowed_in_src(folder)
    for number, _, name in includes(path):
        for pattern, places in CONFINED.items():
            if re.match(pattern, name) and not starts(inside, places):
                yield f"{where}:{number}: {name} may be included under src/{', src/'.join(places)} only"
        if name in SURFACE and folder != COMPOSITION_ROOT and folder not in CLIENTS:
            yield f"{where}:{number}: src/{folder} may not include {name}: it lies above"
        if ours(name) and not starts(name, allowed):
            yield f"{where}:{number}: src/{folder} may not include {name}; it may: {' '.join(allowed)}"


def main():
    found = []
    for path in sorted(ROOT.glob("include/**/*.hpp")):
        found += check_public(path, path.relative_to(ROOT))
    for path in sorted(ROOT.glob("src/*/**/*.[ch]pp")):
        found += check_private(path, path.relative_to(ROOT))
    print("\n".join(found) if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
