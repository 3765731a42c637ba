#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stages ask an Op (src/ir/op.hpp) what they need to know: none compares an op's name, takes the address of an op, or
looks into an op's parameters. In src/regions, where homes and rules stand together, a file may do so with its own ops:
those whose name begins as its name does, or which the header declares that begins so."""

import pathlib
import re
import sys

from cpp_tokens import tokens

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ["trace", "transform", "regions", "frontend", "propagate", "partition", "compile", "run", "isolation",
          "backend", "api"]
HOMES = ["src/ops", "src/regions"]
COLLECTIVES = "src/ops/collective"
LISTS = ["src/api/op_list.cpp"]  # of all ops
KERNELS = "src/backend/cpu/kernels/"  # a kernel is the other form of one op's eval, and found by the op

# What a stage may name all the same, and why.
WINDOW = "Op::window says that the parameters are these"
DIMS = "a product's dims are numbered anew where they come in parts"
SORTS = "only a sort says in which order its results lie"
PLACES = "gathers and scatters whose indices are known become such"
POSITIONS = "only a sort knows where its elements were"
CONVOLUTIONS = "the engine has tiles for them, as for products"
PRODUCTS = "the engine calls a library for products, and brings their operands to its form"
BOXES = "how far dims lie apart, and in which steps, is in the parameters of what moves boxes"
MASKS = "only the operation says what a comparison of positions comes to, and that a selection moves elements"
TRANSFORMS = "only a transform knows which dims it transforms, and which of them is real"
ALLOWED = {
    "partition": {
        "fft": TRANSFORMS, "Fft": TRANSFORMS, "rev": "pairs of them go", "Rev": "pairs of them go",
        "slice": BOXES, "SliceParams": BOXES, "pad": BOXES, "Pad": BOXES, "concatenate": BOXES, "Concatenate": BOXES,
        "dynamic_update_slice": BOXES, "reshape": "a diagonal is recorded as a strided slice of one",
        "ShardMap": "Role::region: its axes and specs are what the stage opens it by",
        "dot_general": DIMS, "DotGeneral": DIMS, "Reduction": "Op::reduce says that the parameters are these",
        "Gather": WINDOW, "Scatter": WINDOW,
        "sort": SORTS, "Sort": SORTS,
        **dict.fromkeys(["add", "sub", "mul", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "bitwise_and",
                         "bitwise_or", "bitwise_not", "broadcast_in_dim", "BroadcastInDim", "select"], MASKS),
    },
    "compile": {
        "dot_general": PRODUCTS, "DotGeneral": PRODUCTS, "transpose": PRODUCTS, "Transpose": PRODUCTS,
        "reshape": PRODUCTS, "copy": "the stage itself puts copies behind bodies of loops",
        "Reduction": "Op::reduce says that the parameters are these",
        "strided_read": PLACES, "StridedRead": PLACES, "strided_add": PLACES, "StridedAdd": PLACES,
        "sort": POSITIONS, "Sort": POSITIONS,
        "Gather": WINDOW, "Scatter": WINDOW, "Concatenate": "index vectors are put together of numbers",
    },
    "backend": {
        "convolution": CONVOLUTIONS, "Convolution": CONVOLUTIONS,
        "Gather": WINDOW, "Scatter": WINDOW,
        "strided_add": PLACES, "StridedAdd": PLACES,
    },
    "regions": {
        "dot_general": "policies of remat are about products", "DotGeneral": "policies of remat are about products",
        "checkpoint_name": "policies of remat are about names", "CheckpointName": "policies of remat are about names",
    },
}

OPS = re.compile(r"extern const (?:Op|Home) ([^;]+);")
PARAMS = re.compile(r"^struct (\w+) \{", re.M)


def declared(folder, *patterns):
    """Names that the headers of a folder declare by one of the patterns, each with the name of its header."""
    names = {}
    for path in (ROOT / folder).rglob("*.hpp"):
        for pattern in patterns:
            for match in pattern.finditer(path.read_text()):
                names.update({name: path.stem for name in re.findall(r"\w+", match[1])})
    return names


def first_word(name):
    return re.match(r"[A-Z]?[a-z0-9]*", name)[0].lower()


def own(path, names):
    """Those of `names` that the file in src/regions is a home of."""
    word = first_word(path.stem)
    return {name for name, header in names.items() if word in (first_word(name), header)}


def is_compared(words, at):
    """Whether the member access that ends at `at` is an operand of == or !=, or asked for its beginning or end."""
    if words[at + 1] in ("==", "!=") or words[at + 2:at + 3] and words[at + 2] in ("starts_with", "ends_with"):
        return True
    first = at
    while first > 0 and (re.match(r"\w", words[first - 1]) and words[first - 1] != "return" or
                         words[first - 1] in ("->", ".", "*")):
        first -= 1
    return words[first - 1] in ("==", "!=")


def found_in(text, ops, params):
    """(line, what is wrong) for each place."""
    row = list(tokens(text))
    words = [word for word, _ in row]
    for i, (word, line) in enumerate(row):
        before, after = words[max(0, i - 4):i], words[i + 1:i + 6]
        qualified = after[:2] == ["ops", "::"]
        if word == "name" and before[-2:] in (["op", "->"], ["op", "."]) and is_compared(words, i):
            yield line, "compares the name of an op"
        if word == "find_op":
            yield line, "looks an op up by its name"
        if word == "&":
            name = after[2:4] if qualified else after[:2]
            binary = before and (re.match(r"\w", before[-1]) and before[-1] != "return" or before[-1] in (")", "]"))
            meant = not binary if qualified else before[-1:] in (["=="], ["!="])
            if meant and name[:1] and name[0] in ops and name[1:] != ["("]:
                yield line, f"takes the address of ops::{name[0]}"
        if word == "get" and before[-1:] in (["."], ["->"]) and after[:1] == ["<"]:
            name = after[3:5] if after[1:3] == ["ops", "::"] else after[1:3]
            if name[0] in params and name[1:] == [">"]:
                yield line, f"looks into the parameters ops::{name[0]}"


def main():
    ops = {name: header for folder in HOMES for name, header in declared(folder, OPS).items()}
    params = {name: header for folder in HOMES for name, header in declared(folder, PARAMS).items()}
    collectives = declared(COLLECTIVES, OPS, PARAMS)
    found = []
    for stage in STAGES:
        allowed = set(ALLOWED.get(stage, {})) | (set(collectives) if stage == "partition" else set())
        for path in sorted((ROOT / "src" / stage).rglob("*.[ch]pp")):
            where = path.relative_to(ROOT).as_posix()
            if where in LISTS or where.startswith(KERNELS):
                continue
            mine = allowed | (own(path, ops | params) if stage == "regions" else set())
            found += [f"{where}:{line}: {what}: ask its traits (src/ir/op.hpp)"
                      for line, what in found_in(path.read_text(), set(ops) - mine, set(params) - mine)]
    print("\n".join(found + [f"op names in stages: {len(found)}"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
